// Ordered compaction in one pass: every kept index goes to its rank among the kept ones.
//
// A block takes a tile, counts by ballots, and finds by looking back how many were kept before it (lookback.cuh).
#pragma once
#include "runtime/lookback.cuh"
#include "runtime/warp.cuh"

constexpr int COMPACT_THREADS = EMST_BLOCK, COMPACT_TILE = EMST_COMPACT_TILE,
              COMPACT_ITEMS = COMPACT_TILE / COMPACT_THREADS;

// The j-th index of this thread in a tile.
__device__ inline i64 compact_index(int tile, int j) {
  return (i64)tile * COMPACT_TILE + j * COMPACT_THREADS + threadIdx.x;
}

// The tile that this block has taken. keep(j, i) says whether index i < n, the j-th of the thread, is kept; emit(i,
// kept, rank) gets the number of kept indices before i.
template <class Keep, class Emit>
__device__ void compact_tile(int tile, i64 n, u64 *tiles, u32 epoch, int *total, Keep keep, Emit emit) {
  constexpr int WARPS = COMPACT_THREADS / 32, COUNTS = WARPS * COMPACT_ITEMS;
  __shared__ u32 before[COUNTS];  // by (item, warp): the order of indices in a tile
  __shared__ u32 tile_start;
  const int warp = threadIdx.x / 32;
  u64 *const words = lookback::words(tiles);
  const u32 lane = lane_id();
  bool mine[COMPACT_ITEMS];
#pragma unroll
  for (int j = 0; j < COMPACT_ITEMS; j++) mine[j] = compact_index(tile, j) < n && keep(j, compact_index(tile, j));
  u32 kept[COMPACT_ITEMS];
#pragma unroll
  for (int j = 0; j < COMPACT_ITEMS; j++) {
    kept[j] = __ballot_sync(FULL, mine[j]);
    if (lane == 0) before[j * WARPS + warp] = __popc(kept[j]);
  }
  __syncthreads();
  if (warp == 0) {
    u32 carry = 0;
    for (int c = 0; c < COUNTS; c += 32) {  // exclusive prefix sum of the counts
      const u32 value = before[c + lane], sum = warp_inclusive_sum(value);
      before[c + lane] = carry + sum - value;
      carry += __shfl_sync(FULL, sum, 31);
    }
    if (lane == 0)
      lookback::publish(words + tile, lookback::word(epoch, tile ? lookback::AGGREGATE : lookback::PREFIX, carry));
    u32 start = lookback::sum_before(words, epoch, tile);
    if (lane == 0) {
      if (tile) lookback::publish(words + tile, lookback::word(epoch, lookback::PREFIX, start + carry));
      tile_start = start;
      if (tile == gridDim.x - 1) *total = (int)(start + carry);
    }
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < COMPACT_ITEMS; j++) {
    const i64 i = compact_index(tile, j);
    if (i < n) emit(i, mine[j], tile_start + before[j * WARPS + warp] + __popc(kept[j] & ((1u << lane) - 1)));
  }
}

template <class Keep, class Emit>
__device__ void compact(i64 n, u64 *tiles, u32 epoch, int *total, Keep keep, Emit emit) {
  compact_tile(lookback::take_tile(tiles), n, tiles, epoch, total, keep, emit);
}

// The same for any number of indices by one block, all of whose threads get the number of kept ones.
template <int THREADS, class Keep, class Emit>
__device__ u32 block_compact(i64 n, Keep keep, Emit emit) {
  u32 before = 0;
  for (i64 start = 0; start < n; start += THREADS) {
    const i64 i = start + threadIdx.x;
    const bool kept[1] = {i < n && keep(i)};
    u32 at[1];
    const u32 here = block_places<THREADS>(kept, at);
    if (i < n) emit(i, kept[0], before + at[0]);
    before += here;
  }
  return before;
}
