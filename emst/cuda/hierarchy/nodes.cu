// The nodes of the dendrogram, each named by its highest merge, and where clusters split. Merges are named by links
// (chains.py).
//
// nodes.py launches find_nodes, mark_merges, list_children and, after their sort, number_children; or rank_children,
// which needs no sort.
#include "hierarchy/nodes.cuh"
#include "runtime/compact.cuh"

template <class T>
__global__ void __launch_bounds__(FEW_THREADS)
    find_nodes(const int *parents, const int *rounds, const T *height, i64 merges, int *node, u64 *published) {
  descend(parents, rounds, published, BeginsNode<T>{height, merges, node}, [&](int e, int value) { node[e] = value; });
}

template <class S>
__global__ void mark_merges(const int2 *children, const S *size, const int *node, i64 merges, S least, int *mark,
                            int *above, int *large, S *left) {
  const i64 e = thread_id();
  if (e < merges) mark_merge(e, children, size, node, merges, least, mark, above, large, left);
}

// total becomes the number of children; that of nodes in clusters is added to total[1].
template <class S>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_children(const int *ranks, const S *size, i64 merges, int bits, const int *mark, const int *above,
                  const int *large, S *left, u64 *key, int *child, int *total, u64 *tiles, u32 epoch) {
  const Children<S> children{ranks, size, merges, bits, mark, above, large, left, key, child};
  int inside = 0;
  compact(
      merges, tiles, epoch, total,
      [&](int, i64 e) {
        inside += children.is_inside(e);
        return children.begins(e);
      },
      [&](i64 e, bool kept, u32 rank) {
        if (kept) children.put(e, rank);
      });
  inside = __reduce_add_sync(FULL, inside);
  if (lane_id() == 0 && inside) atomicAdd(total + 1, inside);
}

template <class S>
__global__ void number_children(const int *child, const int *total, const int *above, const S *size, i64 merges,
                                int *mark, int *born_at, S *points) {
  const i64 i = thread_id();
  if (i == 0) number_root(size, merges, born_at, points);
  if (i < *total) number_child(i, child[i], above, size, mark, born_at, points);
}

// The same for few children, without a sort: keys that come before are counted, by a warp a child.
template <class S>
__global__ void rank_children(const u64 *key, const int *child, const int *total, const int *above, const S *size,
                              i64 merges, int *mark, int *born_at, S *points) {
  const i64 i = thread_id() / 32;
  if (thread_id() == 0) number_root(size, merges, born_at, points);
  if (i < *total) rank_child(i, key, child, *total, above, size, mark, born_at, points);
}
