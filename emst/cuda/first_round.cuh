// What Borůvka's first round has made of the points of a forest, for the dendrogram, in whose first round every point
// chooses the same edge.
//
// A point hooks onto the point at the other end, and its slot holds the edge; or it is the smaller end of an edge that
// both ends have chosen, and is a root. A run of equal points, which are neighbours on the curve, is a star around its
// head, the first of them, before the round. Each of the others has chosen its edge to the head. The head has chosen
// the edge to the first of these. If an equal point comes before the run on the curve, it has chosen the edge to the
// first such point. If the power of a distance between points that are not equal is rounded to 0, `apart` is set, and
// the dendrogram takes its first round itself.
//
// In a partition, a point is held back if another partition may hold a lighter edge of it (partitions/certain.py). It
// has not chosen, and neither has the head of a run that is held back. partitions/first_rounds.cu chooses for them when
// all edges are known.
//
// The components need not be those of the dendrogram's own first round: the head of a run, or a point that was held
// back, may have chosen an edge that a later round contracts. Every edge that this round contracts is the lightest one
// of one of its ends. So in each component the edges up to any rank are connected, and form one chain, as in a round of
// the dendrogram's own.
#pragma once
#include "runtime/order.cuh"
#include "runtime/warp.cuh"

// Of 32 points: which have hooked, whose edge the other end has chosen, too, and which were held back.
struct Hooks {
  u32 hooked, mutual, held;
};
static_assert(sizeof(Hooks) == 4 * EMST_HOOK_WORDS, "merge.py allocates them");

__device__ inline bool has_hooked(const Hooks *hooks, int p) { return hooks[p / 32].hooked >> (p % 32) & 1; }
__device__ inline bool is_held(const Hooks *hooks, int p) { return hooks[p / 32].held >> (p % 32) & 1; }

// Whether point i belongs to a run, and is not its head.
template <class T>
__device__ bool follows(const T *rows, i64 i, int dimensions, int stride) {
  return i > 0 && are_equal(rows, i, i - 1, dimensions, stride);
}

// Whether point i is the head of a run. The labels must be those before the first round.
__device__ inline bool is_run(const int *labels, i64 n, int i) { return i + 1 < n && labels[i + 1] == i; }

// Keeps what points of a warp have done, beside the bits that are kept already. The points ascend.
__device__ inline void keep_hooks(int point, bool hooks, bool mutual, bool held, Hooks *kept) {
  if (held) atomicOr(&kept[point / 32].held, 1u << point % 32);
  for (u32 left = __ballot_sync(FULL, hooks); left;) {
    const int first = __ffs(left) - 1, word = __shfl_sync(FULL, point / 32, first);
    const bool here = hooks && point / 32 == word;
    const u32 bit = 1u << point % 32, hooked = __reduce_or_sync(FULL, here ? bit : 0),
              both = __reduce_or_sync(FULL, here && mutual ? bit : 0);
    if ((int)lane_id() == first) {
      atomicOr(&kept[word].hooked, hooked);
      if (both) atomicOr(&kept[word].mutual, both);
    }
    left &= ~__ballot_sync(FULL, here);
  }
}

// The head of a run has not chosen the first edge of the run.
__device__ inline void forget_choice(int head, Hooks *kept) {
  atomicAnd(&kept[(head + 1) / 32].mutual, ~(1u << (head + 1) % 32));
}

// How the dendrogram sees an edge: whether its first end has chosen it, and whether its second end has. If the round
// has contracted it, its number is the component that it lies in. If not, it is left, and its number is its place in
// `between`, which holds the components at its ends.
constexpr u32 FIRST_CHOSE = 1u << 31, SECOND_CHOSE = 1u << 30, LEFT = 1u << 29, NUMBER = LEFT - 1;

struct FirstRound {
  const Hooks *hooks;
  const int *component;  // of every point: how many roots come before its own
  int2 *between;         // by that number: the components at the ends of the edge by which the root has hooked later
  int *apart;            // null if there are no runs

  // The edge between u and v in this slot. `head` is the head of a run that has chosen it, or NONE.
  __device__ u32 see(int slot, int u, int v, int head) const {
    const u32 chosen = (u == head ? FIRST_CHOSE : 0) | (v == head ? SECOND_CHOSE : 0);
    if (!has_hooked(hooks, slot)) {
      between[component[slot]] = make_int2(component[u], component[v]);
      return chosen | LEFT | (u32)component[slot];
    }
    const bool both = hooks[slot / 32].mutual >> (slot % 32) & 1;
    return chosen | (both || u == slot ? FIRST_CHOSE : 0) | (both || v == slot ? SECOND_CHOSE : 0) |
           (u32)component[slot];
  }
};
