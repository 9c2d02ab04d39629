// Borůvka's rounds on a list of edges, without the host; forest.cu makes the list.
//
// A round is two passes over the list. `hook`: an edge that is the lightest of one of its ends hooks that component
// onto the other one, by the rule of contract.cuh. `filter`: ends climb to their roots, edges within a component are
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
constexpr int ALONE = 2048;    // at most so many listed edges are left to one block, whose barriers are cheaper
constexpr int MANY_ALIKE = 8;  // lanes of a warp whose edges have the same end, or both
constexpr int MANY = 4;        // vertices or edges that a thread processes at once, to overlap their memory accesses
constexpr int MOST_BLOCKS = EMST_MOST_BLOCKS;

struct State {
  u64 edges;                // of the forest
  u64 count[PASSES];        // length of the list that a pass writes
  u64 marked[MOST_BLOCKS];  // number of marks in the share of a block
  u64 pieces;               // of rows, among which heavy edges are looked for
  u64 heaviest[2];          // of the light edges: its weight and position
  u64 low, high;            // the range of weights in the sample; see keys.cuh
  int unfinished[PASSES];   // whether a climb of the pass did not arrive
  u32 arrived;
};
static_assert(sizeof(State) == EMST_FOREST_WORDS * sizeof(u64), "forest.py allocates it");

template <class W, bool EXACT>
struct Worklist {
  Grid grid;
  int n, pass;
  int *parent;
  Order<W, EXACT> order;
  u64 *now, *next;  // least edges, by component
  Item *list, *spare;
  u32 *marks;
  State *state;

  __device__ void mark(i64 e) { atomicOr(marks + (e >> 5), 1u << (e & 31)); }

  template <class T>
  static __device__ void swap(T &a, T &b) {
    T c = a;
    a = b;
    b = c;
  }

  // All labels become roots. If there are further rounds, the least edges of roots are cleared.
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
          if (further && at[j] == v) now[v] = next[v] = NO_EDGE;
        }
      }
      grid.sync();
    } while (*(volatile int *)&state->unfinished[pass]);
  }

  // The ITEMS edges that a thread processes at once; those beyond the end are not `live`.
  template <int ITEMS>
  __device__ void load(u64 start, u64 count, Item (&item)[ITEMS], bool (&live)[ITEMS]) {
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
      Item item[ITEMS];
      bool live[ITEMS], of_u[ITEMS], of_v[ITEMS];
      load(start, count, item, live);
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        of_u[j] = now[item[j].u] == item[j].edge;
        of_v[j] = now[item[j].v] == item[j].edge;
      }
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        if (!live[j] || !(of_u[j] || of_v[j])) continue;
        const int u = item[j].u, v = item[j].v;
        const bool v_hooks = of_v[j] && !stays_root(v, u, [&] { return of_u[j]; });
        parent[v_hooks ? v : u] = v_hooks ? u : v;
        mark(order.place(item[j].edge));
        next[u] = next[v] = NO_EDGE;  // the roots of the next round are among these ends
      }
    }
  }

  // Whether the edge of this lane remains: of a crowd that is alike, only the least edge does.
  __device__ bool remains(bool alike, u64 edge) const {
    if (__popc(__ballot_sync(FULL, alike)) < MANY_ALIKE) return true;
    const u64 least = ~warp_max(alike ? ~edge : 0);
    return __any_sync(FULL, alike && order.tied(edge, least)) || !alike || edge == least;
  }

  // The value of the first lane that takes part.
  static __device__ int of_first(bool takes_part, int value) {
    return __shfl_sync(FULL, value, __ffs(__ballot_sync(FULL, takes_part)) - 1);
  }

  // No edge is offered to component `giant`: it waits until all others have joined it.
  template <int ITEMS>
  __device__ void filter(u64 count, int giant) {
    const u64 chunk = (u64)GRAPH_THREADS * ITEMS;
    for (u64 start = grid.rank * chunk; start < count; start += grid.size * chunk) {
      Item item[ITEMS];
      bool kept[ITEMS], arrived[ITEMS];
      int u[ITEMS], v[ITEMS], top_u[ITEMS], top_v[ITEMS];
      u64 least_u[ITEMS], least_v[ITEMS];
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
      for (int j = 0; j < ITEMS; j++) {  // in late rounds, most edges lie between the same few components
        const int first_u = of_first(kept[j], u[j]), first_v = of_first(kept[j], v[j]);
        const bool alike = kept[j] && arrived[j] && u[j] == first_u && v[j] == first_v;
        kept[j] = remains(alike, item[j].edge) && kept[j];
      }
#pragma unroll
      for (int j = 0; j < ITEMS; j++) least_u[j] = now[u[j]], least_v[j] = now[v[j]];
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        const u64 edge = item[j].edge;
        bool to_u = kept[j] && arrived[j] && u[j] != giant && order.precedes(edge, least_u[j]);
        bool to_v = kept[j] && arrived[j] && v[j] != giant && order.precedes(edge, least_v[j]);
        const int first_u = of_first(to_u, u[j]), first_v = of_first(to_v, v[j]);
        to_u = remains(to_u && u[j] == first_u, edge) && to_u;
        to_v = remains(to_v && v[j] == first_v, edge) && to_v;
        least_u[j] = to_u ? atomicMin(now + u[j], edge) : edge;
        least_v[j] = to_v ? atomicMin(now + v[j], edge) : edge;
      }
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        order.settle(now + u[j], item[j].edge, least_u[j]);
        order.settle(now + v[j], item[j].edge, least_v[j]);
      }
      Item *const to = spare + reserve<GRAPH_THREADS>(kept, &state->count[pass], at);
#pragma unroll
      for (int j = 0; j < ITEMS; j++)
        if (kept[j]) to[at[j]] = {u[j], v[j], item[j].edge};
    }
  }

  // Whether there are MANY edges for every thread; otherwise a thread takes one edge at a time.
  __device__ bool many(u64 count) const { return count >= MANY * grid.step(); }

  // Rounds until no listed edge is left. `count` edges are listed. A short list is left to block 0; the other blocks
  // wait at the last barrier.
  __device__ void rounds(u64 count, int giant) {
    const Worklist before = *this;
    for (;;) {
      do {
        pass++;
        if (many(count))
          filter<MANY>(count, giant);
        else
          filter<1>(count, giant);
        grid.sync();
        swap(list, spare);
        count = *(volatile u64 *)&state->count[pass];
      } while (*(volatile int *)&state->unfinished[pass]);
      if (count <= ALONE) grid.size = 1;
      if (count == 0 || grid.rank >= grid.size) break;
      if (many(count))
        hook<MANY>(count);
      else
        hook<1>(count);
      grid.sync();
      swap(now, next);
    }
    *this = before;  // blocks have run different numbers of rounds
    grid.sync();
  }
};
