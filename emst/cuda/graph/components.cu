// Numbers components in the order of their first vertices, in one cooperative launch.
#include "runtime/grid.cuh"

constexpr int COMPONENT_THREADS = EMST_COMPONENT_THREADS, MOST_BLOCKS = EMST_MOST_BLOCKS;

struct State {
  u64 firsts[MOST_BLOCKS];  // number of first vertices in the share of a block
  u32 arrived;
};
static_assert(sizeof(State) == EMST_NUMBERING_WORDS * sizeof(u64), "components.py allocates it");

// `first` and `number` are scratch, indexed by root.
__global__ void __launch_bounds__(COMPONENT_THREADS)
    number_components(const int *roots, i64 n, int *first, int *number, int *labels, State *state) {
  const Grid grid = {&state->arrived, (int)blockIdx.x, (int)gridDim.x};
  for (i64 v = grid.first(); v < n; v += grid.step()) first[v] = 0x7fffffff;
  grid.sync();
  for (i64 warp = grid.first() - lane_id(); warp < n; warp += grid.step()) {
    const i64 v = warp + lane_id();
    const int root = v < n ? roots[v] : NONE, before = __shfl_up_sync(FULL, root, 1);
    if (root != NONE && (lane_id() == 0 || root != before))
      lower(first + root, (int)v);  // later lanes hold greater vertices
  }
  grid.sync();

  const i64 chunks = (n + COMPONENT_THREADS - 1) / COMPONENT_THREADS;
  const i64 begin = chunks * grid.rank / grid.size, end = chunks * (grid.rank + 1) / grid.size;
  auto is_first = [&](i64 v) { return v < n && first[roots[v]] == v; };
  u64 firsts = 0, all;
  for (i64 c = begin; c < end; c++) firsts += is_first(c * COMPONENT_THREADS + threadIdx.x);
  firsts = block_sum<COMPONENT_THREADS>(firsts);
  if (threadIdx.x == 0) state->firsts[grid.rank] = firsts;
  grid.sync();
  u64 base = sum_before<COMPONENT_THREADS>(grid, state->firsts, all);
  for (i64 c = begin; firsts && c < end; c++) {
    const i64 v = c * COMPONENT_THREADS + threadIdx.x;
    const bool kept[1] = {is_first(v)};
    u32 at[1];
    const u32 here = block_places<COMPONENT_THREADS>(kept, at);
    if (kept[0]) number[roots[v]] = (int)(base + at[0]);
    base += here;
  }
  grid.sync();
  for (i64 v = grid.first(); v < n; v += grid.step()) labels[v] = number[roots[v]];
}
