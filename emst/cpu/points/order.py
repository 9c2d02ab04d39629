"""The order of the points: along a Hilbert curve through a grid that adapts to them.

Neighbours on the curve are neighbours in space, without the jumps of the Morton order. The first grid divides the cube
around all points. Where more than `CROWD` points share a cell of a grid, the cell gets a box, a grid and codes of its
own. This is repeated until every cell has few points, or only equal ones. Points that share one of these last cells
stay in the order of their rows. Only crowded cells cost more than one pass.

All cells of a level are divided at once. Cells with many points are divided by all threads together, the others by one
thread each.
"""

from __future__ import annotations

import functools

import numpy as np

from emst.backend.records import CROWD, MOST_CURVE_AXES, CurveCells, CurveOrder, runs_of
from emst.cpu.points.curve import BLOCK, Grids, grid_cells, hilbert_codes, new_grids, set_grid
from emst.cpu.runtime.arrays import empties, full
from emst.cpu.runtime.compile import compiled, kernel, part
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for, thread_count
from emst.cpu.runtime.sort import FEW, few_scratch, radix_order, sort_few

LARGE = 1 << 14  # points at least of a cell that all threads divide together
SMALL = 256  # points; only if no cell has more, a chunk has several cells: an interrupt waits for the end of a chunk
WIDEST = (MOST_CURVE_AXES, np.int32), (MOST_CURVE_AXES, np.float64)  # scratch of `set_grid`


def curve_order(points, scale, keep=False, box=None, copies=None, ahead=None):
    """See `emst.backend.operations`. Nothing goes ahead."""
    n = len(points)
    rows = np.arange(n, dtype=np.int32)
    first, start = np.zeros(1, np.int32), np.array([0, n])
    levels = []
    crowded = n > CROWD if copies is None else int(copies.sum(dtype=np.int64)) > CROWD
    while (crowded or box is not None) and start[-1] > 0:
        codes, grids = _divide(points, scale, rows, first, start, box)
        if keep:
            levels.append((first, *runs_of(codes, first, start), grids))
        first, start = _crowded_cells(first, start, codes, grids, rows, copies)
        box, crowded = None, True  # the box was that of the first cell; further cells are crowded
    return CurveOrder(rows, joined_levels(levels, points.shape[1]) if keep else None)


def curve_codes(points, scale, box):
    """See `emst.backend.operations`."""
    grids = new_grids(1, points.shape[1])
    _set_grid(grids, 0, *_scaled(box, scale), *empties(*WIDEST))
    return _codes_of_cell(points, scale, np.arange(len(points), dtype=np.int32), grids, 0)


def curve_segments(points, scale, box, firsts, numbers):
    """See `emst.backend.operations`."""
    codes, n = curve_codes(points, scale, box), len(points)
    segments = np.empty(n, np.int32)
    for_chunks(_segments_of_part, n, grain_for(n, 4096), codes, firsts, numbers, segments)
    return segments


def _divide(points, scale, rows, first, start, box):
    """Sort the points of every cell along a curve of its own. Returns their codes, in that order, and the grids. If
    there is a box, there is one cell, and it is divided by the grid of that box."""
    d = points.shape[1]
    codes, grids = np.empty(start[-1], np.uint64), new_grids(len(first), d)
    if box is not None and len(points) < FEW:
        scratch = (*_scaled(box, scale), *_scratch(d, len(points))[2:])
        _divide_few(scratch, points, scale, rows, codes, grids)
        return codes, grids
    if box is not None:
        _set_grid(grids, 0, *_scaled(box, scale), *empties(*WIDEST))
        codes, rows[:] = radix_order(_codes_of_cell(points, scale, rows, grids, 0), rows)
        return codes, grids
    size = start[1:] - start[:-1]
    large = size > max(LARGE, len(points) // (8 * thread_count()))
    for cell in np.flatnonzero(large).tolist():
        members = slice(first[cell], first[cell] + size[cell])
        codes[start[cell] : start[cell + 1]], rows[members] = _divide_large(points, scale, rows[members], grids, cell)
    small = np.flatnonzero(~large)
    if len(small):
        args = (points, scale, rows, first, start, small, codes, grids)
        scratch = functools.partial(_scratch, d, int(size[small].max()))
        grain = grain_for(len(small), 8) if size[small].max() <= SMALL else 1
        for_chunks(_divide_small, len(small), grain, *args, scratch=scratch)
    return codes, grids


def _divide_large(points, scale, rows, grids, cell):
    """Divide one cell, which holds these rows of the points. Returns its codes and its rows in their order."""
    m, d = len(rows), points.shape[1]
    grain = grain_for(m, 1 << 14)
    low, high = np.empty((2, -(-m // grain), d))
    corners = functools.partial(_corners, d)
    for_chunks(_box_of_part, m, grain, points, scale, rows, low, high, grain, scratch=corners)
    _set_grid(grids, cell, low.min(0), high.max(0), *empties(*WIDEST))
    return radix_order(_codes_of_cell(points, scale, rows, grids, cell), rows)


def _codes_of_cell(points, scale, rows, grids, cell):
    """Codes of these rows of the points in the grid of a cell, by all threads."""
    codes = np.empty(len(rows), np.uint64)
    for_chunks(_codes_of_part, len(rows), grain_for(len(rows), 4096), points, scale, rows, grids, cell, codes,
               scratch=functools.partial(_lanes, points.shape[1]))  # fmt: skip
    return codes


def _scaled(box, scale):
    """Corners of a box, multiplied by the scale as `_box` does."""
    return tuple(np.asarray(corner, np.float64) * scale for corner in (box.low, box.high))


def _scratch(d, most):
    """Scratch of a thread that divides cells of up to `most` points."""
    kinds = (*_corner_kinds(d), *WIDEST, (min(d, MOST_CURVE_AXES) * BLOCK, np.uint32), *few_scratch(most))
    low, high, widest, extents, lanes, *spare = empties(*kinds)
    lanes.fill(0)
    return low, high, widest, extents, lanes.reshape(-1, BLOCK), *spare


def _corners(d):
    """A thread's own. It writes them for every point, so they share no cache line with those of other threads."""
    return tuple(empties(*_corner_kinds(d)))


def _corner_kinds(d):
    return (d, np.float64), (d, np.float64)


def _lanes(d):
    return full(min(d, MOST_CURVE_AXES) * BLOCK, 0, np.uint32).reshape(-1, BLOCK)


def _crowded_cells(first, start, codes, grids, rows, copies):
    """The cells of the next level: where each begins among all points, and among the points of that level."""
    m = int(start[-1])
    grain = grain_for(m, 1 << 15)
    most = grain // (CROWD + 1 if copies is None else 2) + 1  # that can begin in one part
    parts = -(-m // grain)
    begins, sizes, counts = np.empty((parts, most), np.int32), np.empty((parts, most), np.int64), np.empty(parts, int)
    args = (first, start, codes, grids.factor, rows, copies, begins, sizes, counts, grain)
    for_chunks(_list_crowded, m, grain, *args)
    if parts == 1 and counts[0] == 0:  # as a rule, where there are few points
        return begins[0, :0], np.zeros(1, np.int64)
    taken = np.arange(most) < counts[:, None]
    return begins[taken], np.concatenate([[0], np.cumsum(sizes[taken])])


def joined_levels(levels, d):
    """All levels of an order, one after the other, as `CurveCells`."""
    first, end, start, codes, place, grids = zip(*levels) if levels else ((),) * 6
    before = np.cumsum([0, *map(len, codes)])
    return CurveCells(
        level=np.cumsum([0, *map(len, first)]),
        first=np.concatenate([np.empty(0, np.int32), *first]),
        end=np.concatenate([np.empty(0, np.int32), *end]),
        start=np.concatenate([*(of_level[:-1] + shift for of_level, shift in zip(start, before)), before[-1:]]),
        codes=np.concatenate([np.empty(0, np.uint64), *codes]),
        place=np.concatenate([np.empty(0, np.int32), *place]),
        grids=Grids(*map(np.concatenate, zip(new_grids(0, d), *grids))),
    )


@kernel
def _box_of_part(corners, points, scale, rows, lows, highs, grain, begin, end):
    low, high = corners
    _box(points, scale, rows, begin, end, low, high)
    for i in range(len(low)):
        lows[begin // grain, i], highs[begin // grain, i] = low[i], high[i]


@part
def _box(points, scale, rows, begin, end, low, high):
    """Corners of the box around some of the rows, scaled."""
    d = points.shape[1]
    for i in range(d):
        low[i], high[i] = np.inf, -np.inf
    for j in range(begin, end):
        row = rows[j]
        for i in range(d):
            x = np.float64(points[row, i])
            low[i], high[i] = lesser(low[i], x), greater(high[i], x)
    for i in range(d):
        low[i], high[i] = low[i] * scale, high[i] * scale


@kernel
def _set_grid(grids, cell, low, high, widest, extents):
    set_grid(grids, cell, low, high, widest, extents)


@kernel
def _codes_of_part(lanes, points, scale, rows, grids, cell, codes, begin, end):
    _codes(lanes, points, scale, rows, begin, end, grids, cell, codes, begin)


@kernel
def _segments_of_part(codes, firsts, numbers, segments, begin, end):
    for i in range(begin, end):
        segments[i] = numbers[last_at_most(firsts, codes[i])]


@part
def _codes(lanes, points, scale, rows, begin, end, grids, cell, codes, at):
    """Codes of the points in some of the rows of a cell, written from `codes[at]` on."""
    for block in range(begin, end, BLOCK):
        count = lesser(BLOCK, end - block)
        for j in range(count):
            grid_cells(lanes, j, points[rows[block + j]], scale, grids, cell)
        to = at + block - begin
        hilbert_codes(lanes, BLOCK, grids.used[cell], codes[to : to + count])


@kernel
def _divide_small(scratch, points, scale, rows, first, start, cells, codes, grids, begin, end):
    for i in range(begin, end):
        cell = cells[i]
        size, place, at = start[cell + 1] - start[cell], np.int64(first[cell]), start[cell]
        _box(points, scale, rows, place, place + size, scratch[0], scratch[1])
        _divide_cell(scratch, points, scale, rows, place, place + size, cell, codes[at : at + size], grids)


@compiled
def _divide_few(scratch, points, scale, rows, codes, grids):
    """Divide a cell of all points, whose box the scratch begins with."""
    _divide_cell(scratch, points, scale, rows, 0, len(rows), 0, codes, grids)


@part
def _divide_cell(scratch, points, scale, rows, begin, end, cell, codes, grids):
    low, high, widest, extents, lanes, spare_codes, spare_rows, counts = scratch
    set_grid(grids, cell, low, high, widest, extents)
    if grids.factor[cell] > 0:
        _codes(lanes, points, scale, rows, begin, end, grids, cell, codes, 0)
        sort_few(codes, rows[begin:end], spare_codes, spare_rows, counts)
    else:
        codes[:] = 0


@kernel
def _list_crowded(first, start, codes, factor, rows, copies, begins, sizes, counts, grain, begin, end):
    """List the runs of equal codes that begin in this part and hold more than `CROWD` points of a divided cell, or
    copies of several points."""
    mine = begin // grain
    cell = last_at_most(start, begin)
    count, i = 0, np.int64(begin)
    if i > start[cell] and codes[i] == codes[i - 1]:  # the rest of a run that begins before
        i = _end_of_run(codes, i, start[cell + 1])
    while i < end:
        while i >= start[cell + 1]:
            cell += 1
        if factor[cell] == 0:
            i = start[cell + 1]
            continue
        stop = _end_of_run(codes, i, start[cell + 1])
        place = first[cell] + i - start[cell]
        if _is_crowd(rows, copies, place, stop - i):
            begins[mine, count], sizes[mine, count] = place, stop - i
            count += 1
        i = stop
    counts[mine] = count


@part
def _is_crowd(rows, copies, place, size):
    """Whether so many points from `place` on are too many for one cell. A single point is not divided."""
    if copies is None:
        return size > CROWD
    else:
        total = np.int64(0)
        for j in range(place, place + size):
            total += copies[rows[j]]
        return size > 1 and total > CROWD


@part
def last_at_most(numbers, value):
    """Where the last of the ascending numbers is that is at most `value`."""
    low, high = np.int64(0), np.int64(len(numbers))
    while high - low > 1:
        middle = (low + high) // 2
        if numbers[middle] <= value:
            low = middle
        else:
            high = middle
    return low


@part
def _end_of_run(codes, i, end):
    code = codes[i]
    while i < end and codes[i] == code:
        i += 1
    return i
