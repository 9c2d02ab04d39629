// The condensed tree of few merges, by one launch of resident blocks. Merges are named by links (chains.py).
//
// The first block scans the chains of the dendrogram and compacts lists. All blocks rank keys, which takes the most
// work, and describe clusters. condensed_few.py launches it.
#include "hierarchy/leaving.cuh"
#include "hierarchy/members.cuh"
#include "hierarchy/nodes.cuh"
#include "runtime/compact.cuh"

static_assert(FEW_THREADS == PIECE, "sum_by_block takes a block of so many threads");

struct State {           // zeros before the launch
  int children, inside;  // clusters but the root, and nodes in clusters
  u32 arrived;
};

// What the steps leave for one another, in CONDENSED_WORDS words a merge and two more.
struct Scratch {
  double *term;
  u64 *child_key;
  int *node, *mark, *above, *large, *child, *member, *ranked_member, *start;
  u32 *key, *ranked_key;

  __device__ Scratch(u64 *words, i64 m) {
    term = reinterpret_cast<double *>(words);
    child_key = words + m;
    int *const ints = reinterpret_cast<int *>(words + 2 * m);
    node = ints, mark = ints + m, above = ints + 2 * m, large = ints + 3 * m, child = ints + 4 * m;
    member = ints + 5 * m, ranked_member = ints + 6 * m;
    key = reinterpret_cast<u32 *>(ints + 7 * m), ranked_key = key + m;
    start = ints + 9 * m;  // one more than there are clusters: up to m + 2
  }
};
static_assert(2 * 8 + 4 * 10 == 8 * EMST_CONDENSED_WORDS, "condensed_few.py allocates it");

// The dendrogram.
template <class T, class S>
struct Merges {
  const int *ranks, *parents, *rounds;
  const T *height_by_rank;
  T *height;  // by link
  const int2 *below;
  const S *size;
  i64 count;
};

// Nodes, their marks, and the nodes at which clusters begin, with keys by which the last splits come first. By one
// block; atomics write `large`, so its barriers have fences (grid.cuh).
template <class T, class S>
__device__ void find_nodes(const Merges<T, S> &merges, S least, const Scratch &of, S *left, State *state) {
  const Grid block = {nullptr, 0, 1};
  const i64 m = merges.count;
  for (i64 e = threadIdx.x; e < m; e += FEW_THREADS) {
    of.large[e] = 0;
    merges.height[e] = merges.height_by_rank[merges.ranks[e]];
  }
  __syncthreads();
  block_descend(merges.parents, merges.rounds, BeginsNode<T>{merges.height, m, of.node},
                [&](int e, int value) { of.node[e] = value; });
  block.sync();
  for (i64 e = threadIdx.x; e < m; e += FEW_THREADS)
    mark_merge(e, merges.below, merges.size, of.node, m, least, of.mark, of.above, of.large, left);
  block.sync();
  const int bits = 64 - __clzll(m);
  const Children<S> children{merges.ranks, merges.size, m,    bits,         of.mark,
                             of.above,     of.large,    left, of.child_key, of.child};
  const u32 all = block_compact<FEW_THREADS>(
      m, [&](int, i64 e) { return children.begins(e); },
      [&](i64 e, bool kept, u32 rank) {
        if (kept) children.put(e, rank);
      });
  if (threadIdx.x == 0) state->children = (int)all;
}

// Where every merge and every point lies, and the members of all clusters in ascending order. By one block.
template <class T, class S>
__device__ void place(const Merges<T, S> &merges, const Scratch &of, int *of_merge, Leaving<T> *leaving, State *state) {
  const i64 m = merges.count;
  const Places places{of.node, m, of.mark, of_merge};
  block_descend(
      merges.parents, merges.rounds, [&](Descendant d, int &value) { return places.begins(d, value); },
      [&](int e, int value) { places.put(e, value); });
  for (i64 first = threadIdx.x; first < m; first += EACH * FEW_THREADS)
    leave_at_heights(first, FEW_THREADS, merges.below, m, of_merge, merges.height, leaving);
  __syncthreads();
  const u32 inside = block_compact<FEW_THREADS>(
      m, [&](int, i64 e) { return of_merge[e] >= 0; },
      [&](i64 e, bool kept, u32 rank) { put_member(e, kept, rank, of_merge, of.key, of.member); });
  if (threadIdx.x == 0) state->inside = (int)inside;
}

template <class T, class S>
__global__ void __launch_bounds__(FEW_THREADS, 1)
    condense_few(const int *ranks, const int *parents, const int *rounds, const T *height_by_rank, T *height,
                 const int2 *below, const S *size, i64 m, S least, u64 *scratch, int *of_merge, S *left,
                 Leaving<T> *leaving, int *born_at, S *points, int *parent, int2 *children, double *birth,
                 double *death, double *stability, int *count_of_clusters, State *state) {
  const Grid grid = {&state->arrived, (int)blockIdx.x, (int)gridDim.x};
  const i64 warp = grid.first() / 32, warps = grid.step() / 32;
  const Merges<T, S> merges = {ranks, parents, rounds, height_by_rank, height, below, size, m};
  const Scratch of(scratch, m);

  if (grid.rank == 0) find_nodes(merges, least, of, left, state);
  grid.sync();
  const int splits = state->children;
  if (grid.first() == 0) {
    *count_of_clusters = splits + 1;
    number_root(size, m, born_at, points);
  }
  for (i64 i = warp; i < splits; i += warps)
    rank_child(i, of.child_key, of.child, splits, of.above, size, of.mark, born_at, points);
  grid.sync();
  if (grid.rank == 0) place(merges, of, of_merge, leaving, state);
  grid.sync();

  const int clusters = splits + 1, inside = state->inside;
  for (i64 c = grid.first(); c < clusters; c += grid.step()) children[c] = make_int2(0, 0);
  for (i64 i = warp; i < inside; i += warps) {
    const u32 rank = rank_of_key(of.key, inside, i);
    if (lane_id()) continue;
    of.ranked_key[rank] = of.key[i];
    of.ranked_member[rank] = of.member[i];
  }
  grid.sync();
  for (i64 i = grid.first(); i < inside; i += grid.step())
    describe_one(i, clusters, born_at, of_merge, height, parent, children, birth, of.ranked_key, of.ranked_member,
                 inside, left, of.start, of.term);
  grid.sync();
  for (i64 c = warp; c < clusters; c += warps)
    if (!is_long(of.start, c)) sum_by_warp(c, of.start, of.ranked_member, of.term, height, death, stability);
  if (grid.rank != 0) return;
  int *const longs = of.large;
  const u32 all = block_compact<FEW_THREADS>(
      clusters, [&](int, i64 c) { return is_long(of.start, c); },
      [&](i64 c, bool kept, u32 rank) {
        if (kept) longs[rank] = (int)c;
      });
  for (u32 i = 0; i < all; i++) sum_by_block(longs[i], of.start, of.ranked_member, of.term, height, death, stability);
}
