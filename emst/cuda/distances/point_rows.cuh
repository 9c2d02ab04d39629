// Points and nodes as rows of D coordinates and a tag, and the two distances between them.
//
// A point is one row, its tag the core distance (squared). A node is two rows: (low corner, label or MIXED) and
// (high corner, least core distance below it). Up to three dimensions a row is padded to four numbers, one or two
// 16-byte loads.
//
// Point and box distances round in the same sequence. Rounding is monotone, so a box is never farther than a point in
// it.
#pragma once
#include "runtime/exact.cuh"

template <int D>
constexpr int STRIDE = D <= 3 ? 4 : D + 1;

template <class T, int D>
struct Row {
  T x[D];
  T tag;
};

template <class T, int D>
__device__ Row<T, D> load(const T *__restrict__ rows, i64 i) {
  Row<T, D> row;
  if constexpr (D <= 3 && sizeof(T) == 4) {
    float4 v = __ldg(reinterpret_cast<const float4 *>(rows) + i);
    const float x[3] = {v.x, v.y, v.z};
    for (int d = 0; d < D; d++) row.x[d] = x[d];
    row.tag = v.w;
  } else if constexpr (D <= 3) {
    double2 v = __ldg(reinterpret_cast<const double2 *>(rows) + 2 * i);
    double2 w = __ldg(reinterpret_cast<const double2 *>(rows) + 2 * i + 1);
    const double x[3] = {v.x, v.y, w.x};
    for (int d = 0; d < D; d++) row.x[d] = x[d];
    row.tag = w.y;
  } else {
#pragma unroll
    for (int d = 0; d < D; d++) row.x[d] = __ldg(rows + i * STRIDE<D> + d);
    row.tag = __ldg(rows + i * STRIDE<D> + D);
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
template <class T>
__device__ Bits<T> dist2(const T *a, const T *b, int dimensions) {
  T t = a[0] - b[0], s = mul(t, t);
  for (int d = 1; d < dimensions; d++) {
    t = a[d] - b[d];
    s = add(s, mul(t, t));
  }
  return bits_of(s);
}

template <class T, int D>
__device__ Bits<T> dist2(const Row<T, D> &a, const Row<T, D> &b) {
  T t = a.x[0] - b.x[0], s = mul(t, t);
#pragma unroll
  for (int d = 1; d < D; d++) {
    t = a.x[d] - b.x[d];
    s = add(s, mul(t, t));
  }
  return bits_of(s);
}

// Between a box and a point: from the point to the nearest point of the box.
template <class T, int D>
__device__ Bits<T> box_dist2(const Row<T, D> &low, const Row<T, D> &high, const Row<T, D> &x) {
  T s = T(0);
#pragma unroll
  for (int d = 0; d < D; d++) {
    T t = x.x[d] - minimum(maximum(x.x[d], low.x[d]), high.x[d]);
    s = d ? add(s, mul(t, t)) : mul(t, t);
  }
  return bits_of(s);
}

// Between the boxes [low, high] and [a, b].
template <class T, int D>
__device__ Bits<T> box_dist2(const Row<T, D> &low, const Row<T, D> &high, const Row<T, D> &a, const Row<T, D> &b) {
  T s = T(0);
#pragma unroll
  for (int d = 0; d < D; d++) {
    T t = maximum(maximum(low.x[d] - b.x[d], a.x[d] - high.x[d]), T(0));
    s = d ? add(s, mul(t, t)) : mul(t, t);
  }
  return bits_of(s);
}

// Whether point i repeats a point t of its component with a smaller id: then it never holds the component's lightest
// edge, since the total order prefers all edges of t.
template <class T>
__device__ bool repeated(const T *rows, int dimensions, int stride, i64 i, i64 t) {
  if (t >= i) return false;
  for (int d = 0; d < dimensions; d++)
    if (bits_of(rows[i * stride + d]) != bits_of(rows[t * stride + d])) return false;
  return true;
}
