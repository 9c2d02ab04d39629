// The distance of a rank among each thread's own distances, in passes as kth.cuh makes them, for a test.
#include "distances/selection.cuh"

constexpr int QUERIES = 32, OFFERED = 16;  // of a block; before a limit may shrink

// Query q has the distances from starts[q] to starts[q + 1], of which at least ranks[q] are at most farthest[q]. Every
// pass meets them in another order.
template <class T>
__global__ void select_ranks(const T *distances, const i64 *starts, const i64 *ranks, const T *farthest, i64 queries,
                             i64 stops, i64 most, T *found, i64 *passes) {
  __shared__ u32 words[Selection<T>::BINS * QUERIES];
  const i64 q = thread_id();
  if (q >= queries) return;
  const i64 first = starts[q], count = starts[q + 1] - first;
  Selection<T> selection;
  selection.words = words + threadIdx.x;
  selection.step = QUERIES;
  selection.start(bits_of(farthest[q]), (int)ranks[q]);
  i64 pass = 0;
  while (!selection.done() && pass < most) {
    selection.begin_pass();
    for (i64 i = 0; i < count; i++) {
      selection.offer(bits_of(distances[first + (i + pass * (count / 3)) % count]));
      if (i % OFFERED != OFFERED - 1) continue;
      selection.shrink();
      if (stops) selection.stop();
    }
    selection.end_pass();
    pass++;
  }
  found[q] = value_of(selection.high);
  passes[q] = pass;
}
