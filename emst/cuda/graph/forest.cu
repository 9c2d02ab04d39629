// The default minimum spanning forest: all of Borůvka's rounds in one cooperative launch, without the host.
//
// The first round needs no list of edges: if every row holds all edges of its vertex, one pass over the rows finds the
// lightest edge of every vertex. The edges that are left between two components are listed, light edges first: a sample
// gives the weight below which there are about LIGHT * n edges. After these have been contracted, few of the heavier
// edges are left between two components. One more pass over the rows lists only those.
//
// A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A high-performance MST implementation for GPUs" (SC'23) has the list,
// component representatives instead of vertices in it, the comparison before an atomic, and the threshold. The rounds
// without the host, the first round on rows, and contraction without compare-and-swap (contract.cuh) are ours.
#include "graph/adjacency.cuh"

constexpr i64 LIGHT = 1;  // number of light edges divided by n
constexpr int SAMPLE = 1024;

// The least key among the lanes of each row, at the first lane of that row; rows ascend over the lanes.
__device__ inline u64 least_of_row(u64 key, int row) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int row_there = __shfl_down_sync(FULL, row, step);
    const bool same = row_there == row && lane_id() + step < 32;
    if (!__any_sync(FULL, same)) break;  // then lanes farther apart hold different rows
    const u64 there = __shfl_down_sync(FULL, key, step);
    if (same) key = minimum(key, there);
  }
  return key;
}

// First round: the lightest edge of every vertex, the first in the total order.
template <class Key, class W, class P>
__device__ void offer_rows(const Adjacency<W, P> &g, Worklist<Key> &work) {
  g.for_edges(work.grid, [&](i64 e, int row, int column, u64 weight, bool is_edge) {
    const Key key = is_edge ? Key::make(weight, e) : Key::none();
    const u64 least = least_of_row(*reinterpret_cast<const u64 *>(&key), row);
    const int row_before = __shfl_up_sync(FULL, row, 1);
    if (row != NONE && (row != row_before || lane_id() == 0)) {
      Key head = key;
      *reinterpret_cast<u64 *>(&head) = least;
      work.now.offer(row, head);
    }
    if (is_edge && !g.symmetric) work.now.offer(column, key);
  });
  work.grid.sync();
  if (!Least<Key>::TWO_STEPS) return;
  g.for_edges(work.grid, [&](i64 e, int row, int column, u64 weight, bool is_edge) {
    if (!is_edge) return;
    const Key key = Key::make(weight, e);
    work.now.offer_place(row, key);
    if (!g.symmetric) work.now.offer_place(column, key);
  });
  work.grid.sync();
}

// Every vertex hangs itself on the other end of its lightest edge. Two vertices that choose each other choose the same
// edge, because the order is strict.
template <class Key, class W, class P>
__device__ void hook_vertices(const Adjacency<W, P> &g, Worklist<Key> &work) {
  for (i64 start = work.grid.first(); start < g.n; start += MANY * work.grid.step()) {
    i64 chosen[MANY], back[MANY];
    int other[MANY];
#pragma unroll
    for (int j = 0; j < MANY; j++) {
      const i64 v = start + j * work.grid.step();
      chosen[j] = v < g.n ? work.now.place((int)v) : NONE;
    }
#pragma unroll
    for (int j = 0; j < MANY; j++) {
      const int v = (int)(start + j * work.grid.step());
      other[j] = chosen[j] < 0 ? NONE : g.other_end(v, chosen[j]);
    }
#pragma unroll
    for (int j = 0; j < MANY; j++) back[j] = other[j] < 0 ? NONE : work.now.place(other[j]);
#pragma unroll
    for (int j = 0; j < MANY; j++) {
      const i64 v = start + j * work.grid.step();
      if (v >= g.n) break;
      const bool stays =
          other[j] < 0 || stays_root((int)v, other[j], [&] { return g.other_end(other[j], back[j]) == v; });
      work.parent[v] = stays ? (int)v : other[j];
      if (!stays) work.mark(g.symmetric && other[j] < v ? g.mirrored((int)v, chosen[j]) : chosen[j]);
    }
  }
  work.grid.sync();
}

// Lists the edges between two components, only light ones or all, and offers each to both ends.
template <bool LIGHT_ONLY, class Key, class W, class P>
__device__ void list_edges(const Adjacency<W, P> &g, Worklist<Key> &work, Key threshold) {
  for_tiles(g.indptr, g.n, g.indices, g.m, Warp(work.grid.rank, work.grid.size),
            [&](i64 start, const int *columns, auto &rows) {
              int u[TILE_ITEMS], v[TILE_ITEMS];
              bool kept[TILE_ITEMS];
              u32 at[TILE_ITEMS];
#pragma unroll
              for (int j = 0; j < TILE_ITEMS; j++) {
                const i64 e = start + tile_index(j);
                u[j] = rows[tile_index(j)];
                v[j] = columns[j];
                kept[j] = v[j] > u[j] && !(LIGHT_ONLY && threshold < Key::make(g.weight(e), e));
              }
#pragma unroll
              for (int j = 0; j < TILE_ITEMS; j++) {
                if (!kept[j]) u[j] = v[j] = 0;
                u[j] = work.parent[u[j]];
                v[j] = work.parent[v[j]];
              }
#pragma unroll
              for (int j = 0; j < TILE_ITEMS; j++) kept[j] = kept[j] && u[j] != v[j];
              Item<Key> *const to = work.spare + warp_reserve(kept, &work.state->count[work.pass], at);
#pragma unroll
              for (int half = 0; half < TILE_ITEMS; half += MANY) {
                Key key[MANY];
                u64 known_u[MANY], known_v[MANY];
#pragma unroll
                for (int i = 0; i < MANY; i++) {
                  const int j = half + i;
                  const i64 e = start + tile_index(j);
                  if (kept[j]) key[i] = Key::make(g.weight(e), e);
                  known_u[i] = work.now.known(u[j]);
                  known_v[i] = work.now.known(v[j]);
                }
#pragma unroll
                for (int i = 0; i < MANY; i++) {
                  const int j = half + i;
                  if (!kept[j]) continue;
                  work.now.offer(u[j], key[i], known_u[i]);
                  work.now.offer(v[j], key[i], known_v[i]);
                  to[at[j]] = {u[j], v[j], key[i]};
                }
              }
            });
  work.grid.sync();
}

// The key of rank `rank` among SAMPLE random edges; by one block.
template <class Key, class W, class P>
__device__ void find_threshold(const Adjacency<W, P> &g, int rank, State *state) {
  __shared__ Key sample[SAMPLE];
  for (int i = threadIdx.x; i < SAMPLE; i += GRAPH_THREADS) {
    const i64 e = (i64)(((u64)i * 0x9e3779b97f4a7c15ull) % (u64)g.m);
    sample[i] = Key::make(g.weight(e), e);
  }
  for (int length = 2; length <= SAMPLE; length *= 2)  // bitonic sort
    for (int step = length / 2; step > 0; step /= 2) {
      __syncthreads();
      for (int pair = threadIdx.x; pair < SAMPLE / 2; pair += GRAPH_THREADS) {
        const int i = pair / step * 2 * step + pair % step, j = i + step;
        const Key a = sample[i], b = sample[j];
        if ((b < a) == ((i & length) == 0)) sample[i] = b, sample[j] = a;
      }
    }
  __syncthreads();
  if (threadIdx.x == 0) *reinterpret_cast<Key *>(&state->threshold) = sample[rank];
}

// The entries that one warp lists: a run of whole tiles; the numbers of tiles of any two warps differ by at most one.
struct Share {
  i64 begin, end;
  __device__ Share(i64 m, Warp warp) {
    const i64 tiles = (m + TILE - 1) / TILE;
    begin = minimum(tiles * warp.rank / warp.size * TILE, m);
    end = minimum(tiles * (warp.rank + 1) / warp.size * TILE, m);
  }
};

// Lists the marked entries in order, with their ends. Every block counts the marks of its share; the sum over the
// blocks before it is its place in the list.
template <class Key, class W, class P>
__device__ void list_marked(const Adjacency<W, P> &g, const Worklist<Key> &work, i64 *entries, int *source,
                            int *target) {
  __shared__ u64 found[GRAPH_WARPS];
  const int warp = threadIdx.x / 32;
  const Share share(g.m, Warp(work.grid.rank, work.grid.size));
  u64 marked = 0, all;
  for (i64 w = share.begin / 32 + lane_id(); w < (share.end + 31) / 32; w += 32) marked += __popc(work.marks[w]);
  marked = warp_sum(marked);
  __syncthreads();
  if (lane_id() == 0) found[warp] = marked;
  __syncthreads();
  if (threadIdx.x == 0) {
    u64 sum = 0;
    for (int w = 0; w < GRAPH_WARPS; w++) sum += found[w];
    work.state->found[work.grid.rank] = sum;
  }
  work.grid.sync();
  u64 to = found_before<GRAPH_THREADS>(work.grid, work.state->found, all);
  if (work.grid.first() == 0) work.state->edges = all;
  for (int w = 0; w < warp; w++) to += found[w];
  if (marked == 0) return;
  TileRows rows;
  rows.begin(g.indptr, g.n, share.begin);
  for (i64 start = share.begin; start < share.end; start += TILE) {
    rows.advance(g.indptr, g.n, start, minimum(start + TILE, share.end));
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) {
      const i64 e = start + tile_index(j);
      const u32 lanes = start + 32 * j < share.end ? work.marks[(start >> 5) + j] : 0, lane = 1u << lane_id();
      if (lanes & lane) {
        const u64 at = to + __popc(lanes & (lane - 1));
        entries[at] = e;
        source[at] = rows[tile_index(j)];
        target[at] = g.indices[e];
      }
      to += __popc(lanes);
    }
  }
}

// `result` holds the least edges and, when these are no longer needed, the forest: entries, then sources, then targets,
// n elements each.
template <class Key, class W, class P>
__global__ void __launch_bounds__(GRAPH_THREADS, 3)
    forest(const P *indptr, i64 n, const int *indices, const W *weights, i64 m, int symmetric, int *parent, u64 *result,
           u64 *more, Item<Key> *lists, i64 capacity, u32 *marks, State *state) {
  const Adjacency<W, P> g = {indptr, (int)n, indices, weights, m, symmetric != 0};
  Worklist<Key> work = {{&state->arrived, (int)blockIdx.x, (int)gridDim.x},
                        (int)n,
                        0,
                        parent,
                        least_in<Key>(result, n),
                        least_in<Key>(more, n),
                        lists,
                        lists + capacity,
                        marks,
                        state};
  for (i64 v = work.grid.first(); v < n; v += work.grid.step()) work.now.clear(v);
  for (i64 i = work.grid.first(); i < (m + 31) / 32; i += work.grid.step()) marks[i] = 0;
  work.grid.sync();

  const i64 edges = maximum(symmetric ? m / 2 : m, (i64)1), rank = LIGHT * SAMPLE * n / edges;
  const bool filtered = m > 0 && rank <= SAMPLE * 5 / 8;
  if (filtered && work.grid.rank == work.grid.size - 1) find_threshold<Key>(g, (int)rank, state);
  offer_rows(g, work);
  hook_vertices(g, work);
  work.flatten(true);
  work.pass++;
  if (filtered) {
    list_edges<true>(g, work, *reinterpret_cast<const Key *>(&state->threshold));
    work.rounds();
    work.pass = HEAVY_PASSES;
    work.flatten(true);
    work.pass++;
  }
  list_edges<false>(g, work, Key::none());
  work.rounds();
  work.pass = LAST_PASSES;
  work.flatten(false);
  int *const source = reinterpret_cast<int *>(result + n);
  list_marked(g, work, reinterpret_cast<i64 *>(result), source, source + n);
}
