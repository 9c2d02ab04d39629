// The searches of one round: which points need one, and their nearest points of another component.
//
// Between rounds a point keeps the neighbour that it found last. If that still lies in another component it is still
// the nearest one, since components only grow. Otherwise the weight of the edge to it is a lower bound of the next. A
// search that finds nothing within its radius leaves the next number after the radius as the lower bound. A point needs
// a search only if its lower bound does not exceed the upper bound of its component's lightest edge.
//
// Under mutual reachability (MRD) the second key of the total order is the distance. No edge of a point is
// lighter than its core distance: once that weight is found, the search goes on for nearer points only.
#include "runtime/compact.cuh"
#include "points/walk.cuh"

constexpr int LEAST_PACKET = 4;

template <class T>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_searches(const int *labels, i64 n, const int *nearest, const Bits<T> *bound, const Bits<T> *second,
                  const Bits<T> *best, const T *rows, int dimensions, int stride, int *worklist, int *count, u64 *tiles,
                  u32 epoch) {
  const int tile = lookback::take_tile(tiles);
  if (tile == 0 && threadIdx.x == 0) count[1] = 0;  // packets taken from the list
  int label[COMPACT_ITEMS];
  Bits<T> floor[COMPACT_ITEMS];
  bool lower_bound_fits[COMPACT_ITEMS];
#pragma unroll
  for (int j = 0; j < COMPACT_ITEMS; j++) {
    const i64 i = minimum(compact_index(tile, j), n - 1);
    label[j] = labels[i];
    floor[j] = bound[i];
  }
#pragma unroll
  for (int j = 0; j < COMPACT_ITEMS; j++) lower_bound_fits[j] = floor[j] <= best[label[j]];
  compact_tile(
      tile, n, tiles, epoch, count,
      [&](int j, i64 i) {
        if (!lower_bound_fits[j]) return false;
        const int neighbour = nearest[i];
        if (neighbour == NONE) return true;
        if (labels[neighbour] != label[j]) return false;
        return !((second ? second[i] : floor[j]) == 0 && repeated(rows, dimensions, stride, i, neighbour));
      },
      [&](i64 i, bool kept, u32 rank) {
        if (kept) worklist[rank] = (int)i;
      });
}

// A search (see walk.cuh) for the nearest point with another label.
template <class T, int D, int METRIC, bool MRD>
struct NearestOutside {
  const T *points;
  Norm<METRIC> norm;
  const int *labels;
  Row<T, D> x;
  int label, common;       // own; shared by the whole packet, or one that no node has
  Bits<T> weight;          // of the best edge so far
  Bits<T> radius;          // a point farther than this cannot improve it
  Bits<T> core, distance;  // MRD: own core distance; distance of the best so far
  Bits<T> reach, heaviest;
  u32 found = ~0u;

  __device__ bool may_hold(T low_tag, T high_tag) const {
    return label_of(low_tag) != common && (!MRD || bits_of(high_tag) <= heaviest);
  }
  // An inner node at the distance of the best so far is visited only if it may hold a smaller id: otherwise equal
  // points in one cell of the curve's grid would all visit each other. For leaves this test costs more than it saves.
  __device__ bool wants(int level, u32 first, const Row<T, D> &low, const Row<T, D> &high) const {
    if (label_of(low.tag) == label || (MRD && bits_of(high.tag) > weight)) return false;
    const Bits<T> d = box_power(norm, low, high, x);
    if (level == 0) return d <= radius;
    return d < radius || (d == radius && (!MRD || distance >= radius) && first < found);
  }
  // Points of a leaf come in ascending order, so among equals the first one stays. A tie with the best so far counts if
  // the point's id is smaller, which is the same for all points of a leaf; then the limit is one above.
  __device__ bool scan(int leaf) {
    const u32 i0 = (u32)leaf * LEAF;
    const T *rows = points + (i64)leaf * (LEAF * STRIDE<D>);
    const int4 *four = reinterpret_cast<const int4 *>(labels + (i64)leaf * LEAF);
    const int4 a = __ldg(four), b = __ldg(four + 1);
    const int other[LEAF] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    Bits<T> lightest = weight, limit = (MRD ? distance : radius) + (i0 < found);
    int hit = NONE;
#pragma unroll
    for (int t = 0; t < LEAF; t++) {
      Row<T, D> y = load<T, D>(rows, t);
      Bits<T> d = power_between(norm, x, y);
      if constexpr (MRD) {
        Bits<T> w = maximum(d, maximum(core, bits_of(y.tag)));
        if (other[t] != label && (w < lightest || (w == lightest && d < limit))) {
          lightest = w;
          limit = d;
          hit = t;
        }
      } else if (d < limit && other[t] != label) {
        limit = d;
        hit = t;
      }
    }
    if (!__any_sync(FULL, hit != NONE)) return false;
    if (hit != NONE) {
      found = i0 + hit;
      weight = lightest;
      distance = limit;
      radius = MRD && lightest > core ? lightest : limit;
    }
    reach = warp_max(radius);
    if (MRD) heaviest = warp_max(weight);
    return true;
  }
};

template <class T, int D, int METRIC, bool MRD>
__device__ void search_packet(const T *points, const int *labels, const Hierarchy &h, const T *nodes,
                              const Norm<METRIC> &norm, const int *worklist, i64 packet, int size, i64 queries,
                              int *nearest, Bits<T> *bound, Bits<T> *second, Bits<T> *best, T slack, u64 *stack) {
  const i64 first = packet * size, a = minimum(first + minimum((int)lane_id(), size - 1), queries - 1);
  const bool on = (int)lane_id() < size && first + lane_id() < queries;
  const i64 u = worklist ? worklist[a] : a;
  NearestOutside<T, D, METRIC, MRD> search;
  search.points = points;
  search.norm = norm;
  search.labels = labels;
  search.x = load<T, D>(points, u);
  search.label = labels[u];
  const int front = __shfl_sync(FULL, search.label, 0);
  search.common = __all_sync(FULL, search.label == front) ? front : -2;
  search.weight = search.radius = on ? bits_of(mul(value_of(best[search.label]), slack)) : -1;  // nothing is within -1
  if (MRD) {
    search.core = bits_of(search.x.tag);
    search.distance = INFINITE<T>;
    search.heaviest = warp_max(search.weight);
  }
  search.reach = warp_max(search.radius);
  walk<T, D>(h, nodes, Packet<T, D>(search.x), stack, search);
  if (!on) return;
  bool none = search.found == ~0u;
  const Bits<T> weight = MRD ? search.weight : search.radius;
  nearest[u] = none ? NONE : (int)search.found;
  bound[u] = none ? weight + 1 : weight;
  if (MRD) second[u] = search.distance;
  if (!none) lower(best + search.label, weight);
}

// Blocks that a multiprocessor should hold at once. More of them hide more of the search's waiting for memory, until
// they have too few registers.
template <class T, int D, bool MRD>
constexpr int BLOCKS_HELD = sizeof(T) == 8 || D > 5 ? 1
                            : D <= 3 && !MRD        ? 12
                                                    : 8;

// Warps take packets off the worklist until none is left (count[0] queries, count[1] packets taken). A short worklist
// makes small packets: its queries lie far apart, and a warp that walked for 32 of them would still be running when all
// others have ended.
template <class T, int D, int METRIC, bool MRD>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS_HELD<T, D, MRD>)
    nearest_outgoing(const T *__restrict__ points, const int *__restrict__ labels, const Hierarchy h,
                     const T *__restrict__ nodes, const Norm<METRIC> norm, const int *__restrict__ worklist, int *count,
                     int *nearest, Bits<T> *bound, Bits<T> *second, Bits<T> *best, T slack) {
  __shared__ u64 stacks[WARPS][STACK];
  const int queries = count[0], warps = gridDim.x * WARPS;
  const int size = maximum(minimum((queries - 1) / warps + 1, 32), LEAST_PACKET);
  const int packets = (int)(((i64)queries + size - 1) / size);
  const int chunk = maximum(minimum(packets / (16 * warps), 16), 1);  // all warps share one counter
  while (true) {
    int packet = 0;
    if (lane_id() == 0) packet = atomicAdd(count + 1, chunk);
    packet = __shfl_sync(FULL, packet, 0);
    if (packet >= packets) return;
    for (const int end = minimum(packet + chunk, packets); packet < end; packet++) {
      search_packet<T, D, METRIC, MRD>(points, labels, h, nodes, norm, worklist, packet, size, queries, nearest, bound,
                                       second, best, slack, stacks[threadIdx.x / 32]);
      __syncwarp();
    }
  }
}
