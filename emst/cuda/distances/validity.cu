// What cluster validity asks of all pairs of points, which come by clusters and as columns, in double precision and in
// the order of the CPU's sums.
#include "distances/metric.cuh"

__device__ inline double distance_between(const double *columns, i64 n, int dimensions, i64 i, i64 j) {
  double t = columns[i] - columns[j], s = mul(t, t);
  for (int k = 1; k < dimensions; k++) {
    t = columns[k * n + i] - columns[k * n + j];
    s = add(s, mul(t, t));
  }
  return root(s);
}

__device__ inline double power_of(double x, i64 exponent) {
  double power = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) power = mul(power, x);
    x = mul(x, x);
  }
  return power;
}

__global__ void core_distance_sums(const double *columns, i64 n, int dimensions, const int *cluster, const i64 *starts,
                                   i64 exponent, i64 *nearest, double *total) {
  const i64 i = thread_id();
  if (i >= n) return;
  const i64 low = starts[cluster[i]], high = starts[cluster[i] + 1];
  i64 least = INFINITE<double>;
  for (i64 j = low; j < high; j++) {
    const i64 s = bits_of(distance_between(columns, n, dimensions, i, j));
    if (s > 0) least = minimum(least, s);
  }
  double sum = 0;
  for (i64 j = low; j < high; j++) {
    const double s = distance_between(columns, n, dimensions, i, j);
    if (bits_of(s) > 0) sum = add(sum, power_of(quotient(value_of(least), s), exponent));
  }
  nearest[i] = least;
  total[i] = sum;
}

// Prim, a block a cluster: `weight` of a point outside of the tree is the least to a point inside.
constexpr int TREE_THREADS = 256;
__global__ void __launch_bounds__(TREE_THREADS)
    cluster_trees(const double *columns, i64 n, int dimensions, const i64 *starts, const i64 *core, bool *inside,
                  int *parent, i64 *weight) {
  __shared__ i64 least[TREE_THREADS];
  __shared__ int nearest[TREE_THREADS], before[TREE_THREADS];
  const i64 low = starts[blockIdx.x], high = starts[blockIdx.x + 1];
  const int nobody = 0x7fffffff, t = threadIdx.x;
  i64 fresh = low, reached = -1;
  for (i64 step = low; step < high; step++) {
    const i64 own = core[fresh];
    least[t] = INFINITE<double>;
    nearest[t] = before[t] = nobody;
    for (i64 p = low + t; p < high; p += TREE_THREADS) {
      if (p == fresh) continue;
      const i64 w = maximum(bits_of(distance_between(columns, n, dimensions, fresh, p)), maximum(own, core[p]));
      if (inside[p]) {
        if (w == reached) before[t] = minimum(before[t], (int)p);
        continue;
      }
      const i64 known = minimum(weight[p], w);
      weight[p] = known;
      if (known < least[t]) {
        least[t] = known;
        nearest[t] = (int)p;
      }
    }
    for (int half = TREE_THREADS / 2; half > 0; half /= 2) {
      __syncthreads();
      if (t >= half) continue;
      const i64 other = least[t + half];
      if (other < least[t] || (other == least[t] && nearest[t + half] < nearest[t])) {
        least[t] = other;
        nearest[t] = nearest[t + half];
      }
      before[t] = minimum(before[t], before[t + half]);
    }
    if (t == 0) {
      inside[fresh] = true;
      weight[fresh] = maximum(reached, i64(0));
      parent[fresh] = before[0] == nobody ? NONE : before[0];
    }
    __syncthreads();
    fresh = nearest[0];
    reached = least[0];
    __syncthreads();
  }
}

__global__ void separations(const double *columns, i64 n, int dimensions, const int *cluster, const i64 *starts,
                            const i64 *core, i64 *least) {
  const i64 i = thread_id();
  if (i >= n) return;
  const i64 low = starts[cluster[i]], high = starts[cluster[i] + 1], own = core[i];
  i64 best = INFINITE<double>;
  for (i64 j = 0; j < n; j++) {
    if (j >= low && j < high) continue;
    const i64 s = bits_of(distance_between(columns, n, dimensions, i, j));
    best = minimum(best, maximum(s, maximum(own, core[j])));
  }
  least[i] = best;
}
