// Layout of the linear bounding volume hierarchy: how many points a leaf holds, and where each level begins. And how
// one launch makes all levels.
#pragma once
#include "distances/point_rows.cuh"

constexpr int LEAF = EMST_LEAF;  // points of a leaf
constexpr int FAN = EMST_FAN;    // children of a node: one for every lane
constexpr int FAN_BITS = 5;
static_assert(1 << FAN_BITS == FAN, "the children of a node are a power of 2");
constexpr int MAX_LEVELS = EMST_MAX_LEVELS;

struct Hierarchy {  // level 0 holds the leaves; node i of a level covers FAN nodes, from FAN * i, of the level below
  int levels;
  int count[MAX_LEVELS];
  int offset[MAX_LEVELS];
};

// Makes the nodes above `node` of a level, as far as it is the last child that is ready: make(level, node) is called by
// one warp, which sees what the others have made. `arrived` counts the children of every node above level 1 that are
// ready; the last one sets the count to 0 again.
template <class Make>
__device__ void rise(const Hierarchy &h, int level, i64 node, u32 *arrived, Make make) {
  for (level++; level < h.levels; level++) {
    node /= FAN;
    const u32 last = (u32)minimum((i64)FAN, h.count[level - 1] - node * FAN) - 1;
    __threadfence();
    __syncwarp();
    u32 before = 0;
    if (lane_id() == 0) before = atomicInc(arrived + (h.offset[level] - h.offset[2]) + node, last);
    if (__shfl_sync(FULL, before, 0) != last) return;
    __threadfence();
    __syncwarp();
    make(level, node);
  }
}

// Makes all nodes. All lanes of a warp call leaf(i) together, for every point i and for some numbers after the last
// point. make(level, node) is that of `rise`. Each block makes one node of level 1 and the leaves below it. If there is
// no node of level 1, one block makes all leaves.
template <class Leaf, class Make>
__device__ void make_nodes(const Hierarchy &h, u32 *arrived, Leaf leaf, Make make) {
  for (int i = threadIdx.x; i < FAN * LEAF; i += blockDim.x) leaf(blockIdx.x * (i64)(FAN * LEAF) + i);
  if (h.levels == 1) return;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  make(1, blockIdx.x);
  rise(h, 1, blockIdx.x, arrived, make);
}
