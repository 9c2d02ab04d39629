// The forest's edges for the caller: in the total order, with the caller's row numbers and units.
//
// One radix sort by as much of the order's key as fits into 64 bits: in float32 (weight, smaller end) or, under mutual
// reachability, (weight, power of the distance); in float64 the weight. Edges with equal first keys are next to each
// other then, in short runs as a rule, and these are sorted in place. An edge is packed as (smaller end << 32 | larger
// end); all ones is an empty slot, which comes last. Few edges are ranked instead: each counts those that come before
// it.
#include "distances/point_rows.cuh"

constexpr int LONGEST_RUN = 32;

template <class T, int METRIC>
__device__ u64 pair_power(u64 ends, const T *rows, int dimensions, int stride, const Norm<METRIC> &norm) {
  return (u64)power_between(norm, rows + (i64)(ends >> 32) * stride, rows + (i64)(u32)ends * stride, dimensions);
}

template <class T, int METRIC, bool MRD>
__global__ void first_keys(const u64 *ends, const Bits<T> *weight, i64 n, const T *rows, int dimensions, int stride,
                           const Norm<METRIC> norm, u64 *key) {
  i64 i = thread_id();
  if (i >= n) return;
  u64 e = ends[i], k = ~0ull;
  if (e != ~0ull) {
    k = (u64)weight[i];
    if (sizeof(T) == 4) k = k << 32 | (MRD ? pair_power(e, rows, dimensions, stride, norm) : e >> 32);
  }
  key[i] = k;
}

template <class T, int METRIC>
__global__ void power_keys(const int *slots, const u64 *ends, i64 edges, const T *rows, int dimensions, int stride,
                           const Norm<METRIC> norm, u64 *key) {
  i64 i = thread_id();
  if (i < edges) key[i] = pair_power(ends[slots[i]], rows, dimensions, stride, norm);
}

// Insertion sort of short runs of equal first keys by (power of the distance, smaller end, larger end).
template <class T, int METRIC, bool MRD>
__global__ void order_runs(const u64 *key, int *slots, i64 edges, const u64 *ends, const T *rows, int dimensions,
                           int stride, const Norm<METRIC> norm) {
  i64 first = thread_id();
  if (first + 1 >= edges || key[first + 1] != key[first] || (first > 0 && key[first - 1] == key[first])) return;
  i64 end = first + 2;
  while (end < edges && key[end] == key[first] && end - first <= LONGEST_RUN) end++;
  if (end - first > LONGEST_RUN) return;
  for (i64 i = first + 1; i < end; i++) {
    int slot = slots[i];
    u64 e = ends[slot], d = MRD ? pair_power(e, rows, dimensions, stride, norm) : 0;
    i64 to = i;
    for (; to > first; to--) {
      u64 f = ends[slots[to - 1]], g = MRD ? pair_power(f, rows, dimensions, stride, norm) : 0;
      if (g < d || (g == d && f < e)) break;
      slots[to] = slots[to - 1];
    }
    slots[to] = slot;
  }
}

// Marks the edges in longer runs, and sets disorder if one of these runs is not in order. Most are: edges of duplicates
// have the first point of a run in common and are sorted by slot, that is by their other end.
template <class T, int METRIC, bool MRD>
__global__ void mark_long_runs(const u64 *key, const int *slots, i64 edges, const u64 *ends, const T *rows,
                               int dimensions, int stride, const Norm<METRIC> norm, bool *in_long_run, int *disorder) {
  i64 i = thread_id();
  if (i >= edges) return;
  const u64 k = key[i];
  int before = 0, after = 0;
  while (i - before > 0 && before < LONGEST_RUN && key[i - before - 1] == k) before++;
  while (i + after + 1 < edges && after < LONGEST_RUN && key[i + after + 1] == k) after++;
  in_long_run[i] = before + 1 + after > LONGEST_RUN;
  if (!in_long_run[i] || after == 0) return;
  u64 e = ends[slots[i]], f = ends[slots[i + 1]];
  u64 d = MRD ? pair_power(e, rows, dimensions, stride, norm) : 0,
      g = MRD ? pair_power(f, rows, dimensions, stride, norm) : 0;
  if (g < d || (g == d && f < e)) *disorder = 1;
}

// The distance of a power whose degree is 2, if SQUARED, or 1. Powers of other degrees stay: the host takes their
// roots.
template <bool SQUARED, class T>
__device__ T distance_of(T power) {
  return SQUARED ? root(power) : power;
}

// Edge e, whose place in the total order is `at`, for the caller.
template <bool SQUARED, class T>
__device__ void emit(u64 e, T weight, const int *order, double unscale, i64 at, int2 *edge, T *length) {
  const int u = order[e >> 32], v = order[(u32)e];
  edge[at] = make_int2(minimum(u, v), maximum(u, v));
  narrow(mul(widened(distance_of<SQUARED>(weight)), unscale), length[at]);
}

template <class T, bool SQUARED>
__global__ void emit_edges(const u64 *key, const int *slots, i64 edges, const u64 *ends, const int *order,
                           double unscale, int2 *edge, T *length) {
  i64 i = thread_id();
  if (i >= edges) return;
  const T weight = value_of((Bits<T>)(sizeof(T) == 4 ? key[i] >> 32 : key[i]));
  emit<SQUARED>(ends[slots[i]], weight, order, unscale, i, edge, length);
}

// A warp a slot. Powers of distances are needed only of edges that are equally heavy.
template <class T, int METRIC, bool MRD, bool SQUARED>
__global__ void emit_ranked(const u64 *ends, const Bits<T> *weight, i64 n, const T *rows, int dimensions, int stride,
                            const Norm<METRIC> norm, const int *order, double unscale, int2 *edge, T *length) {
  const i64 i = thread_id() / 32;
  if (i >= n || ends[i] == ~0ull) return;
  const u64 e = ends[i];
  const Bits<T> own = weight[i];
  const auto power = [&](u64 f) { return MRD ? pair_power(f, rows, dimensions, stride, norm) : 0; };
  const u64 d = power(e);
  u32 before = 0;
  for (i64 j = lane_id(); j < n; j += 32) {
    const u64 f = ends[j];
    if (f == ~0ull || f == e || weight[j] > own) continue;
    if (weight[j] == own) {
      const u64 g = power(f);
      if (g > d || (g == d && f > e)) continue;
    }
    before++;
  }
  before = __reduce_add_sync(FULL, before);
  if (lane_id() == 0) emit<SQUARED>(e, value_of(own), order, unscale, before, edge, length);
}

template <class T, int METRIC>
__global__ void edge_powers(const int *u, const int *v, i64 edges, const T *rows, int dimensions, int stride,
                            const Norm<METRIC> norm, Bits<T> *power) {
  const i64 i = thread_id();
  if (i < edges) power[i] = power_between(norm, rows + (i64)u[i] * stride, rows + (i64)v[i] * stride, dimensions);
}

template <class T, bool SQUARED>
__global__ void unscaled(const T *powers, i64 n, const int *order, double unscale, T *out) {
  i64 i = thread_id();
  if (i < n) narrow(mul(widened(distance_of<SQUARED>(powers[i])), unscale), out[order[i]]);
}
