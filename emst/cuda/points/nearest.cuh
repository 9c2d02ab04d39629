// The K nearest points of 32 queries that are neighbours on the curve, as sorted lists in registers.
#pragma once
#include "points/walk.cuh"

// A search (see walk.cuh) for the K nearest points.
template <class T, int D, int METRIC, int K>
struct NearestPoints {
  const T *points;
  Norm<METRIC> norm;
  Row<T, D> x;
  u32 own;
  Bits<T> distance[K];
  u32 id[K];
  Bits<T> reach;
  bool on;
  u32 own_leaf, own_leaves;  // scanned before the walk

  __device__ bool may_hold(T, T) const { return true; }
  __device__ bool wants(int level, u32 first, const Row<T, D> &low, const Row<T, D> &high) const {
    if (level == 0 && first / LEAF - own_leaf < own_leaves) return false;
    return on && box_power(norm, low, high, x) < distance[K - 1];
  }
  __device__ void insert(Bits<T> d, u32 i) {
#pragma unroll
    for (int k = 0; k < K; k++)
      if (d < distance[k]) {
        Bits<T> t = distance[k];
        distance[k] = d;
        d = t;
        u32 j = id[k];
        id[k] = i;
        i = j;
      }
  }
  __device__ bool scan(int leaf) {
    const u32 i0 = (u32)leaf * LEAF;
    const T *rows = points + (i64)leaf * (LEAF * STRIDE<D>);
    Bits<T> before = distance[K - 1];
#pragma unroll 1  // the insertion is long
    for (int t = 0; t < LEAF; t++) {
      u32 i = i0 + t;
      Bits<T> d = power_between(norm, x, load<T, D>(rows, t));
      if (d < distance[K - 1] && i != own) insert(d, i);
    }
    bool closer = __any_sync(FULL, distance[K - 1] != before);
    if (closer) reach = warp_max(on ? distance[K - 1] : Bits<T>(-1));
    return closer;
  }
};

// Begins with the leaves around the packet's place on the curve, from `leaf` on; the walk skips these.
template <class T, int D, int METRIC, int K>
__device__ void list_nearest(NearestPoints<T, D, METRIC, K> &search, const Hierarchy &h, const T *nodes, i64 leaf,
                             u64 *stack) {
#pragma unroll
  for (int k = 0; k < K; k++) {
    search.distance[k] = INFINITE<T>;
    search.id[k] = ~0u;
  }
  search.reach = INFINITE<T>;
  int first = maximum((int)leaf, 0);
  search.own_leaf = first;
  search.own_leaves = minimum(32 / LEAF + 4, h.count[0] - first);
  for (int i = 0; i < (int)search.own_leaves; i++) search.scan(first + i);
  walk<T, D>(h, nodes, Packet<T, D>(search.x), stack, search);
}
