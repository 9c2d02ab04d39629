// Labels of nodes: the component of all points below a node, MIXED if there are several.
#include "points/bvh.cuh"

// A block labels EACH times 32 leaves and the node above them.
template <class T, int D>
__global__ void __launch_bounds__(LEAF *FAN) label_leaves(const int *labels, i64 n, const Hierarchy h, T *nodes) {
  __shared__ int leaf_label[EACH][FAN];
  const u32 lane = lane_id(), group = ((1u << LEAF) - 1) << (lane / LEAF * LEAF);
  int label[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) label[j] = labels[minimum(point_of_thread(j), n - 1)];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    const int first = __shfl_sync(FULL, label[j], lane / LEAF * LEAF);
    const bool same = (__ballot_sync(FULL, i >= n || label[j] == first) & group) == group;
    if (i >= n || lane % LEAF != 0) continue;
    leaf_label[j][threadIdx.x / LEAF] = same ? first : MIXED;
    nodes[2 * (i / LEAF) * STRIDE<D> + STRIDE<D> - 1] = tag_of(same ? first : MIXED, T(0));
  }
  __syncthreads();
  const int j = threadIdx.x / 32;
  const i64 node = blockIdx.x * (i64)EACH + j;
  if (j >= EACH || h.levels < 2 || node >= h.count[1]) return;
  const int front = leaf_label[j][0];
  const bool uniform = __all_sync(FULL, node * FAN + lane >= h.count[0] || leaf_label[j][lane] == front);
  if (lane == 0) nodes[2 * (h.offset[1] + node) * STRIDE<D> + STRIDE<D> - 1] = tag_of(uniform ? front : MIXED, T(0));
}

template <class T, int D>
__device__ void label_node(const Hierarchy &h, i64 level, i64 node, T *nodes) {
  i64 child = h.offset[level - 1] + minimum(node * FAN + lane_id(), (i64)h.count[level - 1] - 1);
  int label = label_of(*(volatile T *)(nodes + 2 * child * STRIDE<D> + STRIDE<D> - 1));
  int first = __shfl_sync(FULL, label, 0);
  bool same = __all_sync(FULL, label == first);
  if (lane_id() == 0)
    nodes[2 * (h.offset[level] + node) * STRIDE<D> + STRIDE<D> - 1] = tag_of(same ? first : MIXED, T(0));
}

template <class T, int D>
__global__ void label_level(const Hierarchy h, i64 level, T *nodes) {
  i64 node = thread_id() / 32;
  if (node < h.count[level]) label_node<T, D>(h, level, node, nodes);
}

// All levels from `level` up, in one block.
template <class T, int D>
__global__ void label_top(const Hierarchy h, i64 level, T *nodes) {
  for (; level < h.levels; level++) {
    for (i64 node = threadIdx.x / 32; node < h.count[level]; node += blockDim.x / 32)
      label_node<T, D>(h, level, node, nodes);
    __threadfence_block();
    __syncthreads();
  }
}
