// The first round (first_round.cuh) of points in partitions. Each has kept the round of its own points, in which those
// that are held back have not chosen. When all edges are known, they choose the first of theirs in the total order.
//
// first_rounds.py launches offer_certain, offer_found and see_ends in every partition (`ends_of_joined`), and then
// see_found (`seen_by_partition`). The edges that rounds have found are in the total order, rows of `OpenEdges` of the
// records. Those of a partition that are certain carry what is seen of them to the list of all (gathered.cu).
#include "partitions/before.cuh"
#include "partitions/first_rounds.cuh"
#include "runtime/told.cuh"

constexpr u32 CHOSE = FIRST_CHOSE;
constexpr u32 ELSEWHERE = ~0u;  // the end lies in another partition; the least number is that of the right one

__global__ void offer_certain(const int2 *places, i64 m, const Hooks *hooks, u64 *choice) {
  int2 ends[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) ends[j] = point_of_thread(j) < m ? places[point_of_thread(j)] : make_int2(0, 0);
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    if (i >= m) return;
    if (is_held(hooks, ends[j].x)) atomicMin(choice + ends[j].x, certain_choice(i));
    if (is_held(hooks, ends[j].y)) atomicMin(choice + ends[j].y, certain_choice(i));
  }
}

// A thread has one end of an edge that rounds have found. If this end is a point of the partition and was held back,
// the edge is one that it can choose: `offered` becomes the number of the edge. Otherwise it becomes NO_CHOICE. The
// host is told of a power that is 0: the ends of such an edge need not be equal (first_round.cuh).
template <class T>
__global__ void offer_found(const int2 *places, const Bits<T> *weight, const Bits<T> *power, i64 m, const u64 *words,
                            i64 count, const Numbering numbering, i64 n, const Hooks *hooks, u64 *choice, u64 *offered,
                            int *apart, int *told) {
  const i64 i = thread_id();
  if (i >= 2 * count) return;
  const u64 *const edge = words + i / 2 * WORDS_OF<T>;
  if (power_in<T>(edge) == 0) tell_once(apart, told, 1);
  const i64 place = numbering.place_of(edge[1 + i % 2]);
  u64 number = NO_CHOICE;
  if (place >= 0 && place < n && is_held(hooks, (int)place)) {
    number = found_choice(edges_before<T>(edge, numbering, places, weight, power, m), i / 2);
    atomicMin(choice + place, number);
  }
  offered[i] = number;
}

// The component of an end that lies here, and whether the end has chosen the edge. `width` are the words of an edge.
__global__ void see_ends(const u64 *words, int width, i64 count, const Numbering numbering, i64 n, const int *component,
                         const u64 *choice, const u64 *offered, i64 base, u32 *ends) {
  const i64 i = thread_id();
  if (i >= 2 * count) return;
  const i64 place = numbering.place_of(words[i / 2 * width + 1 + i % 2]);
  const bool here = place >= 0 && place < n;
  const bool chose = here && offered[i] != NO_CHOICE && choice[place] == offered[i];
  ends[i] = here ? (u32)(base + component[place]) | (chose ? CHOSE : 0) : ELSEWHERE;
}

// What the dendrogram sees of the edges that rounds have found. They are left after the first round, and their numbers
// follow those of all `components`. `rows` and `ends` hold those of every partition.
__global__ void see_found(const int2 *rows, const uint2 *ends, i64 parts, i64 count, int components, u32 *found,
                          int2 *between) {
  const i64 j = thread_id();
  if (j >= count) return;
  int2 row = rows[j];
  uint2 end = ends[j];
#pragma unroll 1
  for (i64 part = 1; part < parts; part++) {
    const int2 there = rows[part * count + j];
    const uint2 of_part = ends[part * count + j];
    row = make_int2(maximum(row.x, there.x), maximum(row.y, there.y));
    end = make_uint2(minimum(end.x, of_part.x), minimum(end.y, of_part.y));
  }
  if (row.y < row.x) end = make_uint2(end.y, end.x);
  found[j] = (end.x & CHOSE ? FIRST_CHOSE : 0) | (end.y & CHOSE ? SECOND_CHOSE : 0) | LEFT | (u32)(components + j);
  between[j] = make_int2((int)(end.x & ~CHOSE), (int)(end.y & ~CHOSE));
}
