// The heavy edges between two components, after the light ones have been contracted (forest.cu): those in the rows of
// vertices outside one large component, the giant.
#pragma once
#include "graph/adjacency.cuh"

// A component with many edges: the most frequent one at the ends of random entries. Labels are roots.
template <class W, class P>
__device__ int find_giant(const Adjacency<W, P> &g, const int *parent) {
  __shared__ int label[GRAPH_THREADS];
  __shared__ u64 most;
  const int mine = label[threadIdx.x] = parent[g.indices[sampled_entry(g.m)]];
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  u64 equal = 0;
  for (int i = 0; i < GRAPH_THREADS; i++) equal += label[i] == mine;
  atomicMax(&most, equal << 32 | (u32)mine);
  __syncthreads();
  return (int)(u32)most;
}

// At most TILE entries of a row.
struct Piece {
  int row, number;
};

// Lists the rows that can hold edges between two components, in pieces.
template <class W, class P, bool EXACT>
__device__ void list_pieces(const Adjacency<W, P> &g, Worklist<W, EXACT> &work, int giant, Piece *pieces) {
  const i64 chunk = (i64)GRAPH_THREADS * MANY;
  for (i64 start = work.grid.rank * chunk; start < g.n; start += work.grid.size * chunk) {
    bool kept[MANY];
    i64 length[MANY];
    u32 at[MANY];
#pragma unroll
    for (int j = 0; j < MANY; j++) {
      const i64 v = start + j * GRAPH_THREADS + threadIdx.x, row = minimum(v, (i64)g.n - 1);
      length[j] = (i64)g.indptr[row + 1] - (i64)g.indptr[row];
      kept[j] = v < g.n && length[j] > 0 && !(g.symmetric && work.parent[row] == giant);
    }
    Piece *const to = pieces + reserve<GRAPH_THREADS>(kept, &work.state->pieces, at);
#pragma unroll
    for (int j = 0; j < MANY; j++) {
      if (!kept[j]) continue;
      const int row = (int)(start + j * GRAPH_THREADS + threadIdx.x), more = (int)((length[j] - 1) / TILE);
      to[at[j]] = {row, 0};
      if (more == 0) continue;
      const u64 further = atomicAdd(&work.state->pieces, (u64)more);
      for (int number = 1; number <= more; number++) pieces[further + number - 1] = {row, number};
    }
  }
  work.grid.sync();
}

// Lists the edges between two components. A warp takes up to 32 pieces at a time, and divides their entries among its
// lanes.
template <class W, class P, bool EXACT>
__device__ void list_heavy(const Adjacency<W, P> &g, Worklist<W, EXACT> &work, int giant, const Piece *pieces) {
  const Warp warp(work.grid.rank, work.grid.size);
  const i64 count = (i64) * (volatile u64 *)&work.state->pieces;
  const i64 group = minimum((count + warp.size - 1) / warp.size, (i64)32);
  for (i64 start = warp.rank * group; start < count; start += warp.size * group) {
    const i64 i = start + lane_id(), end = minimum(start + group, count);
    const Piece piece = pieces[minimum(i, end - 1)];
    const i64 from = (i64)g.indptr[piece.row] + (i64)piece.number * TILE;
    const int length = i < end ? (int)minimum((i64)g.indptr[piece.row + 1] - from, (i64)TILE) : 0;
    const int label = work.parent[piece.row], up_to_me = warp_inclusive_sum(length), before = up_to_me - length;
    const int all = __shfl_sync(FULL, up_to_me, 31);
    for (int done = 0; done < all; done += 32 * MANY) {
      i64 e[MANY];
      int row[MANY], u[MANY], column[MANY], v[MANY];
      bool kept[MANY];
      u32 at[MANY];
#pragma unroll
      for (int j = 0; j < MANY; j++) {
        const int index = done + 32 * j + (int)lane_id();
        int p = 0;  // the piece of this entry: how many pieces end at or before it
#pragma unroll
        for (int step = 16; step > 0; step /= 2)
          if (__shfl_sync(FULL, up_to_me, p + step - 1) <= index) p += step;
        e[j] = __shfl_sync(FULL, from, p) + (index - __shfl_sync(FULL, before, p));
        row[j] = __shfl_sync(FULL, piece.row, p);
        u[j] = __shfl_sync(FULL, label, p);
        kept[j] = index < all;
        column[j] = kept[j] ? g.indices[e[j]] : row[j];
      }
#pragma unroll
      for (int j = 0; j < MANY; j++) v[j] = work.parent[column[j]];
#pragma unroll
      for (int j = 0; j < MANY; j++)
        kept[j] = kept[j] && u[j] != v[j] && (column[j] > row[j] || (g.symmetric && v[j] == giant));
      Item *const to = work.list + warp_reserve(kept, &work.state->count[work.pass], at);
#pragma unroll
      for (int j = 0; j < MANY; j++) {
        if (!kept[j]) continue;
        const i64 place = column[j] > row[j] ? e[j] : g.mirrored(row[j], e[j]);
        to[at[j]] = {u[j], v[j], work.order.word(g.weight(e[j]), place)};
      }
    }
  }
  work.grid.sync();
}
