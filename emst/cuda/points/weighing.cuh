// The least radius of a query within which the weights of the points suffice, by bisection.
//
// The result is a distance in (low, high]: the weights within `low` do not suffice, those within `high` do. A pass over
// the points within a distance between the two finds their weight, and the least and the greatest of the distances that
// are in question. It halves the bits in question or better; when one distance is left, that is the result. Where the
// weights within the bound need not suffice, the first pass finds out: then the bound is the result.
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
  __device__ void begin_pass() { begin_pass(done() ? Bits<T>(-1) : low + (high - low) / 2); }
  __device__ void begin_pass(Bits<T> up_to) {
    limit = up_to;
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
  __device__ void begin_first_pass() { begin_pass(high); }
  __device__ void end_first_pass() {
    if (total < enough)
      low = high - 1;
    else
      end_pass();
  }
};

// The points within a limit: an entry for each that is nearer, and one with the weights of all at the limit.
template <class T>
struct Listing {
  Bits<T> limit;
  i64 nearer = 0;
  u64 at_limit = 0;
  Bits<T> *powers = nullptr;  // of the entries; null while they are counted
  i64 *weights = nullptr;

  __device__ void offer(Bits<T> d, i64 units) {
    if (d > limit) return;
    if (d == limit) {
      at_limit += (u64)units;
      return;
    }
    if (powers) put(d, units);
    nearer++;
  }
  __device__ void put(Bits<T> d, i64 units) {
    powers[nearer] = d;
    weights[nearer] = units;
  }
  __device__ i64 count() const { return nearer + (at_limit > 0); }
  __device__ void end() {
    if (at_limit > 0) put(limit, (i64)at_limit);
  }
};
