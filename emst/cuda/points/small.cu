// Few points: all of Borůvka's rounds in one cooperative launch, by comparing all pairs.
//
// Where points are few the launches of the loop take longer than the comparisons. Each round gives every component the
// same edge, the first in the total order, so the forest is the loop's, slot by slot: runs of equal points are joined
// first (duplicates.cu), then components are contracted by the rule of contract.cuh.
//
// Under mutual reachability (MRD) the second key of the total order is the distance; otherwise it is the weight.
#include "merge.cuh"
#include "distances/point_rows.cuh"
#include "runtime/grid.cuh"

constexpr int SMALL_THREADS = EMST_BLOCK, MOST_ROUNDS = EMST_SMALL_ROUNDS;

static_assert(1 << MOST_ROUNDS >= EMST_FEW_POINTS, "a round at least halves the components");
static_assert(EMST_FEW_POINTS <= EMST_FEW, "the edges of few points are ranked, as few keys are");

struct State {  // zeros before the launch
  u32 arrived;
  int left[MOST_ROUNDS + 1];  // components before the first round, and after each
};
static_assert(sizeof(State) == EMST_SMALL_WORDS * sizeof(int), "small.py allocates it");

// The rows of the points. FIXED is the number of dimensions, or 0 for any number.
template <class T, int FIXED, int METRIC>
struct Points {
  const T *rows;
  int dimensions, stride;
  Norm<METRIC> norm;

  __device__ auto operator[](i64 i) const {
    if constexpr (FIXED == 0)
      return rows + i * stride;
    else
      return load<T, FIXED>(rows, i);
  }
  template <class Point>
  __device__ Bits<T> core(const Point &x) const {
    if constexpr (FIXED == 0)
      return bits_of(x[stride - 1]);
    else
      return bits_of(x.tag);
  }
  template <class Point>
  __device__ Bits<T> power(const Point &x, const Point &y) const {
    if constexpr (FIXED == 0)
      return power_between(norm, x, y, dimensions);
    else
      return power_between(norm, x, y);
  }
  __device__ bool equals_last(i64 i) const { return i > 0 && repeated(rows, dimensions, stride, i, i - 1); }
};

// What the rounds keep, in six words a point; `nearest`, `weight` and `distance` are the cached neighbour of each
// point.
template <class T>
struct Kept {
  Bits<T> *weight, *distance;
  Bits<T> *best, *best_distance;  // by root: of the component's lightest edge
  u64 *edge;                      // that edge, packed as in merge.cu
  int *nearest, *parent;
  __device__ Kept(u64 *room, i64 n) {
    Bits<T> *const numbers = reinterpret_cast<Bits<T> *>(room);
    weight = numbers;
    distance = numbers + n;
    best = numbers + 2 * n;
    best_distance = numbers + 3 * n;
    edge = room + 4 * n;
    nearest = reinterpret_cast<int *>(room + 5 * n);
    parent = nearest + n;
  }
};

// The first point of the run of equal points on the curve that i lies in, by a warp.
template <class Rows>
__device__ i64 head_of_run(const Rows &points, i64 i) {
  while (true) {
    const u32 starts = __ballot_sync(FULL, i <= lane_id() || !points.equals_last(i - lane_id()));
    if (starts) return i - (__ffs(starts) - 1);
    i -= 32;
  }
}

// The nearest point of another component, the first in the total order, by a warp. Of edges of one point that are
// equally heavy and long, the one to the smaller id comes first.
template <bool MRD, class T, class Rows>
__device__ int nearest_outside(const Rows &points, i64 n, i64 i, const int *labels, Bits<T> &weight,
                               Bits<T> &distance) {
  const auto x = points[i];
  const int label = labels[i];
  Bits<T> w = INFINITE<T>, d = INFINITE<T>;
  int found = 0x7fffffff;
#pragma unroll 2
  for (i64 j = lane_id(); j < n; j += 32) {
    const auto y = points[j];
    const Bits<T> further = points.power(x, y);
    const Bits<T> heavier = MRD ? maximum(further, maximum(points.core(x), points.core(y))) : further;
    if (labels[j] != label && (heavier < w || (MRD && heavier == w && further < d))) {
      w = heavier;
      d = further;
      found = (int)j;
    }
  }
  weight = warp_min(w);
  distance = warp_min(w == weight ? d : INFINITE<T>);
  found = warp_min(w == weight && d == distance ? found : 0x7fffffff);
  return weight < INFINITE<T> ? found : NONE;
}

// One round; false if the chain of a component has no root.
template <bool MRD, class T, class Rows>
__device__ bool join_round(const Grid &grid, const Rows &points, i64 n, const Kept<T> &kept, int *labels, u64 *ends,
                           Bits<T> *weight, int *left) {
  const i64 first = grid.first(), step = grid.step();
  for (i64 i = first / 32; i < n; i += step / 32) {
    const int label = labels[i], cached = kept.nearest[i];
    Bits<T> w = kept.weight[i], d;
    if (cached == NONE || labels[cached] == label) {
      const int found = nearest_outside<MRD, T>(points, n, i, labels, w, d);
      if (lane_id() == 0) {
        kept.nearest[i] = found;
        kept.weight[i] = w;
        kept.distance[i] = d;
      }
    }
    if (lane_id() != 0) continue;
    lower(kept.best + label, w);
    kept.best_distance[i] = INFINITE<T>;
    kept.edge[i] = NO_EDGE;
  }
  grid.sync();
  if constexpr (MRD) {
    for (i64 i = first; i < n; i += step)
      if (kept.weight[i] == kept.best[labels[i]]) lower(kept.best_distance + labels[i], kept.distance[i]);
    grid.sync();
  }
  for (i64 i = first; i < n; i += step) {
    const int label = labels[i], other = kept.nearest[i];
    if (other == NONE || kept.weight[i] != kept.best[label]) continue;
    if (MRD && kept.distance[i] != kept.best_distance[label]) continue;
    const u64 e = packed_edge((int)i, other);
    if (e < kept.edge[label]) atomicMin(kept.edge + label, e);
  }
  grid.sync();
  u64 roots = 0;
  for (i64 i = first; i < n; i += step) {
    if (labels[i] != i) continue;
    int above;
    hooks_onto((int)i, kept.edge, labels, above);
    kept.parent[i] = above;
    if (above == i) {
      roots++;
    } else {
      ends[i] = kept.edge[i];
      weight[i] = kept.best[i];
    }
    kept.best[i] = INFINITE<T>;
  }
  roots = block_sum<SMALL_THREADS>(roots);
  if (threadIdx.x == 0 && roots) atomicAdd(left, (int)roots);
  grid.sync();
  bool arrived = true;
  for (i64 i = first; i < n; i += step) {
    int at = labels[i];
    i64 hops = 0;
    while (!climb(kept.parent, at, kept.parent[at]) && hops < n) hops += HOPS;
    arrived = arrived && hops < n;
    labels[i] = at;
  }
  grid.sync();
  return arrived;
}

// `told` is for the host: see taken.py.
template <class T, int FIXED, int METRIC, bool MRD>
__global__ void __launch_bounds__(SMALL_THREADS)
    join_all(const T *rows, i64 n, int dimensions, int stride, const Norm<METRIC> norm, u64 *room, int *labels,
             u64 *ends, Bits<T> *weight, State *state, int *told) {
  const Grid grid = {&state->arrived, (int)blockIdx.x, (int)gridDim.x};
  const Points<T, FIXED, METRIC> points = {rows, dimensions, stride, norm};
  const Kept<T> kept(room, n);
  for (i64 i = grid.first() / 32; i < n; i += grid.step() / 32) {
    const i64 head = head_of_run(points, i);
    if (lane_id() != 0) continue;
    labels[i] = (int)head;
    ends[i] = head == i ? NO_EDGE : packed_edge((int)head, (int)i);
    weight[i] = MRD ? points.core(points[i]) : 0;
    kept.nearest[i] = NONE;
    kept.best[i] = INFINITE<T>;
    if (head == i) atomicAdd(state->left, 1);
  }
  grid.sync();
  const auto left = [&](int round) { return *(volatile int *)(state->left + round); };
  for (int round = 1; round <= MOST_ROUNDS && left(round - 1) > 1; round++)
    if (!join_round<MRD, T>(grid, points, n, kept, labels, ends, weight, state->left + round)) told[0] = 1;
  if (grid.first() <= MOST_ROUNDS) told[1 + grid.first()] = left((int)grid.first());
}
