// Components of partitions between rounds: edges between them, the points that ask for more, and labels of boxes.
//
// components.py launches edges_across, edges_at, list_asking and exceeds_rest (`asking_points`), and box_labels.
#include "partitions/edges.cuh"
#include "points/labels.cuh"
#include "runtime/compact.cuh"
#include "runtime/order.cuh"

// Edges from queries to the points that were found for them, as `edges_across` of the operations says.
template <class T>
__global__ void edges_across(const int *nearest, const Bits<T> *weight, const Bits<T> *power, i64 count,
                             const int *query_component, const i64 *query_id, const int *component, int base,
                             const Numbering numbering, u64 *words) {
  const i64 i = thread_id();
  if (i >= count) return;
  const i64 place = maximum(nearest[i], 0), id = numbering.id_of(place), mine = query_id[i];
  const int a = query_component[i], b = nearest[i] < 0 ? a : component[place] + base;
  write_edge<T>(words + i * WORDS_OF<T>, a, b, minimum(mine, id), maximum(mine, id), weight[i], power[i]);
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

// Lists the points whose weight and power are not after the bound of their component. places is null for all points in
// order, power where the power is the weight, nearest where points remember no neighbour.
template <class T>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_asking(const int *places, i64 n, const Bits<T> *weight, const Bits<T> *power, const int *nearest,
                const int *component, const int *group, const Bits<T> *bound, const Bits<T> *bound_power,
                const int *label, int *asking, int *total, u64 *tiles, u32 epoch) {
  compact(
      n, tiles, epoch, total,
      [&](int, i64 i) {
        const int g = group[component[places ? places[i] : i]];
        const Bits<T> most = bound[g];
        if (most < 0 || weight[i] > most || (power && weight[i] == most && power[i] > bound_power[g])) return false;
        return !nearest || nearest[i] < 0 || label[nearest[i]] == g;
      },
      [&](i64 i, bool kept, u32 rank) {
        if (kept) asking[rank] = (int)i;
      });
}

// Whether the bound of some component is at least its least weight and `rest`. None of these numbers is negative, but
// for the bound of a component that asks for nothing.
template <class T>
__global__ void exceeds_rest(i64 components, const int *group, const Bits<T> *bound, const Bits<T> *least, T rest,
                             int *exceeds) {
  const i64 c = thread_id();
  if (c >= components) return;
  const Bits<T> most = bound[group[c]];
  if (most >= least[c] && most >= bits_of(rest)) *exceeds = 1;
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
