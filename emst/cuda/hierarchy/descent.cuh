// From the root down: values that merges inherit from their parents.
//
// The chains of one round after the other (chains.cuh), the root's first. Within a chain, from its last merge to its
// first, a merge inherits its parent's value unless a new one begins at it: that is a segmented scan.
#pragma once
#include "hierarchy/chains.cuh"

// A merge with its parent in the dendrogram, by links (chains.py); the root's parent is the number of merges.
struct Descendant {
  int merge, parent;
  bool top;  // the last of its chain: the parent is in another chain, of a later round
};

__device__ inline Descendant descendant(const int *parents, i64 begin, i64 count, i64 i) {
  const int at = (int)(begin + count - 1 - i), parent = parents[at];
  return {at, parent, i == 0 || parent != at + 1};
}

struct Inherited {
  bool head;
  u32 value;
  int merge;
};

// begins(d, value) returns whether a new value begins at a merge, and sets it; one must begin at every top. It should
// not branch (scan.cuh).
template <class Begins>
__device__ Inherited inherited(Descendant d, Begins begins) {
  int value = 0;
  const bool head = begins(d, value);
  return Inherited{head, head ? (u32)value : 0u, d.merge};
}

// put(merge, value) stores the value of a merge.
template <class Begins, class Put>
__device__ void descend(const int *parents, const int *rounds, u64 *published, Begins begins, Put put) {
  scan_rounds<true>(
      rounds, published,
      [&](i64 first, i64 size, i64 i) { return inherited(descendant(parents, first, size, i), begins); },
      [&](i64, i64, const Inherited &merge, u32 value) { put(merge.merge, (int)value); });
}

// All rounds by one block, for few merges. What `put` writes, all threads can read afterwards.
template <class Begins, class Put>
__device__ void block_descend(const int *parents, const int *rounds, Begins begins, Put put) {
  block_scan_rounds<true>(
      0, rounds[0], rounds + 1,
      [&](i64 first, i64 size, i64 i) { return inherited(descendant(parents, first, size, i), begins); },
      [&](i64, i64, const Inherited &merge, u32 value) { put(merge.merge, (int)value); });
}
