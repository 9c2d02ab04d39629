// Elements and rows at given places, as words.
#include "runtime/exact.cuh"

template <class Word, class P>
__global__ void gather_words(const Word *array, const P *places, i64 n, Word *out) {
  const i64 i = thread_id();
  if (i < n) out[i] = array[places[i]];
}

// A thread takes a word of a row. The rows of the array begin `stride` words apart.
template <class Word, class P>
__global__ void gather_rows(const Word *array, i64 stride, int width, const P *places, i64 n, Word *out) {
  const i64 i = thread_id(), row = i / width;
  if (row < n) out[i] = array[places[row] * stride + (i - row * width)];
}

// Values lie `stride` words apart. No two places are equal.
template <class Word, class P>
__global__ void put_words(const P *places, i64 n, const Word *values, i64 stride, Word *array) {
  const i64 i = thread_id();
  if (i < n) array[places[i]] = values[i * stride];
}
