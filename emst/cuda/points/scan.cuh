// Comparing the points of a leaf with the queries of a packet that want it.
//
// As a rule few of 32 queries want a leaf: of uniform points four or five. So a query does not take one lane that loads
// all points of the leaf, but LEAF lanes, one for each point, and 32 / LEAF queries are compared at once. Queries are
// passed to these lanes in shared memory.
//
// points_within returns all points that are near enough, as bits: core distances list them. compare takes only the best
// point of the leaf, for searches for one point.
#pragma once
#include "points/bvh.cuh"

constexpr int TEAMS = 32 / LEAF;  // of LEAF lanes each

// A query that wants the leaf. Under mutual reachability the tag of x is its core distance.
template <class T, int D>
struct alignas(16) Wanting {
  Row<T, D> x;
  Bits<T> limit;   // distances below it count
  int label;       // the last three are for searches for one point
  int place;       // of the point of the leaf that has been taken: `limit` and `weight` are those of the edge to it
  Bits<T> weight;  // MRD: lighter edges count, and edges of this weight below the limit
};

// The points of the leaf whose distance to this lane's query x is below its limit, as bits; none if it is not one of
// the `wanting`. `waiting` has places for 32 queries.
template <class T, int D, int METRIC>
__device__ u32 points_within(const T *points, const Norm<METRIC> &norm, int leaf, u32 wanting, const Row<T, D> &x,
                             Bits<T> limit, Wanting<T, D> *waiting) {
  const u32 lane = lane_id();
  const bool waits = wanting >> lane & 1;
  const int team = lane / LEAF, rank = __popc(wanting & ((1u << lane) - 1));
  if (waits) {
    waiting[rank].x = x;
    waiting[rank].limit = limit;
  }
  __syncwarp();
  const Row<T, D> y = load<T, D>(points, (u32)leaf * LEAF + lane % LEAF);
  const Wanting<T, D> *const turn = waiting + rank / TEAMS * TEAMS + team, *query = waiting + team;
  u32 near = 0;
#pragma unroll 1
  for (int count = __popc(wanting); count > 0; count -= TEAMS, query += TEAMS) {
    const u32 votes = __ballot_sync(FULL, power_between(norm, query->x, y) < query->limit);
    if (query == turn) near = votes;
  }
  __syncwarp();
  return waits ? near >> rank % TEAMS * LEAF & (u32)((1ull << LEAF) - 1) : 0;
}

// The least of the values that the lanes of a team have.
template <class B>
__device__ B team_min(B value) {
#pragma unroll
  for (int step = 1; step < LEAF; step *= 2) value = minimum(value, __shfl_xor_sync(FULL, value, step));
  return value;
}

// Compares the lanes' point of the leaf, y, with `count` queries. Those that have a better edge to a point of another
// component take the best, of equal ones the one with the smallest id; returns whether there is any.
template <bool MRD, class T, int D, int METRIC>
__device__ bool compare(const Norm<METRIC> &norm, const Row<T, D> &y, int label, int count, Wanting<T, D> *waiting) {
  const int lane = lane_id(), team = lane / LEAF;
  const u32 before = ((1u << lane % LEAF) - 1) << team * LEAF;
  bool any = false;
  Wanting<T, D> *query = waiting + team;
#pragma unroll 1
  for (; count > 0; count -= TEAMS, query += TEAMS) {
    const Bits<T> d = power_between(norm, query->x, y);
    const Bits<T> w = MRD ? maximum(d, maximum(bits_of(query->x.tag), bits_of(y.tag))) : d;
    bool better = d < query->limit;
    if (MRD) better = w < query->weight || (w == query->weight && better);
    better = better & (query->label != label) & (team < count);
    if (!__any_sync(FULL, better)) continue;
    __syncwarp();  // all lanes have read what one of them will overwrite; a vote does not order memory
    any = true;
    if (MRD) {
      const Bits<T> lightest = team_min(better ? w : INFINITE<T>);
      better = better && w == lightest;
    }
    const Bits<T> nearest = team_min(better ? d : INFINITE<T>);
    better = better && d == nearest;
    const u32 equal = __ballot_sync(FULL, better);
    if (better && (equal & before) == 0) {
      query->limit = d;
      query->place = lane % LEAF;
      if (MRD) query->weight = w;
    }
  }
  return any;
}
