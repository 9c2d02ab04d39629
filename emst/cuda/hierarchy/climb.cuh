// From the leaves of the condensed tree up, at any depth: each leaf has a thread that climbs until it comes to a split
// before one of its siblings does.
//
// A cluster passes up one word. Most splits have two children: the first of them to come stores its word and ends; the
// second finds it there and goes on. One atomic exchange does both, and no fence is needed, since nothing else has to
// be visible. At a split into more, every child has a warp of its own. If there are few children, each looks for the
// words of all others; if there are many, they are counted. The last one goes on.
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

// The words of more than two children, of which one climbs: its own need not be stored. By a warp; lane l asks for the
// words of the children l, l + 32, ... only.
struct Words {
  const volatile u64 *words;
  int count, own;
  u64 mine, first;  // first: that of child l, 0 if there is none

  __device__ Words(const Climbed &t, int2 children, int c, u64 mine)
      : words(t.word(children.x)), count(children.y - children.x), own(c - children.x), mine(mine) {
    read();
  }
  __device__ void read() { first = (int)lane_id() < count ? at(lane_id()) : 0; }
  __device__ u64 at(int i) const { return i == own ? mine : words[i]; }
  __device__ u64 operator[](int i) const { return i < 32 ? first : at(i); }
};

// Whether c is the last of more than two children, whose words are known then. By a warp.
//
// Exactly one child goes on. If a child finds the words of all others, it goes on, stores no word and is not counted.
// Then no other child can find all words, and for none have all others been counted. If no child finds them, all are
// counted, and the last one goes on. The fences make the words of the others visible to it.
//
// k children that look for all words read k * k of them. So they look only if they are 32 or fewer.
__device__ inline bool is_last(const Climbed &t, int above, int c, Words &words) {
  if (words.count <= 32 && __all_sync(FULL, words.first != NO_WORD)) return true;
  u64 met = 0;
  if (lane_id() == 0) {
    *t.word(c) = words.mine;
    __threadfence();
    met = atomicAdd(t.meeting(above), 1ull);
    __threadfence();
  }
  met = __shfl_sync(FULL, met, 0);
  __syncwarp();  // what lane 0 has waited for, all lanes may read
  if (met != NO_WORD + (u64)(words.count - 1)) return false;
  words.read();
  return true;
}

// The words of two children: of the one that climbs, and of the other.
struct Pair {
  int first;    // child
  bool second;  // whether the one that climbs is the second child
  u64 mine, other;
  __device__ u64 of_first() const { return second ? other : mine; }
  __device__ u64 of_second() const { return second ? mine : other; }
};

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
    const auto look = step.look(above);
    const u64 other = meet(t, above, mine);
    if (other == NO_WORD) return false;
    const double seen = step.seen(above, look);
    const Pair pair{children.x, c != children.x, mine, other};
    mine = step.join(seen, pair);
    step.keep(above, seen, pair, mine);
    if (further < 0) return false;
    c = above;
    above = further;
    further = beyond;
    children = children_there;
  }
  return true;
}

// What a lane has read of an ancestor, one of 32 in a row.
template <class Look>
struct Ancestor {
  int cluster, far;  // NONE above the root
  int2 children;
  Look look;
  u64 met;  // what stood at its meeting place
};

// Nothing that is read is used here: the warp goes on with the steps before it. Above the root, that of the root is
// read.
template <class Step>
__device__ auto ancestor(const Climbed &t, int cluster, Step step) -> Ancestor<decltype(step.look(0))> {
  const int at = maximum(cluster, 0);
  return {cluster, t.far[at], t.children[at], step.look(at), *(const volatile u64 *)t.meeting(at)};
}

// What a step to an ancestor needs. Steps read it from shared memory: all lanes of a warp would have to meet to
// exchange registers, which takes longer than a step.
struct Ahead {
  double seen;
  u64 met;
  int2 children;
  int cluster, child;  // the one that the climb comes from
  __device__ Pair pair(u64 mine) const { return {children.x, child != children.x, mine, met}; }
};

// One step by a warp to an ancestor at which the climb may end. False if it has ended. `met` becomes the word of the
// other of two children.
template <class Step>
__device__ bool step_up(const Climbed &t, Ahead ahead, u64 &met, u64 &mine, Step step) {
  if (ahead.cluster < 0) return false;
  if (is_pair(ahead.children)) {
    if (lane_id() == 0) met = meet(t, ahead.cluster, mine);
    ahead.met = met = __shfl_sync(FULL, met, 0);
    if (met == NO_WORD) return false;
    mine = step.join(ahead.seen, ahead.pair(mine));
  } else {
    Words words(t, ahead.children, ahead.child, mine);
    if (!is_last(t, ahead.cluster, ahead.child, words)) return false;
    mine = step.many(ahead.cluster, ahead.seen, ahead.children.x, words);
  }
  return true;
}

// All further steps from c, by one of WARPS warps of a block. While 32 steps are made, the next are read. The steps
// follow one another without a wait for siblings whose words are known: what such steps store, their lanes store
// together afterwards.
template <int WARPS, class Step>
__device__ void climb_together(const Climbed &t, int c, u64 mine, Step step) {
  __shared__ Ahead of_warps[WARPS][AHEAD];
  Ahead *const ahead = of_warps[threadIdx.x / 32];
  const int own = (int)lane_id();
  int first = t.parent[c];
  for (int hop = 0; hop < own && first >= 0; hop++) first = t.parent[first];
  auto here = ancestor(t, first, step);
  for (;;) {
    const auto later = ancestor(t, here.far, step);
    const int below = __shfl_up_sync(FULL, here.cluster, 1);
    Ahead at = {step.seen(here.cluster, here.look), here.met, here.children, here.cluster, own ? below : c};
    const u32 unknown = __ballot_sync(FULL, at.cluster < 0 || !is_pair(at.children) || at.met == NO_WORD);
    ahead[own] = at;
    __syncwarp();
    u64 came = 0;  // the word of the child
    int lane = 0;
    for (;;) {
      const u32 left = lane < AHEAD ? unknown >> lane : 0;
      const int stop = left ? lane + __ffs(left) - 1 : AHEAD;
#pragma unroll 4
      for (; lane < stop; lane++) {
        if (own == lane) came = mine;
        mine = step.join(ahead[lane].seen, ahead[lane].pair(mine));
      }
      if (stop == AHEAD) break;
      if (own == stop) came = mine;
      u64 met = NO_WORD;
      if (!step_up(t, ahead[stop], met, mine, step)) break;
      if (own == stop) at.met = met;
      lane = stop + 1;
    }
    const u64 next = __shfl_down_sync(FULL, came, 1), word = own == lane - 1 ? mine : next;
    if (own < lane && is_pair(at.children)) step.keep(at.cluster, at.seen, at.pair(came), word);
    c = ahead[AHEAD - 1].cluster;
    __syncwarp();  // all lanes have read what the next steps, or the next climb, overwrite
    if (lane < AHEAD) return;
    here = later;
  }
}

// A Step has six members:
//
//     look(c)                       reads data of a cluster, while the words of its children are on their way
//     seen(c, look)                 makes a number of what look(c) has read
//     leaf(c)                       returns the word of a leaf
//     join(seen, pair)              returns the word of a cluster with two children
//     keep(c, seen, pair, word)     stores what follows from that word
//     many(c, seen, first, words)   does both for a cluster with more children, by a warp
//
// climb_from(t, i, step) begins at cluster i if that is a leaf; all lanes of a warp must call, with clusters in a row.
template <int WARPS, class Step>
__device__ void climb_from(const Climbed &t, i64 i, Step step) {
  int c = (int)i;
  const bool is_leaf = i < t.count && t.children[c].y == 0;
  u64 mine = is_leaf ? step.leaf(c) : 0;
  const bool on = is_leaf && climb_alone(t, c, mine, step);
  for (u32 left = __ballot_sync(FULL, on); left; left &= left - 1) {
    const int lane = __ffs(left) - 1;
    climb_together<WARPS>(t, __shfl_sync(FULL, c, lane), __shfl_sync(FULL, mine, lane), step);
  }
}

// From all clusters, by a thread each.
template <class Step>
__device__ void climb(const Climbed &t, Step step) {
  climb_from<EMST_BLOCK / 32>(t, thread_id(), step);
}
