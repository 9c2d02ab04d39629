// The lightest edge of every component, first in the total order, among the cached neighbours of its points.
#include "known.cuh"

// Among the lightest edges of a component the least distance.
template <class T>
__global__ void nearest_of_lightest(const int *labels, i64 n, const int *nearest, const Bits<T> *bound,
                                    const Bits<T> *second, const Bits<T> *best, Bits<T> *best_distance) {
  const Known known(labels, n, nearest);
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    const int label = known.label[j];
    if (known.outside(j) && bound[i] == best[label]) lower(best_distance + label, second[i]);
  }
}

// Among the lightest and nearest ones the first. second is null for the Euclidean tree: there the distance is the
// weight.
template <class T>
__global__ void first_of_lightest(const int *labels, i64 n, const int *nearest, const Bits<T> *bound,
                                  const Bits<T> *second, const Bits<T> *best, const Bits<T> *best_distance, u64 *edge) {
  const Known known(labels, n, nearest);
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    const int label = known.label[j];
    if (!known.outside(j) || bound[i] != best[label] || (second && second[i] != best_distance[label])) continue;
    const int neighbour = known.neighbour[j];
    u64 e = (u64)minimum((int)i, neighbour) << 32 | (u32)maximum((int)i, neighbour);
    if (e < edge[label]) atomicMin(edge + label, e);
  }
}
