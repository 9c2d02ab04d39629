// From the leaves of the condensed tree up, at any depth: each leaf has a thread that climbs until it comes to a split
// before its sibling does.
//
// A cluster passes up one word. Of two siblings, the first stores its word with their split and ends; the second finds
// it there and goes on. One atomic exchange does both, and no fence is needed, since nothing else has to be visible.
//
// A step waits for memory once. Large clusters from which small ones split off one by one are thousands of steps deep;
// so after AHEAD steps a warp takes over: it reads all that the next 32 steps need at once, and most siblings there
// have already stored their words. The steps themselves stay one after the other, since sums are rounded.
#pragma once
#include "hierarchy/density.cuh"

constexpr u64 NO_WORD = EMST_NO_WORD;  // a NaN, so no density or sum of them
constexpr int AHEAD = EMST_AHEAD;

__device__ inline u64 word_of(double v) { return (u64)__double_as_longlong(v); }
__device__ inline double number_in(u64 word) { return __longlong_as_double((i64)word); }

// If the sibling of cluster c has stored its word, returns that word. Otherwise stores the word of c, and returns
// NO_WORD.
__device__ inline u64 meet(u64 *words, int c, u64 mine) { return atomicExch(words + (c - 1) / 2, mine); }

// Computes the word of a cluster from the words of its two children, which are c and the sibling of c.
template <class Merge>
__device__ u64 joined(int above, double seen, int c, u64 mine, u64 other, Merge merge) {
  return merge(above, seen, (c - 1) / 2, c % 2 ? mine : other, c % 2 ? other : mine);
}

// At most AHEAD steps of a thread; false if it has ended.
template <class Look, class Merge>
__device__ bool climb_alone(const int *parent, int &c, u64 &mine, u64 *words, Look look, Merge merge) {
  int above = parent[c];
  for (int hop = 0; hop < AHEAD && above >= 0; hop++) {
    const int further = parent[above];
    const double seen = look(above);
    const u64 other = meet(words, c, mine);
    if (other == NO_WORD) return false;
    mine = joined(above, seen, c, mine, other, merge);
    c = above;
    above = further;
  }
  return above >= 0;
}

// What a lane knows of an ancestor, one of 32 in a row.
struct Ancestor {
  int cluster, far;
  double seen;
  u64 word;  // of the sibling of the one before, if that has come already
};

// All further steps from c, by a warp. far[a] is the AHEAD-th ancestor of a. While 32 steps are made, the next are
// read.
template <class Look, class Merge>
__device__ void climb_together(const int *parent, const int *far, int c, u64 mine, u64 *words, Look look, Merge merge) {
  const auto read = [&](int cluster, int before_first) {
    int before = __shfl_up_sync(FULL, cluster, 1);
    if (lane_id() == 0) before = before_first;
    if (cluster < 0) return Ancestor{NONE, NONE, 0.0, NO_WORD};
    return Ancestor{cluster, far[cluster], look(cluster), *(const volatile u64 *)(words + (before - 1) / 2)};
  };
  int first = parent[c];
  for (int hop = 0; hop < (int)lane_id() && first >= 0; hop++) first = parent[first];
  Ancestor own = read(first, c);
  for (;;) {
    const Ancestor later = read(own.far, __shfl_sync(FULL, own.cluster, AHEAD - 1));
    const auto step = [&](int lane, u64 other) {
      const int at = __shfl_sync(FULL, own.cluster, lane);
      mine = joined(at, __shfl_sync(FULL, own.seen, lane), c, mine, other, merge);
      c = at;
    };
    if (__all_sync(FULL, own.word != NO_WORD)) {
#pragma unroll 8
      for (int lane = 0; lane < AHEAD; lane++) step(lane, __shfl_sync(FULL, own.word, lane));
    } else {
      for (int lane = 0; lane < AHEAD; lane++) {
        if (__shfl_sync(FULL, own.cluster, lane) < 0) return;
        u64 other = __shfl_sync(FULL, own.word, lane);
        if (other == NO_WORD) {
          if (lane_id() == 0) other = meet(words, c, mine);
          other = __shfl_sync(FULL, other, 0);
          if (other == NO_WORD) return;
        }
        step(lane, other);
      }
    }
    own = later;
  }
}

// look(c) reads data of a cluster while its children's words are on their way. at_leaf(c) returns the word of a leaf;
// merge(parent, what look(parent) returned, split, word of child 2 s + 1, word of child 2 s + 2) that of the parent; a
// warp calls it with all lanes. Before the climb, words is NO_WORD for every split. All threads of a block must call.
template <class Look, class AtLeaf, class Merge>
__device__ void climb(i64 clusters, const int *parent, const int *far, const int *split, u64 *words, Look look,
                      AtLeaf at_leaf, Merge merge) {
  int c = (int)thread_id();
  const bool leaf = thread_id() < clusters && split[c] < 0;
  u64 mine = leaf ? at_leaf(c) : 0;
  const bool on = leaf && climb_alone(parent, c, mine, words, look, merge);
  for (u32 left = __ballot_sync(FULL, on); left; left &= left - 1) {
    const int lane = __ffs(left) - 1;
    climb_together(parent, far, __shfl_sync(FULL, c, lane), __shfl_sync(FULL, mine, lane), words, look, merge);
  }
}
