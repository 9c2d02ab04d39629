// Selection of clusters, and the points' labels and probabilities. Decisions that depend on clusters below climb
// (climb.cuh); for those that depend on clusters above, pointers become longer from pass to pass.
//
// `select_few` makes all steps for few clusters, by one block. Of many clusters, and with epsilon, a step is a kernel.
#include "hierarchy/climb.cuh"
#include "hierarchy/leaving.cuh"
#include "hierarchy/sum.cuh"
#include "runtime/compact.cuh"

constexpr int NOT_CHOSEN = -1, FEW_THREADS = EMST_FEW_THREADS;

// The AHEAD-th ancestor of a cluster, NONE if it has fewer.
__device__ inline int far_ancestor(const int *parent, i64 c) {
  int at = (int)c;
  for (int hop = 0; hop < AHEAD && at >= 0; hop++) at = parent[at];
  return at;
}

__global__ void far_ancestors(i64 clusters, const int *parent, int *far) {
  const i64 c = thread_id();
  if (c < clusters) far[c] = far_ancestor(parent, c);
}

__device__ inline double sum_of(Few few) {
  const u64 words[FEW_CHILDREN] = {few.mine, few.others[0], few.others[1], few.others[2]};
  return sum_of(words);
}

// Excess of mass: a cluster stays unless it is too large or the clusters that stay below are more stable in sum. One
// that is not allowed to stay counts as less stable than anything below.
template <class S>
struct ExcessOfMass {
  const S *size;
  const double *stability;
  i64 largest;
  bool root_too;
  bool *stays;
  struct Look {
    double stability;
    S size;
  };
  __device__ Look look(int c) const { return {stability[c], size[c]}; }
  __device__ double seen(int c, Look look) const {
    return (c > 0 || root_too) && look.size <= largest ? look.stability : -value_of(INFINITE<double>);
  }
  __device__ u64 better(double seen, double below) const { return word_of(below > seen ? below : seen); }
  __device__ u64 decided(int c, double seen, u64 word) const {
    stays[c] = number_in(word) == seen;
    return word;
  }
  __device__ u64 leaf(int c) const {
    const double mine = seen(c, look(c));
    return decided(c, mine, better(mine, 0.0));
  }
  __device__ u64 join(double seen, Few few) const {
    return better(seen, few.count == 2 ? add(number_in(few.mine), number_in(few.others[0])) : sum_of(few));
  }
  __device__ void keep(int c, double seen, Few, u64 word) const { decided(c, seen, word); }
  __device__ Rise rise(double number, double seen, Few few) const {
    const double others = add(add(number_in(few.others[0]), number_in(few.others[1])), number_in(few.others[2]));
    return {seen, isinf(number) ? 0.0 : add(add(number, others), -number)};
  }
  __device__ u64 many(int c, double seen, int, const Words &words) const {
    return decided(c, seen, better(seen, sum_of(words, words.count)));
  }
};

template <class S>
__global__ void excess_of_mass(i64 clusters, const int *parent, const int *far, const int2 *children, u64 *words,
                               const S *size, const double *stability, i64 largest, bool root_too, bool *stays) {
  climb({clusters, parent, far, children, words}, ExcessOfMass<S>{size, stability, largest, root_too, stays});
}

__device__ inline bool is_free_leaf(const int2 *children, i64 c, bool root_too) {
  return children[c].y == 0 && (c > 0 || root_too);
}

__global__ void leaves(i64 clusters, const int2 *children, bool root_too, bool *stays) {
  i64 c = thread_id();
  if (c < clusters) stays[c] = is_free_leaf(children, c, root_too);
}

// Greatest lambda at or below every cluster.
struct Greatest {
  const double *death;
  double *greatest;
  __device__ double look(int c) const { return death[c]; }
  __device__ double seen(int, double look) const { return look; }
  __device__ u64 settle(int c, double most) const {
    greatest[c] = most;
    return word_of(most);
  }
  __device__ u64 leaf(int c) const { return settle(c, death[c]); }
  __device__ u64 join(double seen, Few few) const { return word_of(fmax(number_in(few.mine), greatest_of(seen, few))); }
  __device__ void keep(int c, double, Few, u64 word) const { greatest[c] = number_in(word); }
  __device__ Rise rise(double, double seen, Few few) const { return {greatest_of(seen, few), 0.0}; }
  __device__ u64 many(int p, double seen, int, const Words &words) const {
    return settle(p, fmax(seen, number_in(greatest_of(words, 0, words.count))));
  }
};

__global__ void greatest_below(i64 clusters, const int *parent, const int *far, const int2 *children, u64 *words,
                               const double *death, double *greatest) {
  climb({clusters, parent, far, children, words}, Greatest{death, greatest});
}

// jump and top of a cluster: itself if marked.
__device__ inline int2 first_jump(const int *parent, const bool *marked, i64 c) {
  return make_int2(parent[c], marked[c] ? (int)c : NOT_CHOSEN);
}

__global__ void begin_topmost(i64 clusters, const int *parent, const bool *marked, int2 *jump_top) {
  i64 c = thread_id();
  if (c < clusters) jump_top[c] = first_jump(parent, marked, c);
}

// step(c) for all clusters by one block; what it writes, all threads can read afterwards.
template <class Step>
__device__ void for_few(i64 clusters, Step step) {
  for (i64 c = threadIdx.x; c < clusters; c += FEW_THREADS) step(c);
  __syncthreads();
}

// A step for all clusters by one block, `passes` times; what a pass writes the next one reads. Returns what the last
// one has written.
template <class P, class Step>
__device__ P *repeat(i64 clusters, P *in, P *out, int passes, Step step) {
  for (int pass = 0; pass < passes; pass++) {
    for_few(clusters, [&](i64 c) { step(in, out, c); });
    P *const written = out;
    out = in;
    in = written;
  }
  return in;
}

// (jump, top): top is the highest marked cluster from this one up to jump, jump excluded. A pass makes every jump AHEAD
// times as long.
struct Topmost {
  __device__ void operator()(const int2 *in, int2 *out, i64 c) const {
    int2 mine = in[c];
    for (int hop = 1; mine.x >= 0 && hop < AHEAD; hop++) {
      const int2 above = in[mine.x];
      mine = make_int2(above.x, above.y == NOT_CHOSEN ? mine.y : above.y);
    }
    out[c] = mine;
  }
};

__global__ void lengthen_topmost(i64 clusters, const int2 *in, int2 *out) {
  const i64 c = thread_id();
  if (c < clusters) Topmost()(in, out, c);
}

__global__ void __launch_bounds__(FEW_THREADS)
    few_lengthen_topmost(i64 clusters, int2 *pointers, int2 *spare, int passes) {
  repeat(clusters, pointers, spare, passes, Topmost());
}

// Clusters born above epsilon, and those that no cluster above may replace, point to themselves; others to their
// parent.
__global__ void begin_frontier(i64 clusters, const int *parent, const double *born, double epsilon, bool root_too,
                               int *up) {
  i64 c = thread_id();
  if (c >= clusters) return;
  const bool ends = c == 0 || born[c] > epsilon || (!root_too && parent[c] == 0);
  up[c] = ends ? (int)c : parent[c];
}

struct Frontier {
  __device__ void operator()(const int *in, int *out, i64 c) const {
    int at = in[c], further = in[at];
    for (int hop = 2; further != at && hop < AHEAD; hop++) {
      at = further;
      further = in[at];
    }
    out[c] = further;
  }
};

__global__ void lengthen_frontier(i64 clusters, const int *in, int *out) {
  const i64 c = thread_id();
  if (c < clusters) Frontier()(in, out, c);
}

__global__ void __launch_bounds__(FEW_THREADS)
    few_lengthen_frontier(i64 clusters, int *pointers, int *spare, int passes) {
  repeat(clusters, pointers, spare, passes, Frontier());
}

// Whether a cluster is its own topmost one.
__device__ inline bool is_chosen(const int2 *jump_top, i64 c) { return jump_top[c].y == c; }

// Replaces each selected cluster (its own topmost one) that is born below epsilon by its first ancestor born above.
__global__ void apply_epsilon(i64 clusters, const int2 *jump_top, const double *born, double epsilon,
                              const int *frontier, bool *marked) {
  i64 c = thread_id();
  if (c >= clusters || !is_chosen(jump_top, c)) return;
  marked[c > 0 && born[c] < epsilon ? frontier[c] : c] = true;
}

__device__ inline void number(i64 c, u32 rank, int *chosen, int *rank_of) {
  chosen[rank] = (int)c;
  rank_of[c] = (int)rank;
}

__global__ void __launch_bounds__(COMPACT_THREADS)
    list_chosen(const int2 *jump_top, i64 clusters, int *chosen, int *rank_of, int *total, u64 *tiles, u32 epoch) {
  compact(
      clusters, tiles, epoch, total, [&](int, i64 c) { return is_chosen(jump_top, c); },
      [&](i64 c, bool kept, u32 rank) {
        if (kept) number(c, rank, chosen, rank_of);
      });
}

__device__ inline int label_of(const int2 *jump_top, const int *rank_of, i64 c) {
  const int top = jump_top[c].y;
  return top == NOT_CHOSEN ? NOT_CHOSEN : rank_of[top];
}

__global__ void label_clusters(i64 clusters, const int2 *jump_top, const int *rank_of, int *label, int *labelled) {
  i64 c = thread_id();
  if (c == 0) *labelled = (int)clusters;
  if (c < clusters) label[c] = label_of(jump_top, rank_of, c);
}

// All steps without epsilon by one block: the leaves, or those of the greatest excess of mass. Only a climb reads what
// other threads write before a barrier, and only `words`, which are never read from the first-level cache.
//
// Unless `counted` is null, it says how many clusters there are; otherwise `clusters` does.
template <class S>
__global__ void __launch_bounds__(FEW_THREADS)
    select_few(i64 clusters, const int *counted, const int *parent, const int2 *children, const S *size,
               const double *stability, i64 largest, bool root_too, bool only_leaves, int *far, u64 *words, bool *stays,
               int2 *pointers, int2 *spare, int passes, int *chosen, int *rank_of, int *total, int *label,
               int *labelled) {
  if (counted) clusters = *counted;
  if (only_leaves) {
    for_few(clusters, [&](i64 c) { stays[c] = is_free_leaf(children, c, root_too); });
  } else {
    for_few(clusters, [&](i64 c) {
      far[c] = far_ancestor(parent, c);
      words[c] = words[clusters + c] = NO_WORD;
    });
    const Climbed climbed{clusters, parent, far, children, words};
    for (i64 first = 0; first < clusters; first += FEW_THREADS)
      climb_from(climbed, first + threadIdx.x, ExcessOfMass<S>{size, stability, largest, root_too, stays});
    __syncthreads();
  }
  for_few(clusters, [&](i64 c) { pointers[c] = first_jump(parent, stays, c); });
  const int2 *const jump_top = repeat(clusters, pointers, spare, passes, Topmost());
  const u32 all = block_compact<FEW_THREADS>(
      clusters, [&](int, i64 c) { return is_chosen(jump_top, c); },
      [&](i64 c, bool kept, u32 rank) {
        if (kept) number(c, rank, chosen, rank_of);
      });
  if (threadIdx.x == 0) *total = (int)all, *labelled = (int)clusters;
  for_few(clusters, [&](i64 c) { label[c] = label_of(jump_top, rank_of, c); });
}

// Probability of a point that leaves at lambda in a cluster that dies at `death`.
__device__ inline double strength(double lambda, double death) {
  return death == 0.0 || lambda >= death ? 1.0 : __ddiv_rn(lambda, death);
}

// Which clusters points leave at which heights is in two arrays or, where these are null, in `leaving`.
template <class T>
__global__ void label_points(i64 n, const int *cluster, const T *height, const Leaving<T> *leaving, const int *label,
                             const int *chosen, const double *death, double epsilon, i64 *labels,
                             double *probabilities) {
  i64 p = thread_id();
  if (p >= n) return;
  const Leaving<T> from = cluster ? Leaving<T>{cluster[p], height[p]} : leaving[p];
  const T leaves = from.height;
  int l = label[from.cluster];
  const double lambda = density(leaves);
  const int c = l < 0 ? NOT_CHOSEN : chosen[l];
  if (c == 0 && (epsilon != 0.0 ? widened(leaves) > epsilon : lambda < death[0])) l = NOT_CHOSEN;
  labels[p] = l;
  probabilities[p] = l < 0 ? 0.0 : strength(lambda, death[c]);
}

template <class T>
__global__ void outlier_scores(i64 n, const int *cluster, const T *height, const double *greatest, double *scores) {
  i64 p = thread_id();
  if (p >= n) return;
  const double lambda = density(height[p]), most = greatest[cluster[p]];
  scores[p] = isinf(lambda) || most == 0.0 ? 0.0 : add(1.0, -__ddiv_rn(lambda, most));
}
