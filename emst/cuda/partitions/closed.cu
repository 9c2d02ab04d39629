// Vertices that leave their cluster together: closed subtrees of a partition's dendrogram. closed.py launches these
// kernels in this order, climb_on several times.
#include "runtime/compact.cuh"

// Finds the merge above every merge, which for the last one is itself, and above every vertex. Merges that are small
// enough count as closed at first, even if phantoms lie below them.
template <class S>
__global__ void find_parents(const int *child, const S *size, i64 m, i64 merges, i64 least, int *parent, int *above,
                             bool *closed) {
  const i64 i = thread_id();
  if (i >= m) return;
  for (int end = 0; end < 2; end++) {
    const int c = child[2 * i + end];
    if (c >= 0)
      parent[c] = (int)i;
    else
      above[c + m + 1] = (int)i;
  }
  if (i == m - 1) parent[i] = (int)i;
  closed[i] = i < merges && size[i] < least;
}

// Opens the merges above phantoms. A thread stops where another one has been before: that one goes on.
__global__ void open_phantoms(const int *above, i64 leaves, i64 vertices, const int *parent, bool *closed) {
  const i64 v = leaves + thread_id();
  if (v >= vertices) return;
  for (int i = above[v]; closed[i]; i = parent[i]) closed[i] = false;
}

__global__ void begin_climb(const int *parent, const bool *closed, i64 m, int *highest) {
  const i64 i = thread_id();
  if (i < m) highest[i] = closed[i] && closed[parent[i]] ? parent[i] : (int)i;
}

// Climbs twice as far up, or farther, if another thread has been faster. All merges on the way are closed.
__global__ void climb_on(int *highest, const bool *closed, i64 m) {
  const i64 i = thread_id();
  if (i < m && closed[i]) highest[i] = highest[highest[i]];
}

// Numbers the highest closed merges, and after them the vertices without a closed merge above.
__global__ void __launch_bounds__(COMPACT_THREADS)
    number_groups(const int *highest, const bool *closed, const int *above, i64 m, i64 n, int *number, int *group,
                  int *count, u64 *tiles, u32 epoch) {
  compact(
      n, tiles, epoch, count, [&](int, i64 i) { return i < m ? closed[i] && highest[i] == i : !closed[above[i - m]]; },
      [&](i64 i, bool kept, u32 rank) {
        if (kept) (i < m ? number[i] : group[i - m]) = (int)rank;
      });
}

__global__ void group_leaves(const int *highest, const bool *closed, const int *above, const int *number, i64 leaves,
                             int *group) {
  const i64 v = thread_id();
  if (v < leaves && closed[above[v]]) group[v] = number[highest[above[v]]];
}
