// Core distances by weight: the least radius within which the weights of the points add up to min_samples.
//
// weighted.py launches end_lists over the lists of nearest points (knn.cu). For points whose lists are too short, and
// for new points, it launches weigh_points or, where all pairs are compared, weigh_pairs.
#include "points/weighing.cuh"
#include "points/walk.cuh"
#include "distances/metric.cuh"

// The listed point at the core distance of every point: the first with which the weights suffice, the point itself if
// its own does, NONE if none does. neighbour[k * n + i] is the k-th nearest point of i.
__global__ void end_lists(const int *neighbour, i64 n, int length, const i64 *units, i64 enough, int *last) {
  const i64 u = thread_id();
  if (u >= n) return;
  i64 total = units[u];
  int at = (int)u;
  for (int k = 0; k < length && total < enough && at != NONE; k++) {
    at = neighbour[(i64)k * n + u];
    if (at != NONE) total += units[at];
  }
  last[u] = total < enough ? NONE : at;
}

// A search (see walk.cuh) that weighs the points within the limit of a pass.
template <class T, int D, int METRIC>
struct WeighedPoints {
  const T *points;
  const i64 *units;
  i64 n;
  Norm<METRIC> norm;
  Row<T, D> x;
  Bits<T> reach;
  Weighing<T> weighing;

  __device__ bool may_hold(T, T) const { return true; }
  __device__ bool wants(bool, u32, const Row<T, D> &low, const Row<T, D> &high) const {
    return box_power(norm, low, high, x) <= weighing.limit;
  }
  template <class Use>
  __device__ void each(int leaf, Use use) {
    const T *rows = points + (i64)leaf * (LEAF * STRIDE<D>);
#pragma unroll 1
    for (int t = 0; t < LEAF; t++) {
      const i64 i = (i64)leaf * LEAF + t;
      if (i < n) use(power_between(norm, x, load<T, D>(rows, t)), units[i]);
    }
  }
  __device__ bool scan(int leaf, u32 = FULL) {
    each(leaf, [&](Bits<T> d, i64 weight) { weighing.offer(d, weight); });
    return false;
  }
  // The greatest distance to the points of leaves around a leaf, so many that their weights suffice.
  __device__ Bits<T> bound_around(i64 leaf, const Hierarchy &h) {
    for (i64 leaves = 4;; leaves *= 2) {
      leaves = minimum(leaves, (i64)h.count[0]);
      const i64 first = minimum(maximum(leaf - leaves / 2, i64(0)), h.count[0] - leaves);
      u64 total = 0;
      Bits<T> farthest = 0;
      for (i64 i = first; i < first + leaves; i++)
        each((int)i, [&](Bits<T> d, i64 weight) {
          total += (u64)weight;
          farthest = maximum(farthest, d);
        });
      if (total >= weighing.enough || leaves == h.count[0]) return farthest;
    }
  }
};

// Core distances of queries that are neighbours on the curve, `near` the places `near` among the points; and a radius:
// 0 if a point is at distance 0, otherwise infinite.
template <class T, int D, int METRIC>
__global__ void __launch_bounds__(32 * WARPS)
    weigh_points(const T *__restrict__ points, const i64 *units, i64 n, i64 enough, const __grid_constant__ Hierarchy h,
                 const T *__restrict__ nodes, const Norm<METRIC> norm, const T *queries, i64 count, const i64 *near,
                 Bits<T> *core, Bits<T> *radius) {
  __shared__ u64 stacks[WARPS][STACK];
  const i64 u = thread_id(), at = minimum(u, count - 1);
  if (u / 32 * 32 >= count) return;
  WeighedPoints<T, D, METRIC> search;
  search.points = points;
  search.units = units;
  search.n = n;
  search.norm = norm;
  search.x = load<T, D>(queries, at);
  search.weighing.enough = (u64)enough;
  search.weighing.start(search.bound_around(minimum(near[at] / LEAF, (i64)h.count[0] - 1), h));
  const Packet<T, D> packet(search.x);
  while (__any_sync(FULL, !search.weighing.done())) {
    search.weighing.begin_pass();
    search.reach = warp_max(search.weighing.limit);
    walk<T, D>(h, nodes, packet, stacks[threadIdx.x / 32], search);
    search.weighing.end_pass();
  }
  if (u >= count) return;
  core[u] = search.weighing.high;
  radius[u] = search.weighing.nearest == 0 || search.weighing.high == 0 ? 0 : INFINITE<T>;
}

// The same for points with any number of coordinates, of which all are compared in every pass.
template <class T, int METRIC>
__global__ void weigh_pairs(const T *points, const i64 *units, i64 n, i64 enough, int dimensions, int stride,
                            const Norm<METRIC> norm, const T *queries, i64 count, Bits<T> *core, Bits<T> *radius) {
  const i64 u = thread_id();
  if (u >= count) return;
  Weighing<T> weighing;
  weighing.enough = (u64)enough;
  weighing.start(INFINITE<T> - 1);
  while (!weighing.done()) {
    weighing.begin_pass();
    for (i64 i = 0; i < n; i++)
      weighing.offer(power_between(norm, queries + u * stride, points + i * stride, dimensions), units[i]);
    weighing.end_pass();
  }
  core[u] = weighing.high;
  radius[u] = weighing.nearest == 0 ? 0 : INFINITE<T>;
}
