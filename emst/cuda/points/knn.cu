// Core distances: the distance to the k-th nearest point, the point itself included, by the packet walk.
//
// A list holds one entry more than the core distance needs. Points as near as its last entry may be missing, so a
// neighbour taken from the list is known to be the first only if it is strictly nearer than that entry.
#include "points/nearest.cuh"

// neighbour[k * n + i] is the k-th entry of point i's list; core is the entry before the last.
template <class T, int D, int METRIC, int K>
__global__ void __launch_bounds__(32 * WARPS)
    nearest_points(const T *__restrict__ points, i64 n, const Hierarchy h, const T *__restrict__ nodes,
                   const Norm<METRIC> norm, int *neighbour, Bits<T> *core) {
  __shared__ u64 stacks[WARPS][STACK];
  i64 packet = thread_id() / 32, u = thread_id();
  if (packet * 32 >= n) return;
  NearestPoints<T, D, METRIC, K, false> search;
  search.points = points;
  search.norm = norm;
  search.on = u < n;
  u = minimum(u, n - 1);
  search.own = (u32)u;
  search.x = load<T, D>(points, u);
  list_nearest(search, h, nodes, packet * (32 / LEAF) - 2, stacks[threadIdx.x / 32]);
  if (!search.on) return;
  core[u] = search.distance[K - 2];
#pragma unroll
  for (int k = 0; k < K; k++) neighbour[(i64)k * n + u] = search.distance[k] < INFINITE<T> ? (int)search.id[k] : NONE;
}

// One more page of neighbours, after the last of the page before: (core, last) hold its distance and id, and become
// the `rank`-th entry of this page. On the first page last is NONE.
template <class T, int D, int METRIC, int PAGE>
__global__ void __launch_bounds__(32 * WARPS)
    next_page(const T *__restrict__ points, i64 n, const Hierarchy h, const T *__restrict__ nodes,
              const Norm<METRIC> norm, int rank, int *last, Bits<T> *core) {
  __shared__ u64 stacks[WARPS][STACK];
  i64 packet = thread_id() / 32, u = thread_id();
  if (packet * 32 >= n) return;
  NearestPoints<T, D, METRIC, PAGE, true> search;
  search.points = points;
  search.norm = norm;
  search.on = u < n;
  u = minimum(u, n - 1);
  search.own = (u32)u;
  search.x = load<T, D>(points, u);
  search.after_distance = last[u] == NONE ? Bits<T>(-1) : core[u];
  search.after_id = (u32)last[u];
  list_nearest(search, h, nodes, packet * (32 / LEAF) - 2, stacks[threadIdx.x / 32]);
  if (!search.on) return;
#pragma unroll
  for (int k = 0; k < PAGE; k++)
    if (k == rank) {
      core[u] = search.distance[k];
      last[u] = (int)search.id[k];
    }
}
