// The default minimum spanning forest: all of Borůvka's rounds in one cooperative launch, without the host.
//
// One pass over the rows finds the lightest edge of every vertex, if every row holds all edges of its vertex, and lists
// light edges: a sample gives the weight below which there are about LIGHT * n. After these have been contracted, most
// vertices are in one component, the giant. Every heavier edge between two components is in the row of a vertex outside
// the giant. So only the rows of such vertices are read again.
//
// A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A high-performance MST implementation for GPUs" (SC'23) has the list,
// component representatives instead of vertices in it, the comparison before an atomic, and the threshold. The giant is
// that of M. Koohi Esfahani et al., "MASTIFF: structure-aware minimum spanning tree/forest" (ICS'22). The rounds
// without the host, the first round on rows, and contraction without compare-and-swap (contract.cuh) are ours.
#include "graph/heavy.cuh"

constexpr i64 LIGHT = 5;  // number of light edges divided by n / 4
constexpr int SAMPLE = GRAPH_THREADS;

// The least weight among entries of one row in a tile, and the first entry that has it, NONE if there is no entry.
template <class W>
struct Lightest {
  Ordered<W> weight;
  int index;

  // Both are of the same row, and the other one's entries come first.
  __device__ void join_before(Lightest other) {
    if (other.index != NONE && (index == NONE || other.weight <= weight)) *this = other;
  }
};

// A row that begins and ends in the tile has its least edge for itself.
template <class W, class P, bool EXACT>
__device__ void take_lightest(const Adjacency<W, P> &g, Worklist<W, EXACT> &work, const Tile &tile, int row,
                              Lightest<W> lightest) {
  if (lightest.index == NONE) return;
  const u64 edge = work.order.word(lightest.weight, tile.start + lightest.index);
  if (g.symmetric && row != tile.first && row != tile.next)
    work.now[row] = edge;
  else
    work.order.offer(work.now + row, edge);
}

// First round: the least edge of every vertex; and a list of the light edges.
template <class W, class P, bool EXACT>
__device__ void read_rows(const Adjacency<W, P> &g, Worklist<W, EXACT> &work) {
  const Ordered<W> heaviest = (Ordered<W>)work.state->heaviest[0];
  const i64 last = (i64)work.state->heaviest[1];
  TileRows<P> rows(g.indptr);
  for_tiles(g.indptr, g.n, g.m, Warp(work.grid.rank, work.grid.size), [&](const Tile &tile) {
    const i64 begin = tile.start + run_begin();
    int column[RUN], row[RUN];
    W weight[RUN];
    load_run(g.indices, begin, g.m, column);
    load_run(g.weights, begin, g.m, weight);
    rows.read(tile);
    rows.seek(run_begin());
    const int first_row = rows.row();
    const Lightest<W> none = {(Ordered<W>)~0ull, NONE};
    Lightest<W> lightest = none, of_first = none;
    bool many_rows = false;
    u32 listed = 0;
#pragma unroll
    for (int j = 0; j < RUN; j++) {
      if (j > 0 && rows.moves_to(run_begin() + j)) {
        if (many_rows)
          take_lightest(g, work, tile, row[j - 1], lightest);
        else
          of_first = lightest;
        many_rows = true;
        lightest = none;
      }
      row[j] = rows.row();
      if (begin + j >= g.m) continue;
      const Ordered<W> w = ordered_weight(weight[j]);
      const bool upper = column[j] > row[j];
      if (!upper && (!g.symmetric || column[j] == row[j])) continue;
      if (lightest.index == NONE || w < lightest.weight) lightest = {w, run_begin() + j};
      if (upper && (w < heaviest || (w == heaviest && begin + j <= last))) listed |= 1u << j;
      if (!g.symmetric) work.order.offer(work.now + column[j], work.order.word(w, begin + j));
    }
    const u32 up_to_me = warp_inclusive_sum((u32)__popc(listed));
    u64 to = 0;
    if (lane_id() == 31 && up_to_me) to = atomicAdd(&work.state->count[work.pass], (u64)up_to_me);
    const int last_row = rows.row();
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const int row_there = __shfl_up_sync(FULL, last_row, step);
      const Lightest<W> there = {__shfl_up_sync(FULL, lightest.weight, step),
                                 __shfl_up_sync(FULL, lightest.index, step)};
      if ((int)lane_id() >= step && row_there == last_row) lightest.join_before(there);
    }
    const int row_before = __shfl_up_sync(FULL, last_row, 1), row_after = __shfl_down_sync(FULL, first_row, 1);
    const Lightest<W> before = {__shfl_up_sync(FULL, lightest.weight, 1), __shfl_up_sync(FULL, lightest.index, 1)};
    if (many_rows) {
      if (lane_id() > 0 && row_before == first_row) of_first.join_before(before);
      take_lightest(g, work, tile, first_row, of_first);
    }
    if (lane_id() == 31 || row_after != last_row) take_lightest(g, work, tile, last_row, lightest);
    to = __shfl_sync(FULL, to, 31) + up_to_me - __popc(listed);
#pragma unroll
    for (int j = 0; j < RUN; j++)
      if (listed >> j & 1) work.list[to++] = {row[j], column[j], work.order.word(ordered_weight(weight[j]), begin + j)};
  });
  work.grid.sync();
}

// Every vertex hooks onto the other end of its lightest edge. Two vertices that choose each other choose the same
// edge, because the order is strict. The smaller one marks it: its entry is above the diagonal.
template <class W, class P, bool EXACT>
__device__ void hook_vertices(const Adjacency<W, P> &g, Worklist<W, EXACT> &work) {
  for (i64 start = work.grid.first(); start < g.n; start += MANY * work.grid.step()) {
    i64 chosen[MANY], back[MANY];
    int other[MANY];
#pragma unroll
    for (int j = 0; j < MANY; j++) {
      const i64 v = start + j * work.grid.step();
      chosen[j] = v < g.n ? work.order.place(work.now[v]) : NONE;
    }
#pragma unroll
    for (int j = 0; j < MANY; j++) {
      const int v = (int)(start + j * work.grid.step());
      other[j] = chosen[j] < 0 ? NONE : g.other_end(v, chosen[j]);
    }
#pragma unroll
    for (int j = 0; j < MANY; j++) back[j] = other[j] < 0 ? NONE : work.order.place(work.now[other[j]]);
    bool mutual[MANY];
#pragma unroll
    for (int j = 0; j < MANY; j++) {
      const int v = (int)(start + j * work.grid.step());
      mutual[j] = other[j] >= 0 && g.other_end(other[j], back[j]) == v;
    }
#pragma unroll
    for (int j = 0; j < MANY; j++) {
      const i64 v = start + j * work.grid.step();
      if (v >= g.n) break;
      const bool stays = other[j] < 0 || stays_root((int)v, other[j], [&] { return mutual[j]; });
      work.parent[v] = stays ? (int)v : other[j];
      if (other[j] < 0 || (mutual[j] && !stays)) continue;
      work.mark(g.symmetric && other[j] < v ? g.mirrored((int)v, chosen[j]) : chosen[j]);
    }
  }
  work.grid.sync();
}

// Ranks a sample of edges, for the heaviest light edge, that of rank `rank`, and for the range of weights. By one
// block. If the rank is not below SAMPLE, all edges are light.
template <class W, class P>
__device__ void rank_sample(const Adjacency<W, P> &g, int rank, State *state) {
  __shared__ Ordered<W> weight[SAMPLE];
  __shared__ i64 place[SAMPLE];
  const int me = threadIdx.x;
  const i64 e = place[me] = sampled_entry(g.m);
  const Ordered<W> w = weight[me] = g.weight(e);
  if (me == 0) state->heaviest[0] = ~0ull, state->heaviest[1] = ~0ull >> 1;
  __syncthreads();
  int before_me = 0;
  for (int i = 0; i < SAMPLE; i++) {
    const bool equal = weight[i] == w && place[i] == e;
    before_me += weight[i] < w || (weight[i] == w && place[i] < e) || (equal && i < me);
  }
  if (before_me == rank) state->heaviest[0] = w, state->heaviest[1] = (u64)e;
  if (before_me == 0) state->low = w;
  if (before_me == SAMPLE - 1) state->high = w;
}

// Lists the marked entries in order, with their ends. Every warp has a run of tiles, and counts the marks there; the
// sum over the warps before it is its place in the list.
template <class W, class P, bool EXACT>
__device__ void list_marked(const Adjacency<W, P> &g, const Worklist<W, EXACT> &work, i64 *entries, int *source,
                            int *target) {
  __shared__ u64 of_warp[GRAPH_WARPS];
  const int warp = threadIdx.x / 32;
  const Warp share(work.grid.rank, work.grid.size);
  const i64 begin = tiles_of(g.m) * share.rank / share.size, end = tiles_of(g.m) * (share.rank + 1) / share.size;
  const i64 words = minimum(end * (TILE / 32), (g.m + 31) / 32);
  u64 marked = 0, all;
  for (i64 w = begin * (TILE / 32) + lane_id(); w < words; w += 32) marked += __popc(work.marks[w]);
  marked = warp_sum(marked);
  __syncthreads();
  if (lane_id() == 0) of_warp[warp] = marked;
  __syncthreads();
  if (threadIdx.x == 0) {
    u64 sum = 0;
    for (int w = 0; w < GRAPH_WARPS; w++) sum += of_warp[w];
    work.state->marked[work.grid.rank] = sum;
  }
  work.grid.sync();
  u64 to = sum_before<GRAPH_THREADS>(work.grid, work.state->marked, all);
  if (work.grid.first() == 0) work.state->edges = all;
  for (int w = 0; w < warp; w++) to += of_warp[w];
  if (marked == 0) return;
  static_assert(RUN == 8, "the marks of a lane's run are a byte");
  const unsigned char *const bytes = reinterpret_cast<const unsigned char *>(work.marks);
  TileRows<P> rows(g.indptr);
  auto list = [&](const Tile &tile) {
    const i64 run = tile.start + run_begin();
    u32 mine = run < g.m ? bytes[run / RUN] : 0;
    if (!__any_sync(FULL, mine)) return;
    rows.read(tile);
    const u32 up_to_me = warp_inclusive_sum((u32)__popc(mine));
    u64 at = to + up_to_me - __popc(mine);
    to += __shfl_sync(FULL, up_to_me, 31);
    for (; mine; mine &= mine - 1, at++) {
      const int index = run_begin() + __ffs(mine) - 1;
      rows.seek(index);
      entries[at] = tile.start + index;
      source[at] = rows.row();
      target[at] = g.indices[tile.start + index];
    }
  };
  for (i64 t = begin; t < end; t += MOST_TILES) for_run(g.indptr, g.n, g.m, t, minimum(t + MOST_TILES, end), list);
}

// `result` holds the least edges and, when these are no longer needed, the forest: entries, then sources, then targets,
// n elements each.
template <class W, class P, bool EXACT>
__global__ void __launch_bounds__(GRAPH_THREADS, 3)
    forest(const P *indptr, i64 n, const int *indices, const W *weights, i64 m, int symmetric, int bits, int *parent,
           u64 *result, Item *lists, i64 capacity, u32 *marks, State *state) {
  const Adjacency<W, P> g = {indptr, (int)n, indices, weights, m, symmetric != 0};
  Worklist<W, EXACT> work = {{&state->arrived, (int)blockIdx.x, (int)gridDim.x},
                             (int)n,
                             0,
                             parent,
                             {weights, bits, 0, 0},
                             result,
                             result + n,
                             lists,
                             lists + capacity,
                             marks,
                             state};
  for (i64 v = work.grid.first(); v < n; v += work.grid.step()) work.now[v] = NO_EDGE;
  for (i64 i = work.grid.first(); i < (m + 31) / 32; i += work.grid.step()) marks[i] = 0;
  const i64 edges = maximum(symmetric ? m / 2 : m, (i64)1), rank = LIGHT * SAMPLE * n / (4 * edges);
  const bool filtered = m > 0 && rank <= SAMPLE * 11 / 16;
  if (m > 0 && work.grid.rank == work.grid.size - 1) rank_sample(g, filtered ? (int)rank : SAMPLE, state);
  work.grid.sync();
  work.order.set_range(state->low, state->high);

  read_rows(g, work);
  const u64 light = *(volatile u64 *)&state->count[work.pass];
  hook_vertices(g, work);
  work.flatten(true);
  work.rounds(light, NONE);
  if (filtered) {
    work.pass = HEAVY_PASSES;
    work.flatten(true);
    const int giant = find_giant(g, parent);
    Piece *const pieces = reinterpret_cast<Piece *>(work.spare);
    list_pieces(g, work, giant, pieces);
    work.pass++;
    list_heavy(g, work, giant, pieces);
    work.rounds(*(volatile u64 *)&state->count[work.pass], giant);
  }
  work.pass = LAST_PASSES;
  work.flatten(false);
  int *const source = reinterpret_cast<int *>(result + n);
  list_marked(g, work, reinterpret_cast<i64 *>(result), source, source + n);
}
