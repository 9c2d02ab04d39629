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

// Queries and the points that were found for them, as `edges_across` of the operations has them.
template <class T>
struct Across {
  const int *nearest;
  const Bits<T> *weight, *power;
  const int *query_component;
  const i64 *query_id;
  const int *component;
  Numbering numbering;
  i64 count;
  int base;

  __device__ void write(i64 i, u64 *edge) const {
    const i64 place = maximum(nearest[i], 0), id = numbering.id_of(place), mine = query_id[i];
    const int a = query_component[i], b = nearest[i] < 0 ? a : component[place] + base;
    write_edge<T>(edge, a, b, minimum(mine, id), maximum(mine, id), weight[i], power[i]);
  }
};

// Edges, as `OpenEdges` of the records. WORDS are 4 for float and 5 for double.
template <int WORDS>
struct Edges {
  const u64 *words;
  i64 count;
  const int *label;  // components of the ends now
  bool both;         // whether an edge counts for the component of its second end, too

  __device__ int from(i64 i) const { return label[(int)words[i * WORDS]]; }
  __device__ int to(i64 i) const { return label[(int)(words[i * WORDS] >> 32)]; }

  // Words that the total order compares, the first one first: weight and power, which are one word in float, and the
  // two ends. None is negative, so they compare as unsigned integers.
  static constexpr int KEYS = WORDS - 1;
  __device__ u64 key(i64 i, int k) const {
    constexpr int WEIGHTS = WORDS - 3;
    return words[i * WORDS + (k < WEIGHTS ? 3 + k : k - WEIGHTS + 1)];
  }
  // Whether edge i comes before the other one. An edge may be there several times: the first one counts.
  __device__ bool precedes(i64 i, i64 other) const {
#pragma unroll
    for (int k = 0; k < KEYS; k++)
      if (key(i, k) != key(other, k)) return key(i, k) < key(other, k);
    return i < other;
  }

  __device__ void copy(i64 i, u64 *to) const {
#pragma unroll
    for (int k = 0; k < WORDS; k++) to[k] = words[i * WORDS + k];
  }
};
