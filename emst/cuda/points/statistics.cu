// Statistics of the points: bounds, and finiteness.
#include "runtime/exact.cuh"

// seen[2 d + 1], zeros at first: the greatest complement of x, which is that of the least x, and then the greatest x,
// of every dimension and as ordered integers; and whether a value is not finite. A thread stays in one dimension: the
// number of threads is a multiple of d. Unless `told` is null, the block that ends last writes there the least and the
// greatest x, and whether a value is not finite.
template <class T, class U>
__global__ void point_statistics(const T *x, i64 values, int d, i64 threads, U *seen, u32 *ended, double *told) {
  const i64 start = thread_id();
  U low = 0, high = 0;
  bool finite = true;
  for (i64 e = start; e < values && start < threads; e += threads) {
    T v = x[e];
    U u = ordered(v);
    finite = finite && isfinite(v);
    low = maximum(low, (U)~u);
    high = maximum(high, u);
  }
  const int dim = (int)(start % d);
  if (!finite)
    seen[2 * d] = 1;  // every writer writes the same
  else if (start < minimum(threads, values)) {
    if (low > seen[dim]) atomicMax(seen + dim, low);
    if (high > seen[d + dim]) atomicMax(seen + d + dim, high);
  }
  if (!told) return;
  __threadfence();
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(ended, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (int i = threadIdx.x; i <= 2 * d; i += blockDim.x) {
    const U u = *(volatile U *)(seen + i);
    told[i] = i == 2 * d ? (double)u : widened(unordered(i < d ? (U)~u : u));
  }
}
