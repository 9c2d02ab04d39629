// Segmented scans over the chains of the dendrogram (linkage.cu), round by round: each round needs what another has
// found.
#pragma once
#include "runtime/scan.cuh"

// Many chains: those of one round, `begin` and `count`, by all blocks. Few: those of all rounds by one block, from the
// first round or, DOWN, from the last; `rounds` holds the number of rounds and where each begins.
//
// load(begin, count, i, head) and emit(begin, count, i, sum) are those of `segmented_scan` for i < count.
template <bool DOWN, class Load, class Emit>
__device__ void scan_rounds(i64 begin, i64 count, const int *rounds, u64 *tiles, u32 epoch, Load load, Emit emit) {
  if (!rounds) {
    segmented_scan(
        count, tiles, epoch, [&](i64 i, bool &head) { return load(begin, count, i, head); },
        [&](i64 i, u32 sum) { emit(begin, count, i, sum); });
    return;
  }
  const int all = rounds[0];
  for (int k = 0; k < all; k++) {
    const int *const round = rounds + 1 + (DOWN ? all - 1 - k : k);
    const i64 first = round[0], size = round[1] - first;
    block_segmented_scan(
        size, [&](i64 i, bool &head) { return load(first, size, i, head); },
        [&](i64 i, u32 sum) { emit(first, size, i, sum); });
    __syncthreads();
  }
}
