// Contracting the lightest edges of all components; knows nothing of points.
//
// Under the law the only cycles that lightest edges can make are mutual pairs, so there is no compare-and-swap: the
// parent of a component is the component at the other end of its edge, and of a mutual pair the smaller root stays. An
// edge is packed as (smaller end << 32 | larger end); all ones is no edge.
#include "runtime/compact.cuh"

constexpr int HOPS = 64;  // chains are short as a rule; longer ones are finished by pointer doubling

template <class T>
__global__ void hook(const int *components, i64 count, const int *labels, const Bits<T> *best, const u64 *edge,
                     int *parent, u64 *ends, Bits<T> *weight, int *status) {
  i64 k = thread_id();
  if (k == 0) status[1] = 0;
  if (k >= count) return;
  int c = components[k];
  u64 e = edge[c];
  int label = e == ~0ull ? c : labels[e >> 32], other = label == c && e != ~0ull ? labels[(u32)e] : label;
  bool stays = other == c || (edge[other] == e && c < other);
  parent[c] = stays ? c : other;
  if (stays) return;
  ends[c] = e;
  weight[c] = best[c];
}

// Labels become ancestors, roots as a rule; status[1] is set if one is not.
__global__ void relabel(const int *parent, i64 n, int *labels, int *status) {
  int old[EACH], above[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) old[j] = point_of_thread(j) < n ? labels[point_of_thread(j)] : NONE;
#pragma unroll
  for (int j = 0; j < EACH; j++) above[j] = old[j] == NONE ? NONE : parent[old[j]];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    int at = old[j], top = above[j];
    for (int hop = 0; top != at && hop < HOPS; hop++) {
      at = top;
      top = parent[at];
    }
    if (at != old[j]) labels[point_of_thread(j)] = at;
    if (top != at) status[1] = 1;
  }
}

// For chains longer than HOPS. Any value read is an ancestor, so it does not matter whether it was written in this
// pass.
__global__ void double_hops(const int *components, i64 count, int *parent, int *status) {
  i64 k = thread_id();
  if (k == 0) status[1] = 0;
  if (k >= count) return;
  int c = components[k];
  parent[c] = parent[parent[c]];
}

// The next list of components, each ready to be asked again.
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
