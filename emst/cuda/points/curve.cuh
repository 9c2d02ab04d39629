// Places on a Hilbert curve: the grid of a cell, and the codes of points in it.
//
// Transposing the quantised coordinates turns the Morton code into the Hilbert index: J. Skilling, "Programming the
// Hilbert curve", AIP Conference Proceedings 707 (2004). Neighbours on the curve are then neighbours in space.
#pragma once
#include "runtime/exact.cuh"

constexpr int CURVE_BITS = EMST_CURVE_BITS;

__device__ constexpr int bits_for(int axes) { return CURVE_BITS / axes < 32 ? CURVE_BITS / axes : 32; }

// The grids of many cells, with room for D axes each.
struct Grids {
  const double *low;     // least scaled coordinates of the chosen axes
  const int *axes;       // the chosen axes, ascending
  const int *used;       // how many axes are chosen
  const double *factor;  // grid cells per scaled unit; 0 where the cell cannot be divided
};

__device__ inline u64 spread3(u64 x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffull;
  x = (x | x << 16) & 0x1f0000ff0000ffull;
  x = (x | x << 8) & 0x100f00f00f00f00full;
  x = (x | x << 4) & 0x10c30c30c30c30c3ull;
  return (x | x << 2) & 0x1249249249249249ull;
}
__device__ inline u64 spread2(u64 x) {
  x = (x | x << 16) & 0x0000ffff0000ffffull;
  x = (x | x << 8) & 0x00ff00ff00ff00ffull;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
  x = (x | x << 2) & 0x3333333333333333ull;
  return (x | x << 1) & 0x5555555555555555ull;
}

// The bits of the first `axes` numbers, from the highest down, the first axis first.
template <int D>
__device__ u64 interleave(const u32 (&X)[D], int axes, int bits) {
  if (D == 1 || axes == 1) return X[0];
  if (D == 2 && axes == D) return spread2(X[0]) << 1 | spread2(X[D - 1]);
  if (D == 3 && axes == D) return spread3(X[0]) << 2 | spread3(X[D / 2]) << 1 | spread3(X[D - 1]);
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

// The code of a point in a cell that can be divided; points outside its box count to its outermost codes. D is the
// least of the number of dimensions and the most axes of a code.
template <class T, int D>
__device__ u64 curve_code(const T *point, double scale, const Grids &grids, i64 cell) {
  const int axes = grids.used[cell], bits = bits_for(axes);
  const double factor = grids.factor[cell], last = (double)((1ull << bits) - 1);
  u32 X[D];
#pragma unroll
  for (int d = 0; d < D; d++) {
    X[d] = 0;
    if (d >= axes) continue;
    const double scaled = mul(widened(point[grids.axes[cell * D + d]]), scale);
    const double t = mul(add(scaled, -grids.low[cell * D + d]), factor);
    X[d] = (u32)fmin(fmax(t, 0.0), last);
  }
  // With a constant number of axes, the loops over them have no conditions.
  if (axes == D) {
    if (D > 1) hilbert_transpose(X, D, bits_for(D));
    return interleave(X, D, bits_for(D));
  }
  if (axes > 1) hilbert_transpose(X, axes, bits);
  return interleave(X, axes, bits);
}
