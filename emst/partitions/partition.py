"""From chunks to partitions, which are ranges of the Hilbert curve through all points.

The curve's first cell holds all points (`curve_order`). It is cut at codes that a sample finds, so that partitions get
about equally many points. Points that share a code are never parted, unless they are so many that their cell has to be
cut itself: then the cell gets its box, grid and codes, as it does on one device, and its own cuts. So the order of all
partitions, one after the other, is the order of the points on one device.

A *segment* is what one partition holds of one cell, without its cut cells. Segments are numbered along the curve.

Chunks of the input are split by these cuts, and every partition puts together what it gets. Points that share all codes
keep the order of their rows, as on one device: pieces come in the order of the chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import CROWD, Array, Box
from emst.inputs.devices import to_host
from emst.inputs.weights import Weights
from emst.partitions.records import Cell, Partition, Search
from emst.partitions.segments import segments_of

SAMPLE = 1 << 13  # codes that a chunk shows of a cell, about; rows may be sorted, so they come in equal steps


Path = list[tuple[Box, int]]  # of a cell: the boxes of the cells around it, and its code in each


class OpenCell(NamedTuple):
    """A cell that has to be cut."""

    cell: Cell
    start: float  # points before it on the curve
    path: Path


class CrowdedCode(NamedTuple):
    """A code of so many points that their cell has to be cut itself. It becomes an `OpenCell` when its box is known."""

    cell: Cell  # the cell around it
    cut: int  # number of the cut at this code
    start: float  # points before it on the curve
    path: Path  # of the new cell


@dataclass(eq=False)
class Segment:
    """What one partition holds of a cell."""

    cell: Cell
    partition: int


class Piece(NamedTuple):
    """What a chunk gives to a partition."""

    points: Array  # T[m, d]: segment by segment, in each in the order of their rows; a view of those of all pieces
    rows: Array  # int32[m] or int64[m], see `row_type`: among all rows
    counts: list[int]  # points of every segment of the partition
    left_out: Array  # as `rows`: those of the first segment that equal at least k points of the piece, ascending
    units: Array | None  # int64[m]: weights, of which none is left out


def members_of(points: Array, scale: float, path: Path, ops: Backend) -> Array:
    """The points of the cell with this path."""
    for box, code in path:
        points = points[ops.curve_codes(points, scale, box) == ops.asarray(np.array([code], np.uint64))]
    return points


def sample_codes(
    ops: Backend, points: Array, scale: float, paths: list[Path], boxes: list[Box]
) -> list[tuple[np.ndarray, int]]:
    """For every cell: a sample of the codes that the chunk's points have there, in ascending order and on the host, and
    the number of these points."""
    samples = []
    for path, box in zip(paths, boxes):
        members = members_of(points, scale, path, ops)
        count = len(members)
        places = np.arange(0, count, max(1, count // SAMPLE), dtype=row_type(count))
        shown = ops.take(members, ops.asarray(places))
        samples.append((np.sort(to_host(ops.curve_codes(shown, scale, box))), count))
    return samples


def box_members(ops: Backend, points: Array, scale: float, paths: list[Path]) -> list[tuple[Box, int] | None]:
    """Of every cell, the box around the chunk's points and their number; None without points."""
    boxes: list[tuple[Box, int] | None] = []
    for path in paths:
        members = members_of(points, scale, path, ops)
        statistics = ops.point_statistics(ops.xp.ascontiguousarray(members)) if len(members) else None
        boxes.append(None if statistics is None else (statistics.box.on_host(), len(members)))
    return boxes


def joined_box(boxes: list[Box]) -> Box:
    """The box around boxes."""
    return Box(np.min([box.low for box in boxes], axis=0), np.max([box.high for box in boxes], axis=0))


class Cutting:
    """Cells as they are cut, level by level. The driver asks `open` cells for samples until there are none."""

    def __init__(self, root: Box, n: int, partitions: int, scale: float) -> None:
        self.scale, self.n = scale, n
        self.root = Cell(root)
        self.targets = np.arange(1, partitions) * (n / partitions)  # places on the curve where a cut is wanted
        self.most = max(n / partitions / 2, 2 * CROWD)  # points of a code that is not crowded
        self.open: list[OpenCell] = []
        self.crowded: list[CrowdedCode] = []
        if partitions > 1 and n > CROWD and self.root.divides(scale):
            self.open.append(OpenCell(self.root, 0.0, []))

    def cut(self, samples: list[list[tuple[np.ndarray, int]]]) -> None:
        """Cut the open cells, and find the crowded codes; ``samples[chunk][cell]`` is what `sample_codes` returned."""
        self.crowded = []
        for number, (cell, start, path) in enumerate(self.open):
            codes, upto = _merged([chunk[number] for chunk in samples])
            before, upto = start + np.append(0.0, upto[:-1]), start + upto
            cuts: list[int] = []
            for target in self.targets[(self.targets > start) & (self.targets < (upto[-1] if len(upto) else start))]:
                at = int(np.searchsorted(upto, target))
                code = int(codes[at])
                if not cuts or cuts[-1] != code:
                    cuts.append(code)
            cell.codes = np.array(cuts, np.uint64)
            for cut, code in enumerate(cuts):
                at = int(np.searchsorted(codes, np.uint64(code)))
                if upto[at] - before[at] > self.most:
                    self.crowded.append(CrowdedCode(cell, cut, before[at], [*path, (cell.box, code)]))
        self.open = []

    def box(self, boxes: list[list[tuple[Box, int] | None]]) -> None:
        """Make cells of the `crowded` codes; ``boxes[chunk][code]`` is what `box_members` returned. A sample only
        estimates how many points a code has: few points are not divided on one device, so their cell is not cut."""
        for number, (cell, cut, start, path) in enumerate(self.crowded):
            parts = [part for chunk in boxes if (part := chunk[number]) is not None]
            if sum(count for _, count in parts) <= CROWD:
                continue
            inner = Cell(joined_box([box for box, _ in parts]))
            cell.cells[cut] = inner
            if inner.divides(self.scale):
                self.open.append(OpenCell(inner, start, path))
        self.crowded = []

    def segments(self) -> list[Segment]:
        """Number the segments and partitions along the curve, when all cells have been cut."""
        segments: list[Segment] = []
        partition = 0

        def add(cell: Cell) -> int:
            if not segments or segments[-1].cell is not cell or segments[-1].partition != partition:
                segments.append(Segment(cell, partition))
            return len(segments) - 1

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
        return segments


def _merged(samples: list[tuple[np.ndarray, int]]) -> tuple[np.ndarray, np.ndarray]:
    """The different codes of all samples, in ascending order, and for each about how many points have this code or a
    smaller one."""
    codes = np.concatenate([shown for shown, _ in samples])
    lengths = [len(shown) for shown, _ in samples]
    weights = np.repeat([count / max(length, 1) for length, (_, count) in zip(lengths, samples)], lengths)
    order = np.argsort(codes, kind="stable")  # which merges what ascends already
    codes, upto = codes[order], np.cumsum(weights[order])
    last = np.append(codes[1:] != codes[:-1], True)[: len(codes)]
    return codes[last], upto[last]


def row_type(n: int) -> type[np.signedinteger]:
    """What holds the rows of n points."""
    return np.int32 if n <= np.iinfo(np.int32).max else np.int64


def split(
    ops: Backend,
    points: Array,
    units: Array | None,
    first_row: int,
    n: int,
    root: Cell,
    segments: Sequence[Segment],
    search: Search,
) -> list[Piece]:
    """The pieces of a chunk, one for every partition; its rows begin with `first_row` among n, and have weights
    `units`."""
    partitions = segments[-1].partition + 1
    if len(segments) == 1:
        rows = ops.xp.arange(first_row, first_row + len(points), dtype=row_type(n))
        return [_piece(points, rows, units, [len(points)], segments[0].cell, search.k)]
    number = segments_of(points, search.scale, root, ops)
    dtype, count = row_type(n), len(segments)
    points, rows, units, starts = ops.split_points(points, units, first_row, dtype, number, count)
    sizes, of = np.diff(starts), np.array([segment.partition for segment in segments])
    pieces = []
    for partition in range(partitions):
        inside = np.flatnonzero(of == partition)
        here = slice(starts[inside[0]], starts[inside[-1] + 1])
        weights = None if units is None else units[here]
        cell = segments[inside[0]].cell
        pieces.append(_piece(points[here], rows[here], weights, sizes[inside].tolist(), cell, search.k))
    return pieces


def _piece(points: Array, rows: Array, units: Array | None, counts: list[int], cell: Cell, k: int) -> Piece:
    if not cell.equal or counts[0] <= k or units is not None:
        return Piece(points, rows, counts, rows[:0], units)
    run = counts[0]
    points, kept = (np.concatenate([column[:k], column[run:]]) for column in (points, rows))
    return Piece(points, kept, [k, *counts[1:]], rows[k:run], None)


def counts(ops: Backend, pieces: list[Piece]) -> list[int]:
    """How many points a chunk gives to every partition."""
    return [len(piece.rows) + len(piece.left_out) for piece in pieces]


def assemble(
    ops: Backend, pieces: list[Any], partition: int, cells: list[Cell], search: Search, divided: bool
) -> Partition:
    """Put a partition together from one piece of every chunk.

    Parameters
    ----------
    pieces : list
        Pieces, or what `split` returned.
    cells : list of Cell
        Of the segments of the partition.
    divided : bool
        Whether the first cell of the curve is divided: it holds more than `CROWD` points, or copies of them.
    """
    taken: list[Piece] = [piece if isinstance(piece, Piece) else piece[partition] for piece in pieces]
    chosen, ends, left_out = _chosen(taken, cells, search)
    points = ops.concatenated([piece.points[part] for piece, part in chosen])
    rows = ops.concatenated([piece.rows[part] for piece, part in chosen])
    units = None
    if search.bits is not None:
        units = ops.concatenated([column[part] for piece, part in chosen if (column := piece.units) is not None])
    orders = []
    for cell, begin, end in zip(cells, ends, ends[1:]):
        if end > begin:
            copies = None if units is None else Weights(units[begin:end], search.bits or 0).copies
            box = cell.box if divided else None
            order = ops.curve_order(points[begin:end], search.scale, box=box, copies=copies).rows
            orders.append(order + np.int32(begin) if begin else order)
    order = ops.concatenated(orders)
    del orders
    rows = ops.take(rows, order)
    units = None if units is None else ops.take(units, order)
    out = np.sort(ops.concatenated(left_out))
    index = ops.build_index(points, order, search.scale, search.norm)
    return Partition(index, rows, out, ends[1] if len(out) else len(rows), units)


def _chosen(
    pieces: list[Piece], cells: list[Cell], search: Search
) -> tuple[list[tuple[Piece, slice]], list[int], list[Array]]:
    """What takes part of every piece, cell by cell; how many points the cells up to each have; the rows left out."""
    chosen, ends, left_out = [], [0], [piece.left_out for piece in pieces]
    starts = [np.cumsum([0, *piece.counts]).tolist() for piece in pieces]
    for number, cell in enumerate(cells):
        some = number == 0 and cell.equal and search.bits is None  # of equal points, the first k take part
        size = 0
        for piece, start in zip(pieces, starts):
            begin, end = start[number : number + 2]
            upto = min(end, begin + search.k - size) if some else end
            chosen.append((piece, slice(begin, upto)))
            left_out.append(piece.rows[upto:end])
            size += upto - begin
        ends.append(ends[-1] + size)
    return chosen, ends, left_out


def with_core_distances(ops: Backend, partition: Partition, search: Search) -> Partition:
    """The partition with the core distances of its points among themselves; infinite where it has too few."""
    partition, wanted = partition.with_index(), search.amount(search.k).wanted
    if partition.units is not None and int(partition.units.sum()) >= wanted:
        ops.weighted_core_distances(partition.index, partition.units, wanted)
    elif partition.units is None and len(partition.rows) >= wanted:
        ops.core_distances(partition.index, wanted)
    else:
        ops.set_cores(partition.index, ops.xp.full(partition.index.n, np.inf, partition.index.dtype))
    return partition
