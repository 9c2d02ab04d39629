// Labels of nodes; see labels.cuh.
#include "points/labels.cuh"

// Labels the leaves and the nodes of level 1. `group` may be null: see `label_nodes` in operations.py.
template <class T, int D>
__global__ void label_leaves(const int *labels, const int *group, i64 n, const __grid_constant__ Hierarchy h,
                             T *nodes) {
  const auto label_of_point = [&](i64 i) {
    const int label = labels[minimum(i, n - 1)];
    return group ? group[label] : label;
  };
  int label[EACH], front[NODES_OF<EMST_BLOCK>];
#pragma unroll
  for (int j = 0; j < EACH; j++) label[j] = label_of_point(point_of_thread(j));
#pragma unroll
  for (int k = 0; k < NODES_OF<EMST_BLOCK>; k++)
    front[k] = label_of_point((blockIdx.x * (i64)NODES_OF<EMST_BLOCK> + k) * (FAN * LEAF));
  label_block<T, D, EMST_BLOCK>(h, blockIdx.x, n, label, front, nodes);
}

// Labels the nodes above level 1, with a warp for each node of level 2.
template <class T, int D>
__global__ void upper_labels(const __grid_constant__ Hierarchy h, T *nodes, u32 *arrived) {
  const i64 node = thread_id() / 32;
  if (node >= h.count[2]) return;
  label_node<T, D>(h, 2, node, nodes);
  rise(h, 2, node, arrived, [&](int level, i64 above) { label_node<T, D>(h, level, above, nodes); });
}
