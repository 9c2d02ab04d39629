"""Finds the segment of the curve in which each point lies. The cuts of the cells (`partition.py`) divide the curve into
segments."""

from __future__ import annotations

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.partitions.records import Cell, Homes


def homes_of(points: Array, scale: float, homes: Homes, ops: Backend) -> Array:
    """The partition where the search for every point begins, int32[n]; points may lie anywhere."""
    return ops.asarray(homes.partition)[segments_of(points, scale, homes.root, ops)]


def segments_of(points: Array, scale: float, cell: Cell, ops: Backend) -> Array:
    """The segment of every point: int32[n]."""
    if len(cell.codes) == 0:
        return ops.xp.full(len(points), cell.before[0], np.int32)
    ranges, cut_cells = _ranges(cell)
    firsts, numbers = np.array(list(ranges), np.uint64), np.array(list(ranges.values()), np.int32)
    segments = ops.curve_segments(points, scale, cell.box, firsts, numbers)
    for number, inner in cut_cells.items():
        members = np.flatnonzero(segments == number)
        segments[members] = segments_of(points[members], scale, inner, ops)
    return segments


def _ranges(cell: Cell) -> tuple[dict[int, int], dict[int, Cell]]:
    """The first code of every range between cuts, ascending, with the range's segment. The code of a cell that is cut
    itself has a negative number instead, by which the second result has this cell."""
    ranges, cut_cells = {0: cell.before[0]}, {}
    for cut, code in enumerate(cell.codes.tolist()):
        inner = cell.cells.get(cut)
        if inner is not None:
            ranges[code] = inner.before[0]
            if len(inner.codes):
                ranges[code] = -1 - cut
                cut_cells[-1 - cut] = inner
            code += 1  # where the other codes after the cut begin
        ranges[code] = cell.before[cut + 1]
    ranges.pop(1 << 64, None)  # after the greatest code
    return ranges, cut_cells
