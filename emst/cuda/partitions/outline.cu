// How far the points of a partition are from what others hold, and which of them ask.
//
// outline.py launches, in outline_reaches: bound_nodes for every level, downwards; list_near; spread_bounds, which
// writes the reaches of far points; reach_near, which writes the others; gather_asking, first to count; number_near.
// node_boxes, outline_hits and list_hits launch the kernels of these names.
#include "points/bvh.cuh"
#include "partitions/outline.cuh"
#include "runtime/compact.cuh"

constexpr int NEAR = -1;                   // instead of the bound of a box that is near: less than any bound
constexpr u32 OF_LEAF = (1u << LEAF) - 1;  // a bit for every point of a leaf
static_assert(LEAF < 32 && 32 % LEAF == 0, "a word has the bits of whole leaves");

// The boxes of nodes: two rows each.
template <class T, int METRIC>
__device__ Box<T, METRIC> box_of(const T *nodes, i64 node, int dimensions, int stride) {
  const T *low = nodes + 2 * node * stride;
  return {low, low + stride, dimensions};
}

// Both corners of every box, a thread a coordinate. The low corners lie `stride` numbers apart in the rows, and each
// high corner `high` numbers after the low one.
template <class T>
__global__ void node_boxes(const T *rows, int stride, int high, int dimensions, const int *node, i64 count, T *boxes) {
  const i64 i = thread_id(), corner = i / dimensions;
  if (corner >= 2 * count) return;
  boxes[i] = rows[node[corner / 2] * (i64)stride + corner % 2 * high + (i - corner * dimensions)];
}

// Writes the bound of every node of a level. If the parent of a node is far, the node has the bound of its parent. If
// not, the node has its own reach as the bound where this makes it far, and NEAR otherwise. `rest` becomes the least
// bound. The nodes of a warp have one parent, as FAN lanes are a warp.
template <class T, int METRIC>
__global__ void bound_nodes(const Hierarchy h, i64 level, i64 highest, const T *nodes, int dimensions, int stride,
                            const Norm<METRIC> norm, const Outline<T> outline, Bits<T> *bound, Bits<T> *rest) {
  static_assert(FAN == 32, "a warp has the children of one node");
  const i64 i = thread_id(), last = h.count[level] - 1;
  if (i - lane_id() > last) return;
  const i64 node = minimum(i, last), place = h.offset[level] + node;
  const Bits<T> above = level < highest ? bound[h.offset[level + 1] + node / FAN] : NEAR;
  if (above != NEAR) {
    bound[place] = above;
    return;
  }
  const auto box = box_of<T, METRIC>(nodes, place, dimensions, stride);
  const Bits<T> reach = reach_of(box, norm, outline);
  const bool far = reach > bits_of(box.width(norm));
  bound[place] = far ? reach : NEAR;
  const Bits<T> least = warp_min(far ? reach : INFINITE<T>);
  if (lane_id() == 0) lower(rest, least);
}

// Lists the leaves that are near. `found` becomes their number, and that of their points.
template <class T>
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_near(const Bits<T> *bound, i64 leaves, i64 n, int *near, int *found, u64 *tiles, u32 epoch) {
  compact(
      leaves, tiles, epoch, found, [&](int, i64 leaf) { return bound[leaf] == NEAR; },
      [&](i64 leaf, bool kept, u32 rank) {
        if (kept) near[rank] = (int)leaf;
        if (leaf == leaves - 1) found[1] = (int)(rank * LEAF + (kept ? n - leaf * LEAF : 0));
      });
}

// Writes the reaches of the points of far leaves, and the bits of those that ask: none without core distances. The bits
// of near points are 0.
template <class T>
__global__ void spread_bounds(const Bits<T> *bound, const Bits<T> *core, i64 n, Bits<T> *reach, u32 *asks) {
  Bits<T> far[EACH], radius[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = minimum(point_of_thread(j), n - 1);
    far[j] = bound[i / LEAF];
    radius[j] = core ? core[i] : NEAR;
  }
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = point_of_thread(j);
    const bool mine = i < n && far[j] != NEAR;
    if (mine) reach[i] = far[j];
    const u32 asking = __ballot_sync(FULL, mine && far[j] <= radius[j]);
    if (i < n && lane_id() == 0) asks[i / 32] = asking;
  }
}

// How far points ask: their core distances; or the same for all points of a leaf, infinite without nodes.
template <class T, int METRIC>
struct Radius {
  const Bits<T> *core;
  const T *nodes;
  int dimensions, stride;
  T share;

  __device__ Bits<T> of(const Norm<METRIC> &norm, i64 point) const {
    if (core) return core[point];
    if (!nodes) return INFINITE<T>;
    return bits_of(mul(box_of<T, METRIC>(nodes, point / LEAF, dimensions, stride).width(norm), share));
  }
};

// Writes the reaches of the points of near leaves, one by one, and the bits of those that ask. `near` is null if all
// leaves are near. Every warp takes the points of the next leaves, until there are none.
template <class T, int METRIC>
__global__ void reach_near(const T *rows, i64 n, const T *nodes, const Bits<T> *core, T share, int dimensions,
                           int stride, const Norm<METRIC> norm, const Outline<T> outline, const int *near,
                           const int *found, Bits<T> *reach, u32 *asks) {
  constexpr int LEAVES_A_WARP = 32 / LEAF;
  const Radius<T, METRIC> radius{core, nodes, dimensions, stride, share};
  const i64 leaves = near ? *found : (n + LEAF - 1) / LEAF, step = gridDim.x * (i64)blockDim.x / 32 * LEAVES_A_WARP;
  const int lane = (int)lane_id();
  for (i64 first = thread_id() / 32 * LEAVES_A_WARP; first < leaves; first += step) {
    const i64 rank = first + lane / LEAF, nearest = minimum(rank, leaves - 1);
    const i64 leaf = near ? near[nearest] : nearest, i = leaf * LEAF + lane % LEAF;
    const bool inside = rank < leaves && i < n;
    const T *x = rows + minimum(i, n - 1) * stride;
    const Bits<T> power = reach_of(Box<T, METRIC>{x, x, dimensions}, norm, outline);
    if (inside) reach[i] = power;
    const u32 asking = __ballot_sync(FULL, inside && power <= radius.of(norm, i));
    const u32 of_leaf = asking >> (lane & ~(LEAF - 1)) & OF_LEAF;
    if (lane % LEAF == 0 && of_leaf) atomicOr(asks + leaf * LEAF / 32, of_leaf << (leaf * LEAF % 32));
  }
}

// Lists the points that ask, their radii and their coordinates. Without a list, they are counted only: `total` becomes
// their number.
template <class T, int METRIC>
__global__ void __launch_bounds__(COMPACT_THREADS)
    gather_asking(const u32 *asks, const T *rows, i64 n, const T *nodes, const Bits<T> *core, T share, int dimensions,
                  int stride, const Norm<METRIC> norm, int *asking, Bits<T> *radii, T *points, int *total, u64 *tiles,
                  u32 epoch) {
  const Radius<T, METRIC> radius{core, nodes, dimensions, stride, share};
  const int tile = lookback::take_tile(tiles);
  list_bits(
      tile, asks, (n + 31) / 32, [&](u32 here) { return start_of_tile(here, tile, tiles, epoch, total); },
      [&](u32 rank, i64 i) {
        if (!asking) return;
        asking[rank] = (int)i;
        radii[rank] = radius.of(norm, i);
        for (int d = 0; d < dimensions; d++) points[(i64)rank * dimensions + d] = rows[i * stride + d];
      });
}

// The points of near leaves. Only the last leaf may not be full, and it is the last of the list.
__global__ void number_near(const int *leaves, i64 count, int *near) {
  const i64 i = thread_id();
  if (i < count) near[i] = leaves[i / LEAF] * LEAF + (int)(i % LEAF);
}

// The partitions that every point hits: first all points for partition 0, then for the next.
template <class T, int METRIC>
__global__ void outline_hits(const T *points, const int *labels, const Bits<T> *radius, i64 count, int dimensions,
                             const Norm<METRIC> norm, const Outline<T> outline, bool *hit) {
  const i64 q = thread_id();
  if (q >= count) return;
  const Box<T, METRIC> point{points + q * dimensions, points + q * dimensions, dimensions};
  const int mine = labels ? labels[q] : MIXED;  // no leaf bears this label
  for (int j = 0; j < outline.partitions; j++) hit[j * count + q] = hits(point, mine, radius[q], norm, outline, j);
}

// Lists the points that hit each partition, one partition after the other, and where each begins. Without a list, they
// are counted only. Points times partitions are less than 2^31.
__global__ void __launch_bounds__(COMPACT_THREADS)
    list_hits(const bool *hit, i64 points, i64 partitions, int *members, int *start, u64 *tiles, u32 epoch) {
  compact(
      points * partitions, tiles, epoch, start + partitions, [&](int, i64 at) { return hit[at]; },
      [&](i64 at, bool kept, u32 rank) {
        const u32 partition = (u32)at / (u32)points, point = (u32)at - partition * (u32)points;
        if (kept && members) members[rank] = (int)point;
        if (point == 0) start[partition] = (int)rank;
      });
}
