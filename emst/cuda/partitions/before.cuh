// Where an edge belongs among the certain edges of a partition.
#pragma once
#include "partitions/edges.cuh"
#include "runtime/order.cuh"
#include "distances/point_rows.cuh"

// Under mutual reachability, the power of an edge's distance; otherwise its weight is that power.
template <bool MRD, class T, int METRIC>
__device__ Bits<T> power_of(int2 ends, Bits<T> weight, const T *points, int dimensions, int stride,
                            const Norm<METRIC> &norm) {
  if constexpr (MRD)
    return power_between(norm, points + (i64)ends.x * stride, points + (i64)ends.y * stride, dimensions);
  else
    return weight;
}

// How many of the m certain edges come before another one, which is a row of `OpenEdges` of the records. Points that are
// left out are no places. Ids of an earlier partition are less than all of this one.
template <bool MRD, class T, int METRIC>
__device__ i64 edges_before(const u64 *other, const Numbering &numbering, const int2 *edges, const Bits<T> *weights,
                            i64 m, const T *points, int dimensions, int stride, const Norm<METRIC> &norm) {
  const i64 smaller = numbering.place_of(other[1]), larger = numbering.place_of(other[2]);
  const u64 ends = smaller < 0 ? 0 : packed_edge((int)smaller, (int)larger);
  const Bits<T> mine = weight_in<T>(other), power = MRD ? power_in<T>(other) : mine;
  i64 low = 0, high = m;
  while (low < high) {
    const i64 middle = (low + high) / 2;
    const Bits<T> theirs = weights[middle];
    bool first = theirs < mine;
    if (theirs == mine) {
      const int2 edge = edges[middle];
      const Bits<T> p = power_of<MRD>(edge, theirs, points, dimensions, stride, norm);
      first = p != power ? p < power : packed_edge(edge.x, edge.y) < ends;
    }
    if (first)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
