// From the root down: values that merges inherit from their parents.
//
// The chains of one round after the other (chains.cuh), the root's first. Within a chain, from its last merge to its
// first, a merge inherits its parent's value unless a new one begins at it: that is a segmented scan.
#pragma once
#include "hierarchy/chains.cuh"

// A merge with its parent in the dendrogram; the root's parent is the number of merges.
struct Descendant {
  int merge, parent;
  bool top;  // the last of its chain: the parent is in another chain, of a later round
};

__device__ inline Descendant descendant(const int *order, const u32 *slots, i64 begin, i64 count, i64 i) {
  const i64 at = begin + count - 1 - i;
  const bool top = i == 0 || slots[at + 1] != slots[at];
  return {order[at], top ? (int)(slots[at] / 2) : order[at + 1], top};
}

// begins(d, value) returns whether a new value begins at a merge, and sets it; one must begin at every top.
// put(merge, value) stores the value of a merge.
template <class Begins, class Put>
__device__ void descend(const int *order, const u32 *slots, i64 begin, i64 count, const int *rounds, u64 *tiles,
                        u32 epoch, Begins begins, Put put) {
  scan_rounds<true>(
      begin, count, rounds, tiles, epoch,
      [&](i64 first, i64 size, i64 i, bool &head) {
        int value = 0;
        head = begins(descendant(order, slots, first, size, i), value);
        return head ? (u32)value : 0u;
      },
      [&](i64 first, i64 size, i64 i, u32 value) { put(order[first + size - 1 - i], (int)value); });
}
