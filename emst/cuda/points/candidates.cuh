// The candidates of a point: those that products have left, and the exact powers of their distances. A warp a point.
//
// Stored: the candidates of the r-th point of a launch are list[r * PLACES ...], in no order, and counts[r] is how many
// were found. That may be more than PLACES; then only the first PLACES are stored.
//
// When all candidates have been found, the point's reach shrinks, and exact distances are computed only of those that
// are still within it.
#pragma once
#include "distances/metric.cuh"
#include "points/bounds.cuh"

constexpr int PLACES = EMST_CANDIDATES, CANDIDATE_WARPS = 2;

struct Candidate {
  int id;
  float sum;  // with h(x) . h(y) and the lower start
};

// Writes the ids of those of `count` candidates that may be within the reach, and returns how many they are.
__device__ inline int within_reach(const Candidate *list, int count, Reach reach, const float *rho, int *ids) {
  int kept = 0;
  for (int base = 0; base < count; base += 32) {
    const int i = base + lane_id();
    const Candidate candidate = i < count ? list[i] : Candidate{NONE, 0};
    const bool keep = i < count && !less(candidate.sum, least_sum(reach, rho[candidate.id]));
    const u32 lanes = __ballot_sync(FULL, keep);
    if (keep) ids[kept + __popc(lanes & ((1u << lane_id()) - 1))] = candidate.id;
    kept += __popc(lanes);
  }
  __syncwarp();
  return kept;
}

template <class T>
using Terms = T[32][33];

// use(number, candidate, power), in every lane that has one; the lanes of a warp together. Terms of 32 candidates and
// 32 axes are computed by rows, which are read as a whole, and added by columns in the order of the axes.
template <class T, class Use>
__device__ void each_candidate(const T *points, int d, i64 u, const int *list, int count, Terms<T> &terms, Use use) {
  const i64 stride = d + 1;
  const int lane = lane_id();
  for (int base = 0; base < count; base += 32) {
    const int mine = base + lane < count ? list[base + lane] : NONE, here = minimum(32, count - base);
    T power = T(0);
    for (int axis = 0; axis < d; axis += 32) {
      const bool there = axis + lane < d;
      const T x = there ? __ldg(points + u * stride + axis + lane) : T(0);
#pragma unroll 8
      for (int c = 0; c < here; c++) {
        const i64 other = __shfl_sync(FULL, mine, c);
        const T y = there ? __ldg(points + other * stride + axis + lane) : T(0);
        const T gap = difference(x, y);
        terms[c][lane] = mul(gap, gap);
      }
      __syncwarp();
#pragma unroll
      for (int j = 0; j < 32; j++) power = add(power, terms[lane][j]);
      __syncwarp();
    }
    if (mine != NONE) use(base + lane, mine, bits_of(power));
  }
}
