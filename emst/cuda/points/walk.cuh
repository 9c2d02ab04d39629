// The packet walk: one warp searches the hierarchy for 32 queries that are neighbours on the curve.
//
// The lanes test 32 child boxes at once against the box around the queries. Each child that passes is tested exactly:
// every lane tests its own query against the box. Inner nodes that pass are stacked, the farthest first. Of leaves the
// nearest is scanned first and the others in curve order: sorting them costs more than it saves. Without the exact test
// a packet whose queries lie far apart (in late rounds, at borders of clusters) would visit everything.
//
// Inner nodes are visited by their distance to the nearest query that wants them. Where queries lie far apart, most
// nodes lie in the box around them, so the distance to that box says nothing: a query far outside a cluster would
// compare the cluster's points in curve order, and find a slightly nearer one again and again.
//
// A search has `norm`; `x`, the lane's query; `reach`, the greatest search radius of the packet (bits, equal in all
// lanes, never growing); may_hold(low_tag, high_tag), whether a node can matter to any query; wants(is_leaf, first,
// low, high), whether it matters to this lane's query, and so lies within `reach` (first is its smallest id); and
// scan(leaf, wanting), which compares the points of a leaf with the queries whose bits are set in `wanting`, and
// returns whether `reach` may have shrunk.
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
  __device__ explicit Packet(const Row<T, D> &x) : Packet(x, x) {}
  __device__ Packet(const Row<T, D> &least, const Row<T, D> &greatest) {
#pragma unroll
    for (int d = 0; d < D; d++) {
      low.x[d] = warp_min_coordinate(least.x[d]);
      high.x[d] = warp_max_coordinate(greatest.x[d]);
    }
  }
};

// Puts a node on the stack, above those of its level that are farther. Below these are nodes of higher levels only.
__device__ inline void push_in_order(u64 *stack, int depth, u64 entry) {
#pragma unroll 1
  for (; depth > 0 && ((u32)stack[depth - 1] ^ (u32)entry) >> 28 == 0 && stack[depth - 1] < entry; depth--)
    stack[depth] = stack[depth - 1];
  stack[depth] = entry;
}

// Scans those leaves that a query wants, of up to 32 with a key; box(i, low, high) reads that of lane i and returns its
// number.
template <class T, int D, class Box, class Search>
__device__ void visit_leaves(u32 key, int distance, Box box, Search &search) {
  u32 waiting = __ballot_sync(FULL, key != NO_KEY), next = __reduce_min_sync(FULL, key) & 31u;
  while (waiting) {
    waiting &= ~(1u << next);
    Row<T, D> low, high;
    const int leaf = box(next, low, high);
    const u32 wanting = __ballot_sync(FULL, search.wants(true, (u32)leaf * LEAF, low, high));
    if (wanting && search.scan(leaf, wanting)) waiting &= __ballot_sync(FULL, distance <= high_word(search.reach));
    next = __ffs(waiting) - 1;
  }
}

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
      const auto box = [&](u32 child, Row<T, D> &low, Row<T, D> &high) {
        const int leaf = begin + (int)child;
        low = corner(2 * (i64)leaf);
        high = corner(2 * (i64)leaf + 1);
        return leaf;
      };
      visit_leaves<T, D>(key, distance, box, search);
    } else {
      while (true) {
        u32 farthest = __reduce_max_sync(FULL, key == NO_KEY ? 0u : key + 1) - 1;
        if (farthest == NO_KEY) break;
        if (lane == (farthest & 31u)) key = NO_KEY;
        int child = begin + (int)(farthest & 31u);
        i64 node = h.offset[level] + (i64)child;
        const Row<T, D> low = corner(2 * node), high = corner(2 * node + 1);
        const bool wanted = search.wants(false, (u32)child * LEAF << FAN_BITS * level, low, high);
        const Bits<T> d = box_power(search.norm, low, high, search.x);
        const u32 nearest = __reduce_min_sync(FULL, wanted ? (u32)high_word(d) : NO_KEY);
        if (nearest == NO_KEY) continue;
        if (lane == 0) push_in_order(stack, depth, (u64)nearest << 32 | (u32)level << 28 | (u32)child);
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
