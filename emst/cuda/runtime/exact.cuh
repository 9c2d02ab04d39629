// Arithmetic that rounds as the CPU does, and powers of distances as integers.
//
// Multiplications, additions, conversions and the greater or lesser of two numbers are written in PTX: neither the
// compiler's contraction to fma nor the -ftz=true that CuPy passes may change them. For the same reason weights are
// never compared as floating-point numbers. Numbers that are not negative have the same order as their bits read as
// signed integers (Bits). So weights and powers of distances are stored, compared, reduced over a warp and minimised by
// atomics as such integers.
#pragma once

using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

constexpr u32 FULL = 0xffffffffu;  // all lanes of a warp
constexpr int NONE = -1;           // no point
constexpr int MIXED = -1;          // label of a node whose points lie in several components

__device__ inline float mul(float a, float b) {
  float r;
  asm("mul.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline float add(float a, float b) {
  float r;
  asm("add.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline float root(float a) {
  float r;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
}
__device__ inline double widened(float a) {
  double r;
  asm("cvt.f64.f32 %0, %1;" : "=d"(r) : "f"(a));
  return r;
}
__device__ inline double widened(double a) { return a; }
__device__ inline void narrow(double a, float &to) { asm("cvt.rn.f32.f64 %0, %1;" : "=f"(to) : "d"(a)); }
__device__ inline void narrow(double a, double &to) { to = a; }
__device__ inline double mul(double a, double b) { return __dmul_rn(a, b); }
__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline double root(double a) { return __dsqrt_rn(a); }

template <class T>
struct BitsOf;
template <>
struct BitsOf<float> {
  using type = int;
  static constexpr int INFINITE = 0x7f800000;
};
template <>
struct BitsOf<double> {
  using type = i64;
  static constexpr i64 INFINITE = 0x7ff0000000000000ll;
};
template <class T>
using Bits = typename BitsOf<T>::type;
template <class T>
constexpr Bits<T> INFINITE = BitsOf<T>::INFINITE;

__device__ inline int bits_of(float v) { return __float_as_int(v); }
__device__ inline i64 bits_of(double v) { return __double_as_longlong(v); }
__device__ inline float value_of(int b) { return __int_as_float(b); }
__device__ inline double value_of(i64 b) { return __longlong_as_double(b); }

// The most significant 32 bits: a lower bound that the walk sorts and stacks.
__device__ inline int high_word(int b) { return b; }
__device__ inline int high_word(i64 b) { return (int)(b >> 32); }

__device__ inline int warp_max(int v) { return __reduce_max_sync(FULL, v); }
__device__ inline i64 warp_max(i64 v) {
  int high = __reduce_max_sync(FULL, (int)(v >> 32));
  u32 low = __reduce_max_sync(FULL, (int)(v >> 32) == high ? (u32)v : 0u);
  return (i64)high << 32 | low;
}

// Any finite number as an unsigned integer of the same order, and back.
__device__ inline u32 ordered(float v) {
  u32 u = __float_as_uint(v);
  return u & 0x80000000u ? ~u : u | 0x80000000u;
}
__device__ inline u64 ordered(double v) {
  u64 u = (u64)__double_as_longlong(v);
  return u >> 63 ? ~u : u | 0x8000000000000000ull;
}
__device__ inline float unordered(u32 u) { return __uint_as_float(u & 0x80000000u ? u & 0x7fffffffu : ~u); }
__device__ inline double unordered(u64 u) {
  return __longlong_as_double((i64)(u >> 63 ? u & 0x7fffffffffffffffull : ~u));
}

__device__ inline u32 warp_max(u32 v) { return __reduce_max_sync(FULL, v); }
__device__ inline u64 warp_max(u64 v) {
  u32 high = __reduce_max_sync(FULL, (u32)(v >> 32));
  u32 low = __reduce_max_sync(FULL, (u32)(v >> 32) == high ? (u32)v : 0u);
  return (u64)high << 32 | low;
}
__device__ inline int warp_min(int v) { return __reduce_min_sync(FULL, v); }
__device__ inline i64 warp_min(i64 v) { return -warp_max(-v); }

// best = the lesser of itself and weight.
template <class B>
__device__ void lower(B *best, B weight) {
  if (weight < *best) atomicMin(best, weight);
}

template <class T>
__device__ T warp_max_coordinate(T v) {
  return unordered(warp_max(ordered(v)));
}
template <class T>
__device__ T warp_min_coordinate(T v) {
  return unordered(~warp_max(~ordered(v)));
}

template <class T>
__device__ T maximum(T a, T b) {
  return a > b ? a : b;
}
template <class T>
__device__ T minimum(T a, T b) {
  return a < b ? a : b;
}
// One instruction; a comparison and a selection, which differ from it for NaN, would be two. Corners of boxes must keep
// subnormal numbers.
__device__ inline float maximum(float a, float b) {
  float r;
  asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ inline float minimum(float a, float b) {
  float r;
  asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}

// Passes over all points wait for memory, one access after the other: for a label, then for the data of that component.
// Whether the points i and j are equal.
template <class T>
__device__ bool are_equal(const T *rows, i64 i, i64 j, int dimensions, int stride) {
  for (int d = 0; d < dimensions; d++)
    if (bits_of(rows[i * stride + d]) != bits_of(rows[j * stride + d])) return false;
  return true;
}

// A thread takes EACH points, a block apart, and makes every step for all of them, so that the waits overlap.
constexpr int EACH = EMST_EACH;
__device__ inline i64 point_of_thread(i64 block, int j) { return (block * EACH + j) * blockDim.x + threadIdx.x; }
__device__ inline i64 point_of_thread(int j) { return point_of_thread(blockIdx.x, j); }

__device__ inline i64 thread_id() { return blockIdx.x * (i64)blockDim.x + threadIdx.x; }
__device__ inline u32 lane_id() { return threadIdx.x % 32; }
