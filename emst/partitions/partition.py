"""A partition: a range of the Hilbert curve through all points, in a bounding volume hierarchy of its own.

Chunks of the input are split by the cuts of the curve (`cells.py`), and every partition puts together what it gets.
Points that share all codes keep the order of their rows, as on one device: pieces come in the order of the chunks.
"""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Bvh, Norm
from emst.partitions.cells import Cell, Segment, segments_of
from emst.partitions.packets import Sized

FEW = 16  # segments; the points of one are then found by a pass over all


@dataclass(frozen=True)
class Search:
    """How distances are searched and weighed, in all stages of a fit."""

    k: int  # a core distance is that of the k-th nearest point; 1 without core distances
    scale: float  # what points are multiplied by
    norm: Norm
    core_factor: float  # see `Metric.core_factor`

    def lowered(self, excess: int) -> float:
        """The scale for queries that are too large for that of the points."""
        return math.ldexp(self.scale, -excess)


class Piece(NamedTuple):
    """What a chunk gives to a partition."""

    points: Array  # T[m, d]: segment by segment, in each in the order of their rows
    rows: Array  # int64[m]: among all rows
    counts: list[int]  # points of every segment of the partition
    left_out: Array  # int64: rows of the first segment that equal at least k points of the piece, ascending


@dataclass(eq=False)
class Partition(Sized):
    """The points of a range of the curve.

    All points of an equal run that is longer than a partition hang from the first one; only k of them take part.

    Attributes
    ----------
    bvh : Bvh
        Of the points that take part.
    rows : int64[n]
        Their rows among all rows, in curve order.
    left_out : int64[m]
        Rows of points that equal the first one and do not take part, ascending.
    kept : int
        How many points of that run take part: the others follow them on the curve.
    lock : Lock
        Held while the labels of nodes, which the hierarchy keeps, are in use.
    """

    bvh: Bvh
    rows: Array
    left_out: Array
    kept: int
    lock: Any = field(default_factory=threading.Lock)

    @property
    def size(self) -> int:
        """Points, those that are left out included."""
        return len(self.rows) + len(self.left_out)

    def ids(self, start: int, places: Array) -> Array:
        """Ids int64 of points, given by their places in the hierarchy; `start` is the first id of the partition."""
        wide = places.astype(np.int64)
        return wide + start + (wide >= self.kept) * len(self.left_out)

    def places(self, start: int, ids: Array) -> Array:
        """The inverse of `ids`."""
        wide = ids - start
        return wide - (wide >= self.kept) * len(self.left_out)

    def with_bvh(self) -> Partition:
        """The same points in a copy of the hierarchy that shares its arrays: tasks do not write to their inputs."""
        return replace(self, bvh=copy.copy(self.bvh))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, lock=threading.Lock())


def split(
    ops: Backend, points: Array, first_row: int, root: Cell, segments: Sequence[Segment], search: Search
) -> list[Piece]:
    """The pieces of a chunk, one for every partition."""
    partitions = segments[-1].partition + 1
    rows = ops.xp.arange(first_row, first_row + len(points), dtype=np.int64)
    if len(segments) == 1:
        return [_piece(points, rows, [len(points)], segments[0].cell, search.k)]
    number = segments_of(points, search.scale, root, ops)
    if len(segments) <= FEW:
        members = [np.flatnonzero(number == i) for i in range(len(segments))]
        order, starts = None, np.cumsum([0, *map(len, members)]).tolist()
    else:
        order = ops.sort_order(number.astype(np.uint64))
        starts = np.searchsorted(number[order], ops.xp.arange(len(segments) + 1, dtype=np.int32)).tolist()
    of = np.array([segment.partition for segment in segments])
    pieces = []
    for partition in range(partitions):
        mine = np.flatnonzero(of == partition)
        if order is not None:
            chosen = order[starts[mine[0]] : starts[mine[-1] + 1]]
        else:
            chosen = np.concatenate([members[i] for i in mine]) if len(mine) > 1 else members[mine[0]]
        counts = [starts[i + 1] - starts[i] for i in mine]
        pieces.append(_piece(points[chosen], rows[chosen], counts, segments[mine[0]].cell, search.k))
    return pieces


def _piece(points: Array, rows: Array, counts: list[int], cell: Cell, k: int) -> Piece:
    if not cell.equal or counts[0] <= k:
        return Piece(points, rows, counts, rows[:0])
    run = counts[0]
    points, kept = (np.concatenate([own[:k], own[run:]]) for own in (points, rows))
    return Piece(points, kept, [k, *counts[1:]], rows[k:run])


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
        Whether the first cell of the curve is divided: it holds more than `CROWD` points.
    """
    mine: list[Piece] = [piece if isinstance(piece, Piece) else piece[partition] for piece in pieces]
    left_out = [ops.asarray(piece.left_out) for piece in mine]
    points_of = [ops.asarray(piece.points) for piece in mine]
    rows_of = [ops.asarray(piece.rows) for piece in mine]
    starts = [np.cumsum([0, *piece.counts]) for piece in mine]
    blocks: list[tuple[Array, Array, Array]] = []
    k, kept = search.k, 0
    for number, cell in enumerate(cells):
        parts = [slice(start[number], start[number + 1]) for start in starts]
        points = _joined([own[part] for own, part in zip(points_of, parts)])
        rows = _joined([own[part] for own, part in zip(rows_of, parts)])
        if number == 0 and cell.equal and len(rows) > k:
            left_out.append(rows[k:])
            points, rows = ops.xp.ascontiguousarray(points[:k]), rows[:k]
        kept = len(rows) if number == 0 else kept
        if len(rows):
            order = ops.curve_order(points, search.scale, box=cell.box if divided else None).rows
            blocks.append((points, order, rows[order]))
    del points_of, rows_of
    if len(blocks) == 1:
        points, order, rows = blocks[0]
    else:
        shifts = np.cumsum([0, *(len(rows) for _, _, rows in blocks)])
        points = np.concatenate([own for own, _, _ in blocks])
        order = np.concatenate([own + np.int32(shift) for (_, own, _), shift in zip(blocks, shifts)])
        rows = np.concatenate([own for _, _, own in blocks])
    del blocks
    out = np.sort(_joined(left_out))
    return Partition(
        ops.build_bvh(points, order, search.scale, search.norm), rows, out, kept if len(out) else len(rows)
    )


def _joined(parts: list[Array]) -> Array:
    """One array of all parts; without a copy where only one of them holds something."""
    some = [part for part in parts if len(part)]
    return some[0] if len(some) == 1 else np.concatenate(some or parts[:1])


def with_core_distances(ops: Backend, partition: Partition, k: int) -> Partition:
    """The partition with the core distances of its points among themselves; infinite where it has too few."""
    partition = partition.with_bvh()
    if len(partition.rows) >= k:
        ops.core_distances(partition.bvh, k)
    else:
        ops.set_cores(partition.bvh, ops.xp.full(partition.bvh.n, np.inf, partition.bvh.dtype))
    return partition
