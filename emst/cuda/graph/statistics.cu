// Statistics of a graph whose values are not checked yet: an element of indptr may be any number, so it is used as an
// index only if it is in range.
#include "runtime/grid.cuh"
#include "graph/entries.cuh"

// Fields of the result, in the order of `GraphStatistics`. All start at zero; a "first" is the complement of a
// position.
enum {
  FIRST_START,
  LAST_END,
  DESCENTS,
  FIRST_DESCENT,
  OUTSIDE,
  FIRST_OUTSIDE,
  NANS,
  FIRST_NAN,
  UPPER,
  LOWER,
  STEPS_DOWN,
  FINGERPRINT,
  FIELDS = FINGERPRINT + 2
};
static_assert(FIELDS == EMST_STATISTICS_FIELDS, "statistics.py allocates them");

__device__ inline bool is_nan(int) { return false; }
__device__ inline bool is_nan(i64) { return false; }
__device__ inline bool is_nan(float w) { return (__float_as_uint(w) & 0x7fffffffu) > 0x7f800000u; }
__device__ inline bool is_nan(double w) {
  return ((u64)__double_as_longlong(w) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}

// The last step of SplitMix64.
__device__ inline u64 mixed(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// One atomic per warp and sum, none if the sum is 0.
__device__ inline void add_up(u64 *field, u64 value) {
  value = warp_sum(value);
  if (lane_id() == 0 && value) atomicAdd(field, value);
}

template <class P>
__device__ void check_rows(const P *indptr, i64 n, u64 *result) {
  u64 descents = 0;
  for (i64 r = thread_id(); r < n; r += (i64)gridDim.x * blockDim.x) {
    if (indptr[r + 1] >= indptr[r]) continue;
    descents++;
    atomicMax(result + FIRST_DESCENT, ~(u64)r);
  }
  add_up(result + DESCENTS, descents);
  if (thread_id() == 0) {
    result[FIRST_START] = (u64)(i64)indptr[0];
    result[LAST_END] = (u64)(i64)indptr[n];
  }
}

template <class W, class P>
__global__ void __launch_bounds__(GRAPH_THREADS)
    graph_statistics(const P *indptr, i64 n, const int *indices, const W *weights, i64 m, u64 *result) {
  check_rows(indptr, n, result);
  u32 outside = 0, nans = 0, upper = 0, lower = 0, steps_down = 0;
  u64 low_half = 0, high_half = 0;
  TileRows<P> rows(indptr);
  for_tiles(indptr, (int)n, m, Warp(blockIdx.x, gridDim.x), [&](const Tile &tile) {
    const i64 begin = tile.start + run_begin();
    int column[RUN];
    W weight[RUN];
    load_run(indices, begin, m, column);
    load_run(weights, begin, m, weight);
    rows.read(tile);
    rows.seek(run_begin());
    int column_before = __shfl_up_sync(FULL, column[RUN - 1], 1);
    bool continued = begin < m && begin > indptr[rows.row()];  // whether the entry before is of the same row
    if (lane_id() == 0 && continued) column_before = indices[begin - 1];
#pragma unroll
    for (int j = 0; j < RUN; j++) {
      const i64 e = begin + j;
      if (j > 0) continued = !rows.moves_to(run_begin() + j), column_before = column[j - 1];
      if (e >= m) continue;
      const int row = rows.row();
      if (is_nan(weight[j])) nans++, atomicMax(result + FIRST_NAN, ~(u64)e);
      if (column[j] < 0 || column[j] >= n) {
        outside++, atomicMax(result + FIRST_OUTSIDE, ~(u64)e);
        continue;
      }
      steps_down += continued && column_before > column[j];
      if (column[j] == row) continue;
      const u64 pair = (u64)(u32)minimum(row, column[j]) << 32 | (u32)maximum(row, column[j]);
      const u64 ends = mixed(pair), key = ordered_weight(weight[j]);
      const u64 one = mixed(ends + key), two = mixed(ends ^ key * 0x9e3779b97f4a7c15ull);
      if (column[j] > row)
        upper++, low_half += one, high_half += two;
      else
        lower++, low_half -= one, high_half -= two;
    }
  });
  add_up(result + OUTSIDE, outside);
  add_up(result + NANS, nans);
  add_up(result + UPPER, upper);
  add_up(result + LOWER, lower);
  add_up(result + STEPS_DOWN, steps_down);
  add_up(result + FINGERPRINT, low_half);
  add_up(result + FINGERPRINT + 1, high_half);
}
