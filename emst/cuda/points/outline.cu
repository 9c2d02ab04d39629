// How far queries are from the outlines of other partitions. A thread takes a query and visits the nodes of one
// partition after the other, depth first; neighbouring queries visit almost the same nodes.
//
// outline.py launches outline_reach and outline_hits, each in the function of the same name. `home` is the partition of
// the queries, which is left out.
#include "distances/metric.cuh"

constexpr int DEEPEST = 32;  // levels of a partition's outline, at most; a hierarchy has fewer

// The outline, as `Outline` of the records.
template <class T>
struct Nodes {
  const T *low, *high;
  const int *child, *children;

  __device__ bool is_leaf(int node) const { return child[node] < 0; }
};

// A box from which distances are measured.
template <class T, int METRIC>
struct Box {
  const T *low, *high;
  int dimensions;

  // The power of the distance to a node. That of two points is not lowered.
  __device__ T power_to(const Norm<METRIC> &norm, const Nodes<T> &nodes, int node) const {
    const T *a = nodes.low + (i64)node * dimensions, *b = nodes.high + (i64)node * dimensions;
    T power = T(0);
    bool points = KIND<METRIC> == ANY_POWER;
    for (int i = 0; i < dimensions; i++) {
      const T t = term(norm, gap_between(norm, a[i], b[i], low[i], high[i], i));
      power = i ? extended(norm, power, t) : t;
      if constexpr (KIND<METRIC> == ANY_POWER) points = points && a[i] == b[i] && low[i] == high[i];
    }
    return points ? power : of_box(norm, power);
  }
};

// A lower bound of the powers of the distances to all leaves below a node, from the power to the node. Rounding is not
// quite monotone under ANY_POWER, so the power of the node may exceed that of a child by a few units in the last place.
// With this bound, results depend on the leaves alone.
template <int METRIC, class T>
__device__ Bits<T> bound_below(const Norm<METRIC> &norm, T power) {
  return bits_of(of_box(norm, power));
}

enum Visit { SKIP, ENTER, STOP };

// Visits a node and what is below it. visit(node) says whether to visit its children, to leave them out, or to end.
template <class T, class Visitor>
__device__ void descend(const Nodes<T> &nodes, int root, Visitor visit) {
  int next[DEEPEST], end[DEEPEST];  // of every level, the siblings that are still to be visited
  int depth = 0;
  next[0] = root;
  end[0] = root + 1;
  while (depth >= 0) {
    if (next[depth] == end[depth]) {
      depth--;
      continue;
    }
    const int node = next[depth]++;
    const Visit what = visit(node);
    if (what == STOP) return;
    if (what == SKIP) continue;
    if (++depth == DEEPEST) __trap();  // not an outline
    next[depth] = nodes.child[node];
    end[depth] = next[depth] + nodes.children[node];
  }
}

// The root of a partition; NONE if it has no points, or is the home of the queries.
__device__ inline int root_of(const int *start, int partition, int home) {
  return partition == home || start[partition] == start[partition + 1] ? NONE : start[partition];
}

// The power of a leaf that is near, not always the nearest: from the nearest root down, each time to the nearest child.
template <class T, int METRIC>
__device__ Bits<T> near_leaf(const Box<T, METRIC> &box, const Norm<METRIC> &norm, const Nodes<T> &nodes,
                             const int *start, int partitions, int home) {
  int node = NONE;
  Bits<T> best = INFINITE<T>;
  const auto compare = [&](int other) {
    const Bits<T> power = bits_of(box.power_to(norm, nodes, other));
    if (node != NONE && power >= best) return;
    node = other;
    best = power;
  };
  for (int j = 0; j < partitions; j++)
    if (root_of(start, j, home) != NONE) compare(start[j]);
  while (node != NONE && !nodes.is_leaf(node)) {
    const int first = nodes.child[node], end = first + nodes.children[node];
    node = NONE;
    for (int child = first; child < end; child++) compare(child);
  }
  return best;
}

// The power of the distance of every box to the nearest leaf of another partition.
template <class T, int METRIC>
__global__ void outline_reach(const T *query_low, const T *query_high, i64 count, int dimensions,
                              const Norm<METRIC> norm, const T *low, const T *high, const int *child,
                              const int *children, const int *start, int partitions, int home, Bits<T> *reach) {
  const i64 q = thread_id();
  if (q >= count) return;
  const Nodes<T> nodes{low, high, child, children};
  const Box<T, METRIC> box{query_low + q * dimensions, query_high + q * dimensions, dimensions};
  Bits<T> best = near_leaf(box, norm, nodes, start, partitions, home);
  for (int j = 0; j < partitions; j++) {
    const int root = root_of(start, j, home);
    if (root == NONE) continue;
    descend(nodes, root, [&](int node) {
      const T power = box.power_to(norm, nodes, node);
      if (!nodes.is_leaf(node)) return bound_below(norm, power) < best ? ENTER : SKIP;
      best = minimum(best, bits_of(power));
      return SKIP;
    });
  }
  reach[q] = best;
}

// Which other partitions have a leaf within the radius of every point whose label is MIXED or not the point's own.
template <class T, int METRIC>
__global__ void outline_hits(const T *points, const int *labels, const Bits<T> *radius, i64 count, int dimensions,
                             const Norm<METRIC> norm, const T *low, const T *high, const int *child,
                             const int *children, const int *label, const int *start, int partitions, int home,
                             bool *hit) {
  const i64 q = thread_id();
  if (q >= count) return;
  const Nodes<T> nodes{low, high, child, children};
  const Box<T, METRIC> point{points + q * dimensions, points + q * dimensions, dimensions};
  const int mine = labels[q];
  const Bits<T> within = radius[q];
  for (int j = 0; j < partitions; j++) {
    const int root = root_of(start, j, home);
    bool reached = false;
    if (root != NONE)
      descend(nodes, root, [&](int node) {
        const bool leaf = nodes.is_leaf(node);
        if (leaf && label[node] != MIXED && label[node] == mine) return SKIP;
        const T power = point.power_to(norm, nodes, node);
        if (!leaf) return bound_below(norm, power) <= within ? ENTER : SKIP;
        reached = bits_of(power) <= within;
        return reached ? STOP : SKIP;
      });
    hit[q * partitions + j] = reached;
  }
}
