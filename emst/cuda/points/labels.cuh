// Labels of nodes. If all points below a node lie in one component, that component is the label; otherwise it is MIXED.
#pragma once
#include "points/bvh.cuh"

// The index of a node's label in `nodes`.
template <int D>
__device__ i64 label_at(i64 node) {
  return 2 * node * STRIDE<D> + STRIDE<D> - 1;
}

// The label of a node, from those of its children; called by one warp.
template <class T, int D>
__device__ void label_node(const Hierarchy &h, int level, i64 node, T *nodes) {
  const i64 child = minimum(node * FAN + lane_id(), (i64)h.count[level - 1] - 1);
  const int label = label_of(nodes[label_at<D>(h.offset[level - 1] + child)]), front = __shfl_sync(FULL, label, 0);
  const bool uniform = __all_sync(FULL, label == front);
  if (lane_id() == 0) nodes[label_at<D>(h.offset[level] + node)] = tag_of(uniform ? front : MIXED, T(0));
}

// A block of THREADS threads, each with EACH points (see point_of_thread), has the points below so many nodes of
// level 1.
template <int THREADS>
constexpr int NODES_OF = THREADS * EACH / (FAN * LEAF);

// Labels these nodes and the leaves below. `label` holds the labels of the thread's points; past the end, that of the
// last point. `front` holds the label of each node's first point.
template <class T, int D, int THREADS>
__device__ void label_block(const Hierarchy &h, i64 block, i64 n, const int (&label)[EACH],
                            const int (&front)[NODES_OF<THREADS>], T *nodes) {
  constexpr int NODES = NODES_OF<THREADS>, STEPS = EACH / NODES;  // points of a thread below one node
  static_assert(NODES * (FAN * LEAF) == THREADS * EACH, "a block has whole nodes");
  const u32 lane = lane_id(), team = ((1u << LEAF) - 1) << (lane / LEAF * LEAF);
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(block, j);
    const int of_leaf = __shfl_sync(FULL, label[j], lane / LEAF * LEAF);
    const bool same = (__ballot_sync(FULL, label[j] == of_leaf) & team) == team;
    if (lane % LEAF == 0 && i < n) nodes[label_at<D>(i / LEAF)] = tag_of(same ? of_leaf : MIXED, T(0));
  }
#pragma unroll
  for (int k = 0; k < NODES; k++) {
    bool uniform = true;
#pragma unroll
    for (int j = k * STEPS; j < (k + 1) * STEPS; j++) uniform &= label[j] == front[k];
    uniform = __syncthreads_and(uniform);
    const i64 node = block * NODES + k;
    if (threadIdx.x == 0 && node < h.count[1])
      nodes[label_at<D>(h.offset[1] + node)] = tag_of(uniform ? front[k] : MIXED, T(0));
  }
}
