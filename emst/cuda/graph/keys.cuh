// Edges as Borůvka's rounds compare them, (weight, position), and the least edge that leaves each component.
#pragma once
#include "runtime/grid.cuh"
#include "graph/entries.cuh"

// Both in one word, which one atomic minimises: for weights of 32 bits and fewer than 2^32 - 1 entries.
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

// Least edges by component. Wide keys take two steps with a barrier between them: the least weight, then the first
// place among edges of that weight.
template <class Key>
struct Least;

template <>
struct Least<Narrow> {
  static constexpr bool TWO_STEPS = false;
  u64 *both;
  __device__ u64 known(int c) const { return both[c]; }
  __device__ void offer(int c, Narrow key) { atomicMin(both + c, key.both); }
  // `known` is an earlier value. Values only decrease, so a key that is not less than `known` is no better now.
  __device__ void offer(int c, Narrow key, u64 known) {
    if (key.both < known) offer(c, key);
  }
  __device__ void offer_place(int, Narrow) {}
  __device__ bool is(int c, Narrow key) const { return both[c] == key.both; }
  __device__ i64 place(int c) const { return both[c] == ~0ull ? NONE : (i64)(u32)both[c]; }
  __device__ void clear(i64 c) { both[c] = ~0ull; }
};

template <>
struct Least<Wide> {
  static constexpr bool TWO_STEPS = true;
  u64 *weight, *where;
  __device__ u64 known(int c) const { return weight[c]; }
  __device__ void offer(int c, Wide key) { atomicMin(weight + c, key.weight); }
  __device__ void offer(int c, Wide key, u64 known) {
    if (key.weight < known) offer(c, key);
  }
  __device__ void offer_place(int c, Wide key) {
    if (weight[c] == key.weight) lower(where + c, key.where);
  }
  __device__ bool is(int c, Wide key) const { return (weight[c] == key.weight) & (where[c] == key.where); }
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
