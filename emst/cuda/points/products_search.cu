// The nearest points of other components by products of halves: candidates, then their exact distances.
//
// Stored: best[component] is the weight of the component's lightest edge so far. The candidates of the queries are
// stored as candidates.cuh says. tile_label[tile] is the label of all its points, or MIXED.
//
// Invariant: best[component] never falls below the weight of the component's lightest edge. A pair is a candidate if it
// may be as light as the best of the row's component at that time, so the lightest edge is among the candidates. A tile
// first lowers that weight by upper bounds of its own pairs, and then collects its candidates, so they are few.
//
// products.py launches label_tiles; count_members, find_largest and list_others, if the largest component is left out;
// for each part of the queries collect_outgoing and lightest_of_candidates; then leave_out, if there is a largest one.
#include "runtime/compact.cuh"
#include "points/bounds.cuh"
#include "points/candidates.cuh"
#include "points/products.cuh"
#include "runtime/order.cuh"

constexpr int MOST_SPANNED = 8;  // tiles of points in which the queries of a tile lie, if far tiles are to be left out
constexpr int REFRESHED = 4;     // tiles after which the weights are read again: other blocks may have lowered them

// The label that all points of a tile have, or MIXED; a warp a tile.
__global__ void label_tiles(const int *labels, i64 n, i64 tiles, int *tile_label) {
  const i64 tile = thread_id() / 32, begin = tile * TILE, end = minimum(begin + TILE, n);
  if (tile >= tiles) return;
  const int front = labels[begin];
  bool same = true;
  for (i64 i = begin + lane_id(); i < end; i += 32) same = same && labels[i] == front;
  same = __all_sync(FULL, same);
  if (lane_id() == 0) tile_label[tile] = same ? front : MIXED;
}

// How many points each component has.
__global__ void count_members(const int *labels, i64 n, int *members) {
  const i64 i = thread_id();
  const int label = i < n ? labels[i] : NONE;
  const u32 same = __match_any_sync(FULL, label);
  if (label != NONE && (int)lane_id() == __ffs(same) - 1) atomicAdd(members + label, __popc(same));
}

// The largest component, of equally large ones the one with the smallest label, as (members, all ones less the label).
__global__ void find_largest(const int *components, i64 count, const int *members, u64 *largest) {
  const i64 k = thread_id();
  u64 mine = 0;
  if (k < count) mine = (u64)members[components[k]] << 32 | (u32)~components[k];
  mine = warp_max(mine);
  if (lane_id() == 0 && mine) atomicMax(largest, mine);
}
__device__ inline int label_of_largest(const u64 *largest) { return (int)~(u32)*largest; }

// The queries that are not in the largest component: every other component hooks onto one, so the largest need not.
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_others(const int *worklist, const int *queries, i64 n, const int *labels, const u64 *largest, int *others,
                int *count, u64 *tiles, u32 epoch) {
  const int left_out = label_of_largest(largest);
  compact(
      n, tiles, epoch, count, [&](int, i64 k) { return k < queries[0] && labels[worklist[k]] != left_out; },
      [&](i64 k, bool kept, u32 rank) {
        if (kept) others[rank] = worklist[k];
      });
}

// Gives the largest component a weight that no edge has, so that it hooks onto none in this round.
template <class T>
__global__ void leave_out(const u64 *largest, Bits<T> *best) {
  best[label_of_largest(largest)] = -1;
}

template <class B>
__device__ B latest(const B *value) {
  return *(const volatile B *)value;
}

// The rows of a tile.
template <class T>
struct Queries {
  int id[TILE], label[TILE];
  Reach reach[TILE];
  Bits<T> best[TILE];  // of the row's component, when its reach was computed; -1 past the last query
};

// Candidates of every query of a launch, which are those from `first` on.
template <class T, int STAGES, bool SHORT>
__global__ void __launch_bounds__(THREADS, 2)
    collect_outgoing(const Half *halves, int width, const float *low_start, const double *square, const float *rho,
                     const Bounds bounds, i64 n, int tiles, const float *tile_rho, const float *between,
                     const int *tile_label, const int *labels, const Bits<T> *core, Bits<T> *best, const int *worklist,
                     const int *queries, i64 first, i64 most, int *counts, Candidate *list) {
  __shared__ Queries<T> query;
  __shared__ int farthest;
  const i64 all = worklist ? queries[0] : n, count = minimum(all - first, most);
  const i64 row_tiles = (count + TILE - 1) / TILE;
  if (count <= 0) return;
  const int splits = (int)minimum((4 * (i64)gridDim.x + row_tiles - 1) / row_tiles, (i64)tiles);
  const int mine = threadIdx.x;  // the row whose reach this thread computes
  for (i64 item = blockIdx.x; item < row_tiles * splits; item += gridDim.x) {
    const Part part(item, row_tiles, tiles, splits);
    int label = MIXED;
    if (mine < TILE) {
      const i64 at = first + minimum(part.row + mine, count - 1);
      query.id[mine] = worklist ? worklist[at] : (int)at;
      query.label[mine] = label = labels[query.id[mine]];
      query.best[mine] = -1;
    }
    auto refresh = [&] {
      if (mine >= TILE || part.row + mine >= count) return;
      const Bits<T> weight = latest(best + query.label[mine]);
      if (weight == query.best[mine]) return;
      const int u = query.id[mine];
      query.best[mine] = weight;
      query.reach[mine] = reach_of_power<T>(bounds, weight, square[u], rho[u]);
    };
    if (mine == 0) farthest = 0;
    refresh();
    __syncthreads();
    if (mine < TILE && query.best[mine] >= 0) atomicMax(&farthest, bits_of(query.reach[mine].reach));
    const int front = query.label[0];
    const int common = __syncthreads_and(mine >= TILE || label == front) ? front : NONE - 1;  // or one that no tile has
    const float reach = value_of(farthest);
    const int near = query.id[0] / TILE, last = query.id[minimum(count - part.row, (i64)TILE) - 1] / TILE;
    // A tile is left out if all of it is in the queries' component, or farther than any of them reaches.
    auto wanted = [&](int tile) {
      if (tile_label[tile] == common) return false;
      if (!between || last - near >= MOST_SPANNED) return true;
      bool far = true;
      for (int t = near; t <= last; t++)
        far = far && less(add_up(reach, tile_rho[tile]), between[(i64)t * tiles + tile]);
      return !far;
    };
    // visit(number, other) for the columns of a row that may be within its reach and lie in another component
    auto each_outgoing = [&](int tile, const Sums &sums, int row, int i, int h, auto visit) {
      const Bits<T> weight = query.best[row];
      const float least = least_sum(query.reach[row], tile_rho[tile]);
      if (weight < 0 || less(greatest_of_row(sums, i, h), least)) return;
      each_column(sums, i, h, [&](int, int column, float sum) {
        const i64 other = (i64)tile * TILE + column;
        if (less(sum, least) || other >= n || labels[other] == query.label[row]) return;
        if (core && core[other] > weight) return;
        visit((int)other, sum);
      });
    };
    int passed = 0;
    each_tile<STAGES, SHORT>(
        halves, width, low_start, query.id, (const int *)nullptr, [&](int tile) { return part.next(tile, wanted); },
        [&](int tile, const Sums &sums) {
          bool any = false;
          each_row([&](int row, int i, int h) {
            int nearest = NONE;
            float most = 0;
            each_outgoing(tile, sums, row, i, h, [&](int other, float sum) {
              if (nearest != NONE && !less(most, sum)) return;
              nearest = other;
              most = sum;
            });
            if (nearest == NONE) return;
            any = true;
            const int u = query.id[row];
            Bits<T> weight = power_above<T>(bounds, most, square[u], rho[u], square[nearest], rho[nearest]);
            if (core) weight = maximum(weight, maximum(core[u], core[nearest]));
            lower(best + query.label[row], weight);
          });
          if (!__syncthreads_or(any)) {
            if (++passed % REFRESHED == 0)
              refresh();  // all threads have read what it changes; a barrier comes before the next tile
            return;
          }
          refresh();
          __syncthreads();
          each_row([&](int row, int i, int h) {
            const i64 at = part.row + row;
            each_outgoing(tile, sums, row, i, h, [&](int other, float sum) {
              const int place = atomicAdd(counts + at, 1);
              if (place < PLACES) list[at * PLACES + place] = {other, sum};
            });
          });
          __syncthreads();  // before a reach changes
        });
    __syncthreads();  // before the queries change
  }
}

// Finds the first edge of every query, under the total order, among its candidates. There is none if all edges are
// heavier than `best` of the query's component. Queries that have too many candidates are listed.
template <class T>
__global__ void lightest_of_candidates(const T *points, i64 n, int d, const int *labels, const Bits<T> *core,
                                       const double *square, const float *rho, const Bounds bounds, const int *worklist,
                                       const int *queries, i64 first, i64 most, const int *counts,
                                       const Candidate *list, int *nearest, Bits<T> *bound, Bits<T> *second,
                                       Bits<T> *best, int *crowded, int *crowds) {
  __shared__ Terms<T> terms[CANDIDATE_WARPS];
  __shared__ int all_ids[CANDIDATE_WARPS][PLACES];
  const i64 row = thread_id() / 32, all = worklist ? queries[0] : n;
  if (row >= minimum(all - first, most)) return;
  const int u = worklist ? worklist[first + row] : (int)(first + row), warp = threadIdx.x / 32;
  if (counts[row] > PLACES) {
    if (lane_id() == 0) crowded[atomicAdd(crowds, 1)] = u;
    return;
  }
  const int label = labels[u];
  const Bits<T> core_of_query = core ? core[u] : 0;
  const Bits<T> limit = __shfl_sync(FULL, latest(best + label), 0);
  const Reach reach = reach_of_power<T>(bounds, limit, square[u], rho[u]);
  const int kept = within_reach(list + row * PLACES, counts[row], reach, rho, all_ids[warp]);
  Neighbour<T> lightest = {limit, INFINITE<T>, NONE};
  each_candidate(points, d, u, all_ids[warp], kept, terms[warp], [&](int, int other, Bits<T> power) {
    const Neighbour<T> candidate = {core ? maximum(power, maximum(core_of_query, core[other])) : power, power, other};
    if (candidate.before(lightest)) lightest = candidate;
  });
  lightest = first_of_warp(lightest);
  if (lane_id()) return;
  const bool none = lightest.id == NONE;
  nearest[u] = lightest.id;
  bound[u] = none ? limit + 1 : lightest.weight;
  if (second) second[u] = lightest.distance;
  if (!none) lower(best + label, lightest.weight);
}
