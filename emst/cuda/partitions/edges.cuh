// What kernels of partitions share: ids of points, and edges between components as rows of words.
#pragma once
#include "runtime/exact.cuh"

// The ids of a partition's points, as `Numbering` of the records.
struct Numbering {
  i64 start, kept, left_out;

  __device__ i64 id_of(i64 place) const { return place + start + (place >= kept ? left_out : 0); }

  // A point that is left out gets the place `kept`: that of the next point in the order of ids that is not.
  __device__ i64 place_of(i64 id) const {
    const i64 place = id - start;
    return place - minimum(maximum(place - kept, i64(0)), left_out);
  }
};

// Words of an edge, as `OpenEdges` of the records: one for both components, two for the ids, and weight and power,
// which share one in float.
template <class T>
constexpr int WORDS_OF = 3 + sizeof(T) / 4;

template <class T>
__device__ void write_edge(u64 *edge, int a, int b, i64 smaller, i64 larger, Bits<T> weight, Bits<T> power) {
  edge[0] = (u64)(u32)b << 32 | (u32)a;
  edge[1] = smaller;
  edge[2] = larger;
  if constexpr (WORDS_OF<T> == 4) {
    edge[3] = (u64)(u32)weight << 32 | (u32)power;
  } else {
    edge[3] = weight;
    edge[4] = power;
  }
}

template <class T>
__device__ Bits<T> weight_in(const u64 *edge) {
  return (Bits<T>)(WORDS_OF<T> == 4 ? edge[3] >> 32 : edge[3]);
}

template <class T>
__device__ Bits<T> power_in(const u64 *edge) {
  return (Bits<T>)edge[WORDS_OF<T> - 1];
}
