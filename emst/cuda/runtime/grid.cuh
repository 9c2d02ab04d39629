// Blocks that work together in one launch: their barrier, and sums over the blocks before one.
#pragma once
#include "runtime/warp.cuh"

// A barrier of several blocks counts arrivals, and is never reset; all of its blocks must be resident, which a
// cooperative launch guarantees. A block alone needs the fences, too: values that atomics wrote are not in its
// first-level cache.
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

// `numbers` holds one number for every block, written before a barrier. Returns the sum over the blocks of lower rank;
// `all` is the sum over all blocks.
template <int THREADS>
__device__ u64 sum_before(const Grid &grid, const u64 *numbers, u64 &all) {
  u64 before = 0, sum = 0;
  for (int r = threadIdx.x; r < grid.size; r += THREADS) {
    sum += numbers[r];
    before += r < grid.rank ? numbers[r] : 0;
  }
  all = block_sum<THREADS>(sum);
  return block_sum<THREADS>(before);
}
