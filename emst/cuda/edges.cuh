// Edges as Borůvka's rounds compare them, (weight, position), and the least of them that leaves each component.
#pragma once
#include "graph.cuh"

// Both in one word, which one atomic minimises: weights of 32 bits, fewer than 2^32 - 1 entries.
struct Narrow {
  u64 both;
  static __device__ Narrow make(u64 weight, i64 place) { return {weight << 32 | (u64)place}; }
  static __device__ Narrow none() { return {~0ull}; }
  __device__ i64 place() const { return (u32)both; }
  __device__ bool operator<(Narrow b) const { return both < b.both; }
};

struct Wide {
  u64 weight, where;
  static __device__ Wide make(u64 weight, i64 place) { return {weight, (u64)place}; }
  static __device__ Wide none() { return {~0ull, ~0ull}; }
  __device__ i64 place() const { return (i64)where; }
  __device__ bool operator<(Wide b) const { return weight < b.weight || (weight == b.weight && where < b.where); }
};

// An edge between two components.
template <class Key>
struct alignas(sizeof(Key) == 8 ? 16 : 8) Item {
  int u, v;
  Key key;
};

// Least edges by component. Wide ones are found in two steps with a barrier between them: the least weight, then the
// first place among the equals.
template <class Key>
struct Least;

template <>
struct Least<Narrow> {
  static constexpr bool TWO_STEPS = false;
  u64 *both;
  __device__ void offer(int c, Narrow key) { lower(both + c, key.both); }
  __device__ void offer_place(int, Narrow) {}
  __device__ bool is(int c, Narrow key) const { return both[c] == key.both; }
  __device__ i64 place(int c) const { return both[c] == ~0ull ? NONE : (i64)(u32)both[c]; }
  __device__ void clear(i64 c) { both[c] = ~0ull; }
};

template <>
struct Least<Wide> {
  static constexpr bool TWO_STEPS = true;
  u64 *weight, *where;
  __device__ void offer(int c, Wide key) { lower(weight + c, key.weight); }
  __device__ void offer_place(int c, Wide key) {
    if (weight[c] == key.weight) lower(where + c, key.where);
  }
  __device__ bool is(int c, Wide key) const { return weight[c] == key.weight && where[c] == key.where; }
  __device__ i64 place(int c) const { return (i64)where[c]; }
  __device__ void clear(i64 c) { weight[c] = where[c] = ~0ull; }
};

template <class Key>
__device__ Least<Key> least_in(u64 *words, i64 n);
template <>
__device__ inline Least<Narrow> least_in<Narrow>(u64 *words, i64) {
  return {words};
}
template <>
__device__ inline Least<Wide> least_in<Wide>(u64 *words, i64 n) {
  return {words, words + n};
}

// The blocks that work together. A barrier of several counts arrivals, and never starts over; all of its blocks must be
// resident, which a cooperative launch promises. One block alone needs the fences still: what atomics wrote is not in
// its first-level cache.
struct Crew {
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
};

// Places in a list for what the threads of this block keep: one atomic a block.
template <int ITEMS>
__device__ void reserve(const bool (&kept)[ITEMS], u64 *count, u64 (&at)[ITEMS]) {
  constexpr int WARPS = TILE_THREADS / 32;
  __shared__ u32 before[WARPS];
  __shared__ u64 base;
  const int warp = threadIdx.x / 32;
  const u32 lane = lane_id(), lanes_before = (1u << lane) - 1;
  u32 mine[ITEMS], total = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    const u32 lanes = __ballot_sync(FULL, kept[j]);
    mine[j] = total + __popc(lanes & lanes_before);
    total += __popc(lanes);
  }
  __syncthreads();  // the places of the last call have been read
  if (lane == 0) before[warp] = total;
  __syncthreads();
  if (warp == 0) {
    u32 own = lane < WARPS ? before[lane] : 0, sum = own;
#pragma unroll
    for (int step = 1; step < WARPS; step *= 2) {
      const u32 other = __shfl_up_sync(FULL, sum, step);
      if (lane >= step) sum += other;
    }
    if (lane < WARPS) before[lane] = sum - own;
    if (lane == WARPS - 1 && sum) base = atomicAdd(count, (u64)sum);
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; j++) at[j] = base + before[warp] + mine[j];
}
