// Selection of clusters by constraints and stability. A warp climbs from every leaf of the condensed tree until it
// comes to a split before one of the other children does: the last of them goes on. Unlike in climb.cuh, a cluster
// passes up two words, so children are counted with fences between the words and the count.
#include "hierarchy/sum.cuh"

// What clusters are worth together: sums over those that are chosen.
struct Worth {
  double stability;
  i64 gain;
};

// Which of two choices is worth more. A price of infinity compares gains first.
__device__ inline bool is_worth_more(Worth a, Worth b, double price) {
  if (isinf(price)) return a.gain > b.gain || (a.gain == b.gain && a.stability > b.stability);
  return add(a.stability, mul(price, __ll2double_rn(a.gain))) > add(b.stability, mul(price, __ll2double_rn(b.gain)));
}

// What the clusters chosen at or below each cluster are worth, and how many children of it have come.
struct PassedUp {
  volatile u64 *stability;
  volatile i64 *gain;
  int *arrived;
};

// Whether all other children of a cluster have come. By a warp; what they have stored can be read then.
__device__ inline bool is_last_child(PassedUp up, int above, int2 children, int c, Worth best) {
  int others = 0;
  if (lane_id() == 0) {
    up.stability[c] = (u64)bits_of(best.stability);
    up.gain[c] = best.gain;
    __threadfence();
    others = atomicAdd(up.arrived + above, 1);
    __threadfence();
  }
  others = __shfl_sync(FULL, others, 0);
  __syncwarp();  // what lane 0 has waited for, all lanes may read
  return others == children.y - children.x - 1;
}

// By a warp.
__device__ inline Worth worth_of_children(PassedUp up, int2 children) {
  u64 gain = 0;  // sums of integers of either sign, modulo 2^64
  for (int c = children.x + (int)lane_id(); c < children.y; c += 32) gain += (u64)up.gain[c];
  return {sum_of(up.stability + children.x, children.y - children.x), (i64)warp_sum(gain)};
}

__global__ void choose(i64 clusters, const int *parent, const int2 *children, const int *size, const double *stability,
                       const i64 *gain, double price, i64 largest, bool root_too, u64 *best_stability, i64 *best_gain,
                       int *arrived, bool *stays) {
  const i64 leaf = thread_id() / 32;
  if (leaf >= clusters || children[leaf].y != 0) return;
  const PassedUp up{best_stability, best_gain, arrived};
  Worth below{0.0, 0};
  for (int c = (int)leaf;;) {
    const bool allowed = size[c] <= largest && (c > 0 || root_too);
    const Worth own{stability[c], gain[c]};
    const bool stay = allowed && (c == leaf || !is_worth_more(below, own, price));
    if (lane_id() == 0) stays[c] = stay;
    const int above = parent[c];
    if (above < 0 || !is_last_child(up, above, children[above], c, stay ? own : below)) return;
    below = worth_of_children(up, children[above]);
    c = above;
  }
}
