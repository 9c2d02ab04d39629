// The leaves near a group of packets, listed once for all of them.
//
// Packets that follow each other on the curve visit almost the same nodes. So a warp searches for a group of them.
// First it lists, level by level, the leaves near the box around all queries of the group. Then each packet tests the
// listed leaves, and no inner nodes. If there are more leaves than places in the list, there is no list: see search.cu.
#pragma once
#include "points/walk.cuh"

constexpr int MOST_PACKETS = 4;                    // of a group
constexpr int MOST_LEAVES = 240, MOST_INNER = 80;  // nodes of a level that are listed
template <int D>
constexpr bool LISTED = D <= EMST_LISTED_UP_TO;

// What a warp has in shared memory for a group, so that it does not take registers of every lane.
template <class T, int D>
struct Group {
  u32 leaves[MOST_LEAVES];  // in the order of the curve
  union {
    u32 inner[MOST_INNER];  // until all leaves are listed
    struct {
      SharedRow<T, D> low[32], high[32];
    } boxes;  // of the leaves that the packet may need: all lanes read one of them faster here than in global memory
  };
  int count;      // of listed leaves
  Bits<T> reach;  // the greatest search radius of the group
};

// Lists the leaves near the box around a group; false if there are too many. The nodes of a level are listed in one of
// two parts, leaves in the larger one. `search` says what matters to the group.
template <class T, int D, class Search>
__device__ bool list_leaves(const Hierarchy &h, const T *nodes, const Packet<T, D> &box, const Search &search,
                            Group<T, D> &group) {
  const u32 lane = lane_id();
  int size = 1;
#pragma unroll 1
  for (int level = h.levels - 1; level >= 0; level--) {
    const u32 *const above = level % 2 ? group.leaves : group.inner;
    u32 *const here = level % 2 ? group.inner : group.leaves;
    const int most = level % 2 ? MOST_INNER : MOST_LEAVES;
    int found = 0;
#pragma unroll 1
    for (int k = 0; k < size; k++) {
      const int child = (level + 1 < h.levels ? (int)above[k] * FAN : 0) + (int)lane;
      bool near = child < h.count[level];
      if (near) {
        const i64 node = h.offset[level] + (i64)child;
        const Row<T, D> low = load<T, D>(nodes, 2 * node), high = load<T, D>(nodes, 2 * node + 1);
        near =
            box_power(search.norm, low, high, box.low, box.high) <= search.reach && search.may_hold(low.tag, high.tag);
      }
      const u32 all = __ballot_sync(FULL, near);
      const int at = found + __popc(all & ((1u << lane) - 1));
      if (near && at < most) here[at] = (u32)child;
      found += __popc(all);
      if (found > most) {
        __syncwarp();  // all have written, before the next list begins
        return false;
      }
    }
    size = found;
    __syncwarp();
  }
  if (lane == 0) {
    group.count = size;
    group.reach = search.reach;
  }
  __syncwarp();
  return true;
}

// A walk of a packet over the listed leaves: from its own one on, `own`, then from the front of the list.
template <class T, int D, class Search>
__device__ void walk_listed(const T *nodes, const Packet<T, D> &packet, u32 own, Group<T, D> &group, Search &search) {
  const u32 lane = lane_id();
  const int count = __shfl_sync(FULL, group.count, 0);  // it tells the compiler that all lanes have the same
  int start = 0;
#pragma unroll 1
  for (int done = 0; done < count; done += 32)
    start += __popc(__ballot_sync(FULL, done + (int)lane < count && group.leaves[done + lane] < own));
#pragma unroll 1
  for (int done = 0; done < count; done += 32) {
    u32 key = NO_KEY;
    int leaf = 0, distance = 0x7fffffff;
    if (done + (int)lane < count) {
      const int at = start + done + (int)lane;
      leaf = (int)group.leaves[at < count ? at : at - count];
      const Row<T, D> low = load<T, D>(nodes, 2 * (i64)leaf), high = load<T, D>(nodes, 2 * (i64)leaf + 1);
      const Bits<T> s = box_power(search.norm, low, high, packet.low, packet.high);
      if (s <= search.reach && search.may_hold(low.tag, high.tag)) {
        distance = high_word(s);
        key = ((u32)distance & ~31u) | lane;
        group.boxes.low[lane] = {low};
        group.boxes.high[lane] = {high};
      }
    }
    __syncwarp();
    const auto box = [&](u32 i, Row<T, D> &low, Row<T, D> &high) {
      low = group.boxes.low[i];
      high = group.boxes.high[i];
      return __shfl_sync(FULL, leaf, i);
    };
    visit_leaves<T, D>(key, distance, box, search);
    __syncwarp();
  }
}
