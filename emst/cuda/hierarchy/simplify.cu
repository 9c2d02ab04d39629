// Merging back splits of little persistence, from the lowest up.
//
// simplify.py launches judge_splits, begin_heirs, the passes that lengthen pointers (selection.py), keep_clusters,
// rename_merges and rename_points; then join_heights and keep_leavers.
#include "hierarchy/climb.cuh"
#include "runtime/compact.cuh"

// Fate of a cluster: it stays; it becomes part of its parent; or it is dropped, and its points leave the parent at the
// split.
constexpr int STAYS = 0, MERGED = 1, DROPPED = 2;

// The word that a cluster passes up: the greatest lambda at or below it, negative if it has no split left.
__device__ inline u64 outlook(double greatest, bool leaf) { return word_of(leaf ? -greatest : greatest); }
__device__ inline bool is_leaf(u64 word) { return word >> 63; }

// A child lasts if it has enough persistence. If two or more children last, they stay, and the others are dropped. If
// one lasts and is split further, it becomes part of its parent, and the others are dropped. Otherwise all become part
// of the parent. If none lasts, all are leaves: a split that has stayed has two children that last, and so its cluster
// lasts.
struct Judge {
  const double *birth, *death;
  double persistence;
  int *fate;
  __device__ double look(int c) const { return death[c]; }
  __device__ double seen(int, double look) const { return look; }
  __device__ u64 leaf(int c) const { return outlook(death[c], true); }
  __device__ bool lasts(int child, u64 word) const {
    const double greatest = fabs(number_in(word)), at = birth[child];
    return (greatest == at ? 0.0 : add(greatest, -at)) >= persistence;
  }
  __device__ void decide(int child, u64 word, int staying, bool whole) const {
    fate[child] = whole ? MERGED : !lasts(child, word) ? DROPPED : staying > 1 ? STAYS : MERGED;
  }
  // How many of a few children last, and whether all become part of their parent.
  __device__ int lasting(Few few, bool &whole) const {
    int staying = 0;
    bool further = false;
#pragma unroll
    for (int i = 0; i < FEW_CHILDREN; i++) {
      const bool last = i < few.count && lasts(few.first + i, few.word(i));
      staying += last;
      further |= last && !is_leaf(few.word(i));
    }
    whole = staying < 2 && !further;
    return staying;
  }
  __device__ u64 join(double seen, Few few) const {
    bool whole;
    lasting(few, whole);
    return outlook(fmax(fabs(number_in(few.mine)), greatest_of(seen, few)), whole);
  }
  __device__ void keep(int, double, Few few, u64) const {
    bool whole;
    const int staying = lasting(few, whole);
    for (int i = 0; i < few.count; i++) decide(few.first + i, few.word(i), staying, whole);
  }
  __device__ Rise rise(double, double seen, Few few) const { return {greatest_of(seen, few), 0.0}; }
  __device__ u64 many(int, double seen, int first, const Words &words) const {
    const int count = words.count;
    int staying = 0, further = 0;
    u64 most = word_of(seen);
    for (int i = lane_id(); i < count; i += 32) {
      const u64 word = words[i];
      const bool last = lasts(first + i, word);
      staying += last;
      further |= last && !is_leaf(word);
      most = maximum(most, word_of(fabs(number_in(word))));
    }
    staying = __reduce_add_sync(FULL, staying);
    const bool whole = staying < 2 && !__any_sync(FULL, further);
    for (int i = lane_id(); i < count; i += 32) decide(first + i, words[i], staying, whole);
    return outlook(number_in(warp_max(most)), whole);
  }
};

__global__ void judge_splits(i64 clusters, const int *parent, const int *far, const int2 *children, u64 *words,
                             const double *birth, const double *death, double persistence, int *fate) {
  climb({clusters, parent, far, children, words}, Judge{birth, death, persistence, fate});
}

__global__ void begin_heirs(i64 clusters, const int *parent, const int *fate, int *heir) {
  i64 c = thread_id();
  if (c < clusters) heir[c] = fate[c] == MERGED ? parent[c] : (int)c;
}

// Sums of sizes. CUDA adds 64 bits without a sign, which gives the same bits.
__device__ inline void add_to(int *sum, int points) { atomicAdd(sum, points); }
__device__ inline void add_to(i64 *sum, i64 points) { atomicAdd(reinterpret_cast<u64 *>(sum), (u64)points); }

// Clusters that stay, in order, with their new numbers. The points of one that becomes part of its parent do not leave
// at its node.
template <class S>
__global__ void __launch_bounds__(COMPACT_THREADS)
    keep_clusters(const int *fate, i64 clusters, const int *born_at, const S *size, int *kept_born_at, S *kept_size,
                  int *number, S *left, int *total, u64 *tiles, u32 epoch) {
  compact(
      clusters, tiles, epoch, total, [&](int, i64 c) { return fate[c] == STAYS; },
      [&](i64 c, bool kept, u32 rank) {
        if (fate[c] == MERGED) add_to(left + born_at[c], -size[c]);
        if (!kept) return;
        kept_born_at[rank] = born_at[c];
        kept_size[rank] = size[c];
        number[c] = (int)rank;
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
__global__ void rename_points(i64 n, const int *cluster, const int *leaving, const int *parent, const int *born_at,
                              const int *heir, const int *fate, const int *number, int *renamed, int *leaving_now) {
  i64 p = thread_id();
  if (p >= n) return;
  int c = heir[cluster[p]];
  const bool gone = fate[c] == DROPPED;
  leaving_now[p] = gone ? born_at[c] : leaving[p];
  if (gone) c = heir[parent[c]];
  renamed[p] = number[c];
}

// Nodes are sorted by cluster, then by height. The points that leave at nodes of one height are counted at the first.
template <class T, class S>
__global__ void join_heights(const u32 *key, const int *node, i64 inside, const T *height, const S *left, S *leavers) {
  const i64 i = thread_id();
  if (i == 0 || i >= inside || key[i - 1] != key[i] || !same_height(height, node[i - 1], node[i])) return;
  const double mine = widened(height[node[i]]);
  i64 low = 0, high = i - 1;
  while (low < high) {
    const i64 middle = (low + high) / 2;
    const bool before = key[middle] < key[i] || (key[middle] == key[i] && widened(height[node[middle]]) < mine);
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  add_to(leavers + node[low], left[node[i]]);
  leavers[node[i]] = 0;
}

template <class S>
__global__ void __launch_bounds__(COMPACT_THREADS)
    keep_leavers(const u32 *key, const int *node, i64 inside, const S *leavers, u32 *kept_key, int *kept_node,
                 int *total, u64 *tiles, u32 epoch) {
  compact(
      inside, tiles, epoch, total, [&](int, i64 i) { return leavers[node[i]] > 0; },
      [&](i64 i, bool kept, u32 rank) {
        if (!kept) return;
        kept_key[rank] = key[i];
        kept_node[rank] = node[i];
      });
}
