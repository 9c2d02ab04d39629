// Core distances: the distance to the k-th nearest point, the point itself included, by the packet walk.
//
// Few neighbours are listed; of more, only the last distance is selected (kth.cuh). A list holds one entry more than
// the core distance needs. Points as near as its last entry may be missing, so a neighbour taken from the list is known
// to be the first only if it is strictly nearer than that entry.
//
// knn.py launches nearest_points or, for ranks too high for a list, kth_distances.
#include "points/kth.cuh"
#include "points/nearest.cuh"

// neighbour[k * n + i] is the k-th entry of point i's list; core is the entry before the last.
template <class T, int D, int METRIC, int K>
__global__ void __launch_bounds__(32 * WARPS)
    nearest_points(const T *__restrict__ points, i64 n, const __grid_constant__ Hierarchy h,
                   const T *__restrict__ nodes, const Norm<METRIC> norm, int *neighbour, Bits<T> *core) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ SharedRow<T, D> waiting[WARPS][32];
  const i64 u = thread_id(), packet = u / 32;
  if (packet * 32 >= n) return;
  NearestPoints<T, D, METRIC, K> search(points, norm, points, u, n, waiting[threadIdx.x / 32]);
  search.itself = (u32)u;
  list_nearest(search, h, nodes, packet * (32 / LEAF) - 16 / LEAF, stacks[threadIdx.x / 32]);
  if (!search.on) return;
  core[u] = search.distance[K - 2];
#pragma unroll
  for (int k = 0; k < K; k++) neighbour[(i64)k * n + u] = search.distance[k] < INFINITE<T> ? (int)search.id[k] : NONE;
}

// The distance of the given rank among the distances of every point, the point itself included.
template <class T, int D, int METRIC>
__global__ void __launch_bounds__(32 * WARPS)
    kth_distances(const T *__restrict__ points, i64 n, const __grid_constant__ Hierarchy h, const T *__restrict__ nodes,
                  const Norm<METRIC> norm, int rank, Bits<T> *core) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ u32 words[WARPS][32 * Selection<T>::BINS];
  const i64 packet = thread_id() / 32, u = thread_id();
  const int warp = threadIdx.x / 32;
  if (packet * 32 >= n) return;
  KthDistance<T, D, METRIC> search(points, norm, points, u, n);
  Bits<T> kth, nearest;
  kth_distance(search, h, nodes, packet * (32 / LEAF) + 32 / LEAF / 2, rank, words[warp], stacks[warp], kth, nearest);
  if (u < n) core[u] = kth;
}
