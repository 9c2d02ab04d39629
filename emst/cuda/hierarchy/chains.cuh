// Segmented scans over the chains of the dendrogram (linkage.cu), round by round: a round needs the results of the one
// that ran before it.
#pragma once
#include "runtime/grid.cuh"
#include "runtime/scan.cuh"

// The chains of the rounds from `begin` on, up to `end`, by one block, from the first round or, DOWN, from the last.
// starts[k]: where round k begins; starts[k + 1]: where it ends. All threads can read what `emit` writes.
template <bool DOWN, class Fetch, class Emit>
__device__ void block_scan_rounds(int begin, int end, const int *starts, Fetch fetch, Emit emit) {
  for (int k = begin; k < end; k++) {
    const int *const round = starts + (DOWN ? begin + end - 1 - k : k);
    const i64 first = round[0], size = round[1] - first;
    block_segmented_scan(
        size, [&](i64 i) { return fetch(first, size, i); },
        [&](i64 i, const auto &fetched, u32 sum) { emit(first, i, fetched, sum); });
    __syncthreads();
  }
}

// All rounds: rounds[0] says how many, and what follows where each begins. Few merges are scanned by one block of any
// number of threads, and many by resident blocks of SCAN_THREADS. Resident blocks need `published`, all zero at the
// start: a counter for their barrier, and a word for every tile of a round. The last rounds, which together have fewer
// merges than a tile, are scanned by one block.
//
// fetch(begin, count, i) and emit(begin, i, fetched, sum) are those of `segmented_scan` for i < count.
template <bool DOWN, class Fetch, class Emit>
__device__ void scan_rounds(const int *rounds, u64 *published, Fetch fetch, Emit emit) {
  const int all = rounds[0], *const starts = rounds + 1;
  if (gridDim.x == 1) {
    block_scan_rounds<DOWN>(0, all, starts, fetch, emit);
    return;
  }
  const Grid grid = {reinterpret_cast<u32 *>(published), (int)blockIdx.x, (int)gridDim.x};
  int tail = all;
  while (tail > 0 && starts[all] - starts[tail - 1] < SCAN_TILE) tail--;
  if (DOWN) {
    if (grid.rank == 0) block_scan_rounds<DOWN>(tail, all, starts, fetch, emit);
    grid.sync();
  }
  for (int k = 0; k < tail; k++) {
    const int round = DOWN ? tail - 1 - k : k;
    const i64 first = starts[round], size = starts[round + 1] - first;
    for (i64 tile = grid.rank; tile * SCAN_TILE < size; tile += grid.size) {
      segmented_scan_tile((int)tile, size, lookback::words(published), (u32)round + 1,
                          [&](i64 i) { return fetch(first, size, i); },
                          [&](i64 i, const auto &fetched, u32 sum) { emit(first, i, fetched, sum); });
      __syncthreads();  // the next tile uses the same shared memory
    }
    grid.sync();
  }
  if (!DOWN && grid.rank == 0) block_scan_rounds<DOWN>(tail, all, starts, fetch, emit);
}
