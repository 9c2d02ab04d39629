// The distances of 32 queries that are neighbours on the curve to their k-th nearest points, for long lists.
//
// First only the points around the packet's place on the curve are compared: the distance of the rank among these is a
// bound. It is exact up to an eighth of an octave. Then packet walks up to that bound count all points, and lower it on
// the way; as a rule one walk counts, and one stores the few distances that are left. See selection.cuh.
#pragma once
#include "distances/selection.cuh"
#include "points/walk.cuh"

// A search (see walk.cuh) that offers the points in reach to a selection.
template <class T, int D, int METRIC>
struct KthDistance {
  const T *points;
  Norm<METRIC> norm;
  Row<T, D> x;
  Bits<T> reach;
  Selection<T> selection;
  bool stops = false;  // whether passes may stop

  // Of query u of `count`. A lane past the last query repeats it.
  __device__ KthDistance(const T *points, const Norm<METRIC> &norm, const T *queries, i64 u, i64 count)
      : points(points), norm(norm), x(load<T, D>(queries, minimum(u, count - 1))) {}

  __device__ bool may_hold(T, T) const { return true; }
  __device__ bool wants(bool, u32, const Row<T, D> &low, const Row<T, D> &high) const {
    return box_power(norm, low, high, x) <= selection.limit;
  }
  __device__ bool scan(int leaf, u32 = FULL) {
    each_distance(leaf, [&](Bits<T> d) { selection.offer(d); });
    bool shrinks = selection.shrink();
    if (stops) shrinks |= selection.stop();
    if (!__any_sync(FULL, shrinks)) return false;
    reach = warp_max(selection.limit);
    return true;
  }
  template <class Use>
  __device__ void each_distance(int leaf, Use use) {
    const T *rows = points + (i64)leaf * (LEAF * STRIDE<D>);
#pragma unroll
    for (int t = 0; t < LEAF; t++) use(power_between(norm, x, load<T, D>(rows, t)));
  }

  // The greatest of the distances to the points of `leaves` leaves, without the rows past the last point.
  __device__ Bits<T> farthest(int first, int leaves) {
    Bits<T> most = 0;
    for (int i = 0; i < leaves; i++)
      each_distance(first + i, [&](Bits<T> d) { most = d < INFINITE<T> ? maximum(most, d) : most; });
    return most;
  }
};

// Leaves around `centre` on the curve that hold so many points; returns the first.
__device__ inline int leaves_around(i64 centre, i64 points, const Hierarchy &h, int &leaves) {
  leaves = (int)minimum((points + LEAF - 2) / LEAF + 1, (i64)h.count[0]);  // the last leaf may be almost empty
  return (int)minimum(maximum(centre - leaves / 2, i64(0)), (i64)(h.count[0] - leaves));
}

// Sets `kth` to the distance of the given rank and `nearest` to the least distance. `words` are 32 rows of 32 counters.
template <class T, int D, int METRIC>
__device__ void kth_distance(KthDistance<T, D, METRIC> &search, const Hierarchy &h, const T *nodes, i64 centre,
                             int rank, u32 *words, u64 *stack, Bits<T> &kth, Bits<T> &nearest) {
  Selection<T> &selection = search.selection;
  selection.words = words + lane_id();
  selection.step = 32;
  int leaves, first = leaves_around(centre, rank, h, leaves);
  selection.start(search.farthest(first, leaves), rank);
  first = leaves_around(centre, 2 * i64(rank) + 32, h, leaves);
  while (__any_sync(FULL, selection.coarse())) {
    selection.begin_pass();
    for (int i = 0; i < leaves; i++) search.scan(first + i);
    selection.end_pass();
  }
  selection.start(selection.high, rank);
  nearest = selection.high;
  const Packet<T, D> packet(search.x);
  search.stops = true;
  while (__any_sync(FULL, !selection.done())) {
    selection.begin_pass();
    search.reach = warp_max(selection.limit);
    walk<T, D>(h, nodes, packet, stack, search);
    if (!selection.stores) nearest = minimum(nearest, selection.least);
    selection.end_pass();
  }
  kth = selection.high;
}
