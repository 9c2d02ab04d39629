// The nearest point of another component for 32 queries that are neighbours on the curve.
#pragma once
#include "points/walk.cuh"
#include "runtime/order.cuh"

// A search (see walk.cuh) for the first point in the order of (weight, power of the distance, id), of another component
// where there are LABELS. Core distances count under mutual reachability (MRD) only.
template <class T, int D, int METRIC, bool MRD, bool LABELS>
struct NearestAcross {
  const T *points;
  Norm<METRIC> norm;
  const int *labels, *group;  // as for `nearest_across` of the operations; group is null without groups
  int groups;
  Row<T, D> x;
  int label, common;         // of the query; of all queries of the packet, or one that no node has
  Bits<T> core;              // of the query
  Bits<T> weight, distance;  // of the first point so far; until there is one, the radius and infinity
  Bits<T> radius;            // points farther than this do not matter
  Bits<T> reach, heaviest;   // greatest radius and weight of the packet
  bool equal;                // the radius was 0: only equal points count, whatever their core distances
  u32 id, window_leaf = 0, window_leaves = 0;

  // Sets the query of this lane. All lanes of the packet call it. A lane without a query repeats that of another one,
  // and `on` is false.
  __device__ void begin(const Row<T, D> &query, int query_label, Bits<T> query_core, Bits<T> within, bool on) {
    x = query;
    if (LABELS) {
      label = query_label;
      const int front = __shfl_sync(FULL, label, 0);
      common = __all_sync(FULL, label == front) ? front : -2;
    }
    const Bits<T> most = minimum(within, INFINITE<T> - 1);
    equal = on && most == 0;
    core = MRD && !equal ? query_core : 0;
    weight = radius = on && core <= most ? most : Bits<T>(-1);  // nothing is within -1
    distance = INFINITE<T>;
    id = ~0u;
    measure();
  }
  __device__ bool has_found() const { return id != ~0u; }

  __device__ bool may_hold(T low_tag, T high_tag) const {
    return (!LABELS || label_of(low_tag) != common) && (!MRD || bits_of(high_tag) <= heaviest);
  }
  // A node that is no nearer than the first point so far matters only if it may hold a smaller id.
  __device__ bool wants(bool is_leaf, u32 first, const Row<T, D> &low, const Row<T, D> &high) const {
    if (!LABELS && is_leaf && first / LEAF - window_leaf < window_leaves) return false;
    if ((LABELS && label_of(low.tag) == label) || (MRD && !equal && bits_of(high.tag) > weight)) return false;
    const Bits<T> d = box_power(norm, low, high, x);
    return d < radius || (d == radius && first < id && distance >= radius);
  }
  __device__ bool offer(Bits<T> d, Bits<T> other_core, u32 i) {
    const Bits<T> w = MRD && !equal ? maximum(d, maximum(core, other_core)) : d;
    if (!Neighbour<T>{w, d, (int)i}.before({weight, distance, (int)id})) return false;
    weight = w;
    distance = d;
    id = i;
    radius = w > core ? w : d;  // no edge is lighter than the query's core distance, only shorter
    return true;
  }
  // Rows past the last point are infinitely far: they are heavier than any radius, whatever their labels are.
  __device__ bool scan(int leaf, u32 = FULL) {
    const T *rows = points + (i64)leaf * (LEAF * STRIDE<D>);
    const int4 *four = reinterpret_cast<const int4 *>(labels + (i64)leaf * LEAF);
    int other[LEAF];
    if (LABELS) {
#pragma unroll
      for (int t = 0; t < LEAF; t += 4) {
        const int4 v = __ldg(four + t / 4);
        other[t] = v.x, other[t + 1] = v.y, other[t + 2] = v.z, other[t + 3] = v.w;
      }
      if (group)  // past the last point, labels may be anything
#pragma unroll
        for (int t = 0; t < LEAF; t++) other[t] = (u32)other[t] < (u32)groups ? group[other[t]] : NONE;
    }
    bool changed = false;
#pragma unroll
    for (int t = 0; t < LEAF; t++) {
      const Row<T, D> y = load<T, D>(rows, t);
      const Bits<T> d = power_between(norm, x, y);
      if (!LABELS || other[t] != label) changed |= offer(d, bits_of(y.tag), (u32)leaf * LEAF + t);
    }
    const bool any = __any_sync(FULL, changed);
    if (any) measure();
    return any;
  }
  __device__ void measure() {
    reach = warp_max(radius);
    if (MRD) heaviest = warp_max(equal ? INFINITE<T> : weight);
  }
};
