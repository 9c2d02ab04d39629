// What a round begins with: labels of points and nodes, and upper bounds of the lightest edge of each component.
#pragma once
#include "points/labels.cuh"
#include "runtime/order.cuh"

// The arrays that upper bounds are computed from.
template <class T>
struct Bounds {
  const T *rows;
  int dimensions, stride;
  const Bits<T> *step, *second;
  int *nearest;
  Bits<T> *bound, *best;

  // Lowers the upper bounds of components by an edge between neighbours on the curve, and by the cached neighbour of
  // point i if it still lies in another component. A neighbour that has joined the point's component is forgotten. If
  // the two points are equal, point i is never searched again.
  __device__ void lower_by(i64 i, int label, int next, int neighbour, int other) const {
    if (neighbour != NONE && other != label) lower(best + label, bound[i]);
    if (neighbour != NONE && other == label) {
      nearest[i] = NONE;
      if ((second ? second[i] : bound[i]) == 0 && repeated(rows, dimensions, stride, i, neighbour))
        bound[i] = INFINITE<T>;
    }
    if (next == label) return;
    const Bits<T> d = step[i];
    lower(best + label, d);
    lower(best + next, d);
  }
};

// What a round begins with, for EACH points a thread; see labels.cuh. `parent` holds the root of every component of the
// round before, or is null if labels are roots already. Other blocks write labels at the same time; a root is its own
// root. DIMENSIONS are those of the hierarchy, or 0 if there is none.
template <class T, int DIMENSIONS, int THREADS>
__device__ void begin_block(i64 block, const int *parent, int *labels, i64 n, const Hierarchy &h, T *nodes,
                            const Bounds<T> &bounds) {
  constexpr int NODES = NODES_OF<THREADS>;
  const auto root = [&](int label) { return parent ? parent[label] : label; };
  int old[EACH], label[EACH], next[EACH], neighbour[EACH], other[EACH], front[NODES];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = minimum(point_of_thread(block, j), n - 1);
    old[j] = labels[i];
    neighbour[j] = bounds.nearest[i];
    next[j] = lane_id() == 31 ? labels[minimum(i + 1, n - 1)] : NONE;
  }
#pragma unroll
  for (int k = 0; k < NODES; k++) front[k] = labels[minimum((block * NODES + k) * (FAN * LEAF), n - 1)];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    label[j] = root(old[j]);
    other[j] = neighbour[j] == NONE ? NONE : labels[neighbour[j]];
    if (next[j] != NONE) next[j] = root(next[j]);
  }
#pragma unroll
  for (int k = 0; k < NODES; k++) front[k] = root(front[k]);
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    if (other[j] != NONE) other[j] = root(other[j]);
    const int after = __shfl_down_sync(FULL, label[j], 1);
    if (lane_id() != 31) next[j] = after;
  }
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(block, j);
    if (i >= n) break;
    if (label[j] != old[j]) labels[i] = label[j];
    bounds.lower_by(i, label[j], next[j], neighbour[j], other[j]);
  }
  if constexpr (DIMENSIONS > 0) label_block<T, DIMENSIONS, THREADS>(h, block, n, label, front, nodes);
}
