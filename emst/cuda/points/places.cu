// Places of new points (queries) among those that have been ordered: they descend the cells that the order divided.
#include "points/curve.cuh"

// Where the first of the ascending numbers from low up to high is that is at least `value`.
template <class V>
__device__ i64 first_at_least(const V *numbers, V value, i64 low, i64 high) {
  while (low < high) {
    const i64 middle = (low + high) / 2;
    if (numbers[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// place[i] is how many points come before query i, code[i] its code in the last cell that it reached.
template <class T, int D>
__global__ void descend(const T *queries, i64 m, int dimensions, double scale, const i64 *level, int levels,
                        const int *first, const int *end, const i64 *start, const u64 *codes, const int *at_place,
                        const double *low, const int *axes, const int *used, const double *factor, u64 *place,
                        u64 *code) {
  __shared__ CurveCoder<D> coder;
  coder.copy();
  __syncthreads();
  const i64 i = thread_id();
  if (i >= m) return;
  const Grids grids{low, axes, used, factor};
  u64 before = 0, of_query = 0;
  i64 cell = 0;
  for (int depth = 0; depth < levels;) {
    of_query = factor[cell] > 0 ? curve_code<T, D>(coder, queries + i * dimensions, scale, grids, cell) : 0;
    const i64 at = first_at_least(codes, of_query, start[cell], start[cell + 1]);
    before = at < start[cell + 1] ? at_place[at] : end[cell];
    if (++depth == levels || at == start[cell + 1] || codes[at] != of_query) break;
    cell = first_at_least(first, (int)before, level[depth], level[depth + 1]);
    if (cell == level[depth + 1] || first[cell] != before) break;
  }
  place[i] = before;
  code[i] = of_query;
}
