// The dendrogram of a spanning tree from Borůvka's rounds on its sorted edges.
//
// An edge's rank is its place in the order. A *slot* is a rank and an end, 2 * rank + (0 or 1): the place for the child
// of the edge's merge on that side. An edge that a round contracts is open. In each later round, an open edge that is
// lighter than the lightest edge b that leaves its component is closed: its slot is the one of b on the component's
// side. Edges that are never closed belong to the root. The edges closed with one slot form a chain: in ascending order
// each is the parent of the one before it, and b is the parent of the last. The reason: the open and the contracted
// edges of a component that are heavier than its lightest leaving edge are ancestors of that edge, and the ancestors of
// one node form a chain. The subtrees below a chain consist of chains closed in earlier rounds, so sizes are segmented
// sums over the chains of one round after the other: O(n) work and O(log n) launches at any depth. The idea is
// PANDORA's (P. Sao, A. Prokopenko, D. Lebrun-Grandié, 2024).
#include "contract.cuh"
#include "runtime/compact.cuh"
#include "runtime/scan.cuh"

constexpr int EMPTY = (int)0x80000000;  // no child yet

__device__ inline u32 slot_of(const int *ranks, i64 i) { return 2u * (ranks ? (u32)ranks[i] : (u32)i); }

// Every component's lightest leaving edge, as the slot on the component's side. Ranks null: the edge's index. An edge
// within a component closes a cycle; it is never chosen.
__global__ void lightest_slots(const int2 *ends, const int *ranks, i64 edges, u32 *lightest) {
  i64 i = thread_id();
  if (i >= edges) return;
  const u32 slot = slot_of(ranks, i);
  const int2 e = ends[i];
  if (e.x == e.y) return;
  lower(lightest + e.x, slot);
  lower(lightest + e.y, slot + 1);
}

__device__ inline bool chosen(const u32 *lightest, int2 e, u32 slot) {
  return lightest[e.x] == slot || lightest[e.y] == slot + 1;
}

// Hangs components on each other by the rule of contract.cuh. In the first round components are points, and they become
// children in the slots of these edges; in later rounds child is null.
__global__ void hook(const int2 *ends, const int *ranks, i64 edges, const u32 *lightest, int *parent, int2 *child) {
  i64 i = thread_id();
  if (i >= edges) return;
  const u32 slot = slot_of(ranks, i);
  const int2 e = ends[i];
  const bool x = lightest[e.x] == slot, y = lightest[e.y] == slot + 1;
  if (x) parent[e.x] = stays_root(e.x, e.y, [&] { return y; }) ? e.x : e.y;
  if (y) parent[e.y] = stays_root(e.y, e.x, [&] { return x; }) ? e.y : e.x;
  const int n = (int)edges + 1;
  if (child) child[i] = make_int2(x ? e.x - n : EMPTY, y ? e.y - n : EMPTY);
}

// Closes open edges (rank, a component that it lies in, numbered as before the last round), or keeps them open.
__global__ void __launch_bounds__(COMPACT_THREADS)
    close_chains(const int2 *open, i64 count, const int *parent, const int *number, const u32 *lightest, u64 round,
                 u64 *key, int2 *still_open, int *kept_count, u64 *tiles, u32 epoch) {
  compact(
      count, tiles, epoch, kept_count,
      [&](int, i64 i) {
        const int2 e = open[i];
        const u32 slot = lightest[number[parent[e.y]]];
        if ((u32)e.x > slot / 2) return true;
        key[e.x] = round | slot;
        return false;
      },
      [&](i64 i, bool kept, u32 rank) {
        if (kept) still_open[rank] = make_int2(open[i].x, number[parent[open[i].y]]);
      });
}

// Components climb towards their roots; unfinished is set to this pass if one did not arrive. A value that another
// thread has written in this pass is an ancestor, too.
__global__ void shorten(int *parent, i64 count, int pass, int *unfinished) {
  i64 c = thread_id();
  if (c >= count) return;
  int at = parent[c];
  const bool arrived = climb(parent, at, parent[at]);
  parent[c] = at;
  if (!arrived) *unfinished = pass;
}

// Numbers the roots, none of which has a lightest edge yet. At most half of a tree's components are roots; if the edges
// are no tree there may be more, for which `lightest` has no room.
__global__ void __launch_bounds__(COMPACT_THREADS)
    number_roots(const int *parent, i64 count, int *number, u32 *lightest, int *roots, u64 *tiles, u32 epoch) {
  compact(
      count, tiles, epoch, roots, [&](int, i64 c) { return parent[c] == c; },
      [&](i64 c, bool kept, u32 rank) {
        if (!kept) return;
        number[c] = (int)rank;
        if (2 * (i64)rank < count) lightest[rank] = ~0u;
      });
}

// Edges between components stay, with new numbers of components; contracted ones become open, with the old numbers.
__global__ void __launch_bounds__(COMPACT_THREADS)
    contract(const int2 *ends, const int *ranks, i64 edges, const u32 *lightest, const int *parent, const int *number,
             int2 *ends_left, int *ranks_left, int2 *open, int *count, u64 *tiles, u32 epoch) {
  compact(
      edges, tiles, epoch, count, [&](int, i64 i) { return !chosen(lightest, ends[i], slot_of(ranks, i)); },
      [&](i64 i, bool kept, u32 before) {
        const int2 e = ends[i];
        const int rank = (int)(slot_of(ranks, i) / 2);
        if (kept) {
          ends_left[before] = make_int2(number[parent[e.x]], number[parent[e.y]]);
          ranks_left[before] = rank;
        } else {
          open[i - before] = make_int2(rank, e.x);
        }
      });
}

__global__ void close_root(const int2 *open, i64 count, u64 root, u64 *key) {
  i64 i = thread_id();
  if (i < count) key[open[i].x] = root;
}

// The chains of one round: sizes, children in ascending order, and the last of each chain in its slot.
__global__ void __launch_bounds__(SCAN_THREADS)
    sum_chains(const u64 *key, const int *order, i64 begin, i64 count, u64 slot_mask, i64 edges, u32 *slots,
               int2 *children, int *size, u64 *tiles, u32 epoch) {
  auto points = [&](int c) { return c == EMPTY ? 0 : c < 0 ? 1 : size[c]; };
  segmented_scan(
      count, tiles, epoch,
      [&](i64 i, bool &head) {
        const i64 at = begin + i;
        head = i == 0 || key[at] != key[at - 1];
        const int2 c = children[order[at]];
        return (u32)(points(c.x) + points(c.y));
      },
      [&](i64 i, u32 sum) {
        const i64 at = begin + i;
        const int e = order[at];
        int2 c = children[e];
        if (c.x == EMPTY) c.x = order[at - 1];
        if (c.y == EMPTY) c.y = order[at - 1];
        children[e] = make_int2(minimum(c.x, c.y), maximum(c.x, c.y));
        size[e] = (int)sum;
        const u32 slot = (u32)(key[at] & slot_mask);
        slots[at] = slot;
        const bool last = i + 1 == count || key[at + 1] != key[at];
        if (last && slot / 2 < edges) reinterpret_cast<int *>(children)[slot] = e;
      });
}
