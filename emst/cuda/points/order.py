"""The order of the points along a Hilbert curve that adapts to them, on the GPU. Kernels: order.cu.

All cells of a level are divided at once: boxes, grids, codes, and two stable sorts, by code and by cell. The points in
crowded cells make the next level.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cupy
import numpy as np

from emst.backend.records import CROWD, LEAST_EXTENT, MOST_CURVE_AXES, CurveCells, CurveOrder
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.launch import Compaction, launch
from emst.cuda.runtime.sort import sort_pairs

THREADS = 1 << 18  # that find the boxes, at most
LEAST_RUN = 64  # points that one of them takes at least


class Grids(NamedTuple):
    """The grids of many cells, in the order in which kernels take them; see curve.cuh."""

    low: cupy.ndarray  # float64[cells, axes]
    axes: cupy.ndarray  # int32[cells, axes]
    used: cupy.ndarray  # int32[cells]
    factor: cupy.ndarray  # float64[cells]


class Level(NamedTuple):
    """The cells of a level and the m points in them, in curve order. None stands for all points in a single cell."""

    first: cupy.ndarray  # int32[cells]: place of a cell's first point
    start: cupy.ndarray  # int64[cells + 1]: where its points begin among the m
    place: Any  # int32[m]: place of every point
    cell: Any  # int32[m]: its cell


def curve_order(points: cupy.ndarray, scale: float, keep: bool = False) -> CurveOrder:
    """See `emst.backend.operations`."""
    n, d = points.shape
    rows: Any = None
    level = Level(cupy.zeros(1, np.int32), cupy.asarray([0, n], np.int64), None, None) if n > CROWD else None
    kept = []
    while level is not None:
        members = None if level.place is None else rows[level.place]
        grids = _grids(points, scale, members, level, n)
        codes, moved = _sorted_codes(points, scale, members, level, n, grids)
        if members is None:
            rows = moved
        else:
            rows[level.place] = members[moved]
        if keep:
            kept.append((level.first, level.start, codes, grids))
        level = _crowded(codes, level, grids.factor)
    if rows is None:
        rows = cupy.arange(n, dtype=np.int32)
    return CurveOrder(rows, joined_levels(kept, d) if keep else None)


def _grids(points: cupy.ndarray, scale: float, members: cupy.ndarray | None, level: Level, n: int) -> Grids:
    d, m, c = points.shape[1], n if members is None else len(members), len(level.first)
    wide = points.dtype.itemsize == 8
    types = "double, u64" if wide else "float, u32"
    corners = cupy.zeros((c, 2, d), np.uint64 if wide else np.uint32)
    run = max(LEAST_RUN, -(-m * d // THREADS))
    args = (points, np.int32(d), members, level.cell, m, run, corners)
    launch("points/order", f"cell_boxes<{types}>", -(-m // run) * d, *args)
    grids, axes = new_grids(c, d), min(d, MOST_CURVE_AXES)
    launch("points/order", f"cell_grids<{types}, {axes}>", 32 * c, corners, c, np.int32(d), scale, LEAST_EXTENT, *grids)
    return grids


def new_grids(cells: int, d: int) -> Grids:
    """Room for the grids of some cells."""
    shape = (cells, min(d, MOST_CURVE_AXES))
    return Grids(
        cupy.empty(shape), cupy.empty(shape, np.int32), cupy.empty(cells, np.int32), cupy.empty(cells, np.float64)
    )


def _sorted_codes(
    points: cupy.ndarray, scale: float, members: cupy.ndarray | None, level: Level, n: int, grids: Grids
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Codes of the level's points, sorted cell by cell, and which of the points each belongs to."""
    d, m = points.shape[1], n if members is None else len(members)
    codes = cupy.empty(m, np.uint64)
    name = f"cell_codes<{ctype(points.dtype)}, {min(d, MOST_CURVE_AXES)}>"
    launch("points/order", name, m, points, np.int32(d), members, level.cell, m, scale, *grids, codes)
    in_order, moved = sort_pairs(codes)
    if level.cell is None or len(level.first) == 1:
        return in_order, moved
    del in_order
    cells = level.cell[moved].astype(np.uint64)
    moved = sort_pairs(cells, moved, bits=(len(level.first) - 1).bit_length())[1]
    return codes[moved], moved


def _crowded(codes: cupy.ndarray, level: Level, factor: cupy.ndarray) -> Level | None:
    """The next level: the crowded cells of this one; None if there are none."""
    m = len(codes)
    crowded, total, compaction = cupy.empty(m, np.int32), cupy.empty(1, np.int32), Compaction(m)
    compaction.launch("points/order", "list_crowded", m, codes, level.cell, m, factor, crowded, total)
    m = int(total[0])
    if m == 0:
        return None
    crowded = crowded[:m].copy()
    place = crowded if level.place is None else level.place[crowded]
    most = m // (CROWD + 1)
    first, start, cell = cupy.empty(most, np.int32), cupy.empty(most + 1, np.int64), cupy.empty(m, np.int32)
    args = (codes, level.cell, crowded, place, m, first, start, cell, total)
    compaction.launch("points/order", "list_cells", m, *args)
    c = int(total[0])
    start[c] = m
    return Level(first[:c], start[: c + 1], place, cell)


def joined_levels(levels: list[Any], d: int) -> CurveCells:
    """All levels of an order, one after the other, as `CurveCells`."""
    columns: list[Any] = list(zip(*levels)) or [[], [], [], []]
    sizes = [len(codes) for codes in columns[2]]
    starts = [start[:-1] + before for start, before in zip(columns[1], np.cumsum([0, *sizes]).tolist())]
    return CurveCells(
        level=np.cumsum([0, *map(len, columns[0])]),
        first=cupy.concatenate([cupy.empty(0, np.int32), *columns[0]]),
        start=cupy.concatenate([*starts, cupy.asarray([sum(sizes)], np.int64)]),
        codes=cupy.concatenate([cupy.empty(0, np.uint64), *columns[2]]),
        grids=Grids(*(cupy.concatenate(parts) for parts in zip(new_grids(0, d), *columns[3]))),
    )
