"""Distances of all pairs from inner products in float32, with a proven bound on their error.

In many dimensions, a search over boxes can exclude few points, so nearly all pairs are compared. Computing the inner
products of all pairs takes a fraction of the time of computing their distances: a tile of 12 points by 32 stays in
registers, and every number that is loaded is used many times. But inner products are not rounded as distances are. So
they only decide which pairs can matter, and `scan` computes the distances of these pairs. docs/how/many_dimensions.md
has the bound and its proof:

For every point, y is its difference from a fixed centre times a power of two, t; x' is y rounded to float32, and
rho >= |y - x'|. By the triangle inequality, the distance of two points times t differs from |x' - y'| by at most
rho(x) + rho(y). Let s = |x'|^2 and

    a(x, y) = s(y) - 2 x' . y' = |x' - y'|^2 - s(x).

The products are added up in parts of 128 coordinates, and the parts to s(y): no term takes part in more than
m = min(d, 128) + ceil(d / 128) + 1 roundings. In floating-point arithmetic of unit roundoff u, the error of such a sum
is at most m u / (1 - m u) times the sum of the absolute values of the terms, with or without fused multiply-add
(Higham 2002, sections 3.1 and 4.2). As 2 |x' . y'| <= s(x) + s(y), the error of a is at most c (s(x) + s(y)) + tiny
with c = 2 (m + 16) u. "tiny" bounds what products below the range of float32 lose. So, with above = c s(y) + tiny,

    a - above(y)  <=  |x' - y'|^2 - (1 - c) s(x)     and     |x' - y'|^2 - (1 + c) s(x)  <=  a + above(y).

The distances that this is compared with are rounded as well: for the power p of a distance D, rounded in a type T of
roundoff v,  D^2 <= (p + d e) grow  and  p <= D^2 grow + d e, where grow >= 1 + 2 (d + 2) v, and e is the least positive
number of T.

References
----------
N. J. Higham, "Accuracy and stability of numerical algorithms" (2nd edition, 2002), sections 3.1 and 4.2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

from emst.cpu.runtime.arrays import empty, full
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import LANES, WORD, address, load, loop, spread, store, vector
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

ROUNDOFF = 2.0**-24  # of float32
MOST_AXES = 1 << 18  # the proof needs m^2 u < 13
PART = 128  # coordinates whose products are added up before they are added to others
LOST = 2.0**-500  # float64 numbers whose squares underflow to 0 are less than this
# A tile is `TALL` points by `WIDE` leaves: its sums fill the vector registers.
TALL, WIDE = (12, 2) if binding.get_host_cpu_features().get("avx512f") else (6, 1)
BLOCK = 1 << 20  # about as many products as a thread computes at a time
MOST_ROWS = 96  # a multiple of `TALL`


class Products(NamedTuple):
    """The points of a hierarchy, ready to be multiplied, and what bounds the errors, as kernels take them."""

    columns: np.ndarray  # float32[leaves * d * 16]: x', stored like the leaves, padded to a multiple of `WIDE` leaves
    points: np.ndarray  # T[n * d]: the points themselves, one after the other
    start: np.ndarray  # float32[size]: s; NaN where there is no point, so that no comparison is true
    above: np.ndarray  # float32[size]: c s + tiny, rounded up
    square: np.ndarray  # float64[size]: s
    rho: np.ndarray  # float64[size]
    c: float
    scale: float  # t
    most_rho: float
    grow: float
    tiny: float  # d e


def error_factor(d: int) -> float:
    """The factor c in the bound of the error."""
    return 2 * (min(d, PART) + -(-d // PART) + 1 + 16) * ROUNDOFF


def product_bytes(n: int, d: int, dtype, threads: int) -> int:
    """Memory that products of n points take: their copies, 28 bytes a point, and the scratch of the threads."""
    size = n + WIDE * LANES
    return size * (d * (4 + np.dtype(dtype).itemsize) + 28) + threads * 4 * rows_at_once(n) * (size + d)


def rows_at_once(n: int) -> int:
    """Rows of products that a thread computes at a time: a multiple of `TALL`."""
    return min(MOST_ROWS, max(BLOCK // n // TALL * TALL, TALL))


def multiplied(index) -> Products:
    """Copies of a hierarchy's points in float32, and the numbers that bound the errors of their products."""
    n, d = index.n, index.d
    size = -(-index.leaves // WIDE) * WIDE * LANES
    points = index.points()
    center = points.mean(0, dtype=np.float64)
    low, high = index.boxes(len(index.nodes.counts) - 1)
    reach = float(max(np.abs(low.min(0) - center).max(), np.abs(high.max(0) - center).max()))
    scale = math.ldexp(1.0, min(-math.frexp(reach)[1], 500))
    c, info = error_factor(d), np.finfo(index.dtype)
    columns, start, above = empty(size * d, np.float32), full(size, np.nan, np.float32), full(size, 0, np.float32)
    square, rho = full(size, 0, np.float64), full(size, 0, np.float64)
    columns[index.leaves * LANES * d :] = 0
    for_chunks(
        _fill, index.leaves, grain_for(index.leaves, 64), index.nodes.blocks, n, d, center, scale, columns, square, rho
    )
    start[:n] = square[:n]
    above[:n] = np.nextafter((square[:n] * c + d * 2.0**-120).astype(np.float32), np.float32(np.inf))
    return Products(
        columns, points.ravel(), start, above, square, rho, c, scale, float(rho.max()),
        1 + 4 * (d + 4) * float(info.epsneg), d * float(info.smallest_subnormal),
    )  # fmt: skip


@kernel
def _fill(blocks, n, d, center, scale, columns, square, rho, begin, end):
    for leaf in range(begin, end):
        at = leaf * d * LANES
        for j in range(LANES):
            inside = leaf * LANES + j < n
            s = moved = length = 0.0
            for i in range(at + j, at + d * LANES, LANES):
                exact = (np.float64(blocks[i]) - center[(i - at) // LANES]) * scale if inside else 0.0
                columns[i] = exact
                rounded = np.float64(columns[i])
                s += rounded * rounded
                moved += (exact - rounded) * (exact - rounded)
                length += exact * exact
            square[leaf * LANES + j] = s
            # |y - exact| is at most 2^-53 |y|; sums of d squares have relative errors below 2^-33
            rho[leaf * LANES + j] = (math.sqrt(moved) + 2.0**-51 * math.sqrt(length)) * (1 + 2.0**-30) + LOST


def row_scratch(n: int, d: int, size: int):
    """Memory for `multiply`: points packed for the tiles, and products."""
    rows = rows_at_once(n)
    return empty(rows * d, np.float32), empty(rows * size, np.float32)


@part
def multiply(products, d, ids, count, packed, values):
    """Compute a(x, y) for the first `count` points x of `ids` and all points y. ``values[r * size + v]`` is that of x
    number r and y number v. `count` is at most the number of rows of the scratch."""
    size = len(products.start)
    tiles = (count + TALL - 1) // TALL
    for r in range(tiles * TALL):
        u = np.int64(ids[lesser(r, count - 1)])  # empty rows repeat the last point
        first, to = (u >> 4) * d * LANES + (u & 15), r // TALL * TALL * d + r % TALL
        for i in range(d):
            packed[to + i * TALL] = np.float32(-2) * products.columns[first + i * LANES]
    for leaf in range(0, size // LANES, WIDE):
        for row in range(tiles * TALL):
            for v in range(leaf * LANES, (leaf + WIDE) * LANES):
                values[row * size + v] = products.start[v]
        for i in range(0, d, PART):
            at = leaf * d * LANES + i * LANES
            for row in range(0, tiles * TALL, TALL):
                to = row * size + leaf * LANES
                _tile(packed, row * d + i * TALL, products.columns, at, d, lesser(PART, d - i), values, to, size)


@intrinsic
def _tile(typingctx, packed, first, columns, leaf, d, count, values, to, stride):
    """Add the inner products of a tile, over `count` coordinates, to its values. The coordinates of its `TALL` points
    begin at ``packed[first]``, those of its `WIDE` leaves at ``columns[leaf]``. A leaf has d coordinates per point, and
    the rows of values are `stride` apart."""

    def codegen(context, builder, signature, args):
        left, first, right, leaf, d, count, out, to, stride = args
        kind = vector(context, columns.dtype)
        name = f"llvm.fmuladd.v{LANES}f32"  # fused if the machine can
        fused = builder.module.declare_intrinsic(name, (), ir.FunctionType(kind, [kind] * 3))
        width = builder.mul(d, WORD(LANES))

        def plus(at, step, times):
            return builder.add(at, builder.mul(step, times))

        def multiply_add(i, sums):
            block = plus(leaf, i, WORD(LANES))
            there = [load(context, builder, columns, right, plus(block, width, WORD(c))) for c in range(WIDE)]
            added = []
            for r in range(TALL):
                at = builder.add(plus(first, i, WORD(TALL)), WORD(r))
                one = spread(builder, builder.load(address(context, builder, packed, left, at)), kind)
                added += [builder.call(fused, [one, there[c], sums[r * WIDE + c]]) for c in range(WIDE)]
            return added

        zero = ir.Constant(kind, [0.0] * LANES)
        sums = loop(builder, WORD(0), count, [zero] * (TALL * WIDE), multiply_add)
        for r in range(TALL):
            for c in range(WIDE):
                at = builder.add(plus(to, stride, WORD(r)), WORD(c * LANES))
                total = builder.fadd(load(context, builder, values, out, at), sums[r * WIDE + c])
                store(context, builder, total, values, out, at)
        return context.get_dummy_value()

    at = types.int64
    return types.void(packed, at, columns, at, at, at, values, at, at), codegen
