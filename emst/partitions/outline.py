"""What a partition publishes: the top of its hierarchy, cut where boxes are small.

The boxes of the greatest diagonals are replaced by their children first, down to single points. So no box remains that
spans a jump of the curve: it would cover all that lies between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.partition_records import Outline, Reaches
from emst.backend.records import Array, SearchIndex
from emst.inputs.devices import to_host
from emst.partitions.engine import Engine, Future, Sized, rounds_at_once
from emst.partitions.records import Local, Partition

BOXES = 4096  # leaves of an outline, about: with more of them, fewer points ask
FEW_BOXES = 1024  # where it costs less to send a point than to test a box
POINT = -1  # the level of points, below that of the leaves of the hierarchy
MIXED = -1  # the label of a box that holds points of several components
OPENED = 64  # leaves of an outline that are opened together
NEAR = 1.15  # spacings of neighbouring points: few edges are longer, and with a greater number more points would ask
AT_ONCE = 1000  # nodes of a level that are looked at without those above them
RANGES = 64  # leaves of an outline where there is no hierarchy


@dataclass(eq=False)
class PartitionOutline(Sized):
    """The outline of one partition, on the host."""

    low: np.ndarray  # T[nodes, d]
    high: np.ndarray
    child: np.ndarray  # int32[nodes]: counted from the first node of this outline, -1 for leaves
    children: np.ndarray  # int32[nodes]
    level: np.ndarray  # int32[nodes]: level in the hierarchy, or `POINT`; of the root, one above the highest
    node: np.ndarray  # int32[nodes]: which node of its level
    there: Any = None  # level and node in arrays of the backend

    def nodes_on(self, ops: Backend) -> tuple[Array, Array]:
        """Levels and nodes in arrays of the backend. They are made once: every round needs them, always on the same
        device."""
        if self.there is None:
            self.there = ops.asarray(self.level), ops.asarray(self.node)
        return self.there

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "there": None}


def outline_of(ops: Backend, partition: Partition, boxes: int) -> PartitionOutline:
    """The outline of a partition, of about so many boxes."""
    index = partition.index
    return _outline_of_nodes(index, boxes, ops) if index.levels else _outline_of_ranges(index, ops)


def _outline_of_nodes(index: SearchIndex, boxes: int, ops: Backend) -> PartitionOutline:
    """Of a hierarchy with nodes: the widest leaves of the outline are opened, `OPENED` at a time."""
    below = [1, *(size for _, size in index.levels)]  # points of a node, by level from `POINT` up
    counts = [index.n, *(count for count, _ in index.levels)]
    top = len(index.levels) - 1
    low, high = _corners(index, top, np.arange(index.levels[top][0]), ops)
    outline = _Growing(low, high, top)
    while outline.size < boxes:
        wide = outline.wide()
        widest = np.argsort(-wide, kind="stable")[:OPENED]
        widest = widest[wide[widest] > 0]
        if len(widest) == 0:
            break
        for level in np.unique(outline.level[widest]).tolist():
            opened = widest[outline.level[widest] == level]
            fan = below[level + 1] // below[level]
            first = outline.node[opened].astype(np.int64) * fan
            size = np.minimum(first + fan, counts[level]) - first
            nodes = np.repeat(first - (np.cumsum(size) - size), size) + np.arange(size.sum())
            outline.open(opened, size, nodes, *_corners(index, level - 1, nodes, ops))
    return outline.done()


class _Growing:
    """An outline to which children are added. Node 0 is the root."""

    def __init__(self, low: np.ndarray, high: np.ndarray, level: int) -> None:
        count = len(low)
        self.low = np.concatenate([low.min(0, keepdims=True), low])
        self.high = np.concatenate([high.max(0, keepdims=True), high])
        self.child = np.array([1] + [-1] * count, np.int32)
        self.children = np.array([count] + [0] * count, np.int32)
        self.level = np.array([level + 1] + [level] * count, np.int32)
        self.node = np.array([0, *range(count)], np.int32)

    @property
    def size(self) -> int:
        return len(self.node)

    def wide(self) -> np.ndarray:
        """About the diagonals of the leaves, 0 for what cannot be opened; coordinates may reach 2^950."""
        sides = self.high.astype(np.float64) - self.low
        greatest = sides.max(axis=1)
        scale = max(float(greatest.max()), np.finfo(np.float64).tiny)
        wide = np.sqrt(((sides / scale) ** 2).sum(axis=1))
        return np.where((self.child < 0) & (self.level != POINT), wide, 0.0)

    def open(self, nodes: np.ndarray, size: np.ndarray, below: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Give leaves of one level their `size` children each: `below`, with their boxes."""
        self.child[nodes] = self.size + np.cumsum(size) - size
        self.children[nodes] = size
        count = len(below)
        self.low, self.high = np.concatenate([self.low, low]), np.concatenate([self.high, high])
        self.level = np.concatenate([self.level, np.full(count, self.level[nodes[0]] - 1, np.int32)])
        self.node = np.concatenate([self.node, below.astype(np.int32)])
        self.child = np.concatenate([self.child, np.full(count, -1, np.int32)])
        self.children = np.concatenate([self.children, np.zeros(count, np.int32)])

    def done(self) -> PartitionOutline:
        return PartitionOutline(self.low, self.high, self.child, self.children, self.level, self.node)


def _corners(index: SearchIndex, level: int, nodes: np.ndarray, ops: Backend) -> tuple[np.ndarray, np.ndarray]:
    """Boxes of nodes of a level, on the host."""
    boxes = to_host(ops.node_boxes(index, level, ops.asarray(nodes.astype(np.int32))))
    return boxes[:, 0], boxes[:, 1]


def _outline_of_ranges(index: SearchIndex, ops: Backend) -> PartitionOutline:
    """Of a hierarchy without nodes: ranges of the curve."""
    points = to_host(ops.take(index.points(), ops.asarray(np.arange(index.n, dtype=np.int32))))
    first = _ranges(index.n)
    low, high = np.minimum.reduceat(points, first, axis=0), np.maximum.reduceat(points, first, axis=0)
    count = len(first)
    return PartitionOutline(
        np.concatenate([low.min(0, keepdims=True), low]),
        np.concatenate([high.max(0, keepdims=True), high]),
        np.array([1] + [-1] * count, np.int32),
        np.array([count] + [0] * count, np.int32),
        np.array([1] + [0] * count, np.int32),
        np.array([0, *range(count)], np.int32),
    )


def _ranges(n: int) -> np.ndarray:
    """Where ranges of the curve begin."""
    return np.arange(0, n, -(-n // RANGES))


def joined_outline(ops: Backend, outlines: Sequence[PartitionOutline]) -> Outline:
    """The outlines of all partitions as one, on the host. No box has a label yet."""
    start = np.cumsum([0, *(len(outline.child) for outline in outlines)])
    child = [np.where(one.child < 0, -1, one.child + shift) for one, shift in zip(outlines, start)]
    return Outline(
        np.concatenate([one.low for one in outlines]),
        np.concatenate([one.high for one in outlines]),
        np.concatenate(child).astype(np.int32),
        np.concatenate([one.children for one in outlines]),
        np.full(start[-1], MIXED, np.int32),
        start.astype(np.int32),
    )


def on_backend(ops: Backend, outline: Outline) -> Outline:
    """The same outline in arrays of a backend."""
    return Outline(*map(ops.asarray, outline))


def published(parts: list[Future], engine: Engine) -> tuple[list[Future], list[Future]]:
    """The outline of all partitions, on every partition's device; and the outlines of the partitions."""
    boxes = FEW_BOXES if rounds_at_once(engine) else BOXES
    outlines = [engine.submit(outline_of, partition, boxes, at=j) for j, partition in enumerate(parts)]
    joined = engine.submit(joined_outline, outlines)
    return [engine.submit(on_backend, joined, at=j) for j in range(len(parts))], outlines


def labels_of_boxes(outline: PartitionOutline, local: Local, group: Array | None, ops: Backend) -> Array:
    """The component of all points of every node of a partition's outline, int32[nodes], or `MIXED`. They are those that
    ``ops.label_nodes(index, local.component, group)`` has given to the nodes of the hierarchy."""
    index, component = local.partition.index, local.component
    if index.levels:
        return ops.box_labels(index, component, group, *outline.nodes_on(ops))
    common = ops.xp.full(len(outline.level), MIXED, np.int32)
    host = to_host(component if group is None else ops.take(group, component))
    low, high = (find.reduceat(host, _ranges(index.n)) for find in (np.minimum, np.maximum))
    common[1:] = ops.asarray(np.where(low == high, low, MIXED).astype(np.int32))
    return common


def reaches(index: SearchIndex, outline: Outline, number: int, ops: Backend) -> Reaches:
    """How far the points of partition `number` are from the other partitions, and which of them ask: those whose core
    distance may be smaller in its partition than among all points. Without core distances, that is points near the
    border whose edges may be longer than their way to another partition."""
    if not index.levels:
        return ops.outline_reaches(index, outline, number, 0, 1.0)
    highest = next((at for at in range(len(index.levels) - 1, 0, -1) if index.levels[at][0] >= AT_ONCE), 0)
    size = index.levels[0][1]
    part = NEAR / (index.d**0.5 * size ** (1 / index.d))  # of the diagonal of a leaf, as in a grid
    return ops.outline_reaches(index, outline, number, highest, part**index.norm.degree)


def by_partition(ops: Backend, hits: Array, columns: Iterable[Any]) -> dict[int, list[Any]]:
    """Columns of the points that hit each partition, bool[m, partitions], and at the end which of the points these are,
    int32, by partition. A column may be None."""
    chosen, start = ops.list_hits(hits)
    lists = [*(None if column is None else ops.take(column, chosen) for column in columns), chosen]
    return {
        other: [None if one is None else one[begin:end] for one in lists]
        for other, (begin, end) in enumerate(zip(start, start[1:]))
        if begin < end
    }
