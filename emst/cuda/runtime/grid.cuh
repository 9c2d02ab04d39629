// Blocks that work together in one launch: their barrier, and places in a common list.
#pragma once
#include "runtime/exact.cuh"

// A barrier of several blocks counts arrivals, and never starts over; all of its blocks must be resident, which a
// cooperative launch promises. One block alone needs the fences still: what atomics wrote is not in its first-level
// cache.
struct Grid {
  u32 *arrived;
  int rank, size;

  __device__ void sync() const {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      if (size > 1) {
        const u32 ticket = atomicAdd(arrived, 1u), all = ticket - ticket % size + size;
        while ((int)(*(volatile u32 *)arrived - all) < 0) {
        }
      }
      __threadfence();
    }
    __syncthreads();
  }

  // Indices of all threads of the grid: first, and how far apart the next is.
  __device__ i64 first() const { return (i64)rank * blockDim.x + threadIdx.x; }
  __device__ i64 step() const { return (i64)size * blockDim.x; }
};

// How many the threads of a block keep, and how many of them come before each: by warp, then by j, then by lane.
template <int THREADS, int ITEMS>
__device__ u32 block_places(const bool (&kept)[ITEMS], u32 (&at)[ITEMS]) {
  constexpr int WARPS = THREADS / 32;
  __shared__ u32 counts[WARPS];
  const int warp = threadIdx.x / 32;
  const u32 lane = lane_id(), lanes_before = (1u << lane) - 1;
  u32 mine = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    const u32 lanes = __ballot_sync(FULL, kept[j]);
    at[j] = mine + __popc(lanes & lanes_before);
    mine += __popc(lanes);
  }
  __syncthreads();  // the counts of the last call have been read
  if (lane == 0) counts[warp] = mine;
  __syncthreads();
  u32 before = 0, all = 0;
#pragma unroll
  for (int w = 0; w < WARPS; w++) {
    before += w < warp ? counts[w] : 0;
    all += counts[w];
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) at[j] += before;
  return all;
}

// Places for what the lanes of a warp keep, from the one that is returned: one atomic a warp.
template <int ITEMS>
__device__ u64 warp_reserve(const bool (&kept)[ITEMS], u64 *length, u32 (&at)[ITEMS]) {
  u32 mine = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    const u32 lanes = __ballot_sync(FULL, kept[j]);
    at[j] = mine + __popc(lanes & ((1u << lane_id()) - 1));
    mine += __popc(lanes);
  }
  u64 base = 0;
  if (lane_id() == 0 && mine) base = atomicAdd(length, (u64)mine);
  return __shfl_sync(FULL, base, 0);
}

// The same in a list that grows for all blocks, from the place that is returned: one atomic a block.
template <int THREADS, int ITEMS>
__device__ u64 reserve(const bool (&kept)[ITEMS], u64 *length, u32 (&at)[ITEMS]) {
  __shared__ u64 base;
  const u32 all = block_places<THREADS>(kept, at);
  if (threadIdx.x == 0 && all) base = atomicAdd(length, (u64)all);
  __syncthreads();
  return base;
}

__device__ inline u64 warp_sum(u64 value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(FULL, value, step);
  return value;
}

// Sum over the threads of a block.
template <int THREADS>
__device__ u64 block_sum(u64 value) {
  __shared__ u64 sums[THREADS / 32];
  value = warp_sum(value);
  __syncthreads();  // the sums of the last call have been read
  if (lane_id() == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  u64 all = 0;
#pragma unroll
  for (int w = 0; w < THREADS / 32; w++) all += sums[w];
  return all;
}

// What the blocks of lower rank found, and what all did; they have written `found` before a barrier.
template <int THREADS>
__device__ u64 found_before(const Grid &grid, const u64 *found, u64 &all) {
  u64 before = 0, sum = 0;
  for (int r = threadIdx.x; r < grid.size; r += THREADS) {
    sum += found[r];
    before += r < grid.rank ? found[r] : 0;
  }
  all = block_sum<THREADS>(sum);
  return block_sum<THREADS>(before);
}
