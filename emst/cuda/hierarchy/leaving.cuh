// The clusters that points leave, and when. Merges are named by links (chains.py).
#pragma once
#include "runtime/exact.cuh"

// The cluster that a point leaves, and the height at which it does.
template <class T>
struct __align__(2 * sizeof(T)) Leaving {
  int cluster;
  T height;
};

// put(p, cluster, value) for the points below EACH merges, `step` apart: the clusters that they leave, and value(node)
// of the nodes at which they do.
template <class Value, class Put>
__device__ void leave_from(i64 first, int step, const int2 *children, i64 merges, const int *place, Value value,
                           Put put) {
  int2 below[EACH];
  int at[EACH], cluster[EACH];
  decltype(value(0)) of_node[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    at[j] = (int)minimum(first + j * step, merges - 1);
    below[j] = children[at[j]];
    cluster[j] = place[at[j]];
  }
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    if (cluster[j] < 0) at[j] = ~cluster[j];
    cluster[j] = place[at[j]];
    of_node[j] = value(at[j]);
  }
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    if (first + j * step >= merges) return;
    for (int x : {below[j].x, below[j].y})
      if (x < 0) put(x + merges + 1, cluster[j], of_node[j]);
  }
}

template <class T>
__device__ void leave_at_heights(i64 first, int step, const int2 *children, i64 merges, const int *place,
                                 const T *height, Leaving<T> *leaving) {
  leave_from(
      first, step, children, merges, place, [&](int node) { return height[node]; },
      [&](i64 p, int cluster, T of_node) { leaving[p] = {cluster, of_node}; });
}
