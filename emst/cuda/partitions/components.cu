// Components of partitions between rounds: the first edge that leaves each, their contraction, the points that ask for
// more, and labels of boxes.
//
// components.py launches, for edges, least_keys and first_places (`first_edges`); edges_across; edges_at;
// hook_first, number_roots, renumber, list_taken and list_left (`join_components`); write_bounds and forget_greatest
// (`component_bounds`). For points it launches list_asking and exceeds_rest, and for boxes box_labels.
#include "partitions/edges.cuh"
#include "points/labels.cuh"
#include "runtime/compact.cuh"
#include "runtime/order.cuh"

// Edges, as `OpenEdges` of the records. WORDS are 4 for float and 5 for double.
template <int WORDS>
struct Edges {
  const u64 *words;
  i64 count;
  const int *label;  // components of the ends now
  bool both;         // whether an edge counts for the component of its second end, too

  __device__ int from(i64 i) const { return label[(int)words[i * WORDS]]; }
  __device__ int to(i64 i) const { return label[(int)(words[i * WORDS] >> 32)]; }

  // Words that the total order compares, the first one first: weight and power, which are one word in float, and the
  // two ends. None is negative, so they compare as unsigned integers.
  static constexpr int KEYS = WORDS - 1;
  __device__ u64 key(i64 i, int k) const {
    constexpr int WEIGHTS = WORDS - 3;
    return words[i * WORDS + (k < WEIGHTS ? 3 + k : k - WEIGHTS + 1)];
  }
  // Whether edge i comes before the other one. An edge may be there several times: the first one counts.
  __device__ bool precedes(i64 i, i64 other) const {
#pragma unroll
    for (int k = 0; k < KEYS; k++)
      if (key(i, k) != key(other, k)) return key(i, k) < key(other, k);
    return i < other;
  }

  // Calls visit(i, component) for the components that edge i of this thread leaves.
  template <class Visit>
  __device__ void each_left(Visit visit) const {
    const i64 i = thread_id();
    if (i >= count) return;
    const int a = from(i);
    if (!both) {
      visit(i, a);
      return;
    }
    const int b = to(i);
    if (a == b) return;
    visit(i, a);
    visit(i, b);
  }

  __device__ void copy(i64 i, u64 *to) const {
#pragma unroll
    for (int k = 0; k < WORDS; k++) to[k] = words[i * WORDS + k];
  }
};

// The least first key of every component. All ones is greater than any.
template <int WORDS>
__global__ void least_keys(const Edges<WORDS> edges, u64 *least) {
  edges.each_left([&](i64 i, int c) { lower(least + c, edges.key(i, 0)); });
}

// The first edge of every component, among those of the least first key: `place` only ever moves to an edge that comes
// before, so in the end it is the first, whatever the order of the threads.
template <int WORDS>
__global__ void first_places(const Edges<WORDS> edges, const u64 *least, u32 *place) {
  edges.each_left([&](i64 i, int c) {
    if (edges.key(i, 0) != least[c]) return;
    u32 first = *(volatile u32 *)(place + c);
    while (first == ~0u || edges.precedes(i, first)) {
      const u32 seen = atomicCAS(place + c, first, (u32)i);
      if (seen == first) return;
      first = seen;
    }
  });
}

// A forest of components without edges, and the first edge of each as one between components; none for those that wait,
// whose bound is negative.
template <class T, int WORDS>
__global__ void hook_first(const Edges<WORDS> edges, const int *first, const Bits<T> *bound, i64 components,
                           int *labels, int *roots, u64 *edge, u64 *ends) {
  const i64 c = thread_id();
  if (c >= components) return;
  labels[c] = roots[c] = (int)c;
  ends[c] = NO_EDGE;
  const u64 a = edges.from(first[c]), b = edges.to(first[c]);
  edge[c] = bound[c] < 0 ? NO_EDGE : minimum(a, b) << 32 | maximum(a, b);
}

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

__global__ void number_roots(const int *roots, i64 count, int *number) {
  const i64 k = thread_id();
  if (k < count) number[roots[k]] = (int)k;
}

// What every component is part of now, and the points of these; and the same for labels of components and of boxes,
// which may be MIXED.
__global__ void renumber(const int *of_root, const int *root, const i64 *size, i64 count, const int *label,
                         i64 components, const int *box, i64 boxes, int *number, i64 *sizes, int *labels,
                         int *of_boxes) {
  const i64 i = thread_id();
  if (i < count) {
    number[i] = of_root[root[i]];
    atomicAdd(reinterpret_cast<unsigned long long *>(sizes) + number[i], (unsigned long long)size[i]);
  }
  if (i < components) labels[i] = of_root[root[label[i]]];
  if (i < boxes) of_boxes[i] = box[i] < 0 ? box[i] : of_root[root[box[i]]];
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

// Weight and power of the first edge of every component. `greatest` becomes the component of the most points, the first
// one of several, as (points << 32 | ~number): so a greater one comes later.
template <class T>
__global__ void write_bounds(const u64 *words, const int *first, const i64 *size, i64 count, Bits<T> *weight,
                             Bits<T> *power, u64 *greatest) {
  const i64 c = thread_id();
  u64 mine = 0;
  if (c < count) {
    const u64 *const edge = words + (i64)first[c] * WORDS_OF<T>;
    weight[c] = weight_in<T>(edge);
    power[c] = power_in<T>(edge);
    mine = minimum((u64)size[c], (u64)~0u) << 32 | (u32) ~(u32)c;
  }
  mine = warp_max(mine);
  if (lane_id() == 0) atomicMax(reinterpret_cast<unsigned long long *>(greatest), (unsigned long long)mine);
}

template <class T>
__global__ void forget_greatest(const u64 *greatest, T *weight) {
  if (thread_id() == 0) weight[~(u32)*greatest] = -1;
}

// The first edges of the components that have hooked, in the order of these.
template <int WORDS>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_taken(const Edges<WORDS> edges, const int *first, const u64 *ends, i64 components, u64 *taken, int *total,
               u64 *tiles, u32 epoch) {
  compact(
      components, tiles, epoch, total, [&](int, i64 c) { return ends[c] != NO_EDGE; },
      [&](i64 c, bool kept, u32 rank) {
        if (kept) edges.copy(first[c], taken + (i64)rank * WORDS);
      });
}

// The edges whose ends lie in different components still; number[c] is what component c has become.
template <int WORDS>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_left(const Edges<WORDS> edges, const int *number, u64 *left, int *total, u64 *tiles, u32 epoch) {
  compact(
      edges.count, tiles, epoch, total, [&](int, i64 i) { return number[edges.from(i)] != number[edges.to(i)]; },
      [&](i64 i, bool kept, u32 rank) {
        if (kept) edges.copy(i, left + (i64)rank * WORDS);
      });
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
