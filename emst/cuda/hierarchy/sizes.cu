// Sizes by weight: the weights of the vertices in every merge, of 64 bits.
//
// Merges are named by links (chains.py). The vertices are put into an order in which those of every merge follow one
// another: those of its first child, then those of the second. Then the size of a merge is a difference of two sums
// over the vertices in this order.
//
// sizes.py launches find_first, from the root down, then place_vertices.
#include "hierarchy/descent.cuh"

// How many vertices a child of a merge holds.
__device__ inline int vertices_in(int child, const int *count) { return child < 0 ? 1 : count[child]; }

struct Shifted {
  bool head;
  u32 value;
  int merge;
};

// first[e]: the place of the first vertex of merge e. In a chain it is that of the merge above, and more by what the
// first child of that one holds for a merge that is the second: a sum from the top of the chain.
__global__ void __launch_bounds__(FEW_THREADS) find_first(const int *parents, const int *rounds, const int2 *children,
                                                          const int *vertices, i64 merges, int *first, u64 *published) {
  scan_rounds<true>(
      rounds, published,
      [&](i64 from, i64 size, i64 i) {
        const Descendant d = descendant(parents, from, size, i);
        const bool root = d.parent == merges;
        const int parent = root ? d.merge : d.parent;
        const int2 child = children[parent];
        const u32 before = !root && child.y == d.merge ? (u32)vertices_in(child.x, vertices) : 0u;
        const u32 above = d.top && !root ? (u32)first[parent] : 0u;
        return Shifted{d.top, before + above, d.merge};
      },
      [&](i64, i64, const Shifted &merge, u32 sum) { first[merge.merge] = (int)sum; });
}

// The vertices in this order.
__global__ void place_vertices(const int2 *children, const int *vertices, const int *first, i64 merges, int *order) {
  const i64 e = thread_id();
  if (e >= merges) return;
  const int2 child = children[e];
  const int points = (int)merges + 1;
  if (child.x < 0) order[first[e]] = child.x + points;
  if (child.y < 0) order[first[e] + vertices_in(child.x, vertices)] = child.y + points;
}
