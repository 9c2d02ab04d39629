// Borůvka's rounds on a list of edges, without a word to the host; graph.cu says where the list comes from.
//
// A round is two passes over the list. `contract`: an edge that is the lightest of one of its ends hooks that component
// onto the other; if it is the lightest of both, the smaller one stays the root, so there is nothing to compare and
// swap (see merge.cu). `shrink`: ends climb to their roots, edges within a component are dropped, and the others are
// offered to both ends for the next round. Chains too long to climb are finished by repeating `shrink`: every
// component on a chain is an end of a listed edge, so its pointer then skips what has been climbed, and climbs
// compound.
#pragma once
#include "edges.cuh"

// Counters of lists: for 31 rounds of light edges, as many of the others, and few passes each.
constexpr int PASSES = 512, HEAVY_PASSES = 240, LAST_PASSES = 480;
constexpr int HOPS = 64;     // of one climb
constexpr int ALONE = 2048;  // listed edges that one block finishes by itself: its barriers are cheaper
constexpr int MOST_BLOCKS = 4096;

struct State {
  u64 edges;               // of the forest
  u64 count[PASSES];       // length of the list that a pass writes
  u64 found[MOST_BLOCKS];  // marks in the share of a block
  int unfinished[PASSES];  // whether a climb of the pass did not arrive
  Wide threshold;          // the last light edge
  u32 arrived;
};

template <class Key>
struct Work {
  Crew crew;
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

  // All labels become roots; nothing is known of what leaves them, if there are to be further rounds.
  __device__ void flatten(bool further) {
    do {
      pass++;
      for (i64 v = crew.first(); v < n; v += crew.step()) {
        const int before = parent[v];
        int at = before, top = parent[at];
        for (int hop = 0; top != at && hop < HOPS; hop++) {
          at = top;
          top = parent[at];
        }
        if (at != before) parent[v] = at;
        if (top != at) state->unfinished[pass] = 1;
        if (!further) continue;
        now.clear(v);
        next.clear(v);
      }
      crew.sync();
    } while (*(volatile int *)&state->unfinished[pass]);
  }

  __device__ void contract(u64 count) {
    for (u64 i = crew.first(); i < count; i += crew.step()) {
      const Item<Key> item = list[i];
      const bool of_u = now.is(item.u, item.key), of_v = now.is(item.v, item.key);
      if (!of_u && !of_v) continue;
      const bool v_hooks = of_u && of_v ? item.u < item.v : of_v;
      parent[v_hooks ? item.v : item.u] = v_hooks ? item.u : item.v;
      mark(item.key.place());
      next.clear(item.u);  // the roots of the next round are among these ends
      next.clear(item.v);
    }
  }

  // Both ends climb to their components, side by side; false if they are only on the way.
  __device__ bool climb(Item<Key> &item) {
    const int u = parent[item.u], v = parent[item.v];
    int at_u = u, at_v = v, top_u = parent[u], top_v = parent[v];
    for (int hop = 0; (top_u != at_u || top_v != at_v) && hop < HOPS; hop++) {
      at_u = top_u;
      at_v = top_v;
      top_u = parent[at_u];
      top_v = parent[at_v];
    }
    if (at_u != u) parent[item.u] = at_u;
    if (at_v != v) parent[item.v] = at_v;
    item.u = at_u;
    item.v = at_v;
    return top_u == at_u && top_v == at_v;
  }

  template <int ITEMS>
  __device__ void shrink(u64 count) {
    const u64 chunk = (u64)TILE_THREADS * ITEMS;
    for (u64 start = crew.rank * chunk; start < count; start += crew.size * chunk) {
      Item<Key> item[ITEMS];
      bool kept[ITEMS];
      u32 at[ITEMS];
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        const u64 i = start + tile_index(j);
        kept[j] = i < count;
        if (kept[j]) item[j] = list[i];
      }
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        if (!kept[j]) continue;
        if (!climb(item[j])) {
          state->unfinished[pass] = 1;
          continue;
        }
        kept[j] = item[j].u != item[j].v;
        if (!kept[j]) continue;
        now.offer(item[j].u, item[j].key);
        now.offer(item[j].v, item[j].key);
      }
      Item<Key> *const to = spare + reserve<TILE_THREADS>(kept, &state->count[pass], at);
#pragma unroll
      for (int j = 0; j < ITEMS; j++)
        if (kept[j]) to[at[j]] = item[j];
    }
  }

  __device__ void offer_places(u64 count) {
    for (u64 i = crew.first(); i < count; i += crew.step()) {
      const Item<Key> item = list[i];
      now.offer_place(item.u, item.key);
      now.offer_place(item.v, item.key);
    }
  }

  // Rounds until no listed edge is left. A short list is left to block 0: the others go on to the last barrier.
  __device__ void rounds() {
    const Work before = *this;
    for (;;) {
      swap(list, spare);
      const u64 count = *(volatile u64 *)&state->count[pass];
      if (count <= ALONE) crew.size = 1;
      if (count == 0 || crew.rank >= crew.size) break;
      if (Least<Key>::TWO_STEPS) {
        offer_places(count);
        crew.sync();
      }
      contract(count);
      crew.sync();
      swap(now, next);
      for (u64 left = count;;) {
        pass++;
        if (left > (u64)crew.step() * 4)
          shrink<4>(left);
        else
          shrink<1>(left);  // every thread waits once
        crew.sync();
        if (!*(volatile int *)&state->unfinished[pass]) break;
        left = *(volatile u64 *)&state->count[pass];
        swap(list, spare);
      }
    }
    *this = before;  // blocks have done different numbers of rounds
    crew.sync();
  }
};
