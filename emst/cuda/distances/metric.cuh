// Norms: what the difference of two coordinates adds to the power of a distance, rounded as on the CPU.
//
// Powers are compared; roots are taken of the final weights. Whole and half degrees are multiplications and a square
// root, which round alike everywhere. A library's power does not, so `any_power` consists of single IEEE operations.
// Except for that one, rounding is monotone: a box is never farther than a point in it.
#pragma once
#include "runtime/exact.cuh"

constexpr int EUCLIDEAN = EMST_EUCLIDEAN, MANHATTAN = EMST_MANHATTAN, CHEBYSHEV = EMST_CHEBYSHEV, POWERS = EMST_POWERS,
              ANY_POWER = EMST_ANY_POWER, PERIODIC = EMST_PERIODIC;

// The metric is part of the type: kernels are compiled for it. POWERS and ANY_POWER take doubles only. In a periodic
// box PERIODIC is added to the metric.
template <int METRIC>
struct Norm {
  double degree;
  double high, low;    // the degree in two parts; the product of the high part and a double's exponent is exact
  const void *period;  // T[d], padded with numbers that may be read; without PERIODIC none
};
template <int METRIC>
constexpr int KIND = METRIC % PERIODIC;
template <int METRIC>
constexpr bool WRAPS = METRIC >= PERIODIC;

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
__device__ inline float absolute(float a) {
  float r;
  asm("abs.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
}
__device__ inline double absolute(double a) { return fabs(a); }

// Bits without the sign; a matrix may hold negative zeros.
template <class T>
__device__ Bits<T> magnitude(T v) {
  return bits_of(v) & ~(Bits<T>(1) << (8 * sizeof(T) - 1));
}

// The nearest whole number, of two the even one: |x| + 1.5 * 2^52 has no bits below the point.
__device__ inline double rounded(double x) { return difference(add(x, 0x1.8p52), 0x1.8p52); }

// Whether terms are function calls.
template <int METRIC>
constexpr bool CALLED = KIND<METRIC> == POWERS || KIND<METRIC> == ANY_POWER;

// Powers of x >= 0. They are not inlined: a search, whose loops over points and coordinates are unrolled, would consist
// of hundreds of copies.

// For a degree that is whole or a whole number and a half.
__device__ __noinline__ double whole_or_half_power(double x, double degree) {
  const int whole = (int)degree;
  double power = 1;
#pragma unroll 1
  for (int i = 0; i < whole; i++) power = mul(power, x);
  return degree == whole ? power : mul(power, root(x));
}

// For all degrees: 2^(degree * log2 x). If x = m * 2^e with m around 1, the exponent is degree * log2 m + degree * e.
// Its whole part is taken out of high * e, which is exact, before anything that is rounded is added.
__device__ __noinline__ double any_power(double x, double degree, double high, double low) {
  constexpr double log2_series[] = {EMST_LOG2_SERIES}, exp2_series[] = {EMST_EXP2_SERIES};
  constexpr int LOG2_LAST = sizeof(log2_series) / sizeof(double) - 1,
                EXP2_LAST = sizeof(exp2_series) / sizeof(double) - 1;
  constexpr i64 SQRT_HALF = 0x3fe6a09e667f3bcdll;  // bits of the square root of 1/2
  const i64 bits = bits_of(x);
  if (bits < bits_of(0x1p-1000)) return 0;
  if (bits == INFINITE<double>) return x;  // the rows past the last point are infinitely far
  const i64 exponent = (bits - SQRT_HALF) >> 52;
  const double e = (double)exponent, m = value_of(bits - (exponent << 52));
  const double f = quotient(difference(m, 1.0), add(m, 1.0)), g = mul(f, f);
  double log2_m = log2_series[LOG2_LAST];
#pragma unroll
  for (int i = LOG2_LAST - 1; i >= 0; i--) log2_m = add(mul(log2_m, g), log2_series[i]);
  log2_m = mul(log2_m, f);
  const double y = mul(high, e), whole = rounded(y);
  const double r = add(add(difference(y, whole), mul(low, e)), mul(degree, log2_m)), more = rounded(r);
  const double rest = difference(r, more);
  const i64 n = (i64)add(whole, more);
  if (n < -1000) return 0;
  double result = exp2_series[EXP2_LAST];
#pragma unroll
  for (int i = EXP2_LAST - 1; i >= 0; i--) result = add(mul(result, rest), exp2_series[i]);
  return mul(result, value_of((n + 1023) << 52));
}

// The length of the box in one coordinate. The greatest number stands for an open one.
template <class T, int METRIC>
__device__ T length(const Norm<METRIC> &norm, int coordinate) {
  return __ldg(static_cast<const T *>(norm.period) + coordinate);
}

// The difference of two coordinates. Squares of the differences that are flushed here would be 0 anyway.
template <int METRIC, class T>
__device__ T gap(const Norm<METRIC> &norm, T x, T y, int coordinate) {
  if constexpr (METRIC == EUCLIDEAN) return x - y;
  const T apart = difference(x, y);
  if constexpr (!WRAPS<METRIC>) return apart;
  return minimum(absolute(apart), difference(length<T>(norm, coordinate), absolute(apart)));
}

// The least difference between [low, high] and [a, b] in one coordinate. In a periodic box of length L, the farthest
// two coordinates of both are f apart, and the least difference is L - f if that is less: it is never above min(t, L -
// t) of two coordinates, and equal for intervals of one (emst/cpu/points/norms.py has the proof).
template <int METRIC, class T>
__device__ T gap_between(const Norm<METRIC> &norm, T low, T high, T a, T b, int coordinate) {
  if constexpr (!WRAPS<METRIC>) {
    return maximum(maximum(gap(norm, low, b, coordinate), gap(norm, a, high, coordinate)), T(0));
  } else {
    const T below = difference(low, b), above = difference(a, high);
    const T around = add(length<T>(norm, coordinate), minimum(below, above));
    return minimum(maximum(maximum(below, above), T(0)), around);
  }
}

// What a gap adds to the power of the distance.
template <int METRIC, class T>
__device__ T term(const Norm<METRIC> &norm, T gap) {
  if constexpr (KIND<METRIC> == EUCLIDEAN) return mul(gap, gap);
  const T t = absolute(gap);
  if constexpr (KIND<METRIC> == POWERS) return whole_or_half_power(t, norm.degree);
  if constexpr (KIND<METRIC> == ANY_POWER) return any_power(t, norm.degree, norm.high, norm.low);
  return t;
}

// The power so far, with one more term.
template <int METRIC, class T>
__device__ T extended(const Norm<METRIC> &, T power, T term) {
  if constexpr (KIND<METRIC> == CHEBYSHEV) return maximum(power, term);
  return add(power, term);
}

// The power of a box, from terms of its gaps. `any_power` is not monotone: it may be off by a few units in the last
// place.
template <int METRIC, class T>
__device__ T of_box(const Norm<METRIC> &, T power) {
  if constexpr (KIND<METRIC> == ANY_POWER) return mul(power, 1 - 0x1p-40);
  return power;
}
