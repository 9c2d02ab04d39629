// The searches of one round; see search.cuh.
//
// search.py launches mark_searches and list_marked, then nearest_outgoing and finish_packets. In the first round it
// launches only the last two, if there are no core distances and every point is a component.
#include "runtime/compact.cuh"
#include "points/search.cuh"

constexpr int LEAST_PACKET = 4, SPANS = EMST_SPANS;

// Finds the points that can have the lightest edge of their component, and sets one bit for each of them: in `marked`
// if the point needs a search, in `settled` if its cached neighbour is as near as the upper bound. Cached neighbours
// lie in another component, since `begin_round` has removed all others.
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

// A packet that has stopped: where it begins in the worklist, and how many queries it has. count[3] counts the packets
// that asked to stop. When the list is full, they go on instead. `begin_round` sets count[3] to 0 in every round.
struct Stopped {
  int first, size;
};

// Warps take packets off the worklist until none is left (count[0] queries, count[1] packets taken). A short worklist
// makes small packets: its queries lie far apart, and a warp that walked for 32 of them would still be running when all
// others have ended.
template <class T, int D, int METRIC, bool MRD>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS_HELD<T, D, MRD>)
    nearest_outgoing(const T *__restrict__ points, const int *__restrict__ labels, const __grid_constant__ Hierarchy h,
                     const T *__restrict__ nodes, const Norm<METRIC> norm, const int *__restrict__ worklist, int *count,
                     Stopped *stopped, int *nearest, Bits<T> *bound, Bits<T> *second, Bits<T> *best, u64 *edge,
                     T slack) {
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
      const i64 first = (i64)packet * size, a = minimum(first + minimum((int)lane_id(), size - 1), (i64)queries - 1);
      const bool on = (int)lane_id() < size && first + lane_id() < queries;
      const auto stops = [&] {
        int place = 0;
        if (lane_id() == 0) place = atomicAdd(count + 3, 1);
        place = __shfl_sync(FULL, place, 0);
        if (place >= EMST_MOST_STOPPED) return false;
        if (lane_id() == 0) stopped[place] = {(int)first, minimum(size, queries - (int)first)};
        return true;
      };
      search_points<T, D, METRIC, MRD, false>(points, labels, h, nodes, norm, worklist ? worklist[a] : a, on, nearest,
                                              bound, second, best, edge, slack, stacks[threadIdx.x / 32],
                                              waiting[threadIdx.x / 32], stops);
      __syncwarp();
    }
  }
}

// Searches again for the queries of the packets that have stopped: few at a time, by walks with exact distances.
template <class T, int D, int METRIC, bool MRD>
__global__ void __launch_bounds__(32 * WARPS)
    finish_packets(const T *__restrict__ points, const int *__restrict__ labels, const __grid_constant__ Hierarchy h,
                   const T *__restrict__ nodes, const Norm<METRIC> norm, const int *__restrict__ worklist,
                   const int *count, const Stopped *stopped, int *nearest, Bits<T> *bound, Bits<T> *second,
                   Bits<T> *best, u64 *edge, T slack) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ Wanting<T, D> waiting[WARPS][32];
  constexpr int PARTS = 32 / LEAST_PACKET;
  const i64 parts = minimum(count[3], EMST_MOST_STOPPED) * (i64)PARTS;
  for (i64 part = thread_id() / 32; part < parts; part += gridDim.x * WARPS) {
    const Stopped packet = stopped[part / PARTS];
    const int begin = (int)(part % PARTS) * LEAST_PACKET, at = begin + (int)lane_id() % LEAST_PACKET;
    if (begin >= packet.size) continue;
    const i64 a = packet.first + minimum(at, packet.size - 1);
    const bool on = lane_id() < LEAST_PACKET && at < packet.size;
    search_points<T, D, METRIC, MRD, false>(points, labels, h, nodes, norm, worklist ? worklist[a] : a, on, nearest,
                                            bound, second, best, edge, slack, stacks[threadIdx.x / 32],
                                            waiting[threadIdx.x / 32]);
    __syncwarp();
  }
}
