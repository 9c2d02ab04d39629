// What kernels on graphs share: weights as unsigned integers in the same order, and the rows of entries.
#pragma once
#include "runtime/warp.cuh"

// Weights as unsigned integers in the same order; the exact sum turns -0.0 into 0.0.
__device__ inline u32 ordered_weight(int w) { return (u32)w ^ 0x80000000u; }
__device__ inline u64 ordered_weight(i64 w) { return (u64)w ^ 0x8000000000000000ull; }
__device__ inline u32 ordered_weight(float w) { return ordered(add(w, 0.0f)); }
__device__ inline u64 ordered_weight(double w) { return ordered(add(w, 0.0)); }

constexpr int GRAPH_THREADS = EMST_GRAPH_THREADS, GRAPH_WARPS = GRAPH_THREADS / 32;
constexpr int TILE = EMST_GRAPH_TILE, TILE_ITEMS = TILE / 32;  // entries that a warp processes at a time

// The j-th entry of this lane in a tile.
__device__ inline int tile_index(int j) { return j * 32 + (int)lane_id(); }

// The last of n rows that begins at entry e or before it; by one thread. If indptr is not sorted the result is
// unspecified, but always a valid row index.
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

// The same by a whole warp, which reads 32 elements of indptr at a time.
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

// The rows of the entries in a tile. A warp advances from tile to tile.
struct TileRows {
  int first, last;  // rows of the tile's first and last entry; the next tile begins where this one ends
  int *row;         // row of every entry minus `first`; TILE elements, shared by the warp

  __device__ int operator[](int i) const { return first + (first == last ? 0 : row[i]); }

  // Before the first tile: the row of its first entry.
  template <class P>
  __device__ void begin(const P *indptr, int n, i64 start) {
    __shared__ alignas(16) int rows[GRAPH_WARPS][TILE];
    row = rows[threadIdx.x / 32];
    last = row_of_entry_warp(indptr, n, start);
  }

  // Every row that begins in the tile is written at its first entry; a running maximum fills in the other entries. Of
  // rows that begin at the same entry, all but the last are empty. If there are very many empty rows, every entry
  // searches its own row instead.
  template <class P>
  __device__ void advance(const P *indptr, int n, i64 start, i64 end) {
    first = last;
    __syncwarp();  // all lanes have read the rows of the previous tile
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
    const int up_to_me = warp_scan(most, [](int a, int b) { return maximum(a, b); });
    int before = __shfl_up_sync(FULL, up_to_me, 1);
    if (lane_id() == 0) before = 0;
    own[0] = {maximum(before, a.x), maximum(before, a.y), maximum(before, a.z), maximum(before, a.w)};
    own[1] = {maximum(before, b.x), maximum(before, b.y), maximum(before, b.z), maximum(before, b.w)};
    __syncwarp();
  }
};

// The rank of a warp among all warps of several blocks.
struct Warp {
  i64 rank, size;
  __device__ Warp(int block, int blocks)
      : rank((i64)block * GRAPH_WARPS + threadIdx.x / 32), size((i64)blocks * GRAPH_WARPS) {}
};

// Calls each(start, columns, rows) for all tiles of m entries, which the warps divide among them. A column beyond the
// end is NONE. A warp takes short runs of tiles from all over the list, because the cost of a tile differs between
// regions of the graph.
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
