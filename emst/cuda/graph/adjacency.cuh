// A graph in compressed sparse rows, as the rounds of forest.cu read it.
#pragma once
#include "graph/worklist.cuh"

template <class W, class P>
struct Adjacency {
  const P *indptr;
  int n;
  const int *indices;
  const W *weights;
  i64 m;
  bool symmetric;

  __device__ Ordered<W> weight(i64 e) const { return ordered_weight(weights[e]); }

  __device__ int other_end(int v, i64 e) const {
    const int column = indices[e];
    return column != v ? column : row_of_entry(indptr, n, e);
  }

  // For entry e below the diagonal, in row v: the entry above the diagonal that mirrors it, the first one with its
  // column and weight.
  __device__ i64 mirrored(int v, i64 e) const {
    const int row = indices[e];
    i64 low = indptr[row], high = indptr[row + 1];
    const i64 end = high;
    while (low < high) {
      const i64 middle = low + (high - low) / 2;
      if (indices[middle] < v)
        low = middle + 1;
      else
        high = middle;
    }
    while (low + 1 < end && weight(low) != weight(e)) low++;
    return low;
  }
};
