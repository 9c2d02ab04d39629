// Where an edge belongs among the certain edges of a partition.
#pragma once
#include "partitions/edges.cuh"
#include "runtime/order.cuh"

// How many of the m certain edges come before another one, which is a row of `OpenEdges` of the records. `places` are
// those of their ends, in any order. Points that are left out are no places. Ids of an earlier partition are less than
// all of this one.
template <class T>
__device__ i64 edges_before(const u64 *other, const Numbering &numbering, const int2 *places, const Bits<T> *weight,
                            const Bits<T> *power, i64 m) {
  const i64 smaller = numbering.place_of(other[1]), larger = numbering.place_of(other[2]);
  const u64 ends = smaller < 0 ? 0 : packed_edge((int)smaller, (int)larger);
  const Bits<T> mine = weight_in<T>(other), my_power = power_in<T>(other);
  i64 low = 0, high = m;
  while (low < high) {
    const i64 middle = (low + high) / 2;
    bool first = weight[middle] < mine;
    if (weight[middle] == mine) {
      const Bits<T> theirs = power ? power[middle] : my_power;  // weights are powers without an array of these
      first = theirs != my_power ? theirs < my_power : packed_edge(places[middle].x, places[middle].y) < ends;
    }
    if (first)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
