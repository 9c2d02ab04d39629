// Steps from merges to nodes, and to the numbers of the clusters that begin at them. Merges are named by links
// (chains.py).
#pragma once
#include "hierarchy/density.cuh"
#include "hierarchy/descent.cuh"
#include "hierarchy/marks.cuh"

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

// The nodes at which clusters begin, but for the root. In the order of their keys the last splits come first, and the
// clusters of one split by their ranks. A key is two numbers of `bits` bits. Where just one large node lies below, its
// points stay in the cluster.
template <class S>
struct Children {
  const int *ranks;
  const S *size;
  i64 merges;
  int bits;
  const int *mark, *above, *large;
  S *left;
  u64 *key;
  int *child;
  __device__ bool is_inside(i64 e) const { return mark[e] == GOES_ON; }  // a cluster
  __device__ bool begins(i64 e) const {
    if (!is_inside(e) || e == merges - 1) return false;
    const int at = above[e];
    if (large[at] == 1) left[at] = size[at] - size[e];
    return large[at] > 1;
  }
  __device__ void put(i64 e, u32 rank) const {
    key[rank] = (u64)(merges - 1 - ranks[above[e]]) << bits | (u32)ranks[e];
    child[rank] = (int)e;
  }
};

// The first cluster is the root's.
template <class S>
__device__ void number_root(const S *size, i64 merges, int *born_at, S *points) {
  born_at[0] = NONE;
  points[0] = size[merges - 1];
}

// The numbers of clusters, in the order of the sorted keys, become the marks of the nodes at which they begin.
template <class S>
__device__ void number_child(i64 rank, int e, const int *above, const S *size, int *mark, int *born_at, S *points) {
  mark[e] = (int)rank + 1;
  born_at[rank + 1] = above[e];
  points[rank + 1] = size[e];
}

// The i-th of few clusters whose keys are in no order, by a warp.
template <class S>
__device__ void rank_child(i64 i, const u64 *key, const int *child, int count, const int *above, const S *size,
                           int *mark, int *born_at, S *points) {
  const u32 rank = rank_of_key(key, count, i);
  if (lane_id() == 0) number_child(rank, child[i], above, size, mark, born_at, points);
}
