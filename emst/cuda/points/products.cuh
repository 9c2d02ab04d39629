// Inner products of halves on tensor cores: a tile of 128 rows times tiles of 128 columns, one after the other.
//
// Stored: each point is a row of `width` halves. The width is a multiple of CHUNK; zeros fill the rest of the row. A
// chunk is CHUNK consecutive halves of each of the 128 points of a tile. A stage is a place in shared memory for a
// chunk of the rows and the same chunk of the columns. The halves of one point in a chunk are a line of PIECES pieces
// of 16 bytes. Piece p of line l lies at place p ^ (l % 8) of the line, so that eight lines of one fragment lie in
// different banks.
//
// Invariant: while the warps of a block multiply the chunks in one stage, copies into all other stages are under way
// (Ampere's asynchronous copies). A barrier comes before a stage is filled again. A warp computes 64 x 32 products in
// fragments of 16 x 8.
//
// products.py launches the kernels that call `each_tile`; they are in products_knn.cu and products_search.cu.
#pragma once
#include "runtime/exact.cuh"

using Half = unsigned short;
constexpr int TILE = EMST_PRODUCT_TILE, CHUNK = EMST_PRODUCT_CHUNK, RUN = EMST_PRODUCT_RUN,
              THREADS = EMST_PRODUCT_THREADS;
constexpr int HALVES = 8, PIECES = CHUNK / HALVES;             // halves of 16 bytes; of them in a line of a chunk
constexpr int LINES = THREADS / PIECES;                        // lines that the threads copy at once
constexpr int COPIES = TILE / LINES;                           // that a thread makes of each side
constexpr int STAGE_BYTES = TILE * CHUNK * (int)sizeof(Half);  // of one side
constexpr int WARP_ROWS = 64, WARP_COLUMNS = 32, ROW_FRAGMENTS = 4, COLUMN_FRAGMENTS = 4;
constexpr int STARTS = 4;  // tiles whose starting values are kept: one that is used, and those of the stages under way
static_assert(THREADS == 32 * (TILE / WARP_ROWS) * (TILE / WARP_COLUMNS) && PIECES == 8, "layout of warps and pieces");

__device__ inline u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ inline void copy_16(u32 to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ inline void copy_4(u32 to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}
__device__ inline void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT>
__device__ void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
__device__ inline void load_fragments(u32 (&to)[4], u32 from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
}
// product = start + a b, 16 terms a sum.
__device__ inline void multiply_add(float (&product)[4], const u32 (&a)[4], u32 b0, u32 b1, const float (&start)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, "
      "%13};"
      : "=f"(product[0]), "=f"(product[1]), "=f"(product[2]), "=f"(product[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(start[0]), "f"(start[1]), "f"(start[2]),
        "f"(start[3]));
}

// A thread's part of a tile of sums. Rows: 16 i + 8 h + lane / 4 of its warp's; columns: 8 j + 2 (lane % 4) + e.
using Sums = float[ROW_FRAGMENTS][COLUMN_FRAGMENTS][4];
__device__ inline int first_row() { return threadIdx.x / 32 / (TILE / WARP_COLUMNS) * WARP_ROWS + lane_id() / 4; }
__device__ inline int first_column() {
  return threadIdx.x / 32 % (TILE / WARP_COLUMNS) * WARP_COLUMNS + lane_id() % 4 * 2;
}

// visit(row, i, h) for each of the thread's rows; the loops are unrolled, so that sums stay in registers.
template <class Visit>
__device__ void each_row(Visit visit) {
#pragma unroll
  for (int i = 0; i < ROW_FRAGMENTS; i++)
#pragma unroll
    for (int h = 0; h < 2; h++) visit(first_row() + 16 * i + 8 * h, i, h);
}
// visit(number, column, sum) for each of the thread's columns in a row.
template <class Visit>
__device__ void each_column(const Sums &sums, int i, int h, Visit visit) {
#pragma unroll
  for (int j = 0; j < COLUMN_FRAGMENTS; j++)
#pragma unroll
    for (int e = 0; e < 2; e++) visit(2 * j + e, first_column() + 8 * j + e, sums[i][j][2 * h + e]);
}
__device__ inline float greatest_of_row(const Sums &sums, int i, int h) {
  float most = sums[i][0][2 * h];
  each_column(sums, i, h, [&](int, int, float sum) { most = maximum(most, sum); });
  return most;
}

// Adds the products of the chunk of a row that has only one.
__device__ inline void multiply_only_chunk(u32 left, u32 right, Sums &sums) {
  const int lane = lane_id(), warp = threadIdx.x / 32;
  const int row = warp / (TILE / WARP_COLUMNS) * WARP_ROWS + lane % 16;
  const int column = warp % (TILE / WARP_COLUMNS) * WARP_COLUMNS + lane % 8 + lane / 16 * 8;
  constexpr int LINE = CHUNK * sizeof(Half);
#pragma unroll
  for (int k = 0; k < CHUNK / 16; k++) {
    u32 b[COLUMN_FRAGMENTS / 2][4];
#pragma unroll
    for (int j = 0; j < COLUMN_FRAGMENTS / 2; j++)
      load_fragments(b[j], right + (column + 16 * j) * LINE + ((2 * k + lane / 8 % 2) ^ (lane % 8)) * 16);
#pragma unroll
    for (int i = 0; i < ROW_FRAGMENTS; i++) {
      u32 a[4];
      load_fragments(a, left + (row + 16 * i) * LINE + ((2 * k + lane / 16) ^ (lane % 8)) * 16);
#pragma unroll
      for (int j = 0; j < COLUMN_FRAGMENTS; j++)
        multiply_add(sums[i][j], a, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1], sums[i][j]);
    }
  }
}

// Adds the products of one of several chunks. Tensor cores truncate, so they add RUN terms at most; the sums of these
// are added here, and rounded. With one sum of all terms, the bound of its error would be many times greater
// (bounds.cuh).
__device__ inline void multiply_chunk(u32 left, u32 right, Sums &sums) {
  const int lane = lane_id(), warp = threadIdx.x / 32;
  const int row = warp / (TILE / WARP_COLUMNS) * WARP_ROWS + lane % 16;
  const int column = warp % (TILE / WARP_COLUMNS) * WARP_COLUMNS + lane % 8 + lane / 16 * 8;
  constexpr int STEPS = RUN / 16, LINE = CHUNK * sizeof(Half);
#pragma unroll
  for (int run = 0; run < CHUNK / RUN; run++) {
    u32 b[STEPS][COLUMN_FRAGMENTS / 2][4];
#pragma unroll
    for (int k = 0; k < STEPS; k++)
#pragma unroll
      for (int j = 0; j < COLUMN_FRAGMENTS / 2; j++) {
        const int piece = 2 * (run * STEPS + k) + lane / 8 % 2;
        load_fragments(b[k][j], right + (column + 16 * j) * LINE + (piece ^ (lane % 8)) * 16);
      }
#pragma unroll
    for (int i = 0; i < ROW_FRAGMENTS; i++) {
      float products[COLUMN_FRAGMENTS][4] = {};
#pragma unroll
      for (int k = 0; k < STEPS; k++) {
        u32 a[4];
        const int piece = 2 * (run * STEPS + k) + lane / 16;
        load_fragments(a, left + (row + 16 * i) * LINE + (piece ^ (lane % 8)) * 16);
#pragma unroll
        for (int j = 0; j < COLUMN_FRAGMENTS; j++)
          multiply_add(products[j], a, b[k][j / 2][j % 2 * 2], b[k][j / 2][j % 2 * 2 + 1], products[j]);
      }
#pragma unroll
      for (int j = 0; j < COLUMN_FRAGMENTS; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) sums[i][j][e] = add(sums[i][j][e], products[j][e]);
    }
  }
}

// use(tile, sums) for each tile of columns that next(tile) gives, from next(-1) on until it gives -1: sums[row][column]
// is start[column] plus the inner product. `rows` are 128 points in shared memory; column c of a tile is point tile *
// 128 + c, or that entry of `columns`. SHORT: there is one chunk. Called by all threads of a block, `next` with the
// same result in all of them.
template <int STAGES, bool SHORT, class Next, class Use>
__device__ void each_tile(const Half *halves, int width, const float *start, const int *rows, const int *columns,
                          Next next, Use use) {
  extern __shared__ uint4 stages[];
  __shared__ float starts[STARTS][TILE];
  const u32 left = shared_address(stages), right = left + STAGES * STAGE_BYTES;
  const int piece = threadIdx.x % PIECES, line = threadIdx.x / PIECES, chunks = width / CHUNK;
  const u32 slot = line * CHUNK * sizeof(Half) + (piece ^ (line % 8)) * 16;
  int loading = next(-1), chunk = 0, loaded = 0;

  auto load = [&](int stage) {
    if (loading >= 0) {
      const Half *const from = halves + chunk * CHUNK + piece * HALVES;
#pragma unroll
      for (int i = 0; i < COPIES; i++) {
        const u32 to = stage * STAGE_BYTES + slot + i * LINES * CHUNK * sizeof(Half);
        const int column = loading * TILE + line + LINES * i;
        copy_16(left + to, from + (i64)rows[line + LINES * i] * width);
        copy_16(right + to, from + (i64)(columns ? __ldg(columns + column) : column) * width);
      }
      if (chunk == 0 && threadIdx.x < TILE) {
        const int column = loading * TILE + threadIdx.x;
        copy_4(shared_address(&starts[loaded % STARTS][threadIdx.x]), start + (columns ? columns[column] : column));
      }
      if (++chunk == chunks) {
        chunk = 0;
        loaded++;
        loading = next(loading);
      }
    }
    end_copies();  // also of nothing, so that groups and stages agree
  };

#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) load(s);
  int stage = 0;
  for (int tile = next(-1), number = 0; tile >= 0; tile = next(tile), number++) {
    Sums sums;
    for (int c = 0; c < chunks; c++) {
      await_copies<STAGES - 2>();
      __syncthreads();
      if (c == 0) {
#pragma unroll
        for (int j = 0; j < COLUMN_FRAGMENTS; j++)
#pragma unroll
          for (int i = 0; i < ROW_FRAGMENTS; i++)
#pragma unroll
            for (int e = 0; e < 4; e++) sums[i][j][e] = starts[number % STARTS][first_column() + 8 * j + e % 2];
      }
      load((stage + STAGES - 1) % STAGES);
      if constexpr (SHORT)
        multiply_only_chunk(left + stage * STAGE_BYTES, right + stage * STAGE_BYTES, sums);
      else
        multiply_chunk(left + stage * STAGE_BYTES, right + stage * STAGE_BYTES, sums);
      stage = stage + 1 == STAGES ? 0 : stage + 1;
    }
    use(tile, sums);
  }
  await_copies<0>();
  __syncthreads();  // the stages are free again
}

// A piece of a block's work: one tile of rows and some tiles of columns. Each row tile is divided into `splits` pieces.
struct Part {
  i64 row;  // the tile's first, in the launch
  int begin, end;
  __device__ Part(i64 item, i64 row_tiles, int column_tiles, int splits) {
    const int split = (int)(item / row_tiles);
    row = item % row_tiles * TILE;
    begin = (int)((i64)split * column_tiles / splits);
    end = (int)((split + i64(1)) * column_tiles / splits);
  }
  // The next tile of columns that is wanted, or -1. Called by whole warps; all warps of a block must get the same
  // result.
  template <class Wanted>
  __device__ int next(int tile, Wanted wanted) const {
    for (int first = tile < 0 ? begin : tile + 1; first < end; first += 32) {
      const int mine = first + lane_id();
      const u32 lanes = __ballot_sync(FULL, mine < end && wanted(mine));
      if (lanes) return first + __ffs(lanes) - 1;
    }
    return -1;
  }
};
