// The sums that tiles publish in single-pass scans: D. Merrill, M. Garland, "Single-pass parallel prefix scan with
// decoupled look-back" (2016).
//
// A tile publishes one word: (epoch, state, count), first its own count, then that of all tiles up to itself. Words of
// another epoch read as not yet published, so the array is cleared only once. A word is complete in itself, so no
// fence is needed.
//
// A tile waits for the tiles before it, so their blocks must be running or have ended. The order in which the GPU
// starts blocks is not defined; therefore a block does not use its index, but takes the next tile from a counter when
// it starts. The counter stands before the words. Blocks that are all resident need none: each takes its tiles in
// ascending order (chains.cuh).
#pragma once
#include "runtime/exact.cuh"

namespace lookback {
constexpr u32 AGGREGATE = 1, PREFIX = 2;
constexpr int COUNTER_WORDS =
    EMST_COUNTER_WORDS;  // the counter has a cache line of its own: other blocks read the words all the time

// The tile of this block; called by all of its threads. The counter wraps to 0 when the last tile is taken, so the next
// launch finds it as this one did. A block alone takes tile 0 without waiting for memory.
__device__ inline int take_tile(u64 *tiles) {
  __shared__ int taken;
  if (threadIdx.x == 0) taken = gridDim.x > 1 ? (int)atomicInc(reinterpret_cast<u32 *>(tiles), gridDim.x - 1) : 0;
  __syncthreads();
  return taken;
}

// The words of the tiles.
__device__ inline u64 *words(u64 *tiles) { return tiles + COUNTER_WORDS; }

__device__ inline u64 word(u32 epoch, u32 state, u32 count) { return (u64)(epoch << 2 | state) << 32 | count; }
__device__ inline u32 state(u64 word) { return word >> 32 & 3; }
__device__ inline bool published(u64 word, u32 epoch) { return (u32)(word >> 34) == epoch; }
__device__ inline void publish(u64 *tile, u64 word) { *(volatile u64 *)tile = word; }
__device__ inline u64 wait(const u64 *tile, u32 epoch) {
  u64 word;
  do word = *(const volatile u64 *)tile;
  while (!published(word, epoch));
  return word;
}

// Sum of the counts of all earlier tiles; called by one whole warp.
__device__ inline u32 sum_before(const u64 *words, u32 epoch, int tile) {
  u32 sum = 0;
  for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
    int mine = nearest - (int)lane_id();
    u64 w = mine >= 0 ? wait(words + mine, epoch) : word(epoch, PREFIX, 0);  // before the first tile there is nothing
    u32 complete = __ballot_sync(FULL, state(w) == PREFIX);
    u32 nearer = complete ? __ffs(complete) : 32;  // lanes up to the first complete prefix; all if there is none
    sum += __reduce_add_sync(FULL, lane_id() < nearer ? (u32)w : 0u);
    if (complete) break;
  }
  return sum;
}
}  // namespace lookback
