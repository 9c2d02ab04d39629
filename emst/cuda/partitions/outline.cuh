// Holds the outlines of all partitions, and computes the reach of a box: its distance to the nearest leaf of another
// partition. A thread takes a box and visits the nodes of one partition after the other, depth first. Neighbouring
// boxes visit almost the same nodes. outline.cu includes this file.
#pragma once
#include "distances/metric.cuh"
#include "runtime/warp.cuh"

constexpr int DEEPEST = 32;  // levels of a partition's outline, at most; a hierarchy has fewer

// `Outline` of the records, the number of partitions, and the one of the queries, which is left out.
template <class T>
struct Outline {
  const T *low, *high;
  const int *child, *children, *label, *start;
  int partitions, home;

  __device__ bool is_leaf(int node) const { return child[node] < 0; }
  // The root of a partition; NONE if it has no points, or is the home of the queries.
  __device__ int root_of(int partition) const {
    return partition == home || start[partition] == start[partition + 1] ? NONE : start[partition];
  }
};

// A box from which distances are measured.
template <class T, int METRIC>
struct Box {
  const T *low, *high;
  int dimensions;

  // The power of the distance to a node. That of two points is not lowered.
  __device__ T power_to(const Norm<METRIC> &norm, const Outline<T> &outline, int node) const {
    const T *a = outline.low + (i64)node * dimensions, *b = outline.high + (i64)node * dimensions;
    T power = T(0);
    bool points = KIND<METRIC> == ANY_POWER;
    for (int i = 0; i < dimensions; i++) {
      const T t = term(norm, gap_between(norm, a[i], b[i], low[i], high[i], i));
      power = i ? extended(norm, power, t) : t;
      if constexpr (KIND<METRIC> == ANY_POWER) points = points && a[i] == b[i] && low[i] == high[i];
    }
    return points ? power : of_box(norm, power);
  }

  // The power of the vector from the low to the high corner, without wrapping.
  __device__ T width(const Norm<METRIC> &norm) const {
    T power = term(norm, difference(high[0], low[0]));
    for (int i = 1; i < dimensions; i++) power = extended(norm, power, term(norm, difference(high[i], low[i])));
    return power;
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
__device__ void descend(const Outline<T> &outline, int root, Visitor visit) {
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
    next[depth] = outline.child[node];
    end[depth] = next[depth] + outline.children[node];
  }
}

// Of `count` nodes the nearest to a box, which is that of the whole warp; NONE if none is a node. A lane a node.
template <class T, int METRIC, class Node>
__device__ int nearest_node(const Box<T, METRIC> &box, const Norm<METRIC> &norm, const Outline<T> &outline, int count,
                            Node node_of) {
  int mine = NONE;
  Bits<T> least = INFINITE<T>;
  for (int i = (int)lane_id(); i < count; i += 32) {
    const int node = node_of(i);
    if (node == NONE) continue;
    const Bits<T> power = bits_of(box.power_to(norm, outline, node));
    if (mine != NONE && power >= least) continue;
    mine = node;
    least = power;
  }
  const Bits<T> best = warp_min(least);
  const u32 found = __ballot_sync(FULL, mine != NONE && least == best);
  return found ? __shfl_sync(FULL, mine, __ffs(found) - 1) : NONE;
}

// A leaf that is near to the box of the warp's first lane, not always the nearest: from the nearest root down, each
// time to the nearest child. NONE if no other partition has points.
template <class T, int METRIC>
__device__ int near_leaf(Box<T, METRIC> box, const Norm<METRIC> &norm, const Outline<T> &outline) {
  box.low = reinterpret_cast<const T *>(__shfl_sync(FULL, reinterpret_cast<u64>(box.low), 0));
  box.high = reinterpret_cast<const T *>(__shfl_sync(FULL, reinterpret_cast<u64>(box.high), 0));
  int node = nearest_node(box, norm, outline, outline.partitions, [&](int j) { return outline.root_of(j); });
  while (node != NONE && !outline.is_leaf(node)) {
    const int first = outline.child[node];
    node = nearest_node(box, norm, outline, outline.children[node], [&](int j) { return first + j; });
  }
  return node;
}

// The power of the distance of a box to the nearest leaf of another partition. All lanes of a warp call it, with boxes
// that lie near each other: one leaf bounds the reaches of all.
template <class T, int METRIC>
__device__ Bits<T> reach_of(const Box<T, METRIC> &box, const Norm<METRIC> &norm, const Outline<T> &outline) {
  const int leaf = near_leaf(box, norm, outline);
  if (leaf == NONE) return INFINITE<T>;
  Bits<T> best = bits_of(box.power_to(norm, outline, leaf));
  for (int j = 0; j < outline.partitions; j++) {
    const int root = outline.root_of(j);
    if (root == NONE) continue;
    descend(outline, root, [&](int node) {
      const T power = box.power_to(norm, outline, node);
      if (!outline.is_leaf(node)) return bound_below(norm, power) < best ? ENTER : SKIP;
      best = minimum(best, bits_of(power));
      return SKIP;
    });
  }
  return best;
}

// Whether a partition has a leaf within the radius of a point, whose label is MIXED or not the point's own.
template <class T, int METRIC>
__device__ bool hits(const Box<T, METRIC> &point, int mine, Bits<T> within, const Norm<METRIC> &norm,
                     const Outline<T> &outline, int partition) {
  const int root = outline.root_of(partition);
  bool reached = false;
  if (root == NONE) return false;
  descend(outline, root, [&](int node) {
    const bool leaf = outline.is_leaf(node);
    if (leaf && outline.label[node] != MIXED && outline.label[node] == mine) return SKIP;
    const T power = point.power_to(norm, outline, node);
    if (!leaf) return bound_below(norm, power) <= within ? ENTER : SKIP;
    reached = bits_of(power) <= within;
    return reached ? STOP : SKIP;
  });
  return reached;
}
