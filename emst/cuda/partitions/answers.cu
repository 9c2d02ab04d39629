// What other partitions have answered the points of a partition: reaches, and the distances of nearest points.
//
// answers.py launches, in take_reaches, raise_reaches once and lower_reaches for every answer; in join_distances, the
// kernel of this name for every answer. A point has at most one row of an answer, so no two threads write to one place.
#include "runtime/exact.cuh"

// No point of another partition within the radius of a point that asks is known yet.
template <class T>
__global__ void raise_reaches(const int *asking, i64 count, const Bits<T> *radius, Bits<T> *reach) {
  const i64 i = thread_id();
  if (i < count) reach[asking[i]] = maximum(reach[asking[i]], radius[i]);
}

// first[i * stride]: power of the distance to the nearest point of a partition, infinity if none is within the radius.
template <class T>
__global__ void lower_reaches(const int *asking, const int *chosen, i64 count, const Bits<T> *first, i64 stride,
                              Bits<T> *reach) {
  const i64 i = thread_id();
  if (i >= count) return;
  const int point = asking[chosen[i]];
  reach[point] = minimum(reach[point], first[i * stride]);
}

// Merges row i of `found`, of `width` numbers, with row chosen[i] of `joined`, of `count` numbers, which keeps the
// least ones. All rows ascend.
template <class T>
__global__ void join_distances(const int *chosen, i64 rows, const Bits<T> *found, int width, int count,
                               Bits<T> *joined) {
  const i64 i = thread_id();
  if (i >= rows) return;
  const Bits<T> *const theirs = found + i * width;
  Bits<T> *const ours = joined + (i64)chosen[i] * count;
  int of_ours = count, of_theirs = 0;  // how many of each row are among the least
  while (of_ours > 0 && of_theirs < width && theirs[of_theirs] < ours[of_ours - 1]) {
    of_ours--;
    of_theirs++;
  }
  // From the greatest to the least: a place is free before a number moves to it.
  while (of_theirs > 0) {
    const bool is_ours = of_ours > 0 && ours[of_ours - 1] > theirs[of_theirs - 1];
    const int to = of_ours + of_theirs - 1;
    ours[to] = is_ours ? ours[--of_ours] : theirs[--of_theirs];
  }
}
