// A key packed with an index into one number: the highest bits of the key, and below them the lowest `bits` bits, which
// hold the index. A radix sort moves 8 bytes a pass instead of 12.
//
// It sorts by the highest bits only, 8 a pass: as few as leave short runs of keys that are equal in them, as a sample
// of the keys shows. Such runs are put in order afterwards (ties.cuh).
#pragma once
#include "runtime/exact.cuh"

constexpr int DIGIT_BITS = EMST_DIGIT_BITS, DIGITS = 1 << DIGIT_BITS;
constexpr int LEAST_PASSES = EMST_LEAST_PASSES, MOST_PASSES = EMST_MOST_PASSES;

__device__ inline u64 packed(u64 key, i64 index, int bits) { return key >> bits << bits | (u64)index; }
__device__ inline i64 index_of(u64 packed, int bits) { return (i64)(packed & ((1ull << bits) - 1)); }

// The lowest bit that so many passes sort by.
__device__ constexpr int lowest_bit(int passes) { return 64 - DIGIT_BITS * passes; }

// How many passes the sort takes; many[p] says whether LEAST_PASSES + p of them would leave many ties. More than
// MOST_PASSES if all would.
__device__ inline int passes_of(const int *many) {
  int passes = LEAST_PASSES;
  while (passes <= MOST_PASSES && many[passes - LEAST_PASSES]) passes++;
  return passes;
}
