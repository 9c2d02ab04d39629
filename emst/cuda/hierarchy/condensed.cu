// The condensed tree: the cluster of every node, the node at which each point leaves, and stabilities. Merges are named
// by links (chains.py). Only simplify.py has nodes named by ranks, for describe and the sums. linked.py launches
// leave_nodes.
//
// condensed.py launches place_merges, leave and list_members, and then describe, sum_short, list_long and sum_long. If
// there are few clusters, one block does the work of the last four: measure_few.
#include "hierarchy/leaving.cuh"
#include "hierarchy/members.cuh"
#include "runtime/compact.cuh"

__global__ void __launch_bounds__(FEW_THREADS) place_merges(const int *parents, const int *rounds, const int *node,
                                                            i64 merges, const int *mark, int *place, u64 *published) {
  const Places places{node, merges, mark, place};
  descend(
      parents, rounds, published, [&](Descendant d, int &value) { return places.begins(d, value); },
      [&](int e, int value) { places.put(e, value); });
}

template <class T>
__global__ void leave(const int2 *children, i64 merges, const int *place, const T *height, Leaving<T> *leaving) {
  leave_at_heights(point_of_thread(0), blockDim.x, children, merges, place, height, leaving);
}

// The ranks of the nodes at which points leave.
__global__ void leave_nodes(const int2 *children, i64 merges, const int *place, const int *ranks, int *leaving) {
  leave_from(
      point_of_thread(0), blockDim.x, children, merges, place, [&](int node) { return ranks[node]; },
      [&](i64 p, int, int rank) { leaving[p] = rank; });
}

__global__ void __launch_bounds__(COMPACT_THREADS)
    list_members(const int *of_merge, i64 merges, u32 *key, int *member, int *total, u64 *tiles, u32 epoch) {
  compact(
      merges, tiles, epoch, total, [&](int, i64 e) { return of_merge[e] >= 0; },
      [&](i64 e, bool kept, u32 rank) { put_member(e, kept, rank, of_merge, key, member); });
}

template <class T, class S>
__global__ void describe(i64 clusters, const int *born_at, const int *of_merge, const T *height, int *parent,
                         int2 *children, double *birth, const u32 *key, const int *member, i64 members,
                         const S *leavers, int *start, double *term) {
  const i64 i = thread_id();
  if (i < members)
    describe_one(i, clusters, born_at, of_merge, height, parent, children, birth, key, member, members, leavers, start,
                 term);
}

template <class T>
__global__ void sum_short(const int *start, i64 clusters, const int *member, const double *term, const T *height,
                          double *death, double *stability) {
  const i64 c = thread_id() / 32;
  if (c < clusters && !is_long(start, c)) sum_by_warp(c, start, member, term, height, death, stability);
}

__global__ void __launch_bounds__(COMPACT_THREADS)
    list_long(const int *start, i64 clusters, int *longs, int *total, u64 *tiles, u32 epoch) {
  compact(
      clusters, tiles, epoch, total, [&](int, i64 c) { return is_long(start, c); },
      [&](i64 c, bool kept, u32 rank) {
        if (kept) longs[rank] = (int)c;
      });
}

template <class T>
__global__ void __launch_bounds__(PIECE)
    sum_long(const int *longs, const int *total, const int *start, const int *member, double *term, const T *height,
             double *death, double *stability) {
  if ((int)blockIdx.x < *total) sum_by_block(longs[blockIdx.x], start, member, term, height, death, stability);
}

// The four steps by one block.
template <class T, class S>
__global__ void __launch_bounds__(PIECE)
    measure_few(i64 clusters, const int *born_at, const int *of_merge, const T *height, int *parent, int2 *children,
                double *birth, const u32 *key, const int *member, i64 members, const S *leavers, int *start,
                double *term, int *longs, double *death, double *stability) {
  for (i64 c = threadIdx.x; c < clusters; c += PIECE) children[c] = make_int2(0, 0);
  __syncthreads();
  for (i64 i = threadIdx.x; i < members; i += PIECE)
    describe_one(i, clusters, born_at, of_merge, height, parent, children, birth, key, member, members, leavers, start,
                 term);
  __syncthreads();
  for (i64 c = threadIdx.x / 32; c < clusters; c += PIECE / 32)
    if (!is_long(start, c)) sum_by_warp(c, start, member, term, height, death, stability);
  const u32 all = block_compact<PIECE>(
      clusters, [&](int, i64 c) { return is_long(start, c); },
      [&](i64 c, bool kept, u32 rank) {
        if (kept) longs[rank] = (int)c;
      });
  for (u32 i = 0; i < all; i++) sum_by_block(longs[i], start, member, term, height, death, stability);
}
