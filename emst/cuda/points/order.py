"""The order of the points along a Hilbert curve that adapts to them, on the GPU. Kernels: order.cu.

All cells of a level are divided at once: boxes, grids, codes, and two stable sorts, by code and by cell. The points in
crowded cells make the next level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import cupy
import numpy as np

from emst.backend.records import CROWD, LEAST_EXTENT, MOST_CURVE_AXES, Box, CurveCells, CurveOrder, runs_of
from emst.cuda.points.corners import corners_of, corners_of_box
from emst.cuda.points.engine import LOOK_FROM
from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BLOCK, DIGIT_BITS, LEAST_PASSES, MOST_PASSES, TIES_A_THREAD
from emst.cuda.runtime.copies import asarray
from emst.cuda.runtime.gather import take
from emst.cuda.runtime.launch import launch, launch_over_points, launch_resident
from emst.cuda.runtime.memory import cleared, empties, scratch, zeros
from emst.cuda.runtime.sort import few, index_bits, sample_ties, sort_packed, sort_pairs
from emst.cuda.runtime.to_host import EARLY_UP_TO, Written

THREADS = 1 << 18  # that find the boxes, at most
WARP = 32  # lanes: the warp of a cell ranks so many axes, one a lane
FEW_TIES = 8  # equal codes in a sample: if there are more, one more pass takes less time than dividing the crowds
LEAST_RUN = 64  # points that one of them takes at least


class Grids(NamedTuple):
    """The grids of many cells, in the order in which kernels take them; see curve.cuh."""

    low: cupy.ndarray | Address  # float64[cells, axes]
    axes: cupy.ndarray | Address  # int32[cells, axes]
    used: cupy.ndarray | Address  # int32[cells]
    factor: cupy.ndarray | Address  # float64[cells]


class Level(NamedTuple):
    """The cells of a level and the m points in them, in curve order. On the first level, None stands for all points, in
    the order of their rows and in a single cell."""

    m: int
    cells: int
    first: Any = None  # int32[cells]: place of a cell's first point
    start: Any = None  # int64[cells + 1]: where its points begin among the m
    members: Any = None  # int32[m]: row of every point
    place: Any = None  # int32[m]: its place
    cell: Any = None  # int32[m]: its cell


Early: TypeAlias = Callable[[cupy.ndarray], None]  # `ahead` of `curve_order` in emst.backend.operations


class First(NamedTuple):
    """What the first level leaves."""

    rows: cupy.ndarray  # int32[n]: in order
    level: Level | None = None  # the next one, if there are crowded cells
    early: bool = False  # whether the rows went ahead before they were in order


Finish: TypeAlias = Callable[[Early | None], First]


class Begun:
    """A first level of points that are being ordered. `finish` waits, and returns what it leaves; if it is given what
    may begin before it waits, it calls this with the rows."""

    def __init__(self, points: cupy.ndarray, finish: Finish) -> None:
        self._points: cupy.ndarray | None = points
        self._finish: Finish | None = finish

    def taken(self, points: cupy.ndarray) -> Finish | None:
        """`finish`, once and for the same points; otherwise None. What the level takes is freed with it."""
        if self._points is not points:
            return None
        finish, self._points, self._finish = self._finish, None, None
        return finish


def at_once(n: int, d: int) -> bool:
    """Whether `begin_order` can begin with points T[n, d]."""
    return not few(n) or d <= WARP


def begin_order(points: cupy.ndarray, scale: float, corners: cupy.ndarray | Address) -> Finish:
    """Begin with the order of points, each of which counts once, in the box with these corners. Returns what finishes
    the first level."""
    return (_begin_few if few(len(points)) else _begin_many)(points, scale, corners)


def curve_order(
    points: cupy.ndarray,
    scale: float,
    keep: bool = False,
    box: Box | None = None,
    copies: cupy.ndarray | None = None,
    ahead: Early | None = None,
) -> CurveOrder:
    """See `emst.backend.operations`."""
    n, d = points.shape
    crowded = n > CROWD if copies is None else int(copies.sum(dtype=np.int64)) > CROWD
    if n == 0 or not (crowded or box is not None):
        return CurveOrder(cupy.arange(n, dtype=np.int32), joined_levels([], d) if keep else None)
    level: Level | None = Level(n, 1)
    rows, kept, early = None, [], False
    if keep:  # copies from the host, which small inputs would feel
        level = Level(n, 1, cupy.zeros(1, np.int32), cupy.asarray([0, n], np.int64))
    elif copies is None:
        finish = None if box is None or box.begun is None else box.begun.taken(points)
        if finish is None and at_once(n, d):
            finish = begin_order(points, scale, _corners(points, Level(n, 1), box))
        if finish is not None:
            rows, level, early = finish(ahead)
            del finish  # and what it holds
    while level is not None:
        grids = _grids(_corners(points, level, box), level.cells, d, scale, keep or copies is not None)
        codes, rows = _sorted(_codes(points, scale, level, grids), level, rows)
        if keep:
            kept.append((level.first, *runs_of(codes, level.first, level.start), grids))
        if copies is None:
            level = _crowded(codes, level, rows, grids.factor)
        else:
            level = _crowded_by_copies(codes, level, rows, grids.factor, copies)
    if ahead is not None and early:
        ahead(rows)
    return CurveOrder(rows, joined_levels(kept, d) if keep else None)


def curve_codes(points: cupy.ndarray, scale: float, box: Box) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    n, d = points.shape
    return _codes(points, scale, Level(n, 1), _grids(corners_of_box(box), 1, d, scale))


def curve_segments(
    points: cupy.ndarray, scale: float, box: Box, firsts: np.ndarray, numbers: np.ndarray
) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    n, d = points.shape
    grids, segments = _grids(corners_of_box(box), 1, d, scale), cupy.empty(n, np.int32)
    ranges = (asarray(firsts), asarray(numbers), np.int32(len(firsts)))
    args = (points, np.int32(d), n, scale, *grids, *ranges, segments)
    launch_over_points("points/order", f"code_segments<{_coordinates(points)}>", n, *args)
    return segments


def _begin_few(points: cupy.ndarray, scale: float, corners: cupy.ndarray | Address) -> Finish:
    """The first level of few points, by one launch."""
    n, d = points.shape
    grids = new_grids(1, d, keep=False)
    (codes, in_order), rows = scratch((n, np.uint64), (n, np.uint64)), cupy.empty(n, np.int32)
    (arrived,), is_crowded = cleared((1, np.uint32)), Written(1)
    types = f"{ctype(points.dtype)}, {_types(corners)}, {min(d, MOST_CURVE_AXES)}"
    results = (codes, in_order, rows, arrived, is_crowded.address)
    args = (points, n, np.int32(d), corners, scale, LEAST_EXTENT, *grids, *results)
    launch_resident("points/order_few", f"order_few<{types}>", -(-WARP * n // BLOCK), *args, block=BLOCK)
    is_crowded.launched()

    def finish(ahead: Early | None) -> First:
        (crowded,) = is_crowded.arrived()
        return First(rows, _crowded(in_order, Level(n, 1), rows, grids.factor) if crowded else None)

    return finish


def _begin_many(points: cupy.ndarray, scale: float, corners: cupy.ndarray | Address) -> Finish:
    """The first level of many points: by the highest bits of their codes, in few passes, and those by all bits that
    share these bits with more than CROWD others. If few passes do not suffice, all by all bits."""
    (n, d), level = points.shape, Level(len(points), 1)
    grids, keys, bits = _grids(corners, 1, d, scale), cupy.empty(n, np.uint64), index_bits(n)
    codes = _codes(points, scale, level, grids, keys)
    least = LEAST_PASSES + (n > 1 << LEAST_PASSES * DIGIT_BITS)  # more points than keys of so many bits
    many, state = sample_ties(keys, least, MOST_PASSES + 1, CROWD // 2, FEW_TIES)
    ordered, told = cupy.empty(n, np.int32), Written(1)
    keys = sort_packed(keys, many)
    args = (keys, n, np.int32(bits), many, codes, ordered, state, told.address)
    launch("points/order", "order_packed", -(-n // TIES_A_THREAD), *args)
    told.launched()

    def finish(ahead: Early | None) -> First:
        early = ahead is not None and n <= EARLY_UP_TO and d < LOOK_FROM  # a look at points would wait
        if ahead is not None and early:
            ahead(ordered)
        (passes,) = told.arrived()
        if passes == 0:
            return First(ordered)
        if passes > MOST_PASSES:
            in_order, rows = _sorted(codes, level, None)
            return First(rows, _crowded(in_order, level, rows, grids.factor), early)
        place, count = cupy.empty(n, np.int32), Written(1)
        listing = (keys, np.int32(max(64 - DIGIT_BITS * passes, bits)), None, n, grids.factor, place, count.address)
        Compaction(n).launch("points/order", "list_crowded", n, *listing)
        count.launched()
        place = place[: count.arrived()[0]]
        if len(place) == 0:
            return First(ordered)
        crowd = Level(len(place), 1, place=place, members=take(ordered, place))
        in_order, rows = _sorted(take(codes, crowd.members), crowd, ordered)
        return First(rows, _crowded(in_order, crowd, rows, grids.factor), early)

    return finish


def _corners(points: cupy.ndarray, level: Level, box: Box | None) -> cupy.ndarray | Address:
    """A box around the points of every cell, as ordered integers; `box`, unless None, is that of the first cell."""
    if level.cell is None:
        return corners_of(points) if box is None else corners_of_box(box)
    d, wide = points.shape[1], points.dtype.itemsize == 8
    (corners,) = zeros(((level.cells, 2, d), np.uint64 if wide else np.uint32))
    run = max(LEAST_RUN, -(-level.m * d // THREADS))
    args = (points, np.int32(d), level.members, level.cell, level.m, run, corners)
    launch("points/order", f"cell_boxes<{_types(corners)}>", -(-level.m // run) * d, *args)
    return corners


def _grids(corners: cupy.ndarray | Address, cells: int, d: int, scale: float, keep: bool = False) -> Grids:
    """The grids of cells with these boxes; arrays if `keep`, otherwise for kernels alone."""
    grids, axes, ranks = new_grids(cells, d, keep), min(d, MOST_CURVE_AXES), None
    box = (cells, np.int32(d), scale)
    if d > WARP:
        ranks = cupy.empty((cells, d), np.int32)
        launch("points/order", f"rank_axes<{_types(corners)}>", cells * d, corners, *box, ranks)
    args = (corners, ranks, *box, LEAST_EXTENT, *grids)
    launch("points/order", f"cell_grids<{_types(corners)}, {axes}>", 32 * cells, *args)
    return grids


def _types(corners: cupy.ndarray | Address) -> str:
    """Arguments of templates: the type of the coordinates, and that of the ordered integers."""
    return "double, u64" if corners.dtype.itemsize == 8 else "float, u32"


def new_grids(cells: int, d: int, keep: bool) -> Grids:
    """Uninitialised grids of so many cells."""
    shape = (cells, min(d, MOST_CURVE_AXES))
    kinds = (shape, np.float64), (shape, np.int32), (cells, np.int32), (cells, np.float64)
    return Grids(*(empties if keep else scratch)(*kinds))


def _codes(
    points: cupy.ndarray, scale: float, level: Level, grids: Grids, keys: cupy.ndarray | None = None
) -> cupy.ndarray:
    """Codes of the level's points; packed with their numbers, they go to `keys`."""
    d = points.shape[1]
    codes = cupy.empty(level.m, np.uint64)
    args = (points, np.int32(d), level.members, level.cell, level.m, scale, *grids, codes, keys)
    bits = np.int32(index_bits(level.m))
    launch_over_points("points/order", f"cell_codes<{_coordinates(points)}>", level.m, *args, bits)
    return codes


def _coordinates(points: cupy.ndarray) -> str:
    """Arguments of templates: the type of the coordinates, and how many of them a code is made of at most."""
    return f"{ctype(points.dtype)}, {min(points.shape[1], MOST_CURVE_AXES)}"


def _sorted(codes: cupy.ndarray, level: Level, rows: Any) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Codes in order, cell by cell, and the rows of all points with the level's points in that order."""
    in_order, moved = sort_pairs(codes)
    if level.place is None:
        return in_order, moved
    cells, m = level.cells, level.m
    if cells > 1:
        launch("points/order", "cell_keys", m, level.cell, moved, m, in_order)
        moved = sort_pairs(in_order, moved, bits=(cells - 1).bit_length())[1]
    launch("points/order", "put_in_order", m, moved, level.members, level.place, codes, m, rows, in_order)
    return in_order, rows


def _crowded(codes: cupy.ndarray, level: Level, rows: cupy.ndarray, factor: cupy.ndarray) -> Level | None:
    """The next level: the crowded cells of this one; None if there are none."""
    m = level.m
    (crowded,), total, compaction = scratch((m, np.int32)), Written(1), Compaction(m)
    listing = (codes, np.int32(0), level.cell, m, factor, crowded, total.address)
    compaction.launch("points/order", "list_crowded", m, *listing)
    total.launched()
    (m,) = total.arrived()
    if m == 0:
        return None
    most = m // (CROWD + 1)
    of_points, total = (m, np.int32), Written(1)
    first, start, cell, place, members = empties((most, np.int32), (most + 1, np.int64), *(of_points,) * 3)
    args = (codes, level.cell, level.place, rows, crowded, m, first, start, cell, place, members, total.address)
    compaction.launch("points/order", "list_cells", m, *args)
    total.launched()
    (c,) = total.arrived()
    return Level(m, c, first[:c], start[: c + 1], members, place, cell)


def _crowded_by_copies(
    codes: cupy.ndarray, level: Level, rows: cupy.ndarray, factor: cupy.ndarray, copies: cupy.ndarray
) -> Level | None:
    """The same where points count as many; a single point is not divided."""
    m = level.m
    place = cupy.arange(m, dtype=np.int32) if level.place is None else level.place
    cell = cupy.zeros(m, np.int32) if level.cell is None else level.cell
    begins = cupy.ones(m, bool)
    begins[1:] = (codes[1:] != codes[:-1]) | (cell[1:] != cell[:-1])
    starts = cupy.append(cupy.flatnonzero(begins), m)
    size, first = cupy.diff(starts), starts[:-1]
    counted = cupy.concatenate([cupy.zeros(1, np.int64), cupy.cumsum(copies[rows[place]], dtype=np.int64)])
    crowds = (size > 1) & (counted[starts[1:]] - counted[first] > CROWD) & (factor[cell[first]] > 0)
    run = cupy.cumsum(begins) - 1
    kept = place[crowds[run]]
    if len(kept) == 0:
        return None
    start = cupy.concatenate([cupy.zeros(1, np.int64), cupy.cumsum(size[crowds], dtype=np.int64)])
    of_cell = (cupy.cumsum(crowds) - 1)[run][crowds[run]].astype(np.int32)
    return Level(len(kept), len(start) - 1, place[first[crowds]], start, rows[kept], kept, of_cell)


def joined_levels(levels: list[Any], d: int) -> CurveCells:
    """All levels of an order, one after the other, as `CurveCells`."""
    first, end, start, codes, place, grids = zip(*levels) if levels else ((),) * 6
    before = np.cumsum([0, *map(len, codes)]).tolist()
    starts = [of_level[:-1] + shift for of_level, shift in zip(start, before)]
    return CurveCells(
        level=np.cumsum([0, *map(len, first)]),
        first=cupy.concatenate([cupy.empty(0, np.int32), *first]),
        end=cupy.concatenate([cupy.empty(0, np.int32), *end]),
        start=cupy.concatenate([*starts, cupy.asarray(before[-1:], np.int64)]),
        codes=cupy.concatenate([cupy.empty(0, np.uint64), *codes]),
        place=cupy.concatenate([cupy.empty(0, np.int32), *place]),
        grids=Grids(*(cupy.concatenate(parts) for parts in zip(new_grids(0, d, keep=True), *grids))),
    )
