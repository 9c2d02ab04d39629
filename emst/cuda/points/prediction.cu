// Where new points would join: the nearest point under mutual reachability, as if the query had been there too.
//
// Two packet walks. The first finds the query's core distance, the distance to its (k - 1)-th nearest point; the
// second finds the first point in the order of (weight, power of the distance, id), and skips nodes by their least core
// distance. A point at distance 0 is the query itself: it comes before all others, whatever its core distance.
//
// prediction.py launches query_lists or, for high ranks, query_kth_distances; then nearest_reachable.
#include "points/kth.cuh"
#include "points/nearest.cuh"
#include "runtime/order.cuh"

// The leaf at the place of the packet of queries among the points on the curve.
__device__ inline i64 leaf_at(const i64 *near, i64 packet, i64 count, const Hierarchy &h) {
  return minimum(near[minimum(packet * 32 + 16, count - 1)] / LEAF, (i64)h.count[0] - 1);
}
// The first leaf of the window around it.
__device__ inline i64 leaf_near(const i64 *near, i64 packet, i64 count, const Hierarchy &h) {
  return leaf_at(near, packet, count, h) - WINDOW / 2;
}

// Distances of every query to its K-th nearest point and to its nearest.
template <class T, int D, int METRIC, int K>
__global__ void __launch_bounds__(32 * WARPS)
    query_lists(const T *__restrict__ points, const __grid_constant__ Hierarchy h, const T *__restrict__ nodes,
                const Norm<METRIC> norm, const T *queries, i64 count, const i64 *near, Bits<T> *core,
                Bits<T> *nearest) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ Wanting<T, D> waiting[WARPS][32];
  const i64 u = thread_id(), packet = u / 32;
  if (packet * 32 >= count) return;
  NearestPoints<T, D, METRIC, K> search(points, norm, queries, u, count, waiting[threadIdx.x / 32]);
  list_nearest(search, h, nodes, leaf_near(near, packet, count, h), stacks[threadIdx.x / 32]);
  if (!search.on) return;
  nearest[u] = search.distance[0];
  core[u] = search.distance[K - 1];
}

// The same for the point of any rank.
template <class T, int D, int METRIC>
__global__ void __launch_bounds__(32 * WARPS)
    query_kth_distances(const T *__restrict__ points, const __grid_constant__ Hierarchy h, const T *__restrict__ nodes,
                        const Norm<METRIC> norm, const T *queries, i64 count, const i64 *near, int rank, Bits<T> *core,
                        Bits<T> *nearest) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ u32 words[WARPS][32 * Selection<T>::BINS];
  const i64 packet = thread_id() / 32, u = thread_id();
  const int warp = threadIdx.x / 32;
  if (packet * 32 >= count) return;
  KthDistance<T, D, METRIC> search;
  search.points = points;
  search.norm = norm;
  search.x = load<T, D>(queries, minimum(u, count - 1));
  Bits<T> kth, least;
  kth_distance(search, h, nodes, leaf_at(near, packet, count, h), rank, words[warp], stacks[warp], kth, least);
  if (u >= count) return;
  core[u] = kth;
  nearest[u] = least;
}

// A search (see walk.cuh) for the first point in the order of (weight, power of the distance, id).
template <class T, int D, int METRIC>
struct NearestReachable {
  const T *points;
  Norm<METRIC> norm;
  Row<T, D> x;
  Bits<T> core;              // of the query
  Bits<T> weight, distance;  // of the first point so far; one at distance 0 does not change the weight
  Bits<T> radius;            // points farther than this do not matter
  Bits<T> reach, heaviest;   // greatest radius and weight of the packet
  u32 id, window_leaf, window_leaves;

  __device__ bool may_hold(T, T high_tag) const { return bits_of(high_tag) <= heaviest; }
  // A node that is no nearer than the first point so far matters only if it may hold a smaller id.
  __device__ bool wants(bool is_leaf, u32 first, const Row<T, D> &low, const Row<T, D> &high) const {
    if (is_leaf && first / LEAF - window_leaf < window_leaves) return false;
    if (bits_of(high.tag) > weight) return false;
    const Bits<T> d = box_power(norm, low, high, x);
    return d < radius || (d == radius && first <= id && distance >= radius);
  }
  __device__ bool offer(Bits<T> d, Bits<T> other_core, u32 i) {
    if (d > radius) return false;
    if (d == 0) {
      if (distance == 0 && i > id) return false;
    } else {
      const Bits<T> w = maximum(d, maximum(core, other_core));
      if (distance == 0 || !Neighbour<T>{w, d, (int)i}.before({weight, distance, (int)id})) return false;
      weight = w;
    }
    distance = d;
    id = i;
    radius = d == 0 || weight == core ? d : weight;  // no edge is lighter than the query's core distance, only shorter
    return true;
  }
  __device__ bool scan(int leaf, u32 = FULL) {
    const T *rows = points + (i64)leaf * (LEAF * STRIDE<D>);
    bool changed = false;
#pragma unroll
    for (int t = 0; t < LEAF; t++) {
      const Row<T, D> y = load<T, D>(rows, t);
      changed |= offer(power_between(norm, x, y), bits_of(y.tag), (u32)leaf * LEAF + t);
    }
    const bool any = __any_sync(FULL, changed);
    if (any) measure();
    return any;
  }
  __device__ void measure() {
    reach = warp_max(radius);
    heaviest = warp_max(weight);
  }
};

// `nearest` is the distance to the nearest point; null where core distances are 0.
template <class T, int D, int METRIC>
__global__ void __launch_bounds__(32 * WARPS)
    nearest_reachable(const T *__restrict__ points, const __grid_constant__ Hierarchy h, const T *__restrict__ nodes,
                      const Norm<METRIC> norm, const T *queries, i64 count, const i64 *near, const Bits<T> *core,
                      const Bits<T> *nearest, int *id, Bits<T> *weight) {
  __shared__ u64 stacks[WARPS][STACK];
  i64 packet = thread_id() / 32, u = thread_id();
  if (packet * 32 >= count) return;
  constexpr Bits<T> FAR = INFINITE<T> - 1;  // rows past the last point are infinitely far
  NearestReachable<T, D, METRIC> search;
  const bool on = u < count;
  u = minimum(u, count - 1);
  search.points = points;
  search.norm = norm;
  search.x = load<T, D>(queries, u);
  search.core = core[u];
  search.weight = on ? FAR : Bits<T>(-1);
  search.distance = FAR;
  search.radius = !on ? Bits<T>(-1) : nearest && nearest[u] == 0 ? Bits<T>(0) : FAR;
  search.id = ~0u;
  search.window_leaf = (u32)maximum((int)leaf_near(near, packet, count, h), 0);
  search.window_leaves = minimum(WINDOW, h.count[0] - (int)search.window_leaf);
  search.measure();
  for (int i = 0; i < (int)search.window_leaves; i++) search.scan((int)search.window_leaf + i);
  walk<T, D>(h, nodes, Packet<T, D>(search.x), stacks[threadIdx.x / 32], search);
  if (!on) return;
  id[u] = (int)search.id;
  weight[u] = search.distance == 0 ? 0 : search.weight;
}
