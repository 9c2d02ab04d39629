// Which clusters of the condensed tree lie within which, and the smallest one that holds two.
#include "runtime/grid.cuh"

constexpr int FARTHER = EMST_FARTHER;

// The parent of every cluster, that of the root being itself, and the first number of the cluster, counted from that of
// its parent. `upto` is the sum of the sizes of all clusters up to each.
template <class S>
__global__ void begin_nesting(i64 clusters, const int *parent, const int2 *children, const S *size, const i64 *upto,
                              int *above, i64 *begin) {
  const i64 c = thread_id();
  if (c >= clusters) return;
  const int p = c == 0 ? 0 : parent[c];
  const int first = children[p].x;
  above[c] = p;
  begin[c] = c == 0 ? 0 : 1 + 2 * ((upto[c] - size[c]) - (upto[first] - size[first])) - (c - first);
}

// Pointers that are FARTHER times as long, and first numbers that are counted from those of the clusters there.
__global__ void lengthen_nesting(i64 clusters, const int *above, const i64 *begin, int *farther, i64 *longer) {
  const i64 c = thread_id();
  if (c >= clusters) return;
  int at = (int)c;
  i64 sum = 0;
  for (int hop = 0; hop < FARTHER && at > 0; hop++) {
    sum += begin[at];
    at = above[at];
  }
  farther[c] = at;
  longer[c] = sum;
}

template <class S>
__global__ void end_nesting(i64 clusters, const S *size, const i64 *begin, i64 *end) {
  const i64 c = thread_id();
  if (c < clusters) end[c] = begin[c] + 2 * (i64)size[c] - 1;
}

__global__ void common_clusters(i64 pairs, i64 clusters, const i64 *begin, const i64 *end, const int *ancestors,
                                int rows, const int *cluster, const int *other, int *common) {
  const i64 i = thread_id();
  if (i >= pairs) return;
  int at = cluster[i];
  const i64 number = begin[other[i]];
  const auto holds = [&](int c) { return begin[c] <= number && number < end[c]; };
  if (!holds(at)) {
    for (int row = rows - 1; row >= 0; row--) {
      const int *above = ancestors + row * clusters;
      for (int next = above[at]; !holds(next); next = above[at]) at = next;
    }
    at = ancestors[at];
  }
  common[i] = at;
}
