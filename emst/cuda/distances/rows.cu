// Rows of a distance matrix: core distances and the nearest rows of another component.
//
// A block reads the whole row of a point, so the neighbour that it finds is exact until the two are joined. Afterwards
// the weight of the edge to it is a lower bound.
//
// rows.py launches row_select once; in every round bounds_from_cache, then matrix_nearest for one wave of rows after
// the other.
#include "distances/metric.cuh"
#include "runtime/order.cuh"
#include "runtime/warp.cuh"

constexpr int ROW_THREADS = EMST_ROW_THREADS, ROW_WARPS = ROW_THREADS / 32, DIGITS = 256;

// The k-th smallest entry of every row of a matrix, found digit by digit from the highest: entries that agree with it
// in the digits of `mask`, the higher ones, are counted by their next digit.
template <class T>
__global__ void __launch_bounds__(ROW_THREADS) row_select(const T *matrix, i64 n, i64 k, Bits<T> *core) {
  __shared__ u32 counts[DIGITS];
  __shared__ u32 chosen, before;
  const T *row = matrix + blockIdx.x * n;
  Bits<T> prefix = 0, mask = 0;
  for (int shift = 8 * sizeof(T) - 8; shift >= 0; shift -= 8) {
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (i64 j = threadIdx.x; j < n; j += ROW_THREADS) {
      const Bits<T> b = magnitude(row[j]);
      if ((b & mask) == prefix) atomicAdd(counts + (b >> shift & (DIGITS - 1)), 1u);
    }
    __syncthreads();
    if (threadIdx.x < 32) {  // a lane sums eight digits
      u32 sum = 0;
      for (int i = 0; i < DIGITS / 32; i++) sum += counts[threadIdx.x * (DIGITS / 32) + i];
      const u32 upto = warp_inclusive_sum(sum);
      u32 less = upto - sum;
      if (less < k && k <= upto) {
        int digit = threadIdx.x * (DIGITS / 32);
        while (less + counts[digit] < k) less += counts[digit++];
        chosen = digit;
        before = less;
      }
    }
    __syncthreads();
    prefix |= (Bits<T>)chosen << shift;
    mask |= (Bits<T>)(DIGITS - 1) << shift;
    k -= before;
  }
  if (threadIdx.x == 0) core[blockIdx.x] = prefix;
}

// The nearest row of another component of every listed row of a matrix; infinite distances do not count.
template <class T>
__global__ void __launch_bounds__(ROW_THREADS)
    matrix_nearest(const T *matrix, i64 n, T alpha, const Bits<T> *core, const int *worklist, const int *labels,
                   int *nearest, Bits<T> *bound, Bits<T> *second, Bits<T> *best) {
  __shared__ Neighbour<T> of_warp[ROW_WARPS];
  const i64 u = worklist[blockIdx.x];
  const int label = labels[u];
  const Bits<T> core_of_row = core[u];
  const T *row = matrix + u * n;
  Neighbour<T> mine = nobody<T>();
  for (i64 j = threadIdx.x; j < n; j += ROW_THREADS) {
    const Bits<T> d = magnitude(row[j]),
                  s = bits_of(alpha) == bits_of(T(1)) ? d : bits_of(quotient(value_of(d), alpha));
    if (s > mine.weight || labels[j] == label) continue;
    const Neighbour<T> other = {maximum(s, maximum(core_of_row, core[j])), d, (int)j};
    if (other.weight < INFINITE<T> && other.before(mine)) mine = other;
  }
  mine = first_of_warp(mine);
  if (lane_id() == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < ROW_WARPS; w++)
    if (of_warp[w].before(mine)) mine = of_warp[w];
  nearest[u] = mine.id;
  bound[u] = mine.weight;
  second[u] = mine.distance;
  if (mine.id != NONE) lower(best + label, mine.weight);
}

// Upper bounds of components' lightest edges, from cached neighbours that still lie in another component.
template <class T>
__global__ void bounds_from_cache(const int *labels, i64 n, const int *nearest, const Bits<T> *bound, Bits<T> *best) {
  const i64 u = thread_id();
  if (u < n && nearest[u] != NONE && labels[nearest[u]] != labels[u]) lower(best + labels[u], bound[u]);
}
