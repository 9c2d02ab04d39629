// Core distances: the distance to the k-th nearest point, the point itself included, by the packet walk.
//
// A list holds one entry more than the core distance needs: ties with its last entry may be missing, so an answer taken
// from the list is exact only if it is strictly nearer than that entry.
#include "nearest.cuh"

// Foreign points that are not listed are no nearer than the last entry. What comes before that under the law is the
// answer; otherwise the best listed one is an upper bound, and the last entry a lower, unless a greater one is known
// (floor). look(j, distance, core) looks at point j.
template <class T, class Look>
__device__ void list_answer(i64 i, i64 n, Bits<T> core, Bits<T> floor, int label, bool rests, i64 listed,
                            const int *neighbour, const int *labels, Look look, int *nearest, Bits<T> *bound,
                            Bits<T> *second, Bits<T> *best) {
  int found = NONE;
  Bits<T> weight = INFINITE<T>, distance = INFINITE<T>, last = INFINITE<T>;
  for (int k = 0; k < listed; k++) {
    int j = neighbour[(i64)k * n + i];
    if (j == NONE) {  // fewer points than entries: nothing is missing from the list
      last = INFINITE<T>;
      break;
    }
    Bits<T> d, theirs;
    look(j, d, theirs);
    const Bits<T> w = maximum(maximum(core, theirs), d);
    last = d;
    if (labels[j] == label) continue;
    if (w < weight || (w == weight && (d < distance || (d == distance && j < found)))) {
      weight = w;
      distance = d;
      found = j;
    }
  }
  const Bits<T> least = maximum(core, last);  // weight of the lightest unlisted edge, at least
  const bool exact = found != NONE && (weight < least || (weight == least && distance < last));
  nearest[i] = exact ? found : NONE;
  second[i] = distance;
  bound[i] = rests ? INFINITE<T> : exact ? weight : maximum(floor, least);
  if (found != NONE) lower(best + label, weight);
}

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

// One more page of neighbours, after the last of the page before: (core, last) hold its distance and id, and become
// the `rank`-th entry of this page. On the first page last is NONE.
template <class T, int D, int PAGE>
__global__ void __launch_bounds__(32 * WARPS)
    next_page(const T *__restrict__ points, i64 n, const Hierarchy h, const T *__restrict__ nodes, int rank, int *last,
              Bits<T> *core) {
  __shared__ u64 stacks[WARPS][STACK];
  i64 packet = thread_id() / 32, u = thread_id();
  if (packet * 32 >= n) return;
  NearestPoints<T, D, PAGE, true> ask;
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
  for (int k = 0; k < PAGE; k++)
    if (k == rank) {
      core[u] = ask.distance[k];
      last[u] = (int)ask.id[k];
    }
}

// Answers under mutual reachability, from the lists: of all points, or (again) of those whose last answer has become
// their own. FIXED dimensions; for 0 as many as are given at run time.
template <class T, int FIXED>
__global__ void list_answers(bool again, const T *points, i64 n, int dimensions, int stride, i64 listed,
                             const int *neighbour, const int *labels, int *nearest, Bits<T> *bound, Bits<T> *second,
                             Bits<T> *best) {
  i64 i = thread_id();
  if (i >= n) return;
  const int label = labels[i];
  if (again && (bound[i] == INFINITE<T> || (nearest[i] != NONE && labels[nearest[i]] != label))) return;
  const Bits<T> floor = again ? bound[i] : 0;
  // of repeated points only the first asks
  const bool rests = repeated(points, dimensions, stride, i, label);
  if constexpr (FIXED == 0) {
    const T *x = points + i * stride;
    list_answer<T>(
        i, n, bits_of(x[stride - 1]), floor, label, rests, listed, neighbour, labels,
        [&](int j, Bits<T> &distance, Bits<T> &core) {
          const T *y = points + (i64)j * stride;
          distance = dist2(x, y, dimensions);
          core = bits_of(y[stride - 1]);
        },
        nearest, bound, second, best);
  } else {
    const Row<T, FIXED> x = load<T, FIXED>(points, i);
    list_answer<T>(
        i, n, bits_of(x.tag), floor, label, rests, listed, neighbour, labels,
        [&](int j, Bits<T> &distance, Bits<T> &core) {
          const Row<T, FIXED> y = load<T, FIXED>(points, j);
          distance = dist2(x, y);
          core = bits_of(y.tag);
        },
        nearest, bound, second, best);
  }
}
