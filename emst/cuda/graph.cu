// The default minimum spanning forest: all of Borůvka's rounds in one cooperative launch, without a word to the host.
//
// The first round needs no list of edges: where every row holds all edges of its vertex, one pass over the rows finds
// the lightest of each. What is then still between two components goes into a list, lighter edges first: a sample
// tells the weight below which there are about LIGHT times n of them. Once those have been contracted few of the
// heavier ones are left between two components, and only these are listed, in one more pass over the rows.
//
// A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A high-performance MST implementation for GPUs" (SC'23) has the list,
// the representatives kept in it, the guard before atomics and the threshold; the rounds without the host, the
// first round and the contraction without compare-and-swap are ours.
#include "rounds.cuh"

constexpr i64 LIGHT = 2;  // light edges, as a multiple of n
constexpr int SAMPLE = 1024;

template <class W, class P>
struct Rows {
  const P *indptr;
  int n;
  const int *indices;
  const W *weights;
  i64 m;
  bool symmetric;

  __device__ u64 weight(i64 e) const { return ordered_weight(weights[e]); }

  __device__ int other_end(int v, i64 e) const {
    const int column = indices[e];
    return column != v ? column : row_of_entry_alone(indptr, n, e);
  }

  // The entry above the diagonal that mirrors e, in row v below it: the first of its column and weight.
  __device__ i64 mirrored(int v, i64 e) const {
    const int row = indices[e];
    i64 low = indptr[row], high = indptr[row + 1];
    while (low < high) {
      const i64 middle = low + (high - low) / 2;
      if (indices[middle] < v)
        low = middle + 1;
      else
        high = middle;
    }
    while (weight(low) != weight(e)) low++;
    return low;
  }
};

// The lesser of the keys in lanes of the same row, at the first lane of each; rows ascend over the lanes.
__device__ inline u64 least_of_row(u64 key, int row) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int row_there = __shfl_down_sync(FULL, row, step);
    const bool same = row_there == row && lane_id() + step < 32;
    if (!__any_sync(FULL, same)) break;  // then no rows farther apart are the same
    const u64 there = __shfl_down_sync(FULL, key, step);
    if (same) key = minimum(key, there);
  }
  return key;
}

// Calls each(j, e, row, column) for all entries of this block's tiles, columns read ahead; column is NONE beyond the
// end.
template <class W, class P, class Begin, class Each, class End>
__device__ void for_tiles(const Rows<W, P> &g, const Crew &crew, TileRows &rows, Begin begin, Each each, End end) {
  for (i64 start = (i64)crew.rank * TILE; start < g.m; start += (i64)crew.size * TILE) {
    int column[TILE_ITEMS];
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) {
      const i64 e = start + tile_index(j);
      column[j] = e < g.m ? g.indices[e] : NONE;
    }
    rows.find(g.indptr, g.n, start, minimum(start + TILE, g.m));
    begin();
#pragma unroll
    for (int j = 0; j < TILE_ITEMS; j++) each(j, start + tile_index(j), rows[tile_index(j)], column[j]);
    end();
  }
}

// First round: the lightest edge of every vertex; and of several places the first.
template <class Key, class W, class P>
__device__ void offer_rows(const Rows<W, P> &g, Work<Key> &work, TileRows &rows) {
  auto counts = [&](int row, int column) { return column >= 0 && (g.symmetric ? column != row : column > row); };
  for_tiles(
      g, work.crew, rows, [] {},
      [&](int, i64 e, int row, int column) {
        const bool is_edge = counts(row, column);
        const Key key = is_edge ? Key::make(g.weight(e), e) : Key::none();
        if (column < 0) row = NONE;
        const u64 word = *reinterpret_cast<const u64 *>(&key), least = least_of_row(word, row);
        const int row_before = __shfl_up_sync(FULL, row, 1);
        if (row != NONE && (lane_id() == 0 || row_before != row)) {
          Key head = key;
          *reinterpret_cast<u64 *>(&head) = least;
          work.now.offer(row, head);
        }
        if (is_edge && !g.symmetric) work.now.offer(column, key);
      },
      [] {});
  work.crew.sync();
  if (!Least<Key>::TWO_STEPS) return;
  for_tiles(
      g, work.crew, rows, [] {},
      [&](int, i64 e, int row, int column) {
        if (!counts(row, column)) return;
        const Key key = Key::make(g.weight(e), e);
        work.now.offer_place(row, key);
        if (!g.symmetric) work.now.offer_place(column, key);
      },
      [] {});
  work.crew.sync();
}

// Every vertex hooks itself onto the other end of its lightest edge. Two that choose each other choose the same edge,
// as the order is strict: the smaller one stays.
template <class Key, class W, class P>
__device__ void hook_vertices(const Rows<W, P> &g, Work<Key> &work) {
  for (i64 i = work.first_vertex(); i < g.n; i += work.vertex_step()) {
    const int v = (int)i;
    const i64 e = work.now.place(v);
    if (e < 0) {
      work.parent[v] = v;
      continue;
    }
    const int other = g.other_end(v, e);
    const bool stays = v < other && g.other_end(other, work.now.place(other)) == v;
    work.parent[v] = stays ? v : other;
    if (!stays) work.mark(g.symmetric && other < v ? g.mirrored(v, e) : e);
  }
  work.crew.sync();
}

// The edges between two components, light ones or all: listed, and offered to both ends.
template <bool LIGHT_ONLY, class Key, class W, class P>
__device__ void list_edges(const Rows<W, P> &g, Work<Key> &work, TileRows &rows, Key threshold) {
  Item<Key> item[TILE_ITEMS];
  bool kept[TILE_ITEMS];
  for_tiles(
      g, work.crew, rows, [] {},
      [&](int j, i64 e, int row, int column) {
        kept[j] = column > row;
        if (LIGHT_ONLY && kept[j]) {
          item[j].key = Key::make(g.weight(e), e);
          kept[j] = !(threshold < item[j].key);
        }
        if (!kept[j]) return;
        item[j].u = work.parent[row];
        item[j].v = work.parent[column];
        kept[j] = item[j].u != item[j].v;
        if (!kept[j]) return;
        if (!LIGHT_ONLY) item[j].key = Key::make(g.weight(e), e);
        work.now.offer(item[j].u, item[j].key);
        work.now.offer(item[j].v, item[j].key);
      },
      [&] {
        u64 at[TILE_ITEMS];
        reserve(kept, &work.state->count[work.pass], at);
#pragma unroll
        for (int j = 0; j < TILE_ITEMS; j++)
          if (kept[j]) work.append(item[j], at[j]);
      });
  work.crew.sync();
}

// The edge that has `rank` of SAMPLE random ones before it; by one block.
template <class Key, class W, class P>
__device__ void find_threshold(const Rows<W, P> &g, int rank, State *state) {
  __shared__ Key sample[SAMPLE];
  for (int i = threadIdx.x; i < SAMPLE; i += TILE_THREADS) {
    const i64 e = (i64)(((u64)i * 0x9e3779b97f4a7c15ull) % (u64)g.m);
    sample[i] = Key::make(g.weight(e), e);
  }
  for (int length = 2; length <= SAMPLE; length *= 2)  // bitonic sort
    for (int step = length / 2; step > 0; step /= 2) {
      __syncthreads();
      const int i = (threadIdx.x / step) * 2 * step + threadIdx.x % step, j = i + step;
      const Key a = sample[i], b = sample[j];
      if ((b < a) == ((i & length) == 0)) sample[i] = b, sample[j] = a;
    }
  __syncthreads();
  if (threadIdx.x == 0) *reinterpret_cast<Key *>(&state->threshold) = sample[rank];
}

template <class Key, class W, class P>
__global__ void __launch_bounds__(TILE_THREADS, 2)
    forest(const P *indptr, i64 n, const int *indices, const W *weights, i64 m, int symmetric, int *parent, u64 *least,
           Item<Key> *lists, i64 capacity, u32 *marks, State *state) {
  __shared__ TileRows rows;
  const Rows<W, P> g = {indptr, (int)n, indices, weights, m, symmetric != 0};
  const i64 words = n * (i64)(sizeof(Key) / 8);
  Work<Key> work = {{&state->arrived, (int)blockIdx.x, (int)gridDim.x},
                    (int)n,
                    0,
                    parent,
                    least_in<Key>(least, n),
                    least_in<Key>(least + words, n),
                    lists,
                    lists + capacity,
                    marks,
                    state};
  for (i64 v = work.first_vertex(); v < n; v += work.vertex_step()) work.now.clear(v);
  for (i64 i = work.first_vertex(); i < (m + 31) / 32; i += work.vertex_step()) marks[i] = 0;
  work.crew.sync();

  const i64 edges = maximum(symmetric ? m / 2 : m, (i64)1), rank = LIGHT * SAMPLE * n / edges;
  const bool filtered = rank < SAMPLE * 3 / 4;
  if (filtered && work.crew.rank == work.crew.size - 1) find_threshold<Key>(g, (int)rank, state);
  offer_rows(g, work, rows);
  hook_vertices(g, work);
  work.flatten(true);
  work.pass++;
  if (filtered) {
    list_edges<true>(g, work, rows, *reinterpret_cast<const Key *>(&state->threshold));
    work.rounds();
    work.pass = HEAVY_PASSES;
    work.flatten(true);
    work.pass++;
  }
  list_edges<false>(g, work, rows, Key::none());
  work.rounds();
  work.pass = LAST_PASSES;
  work.flatten(false);
}
