// Points as rows of halves, for products (bounds.cuh).
//
// products.py launches centre_points, greatest_offset, halve and greatest_rho; then centre_tiles and bound_tiles, if
// the tiles are not too many; and for lists of neighbours spread_columns, then greatest_rho of these columns.
#include "points/bounds.cuh"

using Half = unsigned short;
constexpr int TILE = EMST_PRODUCT_TILE, SAMPLES = 256, SAMPLERS = 8;
constexpr Half LEAST_NORMAL = 0x0400, WITHOUT_SIGN = 0x7fff;

// The mean of at most SAMPLES points; the proofs hold for any centre. Blocks of 32 columns x SAMPLERS threads.
template <class T>
__global__ void centre_points(const T *points, i64 n, int d, int stride, double *centre) {
  __shared__ double sums[SAMPLERS][32];
  const int column = blockIdx.x * 32 + threadIdx.x;
  const i64 samples = minimum(n, (i64)SAMPLES);
  double sum = 0;
  if (column < d)
    for (i64 i = threadIdx.y; i < samples; i += SAMPLERS)
      sum = add(sum, widened(points[i * n / samples * stride + column]));
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0 || column >= d) return;
  for (int s = 1; s < SAMPLERS; s++) sum = add(sum, sums[s][threadIdx.x]);
  centre[column] = __ddiv_rn(sum, (double)samples);
}

// The greatest distance from the centre along an axis, as the bits of a double; a warp takes a point at a time.
template <class T>
__global__ void greatest_offset(const T *points, i64 n, int d, int stride, const double *centre, u64 *greatest) {
  u64 most = 0;
  for (i64 i = thread_id() / 32; i < n; i += gridDim.x * (i64)blockDim.x / 32)
    for (int j = lane_id(); j < d; j += 32)
      most = maximum(most, (u64)bits_of(fabs(__dsub_rn(widened(points[i * stride + j]), centre[j]))));
  most = warp_max(most);
  if (lane_id() == 0) atomicMax(greatest, most);
}

__device__ inline Half half_of(double a) {
  Half h;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(a));
  return (h & WITHOUT_SIGN) < LEAST_NORMAL ? 0 : h;  // what tensor cores do with subnormal numbers is not specified
}
__device__ inline double value_of_half(Half h) {
  double a;
  asm("cvt.f64.f16 %0, %1;" : "=d"(a) : "h"(h));
  return a;
}

// Halves of a point, and what bounds.cuh calls s, rho and -q, for lower and for upper bounds of distances. The rows
// after the last point are zero and infinitely far. A warp a row.
template <class T>
__global__ void halve(const T *points, i64 n, i64 padded, int d, int stride, const double *centre, double scale,
                      double c, int width, Half *halves, double *square, float *rho, float *low_start,
                      float *high_start) {
  const i64 i = thread_id() / 32;
  if (i >= padded) return;
  double s = 0, lost = 0, size = 0;
  for (int j = lane_id(); j < width; j += 32) {
    const double y = i < n && j < d ? __dmul_rn(__dsub_rn(widened(points[i * stride + j]), centre[j]), scale) : 0.0;
    const Half h = half_of(y);
    const double v = value_of_half(h), gap = __dsub_rn(y, v);
    halves[i * width + j] = h;
    s = __dadd_rn(s, __dmul_rn(v, v));
    lost = __dadd_ru(lost, __dmul_ru(gap, gap));
    size = __dadd_ru(size, __dmul_ru(y, y));
  }
  for (int step = 16; step > 0; step /= 2) {
    s = __dadd_rn(s, __shfl_xor_sync(FULL, s, step));
    lost = __dadd_ru(lost, __shfl_xor_sync(FULL, lost, step));
    size = __dadd_ru(size, __shfl_xor_sync(FULL, size, step));
  }
  if (lane_id()) return;
  low_start[i] = i < n ? narrowed_up(-__dmul_rd(s, 0.5 - c)) : -3e38f;
  high_start[i] = i < n ? narrowed_down(-__dmul_ru(s, 0.5 + c)) : -3e38f;
  if (i >= n) return;
  square[i] = s;
  // y itself has been rounded, by less than 2^-51 of its length, and the gaps by less than that again
  rho[i] = narrowed_up(__dadd_ru(__dmul_ru(__dsqrt_ru(lost), 1 + 0x1p-40), __dmul_ru(__dsqrt_ru(size), 0x1p-50)));
}

// The greatest rho in every tile of columns; a warp a tile.
__global__ void greatest_rho(const float *rho, i64 n, const int *columns, i64 tiles, float *most) {
  const i64 tile = thread_id() / 32;
  if (tile >= tiles) return;
  int bits = 0;  // rho is not negative
  for (int c = lane_id(); c < TILE; c += 32) {
    const i64 at = tile * TILE + c;
    if (columns)
      bits = maximum(bits, bits_of(rho[columns[at]]));
    else if (at < n)
      bits = maximum(bits, bits_of(rho[at]));
  }
  bits = warp_max(bits);
  if (lane_id() == 0) most[tile] = value_of(bits);
}

// Chooses points at equal distances along the curve, so that every tile has points of all regions.
__global__ void spread_columns(i64 n, i64 tiles, int *columns) {
  const i64 at = thread_id();
  if (at >= tiles * TILE) return;
  columns[at] = (int)((at % TILE * tiles + at / TILE) * n / (tiles * TILE));
}

// The centre of every tile, the mean of its points' halves, and an upper bound of their distances from it; a block of
// TILE threads a tile.
__global__ void centre_tiles(const Half *halves, int width, i64 n, float *centres, float *radius) {
  __shared__ int most;
  const i64 first = blockIdx.x * (i64)TILE, count = minimum(n - first, (i64)TILE);
  float *const centre = centres + blockIdx.x * (i64)width;
  if (threadIdx.x == 0) most = 0;
  for (int j = threadIdx.x; j < width; j += TILE) {
    double sum = 0;
    for (i64 i = first; i < first + count; i++) sum = add(sum, value_of_half(halves[i * width + j]));
    centre[j] = narrowed_up(__ddiv_rn(sum, (double)count));
  }
  __syncthreads();
  for (i64 i = first + threadIdx.x / 32; i < first + count; i += TILE / 32) {
    double square = 0;
    for (int j = lane_id(); j < width; j += 32) {
      const double gap = __dsub_rn(value_of_half(halves[i * width + j]), widened(centre[j]));
      square = __dadd_ru(square, __dmul_ru(gap, gap));
    }
    for (int step = 16; step > 0; step /= 2) square = __dadd_ru(square, __shfl_xor_sync(FULL, square, step));
    if (lane_id() == 0) atomicMax(&most, bits_of(narrowed_up(__dmul_ru(__dsqrt_ru(square), 1 + 0x1p-40))));
  }
  __syncthreads();
  if (threadIdx.x == 0) radius[blockIdx.x] = value_of(most);
}

// Lower bounds of the distances between the halves of one tile and those of another; a warp a pair.
__global__ void bound_tiles(const float *centres, const float *radius, int width, i64 tiles, float *between) {
  const i64 pair = thread_id() / 32, a = pair / tiles, b = pair % tiles;
  if (a >= tiles) return;
  double square = 0;
  for (int j = lane_id(); j < width; j += 32) {
    const double gap = __dsub_rn(widened(centres[a * width + j]), widened(centres[b * width + j]));
    square = __dadd_rd(square, __dmul_rd(gap, gap));
  }
  for (int step = 16; step > 0; step /= 2) square = __dadd_rd(square, __shfl_xor_sync(FULL, square, step));
  const double distance = __dmul_rd(__dsqrt_rd(square), 1 - 0x1p-40);  // the gaps have been rounded
  if (lane_id() == 0)
    between[pair] = narrowed_down(__dadd_rd(distance, -__dadd_ru(widened(radius[a]), widened(radius[b]))));
}
