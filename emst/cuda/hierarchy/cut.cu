// The clusters that merges below a height make. Merges are named by links (chains.py), but `below` is a rank.
//
// cut.py launches find_tops, find_components, number_components and label_components.
#include "runtime/compact.cuh"
#include "hierarchy/descent.cuh"

// Merges from `below` on are cut away. top[e] is the highest merge above e that is not.
__global__ void __launch_bounds__(FEW_THREADS) find_tops(const int *parents, const int *rounds, const int *ranks,
                                                         i64 merges, i64 below, int *top, u64 *published) {
  descend(
      parents, rounds, published,
      [&](Descendant d, int &value) {
        const bool root = d.parent == merges;
        const bool begins = root || ranks[root ? d.merge : d.parent] >= below, inherits = d.top && !begins;
        const int above = top[inherits ? d.parent : 0];
        value = begins ? d.merge : above;
        return begins || inherits;
      },
      [&](int e, int value) { top[e] = value; });
}

// The component of every point, NONE for one of its own, and the first point of every component.
__global__ void find_components(const int2 *children, const int *ranks, i64 merges, i64 below, const int *top,
                                int *component, int *first) {
  i64 e = thread_id();
  if (e >= merges) return;
  const int2 child = children[e];
  const bool joined = ranks[e] < below;
  for (int x : {child.x, child.y}) {
    if (x >= 0) continue;
    const int p = (int)(x + merges + 1);
    component[p] = joined ? top[e] : NONE;
    if (joined) lower(first + top[e], p);
  }
}

// Components of at least `least` points are numbered in the order of their first points.
template <class S>
__global__ void __launch_bounds__(COMPACT_THREADS)
    number_components(const int *component, i64 n, const S *size, i64 least, const int *first, int *number, i64 *labels,
                      int *total, u64 *tiles, u32 epoch) {
  compact(
      n, tiles, epoch, total,
      [&](int, i64 p) {
        const int c = component[p];
        return c == NONE ? least <= 1 : first[c] == p && size[c] >= least;
      },
      [&](i64 p, bool kept, u32 rank) {
        if (component[p] == NONE)
          labels[p] = kept ? (i64)rank : -1;
        else if (kept)
          number[component[p]] = (int)rank;
      });
}

template <class S>
__global__ void label_components(const int *component, i64 n, const S *size, i64 least, const int *number,
                                 i64 *labels) {
  i64 p = thread_id();
  if (p < n && component[p] != NONE) labels[p] = size[component[p]] >= least ? number[component[p]] : -1;
}
