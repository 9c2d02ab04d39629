// The label of a node is the component of all points below it, or MIXED if they lie in several. A warp finds it.
#pragma once
#include "points/bvh.cuh"

// Where the label of a node lies.
template <int D>
__device__ i64 label_at(i64 node) {
  return 2 * node * STRIDE<D> + STRIDE<D> - 1;
}

// The leaves below a node of level 1, and that node, unless the leaves are the only level. `group` may be null: see
// `label_nodes` of the operations.
template <class T, int D>
__device__ void label_leaves_below(const Hierarchy &h, i64 node, const int *labels, const int *group, i64 n, T *nodes) {
  constexpr int TOGETHER = 8;  // loads of 32 labels whose waits overlap
  static_assert(FAN * LEAF % (32 * TOGETHER) == 0, "the points below a node of level 1 are whole groups");
  const u32 lane = lane_id(), team = ((1u << LEAF) - 1) << (lane / LEAF * LEAF);
  const i64 begin = node * (FAN * LEAF);
  const int front = group ? group[labels[begin]] : labels[begin];
  bool uniform = true;
  for (i64 first = begin; first < minimum(begin + FAN * LEAF, n); first += 32 * TOGETHER) {
    int label[TOGETHER];  // past the end, that of the last point
#pragma unroll
    for (int j = 0; j < TOGETHER; j++) label[j] = labels[minimum(first + j * 32 + lane, n - 1)];
    if (group)
#pragma unroll
      for (int j = 0; j < TOGETHER; j++) label[j] = group[label[j]];
#pragma unroll
    for (int j = 0; j < TOGETHER; j++) {
      const i64 i = first + j * 32 + lane;
      const int of_leaf = __shfl_sync(FULL, label[j], lane / LEAF * LEAF);
      const bool same = (__ballot_sync(FULL, label[j] == of_leaf) & team) == team;
      if (lane % LEAF == 0 && i < n) nodes[label_at<D>(i / LEAF)] = tag_of(same ? of_leaf : MIXED, T(0));
      uniform &= label[j] == front;
    }
  }
  uniform = __all_sync(FULL, uniform);
  if (lane == 0 && h.levels > 1) nodes[label_at<D>(h.offset[1] + node)] = tag_of(uniform ? front : MIXED, T(0));
}

// A node of a level, from those of a level `below` it.
template <class T, int D>
__device__ void label_node(const Hierarchy &h, int level, int below, i64 node, T *nodes) {
  const i64 width = 1ll << FAN_BITS * (level - below), end = minimum((node + 1) * width, (i64)h.count[below]);
  const volatile T *const labels = nodes + label_at<D>(h.offset[below]);
  const int front = label_of(labels[2 * node * width * STRIDE<D>]);
  bool uniform = true;
  for (i64 child = node * width + lane_id(); child < end; child += 32)
    uniform &= label_of(labels[2 * child * STRIDE<D>]) == front;
  uniform = __all_sync(FULL, uniform);
  if (lane_id() == 0) nodes[label_at<D>(h.offset[level] + node)] = tag_of(uniform ? front : MIXED, T(0));
}
