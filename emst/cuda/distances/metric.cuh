// Distances that grow dimension by dimension, rounded as on the CPU. Squares or powers are summed; the root is taken of
// the final weights. Whole and half powers are multiplications and a square root, which round alike everywhere; `pow`
// does not.
#pragma once
#include "runtime/exact.cuh"

constexpr int EUCLIDEAN = EMST_EUCLIDEAN, MANHATTAN = EMST_MANHATTAN, CHEBYSHEV = EMST_CHEBYSHEV, POWERS = EMST_POWERS,
              ANY_POWER = EMST_ANY_POWER;

// As in exact.cuh, these must not flush subnormal numbers.
__device__ inline float difference(float a, float b) {
  float r;
  asm("sub.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline double difference(double a, double b) { return __dsub_rn(a, b); }
__device__ inline float quotient(float a, float b) {
  float r;
  asm("div.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline double quotient(double a, double b) { return __ddiv_rn(a, b); }

// Bits without the sign; a matrix may hold negative zeros.
template <class T>
__device__ Bits<T> magnitude(T v) {
  return bits_of(v) & ~(Bits<T>(1) << (8 * sizeof(T) - 1));
}

// The distance so far, with one more dimension, in which the points are at x and y.
template <int METRIC, class T>
__device__ T extended(T distance, T x, T y, double p) {
  if constexpr (METRIC == EUCLIDEAN) {
    T t = x - y;
    return add(distance, mul(t, t));
  }
  const T t = value_of(magnitude(difference(x, y)));
  if constexpr (METRIC == MANHATTAN) return add(distance, t);
  if constexpr (METRIC == CHEBYSHEV) return value_of(maximum(bits_of(distance), bits_of(t)));
  if constexpr (METRIC == POWERS) {
    T power = T(1);
    for (int i = 0; i < (int)p; i++) power = mul(power, t);
    return add(distance, p == (int)p ? power : mul(power, root(t)));
  }
  if constexpr (METRIC == ANY_POWER) return add(distance, pow(t, p));
}
