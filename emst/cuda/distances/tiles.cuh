// Distances from a block's queries, one a thread, to the points of a tile; and which tiles can be left out.
//
// Dimensions are taken in chunks, in order, so that distances round exactly as everywhere else; a missing dimension
// adds zero, which changes nothing.
//
// Under the Euclidean norm a tile has a centre and a radius, which is the last number in the centre's row. By the
// triangle inequality no point of the tile is nearer than the distance to the centre less the radius. This test costs a
// thirty-second of the time for all distances. It saves more than that, because real data in many dimensions has
// structure. Rounding errors are allowed for.
#pragma once
#include "distances/point_rows.cuh"

constexpr int QUERIES = EMST_BRUTE_QUERIES, TILE = EMST_BRUTE_TILE, CHUNK = 16;

// acc[c] = power of the distance between this thread's query and point first + c. `queries` are the points themselves
// or other points. Called by all threads of a block.
template <int METRIC, class T>
__device__ void tile_powers(const Norm<METRIC> &norm, const T *queries, i64 query, const T *points, i64 n, int d,
                            i64 first, T (&acc)[TILE]) {
  __shared__ T tile[CHUNK][TILE];
  const i64 stride = d + 1;
#pragma unroll
  for (int c = 0; c < TILE; c++) acc[c] = T(0);
  for (int base = 0; base < d; base += CHUNK) {
    __syncthreads();
    for (int e = threadIdx.x; e < CHUNK * TILE; e += QUERIES) {
      int c = e / CHUNK, j = e % CHUNK;
      bool there = base + j < d;
      tile[j][c] = there ? __ldg(points + minimum(first + c, n - 1) * stride + base + j) : T(0);
    }
    __syncthreads();
#pragma unroll(CALLED<METRIC> ? 1 : CHUNK)
    for (int j = 0; j < CHUNK; j++) {
      T x = base + j < d ? __ldg(queries + query * stride + base + j) : T(0);
#pragma unroll
      for (int c = 0; c < TILE; c++) acc[c] = extended(norm, acc[c], term(norm, gap(norm, x, tile[j][c])));
    }
  }
}

// Bound of the relative error of a sum of d squares and of what is computed from it here; and the square below which it
// does not hold.
template <class T>
__device__ double rounding(int d) {
  return (d + 16) * (sizeof(T) == 4 ? 0x1p-23 : 0x1p-52);
}
template <class T>
constexpr double LEAST_SQUARE = sizeof(T) == 4 ? 1e-34 : 1e-290;

// Whether every point of a tile is farther than `limit` (squared) from a query at this squared distance of its centre.
template <class T>
__device__ bool beyond(T to_centre, T radius, Bits<T> limit, double error) {
  const double gap = __dsqrt_rn(widened(to_centre)) * (1 - error) - widened(radius) * (1 + error);
  return gap > 0 && gap * gap * (1 - error) > widened(value_of(limit)) + LEAST_SQUARE<T>;
}

// Which of the TILE tiles from TILE * group on may hold a point within the limit of one of the block's queries, as
// bits; without centres, all.
template <int METRIC, class T>
__device__ u32 near_tiles(const Norm<METRIC> &norm, const T *queries, i64 query, const T *centres, i64 tiles, int d,
                          i64 group, Bits<T> limit) {
  const i64 first = group * TILE;
  u32 near = tiles - first >= TILE ? FULL : (1u << (tiles - first)) - 1;
  if (METRIC != EUCLIDEAN || !centres) return near;
  __shared__ u32 wanted;
  T acc[TILE];
  tile_powers(norm, queries, query, centres, tiles, d, first, acc);
  const double error = rounding<T>(d);
#pragma unroll
  for (int c = 0; c < TILE; c++)
    if (first + c < tiles && beyond(acc[c], centres[(first + c) * (d + 1) + d], limit, error)) near &= ~(1u << c);
  near = __reduce_or_sync(FULL, near);
  if (threadIdx.x == 0) wanted = 0;
  __syncthreads();
  if (lane_id() == 0) atomicOr(&wanted, near);
  __syncthreads();
  near = wanted;
  __syncthreads();  // before the next group clears it
  return near;
}
