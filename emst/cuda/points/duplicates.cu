// Equal neighbours on the curve are one component from the start. Every point of such a run gets an edge to the first,
// its head, of the least weight that its edges can have: 0, or the core distance that equal points have in common.
// Heads are found by a compaction, so a long run costs no more than as many other points.
#include "first_round.cuh"
#include "runtime/compact.cuh"
#include "runtime/order.cuh"
#include "points/bvh.cuh"

// Lists the heads; labels[i] becomes the rank of the head of i's run.
template <class T>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_heads(const T *rows, i64 n, int dimensions, int stride, int *heads, int *labels, int *total, u64 *tiles,
               u32 epoch) {
  compact(
      n, tiles, epoch, total, [&](int, i64 i) { return !follows(rows, i, dimensions, stride); },
      [&](i64 i, bool kept, u32 rank) {
        if (kept) heads[rank] = (int)i;
        labels[i] = (int)rank - !kept;
      });
}

// Joins every point to the head of its run. If there is an array for it, `kept` becomes how the points have hooked
// (first_round.cuh). The search reads the labels of whole leaves: those past the last point are NONE. No component has
// an edge yet.
template <class T>
__global__ void join_to_heads(const int *heads, i64 n, const Bits<T> *core, int *labels, u64 *edge, u64 *ends,
                              Bits<T> *weight, Bits<T> *best, Hooks *kept, int *parent) {
  const i64 i = thread_id();
  const int head = i < n ? heads[labels[i]] : NONE;
  const bool joins = i < n && head != (int)i;
  if (kept) {
    const Hooks here = {__ballot_sync(FULL, joins), __ballot_sync(FULL, joins && head == (int)i - 1), 0};
    if (lane_id() == 0 && i < n) kept[i / 32] = here;
    if (joins) parent[i] = head;
  }
  if (i >= n) {
    if (i < (n + LEAF - 1) / LEAF * LEAF) labels[i] = NONE;
    return;
  }
  labels[i] = head;
  ends[i] = joins ? packed_edge(head, (int)i) : NO_EDGE;
  if (joins) weight[i] = core ? core[i] : 0;
  best[i] = INFINITE<T>;
  edge[i] = NO_EDGE;
}
