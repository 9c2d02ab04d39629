// Points in the order of their segments; points of one segment stay in order.
//
// A block has a tile of the points. split.py launches count_segments, which counts the points of every tile and
// segment; add_counts, which adds these numbers up, segment by segment; and split_points, which writes the points to
// their places.
#include "runtime/scan.cuh"
#include "runtime/warp.cuh"

constexpr int THREADS = EMST_BLOCK, WARPS = THREADS / 32, TILE = EMST_SPLIT_TILE, ITEMS = TILE / THREADS;
constexpr int MOST = EMST_MOST_SPLITS;  // segments
static_assert(MOST == 32, "a lane counts the points of a segment");
static_assert(TILE <= 1 << 16, "a place in a tile has 16 bits");

// The lanes whose segment is that of this lane. Lane s adds to `counted` those of segment s; -1 is no segment.
__device__ inline u32 lanes_alike(int segment, int segments, u32 &counted) {
  u32 alike = 0;
  for (int s = 0; s < segments; s++) {
    const u32 lanes = __ballot_sync(FULL, segment == s);
    if (segment == s) alike = lanes;
    if ((int)lane_id() == s) counted += __popc(lanes);
  }
  return alike;
}

// The place of this thread's j-th point in the tile: a warp has 32 * ITEMS points, one after the other.
__device__ inline int place_in_tile(int j) { return (threadIdx.x / 32 * ITEMS + j) * 32 + lane_id(); }

// The segments of this thread's points; -1 after the last point.
__device__ inline void read_segments(const int *segment, i64 tile_start, i64 n, int (&mine)[ITEMS]) {
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    const i64 i = tile_start + place_in_tile(j);
    mine[j] = i < n ? segment[i] : -1;
  }
}

// counts[s * tiles + tile]: the points of segment s in a tile.
__global__ void __launch_bounds__(THREADS) count_segments(const int *segment, i64 n, int segments, int *counts) {
  __shared__ u32 of_warp[WARPS][MOST];
  int mine[ITEMS];
  read_segments(segment, blockIdx.x * (i64)TILE, n, mine);
  u32 counted = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) lanes_alike(mine[j], segments, counted);
  of_warp[threadIdx.x / 32][lane_id()] = counted;
  __syncthreads();
  const int s = threadIdx.x;
  if (s >= segments) return;
  u32 sum = 0;
#pragma unroll
  for (int w = 0; w < WARPS; w++) sum += of_warp[w][s];
  counts[(i64)s * gridDim.x + blockIdx.x] = (int)sum;
}

struct Counted {
  u32 value;
  bool head;
};

// Each of n counts becomes the sum of those before it; the last of them is complete where a segment of `tiles` counts
// ends. start[s]: where segment s begins, and the number of points at the end.
__global__ void __launch_bounds__(SCAN_THREADS)
    add_counts(int *counts, i64 n, i64 of_segment, int *start, u64 *tiles, u32 epoch) {
  segmented_scan(
      n, tiles, epoch, [&](i64 i) { return Counted{(u32)counts[i], i == 0}; },
      [&](i64 i, const Counted &mine, u32 sum) {
        counts[i] = (int)(sum - mine.value);
        if (i == 0) start[0] = 0;
        if ((i + 1) % of_segment == 0) start[(i + 1) / of_segment] = (int)sum;
      });
}

// before[s * tiles + tile]: how many points come before those of segment s in the tile. Points consist of `words`
// words; `units` may be null.
template <class Word, class S>
__global__ void __launch_bounds__(THREADS)
    split_points(const Word *__restrict__ points, int words, const i64 *__restrict__ units, i64 first_row,
                 const int *segment, i64 n, int segments, const int *before, Word *__restrict__ points_out,
                 S *__restrict__ rows_out, i64 *__restrict__ units_out) {
  __shared__ u32 first_of[WARPS][MOST];  // of a warp's points of a segment: its place in the tile's new order
  __shared__ u32 shift[MOST];            // from a place in this order to the place among all points
  __shared__ u32 source[TILE];           // of the points in this order: segment, and place in the tile as it was
  const int warp = threadIdx.x / 32;
  const u32 lane = lane_id();
  const i64 tile_start = blockIdx.x * (i64)TILE;
  const int here = (int)minimum((i64)TILE, n - tile_start);
  int mine[ITEMS];
  read_segments(segment, tile_start, n, mine);
  u32 counted = 0, rank[ITEMS];  // among the warp's points of its segment
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    const u32 earlier = __shfl_sync(FULL, counted, mine[j] & 31);
    rank[j] = earlier + __popc(lanes_alike(mine[j], segments, counted) & ((1u << lane) - 1));
  }
  first_of[warp][lane] = counted;
  __syncthreads();
  if (warp == 0) {  // a lane a segment
    u32 sum = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) sum += first_of[w][lane];
    u32 next = warp_inclusive_sum(sum) - sum;
    if ((int)lane < segments) shift[lane] = (u32)before[(i64)lane * gridDim.x + blockIdx.x] - next;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
      const u32 count = first_of[w][lane];
      first_of[w][lane] = next;
      next += count;
    }
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; j++)
    if (mine[j] >= 0) source[first_of[warp][mine[j]] + rank[j]] = (u32)mine[j] << 16 | place_in_tile(j);
  __syncthreads();

  // In the new order, so that neighbouring threads write to neighbouring places.
  for (int p = threadIdx.x; p < here; p += THREADS) {
    const u32 to = shift[source[p] >> 16] + p;
    const i64 from = tile_start + (source[p] & 0xffff);
    rows_out[to] = (S)(first_row + from);
    if (units) units_out[to] = units[from];
  }
  const Word *const tile_points = points + tile_start * words;
  int p = threadIdx.x / words, word = threadIdx.x % words;
  const int points_on = THREADS / words, words_on = THREADS % words;
  while (p < here) {
    i64 to[EACH];
    Word value[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      const u32 from = source[minimum(p, here - 1)];
      to[j] = p < here ? (i64)(shift[from >> 16] + p) * words + word : -1;
      value[j] = tile_points[(i64)(from & 0xffff) * words + word];
      p += points_on;
      word += words_on;
      if (word >= words) {
        word -= words;
        p++;
      }
    }
#pragma unroll
    for (int j = 0; j < EACH; j++)
      if (to[j] >= 0) points_out[to[j]] = value[j];
  }
}
