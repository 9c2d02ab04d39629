// What cached neighbours say about the lightest edges of components.
#pragma once
#include "distances/point_rows.cuh"
#include "runtime/order.cuh"

// Upper bounds of the lightest edge of each component: the edges to cached neighbours that still lie in another
// component, and those between neighbours on the curve. Neighbours that have joined the point's component are
// forgotten. A point that equals such a neighbour needs no other one. A thread takes EACH points.
template <class T>
__device__ void bound_components(i64 block, const int *labels, i64 n, const T *rows, int dimensions, int stride,
                                 const Bits<T> *step, const Bits<T> *second, int *nearest, Bits<T> *bound,
                                 Bits<T> *best) {
  int label[EACH], next[EACH], neighbour[EACH], other[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(block, j);
    label[j] = i < n ? labels[i] : NONE;
    next[j] = i + 1 < n ? labels[i + 1] : label[j];
    neighbour[j] = i < n ? nearest[i] : NONE;
  }
#pragma unroll
  for (int j = 0; j < EACH; j++) other[j] = neighbour[j] == NONE ? NONE : labels[neighbour[j]];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(block, j);
    if (neighbour[j] != NONE && other[j] != label[j]) lower(best + label[j], bound[i]);
    if (neighbour[j] != NONE && other[j] == label[j]) {
      nearest[i] = NONE;
      if ((second ? second[i] : bound[i]) == 0 && repeated(rows, dimensions, stride, i, neighbour[j]))
        bound[i] = INFINITE<T>;
    }
    if (next[j] == label[j]) continue;
    const Bits<T> d = step[i];
    lower(best + label[j], d);
    lower(best + next[j], d);
  }
}
