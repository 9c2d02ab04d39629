"""Places on a Hilbert curve: the grid of a cell, and the codes of the points in it.

A grid divides the cube around a cell into equal smaller ones. A code has 64 bits, so the more axes take part, the
coarser the grid. Axes along which the points hardly differ are left out: see `choose_axes`. The transform is that of
Skilling, done on many points at a time so that its loop over bits runs in vectors, whatever the dimension.

References
----------
J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.backend.records import CURVE_BITS, LEAST_EXTENT, MOST_CURVE_AXES
from emst.cpu.runtime.compile import part
from emst.cpu.runtime.numbers import greater, lesser

BLOCK = 64  # points transformed together


class Grids(NamedTuple):
    """The grids of many cells."""

    low: np.ndarray  # float64[cells, axes]: least scaled coordinates of the chosen axes
    axes: np.ndarray  # int32[cells, axes]: the chosen axes, ascending
    used: np.ndarray  # int32[cells]: how many axes are chosen
    factor: np.ndarray  # float64[cells]: grid cells per scaled unit; 0 where the cell cannot be divided


def new_grids(cells, d):
    axes = min(d, MOST_CURVE_AXES)
    return Grids(np.empty((cells, axes)), np.empty((cells, axes), np.int32), np.empty(cells, np.int32), np.empty(cells))


@part
def bits_for(axes):
    """Bits of a code per axis."""
    return lesser(32, CURVE_BITS // axes)


def _spreading():
    """How bits are moved apart, so that those of the other axes fit between them: groups of 16 bits, then of 8,
    4, 2 and 1. By the number of axes: how far the upper half of each group moves, and where bits are then."""
    shifts, masks = np.zeros((2, MOST_CURVE_AXES + 1, 5), np.uint64)
    for axes in range(1, MOST_CURVE_AXES + 1):
        bits = min(32, CURVE_BITS // axes)
        for step, group in enumerate((16, 8, 4, 2, 1)):
            shifts[axes, step] = group * (axes - 1) if group < bits else 0
            masks[axes, step] = sum(1 << (bit + bit // group * group * (axes - 1)) for bit in range(bits))
    return shifts, masks


_SHIFTS, _MASKS = _spreading()


@part
def set_grid(grids, cell, low, high, widest, extents):
    """Set the grid of a cell from the corners of its box. `widest` and `extents` are scratch of 64 numbers."""
    count = choose_axes(low, high, widest, extents)
    extent = extents[0]
    grids.used[cell] = count
    grids.factor[cell] = np.float64(np.int64(1) << bits_for(count)) / extent if extent > LEAST_EXTENT else 0.0
    axes = grids.axes[cell]
    for i in range(count):  # ascending
        axis, j = widest[i], i
        while j > 0 and axes[j - 1] > axis:
            axes[j] = axes[j - 1]
            j -= 1
        axes[j] = axis
    for i in range(count):
        grids.low[cell, i] = low[axes[i]]


@part
def choose_axes(low, high, widest, extents):
    """Which axes take part in the codes of a cell: the widest, of equally wide ones the first; as many as possible such
    that each is wider than a cell of the grid that they make. Returns their number."""
    taken = 0
    for axis in range(len(low)):
        extent, j = high[axis] - low[axis], taken
        if taken == len(widest):
            j -= 1
            if extent <= extents[j]:
                continue
        else:
            taken += 1
        while j > 0 and extents[j - 1] < extent:
            extents[j], widest[j] = extents[j - 1], widest[j - 1]
            j -= 1
        extents[j], widest[j] = extent, axis
    count = taken
    while count > 1 and extents[count - 1] * np.float64(np.int64(1) << bits_for(count)) <= extents[0]:
        count -= 1
    return count


@part
def grid_cells(cells, lane, point, scale, grids, cell):
    """Set one lane to the grid cell of a point; points outside the box count to its outermost cells."""
    count = grids.used[cell]
    factor, last = grids.factor[cell], np.float64((np.int64(1) << bits_for(count)) - 1)
    for i in range(count):
        at = (np.float64(point[grids.axes[cell, i]]) * scale - grids.low[cell, i]) * factor
        cells[i, lane] = np.int64(lesser(greater(at, 0.0), last))


@part
def hilbert_codes(cells, lanes, axes, codes):
    """Codes of the grid cells in the first lanes, 64 bits at most."""
    if axes > 1:
        _hilbert_transpose(cells, lanes, axes, bits_for(axes))
    for j in range(len(codes)):
        codes[j] = 0
    by16, by8, by4, by2, by1 = _SHIFTS[axes]
    mask16, mask8, mask4, mask2, mask1 = _MASKS[axes]
    for i in range(axes):
        place = np.uint64(axes - 1 - i)  # the first axis has the highest bit
        for j in range(len(codes)):
            x = np.uint64(cells[i, j])
            x = (x | (x << by16)) & mask16
            x = (x | (x << by8)) & mask8
            x = (x | (x << by4)) & mask4
            x = (x | (x << by2)) & mask2
            x = (x | (x << by1)) & mask1
            codes[j] |= x << place


@part
def _hilbert_transpose(cells, lanes, axes, bits):
    """Grid cells to the transposed Hilbert index, in place, as in the paper but without branches."""
    one, zero = np.uint32(1), np.uint32(0)
    head = cells[0]
    for bit in range(bits - 1, 0, -1):
        below = (one << np.uint32(bit)) - one
        for j in range(lanes):  # the first axis has nothing to swap with itself
            head[j] ^= below & (zero - ((head[j] >> np.uint32(bit)) & one))
        for i in range(1, axes):
            row = cells[i]
            for j in range(lanes):
                inside = zero - ((row[j] >> np.uint32(bit)) & one)  # all ones where the bit is set
                swap = (head[j] ^ row[j]) & below & ~inside
                head[j] ^= (below & inside) | swap
                row[j] ^= swap
    for i in range(1, axes):
        for j in range(lanes):
            cells[i, j] ^= cells[i - 1, j]
    tail = cells[axes - 1]
    for j in range(lanes):
        flip = tail[j]  # every bit set flips all below it: the parity of the bits above
        for shift in (16, 8, 4, 2, 1):
            flip ^= flip >> np.uint32(shift)
        flip >>= one
        for i in range(axes):
            cells[i, j] ^= flip
