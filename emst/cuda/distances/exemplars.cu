// Distances from points to the exemplars of clusters.
#include "distances/point_rows.cuh"

// Squared distance of a point to the nearest exemplar of every cluster, in rows of `dimensions` numbers.
template <class T>
__global__ void exemplar_distances(const T *points, i64 n, int dimensions, const T *exemplars, const i64 *starts,
                                   i64 clusters, Bits<T> *nearest) {
  const i64 i = thread_id();
  if (i >= n) return;
  const T *x = points + i * dimensions;
  for (i64 c = 0; c < clusters; c++) {
    Bits<T> least = INFINITE<T> - 1;
    for (i64 e = starts[c]; e < starts[c + 1]; e++)
      least = minimum(least, power_between(Norm<EUCLIDEAN>(), x, exemplars + e * dimensions, dimensions));
    nearest[i * clusters + c] = least;
  }
}
