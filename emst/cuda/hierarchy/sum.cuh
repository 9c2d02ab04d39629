// Sums of the values of siblings, rounded once: in whatever order they stand. The CPU does the same.
//
// Numbers that are not negative are added as integers of 128 bits, whose unit is 2^-SPARE of the last bit of the
// greatest. Of a smaller number the bits below the unit are replaced by a one, which says that it is more than what is
// left of it.
#pragma once
#include "runtime/warp.cuh"

constexpr int SPARE = 44;

struct Wide {
  u64 low, high;
  __device__ void add(Wide other) {
    low += other.low;
    high += other.high + (low < other.low);
  }
};

// Of the unit in the last place, plus 1075; subnormal numbers have that of the least normal ones.
__device__ inline int exponent_of(u64 word) { return maximum((int)(word >> 52), 1); }

// A number in units of 2^(top - 1075 - SPARE).
__device__ inline Wide shifted(u64 word, int top) {
  const u64 hidden = word >> 52 ? 1ull << 52 : 0, mantissa = (word & ((1ull << 52) - 1)) | hidden;
  const int up = SPARE - (top - exponent_of(word));
  if (up > 0) return {mantissa << up, mantissa >> (64 - up)};
  const int down = minimum(-up, 63);
  const u64 kept = mantissa >> down;
  return {kept | (kept << down != mantissa), 0};
}

// sum * 2^unit, to the nearest double, ties to even.
__device__ inline double rounded(Wide sum, int unit) {
  if (sum.high) {  // the last bit says whether there were further ones
    const int down = 64 - __clzll((i64)sum.high);
    const bool more = sum.low << (64 - down) != 0;
    sum.low = sum.low >> down | sum.high << (64 - down) | more;
    unit += down;
  }
  return ldexp(__ull2double_rn(sum.low), unit);
}

// The greatest of words that other blocks have written, from `begin` on. By a warp.
template <class List>
__device__ u64 greatest_of(const List &words, int begin, int count) {
  u64 most = 0;
  for (int i = begin + (int)lane_id(); i < count; i += 32) most = maximum(most, (u64)words[i]);
  return warp_max(most);
}

// The sum of words, which are doubles that are not negative. `most` is the greatest word. all(top) adds them up, each
// one shifted by `top`; it is not called if the greatest word is zero or infinite.
template <class All>
__device__ double sum_below(u64 most, All all) {
  const double greatest = __longlong_as_double((i64)most);
  if (most == 0 || isinf(greatest)) return greatest;
  const int top = exponent_of(most);
  return rounded(all(top), top - 1075 - SPARE);
}

// The sum of a few words, by a thread.
template <int COUNT>
__device__ double sum_of(const u64 (&words)[COUNT]) {
  u64 most = 0;
  for (const u64 word : words) most = maximum(most, word);
  return sum_below(most, [&](int top) {
    Wide sum{0, 0};
    for (const u64 word : words) sum.add(shifted(word, top));
    return sum;
  });
}

// The sum of many words, by a warp. A word is read once if there are 32 or fewer.
template <class List>
__device__ double sum_of(const List &words, int count) {
  const u64 first = (int)lane_id() < count ? words[lane_id()] : 0;
  u64 most = warp_max(first);
  if (count > 32) most = maximum(most, greatest_of(words, 32, count));
  return sum_below(most, [&](int top) {
    Wide sum = shifted(first, top);
    for (int i = 32 + (int)lane_id(); i < count; i += 32) sum.add(shifted(words[i], top));
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      sum.add(Wide{__shfl_xor_sync(FULL, sum.low, step), __shfl_xor_sync(FULL, sum.high, step)});
    return sum;
  });
}
