// Places on a Hilbert curve: the grid of a cell, and the codes of points in it.
//
// Transposing the quantised coordinates turns the Morton code into the Hilbert index: J. Skilling, "Programming the
// Hilbert curve", AIP Conference Proceedings 707 (2004). Neighbours on the curve are then neighbours in space.
#pragma once
#include "points/curve_table.cuh"
#include "runtime/exact.cuh"

constexpr int CURVE_BITS = EMST_CURVE_BITS;

__device__ constexpr int bits_for(int axes) { return CURVE_BITS / axes < 32 ? CURVE_BITS / axes : 32; }

// The grids of many cells, with places for D axes each.
struct Grids {
  const double *low;     // least scaled coordinates of the chosen axes
  const int *axes;       // the chosen axes, ascending
  const int *used;       // how many axes are chosen
  const double *factor;  // grid cells per scaled unit; 0 where the cell cannot be divided
};

// The bits of the first `axes` numbers, from the highest down, the first axis first.
template <int D>
__device__ u64 interleave(const u32 (&X)[D], int axes, int bits) {
  if (D == 1 || axes == 1) return X[0];
  u64 code = 0;
  for (int b = bits - 1; b >= 0; b--)
#pragma unroll
    for (int d = 0; d < D; d++)
      if (d < axes) code = code << 1 | (X[d] >> b & 1);
  return code;
}

template <int D>
__device__ void hilbert_transpose(u32 (&X)[D], int axes, int bits) {
  const u32 top = 1u << (bits - 1);
  for (u32 Q = top; Q > 1; Q >>= 1) {
    u32 P = Q - 1;
#pragma unroll
    for (int d = 0; d < D; d++) {
      if (d >= axes) continue;
      u32 t = (X[0] ^ X[d]) & P;
      bool set = X[d] & Q;
      X[0] ^= set ? P : t;
      X[d] ^= set ? 0 : t;
    }
  }
  u32 last = X[0];
#pragma unroll
  for (int d = 1; d < D; d++) {
    if (d >= axes) continue;
    X[d] ^= X[d - 1];
    last = X[d];
  }
  u32 t = 0;
  for (u32 Q = top; Q > 1; Q >>= 1)
    if (last & Q) t ^= Q - 1;
#pragma unroll
  for (int d = 0; d < D; d++) X[d] ^= t;
}

// The code of X along all D axes. It lies in shared memory; before it is used, all threads of a block call `copy` and
// meet at a barrier.
template <int D>
struct CurveCoder {
  __device__ void copy() {}
  __device__ u64 code(u32 (&X)[D]) const {
    if (D > 1) hilbert_transpose(X, D, bits_for(D));
    return interleave(X, D, bits_for(D));
  }
};
template <>
struct CurveCoder<2> : TableCoder<2, bits_for(2)> {};
template <>
struct CurveCoder<3> : TableCoder<3, bits_for(3)> {};

// The code of a point in a cell that can be divided; points outside its box count to its outermost codes. D is the
// least of the number of dimensions and the most axes of a code.
template <class T, int D>
__device__ u64 curve_code(const CurveCoder<D> &coder, const T *point, double scale, const Grids &grids, i64 cell) {
  const int axes = grids.used[cell], bits = bits_for(axes);
  const double factor = grids.factor[cell];
  const u32 last = (u32)((1ull << bits) - 1);
  u32 X[D];
#pragma unroll
  for (int d = 0; d < D; d++) {
    X[d] = 0;
    if (d >= axes) continue;
    const double scaled = mul(widened(point[grids.axes[cell * D + d]]), scale);
    const double t = mul(add(scaled, -grids.low[cell * D + d]), factor);
    X[d] = minimum(__double2uint_rz(t), last);  // which takes numbers below 0 for 0, and large ones for the largest
  }
  if (axes == D) return coder.code(X);  // a constant number of axes: the loops over them have no conditions
  if (axes > 1) hilbert_transpose(X, axes, bits);
  return interleave(X, axes, bits);
}
