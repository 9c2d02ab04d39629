// The searches of one round; see search.cuh.
//
// search.py launches mark_searches and list_marked, then nearest_outgoing and walk_packets. In the first round it
// launches only the last two, if there are no core distances and every point is a component.
#include "runtime/compact.cuh"
#include "points/search.cuh"

constexpr int LEAST_PACKET = 4, SPANS = EMST_SPANS;
// All of these are numbers for each warp of the grid. The last packets of a round are taken one at a time (LAST_ONES),
// and those before them two at a time (LAST_TWOS). A short worklist is divided into so many small packets
// (SMALL_A_WARP), and packets without a list into so many parts (PARTS_A_WARP).
constexpr int LAST_ONES = 3, LAST_TWOS = 8, SMALL_A_WARP = 2, PARTS_A_WARP = 2;

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
// so that the points of a packet are neighbours. Settled points come in any order.
//
// count: how many points are at the front; how many tickets of `nearest_outgoing` have been taken; how many points are
// at the back; how many packets are unlisted; how many packets, or parts, of `walk_packets` have been taken.
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

// The packets of a round. Few queries make small packets: these queries lie far apart, and a warp that walked for 32 of
// them would still be running when all others have ended. Warps take tickets. The first tickets are for four packets
// that follow each other, the last ones for one packet, so that all warps end at about the same time.
struct Packets {
  int queries, size, count;  // queries in all, and of a packet; packets
  int fours, twos;           // tickets for four packets, and for two
  Packets() = default;
  __device__ explicit Packets(int queries) : queries(queries) {
    const int warps = gridDim.x * WARPS;
    size = many() ? 32 : maximum(minimum((queries - 1) / (SMALL_A_WARP * warps) + 1, 32), LEAST_PACKET);
    count = (int)(((i64)queries + size - 1) / size);
    fours = maximum(count - (LAST_ONES + LAST_TWOS) * warps, 0) / 4;
    twos = maximum(count - 4 * fours - LAST_ONES * warps, 0) / 2;
  }
  // Whether there are two packets of 32 queries for each warp, at least.
  __device__ bool many() const { return queries >= 64 * (i64)gridDim.x * WARPS; }
  // Whether packets are searched for from lists.
  template <int D>
  __device__ bool listed() const {
    return LISTED<D> && many();
  }
  __device__ int first_of(int ticket) const {
    if (ticket < fours) return 4 * ticket;
    return ticket < fours + twos ? 4 * fours + 2 * (ticket - fours) : 3 * fours + twos + ticket;
  }
  __device__ int size_of(int ticket) const { return ticket < fours ? 4 : ticket < fours + twos ? 2 : 1; }
};

// The i-th query of a worklist; the last one for those behind it.
__device__ inline i64 query_of(const int *worklist, i64 i, int queries) {
  i = minimum(i, (i64)queries - 1);
  return worklist ? worklist[i] : i;
}

// Adds one to a counter of all warps, and returns what it was before.
__device__ inline int take(int *taken) {
  int number = 0;
  if (lane_id() == 0) number = atomicAdd(taken, 1);
  return __shfl_sync(FULL, number, 0);
}

// What a warp has in shared memory: one address for both.
template <class T, int D, bool MRD>
struct OfWarp {
  Wanting<T, D, MRD> waiting[32];
  Group<T, D> group;
};

// Kilobytes of shared memory of a multiprocessor, or less. Fewer blocks can be held where these are few.
constexpr int SHARED_KB = (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1200 ? 100 : 164;
template <class T, int D, bool MRD>
constexpr int FITTING = SHARED_KB * 1024 / (WARPS * (int)sizeof(OfWarp<T, D, MRD>) + 1100);
template <class T, int D, bool MRD>
constexpr int LISTS_HELD = FITTING<T, D, MRD> < 1                        ? 1
                           : FITTING<T, D, MRD> < BLOCKS_HELD<T, D, MRD> ? FITTING<T, D, MRD>
                                                                         : BLOCKS_HELD<T, D, MRD>;

// Searches for packets of 32 queries from lists of leaves. A group with too many leaves is divided; a packet that still
// has too many goes to `unlisted`. It is launched for LISTED dimensions only.
template <class T, int D, int METRIC, bool MRD>
__global__ void __launch_bounds__(32 * WARPS, LISTS_HELD<T, D, MRD>)
    nearest_outgoing(const T *__restrict__ points, const int *__restrict__ labels, const __grid_constant__ Hierarchy h,
                     const T *__restrict__ nodes, const Norm<METRIC> norm, const int *__restrict__ worklist, int *count,
                     int *unlisted, int *nearest, Bits<T> *bound, Bits<T> *second, Bits<T> *best, u64 *edge, T slack) {
  __shared__ OfWarp<T, D, MRD> of_warps[WARPS];
  __shared__ Packets all;
  if (threadIdx.x == 0) all = Packets(count[0]);
  __syncthreads();
  if (!all.listed<D>()) return;
  OfWarp<T, D, MRD> &here = of_warps[threadIdx.x / 32];
  int fits = MOST_PACKETS;  // packets whose leaves fit into a list, as far as this warp knows
  while (true) {
    const int ticket = take(count + 1);
    // All lanes read the same numbers. The exchanges tell the compiler so: it then needs fewer instructions.
    int packet = __shfl_sync(FULL, all.first_of(ticket), 0);
    if (packet >= __shfl_sync(FULL, all.count, 0)) return;
    const int end = packet + __shfl_sync(FULL, all.size_of(ticket), 0);
    fits = minimum(2 * fits, MOST_PACKETS);
    while (packet < end) {
      const int packets = minimum(fits, end - packet);
      const auto query = [&](int i) { return query_of(worklist, (i64)packet * 32 + i, all.queries); };
      if (!list_leaves_near<T, D, METRIC, MRD>(points, labels, h, nodes, norm, packets, query, best, slack,
                                               here.group)) {
        fits = maximum(packets / 2, 1);
        if (packets > 1) continue;
        if (lane_id() == 0) unlisted[atomicAdd(count + 3, 1)] = packet;
        packet++;
        continue;
      }
#pragma unroll 1
      for (const int next = packet + packets; packet < next; packet++) {
        const i64 u = query((int)lane_id());
        const bool on = (i64)packet * 32 + lane_id() < all.queries;
        search_points<T, D, METRIC, MRD, false>(
            points, labels, norm, u, on, nearest, bound, second, best, edge, slack, here.group.reach, here.waiting,
            [&](auto &search, const Packet<T, D> &packet) {
              walk_listed(nodes, packet, (u32)__shfl_sync(FULL, (int)u, 0) / LEAF, here.group, search);
            });
        __syncwarp();
      }
    }
  }
}

// Searches by walks: for the packets that got no list, or, in a round without lists, for all packets. A packet that got
// no list usually takes long. If there are few of these packets, each is divided among several warps.
template <class T, int D, int METRIC, bool MRD>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS_HELD<T, D, MRD>)
    walk_packets(const T *__restrict__ points, const int *__restrict__ labels, const __grid_constant__ Hierarchy h,
                 const T *__restrict__ nodes, const Norm<METRIC> norm, const int *__restrict__ worklist, int *count,
                 const int *unlisted, int *nearest, Bits<T> *bound, Bits<T> *second, Bits<T> *best, u64 *edge,
                 T slack) {
  __shared__ u64 stacks[WARPS][STACK];
  __shared__ Wanting<T, D, MRD> waiting[WARPS][32];
  const Packets all(count[0]);
  const bool listed = all.listed<D>();
  const int packets = listed ? count[3] : all.count;
  int parts = 1;
  if (listed)
    while (parts < 32 / LEAST_PACKET && packets * parts < PARTS_A_WARP * (int)gridDim.x * WARPS) parts *= 2;
  const int size = all.size / parts;
  if (thread_id() / 32 >= packets * parts) return;  // there is something for the other warps
  while (true) {
    const int taken = take(count + 4);
    if (taken >= packets * parts) return;
    const int packet = listed ? unlisted[taken / parts] : taken;
    const i64 a = (i64)packet * all.size + taken % parts * size + minimum((int)lane_id(), size - 1);
    const bool on = (int)lane_id() < size && a < all.queries;
    search_points<T, D, METRIC, MRD, false>(points, labels, norm, query_of(worklist, a, all.queries), on, nearest,
                                            bound, second, best, edge, slack, INFINITE<T>, waiting[threadIdx.x / 32],
                                            [&](auto &search, const Packet<T, D> &packet) {
                                              walk<T, D>(h, nodes, packet, stacks[threadIdx.x / 32], search);
                                            });
    __syncwarp();
  }
}
