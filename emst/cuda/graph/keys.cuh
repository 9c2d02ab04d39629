// Edges as Borůvka's rounds compare them, (weight, position), in one word each, which one atomic operation minimises.
//
// The position is in the lower bits, and the weight in the upper 32, if both fit. Otherwise the upper bits hold what
// fits of the weight's distance from a low weight, which a sample tells, and the bit below them tells whether anything
// was lost. If two words are equal down to this bit, and the bit is set, their weights have to be compared. An atomic
// minimum does not do that, so it may keep the wrong one of two such words. The thread sees this in what the operation
// returns, and then writes the right one.
#pragma once
#include "runtime/grid.cuh"
#include "runtime/order.cuh"
#include "graph/entries.cuh"

// EXACT: weights of 32 bits, and fewer than 2^32 - 1 entries.
template <class W, bool EXACT>
struct Order {
  const W *weights;
  int bits;   // of a position; not all are set
  u64 low;    // a weight as an integer
  int shift;  // of the distance from it

  __device__ void set_range(u64 least, u64 greatest) {
    low = least > 0 ? least - 1 : 0;  // so that few weights are at no distance
    shift = __clzll((i64)maximum(greatest - low, (u64)1));
  }

  __device__ u64 word(Ordered<W> weight, i64 e) const {
    if (EXACT) return (u64)weight << 32 | (u64)e;
    const u64 most = ~0ull >> shift, above = weight > low ? weight - low : 0;
    const u64 scaled = minimum(above, most) << shift, lower = (2ull << bits) - 1;
    const bool lost = (scaled & lower) != 0 || above == 0 || above > most;
    return (scaled & ~lower) | (u64)lost << bits | (u64)e;
  }

  __device__ i64 place(u64 edge) const {
    if (edge == NO_EDGE) return NONE;
    return EXACT ? (i64)(u32)edge : (i64)(edge & ((1ull << bits) - 1));
  }

  // Whether two words do not tell by themselves which comes first.
  __device__ bool tied(u64 a, u64 b) const {
    return !EXACT && (a ^ b) >> bits == 0 && (a >> bits & 1) && a != b && a != NO_EDGE && b != NO_EDGE;
  }

  __device__ bool precedes(u64 a, u64 b) const {
    if (!tied(a, b)) return a < b;
    const Ordered<W> weight_a = ordered_weight(weights[place(a)]), weight_b = ordered_weight(weights[place(b)]);
    return weight_a < weight_b || (weight_a == weight_b && a < b);
  }

  // After an atomic minimum with this edge has returned the edge that was the least one before.
  __device__ void settle(u64 *least, u64 edge, u64 before) const {
    if (!tied(edge, before)) return;
    const u64 lesser = precedes(edge, before) ? edge : before;
    for (u64 now = *(volatile u64 *)least; precedes(lesser, now);) {
      const u64 there = atomicCAS(least, now, lesser);
      if (there == now) break;
      now = there;
    }
  }

  // Least edges only decrease. So an edge that does not precede an earlier one is not the least one now.
  __device__ void offer(u64 *least, u64 edge) const {
    if (precedes(edge, *least)) settle(least, edge, atomicMin(least, edge));
  }
};

// An edge between two components.
struct alignas(16) Item {
  int u, v;
  u64 edge;
};
