// One round's contraction, by vertices: for `merge`, and for launches that take several rounds.
#pragma once
#include "contract.cuh"
#include "runtime/order.cuh"

// Whether component c hooks onto another by its lightest edge. `above` is that component, or c if it stays a root.
__device__ inline bool hooks_onto(int c, const u64 *edge, const int *labels, int &above) {
  const u64 e = edge[c];
  const int label = e == NO_EDGE ? c : labels[e >> 32], other = label == c && e != NO_EDGE ? labels[(u32)e] : label;
  const bool mutual = edge[other] == e, hooks = e != NO_EDGE && !stays_root(c, other, [&] { return mutual; });
  above = hooks ? other : c;
  return hooks;
}

// Labels of EACH points become ancestors; whether all of them are roots. see(i, label) gets each new label.
template <class See>
__device__ bool relabel_points(i64 block, const int *parent, i64 n, int *labels, See see) {
  int old[EACH], above[EACH];
  bool arrived = true;
#pragma unroll
  for (int j = 0; j < EACH; j++) old[j] = point_of_thread(block, j) < n ? labels[point_of_thread(block, j)] : NONE;
#pragma unroll
  for (int j = 0; j < EACH; j++) above[j] = old[j] == NONE ? NONE : parent[old[j]];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    int at = old[j];
    arrived &= climb(parent, at, above[j]);
    if (at != old[j]) labels[point_of_thread(block, j)] = at;
    see(point_of_thread(block, j), at);
  }
  return arrived;
}
