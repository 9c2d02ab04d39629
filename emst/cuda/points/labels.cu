// Labels of nodes, level by level; see labels.cuh.
#include "points/labels.cuh"

template <class T, int D>
__global__ void label_leaves(const int *labels, const int *group, i64 n, const Hierarchy h, T *nodes) {
  const i64 node = thread_id() / 32;
  if (node * (FAN * LEAF) < n) label_leaves_below<T, D>(h, node, labels, group, n, nodes);
}

template <class T, int D>
__global__ void label_level(const Hierarchy h, i64 level, T *nodes) {
  const i64 node = thread_id() / 32;
  if (node < h.count[level]) label_node<T, D>(h, (int)level, (int)level - 1, node, nodes);
}

// All levels from `level` up, in one block.
template <class T, int D>
__global__ void label_top(const Hierarchy h, i64 level, T *nodes) {
  for (; level < h.levels; level++) {
    for (i64 node = threadIdx.x / 32; node < h.count[level]; node += blockDim.x / 32)
      label_node<T, D>(h, (int)level, (int)level - 1, node, nodes);
    __threadfence_block();
    __syncthreads();
  }
}
