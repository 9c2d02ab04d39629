// The numbers of the components that Borůvka's first round has left. first_round.py launches number_roots.
#include "first_round.cuh"
#include "runtime/compact.cuh"

__global__ void __launch_bounds__(COMPACT_THREADS)
    number_roots(const FirstRound round, i64 n, int *number, int *total, u64 *tiles, u32 epoch) {
  compact(
      n, tiles, epoch, total, [&](int, i64 p) { return !round.hooked((int)p); },
      [&](i64 p, bool kept, u32 rank) {
        if (kept) number[p] = (int)rank;
      });
}
