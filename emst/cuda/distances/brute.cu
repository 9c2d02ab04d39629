// Comparing all pairs of points, tile by tile: exact, and faster than the hierarchy in many dimensions.
//
// Points are rows of d coordinates and a tag (the core distance). Without centres no tile is left out. The loops over
// tiles and points are those of `Comparison` (tiles.cuh).
//
// brute.py launches centre_tiles (`centres_of`); brute_lists (`list_neighbours`); brute_last_of_list, or for high ranks
// brute_kth_distances (`kth_distances`); brute_nearest, then brute_nearest_of_splits (`nearest_outside`).
// points/queries.py launches brute_within and brute_across.
#include "distances/selection.cuh"
#include "distances/sorted_row.cuh"
#include "distances/tiles.cuh"
#include "runtime/order.cuh"

// Centres of tiles, rows of d coordinates and the radius. A warp a tile.
template <class T>
__global__ void centre_tiles(const T *points, i64 n, int d, T *centres) {
  const i64 tile = thread_id() / 32, first = tile * TILE, stride = d + 1;
  if (first >= n) return;
  T *centre = centres + tile * stride;
  const int here = (int)minimum((i64)TILE, n - first);
  for (int j = lane_id(); j < d; j += 32) {
    T sum = T(0);
    for (int c = 0; c < here; c++) sum = add(sum, points[(first + c) * stride + j]);
    centre[j] = sum / here;
  }
  __syncwarp();
  const Bits<T> far = (int)lane_id() < here
                          ? power_between(Norm<EUCLIDEAN>(), points + (first + lane_id()) * stride, centre, d)
                          : Bits<T>(0);
  const T radius = root(value_of(warp_max(far)));
  if (lane_id() == 0) centre[d] = radius;
}

// Into how many parts the points are split, so that `blocks` are busy even with few queries.
constexpr int MAX_SPLITS = EMST_BRUTE_SPLITS;
__device__ inline int splits_for(i64 queries, int blocks) {
  i64 groups = (queries + QUERIES - 1) / QUERIES;
  return (int)maximum(minimum((i64)MAX_SPLITS, blocks / groups), i64(1));
}

// The first of the points that have been offered, in the order of (weight, power of the distance, id): they are offered
// in ascending order, so of two that tie the first one stays.
template <class T>
struct First {
  Bits<T> weight, distance;
  int id;

  __device__ void offer(Bits<T> w, Bits<T> e, i64 i) {
    if (w > weight || (w == weight && e >= distance)) return;
    weight = w;
    distance = e;
    id = (int)i;
  }
};

// The nearest point of another component of every listed query, among the points of one split.
template <class T, int METRIC>
__global__ void __launch_bounds__(QUERIES)
    brute_nearest(const T *points, const T *centres, const int *labels, i64 n, int d, const Norm<METRIC> norm,
                  const int *worklist, const int *count, int blocks, int mrd, const Bits<T> *best, int *found_by_split,
                  Bits<T> *weight_by_split, Bits<T> *distance_by_split) {
  const i64 queries = worklist ? count[0] : n;
  const int splits = splits_for(queries, blocks);
  if ((i64)blockIdx.x * QUERIES >= queries || blockIdx.y >= splits) return;
  const Comparison<T, METRIC> all(norm, points, queries, points, n, d, worklist);
  const int label = labels[all.query];
  const Bits<T> core = mrd ? all.core(all.query) : 0;
  First<T> nearest = {best[label], INFINITE<T>, NONE};
  for (i64 group = blockIdx.y; group < all.groups(); group += splits)
    all.each_near_tile(centres, group, nearest.weight, [&](const Tile<T> &tile) {
      tile.each([&](i64 i, Bits<T> e) {
        const Bits<T> w = mrd ? maximum(e, maximum(core, all.core(i))) : e;
        if (w <= nearest.weight && labels[i] != label) nearest.offer(w, e, i);
      });
    });
  if (!all.on) return;
  const i64 out = blockIdx.y * queries + all.place;
  found_by_split[out] = nearest.id;
  weight_by_split[out] = nearest.weight;
  distance_by_split[out] = nearest.distance;
}

// The nearest of these of all splits.
template <class T>
__global__ void brute_nearest_of_splits(const int *labels, i64 n, const int *worklist, const int *count, int blocks,
                                        const int *found_by_split, const Bits<T> *weight_by_split,
                                        const Bits<T> *distance_by_split, int *nearest, Bits<T> *bound, Bits<T> *second,
                                        Bits<T> *best) {
  const i64 a = thread_id(), queries = worklist ? count[0] : n;
  if (a >= queries) return;
  const int splits = splits_for(queries, blocks);
  Neighbour<T> first = nobody<T>();
  for (int s = 0; s < splits; s++) {
    const i64 in = s * queries + a;
    const Neighbour<T> of_split = {weight_by_split[in], distance_by_split[in], found_by_split[in]};
    if (of_split.id != NONE && of_split.before(first)) first = of_split;
  }
  const bool none = first.id == NONE;
  const i64 u = worklist ? worklist[a] : a;
  nearest[u] = first.id;
  bound[u] = none ? weight_by_split[a] + 1 : first.weight;
  if (second) second[u] = first.distance;
  if (!none) lower(best + labels[u], first.weight);
}

// The K nearest points so far. Of equally near ones the first to come stays in front.
template <class T, int K>
struct NearestList {
  Bits<T> distance[K];
  int id[K];

  __device__ void clear() {
#pragma unroll
    for (int k = 0; k < K; k++) {
      distance[k] = INFINITE<T>;
      id[k] = NONE;
    }
  }
  __device__ void insert(Bits<T> e, int j) {
    bool behind = false;  // entries behind the new one move back by one place
#pragma unroll
    for (int k = 0; k < K; k++) {
      behind |= e < distance[k];
      if (behind) {
        Bits<T> t = distance[k];
        distance[k] = e;
        e = t;
        int s = id[k];
        id[k] = j;
        j = s;
      }
    }
  }
  __device__ Bits<T> last() const { return distance[K - 1]; }
};

// Lists of the K nearest other points and core distances, as nearest_points in knn.cu finds them in the hierarchy. The
// group of tiles that holds the block's queries comes first: the distances found there exclude most other tiles.
template <class T, int METRIC, int K>
__global__ void __launch_bounds__(QUERIES) brute_lists(const T *points, const T *centres, i64 n, int d,
                                                       const Norm<METRIC> norm, int *neighbour, Bits<T> *core) {
  const Comparison<T, METRIC> all(norm, points, n, points, n, d);
  const i64 groups = all.groups(), start = all.place / (TILE * TILE) % groups, u = all.query;
  NearestList<T, K> list;
  list.clear();
  for (i64 g = 0; g < groups; g++)
    all.each_near_tile(centres, (start + g) % groups, list.last(), [&](const Tile<T> &tile) {
      tile.each_fitting([&](i64 i, Bits<T> e) { return i != u && e < list.last(); },
                        [&](i64 i, Bits<T> e) { list.insert(e, (int)i); });
    });
  if (!all.on) return;
  core[u] = list.distance[K - 2];
#pragma unroll
  for (int k = 0; k < K; k++) neighbour[(i64)k * n + u] = list.id[k];
}

// The distance of every query to its nearest point of the given rank, which is at most K. If the queries are the
// points, a point is not its own neighbour. `radius`, if not null, is 0 where the nearest point is at distance 0, else
// infinite.
template <class T, int METRIC, int K>
__global__ void __launch_bounds__(QUERIES)
    brute_last_of_list(const T *queries, i64 count, const T *points, i64 n, int d, const Norm<METRIC> norm, int rank,
                       Bits<T> *core, Bits<T> *radius) {
  const Comparison<T, METRIC> all(norm, queries, count, points, n, d);
  const i64 itself = queries == points ? all.query : NONE;
  NearestList<T, K> list;
  list.clear();
  all.each_tile(0, all.tiles(), [&](const Tile<T> &tile) {
    tile.each_fitting([&](i64 i, Bits<T> e) { return i != itself && e < list.last(); },
                      [&](i64 i, Bits<T> e) { list.insert(e, (int)i); });
  });
  if (!all.on) return;
#pragma unroll
  for (int k = 0; k < K; k++)
    if (k == rank - 1) core[all.query] = list.distance[k];
  if (radius) radius[all.query] = list.distance[0] == 0 ? 0 : INFINITE<T>;
}

// The distance of the given rank among the distances of every query; see selection.cuh. If the queries are the points,
// each is its own first neighbour. The first bound is the greatest distance to `rank` points or more. Any points would
// do; those at the query's place are near if queries and points are in curve order.
template <class T, int METRIC>
__global__ void __launch_bounds__(QUERIES)
    brute_kth_distances(const T *queries, i64 count, const T *points, const T *centres, i64 n, int d,
                        const Norm<METRIC> norm, int rank, Bits<T> *core, Bits<T> *radius) {
  __shared__ u32 words[Selection<T>::BINS * QUERIES];
  const Comparison<T, METRIC> all(norm, queries, count, points, n, d);
  const i64 compared = minimum((rank + TILE - 1) / TILE + i64(1), all.tiles());
  const i64 start = minimum((i64)blockIdx.x * (QUERIES / TILE), all.tiles() - compared);
  Bits<T> most = 0;
  all.each_tile(start, start + compared,
                [&](const Tile<T> &tile) { tile.each([&](i64, Bits<T> e) { most = maximum(most, e); }); });
  Selection<T> selection;
  selection.words = words + threadIdx.x;
  selection.step = QUERIES;
  selection.start(most, rank);
  Bits<T> nearest = selection.high;
  while (__syncthreads_or(!selection.done())) {
    selection.begin_pass();
    for (i64 group = 0; group < all.groups(); group++)
      all.each_near_tile(centres, group, maximum(selection.limit, Bits<T>(0)),
                         [&](const Tile<T> &tile) { tile.each([&](i64, Bits<T> e) { selection.offer(e); }); });
    if (!selection.stores) nearest = minimum(nearest, selection.least);
    selection.end_pass();
  }
  if (!all.on) return;
  core[all.query] = selection.high;
  if (radius) radius[all.query] = nearest == 0 ? 0 : INFINITE<T>;
}

// Distances of every query to its nearest points within its radius, ascending; see queries.cu.
template <class T, int METRIC>
__global__ void __launch_bounds__(QUERIES)
    brute_within(const T *queries, i64 count, const T *points, i64 n, int d, const Norm<METRIC> norm,
                 const Bits<T> *radius, int wanted, Bits<T> *distance) {
  const Comparison<T, METRIC> all(norm, queries, count, points, n, d);
  SortedRow<T> list;
  list.start(distance + all.query * wanted, wanted, all.on ? bound_of<T>(radius[all.query]) : 0);
  all.each_tile(0, all.tiles(), [&](const Tile<T> &tile) {
    tile.each_fitting([&](i64, Bits<T> e) { return e < list.limit; }, [&](i64, Bits<T> e) { list.offer(e); });
  });
  if (all.on) list.fill();
}

// The first point in the order of (weight, power of the distance, id) within the radius of every query; with labels, of
// another component. `query_label` holds the labels of the queries. See queries.cu.
template <class T, int METRIC>
__global__ void __launch_bounds__(QUERIES)
    brute_across(const T *queries, i64 count, const T *points, const int *labels, i64 n, int d, const Norm<METRIC> norm,
                 const int *query_label, const Bits<T> *core, const Bits<T> *radius, int *id, Bits<T> *weight,
                 Bits<T> *distance) {
  const Comparison<T, METRIC> all(norm, queries, count, points, n, d);
  const i64 u = all.query;
  const int label = labels ? query_label[u] : NONE;
  const Bits<T> core_of_query = core ? core[u] : 0;
  First<T> nearest = {minimum(radius[u], INFINITE<T> - 1), INFINITE<T>, NONE};
  const bool cores = core && nearest.weight != 0;
  all.each_tile(0, all.tiles(), [&](const Tile<T> &tile) {
    tile.each([&](i64 i, Bits<T> e) {
      const Bits<T> w = cores ? maximum(e, maximum(core_of_query, all.core(i))) : e;
      if (w <= nearest.weight && !(labels && labels[i] == label)) nearest.offer(w, e, i);
    });
  });
  if (!all.on) return;
  id[u] = nearest.id;
  weight[u] = nearest.id == NONE ? INFINITE<T> : nearest.weight;
  distance[u] = nearest.distance;
}
