// Cached nearest neighbours: what each point knows of its nearest point of another component, and upper bounds.
#include "known.cuh"
#include "distances/point_rows.cuh"

// Answers that are still foreign, and neighbours on the curve.
template <class T>
__global__ void upper_bounds(const int *labels, i64 n, const int *nearest, const Bits<T> *bound, const Bits<T> *step,
                             Bits<T> *best) {
  const Known known(labels, n, nearest);
  int next[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) next[j] = point_of_thread(j) + 1 < n ? labels[point_of_thread(j) + 1] : known.label[j];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    if (known.foreign(j)) lower(best + known.label[j], bound[i]);
    if (i >= n || next[j] == known.label[j]) continue;
    Bits<T> d = step[i];
    lower(best + known.label[j], d);
    lower(best + next[j], d);
  }
}

// Nobody knows anything but its core distance, if there are any; of repeated points only the first will ask.
template <class T>
__global__ void start_cache(const T *rows, int dimensions, int stride, const Bits<T> *core, i64 n, const int *labels,
                            int *nearest, Bits<T> *bound) {
  const i64 i = thread_id();
  if (i >= n) return;
  nearest[i] = NONE;
  bound[i] = repeated(rows, dimensions, stride, i, labels[i]) ? INFINITE<T> : core ? core[i] : 0;
}

// Foreign points that are not listed are no nearer than the last entry. What comes before that under the law is the
// answer; otherwise the best listed one is an upper bound, and the last entry a lower, unless a greater one is known
// (floor). look(j, distance, core) looks at point j.
template <class T, class Look>
__device__ void cache_from_list(i64 i, i64 n, Bits<T> core, Bits<T> floor, int label, bool rests, i64 listed,
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

// Answers under mutual reachability, from the lists: of all points, or (again) of those whose last answer has become
// their own. FIXED dimensions; for 0 as many as are given at run time.
template <class T, int FIXED>
__global__ void cache_from_lists(bool again, const T *points, i64 n, int dimensions, int stride, i64 listed,
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
    cache_from_list<T>(
        i, n, bits_of(x[stride - 1]), floor, label, rests, listed, neighbour, labels,
        [&](int j, Bits<T> &distance, Bits<T> &core) {
          const T *y = points + (i64)j * stride;
          distance = dist2(x, y, dimensions);
          core = bits_of(y[stride - 1]);
        },
        nearest, bound, second, best);
  } else {
    const Row<T, FIXED> x = load<T, FIXED>(points, i);
    cache_from_list<T>(
        i, n, bits_of(x.tag), floor, label, rests, listed, neighbour, labels,
        [&](int j, Bits<T> &distance, Bits<T> &core) {
          const Row<T, FIXED> y = load<T, FIXED>(points, j);
          distance = dist2(x, y);
          core = bits_of(y.tag);
        },
        nearest, bound, second, best);
  }
}
