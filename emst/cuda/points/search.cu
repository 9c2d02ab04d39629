// The searches of one round: which points need one, and their nearest points of another component.
//
// Between rounds a point keeps the neighbour that it found last. If that still lies in another component it is still
// the nearest one, since components only grow. Otherwise the weight of the edge to it is a lower bound of the next. A
// search that finds nothing within its radius leaves the next number after the radius as the lower bound. A point needs
// a search only if its lower bound does not exceed the upper bound of its component's lightest edge.
//
// Under mutual reachability (MRD) the second key of the total order is the distance. No edge of a point is
// lighter than its core distance: once that weight is found, the search goes on for nearer points only.
//
// search.py launches mark_searches and list_marked, then nearest_outgoing. In the first round it launches only the last
// one, if there are no core distances and every point is a component.
#include "runtime/compact.cuh"
#include "runtime/order.cuh"
#include "points/scan.cuh"
#include "points/walk.cuh"

constexpr int LEAST_PACKET = 4, SPANS = EMST_SPANS;

// Finds the points that can have the lightest edge of their component, and sets one bit for each of them: in `marked`
// if the point needs a search, in `settled` if its cached neighbour is as near as the upper bound. Cached neighbours
// lie in another component, since `upper_bounds` has removed all others.
//
// A span is 32 consecutive points. A warp works on 32 spans, several at a time, so that their waits for memory overlap.
// If all points of a span lie in one component, `rest` is the least of their lower bounds; otherwise it is 0. While it
// exceeds the upper bound of the component, the span is not read. Components only grow, so `rest` stays a lower bound.
template <class T>
__global__ void __launch_bounds__(EMST_BLOCK, 5)
    mark_searches(const int *labels, i64 n, const int *nearest, const Bits<T> *bound, const Bits<T> *best,
                  Bits<T> *rest, u32 *marked, u32 *settled) {
  const int lane = (int)lane_id();
  const i64 span = thread_id();  // of this lane
  const bool inside = span * 32 < n, awake = inside && rest[span] <= best[labels[span * 32]];
  const u32 spans = __ballot_sync(FULL, awake);
  u32 search = 0, ready = 0, seen = 0;  // of this lane's span; the spans that are read, as bits
  Bits<T> least = 0;
  for (int base = 0; base < 32; base += SPANS) {
    if (!(spans >> base & ((1u << SPANS) - 1))) continue;
    seen |= ((1u << SPANS) - 1) << base;
    const i64 first = (span - lane + base) * 32 + lane;
    int label[SPANS];
    Bits<T> floor[SPANS];
    bool fits[SPANS], cached[SPANS];
#pragma unroll
    for (int j = 0; j < SPANS; j++) {
      const i64 i = minimum(first + j * 32, n - 1);
      label[j] = labels[i];
      floor[j] = bound[i];
    }
#pragma unroll
    for (int j = 0; j < SPANS; j++) fits[j] = first + j * 32 < n && floor[j] <= best[label[j]];
#pragma unroll
    for (int j = 0; j < SPANS; j++) cached[j] = fits[j] && nearest[first + j * 32] != NONE;
#pragma unroll
    for (int j = 0; j < SPANS; j++) {
      const u32 without = __ballot_sync(FULL, fits[j] && !cached[j]), with = __ballot_sync(FULL, cached[j]);
      const bool joined = __all_sync(FULL, label[j] == __shfl_sync(FULL, label[j], 0));
      const Bits<T> lowest = warp_min(floor[j]);
      const bool mine = lane == base + j;
      search = mine ? without : search;
      ready = mine ? with : ready;
      least = mine ? (joined ? lowest : 0) : least;
    }
  }
  if (!inside) return;
  marked[span] = search;
  settled[span] = ready;
  if (seen >> lane & 1) rest[span] = least;
}

// Lists the marked points at the front of the worklist and the settled points at its back. Marked points are in order,
// so that the points of a packet are neighbours; blocks list settled points in any order. count: how many points are at
// the front; how many packets have been taken from there; how many points are at the back.
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_marked(const u32 *marked, const u32 *settled, i64 n, int *worklist, int *count, u64 *tiles, u32 epoch) {
  const int tile = lookback::take_tile(tiles);
  if (tile == 0 && threadIdx.x == 0) count[1] = 0;
  list_bits(
      tile, marked, (n + 31) / 32, [&](u32 here) { return start_of_tile(here, tile, tiles, epoch, count); },
      [&](u32 rank, i64 i) { worklist[rank] = (int)i; });
  list_bits(
      tile, settled, (n + 31) / 32,
      [&](u32 here) { return lane_id() == 0 && here ? (u32)atomicAdd(count + 2, (int)here) : 0; },
      [&](u32 rank, i64 i) { worklist[n - 1 - rank] = (int)i; });
}

// A search (see walk.cuh) for the nearest point with another label.
template <class T, int D, int METRIC, bool MRD>
struct NearestOutside {
  const T *points;
  Norm<METRIC> norm;
  const int *labels;
  Row<T, D> x;
  int label, common;       // of the query; of all queries of the packet, or one that no node has
  Bits<T> weight;          // of the best edge so far
  Bits<T> radius;          // a point farther than this cannot improve it
  Bits<T> core, distance;  // MRD: the query's core distance; distance of the best edge so far
  Bits<T> reach, heaviest;
  u32 id = ~0u;
  Wanting<T, D> *waiting;  // 32, in shared memory

  __device__ bool may_hold(T low_tag, T high_tag) const {
    return label_of(low_tag) != common && (!MRD || bits_of(high_tag) <= heaviest);
  }
  // An inner node at the distance of the best so far is visited only if it may hold a smaller id: otherwise equal
  // points in one cell of the curve's grid would all visit each other. For leaves this test costs more than it saves.
  __device__ bool wants(bool is_leaf, u32 first, const Row<T, D> &low, const Row<T, D> &high) const {
    const Bits<T> d = box_power(norm, low, high, x);
    bool near = d <= radius;
    if (!is_leaf) near = d < radius || (d == radius && (!MRD || distance >= radius) && first < id);
    return near & (label_of(low.tag) != label) & (!MRD || bits_of(high.tag) <= weight);
  }
  // Of equal points of a leaf the first is taken. A tie with the best so far counts if the point's id is smaller, which
  // is the same for all points of a leaf; then the limit is one above.
  __device__ bool scan(int leaf, u32 wanting) {
    const u32 i0 = (u32)leaf * LEAF, lane = lane_id(), rank = __popc(wanting & ((1u << lane) - 1));
    const bool waits = wanting >> lane & 1;
    if (waits) {
      Wanting<T, D> &query = waiting[rank];
      query.x = x;
      if (MRD) query.weight = weight;
      query.limit = (MRD ? distance : radius) + (i0 < id);
      query.label = label;
      query.place = NONE;
    }
    __syncwarp();
    const i64 i = i0 + lane % LEAF;
    const bool any = compare<MRD>(norm, load<T, D>(points, i), __ldg(labels + i), __popc(wanting), waiting);
    __syncwarp();
    if (!any) return false;
    if (waits && waiting[rank].place != NONE) {
      id = i0 + waiting[rank].place;
      distance = waiting[rank].limit;
      if (MRD) weight = waiting[rank].weight;
      radius = MRD && weight > core ? weight : distance;
    }
    reach = warp_max(radius);
    if (MRD) heaviest = warp_max(weight);
    __syncwarp();
    return true;
  }
};

template <class T, int D, int METRIC, bool MRD>
__device__ void search_packet(const T *points, const int *labels, const Hierarchy &h, const T *nodes,
                              const Norm<METRIC> &norm, const int *worklist, i64 packet, int size, i64 queries,
                              int *nearest, Bits<T> *bound, Bits<T> *second, Bits<T> *best, u64 *edge, T slack,
                              u64 *stack, Wanting<T, D> *waiting) {
  const i64 first = packet * size, a = minimum(first + minimum((int)lane_id(), size - 1), queries - 1);
  const bool on = (int)lane_id() < size && first + lane_id() < queries;
  const i64 u = worklist ? worklist[a] : a;
  NearestOutside<T, D, METRIC, MRD> search;
  search.points = points;
  search.norm = norm;
  search.labels = labels;
  search.waiting = waiting;
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
  bool none = search.id == ~0u;
  const Bits<T> weight = MRD ? search.weight : search.radius;
  if (edge)
    edge[u] = none ? NO_EDGE : packed_edge((int)u, (int)search.id);
  else
    nearest[u] = none ? NONE : (int)search.id;
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
// others have ended. Where every point is a component, `edge` is not null: it gets the lightest edge of each,
// packed as in merge.cu, and `nearest` gets nothing, since the ends of these edges are in one component afterwards.
template <class T, int D, int METRIC, bool MRD>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS_HELD<T, D, MRD>)
    nearest_outgoing(const T *__restrict__ points, const int *__restrict__ labels, const __grid_constant__ Hierarchy h,
                     const T *__restrict__ nodes, const Norm<METRIC> norm, const int *__restrict__ worklist, int *count,
                     int *nearest, Bits<T> *bound, Bits<T> *second, Bits<T> *best, u64 *edge, T slack) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ Wanting<T, D> waiting[WARPS][32];
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
                                       second, best, edge, slack, stacks[threadIdx.x / 32], waiting[threadIdx.x / 32]);
      __syncwarp();
    }
  }
}
