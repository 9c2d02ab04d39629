// The first edges in the total order that leave components, and their contraction, by blocks that are all resident.
#pragma once
#include "contract.cuh"
#include "partitions/edges.cuh"
#include "runtime/grid.cuh"

constexpr int THREADS = EMST_BLOCK;

// What blocks write for each other, beside a number for each block; all zero at the start.
struct Meeting {
  u32 arrived;
  u32 unfinished[EMST_CLIMBS];  // by pass: whether a component has not arrived at its root
  u64 greatest;
  __device__ Grid grid() { return {&arrived, (int)blockIdx.x, (int)gridDim.x}; }
};
static_assert(sizeof(Meeting) == 4 * EMST_MEETING_WORDS, "components.py allocates it");

// Calls visit(i, component) for the components that edges leave.
template <int WORDS, class Visit>
__device__ void each_left(const Grid &grid, const Edges<WORDS> &edges, Visit visit) {
  for (i64 i = grid.first(); i < edges.count; i += grid.step()) {
    const int a = edges.from(i);
    if (!edges.both) {
      visit(i, a);
      continue;
    }
    const int b = edges.to(i);
    if (a == b) continue;
    visit(i, a);
    visit(i, b);
  }
}

// The place of the first edge of every component; all ones if none leaves it. `least` gets the least first key.
template <int WORDS>
__device__ void find_first(const Grid &grid, const Edges<WORDS> &edges, i64 components, u64 *least, u32 *place) {
  for (i64 c = grid.first(); c < components; c += grid.step()) {
    least[c] = ~0ull;
    place[c] = ~0u;
  }
  grid.sync();
  each_left(grid, edges, [&](i64 i, int c) { lower(least + c, edges.key(i, 0)); });
  grid.sync();
  // `place` only ever moves to an edge that comes before, so in the end it is the first, whatever the order of the
  // threads.
  each_left(grid, edges, [&](i64 i, int c) {
    if (edges.key(i, 0) != least[c]) return;
    u32 first = *(volatile u32 *)(place + c);
    while (first == ~0u || edges.precedes(i, first)) {
      const u32 seen = atomicCAS(place + c, first, (u32)i);
      if (seen == first) return;
      first = seen;
    }
  });
  grid.sync();
}

// Calls put(i, kept, before) for n indices, where `before` is how many are kept of those before i. `numbers` has a
// place for each block. Returns how many are kept.
template <class Keep, class Put>
__device__ u64 in_order(const Grid &grid, i64 n, u64 *numbers, Keep keep, Put put) {
  const i64 share = (n / grid.size / THREADS + 1) * THREADS;
  const i64 begin = minimum(grid.rank * share, n), end = minimum(begin + share, n);
  u64 mine = 0, all;
  for (i64 i = begin + threadIdx.x; i < end; i += THREADS) mine += keep(i);
  mine = block_sum<THREADS>(mine);
  if (threadIdx.x == 0) numbers[grid.rank] = mine;
  grid.sync();
  u64 before = sum_before<THREADS>(grid, numbers, all);
  for (i64 first = begin; first < end; first += THREADS) {
    const i64 i = first + threadIdx.x;
    const bool kept[1] = {i < end && keep(i)};
    u32 at[1];
    const u32 here = block_places<THREADS>(kept, at);
    if (i < end) put(i, kept[0], before + at[0]);
    before += here;
  }
  return all;
}

// Components hook onto the one at the other end of their first edge by the rule of contract.cuh, but for those that
// wait, whose bound is negative. Edges between the same two components that are the first of both are the same edge. In
// the end parents are roots; false if some never arrive, which is a cycle.
template <int WORDS, class B>
__device__ bool hook(const Grid &grid, const Edges<WORDS> &edges, i64 components, const B *bound, const u32 *first,
                     int *parent, Meeting *meeting) {
  for (i64 c = grid.first(); c < components; c += grid.step()) {
    const u32 mine = first[c];
    int above = (int)c;
    if (mine != ~0u && bound[c] >= 0) {
      const int a = edges.from(mine), other = a == above ? edges.to(mine) : a;
      const bool mutual = bound[other] >= 0 && first[other] == mine;
      if (!stays_root(above, other, [&] { return mutual; })) above = other;
    }
    parent[c] = above;
  }
  grid.sync();
  for (int pass = 0; pass < EMST_CLIMBS; pass++) {
    bool all = true;
    for (i64 c = grid.first(); c < components; c += grid.step()) {
      int at = (int)c;
      all &= climb(parent, at, parent[c]);
      if (at != c) parent[c] = at;  // around a cycle one may come back to c, which is no root
    }
    if (!all) meeting->unfinished[pass] = 1;
    grid.sync();
    if (!meeting->unfinished[pass]) return true;
  }
  return false;
}

// What a contraction reads and writes: see `contract`.
template <class T>
struct Contraction {
  i64 components;
  const Bits<T> *bound;
  const i64 *size;   // points of every component
  const int *label;  // of `count` components of partitions
  i64 count, boxes;
  u64 *least;
  u32 *first;
  int *parent, *number;
  i64 *sizes;
  int *labels, *of_boxes;
  u64 *taken, *left, *numbers;
};

// How many components and edges a contraction leaves; no component if some edges close a cycle.
struct Left {
  i64 components, edges;
};

// Contracts the first edges. number[c] is the new component that component c is part of, and sizes[k] says how many
// points are in the new component k. `labels` and `of_boxes` become new components, too, those of boxes from box(i);
// MIXED stays. `taken` gets the first edges of the components that have hooked, in the order of these, and `left` the
// edges that still lie between two components.
template <class T, class Box>
__device__ Left contract(const Grid &grid, const Edges<WORDS_OF<T>> &edges, const Contraction<T> &what, Box box,
                         Meeting *meeting) {
  constexpr int WORDS = WORDS_OF<T>;
  const int *const parent = what.parent;
  int *const number = what.number;
  find_first(grid, edges, what.components, what.least, what.first);
  if (!hook(grid, edges, what.components, what.bound, what.first, what.parent, meeting)) return {0, 0};
  for (i64 c = grid.first(); c < what.components; c += grid.step()) what.sizes[c] = 0;
  const u64 roots = in_order(
      grid, what.components, what.numbers, [&](i64 c) { return parent[c] == c; },
      [&](i64 c, bool root, u64 before) {
        if (root)
          number[c] = (int)before;
        else
          edges.copy(what.first[c], what.taken + (c - (i64)before) * WORDS);
      });
  grid.sync();
  for (i64 c = grid.first(); c < what.components; c += grid.step()) {
    const int now = number[parent[c]];
    if (parent[c] != c) number[c] = now;
    atomicAdd(reinterpret_cast<unsigned long long *>(what.sizes) + now, (unsigned long long)what.size[c]);
  }
  for (i64 i = grid.first(); i < what.count; i += grid.step()) what.labels[i] = number[parent[what.label[i]]];
  for (i64 i = grid.first(); i < what.boxes; i += grid.step()) {
    const int of_box = box(i);
    what.of_boxes[i] = of_box < 0 ? of_box : number[parent[of_box]];
  }
  grid.sync();
  const u64 between = in_order(
      grid, edges.count, what.numbers, [&](i64 i) { return number[edges.from(i)] != number[edges.to(i)]; },
      [&](i64 i, bool kept, u64 before) {
        if (kept) edges.copy(i, what.left + before * WORDS);
      });
  return {(i64)roots, (i64)between};
}

// Weight and power of the first edge of every component; the weight of the one of the most points, the first one of
// several, becomes -1. `greatest` is (points << 32 | ~number): so a greater one comes later.
template <class T>
__device__ void bound_components(const Grid &grid, const Edges<WORDS_OF<T>> &edges, i64 components, const i64 *size,
                                 u64 *least, u32 *first, Bits<T> *weight, Bits<T> *power, Meeting *meeting) {
  find_first(grid, edges, components, least, first);
  u64 mine = 0;
  for (i64 c = grid.first(); c < components; c += grid.step()) {
    const u64 *const edge = edges.words + (i64)first[c] * WORDS_OF<T>;
    weight[c] = weight_in<T>(edge);
    power[c] = power_in<T>(edge);
    const u64 points = minimum((u64)size[c], (u64)~0u);
    mine = maximum(mine, points << 32 | (u32) ~(u32)c);
  }
  mine = warp_max(mine);
  if (lane_id() == 0) atomicMax(reinterpret_cast<unsigned long long *>(&meeting->greatest), (unsigned long long)mine);
  grid.sync();
  if (grid.first() == 0) weight[~(u32) * (volatile u64 *)&meeting->greatest] = bits_of(T(-1));
}
