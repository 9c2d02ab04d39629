// float32 to float64, exactly: CuPy's own conversion takes subnormal numbers for 0.
#include "runtime/exact.cuh"

__global__ void widen(const float *from, i64 n, double *to) {
  const i64 i = thread_id();
  if (i < n) to[i] = widened(from[i]);
}
