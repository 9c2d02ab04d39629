// Merging back splits of little persistence, from the lowest up.
#include "hierarchy/climb.cuh"
#include "runtime/compact.cuh"

// Fate of a cluster: it stays; it becomes part of its parent; or it is dropped, and its points leave the parent at the
// split.
constexpr int STAYS = 0, MERGED = 1, DROPPED = 2;

// The word that a cluster passes up: the greatest lambda at or below it, negative if it has no split left.
__device__ inline u64 outlook(double greatest, bool leaf) { return word_of(leaf ? -greatest : greatest); }
__device__ inline bool is_leaf(u64 word) { return word >> 63; }

// If a leaf and a cluster with splits are merged back, the leaf is dropped and the other becomes part of the parent.
__global__ void judge_splits(i64 clusters, const int *parent, const int *far, const int *split, const double *birth,
                             const double *death, double persistence, u64 *words, int *fate) {
  climb(
      clusters, parent, far, split, words, [&](int c) { return death[c]; },
      [&](int c) { return outlook(death[c], true); },
      [&](int, double own, int s, u64 wa, u64 wb) {
        const int a = 2 * s + 1, b = 2 * s + 2;
        const double ga = fabs(number_in(wa)), gb = fabs(number_in(wb)), lesser = fmin(ga, gb), at = birth[a],
                     greatest = fmax(own, fmax(ga, gb));
        if ((lesser == at ? 0.0 : add(lesser, -at)) >= persistence) return outlook(greatest, false);
        const bool both = is_leaf(ga <= gb ? wb : wa);
        fate[ga <= gb ? b : a] = MERGED;
        fate[ga <= gb ? a : b] = both ? MERGED : DROPPED;
        return outlook(greatest, both);
      });
}

__global__ void begin_heirs(i64 clusters, const int *parent, const int *fate, int *heir) {
  i64 c = thread_id();
  if (c < clusters) heir[c] = fate[c] == MERGED ? parent[c] : (int)c;
}

// A split is the merge of two other clusters than its own.
__global__ void find_split_merges(const int2 *children, i64 merges, const int *of_merge, int *merge_of) {
  i64 e = thread_id();
  if (e >= merges) return;
  const int2 child = children[e];
  if (child.x < 0 || of_merge[child.x] < 0 || of_merge[child.y] < 0 || of_merge[child.x] == of_merge[e]) return;
  if (of_merge[child.y] != of_merge[e]) merge_of[(of_merge[child.x] - 1) / 2] = (int)e;
}

// Splits that stay, in order, and the new numbers of their clusters.
__global__ void __launch_bounds__(COMPACT_THREADS)
    keep_splits(const int *fate, i64 splits, const int *merge_of, int *kept_merge_of, int *number, int *total,
                u64 *tiles, u32 epoch) {
  compact(
      splits, tiles, epoch, total, [&](int, i64 s) { return fate[2 * s + 1] == STAYS; },
      [&](i64 s, bool kept, u32 rank) {
        if (s == 0) number[0] = 0;
        if (!kept) return;
        kept_merge_of[rank] = merge_of[s];
        number[2 * s + 1] = 2 * (int)rank + 1;
        number[2 * s + 2] = 2 * (int)rank + 2;
      });
}

// The number of merges that lie in a cluster is added to `inside`.
__global__ void rename_merges(i64 merges, const int *of_merge, const int *heir, const int *fate, const int *number,
                              int *renamed, int *inside) {
  const i64 e = thread_id();
  const int c = e >= merges || of_merge[e] < 0 ? NONE : heir[of_merge[e]];
  const bool in = c != NONE && fate[c] != DROPPED;
  if (e < merges) renamed[e] = in ? number[c] : NONE;
  const u32 lanes = __ballot_sync(FULL, in);
  if (lane_id() == 0 && lanes) atomicAdd(inside, __popc(lanes));
}

// A cluster that is dropped is a leaf below one that is not.
__global__ void rename_points(i64 n, const int *cluster, const int *leaving, const int *parent, const int *heir,
                              const int *fate, const int *number, const int *merge_of, int *renamed, int *leaving_now) {
  i64 p = thread_id();
  if (p >= n) return;
  int c = heir[cluster[p]];
  const bool gone = fate[c] == DROPPED;
  leaving_now[p] = gone ? merge_of[(c - 1) / 2] : leaving[p];
  if (gone) c = heir[parent[c]];
  renamed[p] = number[c];
}
