// Components numbered in the order of their first vertices.
#include "compact.cuh"

// `first` is at least n before.
__global__ void first_vertices(const int *roots, i64 n, int *first) {
  i64 v = thread_id();
  if (v < n) lower(first + roots[v], (int)v);
}

__global__ void __launch_bounds__(COMPACT_THREADS)
    number_roots(const int *roots, i64 n, const int *first, int *number, int *total, u64 *tiles, u32 epoch) {
  compact(
      n, tiles, epoch, total, [&](int, i64 v) { return first[roots[v]] == v; },
      [&](i64 v, bool kept, u32 rank) {
        if (kept) number[roots[v]] = (int)rank;
      });
}

__global__ void label_vertices(const int *roots, i64 n, const int *number, int *labels) {
  i64 v = thread_id();
  if (v < n) labels[v] = number[roots[v]];
}
