// Elements at given places, as words.
#include "runtime/exact.cuh"

template <class Word, class P>
__global__ void gather_words(const Word *array, const P *places, i64 n, Word *out) {
  const i64 i = thread_id();
  if (i < n) out[i] = array[places[i]];
}

template <class Word, class P>
__global__ void put_words(const Word *values, const P *places, i64 n, Word *array) {
  const i64 i = thread_id();
  if (i < n) array[places[i]] = values[i];
}
