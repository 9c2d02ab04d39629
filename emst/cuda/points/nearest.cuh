// The K nearest points of 32 queries that are neighbours on the curve, as sorted lists in registers.
#pragma once
#include "points/scan.cuh"
#include "points/walk.cuh"

constexpr int WINDOW = 64 / LEAF;  // leaves around a packet's place on the curve that are compared first

// A search (see walk.cuh) for the K nearest points.
template <class T, int D, int METRIC, int K>
struct NearestPoints {
  const T *points;
  Norm<METRIC> norm;
  Row<T, D> x;
  bool on;           // whether this lane has a query
  u32 itself = ~0u;  // its id, if it is one of the points
  Bits<T> distance[K];
  u32 id[K];
  Bits<T> reach;
  u32 window_leaf = 0, window_leaves = 0;  // scanned before the walk
  SharedRow<T, D> *waiting;                // 32, in shared memory

  // Of query u of `count`. A lane past the last query repeats it, but looks for nothing.
  __device__ NearestPoints(const T *points, const Norm<METRIC> &norm, const T *queries, i64 u, i64 count,
                           SharedRow<T, D> *waiting)
      : points(points), norm(norm), x(load<T, D>(queries, minimum(u, count - 1))), on(u < count), waiting(waiting) {}

  // Nothing is found yet; points at `bound` or farther do not count.
  __device__ void clear(Bits<T> bound) {
#pragma unroll
    for (int k = 0; k < K; k++) {
      distance[k] = bound;
      id[k] = ~0u;
    }
  }

  __device__ bool may_hold(T, T) const { return true; }
  __device__ bool wants(bool is_leaf, u32 first, const Row<T, D> &low, const Row<T, D> &high) const {
    if (is_leaf && first / LEAF - window_leaf < window_leaves) return false;
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
  __device__ bool scan(int leaf, u32 wanting) {
    const u32 i0 = (u32)leaf * LEAF;
    u32 near = points_within(points, norm, leaf, wanting, x, distance[K - 1], waiting);
    if (itself - i0 < LEAF) near &= ~(1u << (itself - i0));
    if (!__any_sync(FULL, near)) return false;
    for (; near; near &= near - 1) {
      const u32 i = i0 + __ffs(near) - 1;
      const Bits<T> d = power_between(norm, x, load<T, D>(points, i));
      if (d < distance[K - 1]) insert(d, i);
    }
    __syncwarp();
    reach = warp_max(on ? distance[K - 1] : Bits<T>(-1));
    return true;
  }
};

// Begins with the leaves around the packet's place on the curve, from `leaf` on; the walk skips these.
template <class T, int D, int METRIC, int K>
__device__ void list_nearest(NearestPoints<T, D, METRIC, K> &search, const Hierarchy &h, const T *nodes, i64 leaf,
                             u64 *stack) {
  search.clear(INFINITE<T>);
  search.reach = INFINITE<T>;
  int first = maximum((int)leaf, 0);
  search.window_leaf = first;
  search.window_leaves = minimum(WINDOW, h.count[0] - first);
  const u32 all = __ballot_sync(FULL, search.on);
  for (int i = 0; i < (int)search.window_leaves; i++) search.scan(first + i, all);
  walk<T, D>(h, nodes, Packet<T, D>(search.x), stack, search);
}
