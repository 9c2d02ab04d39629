// The rule that contracts, once for all of the GPU: `merge`, the rounds of graph/ and those of hierarchy/linkage.cu
// include it.
//
// Every component hooks onto the component at the other end of its lightest edge. Under a strict total order on
// edges the only cycles are mutual pairs, of which the smaller stays the root: no compare-and-swap is needed. Roots
// point to themselves. Any parent that a thread reads is an ancestor, whoever shortened the path before.
#pragma once

constexpr int HOPS = 64;  // of one climb: chains are short as a rule, longer ones take further passes

// Whether component c, whose lightest edge leads to `other`, stays a root; `mutual()` tells whether that edge is the
// lightest of `other` as well.
template <class Mutual>
__device__ bool stays_root(int c, int other, Mutual mutual) {
  return c < other && mutual();
}

// From `top`, the parent of `at`, at most HOPS further up; true if `at` has become a root.
__device__ inline bool climb(const int *parent, int &at, int top) {
  for (int hop = 0; top != at && hop < HOPS; hop++) {
    at = top;
    top = parent[at];
  }
  return top == at;
}
