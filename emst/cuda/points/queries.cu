// Nearest points for queries: new points, and points of other partitions. A warp takes 32 queries that are neighbours
// on the curve. Where the places of the queries on the curve are known, the leaves around the packet's place are
// scanned first, and the walk skips them.
//
// queries.py launches query_lists, or for high ranks query_kth_distances (`query_cores`); list_within, or for long
// lists row_within (`nearest_distances`); and nearest_across (the function of the same name). If the points are
// compared all with all, it launches kernels of brute.cu in their place.
#include "distances/sorted_row.cuh"
#include "points/across.cuh"
#include "points/kth.cuh"
#include "points/nearest.cuh"

// The leaf at the place of the packet of queries among the points on the curve.
__device__ inline i64 leaf_at(const i64 *near, i64 packet, i64 count, const Hierarchy &h) {
  return minimum(near[minimum(packet * 32 + 16, count - 1)] / LEAF, (i64)h.count[0] - 1);
}
// The first leaf of the window around it.
__device__ inline i64 leaf_near(const i64 *near, i64 packet, i64 count, const Hierarchy &h) {
  return leaf_at(near, packet, count, h) - WINDOW / 2;
}

// Distances of every query to its K-th nearest point; and a radius: 0 if the nearest point is at distance 0.
template <class T, int D, int METRIC, int K>
__global__ void __launch_bounds__(32 * WARPS)
    query_lists(const T *__restrict__ points, const __grid_constant__ Hierarchy h, const T *__restrict__ nodes,
                const Norm<METRIC> norm, const T *queries, i64 count, const i64 *near, Bits<T> *core, Bits<T> *radius) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ SharedRow<T, D> waiting[WARPS][32];
  const i64 u = thread_id(), packet = u / 32;
  if (packet * 32 >= count) return;
  NearestPoints<T, D, METRIC, K> search(points, norm, queries, u, count, waiting[threadIdx.x / 32]);
  list_nearest(search, h, nodes, leaf_near(near, packet, count, h), stacks[threadIdx.x / 32]);
  if (!search.on) return;
  core[u] = search.distance[K - 1];
  radius[u] = search.distance[0] == 0 ? 0 : INFINITE<T>;
}

// The same for the point of any rank.
template <class T, int D, int METRIC>
__global__ void __launch_bounds__(32 * WARPS)
    query_kth_distances(const T *__restrict__ points, const __grid_constant__ Hierarchy h, const T *__restrict__ nodes,
                        const Norm<METRIC> norm, const T *queries, i64 count, const i64 *near, int rank, Bits<T> *core,
                        Bits<T> *radius) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ u32 words[WARPS][32 * Selection<T>::BINS];
  const i64 packet = thread_id() / 32, u = thread_id();
  const int warp = threadIdx.x / 32;
  if (packet * 32 >= count) return;
  KthDistance<T, D, METRIC> search(points, norm, queries, u, count);
  Bits<T> kth, nearest;
  kth_distance(search, h, nodes, leaf_at(near, packet, count, h), rank, words[warp], stacks[warp], kth, nearest);
  if (u >= count) return;
  core[u] = kth;
  radius[u] = nearest == 0 ? 0 : INFINITE<T>;
}

// Distances of every query to its K nearest points within its radius, ascending, in registers.
template <class T, int D, int METRIC, int K>
__global__ void __launch_bounds__(32 * WARPS)
    list_within(const T *__restrict__ points, const __grid_constant__ Hierarchy h, const T *__restrict__ nodes,
                const Norm<METRIC> norm, const T *queries, i64 count, const Bits<T> *radius, Bits<T> *distance) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ SharedRow<T, D> waiting[WARPS][32];
  const i64 u = thread_id();
  if (u / 32 * 32 >= count) return;
  NearestPoints<T, D, METRIC, K> search(points, norm, queries, u, count, waiting[threadIdx.x / 32]);
  const Bits<T> bound = search.on ? bound_of<T>(radius[u]) : 0;
  search.clear(bound);
  search.reach = warp_max(bound);
  walk<T, D>(h, nodes, Packet<T, D>(search.x), stacks[threadIdx.x / 32], search);
  if (!search.on) return;
#pragma unroll
  for (int k = 0; k < K; k++) distance[u * K + k] = search.distance[k] < bound ? search.distance[k] : INFINITE<T>;
}

// A search (see walk.cuh) for any number of nearest points.
template <class T, int D, int METRIC>
struct PointsWithin {
  const T *points;
  Norm<METRIC> norm;
  Row<T, D> x;
  SortedRow<T> list;
  Bits<T> reach;

  __device__ bool may_hold(T, T) const { return true; }
  __device__ bool wants(bool, u32, const Row<T, D> &low, const Row<T, D> &high) const {
    return box_power(norm, low, high, x) < list.limit;
  }
  __device__ bool scan(int leaf, u32 = FULL) {
    const T *rows = points + (i64)leaf * (LEAF * STRIDE<D>);
    const Bits<T> before = list.limit;
#pragma unroll 1
    for (int t = 0; t < LEAF; t++) list.offer(power_between(norm, x, load<T, D>(rows, t)));
    const bool closer = __any_sync(FULL, list.limit != before);
    if (closer) reach = warp_max(list.limit);
    return closer;
  }
};

// The same distances for any number of points.
template <class T, int D, int METRIC>
__global__ void __launch_bounds__(32 * WARPS)
    row_within(const T *__restrict__ points, const __grid_constant__ Hierarchy h, const T *__restrict__ nodes,
               const Norm<METRIC> norm, const T *queries, i64 count, const Bits<T> *radius, int wanted,
               Bits<T> *distance) {
  __shared__ u64 stacks[WARPS][STACK];
  i64 u = thread_id();
  if (u / 32 * 32 >= count) return;
  PointsWithin<T, D, METRIC> search;
  const bool on = u < count;
  u = minimum(u, count - 1);
  search.points = points;
  search.norm = norm;
  search.x = load<T, D>(queries, u);
  search.list.start(distance + u * wanted, wanted, on ? bound_of<T>(radius[u]) : 0);
  search.reach = warp_max(search.list.limit);
  walk<T, D>(h, nodes, Packet<T, D>(search.x), stacks[threadIdx.x / 32], search);
  if (on) search.list.fill();
}

// `labels` can be read in whole leaves; `query_label` holds the labels of the queries, and `core` their core distances.
// Without LABELS, `near` may hold the places of the queries on the curve.
template <class T, int D, int METRIC, bool MRD, bool LABELS>
__global__ void __launch_bounds__(32 * WARPS)
    nearest_across(const T *__restrict__ points, const int *__restrict__ labels, const int *__restrict__ group,
                   int groups, const __grid_constant__ Hierarchy h, const T *__restrict__ nodes,
                   const Norm<METRIC> norm, const T *queries, i64 count, const i64 *near, const int *query_label,
                   const Bits<T> *core, const Bits<T> *radius, int *id, Bits<T> *weight, Bits<T> *distance) {
  __shared__ u64 stacks[WARPS][STACK];
  i64 packet = thread_id() / 32, u = thread_id();
  if (packet * 32 >= count) return;
  const bool on = u < count;
  u = minimum(u, count - 1);
  NearestAcross<T, D, METRIC, MRD, LABELS> search;
  search.points = points;
  search.norm = norm;
  search.labels = labels;
  search.group = group;
  search.groups = groups;
  search.begin(load<T, D>(queries, u), LABELS ? query_label[u] : NONE, MRD ? core[u] : 0, radius[u], on);
  if (!LABELS && near) {
    search.window_leaf = (u32)maximum((int)leaf_near(near, packet, count, h), 0);
    search.window_leaves = minimum(WINDOW, h.count[0] - (int)search.window_leaf);
    for (int i = 0; i < (int)search.window_leaves; i++) search.scan((int)search.window_leaf + i);
  }
  walk<T, D>(h, nodes, Packet<T, D>(search.x), stacks[threadIdx.x / 32], search);
  if (!on) return;
  id[u] = search.has_found() ? (int)search.id : NONE;
  weight[u] = search.has_found() ? search.weight : INFINITE<T>;
  distance[u] = search.distance;
}
