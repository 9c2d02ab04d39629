// The dendrogram of a spanning tree from Borůvka's rounds on its sorted edges.
//
// An edge's rank is its place in the order. A *slot* is a rank and an end, 2 * rank + (0 or 1): the place for the child
// of the edge's merge on that side. An edge that a round contracts is open. In each later round, an open edge that is
// lighter than the lightest edge b that leaves its component is closed: its slot is the one of b on the component's
// side. Edges that are never closed belong to the root. The edges closed with one slot form a chain: in ascending order
// each is the parent of the one before it, and b is the parent of the last. The reason: the open and the contracted
// edges of a component that are heavier than its lightest leaving edge are ancestors of that edge, and the ancestors of
// one node form a chain. The subtrees below a chain consist of chains closed in earlier rounds, so sizes are segmented
// sums over the chains of one round after the other: O(n) work in O(log n) rounds at any depth. The idea is
// PANDORA's (P. Sao, A. Prokopenko, D. Lebrun-Grandié, 2024).
//
// In the first of these rounds points choose the same edges as in Borůvka's first round over all pairs of points. Where
// that was kept (first_round.cuh), begin_rounds takes its results, and close_edges goes on.
#include "first_round.cuh"
#include "hierarchy/chains.cuh"
#include "hierarchy/rounds.cuh"

// What the first round stores of edge i, whose ends are points: which of them have chosen it, and the component of its
// first end. A point that has chosen the edge is a child of its merge.
template <class Word>
__device__ void put_points(i64 i, int2 ends, int points, bool own_x, bool own_y, int component, int2 *ends_below,
                           Word *key) {
  ends_below[i] = make_int2(own_x ? ends.x - points : EMPTY, own_y ? ends.y - points : EMPTY);
  key[i] = (Word)component;
}

// The first round of m edges, from what was kept of Borůvka's first round over the points. The records of its
// components are empty before the launch. Arrays and counters are those of close_edges. `between` has `pairs` elements.
// Edges and numbers may not have been written yet (`early` in linkage.py), so all indices are kept within bounds.
template <class Word>
__global__ void __launch_bounds__(ROUND_THREADS)
    begin_rounds(int2 *edges, i64 m, const u32 *seen, const int2 *between, i64 pairs, int components, u64 *records,
                 int2 *ends_left, int *ranks_left, Progress *progress, int2 *ends_below, Word *key) {
  const EdgeList all = {edges, nullptr, (u32)m};
  const int points = (int)m + 1;
  int rank[EACH];
  int2 ends[EACH];
  u32 word[EACH], at[EACH];
  bool left[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    rank[j] = (int)i;
    ends[j] = all.at(minimum(i, m - 1));
    word[j] = seen[minimum(i, m - 1)];
    left[j] = i < m && word[j] & LEFT;
  }
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    const bool own_x = word[j] & FIRST_CHOSE, own_y = word[j] & SECOND_CHOSE;
    const u32 last = components - 1, number = word[j] & NUMBER;
    const int2 of_ends = left[j] ? between[minimum((i64)number, pairs - 1)] : make_int2(number, number);
    const int2 here = make_int2((int)minimum((u32)of_ends.x, last), (int)minimum((u32)of_ends.y, last));
    if (i < m) put_points(i, ends[j], points, own_x, own_y, here.x, ends_below, key);
    ends[j] = here;
  }
  const i64 first = (i64)reserve<ROUND_THREADS>(left, progress->edges, at);
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    left[j] = left[j] && first + at[j] < components;  // one edge less than there are components, if it is a tree
    if (left[j]) ends_left[first + at[j]] = ends[j];
    if (left[j]) ranks_left[first + at[j]] = rank[j];
  }
  offer(records, rank, ends, left);
}

// All rounds of m edges, and the key of every edge: round << slot_bits | slot.
// `records` has room for the components of all rounds, twice those of the first, which are the points. Two lists hold
// the edges that are left, in turn. `rounds` becomes the number of rounds in which edges closed, at least 1, where the
// edges of each begin in the order of their keys, and m; the number is 0 if the edges are not a tree. The number also
// goes to `count_of_rounds`, for the host. If `begun` is not 0, begin_rounds has taken the first round and left so many
// components, with which `records` begins.
template <class Word>
__global__ void __launch_bounds__(ROUND_THREADS, 1024 / ROUND_THREADS)
    close_edges(int2 *edges, i64 m, i64 begun, int slot_bits, u64 *records, int *parent, int2 *ends_left,
                int *ranks_left, Progress *progress, int2 *ends_below, Word *key, int *rounds, int *count_of_rounds) {
  const Grid grid = {&progress->arrived, (int)blockIdx.x, (int)gridDim.x};
  const i64 n = m + 1, room = begun ? begun : n / 2;  // of the first of the two lists, in every second round
  __shared__ i64 first_record[MOST_ROUNDS];
  __shared__ u32 closed[MOST_ROUNDS];
  EdgeList now = {edges, nullptr, (u32)m};
  if (!begun) {
    for (i64 c = grid.first(); c < n; c += grid.step()) records[c] = NO_RECORD;
    grid.sync();
    for_tiles(grid, m, [&](i64 i) {
      int rank[EACH];
      int2 ends[EACH];
      bool there[EACH];
#pragma unroll
      for (int j = 0; j < EACH; j++) {
        rank[j] = (int)(i + j * ROUND_THREADS);
        there[j] = i + j * ROUND_THREADS < m;
        ends[j] = now.at(minimum(i + j * ROUND_THREADS, m - 1));
      }
      offer(records, rank, ends, there);
    });
  }
  if (threadIdx.x < MOST_ROUNDS) closed[threadIdx.x] = 0;
  grid.sync();

  i64 count = n, left = m, begin = 0;
  int round = 0;
  if (begun) {
    count = begun;
    left = minimum((i64)progress->edges[0], begun - 1);
    now = {ends_left, ranks_left, (u32)m};
    round = 1;
  }
  u32 pass = 0;
  for (; count > 1; round++) {
    u64 *const here = records + begin, *const next = here + count;
    if (threadIdx.x == 0) first_record[round] = begin;
    hook(grid, here, count, parent, next, progress->roots + round);
    grid.sync();
    const i64 roots = (i64)progress->roots[round];
    if (2 * roots > count) {
      if (grid.first() == 0) rounds[0] = *count_of_rounds = 0;
      return;
    }
    do {  // chains of components can be as long as there are components
      pass++;
      if (!relabel(grid, here, count, parent)) progress->unfinished = pass;
      grid.sync();
    } while (*(volatile u32 *)&progress->unfinished >= pass);  // another block may have begun the next pass
    const i64 behind = round % 2 ? room : 0;
    const EdgeList after = {ends_left + behind, ranks_left + behind, (u32)m};
    if (round == 0)
      contract_edges(grid, now, left, here, after, next, progress->edges, [&](i64 i, int2 ends, u64 x, u64 y) {
        const bool own_x = slot_in(x) == 2u * (u32)i, own_y = slot_in(y) == 2u * (u32)i + 1;
        put_points(i, ends, (int)n, own_x, own_y, component_in(x), ends_below, key);
      });
    else
      contract_edges(grid, now, left, here, after, next, progress->edges + round, [](i64, int2, u64, u64) {});
    grid.sync();
    begin += count;
    count = roots;
    left = (i64)progress->edges[round];
    now = after;
  }

  // An edge is closed in the first round in which the component that one of its ends is in has no lighter leaving edge.
  // As long as the edge lies between two components, there is one: the edge itself, or one before it.
  __syncthreads();
  for_tiles(grid, m, [&](i64 i) {
    int at[EACH], chain[EACH];
    u32 slot[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      at[j] = i + j * ROUND_THREADS < m ? (int)key[i + j * ROUND_THREADS] : 0;
      chain[j] = round - 1;
      slot[j] = 2u * (u32)m;
    }
    for (int r = 1; r < round; r++) {
      u64 record[EACH];
      bool any = false;
#pragma unroll
      for (int j = 0; j < EACH; j++) record[j] = records[first_record[r] + at[j]];
#pragma unroll
      for (int j = 0; j < EACH; j++) {
        const bool open = chain[j] == round - 1;
        const bool closes = open && (i64)(slot_in(record[j]) / 2) > i + j * ROUND_THREADS;
        if (closes) chain[j] = r - 1;
        if (closes) slot[j] = slot_in(record[j]);
        any |= open && !closes;
        at[j] = open && !closes ? component_in(record[j]) : 0;
      }
      if (!any) break;
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      const i64 edge = i + j * ROUND_THREADS;
      if (edge < m) key[edge] = (Word)chain[j] << slot_bits | slot[j];
      for (u32 lanes = __ballot_sync(FULL, edge < m); lanes;) {
        const int one = __shfl_sync(FULL, chain[j], __ffs(lanes) - 1);
        const u32 alike = __ballot_sync(FULL, edge < m && chain[j] == one);
        if (lane_id() == 0) atomicAdd(closed + one, __popc(alike));
        lanes &= ~alike;
      }
    }
  });
  __syncthreads();
  if (threadIdx.x < round && closed[threadIdx.x]) atomicAdd(progress->closed + threadIdx.x, (u64)closed[threadIdx.x]);
  grid.sync();
  if (grid.first() != 0) return;
  rounds[0] = *count_of_rounds = round;
  u64 start = 0;
  for (int r = 0; r < round; r++) {
    rounds[r + 1] = (int)start;
    start += progress->closed[r];
  }
  rounds[round + 1] = (int)start;
}

// A merge in its chain. A child that is the merge before it is EMPTY, and counts as no points.
struct InChain {
  bool head, last;
  u32 value;  // points of its children
  int2 children;
  u32 slot;
};

// Children, sizes and parents of all merges, by links (chains.py). Vertex v stands for vertex_size[v] points; without
// `vertex_size`, for one. The last merge of every chain is stored in its slot in `ends_below`.
//
// Most merges join a point to the merge before; for these nothing is written at random places.
template <class Word>
__global__ void __launch_bounds__(FEW_THREADS)
    sum_chains(const Word *key, const int *ranks, const int *rounds, Word slot_mask, i64 edges, const int *vertex_size,
               int2 *ends_below, int2 *children, int *size, int *parent, u64 *published) {
  const auto points = [&](int c) {
    const bool vertex = c < 0 && c != EMPTY, sized = vertex && vertex_size;
    if (c < 0 && !sized) return c == EMPTY ? 0 : 1;
    return sized ? vertex_size[c + edges + 1] : size[c];
  };
  scan_rounds<false>(
      rounds, published,
      [&](i64 first, i64 size_of_round, i64 i) {
        const i64 at = first + i, before = maximum(at - 1, first), after = minimum(at + 1, first + size_of_round - 1);
        const Word mine = key[at], of_before = key[before], of_after = key[after];
        InChain member;
        member.head = i == 0 || mine != of_before;
        member.last = after == at || mine != of_after;
        member.children = ends_below[ranks[at]];
        member.value = (u32)(points(member.children.x) + points(member.children.y));
        member.slot = (u32)(mine & slot_mask);
        return member;
      },
      [&](i64 first, i64 i, const InChain &member, u32 sum) {
        const int link = (int)(first + i);
        int2 c = member.children;
        if (c.x == EMPTY) c.x = link - 1;
        if (c.y == EMPTY) c.y = link - 1;
        if (c.x >= 0) parent[c.x] = link;
        if (c.y >= 0) parent[c.y] = link;
        children[link] = c;
        size[link] = (int)sum;
        if (!member.last) return;
        if (member.slot / 2 < edges)
          reinterpret_cast<int *>(ends_below)[member.slot] = link;
        else
          parent[link] = (int)edges;
      });
}

// Children and sizes of all merges by rank; the children of a merge are in ascending order.
template <class S>
__global__ void name_merges(const int *ranks, const int2 *children, const S *size, i64 merges, int2 *named, S *sizes) {
  const i64 link = thread_id();
  if (link >= merges) return;
  const int2 c = children[link];
  const int x = c.x < 0 ? c.x : ranks[c.x], y = c.y < 0 ? c.y : ranks[c.y], rank = ranks[link];
  named[rank] = make_int2(minimum(x, y), maximum(x, y));
  sizes[rank] = size[link];
}
