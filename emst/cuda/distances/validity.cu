// All pairs of points for cluster validity. The points are sorted by cluster and stored as columns; sums are in double
// precision and in the order of the CPU's.
#include "distances/metric.cuh"
#include "runtime/grid.cuh"

__device__ inline double distance_between(const double *columns, i64 n, int dimensions, i64 i, i64 j) {
  double t = columns[i] - columns[j], s = mul(t, t);
  for (int k = 1; k < dimensions; k++) {
    t = columns[k * n + i] - columns[k * n + j];
    s = add(s, mul(t, t));
  }
  return root(s);
}

__device__ inline double power_of(double x, i64 exponent) {
  double power = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) power = mul(power, x);
    x = mul(x, x);
  }
  return power;
}

__global__ void core_distance_sums(const double *columns, i64 n, int dimensions, const int *cluster, const i64 *starts,
                                   i64 exponent, i64 *nearest, double *total) {
  const i64 i = thread_id();
  if (i >= n) return;
  const i64 low = starts[cluster[i]], high = starts[cluster[i] + 1];
  i64 least = INFINITE<double>;
  for (i64 j = low; j < high; j++) {
    const i64 s = bits_of(distance_between(columns, n, dimensions, i, j));
    if (s > 0) least = minimum(least, s);
  }
  double sum = 0;
  for (i64 j = low; j < high; j++) {
    const double s = distance_between(columns, n, dimensions, i, j);
    if (bits_of(s) > 0) sum = add(sum, power_of(quotient(value_of(least), s), exponent));
  }
  nearest[i] = least;
  total[i] = sum;
}

constexpr int TREE_THREADS = EMST_TREE_THREADS, TREE_WARPS = TREE_THREADS / 32;
constexpr int NO_POINT = 0x7fffffff;

// The next point of a tree and the weight of the edge to it; and the parent of the last point.
struct Next {
  i64 weight;
  int point, parent;
};

__device__ inline Next first_of_warp(Next mine) {
  const i64 least = warp_min(mine.weight);
  return {least, warp_min(mine.weight == least ? mine.point : NO_POINT), warp_min(mine.parent)};
}

// Of all threads of a block, for all of them.
__device__ inline Next first_of_block(Next mine) {
  __shared__ Next of_warp[TREE_WARPS];
  mine = first_of_warp(mine);
  __syncthreads();  // those of the last call have been read
  if (lane_id() == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  return first_of_warp(of_warp[lane_id() % TREE_WARPS]);
}

// Of all blocks of a team. Steps use two lists in turn: a slow block may still read the list of this step while others
// write that of the next one. No block gets two steps ahead.
__device__ inline Next first_of_team(const Grid &team, Next mine, Next *list) {
  mine = first_of_block(mine);
  if (team.size == 1) return mine;
  if (threadIdx.x == 0) list[team.rank] = mine;
  team.sync();
  mine = {INFINITE<double>, NO_POINT, NO_POINT};
  for (int r = threadIdx.x; r < team.size; r += TREE_THREADS) {
    const volatile Next &other = list[r];
    const i64 weight = other.weight;
    const int point = other.point;
    if (weight < mine.weight || (weight == mine.weight && point < mine.point)) {
      mine.weight = weight;
      mine.point = point;
    }
    mine.parent = minimum(mine.parent, (int)other.parent);
  }
  return first_of_block(mine);
}

// Prim's algorithm. The blocks of a team (cluster, rank, size, first block) share the points of a cluster; those of a
// team of several must be resident together. `weight` of a point outside of the tree is the least to a point inside.
// A thread keeps to its points, so that only it reads and writes their `inside` and `weight`.
__global__ void __launch_bounds__(TREE_THREADS)
    cluster_trees(const double *__restrict__ columns, i64 n, int dimensions, const i64 *starts,
                  const i64 *__restrict__ core, const int4 *teams, u32 *arrived, Next *lists, bool *__restrict__ inside,
                  int *parent, i64 *__restrict__ weight) {
  const int4 place = teams[blockIdx.x];
  const Grid team = {arrived + place.w, place.y, place.z};
  const i64 low = starts[place.x], high = starts[place.x + 1];
  Next next = {0, (int)low, NO_POINT};
  for (i64 step = low; step < high && next.point != NO_POINT; step++) {
    const int fresh = next.point;
    const i64 core_of_fresh = core[fresh], reached = next.weight;
    Next mine = {INFINITE<double>, NO_POINT, NO_POINT};
#pragma unroll 4
    for (i64 p = low + team.first(); p < high; p += team.step()) {
      const bool is_inside = inside[p];
      const i64 w = maximum(bits_of(distance_between(columns, n, dimensions, fresh, p)),
                            maximum(core_of_fresh, core[p])),
                least = minimum(weight[p], w);
      if (p == fresh) {
        inside[p] = true;
        weight[p] = reached;
      } else if (is_inside) {
        if (w == reached) mine.parent = minimum(mine.parent, (int)p);
      } else {
        weight[p] = least;
        if (least < mine.weight) {
          mine.weight = least;
          mine.point = (int)p;
        }
      }
    }
    next = first_of_team(team, mine, lists + (step & 1) * gridDim.x + place.w);
    if (team.first() == 0) parent[fresh] = next.parent == NO_POINT ? NONE : next.parent;
  }
}

__global__ void separations(const double *columns, i64 n, int dimensions, const int *cluster, const i64 *starts,
                            const i64 *core, i64 *least) {
  const i64 i = thread_id();
  if (i >= n) return;
  const i64 low = starts[cluster[i]], high = starts[cluster[i] + 1], core_of_point = core[i];
  i64 best = INFINITE<double>;
  for (i64 j = 0; j < n; j++) {
    if (j >= low && j < high) continue;
    const i64 s = bits_of(distance_between(columns, n, dimensions, i, j));
    best = minimum(best, maximum(s, maximum(core_of_point, core[j])));
  }
  least[i] = best;
}
