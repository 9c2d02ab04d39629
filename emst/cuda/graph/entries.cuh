// What kernels on graphs share: weights as unsigned integers in the same order, and the rows of entries.
#pragma once
#include "runtime/warp.cuh"

// Weights as unsigned integers in the same order; the exact sum turns -0.0 into 0.0.
__device__ inline u32 ordered_weight(int w) { return (u32)w ^ 0x80000000u; }
__device__ inline u64 ordered_weight(i64 w) { return (u64)w ^ 0x8000000000000000ull; }
__device__ inline u32 ordered_weight(float w) { return ordered(add(w, 0.0f)); }
__device__ inline u64 ordered_weight(double w) { return ordered(add(w, 0.0)); }
template <class W>
using Ordered = decltype(ordered_weight(W()));

constexpr int GRAPH_THREADS = EMST_GRAPH_THREADS, GRAPH_WARPS = GRAPH_THREADS / 32;
constexpr int TILE = EMST_GRAPH_TILE, RUN = TILE / 32;  // entries that a warp processes at a time, and a lane of it
constexpr int MOST_TILES = 31;                          // that `for_run` takes

// A random entry for every thread of a block.
__device__ inline i64 sampled_entry(i64 m) { return (i64)(((u64)threadIdx.x * 0x9e3779b97f4a7c15ull) % (u64)m); }

// A lane takes consecutive entries: the first of them in a tile.
__device__ inline int run_begin() { return (int)lane_id() * RUN; }

// The elements of a lane's run, by reads of 16 bytes if the array is aligned; those beyond the end repeat the last one.
template <class T>
__device__ void load_run(const T *array, i64 begin, i64 end, T (&run)[RUN]) {
  constexpr int WIDTH = 16 / sizeof(T);
  struct alignas(16) Wide {
    T part[WIDTH];
  };
  if (begin + RUN <= end && reinterpret_cast<u64>(array) % 16 == 0) {
#pragma unroll
    for (int j = 0; j < RUN; j += WIDTH) {
      const Wide wide = *reinterpret_cast<const Wide *>(array + begin + j);
#pragma unroll
      for (int i = 0; i < WIDTH; i++) run[j + i] = wide.part[i];
    }
  } else {
#pragma unroll
    for (int j = 0; j < RUN; j++) run[j] = array[minimum(begin + j, end - 1)];
  }
}

// The last of n rows that begins at entry e or before it. If indptr is not sorted the result is unspecified, but always
// a valid row index.
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

struct Tile {
  i64 start;
  int first, next;  // rows of its first entry, and of the first entry after it
};

// The rows of the entries in a tile. The cursor of a lane is at one of these rows.
template <class P>
struct TileRows {
  const P *indptr;
  i64 start;
  int first, more;  // the row of the tile's first entry, and how many further rows may begin in the tile
  int *offset;      // where these begin, relative to the tile; TILE elements, shared by the warp
  int passed, end;  // of the cursor: how many rows it has passed, and where the next row begins

  __device__ explicit TileRows(const P *indptr) : indptr(indptr) {
    __shared__ int offsets[GRAPH_WARPS][TILE];
    offset = offsets[threadIdx.x / 32];
  }

  __device__ int begin_of(int k) const {
    const i64 begin = (i64)indptr[first + 1 + k] - start;
    return (int)minimum(maximum(begin, (i64)0), (i64)TILE);
  }

  __device__ void read(const Tile &tile) {
    start = tile.start, first = tile.first, more = tile.next - tile.first;
    __syncwarp();  // all lanes have read the rows of the previous tile
    if (more <= TILE)
      for (int k = lane_id(); k < more; k += 32) offset[k] = begin_of(k);
    __syncwarp();
  }

  // There can be more rows than entries, because rows can be empty.
  __device__ int begins(int k) const { return k >= more ? TILE : more <= TILE ? offset[k] : begin_of(k); }

  // Moves the cursor to the row of the entry with this index in the tile.
  __device__ void seek(int index) {
    int low = 0, high = maximum(more, 0);
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (begins(middle) <= index)
        low = middle + 1;
      else
        high = middle;
    }
    passed = low;
    end = begins(low);
  }

  // The same for the entry after the cursor's last one; true if its row is another one.
  __device__ bool moves_to(int index) {
    if (index < end) return false;
    end = begins(++passed);
    if (index >= end) seek(index);
    return true;
  }

  __device__ int row() const { return first + passed; }
};

// The rank of a warp among all warps of several blocks.
struct Warp {
  i64 rank, size;
  __device__ Warp(int block, int blocks)
      : rank((i64)block * GRAPH_WARPS + threadIdx.x / 32), size((i64)blocks * GRAPH_WARPS) {}
};

__device__ inline i64 tiles_of(i64 m) { return (m + TILE - 1) / TILE; }

// Calls each(tile) for the tiles from number `begin` up to `end`, at most MOST_TILES. The lanes find their rows
// together.
template <class P, class Each>
__device__ void for_run(const P *indptr, int n, i64 m, i64 begin, i64 end, Each each) {
  const int row = row_of_entry(indptr, n, minimum(minimum(begin + lane_id(), end) * TILE, m));
  for (i64 t = begin; t < end; t++) {
    const int i = (int)(t - begin);
    each(Tile{t * TILE, __shfl_sync(FULL, row, i), __shfl_sync(FULL, row, i + 1)});
  }
}

// Calls each(tile) for all tiles of m entries, which the warps divide among them. A warp takes short runs of tiles from
// all over the list, because the cost of a tile differs between regions of the graph.
template <class P, class Each>
__device__ void for_tiles(const P *indptr, int n, i64 m, Warp warp, Each each) {
  const i64 tiles = tiles_of(m), length = minimum(maximum(tiles / (8 * warp.size), (i64)1), (i64)8);
  for (i64 begin = warp.rank * length; begin < tiles; begin += warp.size * length)
    for_run(indptr, n, m, begin, minimum(begin + length, tiles), each);
}
