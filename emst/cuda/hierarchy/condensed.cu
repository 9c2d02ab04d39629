// The condensed tree: splits, the cluster of every merge, the merge at which each point leaves, and stabilities.
#include "runtime/compact.cuh"
#include "hierarchy/density.cuh"
#include "hierarchy/descent.cuh"

constexpr int PIECE = EMST_PIECE;  // terms that one warp adds; the order of additions is the same on the CPU
constexpr int NOWHERE = -1;
constexpr int NO_SPLIT = -1, SMALL = -2;  // marks of merges that are big but no split, and of others

struct Merges {
  const int2 *children;
  const int *size;
  i64 count;
  int least;  // min_cluster_size
  __device__ bool big(int e) const { return size[e] >= least || e == count - 1; }
  __device__ bool holds_cluster(int c) const { return c >= 0 && size[c] >= least; }
  __device__ bool splits(int e) const { return holds_cluster(children[e].x) && holds_cluster(children[e].y); }
};

// Splits from the highest merge down: merge_of[s]. The mark of a merge is its split, NO_SPLIT or SMALL. total becomes
// the number of splits; that of big merges is added to total[1].
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_splits(const int2 *children, const int *size, i64 merges, int least, int *merge_of, int *mark, int *total,
                u64 *tiles, u32 epoch) {
  const Merges m = {children, size, merges, least};
  int big = 0;
  compact(
      merges, tiles, epoch, total, [&](int, i64 i) { return m.splits((int)(merges - 1 - i)); },
      [&](i64 i, bool kept, u32 rank) {
        const int e = (int)(merges - 1 - i);
        mark[e] = kept ? (int)rank : m.big(e) ? NO_SPLIT : SMALL;
        if (kept) merge_of[rank] = e;
        big += m.big(e);
      });
  big = __reduce_add_sync(FULL, big);
  if (lane_id() == 0 && big) atomicAdd(total + 1, big);
}

// place[e]: the cluster of a big merge, ~(nearest big ancestor) of a small one.
__global__ void __launch_bounds__(SCAN_THREADS)
    place_merges(const int *entries, const u32 *slots, i64 begin, i64 count, const int *rounds, const int2 *children,
                 i64 merges, const int *mark, int *place, u64 *tiles, u32 epoch) {
  descend(
      entries, slots, begin, count, rounds, tiles, epoch,
      [&](Descendant d, int &value) {
        const bool root = d.parent == merges;  // cluster 0
        const int parent = root ? d.merge : d.parent, own = mark[d.merge], of_parent = mark[parent];
        const bool splits = !root && of_parent >= 0, leaves = own == SMALL && of_parent != SMALL;
        const int first = children[splits ? parent : 0].x, above = place[d.top ? parent : 0];
        if (d.top) value = above;
        if (leaves) value = ~parent;
        if (splits) value = 2 * of_parent + 1 + (first != d.merge);
        if (root) value = 0;
        return root || splits || leaves || d.top;
      },
      [&](int e, int value) { place[e] = value; });
}

// The cluster of every point and the merge at which it leaves that.
__global__ void leave(const int *parent_merge, i64 n, const int *place, int *cluster, int *leaving) {
  int at[EACH], above[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) at[j] = parent_merge[minimum(point_of_thread(j), n - 1)];
#pragma unroll
  for (int j = 0; j < EACH; j++) above[j] = place[at[j]];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    if (above[j] < 0) at[j] = ~above[j];
    above[j] = place[at[j]];
  }
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 p = point_of_thread(j);
    if (p >= n) return;
    cluster[p] = above[j];
    leaving[p] = at[j];
  }
}

// Merges that lie in a cluster, ascending, and their clusters as keys to sort by. All others lie NOWHERE from now on.
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_members(int *of_merge, i64 merges, u32 *key, int *member, int *total, u64 *tiles, u32 epoch) {
  compact(
      merges, tiles, epoch, total, [&](int, i64 e) { return of_merge[e] >= 0; },
      [&](i64 e, bool kept, u32 rank) {
        if (!kept) {
          of_merge[e] = NOWHERE;
          return;
        }
        key[rank] = (u32)of_merge[e];
        member[rank] = (int)e;
      });
}

// One thread a cluster: everything that follows from its split. Members are sorted by cluster, then ascending.
template <class T>
__global__ void describe(i64 clusters, const int *merge_of, const int *of_merge, const int2 *children, const int *size,
                         const T *height, i64 merges, int *parent, int *split, double *birth, int *points) {
  i64 c = thread_id();
  if (c >= clusters) return;
  if (c == 0) {
    parent[0] = NOWHERE;
    birth[0] = 0;
    points[0] = size[merges - 1];
    return;
  }
  const i64 s = (c - 1) / 2;
  const int e = merge_of[s], p = of_merge[e], x = c % 2 ? children[e].x : children[e].y;
  parent[c] = p;
  split[p] = (int)s;
  birth[c] = density(height[e]);
  points[c] = size[x];
}

// Where each cluster's members begin; start[clusters] is set too.
__global__ void find_starts(const u32 *key, i64 members, i64 clusters, int *start) {
  i64 i = thread_id();
  if (i == 0) start[clusters] = (int)members;
  if (i < members && (i == 0 || key[i - 1] != key[i])) start[key[i]] = (int)i;
}

// (points that leave at the merge) * (its lambda - the cluster's birth); equal lambdas give 0, infinite ones too.
template <class T>
__global__ void stability_terms(const u32 *key, const int *member, i64 members, const int2 *children, const int *size,
                                const T *height, const int *of_merge, const double *birth, double *term) {
  i64 i = thread_id();
  if (i >= members) return;
  const int e = member[i], c = (int)key[i];
  const int2 child = children[e];
  int leaving = size[e];
  for (int x : {child.x, child.y})
    if (x >= 0 && of_merge[x] == c) leaving -= size[x];
  const double lambda = density(height[e]), born = birth[c];
  term[i] = lambda == born || leaving == 0 ? 0.0 : mul((double)leaving, add(lambda, -born));
}

// Sum of up to PIECE terms by a warp: every 32nd by each lane, then a butterfly over the lanes.
__device__ inline double piece_sum(const double *term, i64 count) {
  double sum = 0;
  for (i64 i = lane_id(); i < count; i += 32) sum = add(sum, term[i]);
  for (int step = 16; step > 0; step /= 2) sum = add(sum, __shfl_xor_sync(FULL, sum, step));
  return sum;
}

// A warp a cluster; death is the lambda of the least member. Long clusters are left to `sum_long`.
template <class T>
__global__ void sum_short(const int *start, i64 clusters, const int *member, const double *term, const T *height,
                          double *death, double *stability) {
  i64 c = thread_id() / 32;
  if (c >= clusters) return;
  const int first = start[c], count = start[c + 1] - first;
  if (count > PIECE) return;
  const double sum = piece_sum(term + first, count);
  if (lane_id()) return;
  stability[c] = sum;
  death[c] = density(height[member[first]]);
}

__global__ void __launch_bounds__(COMPACT_THREADS)
    list_long(const int *start, i64 clusters, int *longs, int *total, u64 *tiles, u32 epoch) {
  compact(
      clusters, tiles, epoch, total, [&](int, i64 c) { return start[c + 1] - start[c] > PIECE; },
      [&](i64 c, bool kept, u32 rank) {
        if (kept) longs[rank] = (int)c;
      });
}

// A block of PIECE threads a cluster: sums of pieces of PIECE terms, then of pieces of these sums, until one is left.
// The sums overwrite the first terms: a batch of pieces has been read before its sums are written, and these end before
// the terms of the next batch.
template <class T>
__global__ void __launch_bounds__(PIECE)
    sum_long(const int *longs, const int *total, const int *start, const int *member, double *term, const T *height,
             double *death, double *stability) {
  if ((int)blockIdx.x >= *total) return;
  const int c = longs[blockIdx.x], first = start[c], warp = threadIdx.x / 32;
  double *terms = term + first;
  i64 count = start[c + 1] - first;
  while (count > 1) {
    const i64 pieces = (count + PIECE - 1) / PIECE;
    for (i64 batch = 0; batch < pieces; batch += PIECE / 32) {
      const i64 piece = batch + warp, begin = piece * PIECE;
      double sum = piece < pieces ? piece_sum(terms + begin, minimum((i64)PIECE, count - begin)) : 0.0;
      __syncthreads();
      if (piece < pieces && lane_id() == 0) terms[piece] = sum;
      __syncthreads();
    }
    count = pieces;
  }
  if (threadIdx.x == 0) {
    stability[c] = terms[0];
    death[c] = density(height[member[first]]);
  }
}
