// Core distances: the distance to the k-th nearest point, the point itself included, by the packet walk.
//
// A list holds one entry more than the core distance needs: ties with its last entry may be missing, so an answer taken
// from the list is exact only if it is strictly nearer than that entry.
#include "nearest.cuh"

// neighbour[k * n + i] is the k-th entry of point i's list; core is the entry before the last.
template <class T, int D, int K>
__global__ void __launch_bounds__(32 * WARPS)
    nearest_points(const T *__restrict__ points, i64 n, const Hierarchy h, const T *__restrict__ nodes, int *neighbour,
                   Bits<T> *core) {
  __shared__ u64 stacks[WARPS][STACK];
  i64 packet = thread_id() / 32, u = thread_id();
  if (packet * 32 >= n) return;
  NearestPoints<T, D, K, false> ask;
  ask.points = points;
  ask.on = u < n;
  u = minimum(u, n - 1);
  ask.own = (u32)u;
  ask.x = load<T, D>(points, u);
  list_nearest(ask, h, nodes, packet * (32 / LEAF) - 2, stacks[threadIdx.x / 32]);
  if (!ask.on) return;
  core[u] = ask.distance[K - 2];
#pragma unroll
  for (int k = 0; k < K; k++) neighbour[(i64)k * n + u] = ask.distance[k] < INFINITE<T> ? (int)ask.id[k] : NONE;
}

// One more page of K neighbours, after the last of the page before: (core, last) hold its distance and id, and become
// the `rank`-th entry of this page. On the first page last is NONE.
template <class T, int D, int K>
__global__ void __launch_bounds__(32 * WARPS)
    next_page(const T *__restrict__ points, i64 n, const Hierarchy h, const T *__restrict__ nodes, int rank, int *last,
              Bits<T> *core) {
  __shared__ u64 stacks[WARPS][STACK];
  i64 packet = thread_id() / 32, u = thread_id();
  if (packet * 32 >= n) return;
  NearestPoints<T, D, K, true> ask;
  ask.points = points;
  ask.on = u < n;
  u = minimum(u, n - 1);
  ask.own = (u32)u;
  ask.x = load<T, D>(points, u);
  ask.after_distance = last[u] == NONE ? Bits<T>(-1) : core[u];
  ask.after_id = (u32)last[u];
  list_nearest(ask, h, nodes, packet * (32 / LEAF) - 2, stacks[threadIdx.x / 32]);
  if (!ask.on) return;
#pragma unroll
  for (int k = 0; k < K; k++)
    if (k == rank) {
      core[u] = ask.distance[k];
      last[u] = (int)ask.id[k];
    }
}

// First answers under mutual reachability, from the lists: the nearest listed foreign point whose core distance does
// not exceed the point's own is the answer; otherwise the best listed one is an upper bound, and the core distance a
// lower.
template <class T, int D>
__global__ void first_answers(const T *points, i64 n, i64 listed, const int *neighbour, const int *labels, int *nearest,
                              Bits<T> *bound, Bits<T> *second, Bits<T> *best) {
  i64 i = thread_id();
  if (i >= n) return;
  const Row<T, D> x = load<T, D>(points, i);
  const Bits<T> core = bits_of(x.tag);
  const int label = labels[i];
  int found = NONE;
  Bits<T> weight = INFINITE<T>, distance = INFINITE<T>, last = INFINITE<T>;
  for (int k = 0; k < listed; k++) {
    int j = neighbour[(i64)k * n + i];
    if (j == NONE) {  // fewer points than entries: nothing is missing from the list
      last = INFINITE<T>;
      break;
    }
    Row<T, D> y = load<T, D>(points, j);
    Bits<T> d = dist2(x, y), w = maximum(maximum(core, bits_of(y.tag)), d);
    last = d;
    if (labels[j] == label) continue;
    if (w < weight || (w == weight && (d < distance || (d == distance && j < found)))) {
      weight = w;
      distance = d;
      found = j;
    }
  }
  bool exact = found != NONE && weight == core && distance < last;
  nearest[i] = exact ? found : NONE;
  second[i] = distance;
  bound[i] = repeated(points, D, STRIDE<D>, i, label) ? INFINITE<T> : core;  // of repeated points only the first asks
  if (found != NONE) lower(best + label, weight);
}
