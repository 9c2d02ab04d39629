// Segmented scans over the chains of the dendrogram (linkage.cu), round by round: a round needs the results of the one
// that ran before it.
#pragma once
#include "runtime/scan.cuh"

// A merge in the list of all chains; negative if just one of its children is a point.
__device__ inline int entry_of(int merge, bool single_point) { return single_point ? ~merge : merge; }
__device__ inline bool has_single_point(int entry) { return entry < 0; }
__device__ inline int merge_in(int entry) { return entry < 0 ? ~entry : entry; }

// The chains of `count` rounds from round `begin` on, by one block, from the first of them or, DOWN, from the last.
// `rounds` holds the number of all rounds, which a `count` of 0 stands for, and where each begins.
template <bool DOWN, class Fetch, class Emit>
__device__ void block_scan_rounds(i64 begin, i64 count, const int *rounds, Fetch fetch, Emit emit) {
  const int all = count ? (int)count : rounds[0];
  for (int k = 0; k < all; k++) {
    const int *const round = rounds + 1 + begin + (DOWN ? all - 1 - k : k);
    const i64 first = round[0], size = round[1] - first;
    block_segmented_scan(
        size, [&](i64 i) { return fetch(first, size, i); },
        [&](i64 i, const auto &fetched, u32 sum) { emit(first, i, fetched, sum); });
    __syncthreads();
  }
}

// Many chains: those of one round, `begin` and `count`, by all blocks; `rounds` is null. Few: as above.
//
// fetch(begin, count, i) and emit(begin, i, fetched, sum) are those of `segmented_scan` for i < count.
template <bool DOWN, class Fetch, class Emit>
__device__ void scan_rounds(i64 begin, i64 count, const int *rounds, u64 *tiles, u32 epoch, Fetch fetch, Emit emit) {
  if (!rounds) {
    segmented_scan(
        count, tiles, epoch, [&](i64 i) { return fetch(begin, count, i); },
        [&](i64 i, const auto &fetched, u32 sum) { emit(begin, i, fetched, sum); });
    return;
  }
  block_scan_rounds<DOWN>(begin, count, rounds, fetch, emit);
}
