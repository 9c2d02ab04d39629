// The total order on edges, once for all of the GPU: (weight, power of the distance, smaller end, larger end), as
// docs/how/total_order.md defines it. Under the plain metric a weight is the power of the distance.
//
// Of two edges of one point, the one to the smaller id comes first: their other end is the same.
#pragma once
#include "runtime/exact.cuh"

// The other end of an edge of some point, with what orders that point's edges. NONE comes last.
template <class T>
struct Neighbour {
  Bits<T> weight, distance;
  int id;

  __device__ bool before(const Neighbour &other) const {
    if (weight != other.weight) return weight < other.weight;
    if (distance != other.distance) return distance < other.distance;
    return (u32)id < (u32)other.id;
  }
};
template <class T>
__device__ Neighbour<T> nobody() {
  return {INFINITE<T>, INFINITE<T>, NONE};
}

// Of the lanes of a warp, for all of them.
template <class T>
__device__ Neighbour<T> first_of_warp(Neighbour<T> mine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const Neighbour<T> other = {__shfl_xor_sync(FULL, mine.weight, step), __shfl_xor_sync(FULL, mine.distance, step),
                                __shfl_xor_sync(FULL, mine.id, step)};
    if (other.before(mine)) mine = other;
  }
  return mine;
}

// An edge as one number, whose order is that of (smaller end, larger end).
constexpr u64 NO_EDGE = ~0ull;
__device__ inline u64 packed_edge(int u, int v) { return (u64)minimum(u, v) << 32 | (u32)maximum(u, v); }

// Any two edges whose packed keys are equal (points/result.cu): by those keys of the order that they lack.
template <class B, int N>
struct Tied {
  u64 ends;
  B key[N];
};
template <class B>
struct Tied<B, 0> {
  u64 ends;
};
template <class B, int N>
__device__ bool comes_before(const Tied<B, N> &e, const Tied<B, N> &f) {
  if constexpr (N > 0)
#pragma unroll
    for (int i = 0; i < N; i++)
      if (e.key[i] != f.key[i]) return e.key[i] < f.key[i];
  return e.ends < f.ends;
}
