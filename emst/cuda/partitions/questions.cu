// What points of a partition ask others in a round, and what a partition is asked by others.
//
// questions.py launches, in questions: border_hits; list_questions, first to count; and gather_questions.
#include "points/bvh.cuh"
#include "partitions/asking.cuh"
#include "partitions/edges.cuh"
#include "partitions/outline.cuh"
#include "runtime/compact.cuh"

constexpr int THREADS = EMST_BLOCK, WORDS = THREADS / 32;  // of a block that takes as many points, and of their bits
constexpr int MOST_SENDERS = EMST_MOST_SENDERS;

// The bits of the points that hit each partition, `words` words a partition; the last ones belong to no points.
// `exceeds`, in memory of the host, becomes 1 if other points may ask as well. Of the points of a block, those that ask
// come together first: then most warps have nothing to do.
template <class T, int METRIC>
__global__ void __launch_bounds__(THREADS)
    border_hits(const Asking<T> asking, const T *rows, int dimensions, int stride, const Norm<METRIC> norm,
                const Outline<T> outline, i64 words, u32 *hit, int *exceeds) {
  __shared__ int listed[THREADS];
  __shared__ u32 bits[WORDS];
  const i64 first = blockIdx.x * (i64)THREADS, i = first + threadIdx.x;
  bool more = false;
  for (i64 c = thread_id(); c < asking.components; c += (i64)gridDim.x * THREADS) more |= asking.exceeds_rest(c);
  if (__syncthreads_or(more) && threadIdx.x == 0) *exceeds = 1;
  const bool asks[1] = {i < asking.count && asking.asks(i, asking.group[asking.component[asking.place(i)]])};
  u32 rank[1];
  const u32 count = block_places<THREADS>(asks, rank);
  if (asks[0]) listed[rank[0]] = threadIdx.x;
  for (int j = 0; j < outline.partitions; j++) {
    if (threadIdx.x < WORDS) bits[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < count) {
      const int mine = listed[threadIdx.x];
      const i64 place = asking.place(first + mine);
      const int label = asking.group[asking.component[place]];
      const T *x = rows + place * stride;
      const Box<T, METRIC> point{x, x, dimensions};
      if (hits(point, label, asking.bound[label], norm, outline, j)) atomicOr(bits + mine / 32, 1u << mine % 32);
    }
    __syncthreads();
    if (threadIdx.x < WORDS) hit[j * words + first / 32 + threadIdx.x] = bits[threadIdx.x];
  }
}

// The columns of `Questions` of the records.
template <class T>
struct Columns {
  T *points;
  int *component;
  Bits<T> *core, *radius;  // core is null without core distances
  i64 *ids;
};

// Lists the points that hit each of some partitions, one partition after the other, as questions from `before` on.
// Without `start`; with it, they are counted only, and it gets where those to every partition begin. A tile of bits
// belongs to one partition.
template <class T>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_questions(const Asking<T> asking, const T *rows, int dimensions, int stride, int base,
                   const Numbering numbering, const u32 *hit, i64 words, i64 before, const Columns<T> columns,
                   int *start, int *total, u64 *tiles, u32 epoch) {
  constexpr int TILE = EMST_BITS_TILE;
  const int tile = lookback::take_tile(tiles), tiles_each = (int)(words / TILE);
  list_bits(
      tile, hit, (i64)gridDim.x * TILE,
      [&](u32 here) {
        const u32 first = start_of_tile(here, tile, tiles, epoch, total);
        if (start && tile % tiles_each == 0 && lane_id() == 0) start[tile / tiles_each] = (int)first;
        return first;
      },
      [&](u32 rank, i64 bit) {
        if (start) return;
        const i64 r = before + rank, place = asking.place(bit - tile / tiles_each * words * 32);
        const int c = asking.component[place];
        const T *x = rows + place * stride;
        for (int d = 0; d < dimensions; d++) columns.points[r * dimensions + d] = x[d];
        columns.component[r] = c + base;
        if (columns.core) columns.core[r] = bits_of(x[stride - 1]);
        columns.radius[r] = asking.bound[asking.group[c]];
        columns.ids[r] = numbering.id_of(place);
      });
}

// Questions of several senders, in the order of these, and at which row those of each end.
template <class T>
struct Sender {
  const T *points;
  const int *component;
  const Bits<T> *core, *radius;
  const i64 *ids;
  i64 upto;
};
template <class T>
struct Senders {
  Sender<T> sender[MOST_SENDERS];
};

// The questions of all senders as rows of queries and columns, from row `first` on; a thread a coordinate. The senders
// may lie in the memory of other GPUs. Rows after the last one, up to `padded`, get points that are infinitely far.
template <class T>
__global__ void gather_questions(const __grid_constant__ Senders<T> senders, int count, i64 first, i64 padded,
                                 int dimensions, int stride, const int *label, T *rows, int *now, int *component,
                                 Bits<T> *core, Bits<T> *radius, i64 *ids) {
  const i64 thread = thread_id(), r = thread / dimensions, row = first + r;
  const int d = (int)(thread - r * dimensions);
  if (row >= padded) return;
  int s = 0;
  while (s < count && senders.sender[s].upto <= r) s++;
  T *const x = rows + row * stride;
  if (s == count) {
    x[d] = value_of(INFINITE<T>);
  } else {
    const Sender<T> &sender = senders.sender[s];
    const i64 from = r - (s ? senders.sender[s - 1].upto : 0);
    x[d] = sender.points[from * dimensions + d];
    if (d == 0) {
      const int c = sender.component[from];
      component[row] = c;
      now[row] = label[c];
      if (core) core[row] = sender.core[from];
      radius[row] = sender.radius[from];
      ids[row] = sender.ids[from];
    }
  }
  if (d == 0)
    for (int rest = dimensions; rest < stride; rest++) x[rest] = T(0);
}
