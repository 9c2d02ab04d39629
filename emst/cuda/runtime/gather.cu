// Elements at given places, as words.
#include "runtime/exact.cuh"

template <class Word, class P>
__global__ void gather_words(const Word *array, const P *places, i64 n, Word *out) {
  const i64 i = thread_id();
  if (i < n) out[i] = array[places[i]];
}
