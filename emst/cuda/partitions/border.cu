// Computes lower bounds of the edges to other partitions, and finds the components of a partition that must not hook,
// because another partition may hold a lighter edge. Every component has a bound, which is stored at its root: the
// least weight of an edge from its points to other partitions. Under mutual reachability a second bound decides between
// equal weights: the least power of a distance among the edges of that weight.
//
// border.py launches, for points, the kernel bound_weights, and leave_out and least_value (`least_of_others`); when
// components have been joined, lower_bounds or, with powers, begin_bounds, join_weights, join_powers and end_bounds;
// and in every round count_sure and then take_unsure.
#include "first_round.cuh"
#include "runtime/order.cuh"
#include "distances/point_rows.cuh"

// An edge of a point weighs at least as much as the core distance of this point, if there is one. `ends` has an edge
// for every point that was joined to another one. It is null if no points were joined.
template <class T>
__global__ void bound_weights(const Bits<T> *reach, const Bits<T> *core, const u64 *ends, i64 n, Bits<T> *weight) {
  const i64 i = thread_id();
  if (i < n) weight[i] = ends && ends[i] != NO_EDGE ? INFINITE<T> : maximum(reach[i], core ? core[i] : Bits<T>(0));
}

template <class T>
__global__ void leave_out(const int *places, i64 count, Bits<T> *value) {
  const i64 i = thread_id();
  if (i < count) value[places[i]] = INFINITE<T>;
}

template <class T>
__global__ void least_value(const Bits<T> *value, i64 n, Bits<T> *least) {
  Bits<T> mine = INFINITE<T>;
#pragma unroll
  for (int j = 0; j < EACH; j++) mine = minimum(mine, value[minimum(point_of_thread(j), n - 1)]);
  mine = warp_min(mine);
  if (lane_id() == 0) lower(least, mine);
}

template <class T>
__global__ void lower_bounds(const int *roots, i64 count, const int *labels, Bits<T> *weight) {
  const i64 k = thread_id();
  if (k >= count) return;
  const int c = roots[k], root = labels[c];
  if (root != c) lower(weight + root, weight[c]);
}

template <class T>
__global__ void begin_bounds(const int *components, i64 count, const Bits<T> *weight, Bits<T> *least_weight,
                             Bits<T> *least_power) {
  const i64 k = thread_id();
  if (k >= count) return;
  least_weight[components[k]] = weight[components[k]];
  least_power[components[k]] = INFINITE<T>;
}

template <class T>
__global__ void join_weights(const int *roots, i64 count, const int *labels, const Bits<T> *weight,
                             Bits<T> *least_weight) {
  const i64 k = thread_id();
  if (k < count) lower(least_weight + labels[roots[k]], weight[roots[k]]);
}

template <class T>
__global__ void join_powers(const int *roots, i64 count, const int *labels, const Bits<T> *weight, const Bits<T> *power,
                            const Bits<T> *least_weight, Bits<T> *least_power) {
  const i64 k = thread_id();
  if (k >= count) return;
  const int c = roots[k], root = labels[c];
  if (weight[c] == least_weight[root]) lower(least_power + root, power[c]);
}

template <class T>
__global__ void end_bounds(const int *components, i64 count, const Bits<T> *least_weight, const Bits<T> *least_power,
                           Bits<T> *weight, Bits<T> *power) {
  const i64 k = thread_id();
  if (k >= count) return;
  weight[components[k]] = least_weight[components[k]];
  power[components[k]] = least_power[components[k]];
}

// Whether a component has an edge, and this comes before its bound. power is null where powers are weights.
template <class T, int METRIC>
__device__ bool is_sure(int c, const Bits<T> *best, const u64 *edge, const Bits<T> *weight, const Bits<T> *power,
                        const T *rows, int dimensions, int stride, const Norm<METRIC> &norm) {
  if (edge[c] == NO_EDGE) return false;
  if (best[c] != weight[c] || !power) return best[c] < weight[c];
  const i64 u = edge[c] >> 32, v = (u32)edge[c];
  return power_between(norm, rows + u * stride, rows + v * stride, dimensions) < power[c];
}

// If the partition keeps the round, `waiting` are its labels, and runs of equal points do not hook (merge.cu).
// Otherwise `waiting` is null.
template <class T, int METRIC>
__global__ void count_sure(const int *components, i64 count, const Bits<T> *best, const u64 *edge,
                           const Bits<T> *weight, const Bits<T> *power, const T *rows, int dimensions, int stride,
                           const Norm<METRIC> norm, const int *waiting, i64 n, int *total) {
  const i64 k = thread_id();
  const bool hooks = k < count && !(waiting && is_run(waiting, n, components[k]));
  const bool sure =
      hooks && is_sure<T, METRIC>(components[k], best, edge, weight, power, rows, dimensions, stride, norm);
  const int here = __syncthreads_count(sure);
  if (threadIdx.x == 0 && here) atomicAdd(total, here);
}

template <class T, int METRIC>
__global__ void take_unsure(const int *components, i64 count, const Bits<T> *best, u64 *edge, const Bits<T> *weight,
                            const Bits<T> *power, const T *rows, int dimensions, int stride, const Norm<METRIC> norm) {
  const i64 k = thread_id();
  if (k >= count) return;
  const int c = components[k];
  if (!is_sure<T, METRIC>(c, best, edge, weight, power, rows, dimensions, stride, norm)) edge[c] = NO_EDGE;
}
