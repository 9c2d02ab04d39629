// The least distances that a query has been offered, ascending, in global memory: for lists that are too long for
// registers.
#pragma once
#include "runtime/exact.cuh"

// A distance is within `radius` if it is less than this; an infinite distance never is.
template <class T>
__device__ Bits<T> bound_of(Bits<T> radius) {
  return radius < INFINITE<T> ? radius + 1 : INFINITE<T>;
}

template <class T>
struct SortedRow {
  Bits<T> *row;
  int capacity, size;
  Bits<T> limit;  // a distance counts if it is less

  __device__ void start(Bits<T> *to, int most, Bits<T> bound) {
    row = to;
    capacity = most;
    size = 0;
    limit = bound;
  }
  __device__ void offer(Bits<T> d) {
    if (d >= limit) return;
    int at = size < capacity ? size++ : capacity - 1;
    for (; at > 0 && row[at - 1] > d; at--) row[at] = row[at - 1];
    row[at] = d;
    if (size == capacity) limit = row[capacity - 1];
  }
  __device__ void fill() const {
    for (int at = size; at < capacity; at++) row[at] = INFINITE<T>;
  }
};
