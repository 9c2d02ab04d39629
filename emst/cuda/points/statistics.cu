// Statistics of the points: bounds, and finiteness.
#include "runtime/exact.cuh"

// Greatest of x, and least as the greatest of its complement, for every dimension, as ordered integers; and whether a
// value is not finite. A thread stays in one dimension: the number of threads is a multiple of d.
template <class T, class U>
__global__ void point_statistics(const T *x, i64 values, int d, i64 threads, U *corners, U *bad) {
  i64 start = thread_id();
  if (start >= threads) return;
  U low = 0, high = 0;
  bool finite = true;
  for (i64 e = start; e < values; e += threads) {
    T v = x[e];
    U u = ordered(v);
    finite = finite && isfinite(v);
    low = maximum(low, (U)~u);
    high = maximum(high, u);
  }
  if (!finite) *bad = 1;  // every writer writes the same
  if (start >= values || !finite) return;
  int dim = (int)(start % d);
  if (low > corners[dim]) atomicMax(corners + dim, low);
  if (high > corners[d + dim]) atomicMax(corners + d + dim, high);
}
