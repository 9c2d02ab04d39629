// Edges of partitions as one list: others put in between those of a partition, and two lists merged.
//
// gathered.py launches put_others and put_edges for `insert_edges`, and split_tiles and merge_edges for `merge_edges`.
#include "partitions/before.cuh"
#include "partitions/first_rounds.cuh"

// ---- others in between ----------------------------------------------------------------------------------------------

// How many of the ascending numbers from `low` up to `high` are at most `value`, those before `low` counted.
__device__ inline i64 count_upto(const int *numbers, i64 low, i64 high, i64 value) {
  while (low < high) {
    const i64 middle = (low + high) / 2;
    if (numbers[middle] <= value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// A thread writes one of the others, an edge as `OpenEdges` of the records: a binary search finds how many of the
// partition's edges come before it. The power arrays are null where weights are powers.
template <class T>
__global__ void put_others(const int2 *places, const Bits<T> *weight, const Bits<T> *power, i64 m, const u64 *words,
                           i64 others, const Numbering numbering, int *before, const SeenEdges seen, int2 *out_rows,
                           Bits<T> *out_weight, Bits<T> *out_power) {
  const i64 j = thread_id();
  if (j >= others) return;
  const u64 *const other = words + j * WORDS_OF<T>;
  const i64 first = edges_before<T>(other, numbering, places, weight, power, m);
  before[j] = (int)first;
  const i64 at = first + j;
  out_rows[at] = make_int2((int)(u32)other[0], (int)(u32)(other[0] >> 32));
  out_weight[at] = weight_in<T>(other);
  if (out_power) out_power[at] = power_in<T>(other);
  if (seen.seen) seen.out_seen[at] = seen.found[seen.which[j]];
}

// Few of the others lie between the edges of a block.
template <class T>
__global__ void put_edges(const int2 *places, const int2 *rows, const Bits<T> *weight, const Bits<T> *power, i64 m,
                          const int *before, i64 others, const SeenEdges seen, int2 *out_rows, Bits<T> *out_weight,
                          Bits<T> *out_power) {
  const i64 first = point_of_thread(0) - threadIdx.x, last = minimum(first + EACH * (i64)blockDim.x, m) - 1;
  const i64 from = count_upto(before, 0, others, first), to = count_upto(before, from, others, last);
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    if (i >= m) return;
    const i64 at = i + count_upto(before, from, to, i);
    out_rows[at] = rows[i];
    out_weight[at] = weight[i];
    if (out_power) out_power[at] = power[i];
    if (seen.seen) seen.put(i, places[i], at);
  }
}

// ---- two lists merged -----------------------------------------------------------------------------------------------

// A block writes a tile of the merged list. Which edges of both lists these are follows from how many edges of the
// first list come before the tile and before the next one: see Green, McColl and Bader, "GPU merge path" (2012). A
// thread finds in the same way where its part of the tile begins.
constexpr int MERGED_EACH = EMST_MERGED_EACH, MERGED_TILE = EMST_BLOCK * MERGED_EACH;

// How many of the first `rank` merged edges are of the first list. Of both lists so many edges are there, and
// second_first(j, i) says whether edge j of the second list comes before edge i of the first.
template <class Index, class SecondFirst>
__device__ Index split(Index rank, Index first, Index second, SecondFirst second_first) {
  Index low = maximum(rank - second, Index(0)), high = minimum(rank, first);
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (second_first(rank - 1 - middle, middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Whether edge i comes before edge j by its keys, of which the second one may not be there.
template <bool MRD, class B>
__device__ bool precedes(const B *weight, const B *power, i64 i, const B *other_weight, const B *other_power, i64 j) {
  const B mine = weight[i], theirs = other_weight[j];
  if constexpr (MRD)
    if (mine == theirs) return power[i] < other_power[j];
  return mine < theirs;
}

template <class T, bool MRD>
__global__ void split_tiles(const Bits<T> *weight, const Bits<T> *power, i64 first, const Bits<T> *second_weight,
                            const Bits<T> *second_power, i64 second, i64 tiles, int *splits) {
  const i64 tile = thread_id();
  if (tile > tiles) return;
  const i64 rank = minimum(tile * MERGED_TILE, first + second);
  splits[tile] = (int)split(rank, first, second, [&](i64 j, i64 i) {
    return precedes<MRD>(second_weight, second_power, j, weight, power, i);
  });
}

template <class T, bool MRD>
__global__ void __launch_bounds__(EMST_BLOCK)
    merge_edges(const int2 *rows, const Bits<T> *weight, const Bits<T> *power, const u32 *seen, i64 first,
                const int2 *second_rows, const Bits<T> *second_weight, const Bits<T> *second_power,
                const u32 *second_seen, i64 second, const int *splits, int2 *out_rows, Bits<T> *out_weight,
                Bits<T> *out_power, u32 *out_seen) {
  __shared__ Bits<T> weights[MERGED_TILE], powers[MRD ? MERGED_TILE : 1];  // of the first list, then of the second
  __shared__ unsigned short from[MERGED_TILE];                             // by rank in the tile: place in these
  const i64 begin = blockIdx.x * (i64)MERGED_TILE;
  const int count = (int)minimum(first + second - begin, (i64)MERGED_TILE);
  const i64 of_first = splits[blockIdx.x], of_second = begin - of_first;
  const int firsts = (int)(splits[blockIdx.x + 1] - of_first), seconds = count - firsts;
  for (int s = threadIdx.x; s < count; s += EMST_BLOCK) {
    weights[s] = s < firsts ? weight[of_first + s] : second_weight[of_second + s - firsts];
    if constexpr (MRD) powers[s] = s < firsts ? power[of_first + s] : second_power[of_second + s - firsts];
  }
  __syncthreads();
  const auto second_first = [&](int j, int i) {
    return precedes<MRD>(weights, powers, firsts + j, weights, powers, i);
  };
  const int rank = minimum((int)threadIdx.x * MERGED_EACH, count), last = minimum(rank + MERGED_EACH, count);
  int i = split(rank, firsts, seconds, second_first), j = rank - i;
  for (int at = rank; at < last; at++) {
    const bool takes_second = i == firsts || (j < seconds && second_first(j, i));
    from[at] = (unsigned short)(takes_second ? firsts + j++ : i++);
  }
  __syncthreads();
  for (int at = threadIdx.x; at < count; at += EMST_BLOCK) {
    const int s = from[at];
    out_rows[begin + at] = s < firsts ? rows[of_first + s] : second_rows[of_second + s - firsts];
    out_weight[begin + at] = weights[s];
    if constexpr (MRD) out_power[begin + at] = powers[s];
    if (out_seen) out_seen[begin + at] = s < firsts ? seen[of_first + s] : second_seen[of_second + s - firsts];
  }
}
