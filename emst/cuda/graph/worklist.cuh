// Borůvka's rounds on a list of edges, without the host; forest.cu makes the list.
//
// A round is two passes over the list. `hook`: an edge that is the lightest of one of its ends hangs that component on
// the other one, by the rule of contract.cuh. `filter`: ends climb to their roots, edges within a component are
// dropped, and the others are offered to both ends for the next round. If a chain is too long for one climb, `filter`
// is repeated: every component on a chain is an end of a listed edge, so its parent pointer then skips the part that
// has been climbed, and the lengths of climbs multiply.
#pragma once
#include "contract.cuh"
#include "graph/keys.cuh"

// Every pass has a counter for the list that it writes: first the passes over light edges, from HEAVY_PASSES on those
// over the other edges, from LAST_PASSES on those of the last climb. A pass divides the length of a chain by more than
// HOPS, so a chain of 2^31 components takes at most six. A round with a long chain leaves few components. So 31 rounds
// take fewer than a hundred passes.
constexpr int PASSES = 512, HEAVY_PASSES = 240, LAST_PASSES = 480;
constexpr int ALONE = 2048;  // at most so many listed edges are left to one block, whose barriers are cheaper
constexpr int MANY = 4;      // vertices or edges that a thread processes at once, to overlap their memory accesses
constexpr int MOST_BLOCKS = EMST_MOST_BLOCKS;

struct State {
  u64 edges;               // of the forest
  u64 count[PASSES];       // length of the list that a pass writes
  u64 found[MOST_BLOCKS];  // number of marks in the share of a block
  int unfinished[PASSES];  // whether a climb of the pass did not arrive
  Wide threshold;          // the last light edge
  u32 arrived;
};
static_assert(sizeof(State) == EMST_FOREST_WORDS * sizeof(u64), "forest.py allocates it");

template <class Key>
struct Worklist {
  Grid grid;
  int n, pass;
  int *parent;
  Least<Key> now, next;
  Item<Key> *list, *spare;
  u32 *marks;
  State *state;

  __device__ void mark(i64 e) { atomicOr(marks + (e >> 5), 1u << (e & 31)); }

  template <class T>
  static __device__ void swap(T &a, T &b) {
    T c = a;
    a = b;
    b = c;
  }

  // All labels become roots. If there are further rounds, their least edges are cleared.
  __device__ void flatten(bool further) {
    do {
      pass++;
      for (i64 start = grid.first(); start < n; start += MANY * grid.step()) {
        int before[MANY], at[MANY], top[MANY];
#pragma unroll
        for (int j = 0; j < MANY; j++) before[j] = at[j] = parent[minimum(start + j * grid.step(), (i64)n - 1)];
#pragma unroll
        for (int j = 0; j < MANY; j++) top[j] = parent[at[j]];
#pragma unroll
        for (int j = 0; j < MANY; j++) {
          const i64 v = start + j * grid.step();
          if (v >= n) break;
          const bool arrived = climb(parent, at[j], top[j]);
          if (at[j] != before[j]) parent[v] = at[j];
          if (!arrived) state->unfinished[pass] = 1;
          if (!further) continue;
          now.clear(v);
          next.clear(v);
        }
      }
      grid.sync();
    } while (*(volatile int *)&state->unfinished[pass]);
  }

  // The ITEMS edges that a thread processes at once; those beyond the end are not `live`.
  template <int ITEMS>
  __device__ void load(u64 start, u64 count, Item<Key> (&item)[ITEMS], bool (&live)[ITEMS]) {
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
      const u64 i = start + j * GRAPH_THREADS + threadIdx.x;
      live[j] = i < count;
      item[j] = list[minimum(i, count - 1)];
    }
  }

  template <int ITEMS>
  __device__ void hook(u64 count) {
    const u64 chunk = (u64)GRAPH_THREADS * ITEMS;
    for (u64 start = grid.rank * chunk; start < count; start += grid.size * chunk) {
      Item<Key> item[ITEMS];
      bool live[ITEMS], of_u[ITEMS], of_v[ITEMS];
      load(start, count, item, live);
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        of_u[j] = now.is(item[j].u, item[j].key);
        of_v[j] = now.is(item[j].v, item[j].key);
      }
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        if (!live[j] || !(of_u[j] || of_v[j])) continue;
        const int u = item[j].u, v = item[j].v;
        const bool v_hooks = of_v[j] && !stays_root(v, u, [&] { return of_u[j]; });
        parent[v_hooks ? v : u] = v_hooks ? u : v;
        mark(item[j].key.place());
        next.clear(u);  // the roots of the next round are among these ends
        next.clear(v);
      }
    }
  }

  template <int ITEMS>
  __device__ void filter(u64 count) {
    const u64 chunk = (u64)GRAPH_THREADS * ITEMS;
    for (u64 start = grid.rank * chunk; start < count; start += grid.size * chunk) {
      Item<Key> item[ITEMS];
      bool kept[ITEMS], arrived[ITEMS];
      int u[ITEMS], v[ITEMS], top_u[ITEMS], top_v[ITEMS];
      u64 known_u[ITEMS], known_v[ITEMS];
      u32 at[ITEMS];
      load(start, count, item, kept);
#pragma unroll
      for (int j = 0; j < ITEMS; j++) u[j] = parent[item[j].u], v[j] = parent[item[j].v];
#pragma unroll
      for (int j = 0; j < ITEMS; j++) top_u[j] = parent[u[j]], top_v[j] = parent[v[j]];
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        const int before_u = u[j], before_v = v[j];
        arrived[j] = climb(parent, u[j], top_u[j]) & climb(parent, v[j], top_v[j]);
        if (u[j] != before_u) parent[item[j].u] = u[j];
        if (v[j] != before_v) parent[item[j].v] = v[j];
        if (!arrived[j]) state->unfinished[pass] = 1;
        kept[j] = kept[j] && !(arrived[j] && u[j] == v[j]);
      }
#pragma unroll
      for (int j = 0; j < ITEMS; j++) known_u[j] = now.known(u[j]), known_v[j] = now.known(v[j]);
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        if (!kept[j] || !arrived[j]) continue;
        now.offer(u[j], item[j].key, known_u[j]);
        now.offer(v[j], item[j].key, known_v[j]);
      }
      Item<Key> *const to = spare + reserve<GRAPH_THREADS>(kept, &state->count[pass], at);
#pragma unroll
      for (int j = 0; j < ITEMS; j++)
        if (kept[j]) to[at[j]] = {u[j], v[j], item[j].key};
    }
  }

  __device__ void offer_places(u64 count) {
    for (u64 i = grid.first(); i < count; i += grid.step()) {
      const Item<Key> item = list[i];
      now.offer_place(item.u, item.key);
      now.offer_place(item.v, item.key);
    }
  }

  // Whether there are MANY edges for every thread; otherwise a thread takes one edge at a time.
  __device__ bool many(u64 count) const { return count >= MANY * grid.step(); }

  // Rounds until no listed edge is left. A short list is left to block 0; the other blocks wait at the last barrier.
  __device__ void rounds() {
    const Worklist before = *this;
    for (;;) {
      swap(list, spare);
      const u64 count = *(volatile u64 *)&state->count[pass];
      if (count <= ALONE) grid.size = 1;
      if (count == 0 || grid.rank >= grid.size) break;
      if (Least<Key>::TWO_STEPS) {
        offer_places(count);
        grid.sync();
      }
      if (many(count))
        hook<MANY>(count);
      else
        hook<1>(count);
      grid.sync();
      swap(now, next);
      for (u64 left = count;;) {
        pass++;
        if (many(left))
          filter<MANY>(left);
        else
          filter<1>(left);
        grid.sync();
        if (!*(volatile int *)&state->unfinished[pass]) break;
        left = *(volatile u64 *)&state->count[pass];
        swap(list, spare);
      }
    }
    *this = before;  // blocks have run different numbers of rounds
    grid.sync();
  }
};
