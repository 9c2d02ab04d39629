"""The places of new points in the order of others: each descends through the cells that the order divided."""

from __future__ import annotations

import functools

import numpy as np

from emst.backend.records import MOST_CURVE_AXES
from emst.cpu.points.curve import grid_cells, hilbert_codes
from emst.cpu.runtime.arrays import empty, full
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.sort import radix_order


def curve_places(cells, queries, scale):
    """See `emst.backend.operations`."""
    m, d = queries.shape
    place, code = np.empty(m, np.uint64), np.empty(m, np.uint64)
    args = (queries, scale, *cells, place, code)
    for_chunks(_descend, m, grain_for(m, 256), *args, scratch=functools.partial(_scratch, d))
    by_code = radix_order(code)[1]
    places, rows = radix_order(place[by_code], by_code)
    return rows, places.view(np.int64)


def _scratch(d):
    return full(min(d, MOST_CURVE_AXES), 0, np.uint32).reshape(-1, 1), empty(1, np.uint64)


@kernel
def _descend(scratch, queries, scale, level, first, last, start, codes, at_place, grids, place, code, begin, end):
    lane, query_code = scratch
    for i in range(begin, end):
        cell, depth = np.int64(0), 0
        place[i] = code[i] = 0
        while cell >= 0 and level[depth] < level[-1]:
            query_code[0] = 0
            if grids.factor[cell] > 0:
                grid_cells(lane, 0, queries[i], scale, grids, cell)
                hilbert_codes(lane, 1, grids.used[cell], query_code)
            at = first_at_least(codes, query_code[0], start[cell], start[cell + 1])
            occupied = at < start[cell + 1] and codes[at] == query_code[0]
            place[i], code[i] = at_place[at] if at < start[cell + 1] else last[cell], query_code[0]
            depth += 1
            cell = _cell_at(first, place[i], level, depth) if occupied and depth < len(level) - 1 else -1


@part
def _cell_at(first, place, level, depth):
    """The cell of a level that begins at a place, -1 if there is none."""
    cell = first_at_least(first, place, level[depth], level[depth + 1])
    return cell if cell < level[depth + 1] and first[cell] == place else np.int64(-1)


@part
def first_at_least(numbers, value, low, high):
    """Where the first of the ascending numbers from `low` up to `high` is that is at least `value`."""
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
