// The sum of numbers in float64, in an order that depends only on how many there are.
#include "runtime/exact.cuh"

constexpr int BLOCK = EMST_BLOCK;

/// Each block writes one sum to `sums`, and the host adds those up. A thread takes every n-th number, where n is the
/// number of all threads.
template <class T>
__global__ void sum_parts(const T *values, i64 n, double *sums) {
  __shared__ double of_thread[BLOCK];
  double sum = 0;
  for (i64 i = thread_id(); i < n; i += i64(gridDim.x) * BLOCK) sum += widened(values[i]);
  of_thread[threadIdx.x] = sum;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = of_thread[0];
}
