// From the leaves of the condensed tree up, at any depth: each leaf has a thread that climbs until it comes to a split
// before one of its siblings does.
//
// A cluster passes up one word. Most splits have two children: the first of them to come stores its word and ends; the
// second finds it there and goes on. One atomic exchange does both, and no fence is needed, since nothing else has to
// be visible. Of more children all store their words and are counted; the last one reads all words, by a warp.
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

// The clusters as the climb sees them.
struct Climbed {
  i64 count;
  const int *parent, *far;  // far[a] is the AHEAD-th ancestor of a
  const int2 *children;     // the first child, and the one after the last
  u64 *words;               // two for each cluster, NO_WORD before the climb

  // Where the children of a cluster meet: the word of the first that has come or, of more than two, their number.
  __device__ u64 *meeting(int above) const { return words + above; }
  __device__ volatile u64 *word(int c) const { return words + count + c; }
};

__device__ inline bool is_pair(int2 children) { return children.y - children.x == 2; }

// If the other of two children has stored its word, returns that word. Otherwise stores this one, and returns NO_WORD.
__device__ inline u64 meet(const Climbed &t, int above, u64 mine) { return atomicExch(t.meeting(above), mine); }

// Whether all other children have come, from what stood at the meeting place.
__device__ inline bool others_came(int2 children, u64 met) {
  return is_pair(children) ? met != NO_WORD : met == (u64)(children.y - children.x - 2);
}

// Whether c is the last of more than two children; the words of all can be read then. By a warp.
__device__ inline bool is_last(const Climbed &t, int above, int2 children, int c, u64 mine, u64 met) {
  if (lane_id() == 0) {
    *t.word(c) = mine;
    if (!others_came(children, met)) {
      __threadfence();
      met = atomicAdd(t.meeting(above), 1ull);
    }
    __threadfence();
  }
  met = __shfl_sync(FULL, met, 0);
  __syncwarp();  // what lane 0 has waited for, all lanes may read
  return others_came(children, met);
}

// The word of a cluster from those of its two children, c and another.
template <class Step>
__device__ u64 joined(int above, double seen, int2 children, int c, u64 mine, u64 other, Step step) {
  const bool first = c == children.x;
  return step.pair(above, seen, children.x, first ? mine : other, first ? other : mine);
}

// At most AHEAD steps of a thread, to a split into more than two at most; false if it has ended.
template <class Step>
__device__ bool climb_alone(const Climbed &t, int &c, u64 &mine, Step step) {
  int above = t.parent[c];
  if (above < 0) return false;
  int further = t.parent[above];
  int2 children = t.children[above];
  for (int hop = 0; hop < AHEAD && is_pair(children); hop++) {
    const int next = maximum(further, 0), beyond = t.parent[next];  // all loads begin before the first is used
    const int2 children_there = t.children[next];
    const double seen = step.look(above);
    const u64 other = meet(t, above, mine);
    if (other == NO_WORD) return false;
    mine = joined(above, seen, children, c, mine, other, step);
    if (further < 0) return false;
    c = above;
    above = further;
    further = beyond;
    children = children_there;
  }
  return true;
}

// What a lane has read of an ancestor, one of 32 in a row.
struct Ancestor {
  int cluster, far;
  int2 children;
  double seen;
  u64 met;  // what stood at its meeting place
};

template <class Step>
__device__ Ancestor ancestor(const Climbed &t, int cluster, Step step) {
  if (cluster < 0) return Ancestor{NONE, NONE, make_int2(0, 0), 0.0, NO_WORD};
  const u64 met = *(const volatile u64 *)t.meeting(cluster);  // all loads begin before the first is used
  const int far = t.far[cluster];
  const int2 children = t.children[cluster];
  return Ancestor{cluster, far, children, step.look(cluster), met};
}

// One step by a warp to an ancestor; all lanes have its data. False if the climb has ended.
template <class Step>
__device__ bool step_up(const Climbed &t, int above, int2 children, double seen, u64 met, int &c, u64 &mine,
                        Step step) {
  if (is_pair(children)) {
    if (met == NO_WORD) {
      if (lane_id() == 0) met = meet(t, above, mine);
      met = __shfl_sync(FULL, met, 0);
      if (met == NO_WORD) return false;
    }
    mine = joined(above, seen, children, c, mine, met, step);
  } else {
    if (!is_last(t, above, children, c, mine, met)) return false;
    mine = step.many(above, seen, children, t.word(children.x));
  }
  c = above;
  return true;
}

// All further steps from c, by a warp. While 32 steps are made, the next are read.
template <class Step>
__device__ void climb_together(const Climbed &t, int c, u64 mine, Step step) {
  int first = t.parent[c];
  for (int hop = 0; hop < (int)lane_id() && first >= 0; hop++) first = t.parent[first];
  Ancestor here = ancestor(t, first, step);
  for (;;) {
    const Ancestor later = ancestor(t, here.far, step);
    if (__all_sync(FULL, is_pair(here.children) && here.met != NO_WORD)) {  // nothing ends here
#pragma unroll 8
      for (int lane = 0; lane < AHEAD; lane++) {
        const int above = __shfl_sync(FULL, here.cluster, lane);
        const int2 pair = make_int2(__shfl_sync(FULL, here.children.x, lane), 0);
        mine =
            joined(above, __shfl_sync(FULL, here.seen, lane), pair, c, mine, __shfl_sync(FULL, here.met, lane), step);
        c = above;
      }
    } else {
      for (int lane = 0; lane < AHEAD; lane++) {
        const int above = __shfl_sync(FULL, here.cluster, lane);
        const int2 children =
            make_int2(__shfl_sync(FULL, here.children.x, lane), __shfl_sync(FULL, here.children.y, lane));
        const double seen = __shfl_sync(FULL, here.seen, lane);
        const u64 met = __shfl_sync(FULL, here.met, lane);
        if (above < 0 || !step_up(t, above, children, seen, met, c, mine, step)) return;
      }
    }
    here = later;
  }
}

// A Step has four members. look(c) reads data of a cluster while its children's words are on their way. leaf(c) returns
// the word of a leaf. The word of any other cluster is returned by pair(c, what look(c) returned, first child, word of
// the first, word of the second), which a warp calls with all lanes, or by many(c, what look(c) returned, children,
// their words), which is only called by a warp.
//
// climb_from(t, i, step) begins at cluster i if that is a leaf; all lanes of a warp must call, with clusters in a row.
template <class Step>
__device__ void climb_from(const Climbed &t, i64 i, Step step) {
  int c = (int)i;
  const bool is_leaf = i < t.count && t.children[c].y == 0;
  u64 mine = is_leaf ? step.leaf(c) : 0;
  const bool on = is_leaf && climb_alone(t, c, mine, step);
  for (u32 left = __ballot_sync(FULL, on); left; left &= left - 1) {
    const int lane = __ffs(left) - 1;
    climb_together(t, __shfl_sync(FULL, c, lane), __shfl_sync(FULL, mine, lane), step);
  }
}

// From all clusters, by a thread each.
template <class Step>
__device__ void climb(const Climbed &t, Step step) {
  climb_from(t, thread_id(), step);
}
