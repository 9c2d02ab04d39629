// The lightest edge of every component, first in the total order, among the cached neighbours of its points: of all, or
// of those in a worklist, one of which holds it.
#pragma once
#include "runtime/order.cuh"

// The points that a pass looks at. A worklist has n entries, of which the first count[0] and the last count[2] are
// looked at. All n points are, if there is no worklist, or if so many are listed that reading them in this order costs
// more.
struct Chosen {
  const int *worklist;
  i64 n, front, size;
  __device__ Chosen(const int *worklist, const int *count, i64 n) : worklist(worklist), n(n), front(0), size(n) {
    if (!worklist) return;
    front = count[0];
    size = front + count[2];
    if (size <= n / 4) return;
    this->worklist = nullptr;
    size = n;
  }
  __device__ i64 operator[](i64 k) const {
    if (k >= size) return NONE;
    if (!worklist) return k;
    return worklist[k < front ? k : n - 1 - (k - front)];
  }
};

// Calls visit(point, label, neighbour) for all chosen points whose cached neighbour lies in another component.
template <class Visit>
__device__ void each_outside(const int *labels, const Chosen &chosen, const int *nearest, Visit visit) {
  for (i64 first = blockIdx.x * (i64)EACH * blockDim.x; first < chosen.size;
       first += (i64)gridDim.x * EACH * blockDim.x) {
    i64 point[EACH];
    int label[EACH], neighbour[EACH], other[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) point[j] = chosen[first + j * blockDim.x + threadIdx.x];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      label[j] = point[j] == NONE ? NONE : labels[point[j]];
      neighbour[j] = point[j] == NONE ? NONE : nearest[point[j]];
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) other[j] = neighbour[j] == NONE ? label[j] : labels[neighbour[j]];
#pragma unroll
    for (int j = 0; j < EACH; j++)
      if (other[j] != label[j]) visit(point[j], label[j], neighbour[j]);
  }
}

// Finds the least distance among the lightest edges of each component.
template <class T>
__device__ void lower_distances(const int *labels, const Chosen &chosen, const int *nearest, const Bits<T> *bound,
                                const Bits<T> *second, const Bits<T> *best, Bits<T> *best_distance) {
  each_outside(labels, chosen, nearest, [&](i64 i, int label, int) {
    if (bound[i] == best[label]) lower(best_distance + label, second[i]);
  });
}

// Finds the first edge among those that are lightest and nearest. second is null for the Euclidean tree: there the
// distance is the weight.
template <class T>
__device__ void choose_edges(const int *labels, const Chosen &chosen, const int *nearest, const Bits<T> *bound,
                             const Bits<T> *second, const Bits<T> *best, const Bits<T> *best_distance, u64 *edge) {
  each_outside(labels, chosen, nearest, [&](i64 i, int label, int neighbour) {
    if (bound[i] != best[label] || (second && second[i] != best_distance[label])) return;
    const u64 e = packed_edge((int)i, neighbour);
    if (e < edge[label]) atomicMin(edge + label, e);
  });
}
