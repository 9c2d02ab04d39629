// Gives numbers to the components of partitions, and lists the edges between them that are not certain.
//
// numbered.py launches number_roots and number_points (`number_points`); list_open (`take_open`); and count_from, for
// every partition (`number_together`).
#include "partitions/edges.cuh"
#include "runtime/compact.cuh"
#include "runtime/order.cuh"
#include "distances/point_rows.cuh"

__global__ void number_roots(const int *roots, i64 count, int *number) {
  const i64 k = thread_id();
  if (k < count) number[roots[k]] = (int)k;
}

// The number of every point's component, and how many points each has. A warp adds up its points if they lie in
// one component, as neighbours on the curve mostly do: so few warps add to one number at once.
__global__ void number_points(const int *labels, const int *number, i64 n, int *component, u64 *size) {
  const u32 lane = lane_id();
  const auto add = [&](int c, u32 points) {
    if (c != NONE) atomicAdd(reinterpret_cast<unsigned long long *>(size) + c, (unsigned long long)points);
  };
  int mine[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) mine[j] = point_of_thread(j) < n ? number[labels[point_of_thread(j)]] : NONE;
  int run = NONE;
  u32 points = 0;
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    if (mine[j] != NONE) component[point_of_thread(j)] = mine[j];
    const int other = __shfl_sync(FULL, mine[j], 0);
    const bool alike = __all_sync(FULL, mine[j] == other);
    if (!alike || other != run) {
      if (lane == 0) add(run, points);
      run = alike ? other : NONE;
      points = 0;
    }
    if (alike) {
      points += 32;
    } else {
      const u32 same = __match_any_sync(FULL, mine[j]);
      if (lane == (u32)__ffs(same) - 1) add(mine[j], __popc(same));
    }
  }
  if (lane == 0) add(run, points);
}

// Takes the edges by which components hooked from their slots, and lists them in the order of these. A row is that of
// `OpenEdges`. Under mutual reachability (MRD), the power of the distance is not the weight.
template <class T, int METRIC, bool MRD>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_open(const int *roots, i64 count, u64 *ends, const Bits<T> *weight, const int *component, const T *rows,
              int dimensions, int stride, const Norm<METRIC> norm, const Numbering numbering, u64 *words, int *total,
              u64 *tiles, u32 epoch) {
  compact(
      count, tiles, epoch, total, [&](int, i64 k) { return ends[roots[k]] != NO_EDGE; },
      [&](i64 k, bool hooked, u32 rank) {
        if (!hooked) return;
        const int slot = roots[k];
        const i64 u = ends[slot] >> 32, v = (u32)ends[slot];
        ends[slot] = NO_EDGE;
        Bits<T> power = weight[slot];
        if constexpr (MRD) power = power_between(norm, rows + u * stride, rows + v * stride, dimensions);
        write_edge<T>(words + (i64)rank * WORDS_OF<T>, component[u], component[v], numbering.id_of(u),
                      numbering.id_of(v), weight[slot], power);
      });
}

// Components of a partition are counted from `base`: at the ends of its edges, in its boxes, which may be MIXED, and in
// the list of all.
template <int WORDS>
__global__ void count_from(int base, u64 *words, i64 edges, int *box, i64 boxes, int *label, i64 components) {
  const i64 i = thread_id();
  if (i < edges) words[i * WORDS] += (u64)base << 32 | (u32)base;  // no end is as much as 2^31 with the base
  if (i < boxes && box[i] >= 0) box[i] += base;
  if (i < components) label[i] = base + (int)i;
}
