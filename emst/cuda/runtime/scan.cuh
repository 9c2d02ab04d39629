// Prefix sums within segments in one pass over memory.
//
// As in compact.cuh, but a tile that holds the head of a segment has the sum that the next tile needs without looking
// back. "The last value that was set" is such a sum, too: a value that is set begins a segment, all others are 0.
//
// fetch(i) returns all that is read for an index i < n, with the members `value`, and `head`: whether a segment begins
// there; one must begin at 0. Fetches of one thread wait for memory together if they do not branch. emit(i, fetched,
// sum) gets the sum from its segment's head up to i.
#pragma once
#include "runtime/lookback.cuh"

constexpr int SCAN_THREADS = EMST_BLOCK, SCAN_TILE = EMST_SCAN_TILE, SCAN_ITEMS = SCAN_TILE / SCAN_THREADS;
constexpr int FEW_THREADS = EMST_FEW_THREADS;  // of a block that scans alone, at most

// The j-th index of this thread in a tile.
__device__ inline i64 scan_index(int tile, int j) { return (i64)tile * SCAN_TILE + j * SCAN_THREADS + threadIdx.x; }

// Inclusive sum of the lanes of a warp from the last head on; `heads` are the lanes with one.
__device__ inline u32 warp_segment_sum(u32 value, u32 heads) {
  const int lane = (int)lane_id(), first = 31 - __clz(heads & ((2u << lane) - 1));  // -1 if there is none before
  u32 sum = value;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    u32 other = __shfl_up_sync(FULL, sum, step);
    if (lane - step >= maximum(first, 0)) sum += other;
  }
  return sum;
}

// One tile; `words` are those of all tiles.
template <class Fetch, class Emit>
__device__ void segmented_scan_tile(int tile, i64 n, u64 *words, u32 epoch, Fetch fetch, Emit emit) {
  constexpr int WARPS = SCAN_THREADS / 32, COUNTS = WARPS * SCAN_ITEMS;
  static_assert(COUNTS % 32 == 0, "a warp adds the sums of the rows");
  __shared__ u32 before[COUNTS];   // by (item, warp): sum of those 32 values, then what comes before them in the tile
  __shared__ bool headed[COUNTS];  // whether there is a head among them, then whether there is one before them
  __shared__ u32 tile_start;
  const int warp = threadIdx.x / 32;
  const u32 lane = lane_id(), up_to_me = (2u << lane) - 1;
  decltype(fetch((i64)0)) fetched[SCAN_ITEMS];
#pragma unroll
  for (int j = 0; j < SCAN_ITEMS; j++) fetched[j] = fetch(minimum(scan_index(tile, j), n - 1));
  u32 sum[SCAN_ITEMS], heads[SCAN_ITEMS];
#pragma unroll
  for (int j = 0; j < SCAN_ITEMS; j++) {
    const bool there = scan_index(tile, j) < n;
    heads[j] = __ballot_sync(FULL, there && fetched[j].head);
    sum[j] = warp_segment_sum(there ? fetched[j].value : 0, heads[j]);
    if (lane == 31) {
      before[j * WARPS + warp] = sum[j];
      headed[j * WARPS + warp] = heads[j] != 0;
    }
  }
  __syncthreads();
  if (warp == 0) {
    u32 carry = 0;
    bool any = false;
    for (int c = 0; c < COUNTS; c += 32) {
      u32 rows = __ballot_sync(FULL, headed[c + lane]);
      u32 inclusive = warp_segment_sum(before[c + lane], rows);
      if (!(rows & up_to_me)) inclusive += carry;
      u32 exclusive = __shfl_up_sync(FULL, inclusive, 1);
      before[c + lane] = lane ? exclusive : carry;
      headed[c + lane] = any || (rows & (up_to_me >> 1));
      carry = __shfl_sync(FULL, inclusive, 31);
      any = any || rows;
    }
    const bool complete = any || tile == 0;
    if (lane == 0)
      lookback::publish(words + tile, lookback::word(epoch, complete ? lookback::PREFIX : lookback::AGGREGATE, carry));
    u32 start = lookback::sum_before(words, epoch, tile);
    if (lane == 0) {
      if (!complete) lookback::publish(words + tile, lookback::word(epoch, lookback::PREFIX, start + carry));
      tile_start = start;
    }
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < SCAN_ITEMS; j++) {
    if (scan_index(tile, j) >= n) continue;
    const int row = j * WARPS + warp;
    u32 earlier = heads[j] & up_to_me ? 0 : before[row] + (headed[row] ? 0 : tile_start);
    emit(scan_index(tile, j), fetched[j], sum[j] + earlier);
  }
}

template <class Fetch, class Emit>
__device__ void segmented_scan(i64 n, u64 *tiles, u32 epoch, Fetch fetch, Emit emit) {
  segmented_scan_tile(lookback::take_tile(tiles), n, lookback::words(tiles), epoch, fetch, emit);
}

// The same for any number of indices by one block of any number of warps up to 32.
template <class Fetch, class Emit>
__device__ void block_segmented_scan(i64 n, Fetch fetch, Emit emit) {
  __shared__ u32 sums[FEW_THREADS / 32];     // of the last segment of every warp
  __shared__ bool headed[FEW_THREADS / 32];  // whether that begins in the warp
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const u32 lane = lane_id(), up_to_me = (2u << lane) - 1;
  u32 carry = 0;
  for (i64 start = 0; start < n; start += blockDim.x) {
    const i64 i = start + threadIdx.x;
    const auto fetched = fetch(minimum(i, n - 1));
    const u32 heads = __ballot_sync(FULL, i < n && fetched.head);
    const u32 sum = warp_segment_sum(i < n ? fetched.value : 0, heads);
    __syncthreads();  // the sums of the last step have been read
    if (lane == 31) {
      sums[warp] = sum;
      headed[warp] = heads != 0;
    }
    __syncthreads();
    const bool there = (int)lane < warps;  // every warp adds the sums of all
    const u32 rows = __ballot_sync(FULL, there && headed[lane]);
    u32 up_to = warp_segment_sum(there ? sums[lane] : 0, rows);
    if (!(rows & up_to_me)) up_to += carry;
    const u32 of_warps_before = __shfl_sync(FULL, up_to, maximum(warp - 1, 0)), before = warp ? of_warps_before : carry;
    carry = __shfl_sync(FULL, up_to, warps - 1);
    if (i < n) emit(i, fetched, sum + (heads & up_to_me ? 0 : before));
  }
}
