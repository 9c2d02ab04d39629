// The linear bounding volume hierarchy: leaves of LEAF consecutive points on the curve, FAN consecutive nodes to a
// parent.
//
// Flat arrays and no pointers: node i of a level covers a fixed range of the curve. Rows past the last point are
// infinite, which no search radius reaches, so every leaf is scanned as if it were full.
#include "points/bvh.cuh"

// Scaled coordinates in curve order; exact, since the scale is a power of two. Adding zero leaves no -0, so equal
// points have equal bits. `order` is null where points keep theirs. A block takes EACH times blockDim.y rows.
template <class T>
__global__ void gather(const T *x, const int *order, i64 n, i64 padded, int dimensions, int stride, double scale,
                       T *rows) {
  const i64 first = blockIdx.x * (i64)EACH * blockDim.y + threadIdx.y;
  const T *from[EACH];
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const i64 i = minimum(first + j * blockDim.y, n - 1);
    from[j] = x + (order ? order[i] : i) * dimensions;
  }
  for (int d = threadIdx.x; d < stride; d += blockDim.x) {
    T v[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) v[j] = d < dimensions ? from[j][d] : T(0);
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      const i64 i = first + j * blockDim.y;
      if (i >= padded) break;
      if (d < dimensions && i < n) {
        narrow(mul(widened(v[j]), scale), v[j]);
        v[j] = add(v[j], T(0));
      } else if (d < dimensions) {
        v[j] = value_of(INFINITE<T>);
      }
      rows[i * stride + d] = v[j];
    }
  }
}

// The box of a leaf: a lane a point.
template <class T, int D>
__device__ void box_leaf(const T *points, i64 n, i64 i, T *nodes) {
  const i64 leaf = i / LEAF;
  Row<T, D> low = load<T, D>(points, minimum(i, n - 1)), high = low;
#pragma unroll
  for (int d = 0; d < D; d++)
#pragma unroll
    for (int step = 1; step < LEAF; step *= 2) {
      low.x[d] = minimum(low.x[d], __shfl_xor_sync(FULL, low.x[d], step));
      high.x[d] = maximum(high.x[d], __shfl_xor_sync(FULL, high.x[d], step));
    }
  low.tag = tag_of(MIXED, T(0));
  high.tag = T(0);
  if (leaf * LEAF >= n) return;
  if (i % LEAF == 0) store<T, D>(nodes, 2 * leaf, low);
  if (i % LEAF == 1) store<T, D>(nodes, 2 * leaf + 1, high);
}

// The box of a node, from those of its children; called by one warp.
template <class T, int D>
__device__ void box_node(const Hierarchy &h, int level, i64 node, T *nodes) {
  const i64 child = h.offset[level - 1] + minimum(node * FAN + lane_id(), (i64)h.count[level - 1] - 1);
  Row<T, D> low = load<T, D, true>(nodes, 2 * child), high = load<T, D, true>(nodes, 2 * child + 1);
  for (int d = 0; d < D; d++) {
    low.x[d] = warp_min_coordinate(low.x[d]);
    high.x[d] = warp_max_coordinate(high.x[d]);
  }
  if (lane_id() != 0) return;
  store<T, D>(nodes, 2 * (h.offset[level] + node), low);
  store<T, D>(nodes, 2 * (h.offset[level] + node) + 1, high);
}

// The boxes of all nodes.
template <class T, int D>
__global__ void node_boxes(const T *points, i64 n, const __grid_constant__ Hierarchy h, T *nodes, u32 *arrived) {
  make_nodes(
      h, arrived, [&](i64 i) { box_leaf<T, D>(points, n, i, nodes); },
      [&](int level, i64 node) { box_node<T, D>(h, level, node, nodes); });
}

// The index of a node's least core distance in `nodes`.
template <int D>
__device__ i64 core_at(i64 node) {
  return (2 * node + 1) * STRIDE<D> + STRIDE<D> - 1;
}

// Writes core distances into the tags of points, and the least of each leaf into the tag of its high corner: a lane a
// point.
template <class T, int D>
__device__ void core_leaf(const Bits<T> *core, i64 n, i64 i, Bits<T> *points, Bits<T> *nodes) {
  Bits<T> least = i < n ? core[i] : INFINITE<T>;
  if (i < n) points[i * STRIDE<D> + STRIDE<D> - 1] = least;
#pragma unroll
  for (int step = 1; step < LEAF; step *= 2) least = minimum(least, __shfl_xor_sync(FULL, least, step));
  if (i % LEAF == 0 && i < n) nodes[core_at<D>(i / LEAF)] = least;
}

// The least core distance of a node, from those of its children; called by one warp.
template <class T, int D>
__device__ void core_node(const Hierarchy &h, int level, i64 node, Bits<T> *nodes) {
  const i64 child = h.offset[level - 1] + minimum(node * FAN + lane_id(), (i64)h.count[level - 1] - 1);
  const Bits<T> least = warp_min(nodes[core_at<D>(child)]);
  if (lane_id() == 0) nodes[core_at<D>(h.offset[level] + node)] = least;
}

// Those of all nodes.
template <class T, int D>
__global__ void node_cores(const Bits<T> *core, i64 n, const __grid_constant__ Hierarchy h, Bits<T> *points,
                           Bits<T> *nodes, u32 *arrived) {
  make_nodes(
      h, arrived, [&](i64 i) { core_leaf<T, D>(core, n, i, points, nodes); },
      [&](int level, i64 node) { core_node<T, D>(h, level, node, nodes); });
}

// Core distances times a factor, rounded once. CuPy's own product would flush subnormal numbers.
template <class T>
__global__ void multiply_cores(const T *core, i64 n, T factor, T *product) {
  i64 i = thread_id();
  if (i < n) product[i] = mul(core[i], factor);
}
