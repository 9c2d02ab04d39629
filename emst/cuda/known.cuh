// The cached nearest neighbours of a thread's points.
#pragma once
#include "runtime/exact.cuh"

// Of each of a thread's points its label, its cached neighbour and the label of that.
struct Known {
  int label[EACH], neighbour[EACH], other[EACH];
  __device__ Known(const int *labels, i64 n, const int *nearest) {
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      i64 i = point_of_thread(j);
      label[j] = i < n ? labels[i] : NONE;
      neighbour[j] = i < n ? nearest[i] : NONE;
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) other[j] = neighbour[j] == NONE ? label[j] : labels[neighbour[j]];
  }
  // Whether the cached neighbour of the j-th point lies in another component, as it did when it was found.
  __device__ bool outside(int j) const { return other[j] != label[j]; }
};
