// The least radius of a query within which the weights of the points suffice, by bisection.
//
// The result is a distance in (low, high]: the weights within `low` do not suffice, those within `high` do. A pass over
// the points within a distance between the two finds their weight, and the least and the greatest of the distances that
// are in question. It halves the bits in question or better; when one distance is left, that is the result.
#pragma once
#include "runtime/exact.cuh"

template <class T>
struct Weighing {
  u64 enough;
  Bits<T> low = -1, high;
  Bits<T> limit;                  // of this pass
  u64 total;                      // weight within it
  Bits<T> least, greatest;        // of the distances in (low, limit]
  Bits<T> nearest = INFINITE<T>;  // of all distances so far

  __device__ bool done() const { return high - low <= 1; }
  // Within `bound` the weights suffice.
  __device__ void start(Bits<T> bound) { high = bound; }
  __device__ void begin_pass() {
    limit = done() ? Bits<T>(-1) : low + (high - low) / 2;
    total = 0;
    least = INFINITE<T>;
    greatest = -1;
  }
  __device__ void offer(Bits<T> d, i64 units) {
    nearest = minimum(nearest, d);
    if (d > limit) return;
    total += (u64)units;
    if (d > low) {
      least = minimum(least, d);
      greatest = maximum(greatest, d);
    }
  }
  __device__ void end_pass() {
    if (done()) return;
    if (total < enough) {
      low = limit;
    } else {
      high = greatest;
      if (least == greatest) low = high - 1;
    }
  }
};
