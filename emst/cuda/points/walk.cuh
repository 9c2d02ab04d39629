// The packet walk: one warp searches the hierarchy for 32 queries that are neighbours on the curve.
//
// The lanes test 32 child boxes at once against the box around the queries. Each child that passes is tested exactly:
// every lane tests its own query against the box. Inner nodes that pass are stacked, the farthest first. Of leaves the
// nearest is scanned first and the others in curve order: sorting them costs more than it saves. Without the exact test
// a packet whose queries lie far apart (in late rounds, at borders of clusters) would visit everything.
//
// A search has `norm`; `reach`, the greatest search radius of the packet (bits, equal in all lanes, never growing);
// may_hold(low_tag, high_tag), whether a node can matter to any query; wants(is_leaf, first, low, high), whether it
// matters to this lane's query (first is the smallest id in it); and scan(leaf, wanting), which compares the points of
// a leaf with the queries that want it, a bit for each lane, and returns whether `reach` may have shrunk.
//
// CHANGES: the kernel itself writes labels of nodes between searches.
#pragma once
#include "points/bvh.cuh"

constexpr int WARPS = EMST_WALK_WARPS,
              STACK = 160;  // a level leaves at most 31 nodes waiting, and there are at most 5 inner levels
constexpr u32 NO_KEY = ~0u;

template <class T, int D>
struct Packet {  // the box around the queries
  Row<T, D> low, high;
  __device__ explicit Packet(const Row<T, D> &x) {
#pragma unroll
    for (int d = 0; d < D; d++) {
      low.x[d] = warp_min_coordinate(x.x[d]);
      high.x[d] = warp_max_coordinate(x.x[d]);
    }
  }
};

template <class T, int D, bool CHANGES = false, class Search>
__device__ void walk(const Hierarchy &h, const T *nodes, const Packet<T, D> &packet, u64 *stack, Search &search) {
  const u32 lane = lane_id();
  const auto corner = [&](i64 row) { return load<T, D, CHANGES>(nodes, row); };
  int depth = 0, level = h.levels - 1, begin = 0, size = h.count[level];
  while (true) {
    u32 key = NO_KEY;  // 27 bits of the distance between node and packet, and the lane
    int distance = 0x7fffffff;
    if ((int)lane < size) {
      i64 node = h.offset[level] + begin + (i64)lane;
      const Row<T, D> low = corner(2 * node), high = corner(2 * node + 1);
      Bits<T> s = box_power(search.norm, low, high, packet.low, packet.high);
      if (s <= search.reach && search.may_hold(low.tag, high.tag)) {
        distance = high_word(s);
        key = ((u32)distance & ~31u) | lane;
      }
    }
    if (level == 0) {
      u32 waiting = __ballot_sync(FULL, key != NO_KEY), next = __reduce_min_sync(FULL, key) & 31u;
      while (waiting) {
        waiting &= ~(1u << next);
        int leaf = begin + (int)next;
        const Row<T, D> low = corner(2 * (i64)leaf), high = corner(2 * (i64)leaf + 1);
        const u32 wanting = __ballot_sync(FULL, search.wants(true, (u32)leaf * LEAF, low, high));
        if (wanting && search.scan(leaf, wanting)) waiting &= __ballot_sync(FULL, distance <= high_word(search.reach));
        next = __ffs(waiting) - 1;
      }
    } else {
      while (true) {
        u32 farthest = __reduce_max_sync(FULL, key == NO_KEY ? 0u : key + 1) - 1;
        if (farthest == NO_KEY) break;
        if (lane == (farthest & 31u)) key = NO_KEY;
        int child = begin + (int)(farthest & 31u);
        i64 node = h.offset[level] + (i64)child;
        const Row<T, D> low = corner(2 * node), high = corner(2 * node + 1);
        if (!__any_sync(FULL, search.wants(false, (u32)child * LEAF << FAN_BITS * level, low, high))) continue;
        if (lane == 0) stack[depth] = (u64)(farthest & ~31u) << 32 | (u32)level << 28 | (u32)child;
        depth++;
      }
    }
    __syncwarp();
    u64 entry = 0;
    bool more = false;
    while (depth > 0 && !more) {
      entry = stack[--depth];
      more = (int)(entry >> 32) <= high_word(search.reach);
    }
    __syncwarp();
    if (!more) return;
    level = (int)((u32)entry >> 28) - 1;
    begin = (int)((u32)entry & 0xfffffffu) * FAN;
    size = minimum(FAN, h.count[level] - begin);
  }
}
