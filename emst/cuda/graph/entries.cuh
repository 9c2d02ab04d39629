// What kernels on graphs share: weights as unsigned integers, and the rows of a tile of entries.
#pragma once
#include "runtime/exact.cuh"

// Weights as unsigned integers of the same order; -0.0 becomes 0.0 (the sum is exact).
__device__ inline u32 ordered_weight(int w) { return (u32)w ^ 0x80000000u; }
__device__ inline u64 ordered_weight(i64 w) { return (u64)w ^ 0x8000000000000000ull; }
__device__ inline u32 ordered_weight(float w) { return ordered(add(w, 0.0f)); }
__device__ inline u64 ordered_weight(double w) { return ordered(add(w, 0.0)); }

constexpr int GRAPH_THREADS = 256, GRAPH_WARPS = GRAPH_THREADS / 32;
constexpr int TILE_ITEMS = 8, TILE = 32 * TILE_ITEMS;  // entries that a warp works on at once

// The j-th entry of this lane in a tile.
__device__ inline int tile_index(int j) { return j * 32 + (int)lane_id(); }

// The last of n rows that begins at entry e or before it; by one thread. Where the starts do not ascend the answer is
// wrong, but a row.
template <class P>
__device__ int row_of_entry(const P *indptr, int n, i64 e) {
  int low = 0, high = n;  // e lies in one of the rows low ... high - 1
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (indptr[middle] <= e)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The same by a whole warp, 32 probes at a time.
template <class P>
__device__ int row_of_entry_warp(const P *indptr, int n, i64 e) {
  i64 low = 0, high = n;
  while (high - low > 1) {
    const i64 step = (high - low + 31) / 32, probe = low + lane_id() * step;
    const int last = 31 - __clz(__ballot_sync(FULL, lane_id() == 0 || (probe < high && indptr[probe] <= e)));
    high = minimum(high, low + (last + 1) * step);
    low = low + last * step;
  }
  return (int)low;
}

// Rows of the entries of one tile after the other, as a warp walks over them.
struct TileRows {
  int first, last;  // rows of the tile's first and last entry; the next tile begins where this one ends
  int *row;         // of every entry, less the first row; TILE of them, shared by the warp

  __device__ int operator[](int i) const { return first + (first == last ? 0 : row[i]); }

  // Row of the entry where the walk begins.
  template <class P>
  __device__ void begin(const P *indptr, int n, i64 start) {
    __shared__ alignas(16) int rows[GRAPH_WARPS][TILE];
    row = rows[threadIdx.x / 32];
    last = row_of_entry_warp(indptr, n, start);
  }

  // Every row that begins in the tile says so at its first entry; a running maximum tells the others. Of rows that
  // begin at the same entry all but the last are empty; where very many are, each entry had better look for its own.
  template <class P>
  __device__ void advance(const P *indptr, int n, i64 start, i64 end) {
    first = last;
    __syncwarp();  // nobody reads the last tile's rows any more
    int4 *const own = reinterpret_cast<int4 *>(row) + lane_id() * (TILE_ITEMS / 4);
    own[0] = own[1] = {0, 0, 0, 0};
    __syncwarp();
    for (int begun = 64, round = 0; begun == 64; last += begun, round++) {
      if (round == 16) {
        search(indptr, n, start, end);
        return;
      }
      begun = 0;
#pragma unroll
      for (int half = 0; half < 64; half += 32) {
        const i64 r = (i64)last + 1 + half + lane_id(), at = r < n ? (i64)indptr[r] - start : TILE;
        const bool here = at < end - start;
        if (here && at >= 0) atomicMax(row + at, (int)(r - first));
        begun += __popc(__ballot_sync(FULL, here));
      }
    }
    __syncwarp();
    if (first != last) run_maximum(own);
  }

  template <class P>
  __device__ void search(const P *indptr, int n, i64 start, i64 end) {
    __syncwarp();
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++)
      row[tile_index(j)] = row_of_entry(indptr, n, minimum(start + tile_index(j), end - 1)) - first;
    __syncwarp();
    last = first + row[TILE - 1];
  }

  __device__ void run_maximum(int4 *own) {
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
    before = __shfl_up_sync(FULL, before, 1);
    if (lane_id() == 0) before = 0;
    own[0] = {maximum(before, a.x), maximum(before, a.y), maximum(before, a.z), maximum(before, a.w)};
    own[1] = {maximum(before, b.x), maximum(before, b.y), maximum(before, b.z), maximum(before, b.w)};
    __syncwarp();
  }
};

// One of all warps of some blocks.
struct Warp {
  i64 rank, size;
  __device__ Warp(int block, int blocks)
      : rank((i64)block * GRAPH_WARPS + threadIdx.x / 32), size((i64)blocks * GRAPH_WARPS) {}
};

// Calls each(start, columns, rows) for all tiles of m entries, shared out among the warps. A column beyond the end is
// NONE. A warp takes a few tiles here and a few there: where rows are long or short, and ends are near or far, tiles
// take longer than elsewhere.
template <class P, class Each>
__device__ void for_tiles(const P *indptr, int n, const int *indices, i64 m, Warp warp, Each each) {
  const i64 tiles = (m + TILE - 1) / TILE, length = minimum(maximum(tiles / (8 * warp.size), (i64)1), (i64)8) * TILE;
  for (i64 begin = warp.rank * length; begin < m; begin += warp.size * length) {
    const i64 end = minimum(begin + length, m);
    TileRows rows;
    rows.begin(indptr, n, begin);
    for (i64 start = begin; start < end; start += TILE) {
      int column[TILE_ITEMS];
#pragma unroll
      for (int j = 0; j < TILE_ITEMS; j++)
        column[j] = start + tile_index(j) < end ? indices[start + tile_index(j)] : NONE;
      rows.advance(indptr, n, start, minimum(start + TILE, end));
      each(start, column, rows);
    }
  }
}
