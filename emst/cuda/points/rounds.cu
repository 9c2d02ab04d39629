// The rounds that are left, in one cooperative launch, by the passes that the loop launches one by one (cached.cuh,
// search.cuh, lightest.cuh, merge.cuh). If points or components are few, launches and the host's waits take longer than
// the passes.
//
// Each round gives every component the same edge, the first in the total order, so the forest is the loop's. Passes
// take all points where the loop's take lists of searches. Each pass ends at a barrier.
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
  int left[MOST_ROUNDS];  // components after each round; while it hooks, how many have a place in the next list
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

// Hooks the components of a list. Those that stay roots make the next list, in any order.
template <class T>
__device__ void hook_components(const Grid &grid, const int *components, i64 count, const Kept<T> &kept, int *roots,
                                int *left) {
  for (i64 first = (i64)grid.rank * blockDim.x; first < count; first += grid.step()) {
    const i64 k = first + threadIdx.x;
    const int c = k < count ? components[k] : NONE;
    int above = NONE;
    if (c != NONE && hooks_onto(c, kept.edge, kept.labels, above)) {
      kept.ends[c] = kept.edge[c];
      kept.weight[c] = kept.best[c];
    }
    if (c != NONE) kept.parent[c] = above;
    const bool stays[1] = {c != NONE && above == c};
    u32 at[1];
    const int place = reserve<32 * WARPS>(stays, left, at);
    if (stays[0]) roots[place + (int)at[0]] = c;
  }
}

// The parents of components become roots, which then have no edge. False if a chain of components has no root.
template <class T>
__device__ bool find_roots(const Grid &grid, const int *components, i64 count, const Kept<T> &kept,
                           volatile int *unfinished, int &pass) {
#pragma unroll 1
  for (int doubled = 0; doubled <= MOST_ROUNDS; doubled++) {
    pass++;
    bool arrived = true;
    for (i64 k = grid.first(); k < count; k += grid.step()) {
      const int c = components[k], above = kept.parent[c];
      int at = c;
      arrived &= climb(kept.parent, at, above);
      if (at != above) kept.parent[c] = at;
      if (at != c) continue;
      kept.best[c] = INFINITE<T>;
      kept.edge[c] = NO_EDGE;
      if (kept.best_distance) kept.best_distance[c] = INFINITE<T>;
    }
    if (!arrived) *unfinished = pass;
    grid.sync();
    if (*unfinished != pass) return true;
    for (i64 k = grid.first(); k < count; k += grid.step()) {
      const int c = components[k];
      kept.parent[c] = kept.parent[kept.parent[c]];
    }
    grid.sync();
  }
  return false;
}

// Blocks that a multiprocessor should hold at once.
template <class T, int D, bool MRD>
constexpr int HELD = BLOCKS_HELD<T, D, MRD> < EMST_ROUNDS_BLOCKS ? BLOCKS_HELD<T, D, MRD> : EMST_ROUNDS_BLOCKS;

// For the first round, begin_round has run before this launch. The components stand in a list, and those of the next
// round are written to another one; the two take turns. `told` is for the host: see taken.py.
template <class T, int D, int METRIC, bool MRD>
__global__ void __launch_bounds__(32 * WARPS, HELD<T, D, MRD>)
    join_rest(const T *rows, i64 n, const __grid_constant__ Hierarchy h, T *nodes, u32 *arrived,
              const Norm<METRIC> norm, int *components, int *spare, i64 count, bool looks_farther, T slack,
              i64 slack_up_to, int *labels, int *nearest, int *parent, Bits<T> *bound, Bits<T> *second, Bits<T> *step,
              Bits<T> *best, Bits<T> *best_distance, u64 *edge, u64 *ends, Bits<T> *weight, State *state, int *told) {
  const Grid grid = {&state->arrived, (int)blockIdx.x, (int)gridDim.x};
  const Kept<T> kept = {labels, nearest, parent, bound, second, best, best_distance, edge, ends, weight};
  const Bounds<T> bounds = {rows, D, STRIDE<D>, step, second, nearest, bound, best};
  int pass = 0;
  if constexpr (MRD)
    for (i64 k = grid.first(); k < count; k += grid.step()) best_distance[components[k]] = INFINITE<T>;
#pragma unroll 1
  for (int round = 0; round < MOST_ROUNDS && count > 1; round++) {
    if (round > 0)
      for_point_blocks(grid, n, [&](i64 block) {
        begin_block<T, D, 32 * WARPS>(block, parent, labels, n, h, nodes, bounds);
        if (threadIdx.x < 32)
          rise(h, 1, block, arrived, [&](int level, i64 above) { label_node<T, D>(h, level, above, nodes); });
      });
    grid.sync();
    const T factor = (round > 0 || looks_farther) && n < slack_up_to * count ? slack : T(1);
    search_runs<T, D, METRIC, MRD>(grid, rows, n, h, nodes, norm, kept, factor);
    grid.sync();
    choose<T, MRD>(grid, n, kept);
    grid.sync();
    hook_components<T>(grid, components, count, kept, spare, state->left + round);
    grid.sync();
    if (!find_roots<T>(grid, components, count, kept, &state->unfinished, pass)) {
      told[0] = 1;
      return;
    }
    count = *(volatile int *)(state->left + round);
    int *const done = components;
    components = spare, spare = done;
  }
  if (grid.first() == 0) spare[0] = components[0];  // the only component is the first one of both lists
  if (grid.first() < MOST_ROUNDS) told[1 + grid.first()] = *(volatile int *)(state->left + grid.first());
}
