// Between float32 and float64: CuPy's own conversions take subnormal float32 numbers for 0.
#include "runtime/exact.cuh"

__global__ void widen(const float *from, i64 n, double *to) {
  const i64 i = thread_id();
  if (i < n) to[i] = widened(from[i]);
}

__global__ void to_float(const double *from, i64 n, float *to) {
  const i64 i = thread_id();
  if (i < n) narrow(from[i], to[i]);
}
