// The passes of lightest.cuh. lightest.py launches nearest_of_lightest, under mutual reachability only, and then
// first_of_lightest.
#include "lightest.cuh"

template <class T>
__global__ void nearest_of_lightest(const int *labels, i64 n, const int *worklist, const int *count, const int *nearest,
                                    const Bits<T> *bound, const Bits<T> *second, const Bits<T> *best,
                                    Bits<T> *best_distance) {
  lower_distances<T>(labels, Chosen(worklist, count, n), nearest, bound, second, best, best_distance);
}

template <class T>
__global__ void first_of_lightest(const int *labels, i64 n, const int *worklist, const int *count, const int *nearest,
                                  const Bits<T> *bound, const Bits<T> *second, const Bits<T> *best,
                                  const Bits<T> *best_distance, u64 *edge) {
  choose_edges<T>(labels, Chosen(worklist, count, n), nearest, bound, second, best, best_distance, edge);
}
