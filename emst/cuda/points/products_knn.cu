// The nearest points by products of halves: an upper bound of the distance to the k-th nearest other point, then all
// points that may be as near, then their exact distances.
//
// Stored: the columns of `bound_groups` are a sample of the points that is spread along the curve, in groups of 32;
// nearest[row * groups + group] is an upper bound of the row's distance to the nearest point of the group. reach[row]
// is how far the row searches, and its candidates are stored as candidates.cuh says.
//
// Invariant: the k nearest other points of a row are within its reach. Each group has a point within its bound. So the
// k + 1 groups with the least bounds have k points besides the row's own, and the greatest of these bounds is the first
// reach. Later a reach only shrinks, and never below the distance of the k-th. So all k points are candidates.
//
// products.py launches, for each part of the rows: bound_groups, reach_of_rank, collect_near, nearest_of_candidates;
// and for rows with more candidates than places collect_near and nearest_of_many.
#include "points/bounds.cuh"
#include "points/candidates.cuh"
#include "points/products.cuh"

constexpr int CROWD_WARPS = 4;

// Upper bounds of the distance of every row to the nearest point of each group of 32 columns: nearest[row * groups +
// group], the row's own rho not counted.
template <int STAGES, bool SHORT>
__global__ void __launch_bounds__(THREADS, 2)
    bound_groups(const Half *halves, int width, const float *high_start, const double *square, const Bounds bounds,
                 const int *columns, int tiles, const float *tile_rho, i64 first, i64 count, int splits,
                 float *nearest) {
  __shared__ int rows[TILE];
  __shared__ float squares[TILE];
  constexpr int GROUPS = TILE / WARP_COLUMNS;
  const i64 row_tiles = (count + TILE - 1) / TILE;
  for (i64 item = blockIdx.x; item < row_tiles * splits; item += gridDim.x) {
    const Part part(item, row_tiles, tiles, splits);
    if (threadIdx.x < TILE) {
      const i64 at = first + minimum(part.row + threadIdx.x, count - 1);
      rows[threadIdx.x] = (int)at;
      squares[threadIdx.x] = narrowed_up(__dmul_ru(square[at], 1 + bounds.eps));
    }
    __syncthreads();
    each_tile<STAGES, SHORT>(
        halves, width, high_start, rows, columns, [&](int tile) { return part.next(tile, [](int) { return true; }); },
        [&](int tile, const Sums &sums) {
          const float far = tile_rho[tile];
          const int group = tile * GROUPS + first_column() / WARP_COLUMNS;
          each_row([&](int row, int i, int h) {
            float most = greatest_of_row(sums, i, h);
            most = maximum(most, __shfl_xor_sync(FULL, most, 1));
            most = maximum(most, __shfl_xor_sync(FULL, most, 2));
            if (lane_id() % 4 || part.row + row >= count) return;
            const float between = maximum(add_up(squares[row], mul_up(-2.0f, most)), 0.0f);
            nearest[(part.row + row) * (i64)(tiles * GROUPS) + group] = add_up(root_up(between), far);
          });
        });
  }
}

// A little more than the rank-th least of the numbers value(i), which are not negative; infinite if they are fewer. The
// bits are found from the highest on. Called by whole warps.
template <class Value>
__device__ float above_rank(i64 count, int rank, Value value) {
  constexpr int LAST_BIT = 10;  // the others are rounded up
  int below = 0;                // fewer than `rank` numbers are below this
  for (int bit = 30; bit >= LAST_BIT; bit--) {
    const int trial = below + (1 << bit);
    int fewer = 0;
    for (i64 i = lane_id(); i < count; i += 32) fewer += bits_of(value(i)) < trial;
    if (__reduce_add_sync(FULL, fewer) < rank) below = trial;
  }
  return value_of(below < INFINITE<float> ? below + (1 << LAST_BIT) : INFINITE<float>);
}

// The first reach of every row: it holds the nearest other points up to that rank. A warp a row.
__global__ void reach_of_rank(const float *nearest, i64 groups, int rank, i64 first, i64 count, const double *square,
                              const float *rho, const Bounds bounds, Reach *reach) {
  const i64 row = thread_id() / 32, u = first + row;
  if (row >= count) return;
  const float *const of_row = nearest + row * groups;
  const float distance = above_rank(groups, rank + 1, [&](i64 i) { return of_row[i]; });
  if (lane_id() == 0) reach[row] = reach_of_distance(bounds, distance, square[u], rho[u]);
}

// The candidates of every row: all points that may lie within its reach. If `between` holds distances of tiles, those
// that are farther from the tile of rows are left out; then `first` is the beginning of a tile.
//
// LISTED: the rows are those that `listed` names, and the candidates of the i-th go to list[start[i] ...].
// There are places for as many as were found before. No more are found: no reach has grown, and a row leaves out all
// tiles that its tile of rows, in which some may reach farther, has left out before.
template <int STAGES, bool SHORT, bool LISTED>
__global__ void __launch_bounds__(THREADS, 2)
    collect_near(const Half *halves, int width, const float *low_start, i64 n, int tiles, const float *tile_rho,
                 const float *between, i64 first, i64 count, int splits, const Reach *reach, int *counts,
                 Candidate *list, const int *listed, const i64 *start) {
  __shared__ int rows[TILE], capacity[TILE], farthest;
  __shared__ Reach reaches[TILE];
  __shared__ Candidate *places[TILE];
  __shared__ bool apart[LISTED ? TILE : 1];  // whether the row leaves out a tile
  const i64 row_tiles = (count + TILE - 1) / TILE;
  for (i64 item = blockIdx.x; item < row_tiles * splits; item += gridDim.x) {
    const Part part(item, row_tiles, tiles, splits);
    if (threadIdx.x == 0) farthest = 0;
    __syncthreads();
    if (threadIdx.x < TILE) {
      const i64 at = minimum(part.row + threadIdx.x, count - 1), row = LISTED ? listed[at] : at;
      rows[threadIdx.x] = (int)(first + row);
      reaches[threadIdx.x] = reach[row];
      capacity[threadIdx.x] = LISTED ? 0x7fffffff : PLACES;
      places[threadIdx.x] = list + (LISTED ? start[at] : row * PLACES);
      atomicMax(&farthest, bits_of(reach[row].reach));
    }
    __syncthreads();
    const float most = value_of(farthest);
    const float *const far = between && !LISTED ? between + (first + part.row) / TILE * tiles : nullptr;
    each_tile<STAGES, SHORT>(
        halves, width, low_start, rows, (const int *)nullptr,
        [&](int tile) {
          return part.next(tile, [&](int other) { return !far || !less(add_up(most, tile_rho[other]), far[other]); });
        },
        [&](int tile, const Sums &sums) {
          if constexpr (LISTED) {
            const int r = threadIdx.x;
            if (r < TILE)
              apart[r] = between &&
                         less(add_up(reaches[r].reach, tile_rho[tile]), between[(i64)(rows[r] / TILE) * tiles + tile]);
            __syncthreads();  // before the next tile, each_tile has others
          }
          each_row([&](int row, int i, int h) {
            const float least = least_sum(reaches[row], tile_rho[tile]);
            const i64 at = part.row + row;
            if (less(greatest_of_row(sums, i, h), least) || at >= count) return;
            if (LISTED && apart[row]) return;
            each_column(sums, i, h, [&](int, int column, float sum) {
              const i64 other = (i64)tile * TILE + column;
              if (less(sum, least) || other >= n) return;
              const int place = atomicAdd(counts + at, 1);
              if (place < capacity[row]) places[row][place] = {(int)other, sum};
            });
          });
        });
    __syncthreads();  // before the rows change
  }
}

// The reach that holds the nearest other points of point u up to that rank, from `count` of its candidates.
__device__ inline Reach reach_of_candidates(const Candidate *list, int count, int rank, i64 u, const double *square,
                                            const float *rho, const Bounds &bounds, float *distances) {
  for (int i = lane_id(); i < count; i += 32) {
    const Candidate other = list[i];
    distances[i] = distance_above(bounds, other.sum, square[u], square[other.id], rho[other.id]);
  }
  __syncwarp();
  const float distance = above_rank(count, rank + 1, [&](i64 i) { return distances[i]; });
  return reach_of_distance(bounds, distance, square[u], rho[u]);
}

// The results of the rows: the `length` nearest other points with the powers of their distances, ascending, equally
// near ones by their ids; and the power of the point of that rank. Without lists, neighbour is null.
template <class T>
struct Nearest {
  i64 n;
  int length, rank;
  int *neighbour;
  Bits<T> *distance, *core;

  // One of them, with the number of others that come before it.
  __device__ void set(i64 u, int before, int id, Bits<T> power) const {
    if (before == rank - 1) core[u] = power;
    if (!neighbour || before >= length) return;
    neighbour[(i64)before * n + u] = id;
    distance[(i64)before * n + u] = power;
  }
};

// How many of `count` points come before one.
template <class T>
__device__ int points_before(const Bits<T> *powers, const int *ids, int count, Bits<T> power, int id) {
  int before = 0;
  for (int j = 0; j < count; j++) before += powers[j] < power || (powers[j] == power && ids[j] < id);
  return before;
}

// Leaves the nearest `wanted` points and those as far as the last one, in any order; returns how many they are, and the
// last one's power. A warp.
template <class T>
__device__ int leave_nearest(Bits<T> *powers, int *ids, int count, int wanted, Bits<T> &last) {
  last = 0;  // the power of rank `wanted`: fewer are below it, and it is the greatest such number
  for (int bit = 8 * sizeof(T) - 2; bit >= 0; bit--) {
    const Bits<T> trial = last | Bits<T>(1) << bit;
    int fewer = 0;
    for (int i = lane_id(); i < count; i += 32) fewer += powers[i] < trial;
    if (__reduce_add_sync(FULL, fewer) < wanted) last = trial;
  }
  int kept = 0;
  for (int base = 0; base < count; base += 32) {
    const int i = base + lane_id();
    const Bits<T> power = i < count ? powers[i] : INFINITE<T>;
    const int id = i < count ? ids[i] : NONE;
    const bool keep = i < count && power <= last;
    const u32 lanes = __ballot_sync(FULL, keep);
    const int at = kept + __popc(lanes & ((1u << lane_id()) - 1));
    if (keep) {  // at <= i, and all lanes have read their entries
      powers[at] = power;
      ids[at] = id;
    }
    kept += __popc(lanes);
    __syncwarp();
  }
  return kept;
}

// How many rows have more candidates than places, and how many candidates they have together.
struct Crowds {
  u64 rows, candidates;
};

// The nearest other points of every row, from its candidates. A row that has more of them than places is listed for
// `nearest_of_many`: its reach shrinks to what the stored candidates prove, and it gets places for as many as were
// found.
template <class T>
__global__ void nearest_of_candidates(const T *points, int d, i64 first, i64 count, const int *counts,
                                      const Candidate *list, const double *square, const float *rho,
                                      const Bounds bounds, Reach *reach, i64 n, int length, int rank, int *neighbour,
                                      Bits<T> *distance, Bits<T> *core, int *crowded, i64 *start, Crowds *crowds) {
  __shared__ union {
    float distances[PLACES];
    Terms<T> terms;
  } scratch[CANDIDATE_WARPS];
  __shared__ Bits<T> all_powers[CANDIDATE_WARPS][PLACES];
  __shared__ int all_ids[CANDIDATE_WARPS][PLACES];
  const int warp = threadIdx.x / 32, wanted = maximum(length, rank);
  const i64 row = thread_id() / 32, u = first + row;
  if (row >= count) return;
  Bits<T> *const powers = all_powers[warp];
  int *const ids = all_ids[warp];
  const Candidate *const of_row = list + row * PLACES;
  const int here = minimum(counts[row], PLACES);
  const Reach within = reach_of_candidates(of_row, here, wanted, u, square, rho, bounds, scratch[warp].distances);
  if (here < counts[row]) {
    if (lane_id()) return;
    const u64 at = atomicAdd(&crowds->rows, 1ull);
    crowded[at] = (int)row;
    start[at] = (i64)atomicAdd(&crowds->candidates, (u64)counts[row]);
    if (less(within.reach, reach[row].reach)) reach[row] = within;
    return;
  }
  int kept = within_reach(of_row, here, within, rho, ids);
  each_candidate(points, d, u, ids, kept, scratch[warp].terms,
                 [&](int i, int other, Bits<T> power) { powers[i] = other == u ? INFINITE<T> : power; });
  __syncwarp();
  Bits<T> last;
  kept = leave_nearest<T>(powers, ids, kept, wanted, last);
  const Nearest<T> nearest{n, length, rank, neighbour, distance, core};
  for (int i = lane_id(); i < kept; i += 32) {
    const int before = points_before<T>(powers, ids, kept, powers[i], ids[i]);
    if (before < wanted) nearest.set(u, before, ids[i], powers[i]);
  }
}

// The same for the listed rows, a block a row.
template <class T>
__global__ void __launch_bounds__(32 * CROWD_WARPS)
    nearest_of_many(const T *points, int d, i64 first, const int *counts, const Candidate *list, i64 n, int length,
                    int rank, int *neighbour, Bits<T> *distance, Bits<T> *core, const int *crowded, const i64 *start) {
  constexpr int THREADS = 32 * CROWD_WARPS, PER_THREAD = PLACES / THREADS;
  __shared__ Terms<T> terms[CROWD_WARPS];
  __shared__ Bits<T> powers[PLACES], limit;  // of the distances that still matter
  __shared__ int ids[PLACES], batch[CROWD_WARPS][32], kept;
  const int warp = threadIdx.x / 32, wanted = maximum(length, rank), count = counts[blockIdx.x];
  const i64 u = first + crowded[blockIdx.x];
  const Candidate *const of_row = list + start[blockIdx.x];
  if (threadIdx.x == 0) {
    kept = 0;
    limit = INFINITE<T> - 1;
  }
  __syncthreads();
  // Leaves the nearest points that are wanted. Many others may be as far as the last of them, which its id decides.
  auto shrink = [&] {
    if (warp == 0) {
      Bits<T> last;
      const int left = leave_nearest<T>(powers, ids, kept, wanted, last);
      if (lane_id() == 0) {
        kept = left;
        limit = minimum(limit, last);
      }
    }
    __syncthreads();
    if (kept <= PLACES / 2) return;
    Bits<T> power[PER_THREAD];
    int id[PER_THREAD], before[PER_THREAD];
    const int all = kept;
#pragma unroll
    for (int e = 0; e < PER_THREAD; e++) {
      const int i = e * THREADS + threadIdx.x;
      power[e] = i < all ? powers[i] : 0;
      id[e] = i < all ? ids[i] : NONE;
      before[e] = i < all ? points_before<T>(powers, ids, all, power[e], id[e]) : wanted;
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < PER_THREAD; e++) {
      if (before[e] >= wanted) continue;
      powers[before[e]] = power[e];
      ids[before[e]] = id[e];
    }
    if (threadIdx.x == 0) kept = minimum(all, wanted);
    __syncthreads();
  };
  for (int base = 0; base < count; base += THREADS) {
    const int begin = base + warp * 32, here = maximum(minimum(count - begin, 32), 0);
    if ((int)lane_id() < here) batch[warp][lane_id()] = of_row[begin + lane_id()].id;
    __syncwarp();
    each_candidate(points, d, u, batch[warp], here, terms[warp], [&](int, int other, Bits<T> power) {
      if (other == u || power > limit) return;
      const int at = atomicAdd(&kept, 1);
      powers[at] = power;
      ids[at] = other;
    });
    __syncthreads();
    const bool full = kept > PLACES - THREADS;
    __syncthreads();  // all have read it before it shrinks
    if (full) shrink();
    __syncthreads();
  }
  shrink();
  const Nearest<T> nearest{n, length, rank, neighbour, distance, core};
  for (int i = threadIdx.x; i < kept; i += THREADS) {
    const int before = points_before<T>(powers, ids, kept, powers[i], ids[i]);
    if (before < wanted) nearest.set(u, before, ids[i], powers[i]);
  }
}
