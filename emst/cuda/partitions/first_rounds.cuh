// What the edges of a partition bring along for the dendrogram while they become part of one list (first_rounds.cu).
#pragma once
#include "first_round.cuh"

// A point that was held back chooses the first of its edges. So that edges can be compared, each gets a number of 64
// bits. An edge that comes before another one has the smaller number. The upper 32 bits count the certain edges before
// it. The lower 32 bits are j for edge j of those that rounds have found, and all ones for a certain edge.
constexpr u64 NO_CHOICE = ~0ull;
__device__ inline u64 certain_choice(i64 place) { return (u64)place << 32 | 0xFFFFFFFF; }
__device__ inline u64 found_choice(i64 before, i64 j) { return (u64)before << 32 | (u32)j; }

// The round of one partition, whose components get numbers from `base` on among those of all.
struct SeenEdges {
  const u32 *seen;  // by certain edge; null if no round is kept
  const int2 *between;
  const Hooks *hooks;
  const u64 *choice;
  i64 base;
  const u32 *found;  // by edge that rounds have found: what the dendrogram sees of it
  const int *which;  // of those that are put in: which of them they are
  u32 *out_seen;     // null, too
  int2 *out_between;

  __device__ bool chooses(int p, i64 edge) const { return is_held(hooks, p) && choice[p] == certain_choice(edge); }

  // Writes what is seen of a certain edge. `places` are those of its two ends: first the end with the smaller row.
  __device__ void put(i64 edge, int2 places, i64 at) const {
    const u32 word = seen[edge], number = word & NUMBER;
    const u32 chosen = (chooses(places.x, edge) ? FIRST_CHOSE : 0) | (chooses(places.y, edge) ? SECOND_CHOSE : 0);
    if (word & LEFT) {
      const int2 of_ends = between[number];
      out_between[number] = make_int2((int)base + of_ends.x, (int)base + of_ends.y);
    }
    out_seen[at] = (word & ~NUMBER) | chosen | ((u32)base + number);
  }
};
