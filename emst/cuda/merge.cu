// Contracting the lightest edges of all components of a `Forest`. The rule is in contract.cuh.
//
// In each round merge.py launches hook, list_roots and relabel. There is no relabel if the kernel that begins the next
// round relabels (cached.cu). If the parent of a component is not a root yet, merge.py launches double_hops, and then
// repeats what comes after hook.
//
// If `kept` is not null, this is the first round over points, and it is kept for the dendrogram (first_round.cuh). Runs
// of equal points do not hook in it. Other components may hook onto them, and they hook in the next round.
//
// An edge is packed as (smaller end << 32 | larger end); all ones is no edge.
//
// status has two numbers: whether a component has not arrived at its root, and how many components have hooked in all
// rounds. Every component that hooks is one component less. The numbers differ if edges do not follow one total order
// and close a cycle, or if an edge lies within a component. `told` lies in memory of the host, and is zero at first. It
// gets the number of roots that are left, and then the status.
#include "runtime/compact.cuh"
#include "runtime/told.cuh"
#include "first_round.cuh"
#include "merge.cuh"

template <class T>
__global__ void hook(const int *components, i64 count, const int *labels, const Bits<T> *best, const u64 *edge,
                     int *parent, u64 *ends, Bits<T> *weight, int *status, Hooks *kept, i64 n, const T *rows,
                     int dimensions, int stride) {
  i64 k = thread_id();
  if (k == 0) status[0] = 0;
  bool hooks = false, mutual = false, held = false;
  int c = 0;
  if (k < count) {
    c = components[k];
    const int other = beyond(c, edge, labels, mutual);
    mutual = mutual && !(kept && is_run(labels, n, other));
    hooks = edge[c] != NO_EDGE && !stays_root(c, other, [&] { return mutual; });
    held = kept && edge[c] == NO_EDGE;
    if (kept && is_run(labels, n, c)) {
      hooks = false;
      const i64 before = (i64)(edge[c] >> 32);
      if (held || (before < c && are_equal(rows, before, c, dimensions, stride))) forget_choice(c, kept);
    }
    const int above = hooks ? other : c;
    parent[c] = above;
    if (hooks) {
      ends[c] = edge[c];
      weight[c] = best[c];
    }
  }
  if (kept) keep_hooks(c, hooks, mutual, held, kept);
  const int here = __syncthreads_count(hooks);
  if (threadIdx.x == 0 && here) atomicAdd(status + 1, here);
}

// Labels become roots, if the parents of all components are roots.
__global__ void relabel(const int *parent, const int *status, i64 n, int *labels) {
  if (status[0]) return;
  int old[EACH], root[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) old[j] = point_of_thread(j) < n ? labels[point_of_thread(j)] : NONE;
#pragma unroll
  for (int j = 0; j < EACH; j++) root[j] = old[j] == NONE ? NONE : parent[old[j]];
#pragma unroll
  for (int j = 0; j < EACH; j++)
    if (root[j] != old[j]) labels[point_of_thread(j)] = root[j];
}

// For chains longer than HOPS. Every value read is an ancestor, whether or not it was written in this pass.
__global__ void double_hops(const int *components, i64 count, int *parent, int *status) {
  i64 k = thread_id();
  if (k == 0) status[0] = 0;
  if (k >= count) return;
  int c = components[k];
  parent[c] = parent[parent[c]];
}

// The next list of components, each without an edge. The parents of the others become roots; status[0] is set if one
// of them is none after HOPS hops. A thread goes up from all its components together, so that the waits overlap.
template <class T>
__global__ void __launch_bounds__(COMPACT_THREADS, 3)
    list_roots(const int *components, i64 count, int *parent, int *roots, Bits<T> *best, u64 *edge, int *status,
               int *told, u64 *tiles, u32 epoch) {
  const int tile = lookback::take_tile(tiles);
  if (tile == 0 && threadIdx.x == 0) told[2] = status[1];
  int component[COMPACT_ITEMS], above[COMPACT_ITEMS];
#pragma unroll
  for (int j = 0; j < COMPACT_ITEMS; j++) component[j] = components[minimum(compact_index(tile, j), count - 1)];
#pragma unroll
  for (int j = 0; j < COMPACT_ITEMS; j++) above[j] = component[j];
  bool climbs = true;
#pragma unroll 1
  for (int hop = 0; climbs && hop < HOPS; hop++) {
    climbs = false;
#pragma unroll
    for (int j = 0; j < COMPACT_ITEMS; j++) {
      const int next = parent[above[j]];
      climbs |= next != above[j];
      above[j] = next;
    }
  }
  if (climbs) tell_once(status, told + 1, 1);
#pragma unroll
  for (int j = 0; j < COMPACT_ITEMS; j++)
    if (above[j] != component[j]) parent[component[j]] = above[j];
  compact_tile(
      tile, count, tiles, epoch, told, [&](int j, i64) { return above[j] == component[j]; },
      [&](i64 k, bool kept, u32 rank) {
        if (!kept) return;
        const int c = components[k];
        roots[rank] = c;
        best[c] = INFINITE<T>;
        edge[c] = NO_EDGE;
      });
}
