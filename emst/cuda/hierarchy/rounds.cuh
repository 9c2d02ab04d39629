// Borůvka's rounds on the sorted edges of a tree (linkage.cu), by blocks that are all resident.
//
// Neither the numbers of components nor the order of the edges that are left matter for the result: blocks reserve
// places for them.
#pragma once
#include "contract.cuh"
#include "runtime/grid.cuh"

constexpr int ROUND_THREADS = EMST_ROUND_THREADS, ROUND_TILE = ROUND_THREADS * EACH;
constexpr int MOST_ROUNDS = 32;         // a round at least halves the components
constexpr int EMPTY = (int)0x80000000;  // no child yet

// What blocks write for each other, by round; all zero at the start.
struct Progress {
  u64 roots[MOST_ROUNDS], edges[MOST_ROUNDS];  // that a round leaves
  u64 closed[MOST_ROUNDS];
  u32 unfinished, arrived;
};
static_assert(sizeof(Progress) == 8 * EMST_PROGRESS_WORDS, "linkage.py allocates it");

// Edges between components, of which the last is number `last`. `ranks` null: an edge's rank is its index. The first
// list may be none of a tree, or may not have been written (`early` in linkage.py): any number counts as a component.
struct EdgeList {
  int2 *ends;
  int *ranks;
  u32 last;
  __device__ int rank(i64 i) const { return ranks ? ranks[i] : (int)i; }
  __device__ int2 at(i64 i) const {
    const int2 e = ends[i];
    return make_int2((int)minimum((u32)e.x, last), (int)minimum((u32)e.y, last));
  }
};

// The record of a component: the slot of the lightest edge that leaves it, and the component at the other end, which
// becomes the component of the next round that this one is part of.
__device__ inline u64 record_of(u32 slot, int component) { return (u64)slot << 32 | (u32)component; }
__device__ inline u32 slot_in(u64 record) { return (u32)(record >> 32); }
__device__ inline int component_in(u64 record) { return (int)(u32)record; }
constexpr u64 NO_RECORD = ~0ull;

// Offers edges to the records of the components at their ends; those within a component close a cycle.
__device__ inline void offer(u64 *records, const int (&rank)[EACH], const int2 (&ends)[EACH],
                             const bool (&there)[EACH]) {
  u64 x[EACH], y[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    x[j] = there[j] ? records[ends[j].x] : 0;
    y[j] = there[j] ? records[ends[j].y] : 0;
  }
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const u64 to_x = record_of(2u * rank[j], ends[j].y), to_y = record_of(2u * rank[j] + 1, ends[j].x);
    if (ends[j].x == ends[j].y) continue;
    if (to_x < x[j]) atomicMin(records + ends[j].x, to_x);
    if (to_y < y[j]) atomicMin(records + ends[j].y, to_y);
  }
}

// step(i) for tiles of ROUND_TILE indices; the j-th index of a thread is i + j * ROUND_THREADS.
template <class Step>
__device__ void for_tiles(const Grid &grid, i64 n, Step step) {
  for (i64 first = (i64)grid.rank * ROUND_TILE; first < n; first += (i64)grid.size * ROUND_TILE)
    step(first + threadIdx.x);
}

// Hooks components onto one another by the rule of contract.cuh. A root's parent is ~(its number in the next round),
// and its next record is made empty. At most half of a tree's components are roots; if the edges are no tree there may
// be more, which have no places in the list.
__device__ inline void hook(const Grid &grid, const u64 *records, i64 count, int *parent, u64 *next, u64 *roots) {
  for_tiles(grid, count, [&](i64 i) {
    u64 record[EACH], of_other[EACH];
    bool root[EACH];
    u32 at[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) record[j] = records[minimum(i + j * ROUND_THREADS, count - 1)];
#pragma unroll
    for (int j = 0; j < EACH; j++) {  // a component that comes first reads its own record again
      const int c = (int)minimum(i + j * ROUND_THREADS, count - 1);
      of_other[j] = records[maximum(c, component_in(record[j]))];
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      const i64 c = i + j * ROUND_THREADS;
      const auto mutual = [&] { return slot_in(of_other[j]) / 2 == slot_in(record[j]) / 2; };
      root[j] = c < count && (record[j] == NO_RECORD || stays_root((int)c, component_in(record[j]), mutual));
    }
    const i64 first = (i64)reserve<ROUND_THREADS>(root, roots, at);
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      const i64 c = i + j * ROUND_THREADS, number = first + at[j];
      if (c < count) parent[c] = root[j] ? ~(int)number : component_in(record[j]);
      if (root[j] && 2 * number < count) next[number] = NO_RECORD;
    }
  });
}

// Components climb towards their roots, at most HOPS steps, and write the number that they find there into their
// records. Returns whether all of this thread's have arrived. A parent that another thread has written in this pass is
// an ancestor, too.
__device__ inline bool relabel(const Grid &grid, u64 *records, i64 count, int *parent) {
  bool all = true;
  for_tiles(grid, count, [&](i64 i) {
    int above[EACH], at[EACH], top[EACH];
    u64 record[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      at[j] = (int)minimum(i + j * ROUND_THREADS, count - 1);
      top[j] = above[j] = parent[at[j]];
      record[j] = records[at[j]];
    }
#pragma unroll
    for (int hop = 0; hop < 2; hop++) {
      int further[EACH];
#pragma unroll
      for (int j = 0; j < EACH; j++) further[j] = parent[maximum(top[j], 0)];
#pragma unroll
      for (int j = 0; j < EACH; j++) {
        if (top[j] < 0) continue;
        at[j] = top[j];
        top[j] = further[j];
      }
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      const i64 c = i + j * ROUND_THREADS;
      if (c >= count) continue;
      for (int hop = 2; top[j] >= 0 && hop < HOPS; hop++) {
        at[j] = top[j];
        top[j] = parent[at[j]];
      }
      if (above[j] >= 0 && at[j] != above[j]) parent[c] = at[j];
      if (top[j] < 0)
        records[c] = record_of(slot_in(record[j]), ~top[j]);
      else
        all = false;
    }
  });
  return all;
}

// Edges between components are left, with the numbers of the next round, and are offered to its records. each(i, ends,
// records of the ends) sees all edges.
template <class Each>
__device__ void contract_edges(const Grid &grid, const EdgeList &edges, i64 count, const u64 *records,
                               const EdgeList &left, u64 *next, u64 *left_count, Each each) {
  for_tiles(grid, count, [&](i64 i) {
    int2 ends[EACH];
    u64 x[EACH], y[EACH];
    bool kept[EACH];
    u32 at[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) ends[j] = edges.at(minimum(i + j * ROUND_THREADS, count - 1));
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      x[j] = records[ends[j].x];
      y[j] = records[ends[j].y];
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      const i64 k = i + j * ROUND_THREADS;
      kept[j] = k < count && component_in(x[j]) != component_in(y[j]);
      if (k < count) each(k, ends[j], x[j], y[j]);
    }
    const i64 first = (i64)reserve<ROUND_THREADS>(kept, left_count, at);
    int rank[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      ends[j] = make_int2(component_in(x[j]), component_in(y[j]));
      rank[j] = kept[j] ? edges.rank(i + j * ROUND_THREADS) : 0;
      if (kept[j]) left.ends[first + at[j]] = ends[j];
      if (kept[j]) left.ranks[first + at[j]] = rank[j];
    }
    offer(next, rank, ends, kept);
  });
}
