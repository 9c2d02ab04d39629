// Comparing all pairs of points, tile by tile: exact, and faster than the hierarchy in many dimensions.
//
// Points are rows of d coordinates and a tag (the core distance). Without centres no tile is left out.
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

// The nearest point of another component of every listed query, among the points of one split.
template <class T, int METRIC>
__global__ void __launch_bounds__(QUERIES)
    brute_nearest(const T *points, const T *centres, const int *labels, i64 n, int d, const Norm<METRIC> norm,
                  const int *worklist, const int *count, int blocks, int mrd, const Bits<T> *best, int *found_by_split,
                  Bits<T> *weight_by_split, Bits<T> *distance_by_split) {
  const i64 queries = worklist ? count[0] : n;
  const int splits = splits_for(queries, blocks);
  if ((i64)blockIdx.x * QUERIES >= queries || blockIdx.y >= splits) return;
  const i64 a = (i64)blockIdx.x * QUERIES + threadIdx.x;
  i64 u = minimum(a, queries - 1);
  if (worklist) u = worklist[u];
  const int label = labels[u];
  const Bits<T> core = mrd ? bits_of(points[u * (d + 1) + d]) : 0;
  Bits<T> weight = best[label], distance = INFINITE<T>;
  int found = NONE;
  const i64 tiles = (n + TILE - 1) / TILE;
  for (i64 group = blockIdx.y; group * TILE < tiles; group += splits) {
    u32 left = near_tiles(norm, points, u, centres, tiles, d, group, weight);
    for (; left; left &= left - 1) {
      const i64 first = (group * TILE + __ffs(left) - 1) * TILE;
      T acc[TILE];
      tile_powers(norm, points, u, points, n, d, first, acc);
#pragma unroll
      for (int c = 0; c < TILE; c++) {
        i64 i = first + c;
        if (i >= n) continue;
        const Bits<T> e = bits_of(acc[c]);
        const Bits<T> w = mrd ? maximum(e, maximum(core, bits_of(__ldg(points + i * (d + 1) + d)))) : e;
        if (w > weight || labels[i] == label) continue;
        // a split sees its points in ascending order, so at equal weight and distance the first one stays
        if (w < weight || e < distance) {
          weight = w;
          distance = e;
          found = (int)i;
        }
      }
    }
  }
  if (a >= queries) return;
  i64 out = blockIdx.y * queries + a;
  found_by_split[out] = found;
  weight_by_split[out] = weight;
  distance_by_split[out] = distance;
}

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

// use(c, acc[c]) for every point c of a tile that fits, one after the other. They are few, and so what is done with
// them is compiled once, not TILE times.
template <class T, class Use>
__device__ void each_fitting(const T (&acc)[TILE], u32 fits, Use use) {
  while (fits) {
    const int c = __ffs(fits) - 1;
    fits &= fits - 1;
    T picked = acc[0];
#pragma unroll
    for (int other = 1; other < TILE; other++) picked = other == c ? acc[other] : picked;
    use(c, bits_of(picked));
  }
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
  __device__ void offer(const T (&acc)[TILE], u32 fits, int first) {
    each_fitting(acc, fits, [&](int c, Bits<T> e) { insert(e, first + c); });
  }
};

// Lists of the K nearest other points and core distances, as nearest_points in knn.cu finds them in the hierarchy. The
// points around the block's own come first: the distances found there exclude most other tiles.
template <class T, int METRIC, int K>
__global__ void __launch_bounds__(QUERIES) brute_lists(const T *points, const T *centres, i64 n, int d,
                                                       const Norm<METRIC> norm, int *neighbour, Bits<T> *core) {
  const i64 a = (i64)blockIdx.x * QUERIES + threadIdx.x, u = minimum(a, n - 1);
  const i64 tiles = (n + TILE - 1) / TILE, groups = (tiles + TILE - 1) / TILE, own = a / (TILE * TILE) % groups;
  NearestList<T, K> list;
  list.clear();
  for (i64 g = 0; g < groups; g++) {
    const i64 group = (own + g) % groups;
    u32 left = near_tiles(norm, points, u, centres, tiles, d, group, list.distance[K - 1]);
    for (; left; left &= left - 1) {
      const i64 first = (group * TILE + __ffs(left) - 1) * TILE;
      T acc[TILE];
      tile_powers(norm, points, u, points, n, d, first, acc);
      u32 fits = 0;
#pragma unroll
      for (int c = 0; c < TILE; c++)
        fits |= (u32)(first + c < n && first + c != u && bits_of(acc[c]) < list.distance[K - 1]) << c;
      list.offer(acc, fits, (int)first);
    }
  }
  if (a >= n) return;
  core[u] = list.distance[K - 2];
#pragma unroll
  for (int k = 0; k < K; k++) neighbour[(i64)k * n + u] = list.id[k];
}

// The distance of every query to its nearest point of the given rank, which is at most K. If the queries are the
// points, itself is not counted. `radius`, if not null, is 0 where the nearest point is at distance 0, else infinite.
template <class T, int METRIC, int K>
__global__ void __launch_bounds__(QUERIES)
    brute_last_of_list(const T *queries, i64 count, const T *points, i64 n, int d, const Norm<METRIC> norm, int rank,
                       Bits<T> *core, Bits<T> *radius) {
  const i64 a = (i64)blockIdx.x * QUERIES + threadIdx.x, u = minimum(a, count - 1);
  const i64 own = queries == points ? u : NONE;
  NearestList<T, K> list;
  list.clear();
  for (i64 first = 0; first < n; first += TILE) {
    T acc[TILE];
    tile_powers(norm, queries, u, points, n, d, first, acc);
    u32 fits = 0;
#pragma unroll
    for (int c = 0; c < TILE; c++) {
      const i64 i = first + c;
      fits |= (u32)(i < n && i != own && bits_of(acc[c]) < list.distance[K - 1]) << c;
    }
    list.offer(acc, fits, (int)first);
  }
  if (a >= count) return;
#pragma unroll
  for (int k = 0; k < K; k++)
    if (k == rank - 1) core[u] = list.distance[k];
  if (radius) radius[u] = list.distance[0] == 0 ? 0 : INFINITE<T>;
}

// The distance of the given rank among the distances of every query; see selection.cuh. If the queries are the points,
// each is its own first. Any `rank` points give a bound; those at the query's place are near if both are in curve
// order.
template <class T, int METRIC>
__global__ void __launch_bounds__(QUERIES)
    brute_kth_distances(const T *queries, i64 count, const T *points, const T *centres, i64 n, int d,
                        const Norm<METRIC> norm, int rank, Bits<T> *core, Bits<T> *radius) {
  __shared__ u32 words[Selection<T>::BINS * QUERIES];
  const i64 a = (i64)blockIdx.x * QUERIES + threadIdx.x, u = minimum(a, count - 1);
  const i64 tiles = (n + TILE - 1) / TILE, some = minimum((rank + TILE - 1) / TILE + i64(1), tiles);
  const i64 start = minimum((i64)blockIdx.x * (QUERIES / TILE), tiles - some);
  Bits<T> most = 0;
  for (i64 first = start * TILE; first < (start + some) * TILE; first += TILE) {
    T acc[TILE];
    tile_powers(norm, queries, u, points, n, d, first, acc);
#pragma unroll
    for (int c = 0; c < TILE; c++) most = first + c < n ? maximum(most, bits_of(acc[c])) : most;
  }
  Selection<T> selection;
  selection.words = words + threadIdx.x;
  selection.step = QUERIES;
  selection.start(most, rank);
  Bits<T> nearest = selection.high;
  while (__syncthreads_or(!selection.done())) {
    selection.begin_pass();
    for (i64 group = 0; group * TILE < tiles; group++) {
      u32 left = near_tiles(norm, queries, u, centres, tiles, d, group, maximum(selection.limit, Bits<T>(0)));
      for (; left; left &= left - 1) {
        const i64 first = (group * TILE + __ffs(left) - 1) * TILE;
        T acc[TILE];
        tile_powers(norm, queries, u, points, n, d, first, acc);
#pragma unroll
        for (int c = 0; c < TILE; c++)
          if (first + c < n) selection.offer(bits_of(acc[c]));
      }
    }
    if (!selection.stores) nearest = minimum(nearest, selection.least);
    selection.end_pass();
  }
  if (a >= count) return;
  core[u] = selection.high;
  if (radius) radius[u] = nearest == 0 ? 0 : INFINITE<T>;
}

// Distances of every query to its nearest points within its radius, ascending; see queries.cu.
template <class T, int METRIC>
__global__ void __launch_bounds__(QUERIES)
    brute_within(const T *queries, i64 count, const T *points, i64 n, int d, const Norm<METRIC> norm,
                 const Bits<T> *radius, int wanted, Bits<T> *distance) {
  const i64 a = (i64)blockIdx.x * QUERIES + threadIdx.x, u = minimum(a, count - 1);
  SortedRow<T> list;
  list.start(distance + u * wanted, wanted, a < count ? bound_of<T>(radius[u]) : 0);
  for (i64 first = 0; first < n; first += TILE) {
    T acc[TILE];
    tile_powers(norm, queries, u, points, n, d, first, acc);
    u32 fits = 0;
#pragma unroll
    for (int c = 0; c < TILE; c++) fits |= (u32)(first + c < n && bits_of(acc[c]) < list.limit) << c;
    each_fitting(acc, fits, [&](int, Bits<T> e) { list.offer(e); });
  }
  if (a < count) list.fill();
}

// The first point in the order of (weight, power of the distance, id) within the radius of every query; with labels, of
// another component. See queries.cu.
template <class T, int METRIC>
__global__ void __launch_bounds__(QUERIES)
    brute_across(const T *queries, i64 count, const T *points, const int *labels, i64 n, int d, const Norm<METRIC> norm,
                 const int *own, const Bits<T> *core, const Bits<T> *radius, int *found, Bits<T> *weight,
                 Bits<T> *distance) {
  const i64 a = (i64)blockIdx.x * QUERIES + threadIdx.x, u = minimum(a, count - 1);
  const int label = labels ? own[u] : NONE;
  const Bits<T> own_core = core ? core[u] : 0;
  Bits<T> least = minimum(radius[u], INFINITE<T> - 1), nearest = INFINITE<T>;
  const bool cores = core && least != 0;
  int first_found = NONE;
  for (i64 first = 0; first < n; first += TILE) {
    T acc[TILE];
    tile_powers(norm, queries, u, points, n, d, first, acc);
#pragma unroll
    for (int c = 0; c < TILE; c++) {
      const i64 i = first + c;
      if (i >= n) continue;
      const Bits<T> e = bits_of(acc[c]);
      const Bits<T> w = cores ? maximum(e, maximum(own_core, bits_of(__ldg(points + i * (d + 1) + d)))) : e;
      if (w > least || (labels && labels[i] == label)) continue;
      if (w < least || e < nearest) {  // points come in ascending order
        least = w;
        nearest = e;
        first_found = (int)i;
      }
    }
  }
  if (a >= count) return;
  found[u] = first_found;
  weight[u] = first_found == NONE ? INFINITE<T> : least;
  distance[u] = nearest;
}
