// Comparing a block's queries, one a thread, with points, tile by tile; and which tiles can be left out.
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

constexpr int QUERIES = EMST_BRUTE_QUERIES, TILE = EMST_BRUTE_TILE, CHUNK = EMST_BRUTE_CHUNK;

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
      for (int c = 0; c < TILE; c++) acc[c] = extended(norm, acc[c], term(norm, gap(norm, x, tile[j][c], base + j)));
    }
  }
}

// Bound of the relative error of a sum of d squares and of what is computed from it here; and the square below which it
// does not hold.
template <class T>
__device__ double rounding(int d) {
  return mul(d + 16.0, sizeof(T) == 4 ? 0x1p-23 : 0x1p-52);
}
template <class T>
constexpr double LEAST_SQUARE = sizeof(T) == 4 ? 1e-34 : 1e-290;

// Whether every point of a tile is farther than `limit` (squared) from a query at this squared distance of its centre.
template <class T>
__device__ bool beyond(T to_centre, T radius, Bits<T> limit, double error) {
  const double gap = mul(root(widened(to_centre)), 1 - error) - mul(widened(radius), 1 + error);
  return gap > 0 && mul(mul(gap, gap), 1 - error) > widened(value_of(limit)) + LEAST_SQUARE<T>;
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

// The powers of the distances between this thread's query and the points of one tile.
template <class T>
struct Tile {
  int first, n;  // more registers for 64 bits would not fit
  T power[TILE];

  // visit(point, power) for each point, in ascending order.
  template <class Visit>
  __device__ void each(Visit visit) const {
#pragma unroll
    for (int c = 0; c < TILE; c++)
      if (c < n - first) visit(first + c, bits_of(power[c]));
  }

  // use(point, power) for each point for which fits(point, power) holds before the first use, in ascending order. Such
  // points are few, so `use` is compiled once, not TILE times.
  template <class Fits, class Use>
  __device__ void each_fitting(Fits fits, Use use) const {
    u32 fitting = 0;
#pragma unroll
    for (int c = 0; c < TILE; c++) fitting |= (u32)(c < n - first && fits(first + c, bits_of(power[c]))) << c;
    while (fitting) {
      const int c = __ffs(fitting) - 1;
      fitting &= fitting - 1;
      T picked = power[0];
#pragma unroll
      for (int other = 1; other < TILE; other++) picked = other == c ? power[other] : picked;
      use(first + c, bits_of(picked));
    }
  }
};

// A block's queries and the n points that they are compared with: rows of d coordinates and a tag. A thread without a
// query of its own compares the last one, since all threads of a block load the tiles together.
template <class T, int METRIC>
struct Comparison {
  const Norm<METRIC> &norm;
  const T *queries, *points;
  const i64 n;
  const int d;
  const i64 place;  // of this thread among all queries
  const bool on;    // whether it has a query of its own
  const i64 query;  // its row

  // Of the `count` queries, or of those that a worklist names.
  __device__ Comparison(const Norm<METRIC> &norm, const T *queries, i64 count, const T *points, i64 n, int d,
                        const int *worklist = nullptr)
      : norm(norm),
        queries(queries),
        points(points),
        n(n),
        d(d),
        place((i64)blockIdx.x * QUERIES + threadIdx.x),
        on(place < count),
        query(worklist ? worklist[minimum(place, count - 1)] : minimum(place, count - 1)) {}

  __device__ i64 tiles() const { return (n + TILE - 1) / TILE; }
  __device__ i64 groups() const { return (tiles() + TILE - 1) / TILE; }
  __device__ Bits<T> core(i64 point) const { return bits_of(__ldg(points + point * (d + 1) + d)); }

  // visit(tile) for the tiles from `begin` up to `end`. Called by all threads of a block, as are those below.
  template <class Visit>
  __device__ void each_tile(i64 begin, i64 end, Visit visit) const {
    for (i64 first = begin * TILE; first < end * TILE; first += TILE) compare(first, visit);
  }
  // visit(tile) for the tiles of a group that may hold a point within the limit of one of the block's queries.
  template <class Visit>
  __device__ void each_near_tile(const T *centres, i64 group, Bits<T> limit, Visit visit) const {
    u32 near = near_tiles(norm, queries, query, centres, tiles(), d, group, limit);
    for (; near; near &= near - 1) compare((group * TILE + __ffs(near) - 1) * TILE, visit);
  }

  template <class Visit>
  __device__ void compare(i64 first, Visit &visit) const {
    Tile<T> tile;
    tile.first = (int)first;
    tile.n = (int)n;
    tile_powers(norm, queries, query, points, n, d, first, tile.power);
    visit(tile);
  }
};
