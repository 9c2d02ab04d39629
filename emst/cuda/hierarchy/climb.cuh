// From the leaves of the condensed tree up, at any depth: each leaf has a thread that climbs until it comes to a split
// before its sibling does.
//
// A cluster passes up one word. Of two siblings, the first stores its word with their split and ends; the second finds
// it there and goes on. One atomic exchange does both, and no fence is needed, since nothing else has to be visible.
#pragma once
#include "hierarchy/density.cuh"

constexpr u64 NO_WORD = EMST_NO_WORD;  // a NaN, so no density or sum of them

__device__ inline u64 word_of(double v) { return (u64)__double_as_longlong(v); }
__device__ inline double number_in(u64 word) { return __longlong_as_double((i64)word); }

// look(c) reads data of a cluster while its children's words are on their way, so that a step waits for memory once.
// at_leaf(c) returns the word of a leaf; merge(parent, what look(parent) returned, split, word of child 2 s + 1, word
// of child 2 s + 2) that of the parent. Before the climb, words is NO_WORD for every split.
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
