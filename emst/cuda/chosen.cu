// The edges of a forest, listed in the order of their entries.
#include "compact.cuh"
#include "graph.cuh"

template <class P>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_marked(const u32 *marks, i64 m, const P *indptr, i64 n, const int *indices, i64 *entries, int *source,
                int *target, int *total, u64 *tiles, u32 epoch) {
  compact(
      m, tiles, epoch, total, [&](int, i64 e) { return marks[e >> 5] >> (e & 31) & 1; },
      [&](i64 e, bool kept, u32 rank) {
        if (!kept) return;
        entries[rank] = e;
        source[rank] = row_of_entry_alone(indptr, (int)n, e);
        target[rank] = indices[e];
      });
}
