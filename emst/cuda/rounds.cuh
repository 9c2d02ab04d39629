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
constexpr int HOPS = 64;       // of one climb
constexpr int LIST_ITEMS = 4;  // listed edges a thread works on at once
constexpr int ALONE = 8192;    // listed edges that one block finishes by itself: its barriers are cheaper

struct State {
  u64 count[PASSES];       // length of the list that a pass writes
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
  __device__ i64 first_vertex() const { return (i64)crew.rank * TILE_THREADS + threadIdx.x; }
  __device__ i64 vertex_step() const { return (i64)crew.size * TILE_THREADS; }

  template <class T>
  static __device__ void swap(T &a, T &b) {
    T c = a;
    a = b;
    b = c;
  }

  __device__ void append(const Item<Key> &item, u64 at) { spare[at] = item; }

  // All labels become roots; nothing is known of what leaves them, if there are to be further rounds.
  __device__ void flatten(bool further) {
    do {
      pass++;
      for (i64 v = first_vertex(); v < n; v += vertex_step()) {
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
    for (u64 i = first_vertex(); i < count; i += vertex_step()) {
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

  // The component that holds c, or one on the way to it.
  __device__ int climb(int c, bool &arrived) {
    const int before = parent[c];
    int at = before, top = parent[at];
    for (int hop = 0; top != at && hop < HOPS; hop++) {
      at = top;
      top = parent[at];
    }
    if (at != before) parent[c] = at;
    arrived = arrived && top == at;
    return at;
  }

  __device__ void shrink(u64 count) {
    const u64 chunk = (u64)TILE_THREADS * LIST_ITEMS;
    for (u64 start = crew.rank * chunk; start < count; start += crew.size * chunk) {
      Item<Key> item[LIST_ITEMS];
      bool kept[LIST_ITEMS];
      u64 at[LIST_ITEMS];
#pragma unroll
      for (int j = 0; j < LIST_ITEMS; j++) {
        const u64 i = start + j * TILE_THREADS + threadIdx.x;
        kept[j] = i < count;
        if (kept[j]) item[j] = list[i];
      }
#pragma unroll
      for (int j = 0; j < LIST_ITEMS; j++) {
        if (!kept[j]) continue;
        bool arrived = true;
        item[j].u = climb(item[j].u, arrived);
        item[j].v = climb(item[j].v, arrived);
        if (!arrived) {
          state->unfinished[pass] = 1;
          continue;
        }
        kept[j] = item[j].u != item[j].v;
        if (!kept[j]) continue;
        now.offer(item[j].u, item[j].key);
        now.offer(item[j].v, item[j].key);
      }
      reserve(kept, &state->count[pass], at);
#pragma unroll
      for (int j = 0; j < LIST_ITEMS; j++)
        if (kept[j]) append(item[j], at[j]);
    }
  }

  __device__ void offer_places(u64 count) {
    for (u64 i = first_vertex(); i < count; i += vertex_step()) {
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
      u64 left = count;
      for (;;) {
        pass++;
        shrink(left);
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
