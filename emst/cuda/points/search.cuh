// The searches of one round: which points need one, and their nearest points of another component.
//
// Between rounds a point keeps the neighbour that it found last. If that point lies in another component, it is still
// the nearest one, since components only grow. Otherwise the weight of the edge to it is a lower bound of the next. A
// search that finds nothing within its radius leaves the next number after the radius as the lower bound. A point needs
// a search only if its lower bound does not exceed the upper bound of its component's lightest edge.
//
// Under mutual reachability (MRD) the second key of the total order is the distance. No edge of a point is
// lighter than its core distance: once that weight is found, the search goes on for nearer points only.
#pragma once
#include "runtime/order.cuh"
#include "points/leaves.cuh"
#include "points/scan.cuh"

// A search (see walk.cuh) for the nearest point with another label.
// CHANGES: labels change within the kernel.
template <class T, int D, int METRIC, bool MRD, bool CHANGES>
struct NearestOutside {
  const T *points;
  Norm<METRIC> norm;
  const int *labels;
  Row<T, D> x;
  int label, common;       // of the query; of all queries of the packet, or one that no node has
  Bits<T> weight;          // of the best edge so far
  Bits<T> radius;          // a point farther than this cannot improve it
  Bits<T> core, distance;  // MRD: the query's core distance; distance of the best edge so far
  Bits<T> reach, heaviest;
  u32 id = ~0u;
  Wanting<T, D, MRD> *waiting;  // in shared memory

  __device__ bool may_hold(T low_tag, T high_tag) const {
    return label_of(low_tag) != common && (!MRD || bits_of(high_tag) <= heaviest);
  }
  // An inner node at the distance of the best so far is visited only if it may hold a smaller id: otherwise equal
  // points in one cell of the curve's grid would all visit each other. For leaves this test costs more than it saves.
  __device__ bool wants(bool is_leaf, u32 first, const Row<T, D> &low, const Row<T, D> &high) const {
    const Bits<T> d = box_power(norm, low, high, x);
    bool near = d <= radius;
    if (!is_leaf) near = d < radius || (d == radius && (!MRD || distance >= radius) && first < id);
    return near & (label_of(low.tag) != label) & (!MRD || bits_of(high.tag) <= weight);
  }
  // Of equal points of a leaf the first is taken. A tie with the best so far counts if the point's id is smaller, which
  // is the same for all points of a leaf; then the limit is one above.
  __device__ bool scan(int leaf, u32 wanting) {
    const u32 i0 = (u32)leaf * LEAF, lane = lane_id();
    const i64 i = i0 + lane % LEAF;
    const Row<T, D> y = load<T, D>(points, i);
    const int their_label = CHANGES ? labels[i] : __ldg(labels + i);
    Found<T> found = {(MRD ? distance : radius) + (i0 < id), NONE};
    Bits<T> found_weight = weight;
    if (__popc(wanting) > MANY) {
      if (lane < LEAF) waiting[lane].set(y, their_label);
      __syncwarp();
      compare_all<T, D, METRIC, MRD>(norm, x, label, found, found_weight, waiting);
    } else {
      const u32 rank = __popc(wanting & ((1u << lane) - 1));
      const bool waits = wanting >> lane & 1;
      if (waits) {
        waiting[rank].set(x, label);
        waiting[rank].found = found;
        if constexpr (MRD) waiting[rank].weight = weight;
      }
      __syncwarp();
      const bool any = compare<T, D, METRIC, MRD>(norm, y, their_label, __popc(wanting), waiting);
      __syncwarp();
      if (!any) return false;
      if (waits) {
        found = waiting[rank].found;
        if constexpr (MRD) found_weight = waiting[rank].weight;
      }
    }
    if (found.place != NONE) {
      id = i0 + found.place;
      distance = found.limit;
      weight = found_weight;
      radius = MRD && weight > core ? weight : distance;
    }
    reach = warp_max(radius);
    if (MRD) heaviest = warp_max(weight);
    __syncwarp();
    return true;
  }
};

// Searches for the points u of a packet, one for each lane; a lane that is not `on` looks for nothing, and has the
// point of another lane. No query looks beyond `most`. walk(search, packet) is that of walk.cuh or leaves.cuh. Where
// every point is a component, `edge` is not null: it gets the lightest edge of each, packed as in merge.cu, and
// `nearest` gets nothing, since the ends of these edges are in one component afterwards.
template <class T, int D, int METRIC, bool MRD, bool CHANGES, class Walk>
__device__ void search_points(const T *points, const int *labels, const Norm<METRIC> &norm, i64 u, bool on,
                              int *nearest, Bits<T> *bound, Bits<T> *second, Bits<T> *best, u64 *edge, T slack,
                              Bits<T> most, Wanting<T, D, MRD> *waiting, Walk walk) {
  NearestOutside<T, D, METRIC, MRD, CHANGES> search;
  search.points = points;
  search.norm = norm;
  search.labels = labels;
  search.waiting = waiting;
  search.x = load<T, D>(points, u);
  search.label = labels[u];
  const int front = __shfl_sync(FULL, search.label, 0);
  search.common = __all_sync(FULL, search.label == front) ? front : -2;
  const Bits<T> upper = minimum(bits_of(mul(value_of(best[search.label]), slack)), most);
  search.weight = search.radius = on ? upper : -1;  // nothing is within -1
  if (MRD) {
    search.core = bits_of(search.x.tag);
    search.distance = INFINITE<T>;
    search.heaviest = warp_max(search.weight);
  }
  search.reach = warp_max(search.radius);
  walk(search, Packet<T, D>(search.x));
  if (!on) return;
  bool none = search.id == ~0u;
  const Bits<T> weight = MRD ? search.weight : search.radius;
  if (!none) lower(best + search.label, weight);
  if (edge)
    edge[u] = none ? NO_EDGE : packed_edge((int)u, (int)search.id);
  else
    nearest[u] = none ? NONE : (int)search.id;
  bound[u] = none ? weight + 1 : weight;
  if (MRD) second[u] = search.distance;
}

// Lists the leaves near a group of packets; point(i) is the i-th of its queries. False if there are too many leaves.
template <class T, int D, int METRIC, bool MRD, class Point>
__device__ bool list_leaves_near(const T *points, const int *labels, const Hierarchy &h, const T *nodes,
                                 const Norm<METRIC> &norm, int packets, Point point, const Bits<T> *best, T slack,
                                 Group<T, D> &group) {
  NearestOutside<T, D, METRIC, MRD, false> search;
  search.norm = norm;
  const int front = labels[point(0)];
  Row<T, D> low, high;
  Bits<T> reach = 0;
  bool joined = true;
#pragma unroll 1
  for (int j = 0; j < packets; j++) {
    const i64 u = point(32 * j + (int)lane_id());
    const Row<T, D> x = load<T, D>(points, u);
#pragma unroll
    for (int d = 0; d < D; d++) {
      low.x[d] = j ? minimum(low.x[d], x.x[d]) : x.x[d];
      high.x[d] = j ? maximum(high.x[d], x.x[d]) : x.x[d];
    }
    joined = joined && labels[u] == front;
    reach = maximum(reach, bits_of(mul(value_of(best[labels[u]]), slack)));
  }
  search.common = __all_sync(FULL, joined) ? front : -2;
  search.reach = search.heaviest = warp_max(reach);
  return list_leaves(h, nodes, Packet<T, D>(low, high), search, group);
}

// Blocks that a multiprocessor should hold at once. More of them hide more of the search's waiting for memory, until
// they have too few registers.
template <class T, int D, bool MRD>
constexpr int BLOCKS_HELD = sizeof(T) == 8 || D > 5 ? 1
                            : D <= 3 && !MRD        ? 12
                                                    : 8;
