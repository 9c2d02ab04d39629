// The nodes of the dendrogram, each named by its highest merge, and where clusters split.
//
// nodes.py launches find_nodes, mark_merges, list_children and, after their sort, number_children. Of few merges
// find_few makes the first three steps by one block, and rank_children sorts few children and numbers them.
#include "hierarchy/density.cuh"
#include "hierarchy/descent.cuh"
#include "hierarchy/marks.cuh"
#include "runtime/compact.cuh"
#include "runtime/grid.cuh"

// The node of every merge: one of its own, named by the merge, if its parent is higher.
template <class T>
struct BeginsNode {
  const T *height;
  i64 merges;
  const int *node;
  __device__ bool operator()(Descendant d, int &value) const {
    const bool root = d.parent == merges;
    const bool apart = root || !same_height(height, d.merge, root ? d.merge : d.parent);
    const int above = d.top && !apart ? node[d.parent] : NONE;
    value = apart ? d.merge : above;
    return apart || d.top;
  }
};

template <class T>
__global__ void __launch_bounds__(FEW_THREADS) find_nodes(const int *entries, const u32 *slots, const int *rounds,
                                                          const T *height, i64 merges, int *node, u64 *published) {
  descend(entries, slots, rounds, published, BeginsNode<T>{height, merges, node},
          [&](int e, int value) { node[e] = value; });
}

// Mark of a merge; the node above every large one; and how many large ones lie directly below a node.
template <class S>
__device__ void mark_merge(i64 e, const int2 *children, const S *size, const int *node, i64 merges, S least, int *mark,
                           int *above, int *large, S *left) {
  const int at = node[e];
  const S points = size[e];
  left[e] = points;
  mark[e] = size[at] < least && at != merges - 1 ? SMALL : at == e ? GOES_ON : INNER;
  if (points < least) return;  // and so are all below
  const int2 child = children[e];
  for (int x : {child.x, child.y}) {
    if (x < 0 || size[x] < least || node[x] != x) continue;
    above[x] = at;
    atomicAdd(large + at, 1);
  }
}

template <class S>
__global__ void mark_merges(const int2 *children, const S *size, const int *node, i64 merges, S least, int *mark,
                            int *above, int *large, S *left) {
  const i64 e = thread_id();
  if (e < merges) mark_merge(e, children, size, node, merges, least, mark, above, large, left);
}

// The nodes at which clusters begin, the root left out, with keys by which the last splits come first. Where just one
// large node lies below, its points stay in the cluster.
template <class S>
struct Children {
  const S *size;
  i64 merges;
  const int *mark, *above, *large;
  S *left;
  u32 *key;
  int *child;
  __device__ bool is_inside(i64 e) const { return mark[e] == GOES_ON; }  // a cluster
  __device__ bool begins(i64 e) const {
    if (!is_inside(e) || e == merges - 1) return false;
    const int at = above[e];
    if (large[at] == 1) left[at] = size[at] - size[e];
    return large[at] > 1;
  }
  __device__ void put(i64 e, u32 rank) const {
    key[rank] = (u32)(merges - 1 - above[e]);
    child[rank] = (int)e;
  }
};

// total becomes the number of children; that of nodes in clusters is added to total[1].
template <class S>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_children(const S *size, i64 merges, const int *mark, const int *above, const int *large, S *left, u32 *key,
                  int *child, int *total, u64 *tiles, u32 epoch) {
  const Children<S> children{size, merges, mark, above, large, left, key, child};
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

// One block does all the steps above and writes both numbers of `total`. Atomics write `large`, so its barriers have
// fences (grid.cuh).
template <class T, class S>
__global__ void __launch_bounds__(FEW_THREADS, 1)
    find_few(const int *entries, const u32 *slots, const int *rounds, const T *height, const int2 *below, const S *size,
             i64 merges, S least, int *node, int *mark, int *above, int *large, S *left, u32 *key, int *child,
             int *total) {
  const Grid block = {nullptr, 0, 1};
  for (i64 e = threadIdx.x; e < merges; e += FEW_THREADS) large[e] = 0;
  block_descend(entries, slots, rounds, BeginsNode<T>{height, merges, node},
                [&](int e, int value) { node[e] = value; });
  block.sync();
  for (i64 e = threadIdx.x; e < merges; e += FEW_THREADS)
    mark_merge(e, below, size, node, merges, least, mark, above, large, left);
  block.sync();
  const Children<S> children{size, merges, mark, above, large, left, key, child};
  int inside = 0;
  const u32 all = block_compact<FEW_THREADS>(
      merges,
      [&](int, i64 e) {
        inside += children.is_inside(e);
        return children.begins(e);
      },
      [&](i64 e, bool kept, u32 rank) {
        if (kept) children.put(e, rank);
      });
  const u64 nodes = block_sum<FEW_THREADS>((u64)inside);
  if (threadIdx.x != 0) return;
  total[0] = (int)all;
  total[1] = (int)nodes;
}

// The first cluster is the root's.
template <class S>
__device__ void number_root(const S *size, i64 merges, int *born_at, S *points) {
  born_at[0] = NONE;
  points[0] = size[merges - 1];
}

// The numbers of clusters, in the order of the sorted keys, become the marks of the nodes at which they begin.
template <class S>
__device__ void number_child(i64 rank, u32 key, int e, const S *size, i64 merges, int *mark, int *born_at, S *points) {
  mark[e] = (int)rank + 1;
  born_at[rank + 1] = (int)(merges - 1 - key);
  points[rank + 1] = size[e];
}

template <class S>
__global__ void number_children(const u32 *key, const int *child, const int *total, const S *size, i64 merges,
                                int *mark, int *born_at, S *points) {
  const i64 i = thread_id();
  if (i == 0) number_root(size, merges, born_at, points);
  if (i < *total) number_child(i, key[i], child[i], size, merges, mark, born_at, points);
}

// The same without a sort, by a warp a child: keys that come before are counted.
template <class S>
__global__ void rank_children(const u32 *key, const int *child, const int *total, const S *size, i64 merges, int *mark,
                              int *born_at, S *points) {
  const i64 i = thread_id() / 32;
  if (thread_id() == 0) number_root(size, merges, born_at, points);
  if (i >= *total) return;
  const u32 rank = rank_of_key(key, *total, i);
  if (lane_id() == 0) number_child(rank, key[i], child[i], size, merges, mark, born_at, points);
}
