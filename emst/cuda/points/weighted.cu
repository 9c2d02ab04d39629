// Core distances by weight: the least radius within which the weights of the points add up to min_samples.
//
// weighted.py launches end_lists over the lists of nearest points (knn.cu). For points whose lists are too short, and
// for new points, it launches weigh_points or, where all pairs are compared, weigh_pairs. For the points of other
// partitions, measure_points finds how far each query looks and how many entries its list has, and list_points writes
// the lists; or measure_pairs and list_pairs do.
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

// A search (see walk.cuh) that offers the points within the limit of `within`, with their weights, to it.
template <class T, int D, int METRIC, class Within>
struct PointsNear {
  const T *points;
  const i64 *units;
  i64 n;
  Norm<METRIC> norm;
  Row<T, D> x;
  Bits<T> reach;
  Within within;

  __device__ PointsNear(const T *points, const i64 *units, i64 n, const Norm<METRIC> &norm, const Row<T, D> &x)
      : points(points), units(units), n(n), norm(norm), x(x) {}
  __device__ void search(const Hierarchy &h, const T *nodes, const Packet<T, D> &packet, u64 *stack) {
    reach = warp_max(within.limit);
    walk<T, D>(h, nodes, packet, stack, *this);
  }
  __device__ bool may_hold(T, T) const { return true; }
  __device__ bool wants(bool, u32, const Row<T, D> &low, const Row<T, D> &high) const {
    return box_power(norm, low, high, x) <= within.limit;
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
    each(leaf, [&](Bits<T> d, i64 weight) { within.offer(d, weight); });
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
      if (total >= within.enough || leaves == h.count[0]) return farthest;
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
  PointsNear<T, D, METRIC, Weighing<T>> search(points, units, n, norm, load<T, D>(queries, at));
  Weighing<T> &weighing = search.within;
  weighing.enough = (u64)enough;
  weighing.start(search.bound_around(minimum(near[at] / LEAF, (i64)h.count[0] - 1), h));
  const Packet<T, D> packet(search.x);
  while (__any_sync(FULL, !weighing.done())) {
    weighing.begin_pass();
    search.search(h, nodes, packet, stacks[threadIdx.x / 32]);
    weighing.end_pass();
  }
  if (u >= count) return;
  core[u] = weighing.high;
  radius[u] = weighing.nearest == 0 || weighing.high == 0 ? 0 : INFINITE<T>;
}

// How far each query lists points: the least distance within which the weights suffice, or its limit, which is
// overwritten; and the number of entries of its list.
template <class T, int D, int METRIC>
__global__ void __launch_bounds__(32 * WARPS)
    measure_points(const T *__restrict__ points, const i64 *units, i64 n, const __grid_constant__ Hierarchy h,
                   const T *__restrict__ nodes, const Norm<METRIC> norm, i64 enough, const T *queries, i64 count,
                   Bits<T> *limit, i64 *entries) {
  __shared__ u64 stacks[WARPS][STACK];
  const i64 u = thread_id(), at = minimum(u, count - 1);
  if (u / 32 * 32 >= count) return;
  u64 *stack = stacks[threadIdx.x / 32];
  PointsNear<T, D, METRIC, Weighing<T>> search(points, units, n, norm, load<T, D>(queries, at));
  Weighing<T> &weighing = search.within;
  weighing.enough = (u64)enough;
  weighing.start(limit[at]);
  const Packet<T, D> packet(search.x);
  weighing.begin_first_pass();
  search.search(h, nodes, packet, stack);
  weighing.end_first_pass();
  while (__any_sync(FULL, !weighing.done())) {
    weighing.begin_pass();
    search.search(h, nodes, packet, stack);
    weighing.end_pass();
  }
  PointsNear<T, D, METRIC, Listing<T>> list(points, units, n, norm, search.x);
  list.within.limit = weighing.high;
  list.search(h, nodes, packet, stack);
  if (u >= count) return;
  limit[u] = weighing.high;
  entries[u] = list.within.count();
}

// The lists: the entries of a query begin at its `begin`.
template <class T, int D, int METRIC>
__global__ void __launch_bounds__(32 * WARPS)
    list_points(const T *__restrict__ points, const i64 *units, i64 n, const __grid_constant__ Hierarchy h,
                const T *__restrict__ nodes, const Norm<METRIC> norm, const T *queries, i64 count, const Bits<T> *limit,
                const i64 *begin, Bits<T> *powers, i64 *weights) {
  __shared__ u64 stacks[WARPS][STACK];
  const i64 u = thread_id(), at = minimum(u, count - 1);
  if (u / 32 * 32 >= count) return;
  PointsNear<T, D, METRIC, Listing<T>> list(points, units, n, norm, load<T, D>(queries, at));
  list.within.limit = u < count ? limit[u] : Bits<T>(-1);
  list.within.powers = powers + begin[at];
  list.within.weights = weights + begin[at];
  list.search(h, nodes, Packet<T, D>(list.x), stacks[threadIdx.x / 32]);
  list.within.end();
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

template <class T, int METRIC>
__global__ void measure_pairs(const T *points, const i64 *units, i64 n, int dimensions, int stride,
                              const Norm<METRIC> norm, i64 enough, const T *queries, i64 count, Bits<T> *limit,
                              i64 *entries) {
  const i64 u = thread_id();
  if (u >= count) return;
  const auto offer_all = [&](auto &within) {
    for (i64 i = 0; i < n; i++)
      within.offer(power_between(norm, queries + u * stride, points + i * stride, dimensions), units[i]);
  };
  Weighing<T> weighing;
  weighing.enough = (u64)enough;
  weighing.start(limit[u]);
  weighing.begin_first_pass();
  offer_all(weighing);
  weighing.end_first_pass();
  while (!weighing.done()) {
    weighing.begin_pass();
    offer_all(weighing);
    weighing.end_pass();
  }
  Listing<T> list;
  list.limit = weighing.high;
  offer_all(list);
  limit[u] = weighing.high;
  entries[u] = list.count();
}

template <class T, int METRIC>
__global__ void list_pairs(const T *points, const i64 *units, i64 n, int dimensions, int stride,
                           const Norm<METRIC> norm, const T *queries, i64 count, const Bits<T> *limit, const i64 *begin,
                           Bits<T> *powers, i64 *weights) {
  const i64 u = thread_id();
  if (u >= count) return;
  Listing<T> list;
  list.limit = limit[u];
  list.powers = powers + begin[u];
  list.weights = weights + begin[u];
  for (i64 i = 0; i < n; i++)
    list.offer(power_between(norm, queries + u * stride, points + i * stride, dimensions), units[i]);
  list.end();
}
