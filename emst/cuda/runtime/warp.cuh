// Scans, sums and places over the lanes of a warp and the threads of a block.
#pragma once
#include "runtime/exact.cuh"

// op over the values of the lanes up to this one.
template <class T, class Op>
__device__ T warp_scan(T value, Op op) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(FULL, value, step);
    if ((int)lane_id() >= step) value = op(value, other);
  }
  return value;
}

template <class T>
__device__ T warp_inclusive_sum(T value) {
  return warp_scan(value, [](T a, T b) { return a + b; });
}

// Sum of the values of the threads before this one. Between two calls there must be a barrier.
template <int THREADS, class T>
__device__ T block_exclusive_sum(T value) {
  __shared__ T warp_sums[THREADS / 32];
  T sum = warp_inclusive_sum(value);
  if (lane_id() == 31) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  for (int w = 0; w < (int)threadIdx.x / 32; w++) sum += warp_sums[w];
  return sum - value;
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

// How many keys come before the i-th of n in ascending order; equal ones stay in order. `same` is the number of those
// that equal it, itself included. By a warp.
template <class Word>
__device__ u32 rank_of_key(const Word *keys, i64 n, i64 i, u32 &same) {
  const Word key = keys[i];
  u32 before = 0, equal = 0;
#pragma unroll 4
  for (i64 j = lane_id(); j < n; j += 32) {
    const Word other = keys[j];
    before += other < key || (other == key && j < i);
    equal += other == key;
  }
  same = __reduce_add_sync(FULL, equal);
  return __reduce_add_sync(FULL, before);
}

template <class Word>
__device__ u32 rank_of_key(const Word *keys, i64 n, i64 i) {
  u32 same;
  return rank_of_key(keys, n, i, same);
}

// How many items the lanes of a warp keep, and how many kept ones come before each: by j, then by lane.
template <int ITEMS>
__device__ u32 warp_places(const bool (&kept)[ITEMS], u32 (&at)[ITEMS]) {
  const u32 lanes_before = (1u << lane_id()) - 1;
  u32 all = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    const u32 lanes = __ballot_sync(FULL, kept[j]);
    at[j] = all + __popc(lanes & lanes_before);
    all += __popc(lanes);
  }
  return all;
}

// The same for the threads of a block: by warp, then as within a warp.
template <int THREADS, int ITEMS>
__device__ u32 block_places(const bool (&kept)[ITEMS], u32 (&at)[ITEMS]) {
  constexpr int WARPS = THREADS / 32;
  __shared__ u32 counts[WARPS];
  const int warp = threadIdx.x / 32;
  const u32 mine = warp_places(kept, at);
  __syncthreads();  // the counts of the last call have been read
  if (lane_id() == 0) counts[warp] = mine;
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

// Places in a list that grows for all warps, from the one that is returned: one atomic a warp.
template <int ITEMS>
__device__ u64 warp_reserve(const bool (&kept)[ITEMS], u64 *length, u32 (&at)[ITEMS]) {
  const u32 mine = warp_places(kept, at);
  u64 base = 0;
  if (lane_id() == 0 && mine) base = atomicAdd(length, (u64)mine);
  return __shfl_sync(FULL, base, 0);
}

// Places in a list that grows for all blocks, from the one that is returned: one atomic a block.
template <int THREADS, class Count, int ITEMS>
__device__ Count reserve(const bool (&kept)[ITEMS], Count *length, u32 (&at)[ITEMS]) {
  __shared__ Count base;
  const u32 all = block_places<THREADS>(kept, at);
  if (threadIdx.x == 0 && all) base = atomicAdd(length, (Count)all);
  __syncthreads();
  return base;
}
