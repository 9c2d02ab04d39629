// Places of points on the Hilbert curve: 64-bit codes.
//
// Transposing the quantised coordinates turns the Morton code into the Hilbert index: J. Skilling, "Programming the
// Hilbert curve", AIP Conference Proceedings 707 (2004). Neighbours on the curve are then neighbours in space.
#include "runtime/exact.cuh"

template <int D>
struct Scaling {  // see emst/backend/records.py
  double low[D];
  double scale, factor;
  int bits;
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

template <int D>
__device__ u64 interleave(const u32 (&X)[D], int bits) {
  if constexpr (D == 1) return X[0];
  if constexpr (D == 2) return spread2(X[0]) << 1 | spread2(X[D - 1]);
  if constexpr (D == 3) return spread3(X[0]) << 2 | spread3(X[1]) << 1 | spread3(X[D - 1]);
  u64 code = 0;
  for (int b = bits - 1; b >= 0; b--)
    for (int d = 0; d < D; d++) code = code << 1 | (X[d] >> b & 1);
  return code;
}

template <int D>
__device__ void hilbert_transpose(u32 (&X)[D], int bits) {
  const u32 top = 1u << (bits - 1);
  for (u32 Q = top; Q > 1; Q >>= 1) {
    u32 P = Q - 1;
#pragma unroll
    for (int d = 0; d < D; d++) {
      u32 t = (X[0] ^ X[d]) & P;
      bool set = X[d] & Q;
      X[0] ^= set ? P : t;
      X[d] ^= set ? 0 : t;
    }
  }
#pragma unroll
  for (int d = 1; d < D; d++) X[d] ^= X[d - 1];
  u32 t = 0;
  for (u32 Q = top; Q > 1; Q >>= 1)
    if (X[D - 1] & Q) t ^= Q - 1;
#pragma unroll
  for (int d = 0; d < D; d++) X[d] ^= t;
}

// D curve dimensions of points with `stride` coordinates.
template <class T, int D>
__global__ void curve_codes(const T *x, i64 n, int stride, const Scaling<D> scaling, u64 *code) {
  i64 i = thread_id();
  if (i >= n) return;
  const double cells = (double)(1ull << scaling.bits);
  u32 X[D];
#pragma unroll
  for (int d = 0; d < D; d++) {
    double scaled = mul(widened(x[i * stride + d]), scaling.scale);
    double t = mul(add(scaled, -scaling.low[d]), scaling.factor);
    X[d] = (u32)fmin(fmax(t, 0.0), cells - 1);
  }
  if (D > 1) hilbert_transpose(X, scaling.bits);
  code[i] = interleave(X, scaling.bits);
}
