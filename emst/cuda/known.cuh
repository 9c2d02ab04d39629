// What a thread's points know of their nearest points of another component.
#pragma once
#include "runtime/exact.cuh"

// What a thread's points know: their labels, their answers, and the labels of those.
struct Known {
  int label[EACH], answer[EACH], other[EACH];
  __device__ Known(const int *labels, i64 n, const int *nearest) {
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      i64 i = point_of_thread(j);
      label[j] = i < n ? labels[i] : NONE;
      answer[j] = i < n ? nearest[i] : NONE;
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) other[j] = answer[j] == NONE ? label[j] : labels[answer[j]];
  }
  __device__ bool foreign(int j) const { return other[j] != label[j]; }
};
