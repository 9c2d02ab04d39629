// Contracting the lightest edges of all components of a `Forest`. The rule is in contract.cuh.
//
// merge.py launches, for each round: hook, relabel and list_roots; while a label has not arrived at its root, again
// double_hops, relabel and list_roots.
//
// An edge is packed as (smaller end << 32 | larger end); all ones is no edge.
//
// status: the roots that are left; whether a label has not arrived at its root; the components that have hooked in all
// rounds. Every one that hooks is one component less. If edges do not follow one total order and close a cycle, or lie
// within a component, the numbers differ.
#include "runtime/compact.cuh"
#include "merge.cuh"

template <class T>
__global__ void hook(const int *components, i64 count, const int *labels, const Bits<T> *best, const u64 *edge,
                     int *parent, u64 *ends, Bits<T> *weight, int *status) {
  i64 k = thread_id();
  if (k == 0) status[1] = 0;
  bool hooks = false;
  if (k < count) {
    const int c = components[k];
    int above;
    hooks = hooks_onto(c, edge, labels, above);
    parent[c] = above;
    if (hooks) {
      ends[c] = edge[c];
      weight[c] = best[c];
    }
  }
  const int here = __syncthreads_count(hooks);
  if (threadIdx.x == 0 && here) atomicAdd(status + 2, here);
}

// Labels become ancestors; status[1] is set if one of them is not a root.
__global__ void relabel(const int *parent, i64 n, int *labels, int *status) {
  if (!relabel_points(blockIdx.x, parent, n, labels, [](i64, int) {})) status[1] = 1;
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
        edge[c] = NO_EDGE;
      });
}
