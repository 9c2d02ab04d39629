// What kernels on graphs share: weights as unsigned integers, and the rows of a tile of entries.
#pragma once
#include "exact.cuh"

// Weights as unsigned integers of the same order; -0.0 becomes 0.0 (the sum is exact).
__device__ inline u32 ordered_weight(int w) { return (u32)w ^ 0x80000000u; }
__device__ inline u64 ordered_weight(i64 w) { return (u64)w ^ 0x8000000000000000ull; }
__device__ inline u32 ordered_weight(float w) { return ordered(add(w, 0.0f)); }
__device__ inline u64 ordered_weight(double w) { return ordered(add(w, 0.0)); }

constexpr int TILE_THREADS = 512, TILE_ITEMS = 8, TILE = TILE_THREADS * TILE_ITEMS;

// The j-th entry of this thread in a tile.
__device__ inline int tile_index(int j) { return j * TILE_THREADS + (int)threadIdx.x; }

// The last of n + 1 row starts that is not after entry e; by one whole warp, 32 probes at a time. Where the starts do
// not ascend the answer is wrong, but one of 0 ... n.
template <class P>
__device__ int row_of_entry(const P *indptr, int n, i64 e) {
  i64 low = 0, high = (i64)n + 1;  // indptr[low] <= e < indptr[high], as if there were one more start
  while (high - low > 1) {
    const i64 step = (high - low + 31) / 32, probe = low + lane_id() * step;
    const u32 before = __ballot_sync(FULL, lane_id() == 0 || (probe < high && indptr[probe] <= e));
    const int last = 31 - __clz(before);
    high = minimum(high, low + (last + 1) * step);
    low = low + last * step;
  }
  return (int)low;
}

// The same by one thread.
template <class P>
__device__ int row_of_entry_alone(const P *indptr, int n, i64 e) {
  int low = 0, high = n;  // entry e lies in one of the rows low ... high - 1
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (indptr[middle] <= e)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Rows of the entries of a tile. A thread of the block may ask for any of them after `find`.
struct TileRows {
  alignas(16) int row[TILE];  // less the first row
  int first, last;            // rows of the tile's first and last entry
  int warp_last[TILE_THREADS / 32];

  __device__ int operator[](int i) const { return first + (first == last ? 0 : row[i]); }

  // Every row that begins in the tile says so at its first entry; a running maximum tells the others. Of rows that
  // begin at the same entry all but the last are empty.
  template <class P>
  __device__ void find(const P *indptr, int n, i64 start, i64 end) {
    __syncthreads();  // nobody reads the last tile's rows any more
    const int warp = threadIdx.x / 32;
    if (warp < 2) {
      const int found = minimum(row_of_entry(indptr, n, warp ? end - 1 : start), n - 1);
      if (lane_id() == 0) (warp ? last : first) = found;
    }
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) row[tile_index(j)] = 0;
    __syncthreads();
    if (first >= last) return;
    for (i64 r = (i64)first + 1 + threadIdx.x; r <= last; r += TILE_THREADS) {
      const i64 at = (i64)indptr[r] - start;
      if (at >= 0 && at < TILE) atomicMax(row + at, (int)(r - first));
    }
    __syncthreads();
    run_maximum();
  }

  __device__ void run_maximum() {
    int4 *const own = reinterpret_cast<int4 *>(row) + threadIdx.x * 2;  // TILE_ITEMS of them
    int4 a = own[0], b = own[1];
    int most = maximum(a.x, 0);
    a = {most, most = maximum(most, a.y), most = maximum(most, a.z), most = maximum(most, a.w)};
    b = {most = maximum(most, b.x), most = maximum(most, b.y), most = maximum(most, b.z), most = maximum(most, b.w)};
    int before = most;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(FULL, before, step);
      if ((int)lane_id() >= step) before = maximum(before, other);
    }
    if (lane_id() == 31) warp_last[threadIdx.x / 32] = before;
    before = __shfl_up_sync(FULL, before, 1);
    if (lane_id() == 0) before = 0;
    __syncthreads();
    for (int w = 0; w < (int)threadIdx.x / 32; w++) before = maximum(before, warp_last[w]);
    own[0] = {maximum(before, a.x), maximum(before, a.y), maximum(before, a.z), maximum(before, a.w)};
    own[1] = {maximum(before, b.x), maximum(before, b.y), maximum(before, b.z), maximum(before, b.w)};
    __syncthreads();
  }
};
