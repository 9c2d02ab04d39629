// Edges that rounds have found, as `OpenEdges` of the records: the rows of their ends, and the words that sort them.
//
// joined.py launches rows_here, edges_from, and edge_keys (`edge_order`).
#include "partitions/edges.cuh"
#include "runtime/compact.cuh"

// A thread has one end of an edge. S is the type of rows.
template <class S>
__global__ void rows_here(const u64 *words, int width, i64 ends, const Numbering numbering, const S *rows, i64 points,
                          S *found) {
  const i64 i = thread_id();
  if (i >= ends) return;
  const i64 place = numbering.place_of(words[i / 2 * width + 1 + i % 2]);
  found[i] = place >= 0 && place < points ? rows[place] : S(-1);
}

// Every end lies in one partition: in the others its row is -1. WORDS are 4 for float and 5 for double.
template <int WORDS>
__global__ void __launch_bounds__(COMPACT_THREADS)
    edges_from(const u64 *words, i64 count, i64 start, i64 size, const int2 *rows, i64 parts, u64 *found, int *which,
               int *total, u64 *tiles, u32 epoch) {
  compact(
      count, tiles, epoch, total,
      [&](int, i64 i) {
        const i64 place = (i64)words[i * WORDS + 1] - start;
        return place >= 0 && place < size;
      },
      [&](i64 i, bool kept, u32 rank) {
        if (!kept) return;
        which[rank] = (int)i;
        int2 row = rows[i];
#pragma unroll 1
        for (i64 part = 1; part < parts; part++) {
          const int2 there = rows[part * count + i];
          row = make_int2(maximum(row.x, there.x), maximum(row.y, there.y));
        }
        u64 *const edge = found + (i64)rank * WORDS;
        edge[0] = (u64)maximum(row.x, row.y) << 32 | (u32)minimum(row.x, row.y);
#pragma unroll
        for (int k = 1; k < WORDS; k++) edge[k] = words[i * WORDS + k];
      });
}

// One word of every edge, in an order that is null for all edges as they are.
__global__ void edge_keys(const u64 *words, int width, int word, const int *order, i64 count, u64 *keys) {
  const i64 i = thread_id();
  if (i < count) keys[i] = words[(order ? order[i] : i) * width + word];
}
