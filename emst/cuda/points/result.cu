// The forest's edges for the caller: in the total order, with the caller's row numbers and units.
//
// One radix sort by the highest bits of the weight and, if bits are left, of the next key of the order. Edges that
// are equal in them are next to each other then, in short runs as a rule, and these are put in order while the edges
// are written. The ends of an edge are one number (smaller end << 32 | larger end); all ones is an empty slot, whose
// key is all ones, too, so that it comes last. Few edges are ranked instead: each counts those that come before it.
//
// result.py launches list_edges and, after the sort, emit_sorted; for long runs that are not in order also
// list_long_runs, end_keys, power_keys (under mutual reachability) and emit_listed. For few edges it launches
// emit_ranked alone. edge_powers and unscaled belong to the functions of the same names.
#include "first_round.cuh"
#include "runtime/compact.cuh"
#include "runtime/order.cuh"
#include "runtime/ties.cuh"
#include "runtime/told.cuh"
#include "distances/point_rows.cuh"

constexpr int LONGEST_RUN = EMST_LONGEST_RUN;

// How many keys of the total order an edge brings along: a weight of 64 bits, of which the packed key has only a part,
// and the power of the distance where that is not the weight.
template <class T, bool MRD>
constexpr int KEYS = (sizeof(T) == 8) + MRD;

// What the result needs of an edge. It lies in one piece, so that few accesses to memory read it. Under mutual
// reachability it contains which ends have chosen the edge, and a number (first_round.cuh). If partitions list their
// edges (LISTED), it also contains the places of both ends on the curve.
struct Rows {
  int2 rows;  // of the caller, ascending
};
template <class B, int N>
struct Keys {
  B key[N];
};
template <class B>
struct Keys<B, 0> {};
template <bool MRD>
struct Seen {
  u32 seen;
};
template <>
struct Seen<false> {};
template <bool LISTED>
struct Places {
  int2 places;  // in the order of the rows
};
template <>
struct Places<false> {};
template <class T, bool MRD, bool LISTED>
constexpr int EDGE_WORDS = (sizeof(T) / 4 << MRD) + LISTED;  // of 64 bits; see `_words` of result.py
template <class T, bool MRD, bool LISTED>
constexpr int EDGE_ALIGNED = 8 * (EDGE_WORDS<T, MRD, LISTED> & -EDGE_WORDS<T, MRD, LISTED>);
template <class T, bool MRD, bool LISTED>
struct alignas(EDGE_ALIGNED<T, MRD, LISTED>) EdgeOf : Rows, Keys<Bits<T>, KEYS<T, MRD>>, Seen<MRD>, Places<LISTED> {
  // Both ends as one number. `of_slots` has it by slot, and is null if the edge has the places of its ends.
  __device__ u64 ends(const u64 *of_slots, i64 slot) const {
    if constexpr (LISTED)
      return packed_edge(this->places.x, this->places.y);
    else
      return of_slots[slot];
  }
};

template <class T, int METRIC>
__device__ Bits<T> pair_power(u64 ends, const T *rows, int dimensions, int stride, const Norm<METRIC> &norm) {
  return power_between(norm, rows + (i64)(ends >> 32) * stride, rows + (i64)(u32)ends * stride, dimensions);
}

// The rows of two ends, the smaller first, and the ends in the same order.
__device__ inline int2 rows_of(u64 pair, const int *order, int2 &ends) {
  ends = make_int2((int)(pair >> 32), (int)pair);
  if (!order) return ends;
  const int u = order[ends.x], v = order[ends.y];
  if (v < u) ends = make_int2(ends.y, ends.x);
  return make_int2(minimum(u, v), maximum(u, v));
}

// The first keys of the total order in 64 bits, whose lowest `bits` will hold the slot. After the 31 bits of a weight
// come the first bits of the smaller end or, under mutual reachability, how far the power of the distance is below the
// weight, the farthest first: their difference without its last bits. What lies 16 powers of two below, or more, counts
// as equally far.
template <bool MRD>
__device__ u64 order_key(int weight, int power, u64 ends, int bits) {
  const int spare = 33 - bits;
  const u64 most = (1ull << spare) - 1, below = (u64)(weight - power) >> maximum(27 - spare, 0);
  const u64 second = MRD ? most - minimum(most, below) << bits : ends >> 32 << spare;
  return (u64)weight << 33 | second;
}
template <bool MRD>
__device__ u64 order_key(i64 weight, i64, u64, int) {
  return (u64)weight << 1;
}

// The head of a run that has chosen this edge of length 0, or NONE; see first_round.cuh.
template <class T>
__device__ int head_of_edge(u64 pair, i64 slot, i64 n, const T *rows, int dimensions, int stride, int *apart) {
  const i64 u = (i64)(pair >> 32), v = (i64)(u32)pair;
  if (follows(rows, slot, dimensions, stride)) return NONE;  // it is an edge of the run itself
  if (!are_equal(rows, u, v, dimensions, stride)) *apart = 1;
  return v + 1 < n && follows(rows, v + 1, dimensions, stride) ? (int)v : NONE;
}

// Packed keys and edges of all slots. The ends of an edge are near its slot as a rule, and so are their rows in
// `order`, which is null where places on the curve stand for rows.
template <class T, int METRIC, bool MRD, bool LISTED>
__global__ void list_edges(const u64 *ends, const Bits<T> *weight, i64 n, const T *rows, int dimensions, int stride,
                           const Norm<METRIC> norm, const int *order, int bits, const FirstRound round, u64 *key,
                           u64 *edges) {
  u64 pair[EACH];
  int2 at[EACH];
  EdgeOf<T, MRD, LISTED> edge[EACH];
  static_assert(sizeof(edge[0]) == 8 * EDGE_WORDS<T, MRD, LISTED>, "result.py allocates them");
#pragma unroll
  for (int j = 0; j < EACH; j++) pair[j] = point_of_thread(j) < n ? ends[point_of_thread(j)] : NO_EDGE;
#pragma unroll
  for (int j = 0; j < EACH; j++)
    if (pair[j] != NO_EDGE) edge[j].rows = rows_of(pair[j], order, at[j]);
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    if (i >= n) return;
    if (pair[j] == NO_EDGE) {
      key[i] = packed(~0ull, i, bits);
      continue;
    }
    const Bits<T> w = weight[i];
    const Bits<T> power = MRD ? pair_power(pair[j], rows, dimensions, stride, norm) : w;
    key[i] = packed(order_key<MRD>(w, power, pair[j], bits), i, bits);
    if constexpr (sizeof(T) == 8) edge[j].key[0] = w;
    if constexpr (MRD) {
      edge[j].key[KEYS<T, MRD> - 1] = power;
      int head = NONE;
      if (round.apart && power == 0) head = head_of_edge(pair[j], i, n, rows, dimensions, stride, round.apart);
      edge[j].seen = round.hooks ? round.see((int)i, at[j].x, at[j].y, head) : 0;
    }
    EdgeOf<T, MRD, LISTED> &to = reinterpret_cast<EdgeOf<T, MRD, LISTED> *>(edges)[i];
    if constexpr (LISTED) {  // part by part: what pads the whole would be copied byte by byte
      static_cast<Rows &>(to) = edge[j];
      static_cast<Keys<Bits<T>, KEYS<T, MRD>> &>(to) = edge[j];
      static_cast<Seen<MRD> &>(to) = edge[j];
      to.places = at[j];
    } else {
      to = edge[j];
    }
  }
}

// The larger ends of the edges in some slots, or the smaller ones.
template <class T, bool MRD, bool LISTED>
__global__ void end_keys(const int *slots, i64 m, const u64 *ends, const u64 *edges, bool smaller, u32 *key) {
  const i64 i = thread_id();
  if (i >= m) return;
  const u64 pair = reinterpret_cast<const EdgeOf<T, MRD, LISTED> *>(edges)[slots[i]].ends(ends, slots[i]);
  key[i] = (u32)(smaller ? pair >> 32 : pair);
}

// The powers of their distances, under mutual reachability.
template <class T, bool LISTED>
__global__ void power_keys(const int *slots, i64 m, const u64 *edges, Bits<T> *key) {
  const i64 i = thread_id();
  if (i < m) key[i] = reinterpret_cast<const EdgeOf<T, true, LISTED> *>(edges)[slots[i]].key[KEYS<T, true> - 1];
}

// Lists the places and slots of the edges in runs that are too long for `emit_sorted`. If `places` is null, it only
// counts these edges.
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_long_runs(const u64 *key, i64 edges, int sorted, int bits, int *places, int *slots, int *total, u64 *tiles,
                   u32 epoch) {
  compact(
      edges, tiles, epoch, total,
      [&](int, i64 i) {
        const u64 mine = key[i] >> sorted;
        const i64 behind = i - LONGEST_RUN / 2, ahead = i + LONGEST_RUN / 2;  // half of a longer run lies on one side
        if (!(behind >= 0 && key[behind] >> sorted == mine) && !(ahead < edges && key[ahead] >> sorted == mine))
          return false;
        i64 front = i, back = i + 1;
        while (front > 0 && i - front < LONGEST_RUN && key[front - 1] >> sorted == mine) front--;
        while (back < edges && back - front <= LONGEST_RUN && key[back] >> sorted == mine) back++;
        return back - front > LONGEST_RUN;
      },
      [&](i64 i, bool kept, u32 rank) {
        if (!kept || !places) return;
        places[rank] = (int)i;
        slots[rank] = (int)index_of(key[i], bits);
      });
}

// The distance of a power whose degree is 2, if SQUARED, or 1. Powers of other degrees stay: the host takes their
// roots.
template <bool SQUARED, class T>
__device__ T distance_of(T power) {
  return SQUARED ? root(power) : power;
}

template <bool SQUARED, class T>
__device__ void emit(int2 rows, T weight, double unscale, i64 at, int2 *edge, T *length) {
  edge[at] = rows;
  narrow(mul(widened(distance_of<SQUARED>(weight)), unscale), length[at]);
}

// More of an edge, where there are arrays for it: what the dendrogram sees of it; and for a list of partitions, the
// places of its ends and, if the weight is another one, the power of its distance.
template <class T>
struct More {
  u32 *seen;
  int2 *places;
  Bits<T> *power;

  template <bool MRD, bool LISTED>
  __device__ void emit(const EdgeOf<T, MRD, LISTED> &edge, i64 at) const {
    if constexpr (MRD)
      if (seen) seen[at] = edge.seen;
    if constexpr (LISTED) places[at] = edge.places;
    if constexpr (LISTED && MRD) power[at] = edge.key[KEYS<T, MRD> - 1];
  }
};

// If a long run is not in order, `state` and told[0] become the number of passes that the keys have been sorted by.
// Most long runs are in order: edges of duplicates are equally heavy, and their slots are in the order of their ends.
// told[1] becomes `apart`.
template <class T, bool MRD, bool SQUARED, bool LISTED>
__global__ void __launch_bounds__(TIE_THREADS)
    emit_sorted(const u64 *key, i64 count, int bits, const int *many, const u64 *ends, const u64 *edges, double unscale,
                int2 *edge, T *length, const More<T> more, const int *apart, int *state, int *told) {
  if (apart && thread_id() == 0) told[1] = *apart;
  constexpr int N = KEYS<T, MRD>;
  using Listed = EdgeOf<T, MRD, LISTED>;
  const Listed *const listed = reinterpret_cast<const Listed *>(edges);
  const int passes = passes_of(many);
  order_ties<LONGEST_RUN, Tied<Bits<T>, N>>(
      key, count, maximum(lowest_bit(passes), bits), bits,
      [&](i64, u64 word) {
        const i64 slot = index_of(word, bits);
        Tied<Bits<T>, N> tied;
        tied.ends = listed[slot].ends(ends, slot);
        if constexpr (N > 0)
#pragma unroll
          for (int i = 0; i < N; i++) tied.key[i] = listed[slot].key[i];
        return tied;
      },
      comes_before<Bits<T>, N>, [&](i64, u64 word) { return listed[index_of(word, bits)]; },
      [&](i64 to, u64 word, const Listed &e, Run run) {
        if constexpr (sizeof(T) == 8)
          emit<SQUARED>(e.rows, value_of(e.key[0]), unscale, to, edge, length);
        else
          emit<SQUARED>(e.rows, value_of((int)(word >> 33)), unscale, to, edge, length);
        more.template emit<MRD, LISTED>(e, to);
        if (run == UNORDERED_RUN) tell_once(state, told, passes);
      });
}

// Edges of long runs, in order, at their places.
template <class T, bool MRD, bool SQUARED, bool LISTED>
__global__ void emit_listed(const int *places, const int *slots, i64 m, const Bits<T> *weight, const u64 *edges,
                            double unscale, int2 *edge, T *length, const More<T> more) {
  const i64 i = thread_id();
  if (i >= m) return;
  using Listed = EdgeOf<T, MRD, LISTED>;
  const Listed listed = reinterpret_cast<const Listed *>(edges)[slots[i]];
  emit<SQUARED>(listed.rows, value_of(weight[slots[i]]), unscale, places[i], edge, length);
  more.template emit<MRD, LISTED>(listed, places[i]);
}

// A warp a slot. Powers of distances are needed only of edges that are equally heavy.
template <class T, int METRIC, bool MRD, bool SQUARED>
__global__ void emit_ranked(const u64 *ends, const Bits<T> *weight, i64 n, const T *rows, int dimensions, int stride,
                            const Norm<METRIC> norm, const int *order, double unscale, int2 *edge, T *length,
                            const More<T> more) {
  const i64 i = thread_id() / 32;
  if (i >= n || ends[i] == NO_EDGE) return;
  const u64 e = ends[i];
  const Bits<T> w = weight[i];
  const auto power = [&](u64 f) { return MRD ? pair_power(f, rows, dimensions, stride, norm) : Bits<T>(0); };
  const Bits<T> d = power(e);
  u32 before = 0;
  for (i64 j = lane_id(); j < n; j += 32) {
    const u64 f = ends[j];
    if (f == NO_EDGE || f == e || weight[j] > w) continue;
    if (weight[j] == w) {
      const Bits<T> g = power(f);
      if (g > d || (g == d && f > e)) continue;
    }
    before++;
  }
  before = __reduce_add_sync(FULL, before);
  if (before == n - 1) return;  // as many edges as points: no forest, which the host will know later
  if (lane_id() != 0) return;
  int2 in_order;
  emit<SQUARED>(rows_of(e, order, in_order), value_of(w), unscale, before, edge, length);
  if (more.places) more.places[before] = in_order;
  if (more.power) more.power[before] = d;
}

template <class T, int METRIC>
__global__ void edge_powers(const int *u, const int *v, i64 edges, const T *rows, int dimensions, int stride,
                            const Norm<METRIC> norm, Bits<T> *power) {
  const i64 i = thread_id();
  if (i < edges) power[i] = power_between(norm, rows + (i64)u[i] * stride, rows + (i64)v[i] * stride, dimensions);
}

template <class T, bool SQUARED>
__global__ void unscaled(const T *powers, i64 n, const int *order, double unscale, T *out) {
  i64 i = thread_id();
  if (i < n) narrow(mul(widened(distance_of<SQUARED>(powers[i])), unscale), out[order ? order[i] : i]);
}
