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
#include "hierarchy/chains.cuh"
#include "hierarchy/rounds.cuh"
#include "runtime/grid.cuh"

constexpr int FEW_THREADS = EMST_FEW_THREADS;

// The steps of a round of many edges.

__global__ void lightest_slots(const int2 *ends, const int *ranks, i64 edges, u32 *lightest) {
  const i64 i = thread_id();
  if (i < edges) Edges{ends, ranks, lightest}.offer(i);
}

__global__ void hook(const int2 *ends, const int *ranks, i64 edges, u32 *lightest, int *parent, int2 *child) {
  const i64 i = thread_id();
  if (i < edges) Edges{ends, ranks, lightest}.hook(i, parent, child, (int)edges + 1);
}

__global__ void __launch_bounds__(COMPACT_THREADS)
    close_chains(const int2 *open, i64 count, const int *parent, const int *number, const u32 *lightest, u64 round,
                 u64 *key, int2 *still_open, int *kept_count, u64 *tiles, u32 epoch) {
  compact_step(count, tiles, epoch, kept_count, Closing{open, parent, number, lightest, round, key, still_open});
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

__global__ void __launch_bounds__(COMPACT_THREADS)
    number_roots(const int *parent, i64 count, int *number, u32 *lightest, int *roots, u64 *tiles, u32 epoch) {
  compact_step(count, tiles, epoch, roots, Numbering{parent, count, number, lightest});
}

__global__ void __launch_bounds__(COMPACT_THREADS)
    contract(const int2 *ends, const int *ranks, i64 edges, u32 *lightest, const int *parent, const int *number,
             int2 *ends_left, int *ranks_left, int2 *open, int *count, u64 *tiles, u32 epoch) {
  compact_step(edges, tiles, epoch, count,
               Contraction{{ends, ranks, lightest}, parent, number, ends_left, ranks_left, open});
}

__global__ void close_root(const int2 *open, i64 count, u64 root, u64 *key) {
  i64 i = thread_id();
  if (i < count) key[open[i].x] = root;
}

// All rounds of m edges, few, by one block. `room` holds seven words for each of m + 1 points. `rounds` becomes the
// number of rounds in which edges closed, at least 1, where the edges of each begin in their order, and m; the number
// is 0 if the edges are not a tree.
__global__ void __launch_bounds__(FEW_THREADS)
    few_rounds(const int2 *edges, i64 m, int slot_bits, u64 *room, int2 *child, u64 *key, int *rounds) {
  const Grid block = {nullptr, 0, 1};
  const auto each = [](i64 n, auto step) {
    for (i64 i = threadIdx.x; i < n; i += FEW_THREADS) step(i);
    __syncthreads();
  };
  const auto compacted = [](i64 n, const auto &step) {
    const u32 kept = block_compact<FEW_THREADS>(
        n, [&](i64 i) { return step.keep(i); }, [&](i64 i, bool kept, u32 rank) { step.emit(i, kept, rank); });
    __syncthreads();
    return (i64)kept;
  };
  const i64 n = m + 1;
  int2 *const pairs = reinterpret_cast<int2 *>(room);
  int *const numbers = reinterpret_cast<int *>(room + 4 * n), *const parent = numbers + 2 * n,
             *number = numbers + 3 * n;
  u32 *const lightest = reinterpret_cast<u32 *>(numbers + 4 * n);
  i64 count = n, left = m, opened = 0, closed = 0;
  const int2 *ends = edges, *open = nullptr;
  const int *ranks = nullptr;
  each(n, [&](i64 c) { lightest[c] = ~0u; });
  int round = 0;
  for (; count > 1; round++) {
    const int side = round % 2;  // of the buffers that change sides from round to round
    const Edges now = {ends, ranks, lightest + side * n};
    u32 *const next_lightest = lightest + (1 - side) * n;
    int2 *const ends_left = pairs + side * n, *const still_open = pairs + (2 + side) * n;
    int *const ranks_left = numbers + side * n;
    each(left, [&](i64 i) { now.offer(i); });
    block.sync();                                    // with fences, for what atomics wrote
    const u64 mark = (u64)(round - 1) << slot_bits;  // in the first round no edge is open
    const i64 kept = compacted(opened, Closing{open, parent, number, now.lightest, mark, key, still_open});
    if (round > 0 && threadIdx.x == 0) rounds[round] = (int)closed;
    closed += opened - kept;
    each(count, [&](i64 c) { parent[c] = (int)c; });
    each(left, [&](i64 i) { now.hook(i, parent, round == 0 ? child : nullptr, (int)n); });
    const i64 roots = compacted(count, Numbering{parent, count, number, next_lightest});
    if (2 * roots > count) {
      if (threadIdx.x == 0) rounds[0] = 0;
      return;
    }
    each(count, [&](i64 c) {
      int at = parent[c];
      while (!climb(parent, at, parent[at])) {
      }
      parent[c] = at;
    });
    compacted(left, Contraction{now, parent, number, ends_left, ranks_left, still_open + kept});
    opened = kept + count - roots;
    count = roots;
    left = roots - 1;
    ends = ends_left;
    ranks = ranks_left;
    open = still_open;
  }
  const u64 root = (u64)(round - 1) << slot_bits | (u64)(2 * m);
  each(opened, [&](i64 i) { key[open[i].x] = root; });
  if (threadIdx.x != 0) return;
  rounds[0] = round;
  rounds[round] = (int)closed;
  rounds[round + 1] = (int)m;
}

// A merge in its chain.
struct Link {
  bool head;
  u32 value;  // points of its children outside of the chain
  int merge, before;
  int2 children;
  u32 slot;
  bool last;
};

// The chains of one round, or of all: sizes, children in ascending order, and the last of each chain in its slot.
// Vertex v stands for vertex_size[v] points; without `vertex_size`, for one.
__global__ void __launch_bounds__(SCAN_THREADS)
    sum_chains(const u64 *key, const int *order, i64 begin, i64 count, const int *rounds, u64 slot_mask, i64 edges,
               const int *vertex_size, u32 *slots, int2 *children, int *size, u64 *tiles, u32 epoch) {
  auto points = [&](int c) {
    const bool vertex = c < 0 && c != EMPTY, sized = vertex && vertex_size;
    const int known = *(sized ? vertex_size + (c + edges + 1) : size + maximum(c, 0));
    return c == EMPTY ? 0 : vertex && !sized ? 1 : known;
  };
  scan_rounds<false>(
      begin, count, rounds, tiles, epoch,
      [&](i64 first, i64 size_of_round, i64 i) {
        const i64 at = first + i, before = maximum(at - 1, first), after = minimum(at + 1, first + size_of_round - 1);
        const u64 own = key[at], of_before = key[before], of_after = key[after];
        Link link = {i == 0 || own != of_before, 0, order[at], order[before]};
        link.children = children[link.merge];
        link.value = (u32)(points(link.children.x) + points(link.children.y));
        link.slot = (u32)(own & slot_mask);
        link.last = after == at || own != of_after;
        return link;
      },
      [&](i64 first, i64 i, const Link &link, u32 sum) {
        int2 c = link.children;
        if (c.x == EMPTY) c.x = link.before;
        if (c.y == EMPTY) c.y = link.before;
        children[link.merge] = make_int2(minimum(c.x, c.y), maximum(c.x, c.y));
        size[link.merge] = (int)sum;
        slots[first + i] = link.slot;
        if (link.last && link.slot / 2 < edges) reinterpret_cast<int *>(children)[link.slot] = link.merge;
      });
}
