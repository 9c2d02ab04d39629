// Short runs of equal keys in a sorted sequence, put in order by what a sort has not seen.
//
// A block takes a tile of places, and MOST places before and behind it: with them it sees every short run that begins
// or ends in its tile. Each item of a run counts those that come before it.
#pragma once
#include "runtime/exact.cuh"

constexpr int TIE_THREADS = EMST_BLOCK, TIE_TILE = EMST_TIES_A_THREAD * TIE_THREADS;
constexpr int MANY_TIES = EMST_MANY_TIES, LONG_RUNS = EMST_LONG_RUNS;

// load(i, tied) reads the item at place i; `tied` says whether a neighbour has the same key. before(a, b) is the order
// of items with equal keys. emit(to, item, key, ahead) gets the place of each item. Items in runs of more than MOST
// stay where they are; of these, `ahead` is the next item in the run, and null for all others.
template <int MOST, class Item, class Key, class Load, class Before, class Emit>
__device__ void order_ties(const Key *keys, i64 n, Load load, Before before, Emit emit) {
  constexpr int SEEN = TIE_TILE + 2 * MOST;
  __shared__ Key key[SEEN];
  __shared__ Item item[SEEN];
  const i64 start = blockIdx.x * (i64)TIE_TILE - MOST;
  const int first = (int)maximum((i64)0, -start), end = (int)minimum((i64)SEEN, n - start);
  for (int k = first + threadIdx.x; k < end; k += TIE_THREADS) key[k] = keys[start + k];
  __syncthreads();
  for (int k = first + threadIdx.x; k < end; k += TIE_THREADS) {
    const bool tied = (k > first && key[k - 1] == key[k]) || (k + 1 < end && key[k + 1] == key[k]);
    if (tied || (k >= MOST && k < MOST + TIE_TILE)) item[k] = load(start + k, tied);
  }
  __syncthreads();
  for (int k = MOST + threadIdx.x; k < minimum(MOST + TIE_TILE, end); k += TIE_THREADS) {
    int front = k, back = k + 1, to = k;
    while (front > first && k - front < MOST && key[front - 1] == key[k]) front--;
    while (back < end && back - front <= MOST && key[back] == key[k]) back++;
    const bool too_long = back - front > MOST;
    if (!too_long) {
      to = front;
      for (int other = front; other < back; other++) to += before(item[other], item[k]);
    }
    emit(start + to, item[k], key[k], too_long && back > k + 1 ? item + k + 1 : nullptr);
  }
}
