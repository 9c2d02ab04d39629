// The lightest edge that leaves each component, from a list of edges.
#include "runtime/compact.cuh"

// Keeps the edges between different components, with components as their ends, and lowers the least key of both.
__global__ void __launch_bounds__(COMPACT_THREADS)
    lightest_of_edges(const int *u, const int *v, const u64 *key, i64 count, const int *labels, u64 *least, int *left_u,
                      int *left_v, u64 *left_key, int *total, u64 *tiles, u32 epoch) {
  compact(
      count, tiles, epoch, total, [&](int, i64 i) { return labels[u[i]] != labels[v[i]]; },
      [&](i64 i, bool kept, u32 rank) {
        if (!kept) return;
        const int a = labels[u[i]], b = labels[v[i]];
        const u64 k = key[i];
        left_u[rank] = a;
        left_v[rank] = b;
        left_key[rank] = k;
        lower(least + a, k);
        lower(least + b, k);
      });
}
