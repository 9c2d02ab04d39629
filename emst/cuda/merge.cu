// Contracting the lightest edges of all components of a `Forest`. The rule is in contract.cuh.
//
// An edge is packed as (smaller end << 32 | larger end); all ones is no edge.
#include "runtime/compact.cuh"
#include "contract.cuh"

template <class T>
__global__ void hook(const int *components, i64 count, const int *labels, const Bits<T> *best, const u64 *edge,
                     int *parent, u64 *ends, Bits<T> *weight, int *status) {
  i64 k = thread_id();
  if (k == 0) status[1] = 0;
  if (k >= count) return;
  int c = components[k];
  u64 e = edge[c];
  int label = e == ~0ull ? c : labels[e >> 32], other = label == c && e != ~0ull ? labels[(u32)e] : label;
  // An edge within a component is kept: the number of edges tells of it in the end.
  bool mutual = edge[other] == e, stays = e == ~0ull || stays_root(c, other, [&] { return mutual; });
  parent[c] = stays ? c : other;
  if (stays) return;
  ends[c] = e;
  weight[c] = best[c];
}

// Labels become ancestors; status[1] is set if one of them is not a root.
__global__ void relabel(const int *parent, i64 n, int *labels, int *status) {
  int old[EACH], above[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) old[j] = point_of_thread(j) < n ? labels[point_of_thread(j)] : NONE;
#pragma unroll
  for (int j = 0; j < EACH; j++) above[j] = old[j] == NONE ? NONE : parent[old[j]];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    int at = old[j];
    const bool arrived = climb(parent, at, above[j]);
    if (at != old[j]) labels[point_of_thread(j)] = at;
    if (!arrived) status[1] = 1;
  }
}

// For chains longer than HOPS. Every value read is an ancestor, whether or not it was written in this pass.
__global__ void double_hops(const int *components, i64 count, int *parent, int *status) {
  i64 k = thread_id();
  if (k == 0) status[1] = 0;
  if (k >= count) return;
  int c = components[k];
  parent[c] = parent[parent[c]];
}

// The next list of components, each without an edge.
template <class T>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_roots(const int *components, i64 count, const int *parent, int *roots, Bits<T> *best, u64 *edge, int *status,
               u64 *tiles, u32 epoch) {
  compact(
      count, tiles, epoch, status, [&](int, i64 k) { return parent[components[k]] == components[k]; },
      [&](i64 k, bool kept, u32 rank) {
        if (!kept) return;
        int c = components[k];
        roots[rank] = c;
        best[c] = INFINITE<T>;
        edge[c] = ~0ull;
      });
}
