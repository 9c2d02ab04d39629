// What products of halves prove about distances.
//
// A point is moved by a fixed centre and multiplied by a power of two, `scale`; h are its halves, and rho is at least
// its distance to them, so that distances between points and between their halves differ by at most rho(x) + rho(y).
// s(x) = |h(x)|^2. A sum a of a tile starts at -q(y) and has h(x) . h(y) added on tensor cores. It differs from the
// exact one by at most eps times the sum of the absolute values of its terms, and 2 |h(x) . h(y)| <= s(x) + s(y).
// Therefore
//     |h(x) - h(y)|^2 >= (1 - eps) s(x) - 2 a                 if q(y) <= (1/2 - c) s(y),
//     |h(x) - h(y)|^2 <= (1 + eps) s(x) - 2 a                 if q(y) >= (1/2 + c) s(y),
//     |h(x) - h(y)|^2 <= (1 + eps) s(x) - 2 a + 4 c s(y)      if q(y) = (1/2 - c) s(y).
// A computed power p of a distance D satisfies D <= (sqrt(p) + tiny) grow and sqrt(p) <= D grow + tiny. Everything here
// is rounded to the safe side. The proofs: docs/how/many_dimensions.md.
#pragma once
#include "runtime/exact.cuh"

struct Bounds {
  double scale, eps, c, grow, tiny;
};

// Directed rounding that keeps subnormal numbers, as in exact.cuh.
__device__ inline float add_up(float a, float b) {
  float r;
  asm("add.rp.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline float add_down(float a, float b) {
  float r;
  asm("add.rm.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline float mul_up(float a, float b) {
  float r;
  asm("mul.rp.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline float root_up(float a) {
  float r;
  asm("sqrt.rp.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
}
__device__ inline float narrowed_up(double a) {
  float r;
  asm("cvt.rp.f32.f64 %0, %1;" : "=f"(r) : "d"(a));
  return r;
}
__device__ inline float narrowed_down(double a) {
  float r;
  asm("cvt.rm.f32.f64 %0, %1;" : "=f"(r) : "d"(a));
  return r;
}
__device__ inline bool less(float a, float b) {
  int r;
  asm("{.reg .pred p; setp.lt.f32 p, %1, %2; selp.s32 %0, 1, 0, p;}" : "=r"(r) : "f"(a), "f"(b));
  return r;
}

// How far a row searches. A point matters only if its distance from the row's halves, times the scale, is at most
// `reach`; if its rho is 0, its sum is then at least `above`.
struct Reach {
  float reach, above;
};

// The reach of a row with |h|^2 = s, for a distance that is already times the scale and includes the row's rho.
__device__ inline Reach reach_of(const Bounds &b, double distance, double s) {
  const float reach = narrowed_up(distance);
  if (bits_of(reach) >= bits_of(1e19f)) return {1e19f, -1e38f};  // everything
  const double r = widened(reach), least = __dmul_rd(s, 1 - b.eps);
  return {reach, narrowed_down(__dmul_rd(0.5, __dadd_rd(least, -__dmul_ru(r, r))))};
}
// The least sum that a point within the reach can have if its rho is at most this one.
__device__ inline float least_sum(Reach row, float rho) {
  return add_down(row.above, -mul_up(rho, add_up(row.reach, rho)));
}

// The reach that holds all points whose computed power is at most `power`.
template <class T>
__device__ Reach reach_of_power(const Bounds &b, Bits<T> power, double s, float rho) {
  const double root = __dadd_ru(__dsqrt_ru(widened(value_of(power))), b.tiny);
  return reach_of(b, __dadd_ru(__dmul_ru(__dmul_ru(root, b.grow), b.scale), widened(rho)), s);
}
// Let z be any point with |h(x) - h(z)| + rho(z) <= distance. This reach of x holds all points whose computed power is
// at most that of z.
__device__ inline Reach reach_of_distance(const Bounds &b, float distance, double s, float rho) {
  const double between = __dadd_ru(widened(distance), widened(rho)),
               tiny = __dmul_ru(__dadd_rn(b.tiny, b.tiny), b.scale);
  const double computed = __dadd_ru(__dmul_ru(between, b.grow), tiny);
  return reach_of(b, __dadd_ru(__dmul_ru(computed, b.grow), widened(rho)), s);
}

// Upper bound of |h(x) - h(y)| + rho(y), from a sum that started at -(1/2 - c) s(y).
__device__ inline float distance_above(const Bounds &b, float sum, double s, double other_s, float other_rho) {
  const double from_sum = __dadd_ru(__dmul_ru(s, 1 + b.eps), __dmul_rn(-2.0, widened(sum)));
  const double between = __dadd_ru(from_sum, __dmul_ru(__dmul_rn(4.0, b.c), other_s));
  return narrowed_up(__dadd_ru(__dsqrt_ru(maximum(between, 0.0)), widened(other_rho)));
}

__device__ inline void narrow_up(double a, float &to) { to = narrowed_up(a); }
__device__ inline void narrow_up(double a, double &to) { to = a; }

// Upper bound of the computed power of the distance between x and y, from the same sum.
template <class T>
__device__ Bits<T> power_above(const Bounds &b, float sum, double s, float rho, double other_s, float other_rho) {
  const double to_halves = widened(distance_above(b, sum, s, other_s, other_rho));
  const double distance = __ddiv_ru(__dadd_ru(to_halves, widened(rho)), b.scale);
  const double root = __dadd_ru(__dmul_ru(distance, b.grow), b.tiny);
  T power;
  narrow_up(__dmul_ru(root, root), power);
  return bits_of(power);
}
