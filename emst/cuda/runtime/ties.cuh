// Short runs of packed keys that are equal in the bits that a sort has looked at, put in order by their other bits and,
// where the keys are equal, by what they lack.
//
// A block takes a tile of places, and MOST places before and behind it: with them it sees every short run that begins
// or ends in its tile. Each item of a run counts those that come before it.
#pragma once
#include "runtime/packed.cuh"

constexpr int TIES_A_THREAD = EMST_TIES_A_THREAD;
constexpr int TIE_THREADS = EMST_BLOCK, TIE_TILE = TIES_A_THREAD * TIE_THREADS;

// Bits are numbered from the lowest. Two keys count as equal if they agree in all bits from number `bits` upwards. Keys
// that agree in all bits from number `sorted` upwards form a run. load(place, key) reads the item that decides between
// equal keys, and before(a, b) compares two items; if neither comes first, the keys stay in order. fetch(place, key)
// reads more data of a key, and emit(to, key, fetched, run) gets this data and the new place of the key. Runs of more
// than MOST keys stay where they are; `run` says whether a key is in such a run, and whether it and the next key of the
// run are in the wrong order.
enum Run { SHORT_RUN, LONG_RUN, UNORDERED_RUN };
template <int MOST, class Item, class Load, class Before, class Fetch, class Emit>
__device__ void order_ties(const u64 *keys, i64 n, int sorted, int bits, Load load, Before before, Fetch fetch,
                           Emit emit) {
  constexpr int SEEN = TIE_TILE + 2 * MOST;
  __shared__ u64 key[SEEN];
  __shared__ Item item[SEEN];
  const i64 start = blockIdx.x * (i64)TIE_TILE - MOST;
  const int first = (int)maximum((i64)0, -start), end = (int)minimum((i64)SEEN, n - start);
  for (int k = first + threadIdx.x; k < end; k += TIE_THREADS) key[k] = keys[start + k];
  __syncthreads();
  decltype(fetch(0, 0)) fetched[TIES_A_THREAD];
#pragma unroll
  for (int j = 0; j < TIES_A_THREAD; j++) {
    const int k = MOST + j * TIE_THREADS + threadIdx.x;
    if (k < end) fetched[j] = fetch(start + k, key[k]);
  }
  const auto in_run = [&](int a, int b) { return key[a] >> sorted == key[b] >> sorted; };
  for (int k = first + threadIdx.x; k < end; k += TIE_THREADS) {
    bool tied = false;
    for (int other = k - 1; !tied && other >= first && k - other < MOST && in_run(other, k); other--)
      tied = key[other] >> bits == key[k] >> bits;
    for (int other = k + 1; !tied && other < end && other - k < MOST && in_run(other, k); other++)
      tied = key[other] >> bits == key[k] >> bits;
    if (tied) item[k] = load(start + k, key[k]);
  }
  __syncthreads();
  const auto comes_before = [&](int a, int b) {
    const u64 one = key[a] >> bits, other = key[b] >> bits;
    if (one != other) return one < other;
    return before(item[a], item[b]) || (a < b && !before(item[b], item[a]));
  };
#pragma unroll
  for (int j = 0; j < TIES_A_THREAD; j++) {
    const int k = MOST + j * TIE_THREADS + threadIdx.x;
    if (k >= end) break;
    int front = k, back = k + 1, to = k;
    while (front > first && k - front < MOST && in_run(front - 1, k)) front--;
    while (back < end && back - front <= MOST && in_run(back, k)) back++;
    Run run = SHORT_RUN;
    if (back - front <= MOST) {
      to = front;
      for (int other = front; other < back; other++) to += other != k && comes_before(other, k);
    } else {
      run = k + 1 < end && in_run(k + 1, k) && !comes_before(k, k + 1) ? UNORDERED_RUN : LONG_RUN;
    }
    emit(start + to, key[k], fetched[j], run);
  }
}
