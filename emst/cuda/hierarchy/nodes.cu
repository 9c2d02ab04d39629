// The nodes of the dendrogram, each named by its highest merge, and where clusters split.
//
// nodes.py launches find_nodes, mark_merges, list_children and, after their sort, number_children.
#include "hierarchy/density.cuh"
#include "hierarchy/descent.cuh"
#include "hierarchy/marks.cuh"
#include "runtime/compact.cuh"

// The node of every merge: one of its own, named by the merge, if its parent is higher.
template <class T>
__global__ void __launch_bounds__(SCAN_THREADS)
    find_nodes(const int *entries, const u32 *slots, i64 begin, i64 count, const int *rounds, const T *height,
               i64 merges, int *node, u64 *tiles, u32 epoch) {
  descend(
      entries, slots, begin, count, rounds, tiles, epoch,
      [&](Descendant d, int &value) {
        const bool root = d.parent == merges;
        const bool apart = root || !same_height(height, d.merge, root ? d.merge : d.parent);
        const int above = d.top && !apart ? node[d.parent] : NONE;
        value = apart ? d.merge : above;
        return apart || d.top;
      },
      [&](int e, int value) { node[e] = value; });
}

// Marks of merges; the node above every large one; and how many large ones lie directly below a node.
template <class S>
__global__ void mark_merges(const int2 *children, const S *size, const int *node, i64 merges, S least, int *mark,
                            int *above, int *large, S *left) {
  const i64 e = thread_id();
  if (e >= merges) return;
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

// The nodes at which clusters begin, the root left out, with keys by which the last splits come first. Where just one
// large node lies below, its points stay in the cluster. total becomes the number of children; that of nodes in
// clusters is added to total[1].
template <class S>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_children(const S *size, i64 merges, const int *mark, const int *above, const int *large, S *left, u32 *key,
                  int *child, int *total, u64 *tiles, u32 epoch) {
  int inside = 0;
  compact(
      merges, tiles, epoch, total,
      [&](int, i64 e) {
        const bool in_cluster = mark[e] == GOES_ON;
        inside += in_cluster;
        if (!in_cluster || e == merges - 1) return false;
        const int at = above[e];
        if (large[at] == 1) left[at] = size[at] - size[e];
        return large[at] > 1;
      },
      [&](i64 e, bool kept, u32 rank) {
        if (!kept) return;
        key[rank] = (u32)(merges - 1 - above[e]);
        child[rank] = (int)e;
      });
  inside = __reduce_add_sync(FULL, inside);
  if (lane_id() == 0 && inside) atomicAdd(total + 1, inside);
}

// The numbers of clusters, in the order of the sorted keys, become the marks of the nodes at which they begin.
template <class S>
__global__ void number_children(const u32 *key, const int *child, const int *total, const S *size, i64 merges,
                                int *mark, int *born_at, S *points) {
  const i64 i = thread_id();
  if (i == 0) {
    born_at[0] = NONE;
    points[0] = size[merges - 1];
  }
  if (i >= *total) return;
  const int e = child[i];
  mark[e] = (int)i + 1;
  born_at[i + 1] = (int)(merges - 1 - key[i]);
  points[i + 1] = size[e];
}
