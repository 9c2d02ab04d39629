"""Where the Hilbert curve is cut: partitions are ranges of the curve through all points.

The curve's first cell holds all points (`curve_order`). It is cut at codes that a sample finds, so that partitions get
about equally many points. Points that share a code are never parted, unless they are so many that their cell has to be
cut itself: then the cell gets its box, grid and codes, as it does on one device, and its own cuts. So the order of all
partitions, one after the other, is the order of the points on one device.

A *segment* is what one partition holds of one cell, without its cut cells. Segments are numbered along the curve.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import CROWD, LEAST_EXTENT, Array
from emst.inputs.devices import to_host

SAMPLE = 1 << 14  # codes that a chunk shows of a cell, about; rows may be sorted, so they come in equal steps
Box = tuple[np.ndarray, np.ndarray]


@dataclass(eq=False)
class Cell:
    """A cell of the curve and how it is cut."""

    box: Box  # corners, float64[d], not scaled
    codes: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))  # ascending: where it is cut
    before: list[int] = field(default_factory=list)  # segment of the codes before each cut, and after the last one
    cells: dict[int, Cell] = field(default_factory=dict)  # number of a cut -> the cell that has its code, cut itself

    @property
    def equal(self) -> bool:
        """Whether the points of the cell are all the same point."""
        return bool((self.box[0] == self.box[1]).all())

    def divides(self, scale: float) -> bool:
        """Whether the cell has a grid."""
        return bool(((self.box[1] * scale - self.box[0] * scale) > LEAST_EXTENT).any())


@dataclass(eq=False)
class Segment:
    """What one partition holds of a cell."""

    cell: Cell
    partition: int


@dataclass(eq=False)
class Homes:
    """Which partition holds which part of the space: where the search for a new point begins."""

    root: Cell
    partition: np.ndarray  # int32[segments]: a partition that holds points, or else the next such one


def homes_of(points: Array, scale: float, homes: Homes, ops: Backend) -> Array:
    """The partition where the search for every point begins, int32[n]; points may lie anywhere."""
    return ops.asarray(homes.partition)[segments_of(points, scale, homes.root, ops)]


def segments_of(points: Array, scale: float, cell: Cell, ops: Backend) -> Array:
    """The segment of every point: int32[n]."""
    found = ops.xp.empty(len(points), np.int32)
    _fill_segments(points, scale, cell, ops, found, slice(None))
    return found


def _fill_segments(points: Array, scale: float, cell: Cell, ops: Backend, found: Array, chosen: Any) -> None:
    if len(cell.codes) == 0:
        found[chosen] = cell.before[0]
        return
    codes = ops.curve_codes(points, scale, cell.box)
    cuts = ops.asarray(cell.codes)
    place = np.searchsorted(cuts, codes, side="right")  # codes that equal a cut come after it
    found[chosen] = ops.asarray(np.array(cell.before, np.int32))[place]
    for number, inner in cell.cells.items():
        members = np.flatnonzero(codes == cuts[number])
        rows = members if isinstance(chosen, slice) else chosen[members]
        _fill_segments(points[members], scale, inner, ops, found, rows)


def members_of(points: Array, scale: float, path: list[tuple[Box, int]], ops: Backend) -> Array:
    """The points of a cell, which is given by the boxes of the cells around it and its code in each."""
    for box, code in path:
        points = points[ops.curve_codes(points, scale, box) == ops.asarray(np.array([code], np.uint64))]
    return points


def sample_codes(
    ops: Backend, points: Array, scale: float, paths: list[list[tuple[Box, int]]], boxes: list[Box]
) -> list[tuple[np.ndarray, int]]:
    """Of every cell, codes of some of the chunk's points, on the host, and how many points it has there."""
    found = []
    for path, box in zip(paths, boxes):
        members = members_of(points, scale, path, ops)
        shown = ops.xp.ascontiguousarray(members[:: max(1, len(members) // SAMPLE)])
        found.append((to_host(ops.curve_codes(shown, scale, box)), len(members)))
    return found


def box_members(
    ops: Backend, points: Array, scale: float, paths: list[list[tuple[Box, int]]]
) -> list[tuple[Box, int] | None]:
    """Of every cell, the box around the chunk's points and their number; None without points."""
    found: list[tuple[Box, int] | None] = []
    for path in paths:
        members = members_of(points, scale, path, ops)
        statistics = ops.point_statistics(ops.xp.ascontiguousarray(members)) if len(members) else None
        found.append(None if statistics is None else ((statistics.low, statistics.high), len(members)))
    return found


def joined_box(boxes: list[Box]) -> Box:
    """The box around boxes."""
    return np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)


class Cutting:
    """Cells as they are cut, level by level. The driver asks `open` cells for samples until there are none."""

    def __init__(self, root: Box, n: int, partitions: int, scale: float) -> None:
        self.scale, self.n = scale, n
        self.root = Cell(root)
        self.targets = np.arange(1, partitions) * (n / partitions)  # places on the curve where a cut is wanted
        self.crowded = max(n / partitions / 2, 2 * CROWD)  # points of a code from which its cell is cut itself
        self.open: list[tuple[Cell, float, list[tuple[Box, int]]]] = []  # cells, points before them, their paths
        self.unboxed: list[tuple[Cell, int, float, list[tuple[Box, int]]]] = []  # cells whose box is not known yet
        if partitions > 1 and n > CROWD and self.root.divides(scale):
            self.open.append((self.root, 0.0, []))

    def cut(self, samples: list[list[tuple[np.ndarray, int]]]) -> None:
        """Cut the open cells; ``samples[chunk][cell]`` is what `sample_codes` returned. Crowded codes become
        `unboxed` cells."""
        self.unboxed = []
        for number, (cell, start, path) in enumerate(self.open):
            codes, weights = _weighted([chunk[number] for chunk in samples])
            upto = start + np.cumsum(weights)
            cuts: list[int] = []
            for target in self.targets[(self.targets > start) & (self.targets < (upto[-1] if len(upto) else start))]:
                at = int(np.searchsorted(upto, target))
                code = int(codes[at])
                if not cuts or cuts[-1] != code:
                    cuts.append(code)
            cell.codes = np.array(cuts, np.uint64)
            for cut, code in enumerate(cuts):
                at = int(np.searchsorted(codes, np.uint64(code)))
                if weights[at] > self.crowded:
                    self.unboxed.append((cell, cut, upto[at] - weights[at], [*path, (cell.box, code)]))
        self.open = []

    def box(self, boxes: list[list[tuple[Box, int] | None]]) -> None:
        """Give `unboxed` cells their boxes; ``boxes[chunk][cell]`` is what `box_members` returned. A sample may be
        mistaken: cells of few points are not divided on one device, so they are not cut here."""
        for number, (cell, cut, start, path) in enumerate(self.unboxed):
            parts = [part for chunk in boxes if (part := chunk[number]) is not None]
            if sum(count for _, count in parts) <= CROWD:
                continue
            inner = Cell(joined_box([box for box, _ in parts]))
            cell.cells[cut] = inner
            if inner.divides(self.scale):
                self.open.append((inner, start, path))
        self.unboxed = []

    def segments(self) -> list[Segment]:
        """Number the segments and partitions along the curve, when all cells have been cut."""
        found: list[Segment] = []
        partition = 0

        def add(cell: Cell) -> int:
            if not found or found[-1].cell is not cell or found[-1].partition != partition:
                found.append(Segment(cell, partition))
            return len(found) - 1

        def visit(cell: Cell) -> None:
            nonlocal partition
            for cut in range(len(cell.codes)):
                cell.before.append(add(cell))
                if cut in cell.cells:
                    if not cell.cells[cut].equal:
                        visit(cell.cells[cut])
                        continue
                    partition += 1  # equal points begin a partition
                    visit(cell.cells[cut])
                else:
                    partition += 1
            cell.before.append(add(cell))

        visit(self.root)
        return found


def _weighted(samples: list[tuple[np.ndarray, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Different codes of all chunks' samples, ascending, and about how many points have each."""
    codes = np.concatenate([shown for shown, _ in samples])
    weights = np.concatenate([np.full(len(shown), count / max(len(shown), 1)) for shown, count in samples])
    codes, of = np.unique(codes, return_inverse=True)
    return codes, np.bincount(of, weights, minlength=len(codes))
