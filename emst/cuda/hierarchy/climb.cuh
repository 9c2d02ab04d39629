// From the leaves of the condensed tree up, at any depth: a thread a leaf climbs, and stops at every split that its
// sibling has not reached yet.
//
// What a cluster passes up is one word. Of two siblings the first leaves it with their split, the second finds it there
// and goes on: one exchange, and no fence, for nothing else has to be visible.
#pragma once
#include "hierarchy/density.cuh"

constexpr u64 NO_WORD = EMST_NO_WORD;  // a NaN, so no density or sum of them

__device__ inline u64 word_of(double v) { return (u64)__double_as_longlong(v); }
__device__ inline double number_in(u64 word) { return __longlong_as_double((i64)word); }

// look(c) reads what is known of a cluster, before its children's words are waited for: steps cost one trip to memory.
// at_leaf(c) gives the word of a leaf, merge(parent, what was seen there, split, word of child 2 s + 1, of child 2 s +
// 2) that of its parent. words is NO_WORD for every split.
template <class Look, class AtLeaf, class Merge>
__device__ void climb(i64 clusters, const int *parent, const int *split, u64 *words, Look look, AtLeaf at_leaf,
                      Merge merge) {
  i64 leaf = thread_id();
  if (leaf >= clusters || split[leaf] >= 0) return;
  u64 mine = at_leaf((int)leaf);
  int c = (int)leaf, above = parent[c];
  while (c > 0) {
    const int s = (c - 1) / 2, further = parent[above];
    const auto seen = look(above);
    const u64 other = atomicExch(words + s, mine);
    if (other == NO_WORD) return;
    mine = c % 2 ? merge(above, seen, s, mine, other) : merge(above, seen, s, other, mine);
    c = above;
    above = further;
  }
}
