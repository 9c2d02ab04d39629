// The first level of the order of few points along the curve (order.cu), by one launch of resident blocks.
//
// order.py launches it. Crowded cells, if there are any, make the next level.
#include "points/cells.cuh"
#include "runtime/grid.cuh"

constexpr u32 CROWD = EMST_CROWD;

// X is the type of the points' coordinates, T that of the box. `arrived` and `crowded` are 0 before the launch;
// `crowded` becomes 1 if more than CROWD points share a cell.
template <class X, class T, class U, int D>
__global__ void __launch_bounds__(EMST_BLOCK)
    order_few(const X *points, i64 n, int dimensions, const U *corners, double scale, double least_extent, double *low,
              int *axes, int *used, double *factor, u64 *code, u64 *in_order, int *rows, u32 *arrived, int *crowded) {
  const Grid grid = {arrived, (int)blockIdx.x, (int)gridDim.x};
  const i64 warp = grid.first() / 32, warps = grid.step() / 32;
  __shared__ CurveCoder<D> coder;
  coder.copy();
  if (warp == 0) find_grid<T, U, D>(0, corners, nullptr, dimensions, scale, least_extent, low, axes, used, factor);
  grid.sync();

  const Grids grids = {low, axes, used, factor};
  const bool divided = *factor > 0;
  for (i64 k = grid.first(); k < n; k += grid.step())
    code[k] = divided ? curve_code<X, D>(coder, points + k * dimensions, scale, grids, 0) : 0;
  grid.sync();

  for (i64 i = warp; i < n; i += warps) {
    u32 equal;
    const u32 rank = rank_of_key(code, n, i, equal);
    if (lane_id() != 0) continue;
    in_order[rank] = code[i];
    rows[rank] = (int)i;
    if (divided && equal > CROWD) *crowded = 1;
  }
}
