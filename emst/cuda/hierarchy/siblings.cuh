// How the children of a cluster pass up their words, and which of them climbs on (climb.cuh).
//
// A cluster passes up one word. Most splits have two children: the first of them to come stores its word and ends; the
// second finds it there and goes on. One atomic exchange does both, and no fence is needed, since nothing else has to
// be visible. At a split into more, every child has a warp of its own. If there are few children, each looks for the
// words of all others; if there are many, they are counted. The last one goes on.
#pragma once
#include "hierarchy/density.cuh"

constexpr u64 NO_WORD = EMST_NO_WORD;  // a NaN, so no density or sum of them

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
  __device__ u64 at(int i) const { return i == own ? mine : (u64)words[i]; }
  __device__ u64 operator[](int i) const { return i < 32 ? first : at(i); }
};

// Whether c is the last of more than two children, whose words are known then. By a warp.
//
// Exactly one child goes on. A child that finds the words of all others goes on. It stores no word and is not counted,
// so no other child can find all words, or be counted as the last one. If no child finds all words, all are counted,
// and the last one goes on. The fences make the words of the others visible to it.
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

constexpr int FEW_CHILDREN = 4;  // of so many at most, a lane reads the words ahead

// The words of two to FEW_CHILDREN children: of the one that climbs, and of the others in ascending order, then zeros.
struct Few {
  int first, count, own;  // own: which of them climbs
  u64 mine, others[FEW_CHILDREN - 1];
  __device__ u64 word(int i) const {
    if (i == own) return mine;
    return i - (i > own) == 0 ? others[0] : i - (i > own) == 1 ? others[1] : others[2];
  }
};

// The greatest of `least` and the numbers of the others, whatever their signs.
__device__ inline double greatest_of(double least, Few few) {
  for (const u64 word : few.others) least = fmax(least, fabs(number_in(word)));
  return least;
}

__device__ inline Few pair_of(int2 children, int c, u64 mine, u64 other) {
  return {children.x, 2, c - children.x, mine, {other, 0, 0}};
}
