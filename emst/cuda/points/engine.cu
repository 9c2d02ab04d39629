// How many leaves a walk would have to visit, for a sample of the points: whether products of all pairs are faster.
#include "points/bvh.cuh"

constexpr int AROUND = 64, RANK = 4;  // neighbours on the curve, and which of their distances is the radius

// Counts, for each of `samples` points, how many of `tested` leaves come within its radius, and adds these numbers to
// `near`; a warp a point.
template <class T, int D>
__global__ void count_near_leaves(const T *points, const T *nodes, i64 n, i64 leaves, i64 samples, i64 tested,
                                  u64 *near) {
  const Norm<EUCLIDEAN> norm{};
  const i64 sample = thread_id() / 32;
  if (sample >= samples) return;
  const i64 at = sample * n / samples, first = maximum(minimum(at - AROUND / 2, n - AROUND), (i64)0);
  const Row<T, D> x = load<T, D>(points, at);
  Bits<T> distance[AROUND / 32];
#pragma unroll
  for (int j = 0; j < AROUND / 32; j++) {
    const i64 other = first + 32 * j + lane_id();
    distance[j] = other < n && other != at ? power_between(norm, x, load<T, D>(points, other)) : INFINITE<T>;
  }
  Bits<T> radius = 0;
  for (int rank = 0; rank < RANK; rank++) {  // takes the least one away
    Bits<T> least = distance[0];
    for (int j = 1; j < AROUND / 32; j++) least = minimum(least, distance[j]);
    radius = warp_min(least);
    const u32 holders = __ballot_sync(FULL, least == radius);
    if ((int)lane_id() != __ffs(holders) - 1) continue;
    bool taken = false;
    for (int j = 0; j < AROUND / 32; j++)
      if (!taken && distance[j] == radius) {
        distance[j] = INFINITE<T>;
        taken = true;
      }
  }
  int count = 0;
  for (i64 i = lane_id(); i < tested; i += 32) {
    const i64 leaf = i * leaves / tested;
    count += box_power(norm, load<T, D>(nodes, 2 * leaf), load<T, D>(nodes, 2 * leaf + 1), x) <= radius;
  }
  count = __reduce_add_sync(FULL, count);
  if (lane_id() == 0) atomicAdd(near, (u64)count);
}
