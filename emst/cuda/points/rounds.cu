// The rounds that are left, in one cooperative launch, by the passes that the loop launches one by one (cached.cuh,
// search.cuh, lightest.cuh, merge.cuh). If points or components are few, launches and the host's waits take longer than
// the passes.
//
// Each round gives every component the same edge, the first in the total order, so the forest is the loop's. Passes
// take all points where the loop's take lists of components or of searches. Each pass ends at a barrier.
#include "merge.cuh"
#include "lightest.cuh"
#include "points/cached.cuh"
#include "points/search.cuh"
#include "runtime/grid.cuh"

constexpr int MOST_ROUNDS = 31;  // a round at least halves the components
constexpr int SHORTEST_RUN = 4;  // points of a packet

struct State {  // zeros before the launch
  u32 arrived;
  int unfinished;         // the last pass that left labels which are no roots
  int left[MOST_ROUNDS];  // components after each round
};
static_assert(sizeof(State) == EMST_ROUNDS_WORDS * sizeof(int), "rounds.py allocates it");
static_assert(NODES_OF<32 * WARPS> == 1, "a block begins a round for the points below a node of level 1");

// What the rounds keep of every point, and of the component whose root it is.
template <class T>
struct Kept {
  int *labels, *nearest, *parent;
  Bits<T> *bound, *second;
  Bits<T> *best, *best_distance;
  u64 *edge, *ends;
  Bits<T> *weight;
};

// Calls block(b) for every block of points that these threads take. Each thread has EACH points of it.
template <class Block>
__device__ void for_point_blocks(const Grid &grid, i64 n, Block block) {
  for (i64 b = grid.rank; b * (EACH * (i64)blockDim.x) < n; b += grid.size) block(b);
}

// Calls warp(i) for every i below `count`, each by one warp.
template <class Warp>
__device__ void for_warps(const Grid &grid, i64 count, Warp warp) {
  for (i64 i = grid.first() / 32; i < count; i += grid.step() / 32) warp(i);
}

// Searches for the points that can have the lightest edge of their component and have no cached neighbour. A packet is
// a run of points on the curve, of so many that all warps have one; see `mark_searches`.
template <class T, int D, int METRIC, bool MRD>
__device__ void search_runs(const Grid &grid, const T *rows, i64 n, const Hierarchy &h, const T *nodes,
                            const Norm<METRIC> &norm, const Kept<T> &kept, T slack) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ Wanting<T, D, MRD> waiting[WARPS][32];
  const int lane = lane_id(), warp = threadIdx.x / 32;
  int size = 32;
  while (size > SHORTEST_RUN && n < size * grid.step() / 32) size /= 2;
  for_warps(grid, (n + size - 1) / size, [&](i64 run) {
    const i64 i = minimum(run * size + minimum(lane, size - 1), n - 1);
    const bool mine = lane < size && run * size + lane < n;
    const bool on = mine && kept.bound[i] <= kept.best[kept.labels[i]] && kept.nearest[i] == NONE;
    const u32 searching = __ballot_sync(FULL, on);
    if (!searching) return;
    const i64 other = __shfl_sync(FULL, i, __ffs(searching) - 1);
    search_points<T, D, METRIC, MRD, true>(
        rows, kept.labels, norm, on ? i : other, on, kept.nearest, kept.bound, kept.second, kept.best, nullptr, slack,
        INFINITE<T>, waiting[warp],
        [&](auto &search, const Packet<T, D> &packet) { walk<T, D, true>(h, nodes, packet, stacks[warp], search); });
    __syncwarp();
  });
}

// Sets the lightest edge of every component; see lightest.cuh.
template <class T, bool MRD>
__device__ void choose(const Grid &grid, i64 n, const Kept<T> &kept) {
  const Chosen all(nullptr, nullptr, n);
  if constexpr (MRD) {
    lower_distances<T>(kept.labels, all, kept.nearest, kept.bound, kept.second, kept.best, kept.best_distance);
    grid.sync();
  }
  choose_edges<T>(kept.labels, all, kept.nearest, kept.bound, kept.second, kept.best, kept.best_distance, kept.edge);
}

// Hooks components; returns how many of this thread's stay.
template <class T>
__device__ int hook_components(const Grid &grid, i64 n, const Kept<T> &kept) {
  int roots = 0;
  for (i64 i = grid.first(); i < n; i += grid.step()) {
    if (kept.labels[i] != i) continue;
    int above;
    hooks_onto((int)i, kept.edge, kept.labels, above);
    kept.parent[i] = above;
    if (above == i) {
      roots++;
    } else {
      kept.ends[i] = kept.edge[i];
      kept.weight[i] = kept.best[i];
    }
  }
  return roots;
}

// Labels of EACH points become ancestors; whether all of them are roots. see(i, label) gets each new label.
template <class See>
__device__ bool relabel_points(i64 block, const int *parent, i64 n, int *labels, See see) {
  int old[EACH], above[EACH];
  bool arrived = true;
#pragma unroll
  for (int j = 0; j < EACH; j++) old[j] = point_of_thread(block, j) < n ? labels[point_of_thread(block, j)] : NONE;
#pragma unroll
  for (int j = 0; j < EACH; j++) above[j] = old[j] == NONE ? NONE : parent[old[j]];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    int at = old[j];
    arrived &= climb(parent, at, above[j]);
    if (at != old[j]) labels[point_of_thread(block, j)] = at;
    see(point_of_thread(block, j), at);
  }
  return arrived;
}

// Labels become roots, which then have no edge. False if a chain of components has no root.
template <class T>
__device__ bool relabel(const Grid &grid, i64 n, const Kept<T> &kept, volatile int *unfinished, int &pass) {
#pragma unroll 1
  for (int doubled = 0; doubled <= MOST_ROUNDS; doubled++) {
    pass++;
    bool arrived = true;
    for_point_blocks(grid, n, [&](i64 block) {
      arrived &= relabel_points(block, kept.parent, n, kept.labels, [&](i64 i, int label) {
        if (label != i || i >= n) return;
        kept.best[i] = INFINITE<T>;
        kept.edge[i] = NO_EDGE;
        if (kept.best_distance) kept.best_distance[i] = INFINITE<T>;
      });
    });
    if (!arrived) *unfinished = pass;
    grid.sync();
    if (*unfinished != pass) return true;
    for (i64 i = grid.first(); i < n; i += grid.step()) kept.parent[i] = kept.parent[kept.parent[i]];
    grid.sync();
  }
  return false;
}

// Blocks that a multiprocessor should hold at once.
template <class T, int D, bool MRD>
constexpr int HELD = BLOCKS_HELD<T, D, MRD> < EMST_ROUNDS_BLOCKS ? BLOCKS_HELD<T, D, MRD> : EMST_ROUNDS_BLOCKS;

// For the first round, begin_round has run before this launch. `told` is for the host: see taken.py.
template <class T, int D, int METRIC, bool MRD>
__global__ void __launch_bounds__(32 * WARPS, HELD<T, D, MRD>)
    join_rest(const T *rows, i64 n, const __grid_constant__ Hierarchy h, T *nodes, u32 *arrived,
              const Norm<METRIC> norm, i64 count, bool looks_farther, T slack, i64 slack_up_to, int *labels,
              int *nearest, int *parent, Bits<T> *bound, Bits<T> *second, Bits<T> *step, Bits<T> *best,
              Bits<T> *best_distance, u64 *edge, u64 *ends, Bits<T> *weight, State *state, int *told) {
  const Grid grid = {&state->arrived, (int)blockIdx.x, (int)gridDim.x};
  const Kept<T> kept = {labels, nearest, parent, bound, second, best, best_distance, edge, ends, weight};
  const Bounds<T> bounds = {rows, D, STRIDE<D>, step, second, nearest, bound, best};
  int pass = 0;
  for (i64 i = grid.first(); i < n; i += grid.step()) {
    parent[i] = labels[i];
    if (MRD && labels[i] == i) best_distance[i] = INFINITE<T>;
  }
#pragma unroll 1
  for (int round = 0; round < MOST_ROUNDS && count > 1; round++) {
    if (round > 0)
      for_point_blocks(grid, n, [&](i64 block) {
        begin_block<T, D, 32 * WARPS>(block, nullptr, labels, n, h, nodes, bounds);
        if (threadIdx.x < 32)
          rise(h, 1, block, arrived, [&](int level, i64 above) { label_node<T, D>(h, level, above, nodes); });
      });
    grid.sync();
    const T factor = (round > 0 || looks_farther) && n < slack_up_to * count ? slack : T(1);
    search_runs<T, D, METRIC, MRD>(grid, rows, n, h, nodes, norm, kept, factor);
    grid.sync();
    choose<T, MRD>(grid, n, kept);
    grid.sync();
    const int roots = (int)block_sum<32 * WARPS>(hook_components<T>(grid, n, kept));
    if (threadIdx.x == 0 && roots) atomicAdd(state->left + round, roots);
    grid.sync();
    count = *(volatile int *)(state->left + round);
    if (relabel<T>(grid, n, kept, &state->unfinished, pass)) continue;
    told[0] = 1;
    return;
  }
  if (grid.first() < MOST_ROUNDS) told[1 + grid.first()] = *(volatile int *)(state->left + grid.first());
}
