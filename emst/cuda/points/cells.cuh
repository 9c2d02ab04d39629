// The grid of a cell of the curve from its box, and the codes of points in their cells.
#pragma once
#include "points/curve.cuh"
#include "runtime/warp.cuh"

// Side of a box along an axis, scaled.
template <class T, class U>
__device__ double side(const U *box, int dimensions, int axis, double scale) {
  const double low = mul(widened(unordered((U)~box[axis])), scale);
  return add(mul(widened(unordered(box[dimensions + axis])), scale), -low);
}

// How many axes of a cell come before this one: wider ones, and equally wide ones of a smaller number. Numbers that are
// not negative compare like their bits, by which every axis has a rank of its own also where points are not finite.
template <class T, class U>
__device__ int rank_of(const U *box, int dimensions, int axis, double scale) {
  const i64 mine = bits_of(side<T>(box, dimensions, axis, scale));
  int rank = 0;
  for (int other = 0; other < dimensions; other++) {
    const i64 theirs = bits_of(side<T>(box, dimensions, other, scale));
    rank += theirs > mine || (theirs == mine && other < axis);
  }
  return rank;
}

// The grid of a cell, from its box and the ranks of its axes, by a warp, which ranks them if `ranks` is null. The
// widest axes take part: as many of them, up to D, as there are such that each is wider than a cell of the grid that
// they make.
template <class T, class U, int D>
__device__ void find_grid(i64 cell, const U *corners, const int *ranks, int dimensions, double scale,
                          double least_extent, double *low, int *axes, int *used, double *factor) {
  const U *box = corners + cell * 2 * dimensions;
  i64 widest = 0;
  for (int axis = lane_id(); axis < dimensions; axis += 32)
    widest = maximum(widest, bits_of(side<T>(box, dimensions, axis, scale)));
  const double extent = value_of(warp_max(widest));
  const auto rank_at = [&](int axis) {
    return ranks ? ranks[cell * dimensions + axis] : rank_of<T>(box, dimensions, axis, scale);
  };
  int chosen = 1;
  for (int axis = lane_id(); axis < dimensions; axis += 32) {
    const int rank = rank_at(axis) + 1;
    if (rank <= D && mul(side<T>(box, dimensions, axis, scale), (double)(1ull << bits_for(rank))) > extent)
      chosen = maximum(chosen, rank);
  }
  chosen = warp_max(chosen);
  int before = 0;
  for (int first = 0; first < dimensions; first += 32) {
    const int axis = first + (int)lane_id();
    const bool taken = axis < dimensions && rank_at(axis) < chosen;
    const u32 lanes = __ballot_sync(FULL, taken);
    const i64 at = cell * D + before + __popc(lanes & ((1u << lane_id()) - 1));
    if (taken) {
      axes[at] = axis;
      low[at] = mul(widened(unordered((U)~box[axis])), scale);
    }
    before += __popc(lanes);
  }
  for (int at = chosen + (int)lane_id(); at < D; at += 32) {  // not read, but copied with the others
    axes[cell * D + at] = 0;
    low[cell * D + at] = 0;
  }
  if (lane_id() != 0) return;
  used[cell] = chosen;
  factor[cell] = extent > least_extent ? (double)(1ull << bits_for(chosen)) / extent : 0.0;
}

// emit(k, cell, code) for the k-th of m points: its cell, and its code there, 0 where the cell cannot be divided.
template <class T, int D, class Emit>
__device__ void each_code(const T *points, int dimensions, const int *members, const int *cell, i64 m, double scale,
                          const Grids &grids, Emit emit) {
  __shared__ CurveCoder<D> coder;
  coder.copy();
  __syncthreads();
#pragma unroll(D <= 3 ? EACH : 1)
  for (int j = 0; j < EACH; j++) {
    const i64 k = point_of_thread(j);
    if (k >= m) return;
    const i64 row = members ? members[k] : k, here = cell ? cell[k] : 0;
    emit(k, here, grids.factor[here] > 0 ? curve_code<T, D>(coder, points + row * dimensions, scale, grids, here) : 0);
  }
}
