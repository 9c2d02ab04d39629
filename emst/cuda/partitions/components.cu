// Components of partitions between rounds: edges between them, the points that ask for more, and labels of boxes.
//
// components.py launches edges_across, edges_at, list_asking and exceeds_rest (`asking_points`), and box_labels.
#include "partitions/asking.cuh"
#include "partitions/edges.cuh"
#include "points/labels.cuh"
#include "runtime/compact.cuh"

template <class T>
__global__ void edges_across(const Across<T> across, u64 *words) {
  const i64 i = thread_id();
  if (i < across.count) across.write(i, words + i * WORDS_OF<T>);
}

template <int WORDS>
__global__ void edges_at(const Edges<WORDS> edges, const int *place, i64 count, u64 *found) {
  const i64 i = thread_id();
  if (i >= count) return;
  if (place[i] < 0)
    for (int k = 0; k < WORDS; k++) found[i * WORDS + k] = 0;
  else
    edges.copy(place[i], found + i * WORDS);
}

// Lists the points that ask, but for those that remember a neighbour in another component.
template <class T>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_asking(const Asking<T> asking, const int *nearest, const int *label, int *listed, int *total, u64 *tiles,
                u32 epoch) {
  compact(
      asking.count, tiles, epoch, total,
      [&](int, i64 i) {
        const int g = asking.group[asking.component[asking.place(i)]];
        return asking.asks(i, g) && (nearest[i] < 0 || label[nearest[i]] == g);
      },
      [&](i64 i, bool kept, u32 rank) {
        if (kept) listed[rank] = (int)i;
      });
}

template <class T>
__global__ void exceeds_rest(const Asking<T> asking, int *exceeds) {
  const i64 c = thread_id();
  if (c < asking.components && asking.exceeds_rest(c)) *exceeds = 1;
}

// Labels of boxes, after label_nodes. NONE as a level stands for points; the root of an outline is above all levels.
template <class T, int D>
__global__ void box_labels(const int *level, const int *node, i64 count, const int *labels, const int *group,
                           const __grid_constant__ Hierarchy h, const T *nodes, int *label) {
  const i64 i = thread_id();
  if (i >= count) return;
  const int l = level[i];
  if (l == NONE)
    label[i] = group ? group[labels[node[i]]] : labels[node[i]];
  else
    label[i] = l < h.levels ? label_of(nodes[label_at<D>(h.offset[l] + node[i])]) : MIXED;
}
