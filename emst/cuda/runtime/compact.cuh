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

// Of the counts of a tile, each becomes the sum of those before it; returns their sum. Called by one warp.
__device__ inline u32 sum_counts(u32 *counts, int size) {
  const u32 lane = lane_id();
  u32 carry = 0;
  for (int c = 0; c < size; c += 32) {
    const bool inside = c + (int)lane < size;
    const u32 value = inside ? counts[c + lane] : 0, sum = warp_inclusive_sum(value);
    if (inside) counts[c + lane] = carry + sum - value;
    carry += __shfl_sync(FULL, sum, 31);
  }
  return carry;
}

// How many are kept in all tiles before this one, which keeps `here`; called by one warp. The last tile writes the
// total.
__device__ inline u32 start_of_tile(u32 here, int tile, u64 *tiles, u32 epoch, int *total) {
  const u32 lane = lane_id();
  u64 *const words = lookback::words(tiles);
  if (lane == 0)
    lookback::publish(words + tile, lookback::word(epoch, tile ? lookback::AGGREGATE : lookback::PREFIX, here));
  const u32 start = lookback::sum_before(words, epoch, tile);
  if (lane == 0) {
    if (tile) lookback::publish(words + tile, lookback::word(epoch, lookback::PREFIX, start + here));
    if (tile == gridDim.x - 1) *total = (int)(start + here);
  }
  return start;
}

// The tile that this block has taken. keep(j, i) says whether index i < n, the j-th of the thread, is kept; emit(i,
// kept, rank) gets the number of kept indices before i.
template <class Keep, class Emit>
__device__ void compact_tile(int tile, i64 n, u64 *tiles, u32 epoch, int *total, Keep keep, Emit emit) {
  constexpr int WARPS = COMPACT_THREADS / 32, COUNTS = WARPS * COMPACT_ITEMS;
  __shared__ u32 before[COUNTS];  // by (item, warp): the order of indices in a tile
  __shared__ u32 tile_start;
  const int warp = threadIdx.x / 32;
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
  if (warp == 0) tile_start = start_of_tile(sum_counts(before, COUNTS), tile, tiles, epoch, total);
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

// The same for any number of indices by one block, which returns how many are kept. What `emit` writes, all threads can
// read afterwards.
template <int THREADS, class Keep, class Emit>
__device__ u32 block_compact(i64 n, Keep keep, Emit emit) {
  u32 before = 0;
  for (i64 first = 0; first < n; first += THREADS) {
    const i64 i = first + threadIdx.x;
    const bool kept[1] = {i < n && keep(0, i)};
    u32 at[1];
    const u32 here = block_places<THREADS>(kept, at);
    if (i < n) emit(i, kept[0], before + at[0]);
    before += here;
  }
  __syncthreads();
  return before;
}

// Lists the indices of all bits that are set, in order; a word has 32 bits, and a block reads one tile of the words.
// start(count) is called by one warp with the number of bits that are set in the tile, and returns the rank of the
// first one. emit(rank, i) is called for each bit; the lanes of a warp call it together for the bits of one word.
template <class Start, class Emit>
__device__ void list_bits(int tile, const u32 *bits, i64 words, Start start, Emit emit) {
  constexpr int TILE = EMST_BITS_TILE, ITEMS = TILE / COMPACT_THREADS, WARPS = COMPACT_THREADS / 32,
                COUNTS = WARPS * ITEMS;
  __shared__ u32 before[COUNTS];  // by (item, warp)
  __shared__ u32 tile_start;
  const int warp = threadIdx.x / 32;
  const u32 lane = lane_id();
  const auto index = [&](int j) { return (i64)tile * TILE + j * COMPACT_THREADS + threadIdx.x; };
  u32 word[ITEMS], place[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) word[j] = index(j) < words ? bits[index(j)] : 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    place[j] = warp_inclusive_sum((u32)__popc(word[j]));
    if (lane == 31) before[j * WARPS + warp] = place[j];
    place[j] -= __popc(word[j]);
  }
  __syncthreads();
  if (warp == 0) {
    const u32 first = start(sum_counts(before, COUNTS));
    if (lane == 0) tile_start = first;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    place[j] += tile_start + before[j * WARPS + warp];
    for (u32 rest = __ballot_sync(FULL, word[j] != 0); rest; rest &= rest - 1) {
      const int from = __ffs(rest) - 1;
      const u32 set = __shfl_sync(FULL, word[j], from), rank = __shfl_sync(FULL, place[j], from);
      if (set >> lane & 1) emit(rank + __popc(set & ((1u << lane) - 1)), (index(j) - lane + from) * 32 + lane);
    }
  }
}
