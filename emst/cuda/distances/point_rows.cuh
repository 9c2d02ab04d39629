// Points and nodes as rows of D coordinates and a tag, and the powers of the distances between them.
//
// A point is one row, its tag the power of its core distance. A node is two rows: (low corner, label or MIXED) and
// (high corner, least core distance below it). Up to three dimensions a row is padded to four numbers, one or two
// 16-byte loads.
//
// Powers of points and of boxes round in the same sequence, so a box is never farther than a point in it (metric.cuh).
#pragma once
#include "distances/metric.cuh"

template <int D>
constexpr int STRIDE = D <= 3 ? 4 : D + 1;

template <class T, int D>
struct Row {
  T x[D];
  T tag;
};

// A row in shared memory: one access up to three dimensions of floats.
template <class T, int D>
struct alignas(D == 1 && sizeof(T) == 4 ? 8 : 16) SharedRow : Row<T, D> {};

// What no thread of the kernel writes goes through the read-only cache; what CHANGES must not.
template <bool CHANGES, class V>
__device__ V fetched(const V *at) {
  if constexpr (CHANGES)
    return *at;
  else
    return __ldg(at);
}

template <class T, int D, bool CHANGES = false>
__device__ Row<T, D> load(const T *rows, i64 i) {
  Row<T, D> row;
  if constexpr (D <= 3 && sizeof(T) == 4) {
    float4 v = fetched<CHANGES>(reinterpret_cast<const float4 *>(rows) + i);
    const float x[3] = {v.x, v.y, v.z};
    for (int d = 0; d < D; d++) row.x[d] = x[d];
    row.tag = v.w;
  } else if constexpr (D <= 3) {
    double2 v = fetched<CHANGES>(reinterpret_cast<const double2 *>(rows) + 2 * i);
    double2 w = fetched<CHANGES>(reinterpret_cast<const double2 *>(rows) + 2 * i + 1);
    const double x[3] = {v.x, v.y, w.x};
    for (int d = 0; d < D; d++) row.x[d] = x[d];
    row.tag = w.y;
  } else {
#pragma unroll
    for (int d = 0; d < D; d++) row.x[d] = fetched<CHANGES>(rows + i * STRIDE<D> + d);
    row.tag = fetched<CHANGES>(rows + i * STRIDE<D> + D);
  }
  return row;
}

// Also writes the padding, since a row is loaded as a whole.
template <class T, int D>
__device__ void store(T *rows, i64 i, const Row<T, D> &row) {
#pragma unroll
  for (int d = 0; d < STRIDE<D> - 1; d++) rows[i * STRIDE<D> + d] = d < D ? row.x[d] : T(0);
  rows[i * STRIDE<D> + STRIDE<D> - 1] = row.tag;
}

// A label in a tag of either width.
__device__ inline float tag_of(int label, float) { return __int_as_float(label); }
__device__ inline double tag_of(int label, double) { return __longlong_as_double(label); }
__device__ inline int label_of(float tag) { return __float_as_int(tag); }
__device__ inline int label_of(double tag) { return (int)__double_as_longlong(tag); }

// Of points with any number of coordinates, for kernels that wait for memory anyway.
template <int METRIC, class T>
__device__ Bits<T> power_between(const Norm<METRIC> &norm, const T *a, const T *b, int dimensions) {
  T power = term(norm, gap(norm, a[0], b[0], 0));
  for (int d = 1; d < dimensions; d++) power = extended(norm, power, term(norm, gap(norm, a[d], b[d], d)));
  return bits_of(power);
}

template <int METRIC, class T, int D>
__device__ Bits<T> power_between(const Norm<METRIC> &norm, const Row<T, D> &a, const Row<T, D> &b) {
  T power = term(norm, gap(norm, a.x[0], b.x[0], 0));
#pragma unroll
  for (int d = 1; d < D; d++) power = extended(norm, power, term(norm, gap(norm, a.x[d], b.x[d], d)));
  return bits_of(power);
}

// Between a box and a point: from the point to the nearest point of the box. The power of a box without extent is that
// of the points in it, also under ANY_POWER: only then can a search that takes strictly nearer points leave out further
// points that equal one it has found.
template <int METRIC, class T, int D>
__device__ Bits<T> box_power(const Norm<METRIC> &norm, const Row<T, D> &low, const Row<T, D> &high,
                             const Row<T, D> &x) {
  T power = T(0);
  bool flat = KIND<METRIC> == ANY_POWER;
#pragma unroll
  for (int d = 0; d < D; d++) {
    T least;
    if constexpr (WRAPS<METRIC>) {
      least = gap_between(norm, low.x[d], high.x[d], x.x[d], x.x[d], d);
    } else {
      least = gap(norm, x.x[d], minimum(maximum(x.x[d], low.x[d]), high.x[d]), d);
    }
    const T t = term(norm, least);
    power = d ? extended(norm, power, t) : t;
    if (KIND<METRIC> == ANY_POWER) flat = flat && bits_of(low.x[d]) == bits_of(high.x[d]);
  }
  return bits_of(flat ? power : of_box(norm, power));
}

// Between the boxes [low, high] and [a, b].
template <int METRIC, class T, int D>
__device__ Bits<T> box_power(const Norm<METRIC> &norm, const Row<T, D> &low, const Row<T, D> &high, const Row<T, D> &a,
                             const Row<T, D> &b) {
  T power = T(0);
#pragma unroll
  for (int d = 0; d < D; d++) {
    const T t = term(norm, gap_between(norm, low.x[d], high.x[d], a.x[d], b.x[d], d));
    power = d ? extended(norm, power, t) : t;
  }
  return bits_of(of_box(norm, power));
}

// Whether point i repeats a point t of its component with a smaller id: then it never holds the component's lightest
// edge, since the total order prefers all edges of t.
template <class T>
__device__ bool repeated(const T *rows, int dimensions, int stride, i64 i, i64 t) {
  return t < i && are_equal(rows, i, t, dimensions, stride);
}
