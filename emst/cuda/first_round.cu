// The components that Borůvka's first round has left. first_round.py launches number_roots and number_points.
#include "first_round.cuh"
#include "runtime/compact.cuh"

__global__ void __launch_bounds__(COMPACT_THREADS)
    number_roots(const Hooks *hooks, i64 n, int *number, int *total, u64 *tiles, u32 epoch) {
  compact(
      n, tiles, epoch, total, [&](int, i64 p) { return !has_hooked(hooks, (int)p); },
      [&](i64 p, bool kept, u32 rank) {
        if (kept) number[p] = (int)rank;
      });
}

// The parent of a point that has hooked is its root after the round: later rounds write the parents of roots only.
__global__ void number_points(const Hooks *hooks, const int *number, i64 n, int *component) {
  int root[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 p = point_of_thread(j);
    root[j] = p >= n ? NONE : has_hooked(hooks, (int)p) ? component[p] : (int)p;
  }
#pragma unroll
  for (int j = 0; j < EACH; j++)
    if (root[j] != NONE) component[point_of_thread(j)] = number[root[j]];
}
