// Which component hooks onto which: for `merge`, and for launches that take several rounds.
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
