// The order of points along a Hilbert curve through a grid that adapts to them: the steps of one level.
//
// A level has m points in its cells, in curve order: `members` holds their rows (null on the first level: all rows in
// order), `cell` the number of the cell of each (null: 0).
//
// order.py launches, for each level: cell_boxes (not for the first), rank_axes (of many axes), cell_grids, cell_codes;
// order_packed and list_crowded, if all points are sorted by the highest bits first; cell_keys, if there are several
// cells, and put_in_order; list_crowded and list_cells, which make the next level. It launches code_segments for the
// partitions' cuts.
#include "runtime/compact.cuh"
#include "runtime/ties.cuh"
#include "runtime/told.cuh"
#include "points/cells.cuh"

constexpr int CROWD = EMST_CROWD;

// The box of every cell: the greatest coordinate, and the least as the greatest of its complement, as ordered integers
// from 0, as `point_statistics` finds them for the only cell of the first level. A thread takes one axis of `run`
// points, and writes only where its cell changes.
template <class T, class U>
__global__ void cell_boxes(const T *points, int dimensions, const int *members, const int *cell, i64 m, i64 run,
                           U *corners) {
  const i64 begin = thread_id() / dimensions * run, end = minimum(begin + run, m);
  const int axis = (int)(thread_id() % dimensions);
  if (begin >= m) return;
  i64 current = cell[begin];
  U low = 0, high = 0;
  const auto write = [&]() {
    U *const box = corners + current * 2 * dimensions + axis;
    if (low > box[0]) atomicMax(box, low);
    if (high > box[dimensions]) atomicMax(box + dimensions, high);
  };
  for (i64 k = begin; k < end; k++) {
    const i64 here = cell[k];
    const U u = ordered(points[(i64)members[k] * dimensions + axis]);
    if (here != current) {
      write();
      current = here;
      low = high = 0;
    }
    low = maximum(low, (U)~u);
    high = maximum(high, u);
  }
  write();
}

// The ranks of many axes: a thread an axis of a cell, since one warp would take milliseconds.
template <class T, class U>
__global__ void rank_axes(const U *corners, i64 cells, int dimensions, double scale, int *ranks) {
  const i64 at = thread_id();
  if (at >= cells * dimensions) return;
  ranks[at] = rank_of<T>(corners + at / dimensions * 2 * dimensions, dimensions, (int)(at % dimensions), scale);
}

template <class T, class U, int D>
__global__ void cell_grids(const U *corners, const int *ranks, i64 cells, int dimensions, double scale,
                           double least_extent, double *low, int *axes, int *used, double *factor) {
  const i64 cell = thread_id() / 32;
  if (cell < cells) find_grid<T, U, D>(cell, corners, ranks, dimensions, scale, least_extent, low, axes, used, factor);
}

// The code of every point in its cell, and, unless it is null, the same packed with the point's number, so that it
// begins with the highest bit of the code.
template <class T, int D>
__global__ void cell_codes(const T *points, int dimensions, const int *members, const int *cell, i64 m, double scale,
                           const double *low, const int *axes, const int *used, const double *factor, u64 *code,
                           u64 *key, int bits) {
  each_code<T, D>(points, dimensions, members, cell, m, scale, {low, axes, used, factor}, [&](i64 k, i64 here, u64 c) {
    code[k] = c;
    if (key) key[k] = packed(c << (64 - used[here] * bits_for(used[here])), k, bits);
  });
}

// The number of the range that holds the code of every point in a single cell. Range r begins with the code first[r];
// the first range begins with 0.
template <class T, int D>
__global__ void code_segments(const T *points, int dimensions, i64 n, double scale, const double *low, const int *axes,
                              const int *used, const double *factor, const u64 *first, const int *number, int ranges,
                              int *segment) {
  each_code<T, D>(points, dimensions, nullptr, nullptr, n, scale, {low, axes, used, factor}, [&](i64 k, i64, u64 c) {
    int range = 0, above = ranges;
    while (above - range > 1) {
      const int middle = (range + above) / 2;
      if (first[middle] <= c)
        range = middle;
      else
        above = middle;
    }
    segment[k] = number[range];
  });
}

// Points that are in the order of the highest bits of their codes, in the order of all bits. Where longer runs stay as
// they are, or nothing has been sorted and all rows stay, `state` and `told` become the number of passes.
__global__ void __launch_bounds__(TIE_THREADS) order_packed(const u64 *key, i64 n, int bits, const int *many,
                                                            const u64 *code, int *ordered, int *state, int *told) {
  const int passes = passes_of(many);
  if (passes > MOST_PASSES) {
    for (int j = 0; j < TIES_A_THREAD; j++) {
      const i64 i = blockIdx.x * (i64)TIE_TILE + j * TIE_THREADS + threadIdx.x;
      if (i < n) ordered[i] = (int)i;  // the next stage may have begun with these rows
    }
    tell_once(state, told, passes);
    return;
  }
  order_ties<CROWD, u64>(
      key, n, maximum(lowest_bit(passes), bits), bits, [&](i64, u64 word) { return code[index_of(word, bits)]; },
      [](u64 a, u64 b) { return a < b; }, [&](i64, u64 word) { return (int)index_of(word, bits); },
      [&](i64 to, u64, int row, Run run) {
        ordered[to] = row;
        if (run != SHORT_RUN) tell_once(state, told, passes);
      });
}

// Keys by which points that are sorted by their codes are sorted by their cells.
__global__ void cell_keys(const int *cell, const int *moved, i64 m, u64 *key) {
  const i64 k = thread_id();
  if (k < m) key[k] = cell[moved[k]];
}

// The points of a level in their new order.
__global__ void put_in_order(const int *moved, const int *members, const int *place, const u64 *code, i64 m, int *rows,
                             u64 *in_order) {
  const i64 k = thread_id();
  if (k >= m) return;
  rows[place[k]] = members[moved[k]];
  in_order[k] = code[moved[k]];
}

// Lists the points in runs of more than CROWD codes, within a cell that was divided, that are equal in all but their
// lowest bits.
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_crowded(const u64 *code, int lowest, const int *cell, i64 m, const double *factor, int *crowded, int *total,
                 u64 *tiles, u32 epoch) {
  compact(
      m, tiles, epoch, total,
      [&](int, i64 k) {
        const u64 mine = code[k] >> lowest;
        const int here = cell ? cell[k] : 0;
        const auto same = [&](i64 j) { return code[j] >> lowest == mine && (!cell || cell[j] == here); };
        const i64 behind = k - CROWD / 2, ahead = k + CROWD / 2;  // half of a longer run lies on one side
        if (!(behind >= 0 && same(behind)) && !(ahead < m && same(ahead))) return false;
        int run = 1;
        for (i64 j = k - 1; j >= 0 && run <= CROWD && same(j); j--) run++;
        for (i64 j = k + 1; j < m && run <= CROWD && same(j); j++) run++;
        return run > CROWD && factor[here] > 0;
      },
      [&](i64 k, bool kept, u32 rank) {
        if (kept) crowded[rank] = (int)k;
      });
}

// The next level, whose points are the crowded ones of this level: their cells, places and rows; the place of the first
// point of every cell, and where its points begin.
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_cells(const u64 *code, const int *cell, const int *place, const int *rows, const int *crowded, i64 m,
               int *first, i64 *start, int *next_cell, int *next_place, int *members, int *total, u64 *tiles,
               u32 epoch) {
  compact(
      m, tiles, epoch, total,
      [&](int, i64 k) {
        if (k == 0) return true;
        const int j = crowded[k], i = crowded[k - 1];
        return code[j] != code[i] || (cell && cell[j] != cell[i]);
      },
      [&](i64 k, bool kept, u32 rank) {
        const int at = place ? place[crowded[k]] : crowded[k];
        if (kept) {
          first[rank] = at;
          start[rank] = k;
        }
        if (k == m - 1) start[rank + kept] = m;
        next_cell[k] = (int)rank - !kept;
        next_place[k] = at;
        members[k] = rows[at];
      });
}
