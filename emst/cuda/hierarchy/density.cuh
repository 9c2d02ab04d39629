// Densities: lambda = 1 / height, in double precision and correctly rounded on both backends; infinite at height 0.
#pragma once
#include "runtime/exact.cuh"

template <class T>
__device__ double density(T height) {
  return __ddiv_rn(1.0, widened(height));
}

// Compared in double precision, where subnormal numbers are no zeros.
template <class T>
__device__ bool same_height(const T *height, int a, int b) {
  return widened(height[a]) == widened(height[b]);
}
