// Cached nearest neighbours of another component, and the upper bounds that follow from them.
//
// The cache is started once, by cache_from_lists if there are lists, otherwise by start_cache. As long as lists are
// kept, cache_from_lists is launched before each later search, too, and search.py launches forget_distances. cached.py
// launches begin_round in every round.
#include "points/cached.cuh"

// See cached.cuh. It does nothing if `status` says that some parents are not roots yet: see merge.cu.
template <class T, int FIXED>
__global__ void __launch_bounds__(EMST_BLOCK, 6)
    begin_round(const int *parent, const int *status, int *labels, i64 n, const __grid_constant__ Hierarchy h, T *nodes,
                const T *rows, int dimensions, int stride, const Bits<T> *step, const Bits<T> *second, int *nearest,
                Bits<T> *bound, Bits<T> *best, int *count) {
  if (thread_id() == 0) count[2] = count[3] = count[4] = 0;  // see search.cu
  if (parent && status[0]) return;
  const Bounds<T> bounds = {rows, dimensions, stride, step, second, nearest, bound, best};
  begin_block<T, FIXED, EMST_BLOCK>(blockIdx.x, parent, labels, n, h, nodes, bounds);
}

// The first step of start_cache and cache_from_lists. It writes `step`, the weight of the edge from a point to the next
// one on the curve. Every round begins with these weights as upper bounds.
template <class T, int METRIC>
__device__ void start(i64 i, const T *rows, i64 n, int dimensions, int stride, const Norm<METRIC> &norm,
                      const Bits<T> *core, Bits<T> *step, int *count) {
  if (i < 5) count[i] = i == 0 ? (int)n : 0;
  if (i + 1 >= n) return;
  const T *x = rows + i * stride;
  const Bits<T> d = power_between(norm, x, x + stride, dimensions);
  step[i] = core ? maximum(d, maximum(core[i], core[i + 1])) : d;
}

// No neighbour is cached yet, and the bound is the core distance, if there are any. Of repeated points only the first
// needs a neighbour.
template <class T, int METRIC>
__global__ void start_cache(const T *rows, i64 n, int dimensions, int stride, const Norm<METRIC> norm,
                            const Bits<T> *core, const int *labels, int *nearest, Bits<T> *bound, Bits<T> *step,
                            int *count) {
  const i64 i = thread_id();
  start(i, rows, n, dimensions, stride, norm, core, step, count);
  if (i >= n) return;
  nearest[i] = NONE;
  bound[i] = repeated(rows, dimensions, stride, i, labels[i]) ? INFINITE<T> : core ? core[i] : 0;
}

// Components that a round begins with have no edge of any distance yet.
template <class T>
__global__ void forget_distances(const int *components, i64 count, Bits<T> *best_distance) {
  const i64 k = thread_id();
  if (k < count) best_distance[components[k]] = INFINITE<T>;
}

// Caches the first point of another component in a list of nearest points. Points that are not listed are no nearer
// than the last entry: a listed point that comes before it in the total order is the nearest neighbour. Otherwise the
// best listed point gives an upper bound of the component, and the last entry a lower bound of this point, unless a
// greater one is known (floor). look(k, j, distance, core) reads point j, the k-th of the list. A point that `repeats`
// another needs no neighbour.
template <class T, class Look>
__device__ void cache_from_list(i64 i, i64 n, Bits<T> core, Bits<T> floor, int label, bool repeats, i64 count,
                                const int *neighbour, const int *labels, Look look, int *nearest, Bits<T> *bound,
                                Bits<T> *second, Bits<T> *best) {
  Neighbour<T> first = nobody<T>();
  Bits<T> last = INFINITE<T>;
  for (int k = 0; k < count; k++) {
    int j = neighbour[(i64)k * n + i];
    if (j == NONE) {  // fewer points than entries: nothing is missing from the list
      last = INFINITE<T>;
      break;
    }
    Bits<T> d, theirs;
    look(k, j, d, theirs);
    const Neighbour<T> listed = {maximum(maximum(core, theirs), d), d, j};
    last = d;
    if (labels[j] != label && listed.before(first)) first = listed;
  }
  const Bits<T> least = maximum(core, last);  // weight of the lightest unlisted edge, at least
  const bool exact = first.id != NONE && (first.weight < least || (first.weight == least && first.distance < last));
  nearest[i] = exact ? first.id : NONE;
  second[i] = first.distance;
  bound[i] = repeats ? INFINITE<T> : exact ? first.weight : maximum(floor, least);
  if (first.id != NONE) lower(best + label, first.weight);
}

// Neighbours under mutual reachability from the lists: of all points, with which the cache starts, or (again) of those
// whose cached neighbour has joined their component. Distances are computed again, or read if `power` holds them. FIXED
// is the number of dimensions, or 0 for any number.
template <class T, int FIXED, int METRIC>
__global__ void cache_from_lists(bool again, const T *points, i64 n, int dimensions, int stride,
                                 const Norm<METRIC> norm, i64 listed, const int *neighbour, const Bits<T> *power,
                                 const int *labels, int *nearest, Bits<T> *bound, Bits<T> *second, Bits<T> *best,
                                 const Bits<T> *core, Bits<T> *step, int *count) {
  i64 i = thread_id();
  if (!again) start(i, points, n, dimensions, stride, norm, core, step, count);
  if (i >= n) return;
  const int label = labels[i];
  if (again && (bound[i] == INFINITE<T> || (nearest[i] != NONE && labels[nearest[i]] != label))) return;
  const Bits<T> floor = again ? bound[i] : 0;
  const bool repeats = repeated(points, dimensions, stride, i, label);
  if constexpr (FIXED == 0) {
    const T *x = points + i * stride;
    cache_from_list<T>(
        i, n, bits_of(x[stride - 1]), floor, label, repeats, listed, neighbour, labels,
        [&](int k, int j, Bits<T> &distance, Bits<T> &core) {
          const T *y = points + (i64)j * stride;
          distance = power ? power[k * n + i] : power_between(norm, x, y, dimensions);
          core = bits_of(y[stride - 1]);
        },
        nearest, bound, second, best);
  } else {
    const Row<T, FIXED> x = load<T, FIXED>(points, i);
    cache_from_list<T>(
        i, n, bits_of(x.tag), floor, label, repeats, listed, neighbour, labels,
        [&](int, int j, Bits<T> &distance, Bits<T> &core) {
          const Row<T, FIXED> y = load<T, FIXED>(points, j);
          distance = power_between(norm, x, y);
          core = bits_of(y.tag);
        },
        nearest, bound, second, best);
  }
}
