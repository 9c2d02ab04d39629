// The splits at which clusters of the condensed tree separate.
#include "runtime/exact.cuh"

// lambda of the split that separates two clusters, NaN if one lies within the other. Parents have smaller numbers.
__global__ void common_ancestor_lambdas(const int *parent, const double *death, const int *clusters, i64 rows,
                                        const int *others, i64 columns, double *parting) {
  const i64 i = thread_id();
  if (i >= rows * columns) return;
  const int left = clusters[i / columns], right = others[i % columns];
  int a = left, b = right;
  while (a != b)
    if (a > b)
      a = parent[a];
    else
      b = parent[b];
  parting[i] = a == left || a == right ? __longlong_as_double(0x7ff8000000000000ll) : death[a];
}
