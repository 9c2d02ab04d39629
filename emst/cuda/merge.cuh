// Which component hooks onto which: for `merge`, and for launches that take several rounds.
#pragma once
#include "contract.cuh"
#include "runtime/order.cuh"

// The component at the other end of the lightest edge of component c, or c if it has none; `mutual` says whether the
// edge is the lightest of both.
__device__ inline int beyond(int c, const u64 *edge, const int *labels, bool &mutual) {
  const u64 e = edge[c];
  const int label = e == NO_EDGE ? c : labels[e >> 32], other = label == c && e != NO_EDGE ? labels[(u32)e] : label;
  mutual = edge[other] == e;
  return other;
}

// Whether component c hooks onto another by its lightest edge. `above` is that component, or c if it stays a root.
__device__ inline bool hooks_onto(int c, const u64 *edge, const int *labels, int &above) {
  bool mutual;
  const int other = beyond(c, edge, labels, mutual);
  const bool hooks = edge[c] != NO_EDGE && !stays_root(c, other, [&] { return mutual; });
  above = hooks ? other : c;
  return hooks;
}
