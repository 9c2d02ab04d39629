// Comparing the points of a leaf with the queries of a packet that want it.
//
// As a rule few of 32 queries want a leaf: of uniform points four or five. So a query does not take one lane that loads
// all points of the leaf, but LEAF lanes, one for each point, and 32 / LEAF queries are compared at once. Queries are
// passed to these lanes in shared memory. Where many queries want the leaf, as a rule their own one, its points are
// passed instead, and each lane compares its own query with one after the other.
//
// points_within returns all points that are near enough, as bits: core distances list them. compare and compare_all
// take only the best point of the leaf, for searches for one point.
#pragma once
#include "points/bvh.cuh"

constexpr int TEAMS = 32 / LEAF;  // of LEAF lanes each
constexpr int MANY = 16;          // more queries than these are compared with one point after the other

// The points of the leaf whose distance to this lane's query x is below its limit, as bits; none if it is not one of
// the `wanting`. `waiting` has places for 32 rows; the tags of queries are the limits.
template <class T, int D, int METRIC>
__device__ u32 points_within(const T *points, const Norm<METRIC> &norm, int leaf, u32 wanting, const Row<T, D> &x,
                             Bits<T> limit, SharedRow<T, D> *waiting) {
  const u32 lane = lane_id();
  const bool waits = wanting >> lane & 1;
  const Row<T, D> y = load<T, D>(points, (u32)leaf * LEAF + lane % LEAF);
  u32 near = 0;
  if (__popc(wanting) > MANY) {
    if (lane < LEAF) waiting[lane] = {y};
    __syncwarp();
#pragma unroll 4
    for (int j = 0; j < LEAF; j++) near |= (u32)(power_between<METRIC, T, D>(norm, x, waiting[j]) < limit) << j;
    __syncwarp();
    return waits ? near : 0;
  }
  const int team = lane / LEAF, rank = __popc(wanting & ((1u << lane) - 1));
  if (waits) {
    SharedRow<T, D> query = {x};
    query.tag = value_of(limit);
    waiting[rank] = query;
  }
  __syncwarp();
  const SharedRow<T, D> *const turn = waiting + rank / TEAMS * TEAMS + team, *at = waiting + team;
#pragma unroll 1
  for (int count = __popc(wanting); count > 0; count -= TEAMS, at += TEAMS) {
    const SharedRow<T, D> query = *at;
    const u32 votes = __ballot_sync(FULL, power_between<METRIC, T, D>(norm, query, y) < bits_of(query.tag));
    if (at == turn) near = votes;
  }
  __syncwarp();
  return waits ? near >> rank % TEAMS * LEAF & (u32)((1ull << LEAF) - 1) : 0;
}

// What a query has found in a leaf.
template <class T>
struct alignas(2 * sizeof(T)) Found {
  Bits<T> limit;  // distances below it count
  int place;      // of the point of the leaf that has been taken: its distance is the limit; or NONE
};

// A query that searches for one point of another component; compare_all keeps points of the leaf here instead. The tag
// is the label. Under mutual reachability it is the core distance.
template <class T, int D, bool MRD>
struct Wanting : SharedRow<T, D> {
  Found<T> found;
  __device__ int label() const { return label_of(this->tag); }
  __device__ void set(const Row<T, D> &row, int label) {
    SharedRow<T, D> labelled = {row};
    labelled.tag = tag_of(label, T(0));
    (SharedRow<T, D> &)*this = labelled;
  }
};

template <class T, int D>
struct Wanting<T, D, true> : SharedRow<T, D> {
  Found<T> found;
  int its_label;
  Bits<T> weight;  // lighter edges count, and edges of this weight below the limit
  __device__ int label() const { return its_label; }
  __device__ void set(const Row<T, D> &row, int label) {
    (SharedRow<T, D> &)*this = {row};
    its_label = label;
  }
};

// The least of the values that the lanes of a team have.
template <class B>
__device__ B team_min(B value) {
#pragma unroll
  for (int step = 1; step < LEAF; step *= 2) value = minimum(value, __shfl_xor_sync(FULL, value, step));
  return value;
}

// Compares the lanes' point of the leaf, y, with `count` queries. Those that have a better edge to a point of another
// component take the best, of equal ones the one with the smallest id; returns whether there is any.
template <class T, int D, int METRIC, bool MRD>
__device__ bool compare(const Norm<METRIC> &norm, const Row<T, D> &y, int label, int count,
                        Wanting<T, D, MRD> *waiting) {
  const int lane = lane_id(), team = lane / LEAF;
  const u32 before = ((1u << lane % LEAF) - 1) << team * LEAF;
  bool any = false;
  Wanting<T, D, MRD> *query = waiting + team;
#pragma unroll 1
  for (; count > 0; count -= TEAMS, query += TEAMS) {
    const SharedRow<T, D> x = *query;
    const Bits<T> d = power_between<METRIC, T, D>(norm, x, y);
    const Bits<T> w = MRD ? maximum(d, maximum(bits_of(x.tag), bits_of(y.tag))) : d;
    bool better = d < query->found.limit;
    if constexpr (MRD) better = w < query->weight || (w == query->weight && better);
    better = better & (query->label() != label) & (team < count);
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
      query->found = {d, lane % LEAF};
      if constexpr (MRD) query->weight = w;
    }
  }
  return any;
}

// The same for a leaf that many queries want. Each lane compares its own query, x, with all points of the leaf, one
// after the other. `waiting` holds these points and their labels.
template <class T, int D, int METRIC, bool MRD>
__device__ void compare_all(const Norm<METRIC> &norm, const Row<T, D> &x, int label, Found<T> &found, Bits<T> &weight,
                            const Wanting<T, D, MRD> *waiting) {
#pragma unroll 4
  for (int j = 0; j < LEAF; j++) {
    const SharedRow<T, D> y = waiting[j];
    const Bits<T> d = power_between<METRIC, T, D>(norm, x, y);
    const Bits<T> w = MRD ? maximum(d, maximum(bits_of(x.tag), bits_of(y.tag))) : d;
    bool better = d < found.limit;
    if (MRD) better = w < weight || (w == weight && better);
    if (!better || waiting[j].label() == label) continue;
    found = {d, j};
    if (MRD) weight = w;
  }
}
