// Labels of nodes; see labels.cuh.
#include "points/labels.cuh"

// Labels all nodes. `group` may be null: see `label_nodes` in operations.py.
template <class T, int D>
__global__ void label_nodes(const int *labels, const int *group, i64 n, const __grid_constant__ Hierarchy h, T *nodes,
                            u32 *arrived) {
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
  rise_from<T, D, EMST_BLOCK>(h, blockIdx.x, nodes, arrived);
}
