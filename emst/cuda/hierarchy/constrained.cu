// Selection of clusters by constraints and stability. A warp climbs from every leaf of the condensed tree until it
// comes to a split before one of the other children does: the last of them goes on.
//
// Unlike in climb.cuh, a cluster passes up two words: its stability and its gain. If a split has two children, the
// second child to come reads both words of the first. It may see the stability before the gain. Then it waits for the
// gain, so no fence is needed. If there are more children, they are counted, with fences before and after the count.
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

// What the clusters chosen at or below each cluster are worth. All words are NO_WORD at first.
struct PassedUp {
  u64 *meeting;  // where children meet: the stability of the first of two or, of more, the number that have come
  volatile u64 *stability, *gain;  // gains as words
};

constexpr u64 NO_WORD = EMST_NO_WORD, ZERO = 1ull << 63;  // the word of a gain of 0; no gain has the word NO_WORD

__device__ inline i64 gain_in(u64 word) { return (i64)(word - ZERO); }

// The sum of what two children are worth, or nothing if the other one has not come. By a warp.
__device__ inline bool meet(PassedUp up, int above, int other, int c, Worth mine, Worth &sum) {
  u64 met = NO_WORD;
  if (lane_id() == 0) {
    up.gain[c] = ZERO + (u64)mine.gain;
    met = atomicExch(up.meeting + above, (u64)bits_of(mine.stability));
  }
  met = __shfl_sync(FULL, met, 0);
  if (met == NO_WORD) return false;
  u64 gain = up.gain[other];
  while (gain == NO_WORD) gain = up.gain[other];
  sum = {add(__longlong_as_double((i64)met), mine.stability), gain_in(gain) + mine.gain};
  return true;
}

// Whether all other children of a cluster, three or more in all, have come. By a warp; what they have stored can be
// read then.
__device__ inline bool is_last_child(PassedUp up, int above, int2 children, int c, Worth mine) {
  u64 others = 0;
  if (lane_id() == 0) {
    up.stability[c] = (u64)bits_of(mine.stability);
    up.gain[c] = ZERO + (u64)mine.gain;
    __threadfence();
    others = atomicAdd(up.meeting + above, 1ull) - NO_WORD;
    __threadfence();
  }
  others = __shfl_sync(FULL, others, 0);
  __syncwarp();  // what lane 0 has waited for, all lanes may read
  return others == (u64)(children.y - children.x - 1);
}

// By a warp.
__device__ inline Worth worth_of_children(PassedUp up, int2 children) {
  u64 gain = 0;  // sums of integers of either sign, modulo 2^64
  for (int c = children.x + (int)lane_id(); c < children.y; c += 32) gain += (u64)gain_in(up.gain[c]);
  return {sum_of(up.stability + children.x, children.y - children.x), (i64)warp_sum(gain)};
}

__global__ void choose(i64 clusters, const int *parent, const int2 *children, const int *size, const double *stability,
                       const i64 *gain, double price, i64 largest, bool root_too, u64 *meeting, u64 *best_stability,
                       u64 *best_gain, bool *stays) {
  const i64 leaf = thread_id() / 32;
  if (leaf >= clusters || children[leaf].y != 0) return;
  const PassedUp up{meeting, best_stability, best_gain};
  Worth below{0.0, 0};
  int c = (int)leaf, above = parent[c];
  for (;;) {
    const int next = maximum(above, 0), further = parent[next];  // all loads begin before the first is used
    const int2 siblings = children[next];
    const bool allowed = size[c] <= largest && (c > 0 || root_too);
    const Worth own{stability[c], gain[c]};
    const bool stay = allowed && (c == leaf || !is_worth_more(below, own, price));
    if (lane_id() == 0) stays[c] = stay;
    if (above < 0) return;
    const Worth mine = stay ? own : below;
    if (siblings.y - siblings.x == 2) {
      if (!meet(up, above, siblings.x + siblings.y - 1 - c, c, mine, below)) return;
    } else {
      if (!is_last_child(up, above, siblings, c, mine)) return;
      below = worth_of_children(up, siblings);
    }
    c = above;
    above = further;
  }
}
