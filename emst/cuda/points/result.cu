// The forest's edges for the caller: in the total order, with the caller's row numbers and units.
//
// One radix sort by weight. Edges of equal weight are next to each other then, in short runs as a rule, and these are
// put in order while the edges are written. Where many float32 weights are equal, a sort of 64 bits takes the next key
// of the order, too. An edge is packed as (smaller end << 32 | larger end); all ones is an empty
// slot, whose weight is all ones, too, so that it comes last. Few edges are ranked instead: each counts those that come
// before it.
#include "runtime/ties.cuh"
#include "distances/point_rows.cuh"

constexpr int LONGEST_RUN = EMST_LONGEST_RUN;

// All that the order of equally heavy edges and the result need of an edge: one access to memory. The power of the
// distance is left out where that is the weight.
template <class T, bool MRD>
struct alignas(MRD ? 32 : 16) Edge {
  u64 ends;
  int2 rows;  // of the caller, ascending
  Bits<T> power;
};
template <class T>
struct alignas(16) Edge<T, false> {
  u64 ends;
  int2 rows;
};

template <class T, bool MRD>
__device__ bool comes_before(const Edge<T, MRD> &e, const Edge<T, MRD> &f) {
  if constexpr (MRD)
    if (e.power != f.power) return e.power < f.power;
  return e.ends < f.ends;
}

template <class T, int METRIC>
__device__ Bits<T> pair_power(u64 ends, const T *rows, int dimensions, int stride, const Norm<METRIC> &norm) {
  return power_between(norm, rows + (i64)(ends >> 32) * stride, rows + (i64)(u32)ends * stride, dimensions);
}

__device__ inline int2 rows_of(u64 ends, const int *order) {
  const int u = order[ends >> 32], v = order[(u32)ends];
  return make_int2(minimum(u, v), maximum(u, v));
}

// Weights and edges of all slots. The ends of an edge are near its slot as a rule, and so are their rows in `order`.
template <class T, int METRIC, bool MRD>
__global__ void list_edges(const u64 *ends, const Bits<T> *weight, i64 n, const T *rows, int dimensions, int stride,
                           const Norm<METRIC> norm, const int *order, Bits<T> *key, u64 *edges) {
  Edge<T, MRD> edge[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) edge[j].ends = point_of_thread(j) < n ? ends[point_of_thread(j)] : ~0ull;
#pragma unroll
  for (int j = 0; j < EACH; j++)
    if (edge[j].ends != ~0ull) edge[j].rows = rows_of(edge[j].ends, order);
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    if (i >= n) return;
    const bool empty = edge[j].ends == ~0ull;
    key[i] = empty ? ~(Bits<T>)0 : weight[i];
    if (empty) continue;
    if constexpr (MRD) edge[j].power = pair_power(edge[j].ends, rows, dimensions, stride, norm);
    reinterpret_cast<Edge<T, MRD> *>(edges)[i] = edge[j];
  }
}

// The first two keys of the total order in one number: the weight, and the power of the distance or the smaller end.
template <bool MRD>
__global__ void two_keys(const u64 *edges, const int *weight, i64 n, u64 *key) {
  const i64 i = thread_id();
  if (i >= n) return;
  const Edge<float, MRD> &edge = reinterpret_cast<const Edge<float, MRD> *>(edges)[i];
  u32 second;
  if constexpr (MRD)
    second = edge.power;
  else
    second = edge.ends >> 32;
  key[i] = weight[i] < 0 ? ~0ull : (u64)weight[i] << 32 | second;
}

template <class T, int METRIC>
__global__ void power_keys(const int *slots, const u64 *ends, i64 edges, const T *rows, int dimensions, int stride,
                           const Norm<METRIC> norm, Bits<T> *key) {
  i64 i = thread_id();
  if (i < edges) key[i] = pair_power(ends[slots[i]], rows, dimensions, stride, norm);
}

// Marks the edges in runs of equal weights that are too long for `emit_sorted`.
template <class Word>
__global__ void mark_long_runs(const Word *key, i64 edges, bool *in_long_run) {
  i64 i = thread_id();
  if (i >= edges) return;
  const Word k = key[i];
  i64 front = i, back = i + 1;
  while (front > 0 && i - front < LONGEST_RUN && key[front - 1] == k) front--;
  while (back < edges && back - front <= LONGEST_RUN && key[back] == k) back++;
  in_long_run[i] = back - front > LONGEST_RUN;
}

// The distance of a power whose degree is 2, if SQUARED, or 1. Powers of other degrees stay: the host takes their
// roots.
template <bool SQUARED, class T>
__device__ T distance_of(T power) {
  return SQUARED ? root(power) : power;
}

template <bool SQUARED, class T>
__device__ void emit(int2 rows, T weight, double unscale, i64 at, int2 *edge, T *length) {
  edge[at] = rows;
  narrow(mul(widened(distance_of<SQUARED>(weight)), unscale), length[at]);
}

// The weight is the key, or its upper half. `state` becomes LONG_RUNS if a long run is not in order. Most are: edges of
// duplicates are equally heavy, and their slots are in the order of their ends. If it is MANY_TIES there is no order.
template <class T, class Word, bool MRD, bool SQUARED>
__global__ void __launch_bounds__(TIE_THREADS)
    emit_sorted(const Word *key, const int *slots, i64 count, const u64 *edges, double unscale, int2 *edge, T *length,
                int *state) {
  if (*state == MANY_TIES) return;
  order_ties<LONGEST_RUN, Edge<T, MRD>>(
      key, count, [&](i64 i, bool) { return reinterpret_cast<const Edge<T, MRD> *>(edges)[slots[i]]; },
      comes_before<T, MRD>,
      [&](i64 to, const Edge<T, MRD> &e, Word k, const Edge<T, MRD> *ahead) {
        const auto weight = (Bits<T>)(sizeof(Word) > sizeof(T) ? k >> 32 : k);
        emit<SQUARED>(e.rows, value_of(weight), unscale, to, edge, length);
        if (ahead && !comes_before(e, *ahead)) *state = LONG_RUNS;
      });
}

// A warp a slot. Powers of distances are needed only of edges that are equally heavy.
template <class T, int METRIC, bool MRD, bool SQUARED>
__global__ void emit_ranked(const u64 *ends, const Bits<T> *weight, i64 n, const T *rows, int dimensions, int stride,
                            const Norm<METRIC> norm, const int *order, double unscale, int2 *edge, T *length) {
  const i64 i = thread_id() / 32;
  if (i >= n || ends[i] == ~0ull) return;
  const u64 e = ends[i];
  const Bits<T> own = weight[i];
  const auto power = [&](u64 f) { return MRD ? pair_power(f, rows, dimensions, stride, norm) : Bits<T>(0); };
  const Bits<T> d = power(e);
  u32 before = 0;
  for (i64 j = lane_id(); j < n; j += 32) {
    const u64 f = ends[j];
    if (f == ~0ull || f == e || weight[j] > own) continue;
    if (weight[j] == own) {
      const Bits<T> g = power(f);
      if (g > d || (g == d && f > e)) continue;
    }
    before++;
  }
  before = __reduce_add_sync(FULL, before);
  if (lane_id() == 0) emit<SQUARED>(rows_of(e, order), value_of(own), unscale, before, edge, length);
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
