// Steps from nodes to the condensed tree: in which cluster each merge lies, and what is known of a cluster from its
// members, the nodes in it.
#pragma once
#include "hierarchy/density.cuh"
#include "hierarchy/descent.cuh"
#include "hierarchy/marks.cuh"

constexpr int PIECE = EMST_PIECE;  // terms that one warp adds; the order of additions is the same on the CPU

// What place[e] holds for a merge e:
//     a node in a cluster         the number of that cluster
//     another merge in a cluster  ~(its node)
//     a merge in no cluster       ~(the node at which its points have left their cluster)
struct Places {
  const int *node;
  i64 merges;
  const int *mark;
  int *place;
  __device__ bool begins(Descendant d, int &value) const {
    const bool root = d.parent == merges;  // cluster 0
    const int parent = root ? d.merge : d.parent, of_merge = mark[d.merge], of_parent = mark[parent];
    const bool leaves = of_merge == SMALL && of_parent != SMALL, begins = of_merge > GOES_ON;
    const int at = node[leaves ? parent : 0];
    const bool inherits = d.top && !root;
    int above = (inherits ? place : node)[inherits ? parent : 0];  // place[0] may not have been written
    if (inherits && of_parent == INNER) above = place[~above];
    if (d.top) value = above;
    if (leaves) value = ~at;
    if (begins) value = of_merge;
    if (root) value = 0;
    return root || begins || leaves || d.top;
  }
  __device__ void put(int e, int value) const { place[e] = mark[e] == INNER ? ~node[e] : value; }
};

// Of the nodes that lie in a cluster, ascending: the node, and its cluster as a key to sort by.
__device__ inline void put_member(i64 e, bool kept, u32 rank, const int *of_merge, u32 *key, int *member) {
  if (!kept) return;
  key[rank] = (u32)of_merge[e];
  member[rank] = (int)e;
}

// What follows from the node at which a cluster splits off. Siblings follow one another; children has been set to 0.
template <class T>
__device__ void describe_cluster(i64 c, i64 clusters, const int *born_at, const int *of_merge, const T *height,
                                 int *parent, int2 *children, double *birth) {
  if (c == 0) {
    parent[0] = NONE;
    birth[0] = 0;
    return;
  }
  const int e = born_at[c], p = of_merge[e];
  parent[c] = p;
  birth[c] = density(height[e]);
  if (born_at[c - 1] != e) children[p].x = (int)c;
  if (c == clusters - 1 || born_at[c + 1] != e) children[p].y = (int)c + 1;
}

// The i-th cluster; and of the i-th member, if its cluster's members begin there, start[c], start[clusters] too; and
// its term: (points that leave at the node) * (its lambda - the cluster's birth). Equal lambdas give 0, infinite ones
// too. There is a member for every cluster.
template <class T, class S>
__device__ void describe_one(i64 i, i64 clusters, const int *born_at, const int *of_merge, const T *height, int *parent,
                             int2 *children, double *birth, const u32 *key, const int *member, i64 members,
                             const S *leavers, int *start, double *term) {
  if (i < clusters) describe_cluster(i, clusters, born_at, of_merge, height, parent, children, birth);
  const int e = member[i], c = (int)key[i];
  if (i == 0) start[clusters] = (int)members;
  if (i == 0 || (int)key[i - 1] != c) start[c] = (int)i;
  const double lambda = density(height[e]), born = c ? density(height[born_at[c]]) : 0.0;
  term[i] = lambda == born ? 0.0 : mul((double)leavers[e], add(lambda, -born));
}

// Sum of up to PIECE terms by a warp: every 32nd by each lane, then a butterfly over the lanes.
__device__ inline double piece_sum(const double *term, i64 count) {
  double sum = 0;
  for (i64 i = lane_id(); i < count; i += 32) sum = add(sum, term[i]);
  for (int step = 16; step > 0; step /= 2) sum = add(sum, __shfl_xor_sync(FULL, sum, step));
  return sum;
}

__device__ inline bool is_long(const int *start, i64 c) { return start[c + 1] - start[c] > PIECE; }

// A cluster that is not long, by a warp; death is the lambda of the least member.
template <class T>
__device__ void sum_by_warp(i64 c, const int *start, const int *member, const double *term, const T *height,
                            double *death, double *stability) {
  const int first = start[c], count = start[c + 1] - first;
  const double sum = piece_sum(term + first, count);
  if (lane_id()) return;
  stability[c] = sum;
  death[c] = density(height[member[first]]);
}

// A cluster by a block of PIECE threads: sums of pieces of PIECE terms, then of pieces of these sums, until one is
// left. The sums overwrite the first terms: a batch of pieces has been read before its sums are written, and these end
// before the terms of the next batch.
template <class T>
__device__ void sum_by_block(int c, const int *start, const int *member, double *term, const T *height, double *death,
                             double *stability) {
  const int first = start[c], warp = threadIdx.x / 32;
  double *terms = term + first;
  i64 count = start[c + 1] - first;
  while (count > 1) {
    const i64 pieces = (count + PIECE - 1) / PIECE;
    for (i64 batch = 0; batch < pieces; batch += PIECE / 32) {
      const i64 piece = batch + warp, begin = piece * PIECE;
      double sum = piece < pieces ? piece_sum(terms + begin, minimum((i64)PIECE, count - begin)) : 0.0;
      __syncthreads();
      if (piece < pieces && lane_id() == 0) terms[piece] = sum;
      __syncthreads();
    }
    count = pieces;
  }
  if (threadIdx.x == 0) {
    stability[c] = terms[0];
    death[c] = density(height[member[first]]);
  }
}
