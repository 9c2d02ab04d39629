// The steps of a round of linkage.cu, which explains them. Many edges take a launch for each step, few take one block
// for all rounds.
#pragma once
#include "contract.cuh"
#include "runtime/compact.cuh"

constexpr int EMPTY = (int)0x80000000;  // no child yet

// Edges between components, in order. `ranks` null: an edge's rank is its index.
struct Edges {
  const int2 *ends;
  const int *ranks;
  u32 *lightest;  // of every component: its lightest leaving edge, as the slot on the component's side

  __device__ u32 slot(i64 i) const { return 2u * (ranks ? (u32)ranks[i] : (u32)i); }

  // An edge within a component closes a cycle; it is never chosen.
  __device__ void offer(i64 i) const {
    const int2 e = ends[i];
    if (e.x == e.y) return;
    lower(lightest + e.x, slot(i));
    lower(lightest + e.y, slot(i) + 1);
  }

  // Hangs components on each other by the rule of contract.cuh. In the first round components are points, n of them,
  // and they become children in the slots of these edges; in later rounds child is null.
  __device__ void hook(i64 i, int *parent, int2 *child, int n) const {
    const int2 e = ends[i];
    const bool x = lightest[e.x] == slot(i), y = lightest[e.y] == slot(i) + 1;
    if (x) parent[e.x] = stays_root(e.x, e.y, [&] { return y; }) ? e.x : e.y;
    if (y) parent[e.y] = stays_root(e.y, e.x, [&] { return x; }) ? e.y : e.x;
    if (child) child[i] = make_int2(x ? e.x - n : EMPTY, y ? e.y - n : EMPTY);
  }
};

// Closes open edges (rank, a component that it lies in, numbered as before the last round), or keeps them open.
struct Closing {
  const int2 *open;
  const int *parent, *number;
  const u32 *lightest;
  u64 round;
  u64 *key;
  int2 *still_open;

  __device__ bool keep(i64 i) const {
    const int2 e = open[i];
    const u32 slot = lightest[number[parent[e.y]]];
    if ((u32)e.x > slot / 2) return true;
    key[e.x] = round | slot;
    return false;
  }
  __device__ void emit(i64 i, bool kept, u32 rank) const {
    if (kept) still_open[rank] = make_int2(open[i].x, number[parent[open[i].y]]);
  }
};

// Numbers the roots, none of which has a lightest edge yet. At most half of a tree's components are roots; if the edges
// are no tree there may be more, for which `lightest` has no room.
struct Numbering {
  const int *parent;
  i64 count;
  int *number;
  u32 *lightest;

  __device__ bool keep(i64 c) const { return parent[c] == c; }
  __device__ void emit(i64 c, bool kept, u32 rank) const {
    if (!kept) return;
    number[c] = (int)rank;
    if (2 * (i64)rank < count) lightest[rank] = ~0u;
  }
};

// Edges between components stay, with new numbers of components; contracted ones become open, with the old numbers.
struct Contraction {
  Edges edges;
  const int *parent, *number;
  int2 *ends_left;
  int *ranks_left;
  int2 *open;

  __device__ bool keep(i64 i) const {
    const int2 e = edges.ends[i];
    return edges.lightest[e.x] != edges.slot(i) && edges.lightest[e.y] != edges.slot(i) + 1;
  }
  __device__ void emit(i64 i, bool kept, u32 before) const {
    const int2 e = edges.ends[i];
    const int rank = (int)(edges.slot(i) / 2);
    if (kept) {
      ends_left[before] = make_int2(number[parent[e.x]], number[parent[e.y]]);
      ranks_left[before] = rank;
    } else {
      open[i - before] = make_int2(rank, e.x);
    }
  }
};

template <class Step>
__device__ void compact_step(i64 n, u64 *tiles, u32 epoch, int *total, const Step &step) {
  compact(
      n, tiles, epoch, total, [&](int, i64 i) { return step.keep(i); },
      [&](i64 i, bool kept, u32 rank) { step.emit(i, kept, rank); });
}
