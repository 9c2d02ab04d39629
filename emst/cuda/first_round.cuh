// What Borůvka's first round has made of the points of a forest: the dendrogram's first round is the same.
//
// In that round every point chooses its lightest edge. It hooks onto the point at the other end, and its slot holds the
// edge; or it is the smaller end of an edge that both ends have chosen, and is a root.
//
// A run of equal points, which are neighbours on the curve, is a star around its head, the first of them, before the
// round. Each of the others has chosen its edge to the head. The head has chosen the first of these edges, unless an
// equal point comes before it on the curve: then, the edge to that point. Where the distance to a point that is not
// equal counts as 0, `apart` is set, and the dendrogram takes its first round itself.
#pragma once
#include "runtime/order.cuh"
#include "runtime/warp.cuh"

// Of 32 points: which have hooked, and whose edge the other end has chosen, too.
struct Hooks {
  u32 hooked, mutual;
};

// Whether points i and j are equal.
template <class T>
__device__ bool are_equal(const T *rows, i64 i, i64 j, int dimensions, int stride) {
  for (int d = 0; d < dimensions; d++)
    if (bits_of(rows[i * stride + d]) != bits_of(rows[j * stride + d])) return false;
  return true;
}

// Whether point i < n belongs to a run, and is not its head.
template <class T>
__device__ bool follows(const T *rows, i64 i, int dimensions, int stride) {
  return i > 0 && are_equal(rows, i, i - 1, dimensions, stride);
}

// Whether point i is the head of a run; labels are those before the first round.
__device__ inline bool is_run(const int *labels, i64 n, int i) { return i + 1 < n && labels[i + 1] == i; }

// Keeps which points of a warp have hooked, beside the bits that are kept already. The points ascend.
__device__ inline void keep_hooks(int point, bool hooks, bool mutual, Hooks *kept) {
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

// How the dendrogram sees an edge: whether its first end has chosen it, and its second end. Then, if the round has
// contracted it, the component that it lies in. Otherwise it is left, and the number is where `between` has the
// components at its ends.
constexpr u32 FIRST_CHOSE = 1u << 31, SECOND_CHOSE = 1u << 30, LEFT = 1u << 29, NUMBER = LEFT - 1;

struct FirstRound {
  const Hooks *hooks;
  const int *parent;  // of a point that has hooked: its root after the round; later rounds write those of roots only
  const int *number;  // of a root: how many roots come before it
  int2 *between;      // by that number: the components at the ends of the edge by which the root has hooked later
  int *apart;         // null if there are no runs

  __device__ bool hooked(int p) const { return hooks[p / 32].hooked >> (p % 32) & 1; }
  __device__ int component(int p) const { return number[hooked(p) ? parent[p] : p]; }

  // The edge between u and v in this slot, which the point `head` has chosen beside the one that hooked.
  __device__ u32 see(int slot, int u, int v, int head) const {
    const u32 chosen = (u == head ? FIRST_CHOSE : 0) | (v == head ? SECOND_CHOSE : 0);
    if (!hooked(slot)) {
      between[number[slot]] = make_int2(component(u), component(v));
      return chosen | LEFT | (u32)number[slot];
    }
    const bool both = hooks[slot / 32].mutual >> (slot % 32) & 1;
    return chosen | (both || u == slot ? FIRST_CHOSE : 0) | (both || v == slot ? SECOND_CHOSE : 0) |
           (u32)component(slot);
  }
};
