"""The linear bounding volume hierarchy: leaves of 16 consecutive points on the curve, 16 consecutive nodes to a parent.

Numbers that are read together are stored together, as 16 lanes: the points of a leaf are stored [d][16], and so are the
boxes of 16 siblings, a *group*. Node j of a level is lane j % 16 of group j // 16, and that group holds the children of
node j // 16 of the next level; so there are no pointers. One array holds the groups of all levels: group g of a level
is number `first[level] + g`.

Lanes without a point hold infinite coordinates, which no finite radius reaches. Lanes without a node hold a box that is
everywhere infinitely far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.backend.records import EUCLIDEAN, Norm
from emst.cpu.points.norms import space_of
from emst.cpu.runtime.arrays import empties, fill
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.lanes import LANES, greatest, least
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for, rows_that_hold

MIXED = -1


class Nodes(NamedTuple):
    """The hierarchy as kernels take it."""

    blocks: np.ndarray  # T[leaves * d * 16]
    low: np.ndarray  # T[groups * d * 16]
    high: np.ndarray  # T[groups * d * 16]
    label: np.ndarray  # int32[groups * 16], MIXED where points of several components lie below
    first: np.ndarray  # int64[levels]: first group of every level
    counts: np.ndarray  # int64[levels]: nodes of every level


class SearchIndex:
    """Points in curve order, their boxes, and what `core_distances` left behind."""

    leaf_size = LANES

    def __init__(self, n: int, d: int, dtype: np.dtype, scale: float, norm: Norm):
        self.n, self.d, self.dtype, self.scale, self.norm = n, d, dtype, scale, norm.scaled(scale)
        counts = [-(-n // LANES)]
        while counts[-1] > LANES:
            counts.append(-(-counts[-1] // LANES))
        first = [0]
        for count in counts:
            first.append(first[-1] + -(-count // LANES))
        size = first.pop() * LANES
        corners = size * d, dtype
        blocks, low, high, label = empties((counts[0] * LANES * d, dtype), corners, corners, (size, np.int32))
        self.nodes = Nodes(
            blocks=fill(blocks, np.inf),
            low=fill(low, np.inf),
            high=fill(high, -np.inf),
            label=fill(label, MIXED),
            first=np.array(first),
            counts=np.array(counts),
        )
        self.space = space_of(self.norm, d, dtype)
        self.core_factor = 1.0  # by which `scale_cores` has multiplied core distances
        self.core = None  # T[n]: powers of the core distances, in curve order
        self.padded_core = None  # the same with the empty lanes of the last leaf, infinite
        self.node_core = None  # T[groups * 16]: least core distance below a node
        self.lists = None  # int32[leaves * 16, m]: nearest neighbours of every point, -1 at the end
        self.products = None  # `Products`, once they are faster than walks
        self.separable = True  # unless the bound of the products has been found too wide for these points
        self.reach = None  # T[leaves * 16]: lower bound of the powers of distances to all points that are not listed

    @property
    def leaves(self) -> int:
        return int(self.nodes.counts[0])

    @property
    def levels(self) -> list[tuple[int, int]]:
        """(Number of nodes, points per node), leaves first."""
        return [(int(count), LANES ** (i + 1)) for i, count in enumerate(self.nodes.counts)]

    def boxes(self, level: int):
        """Corners of a level's boxes: T[count, d], T[count, d]."""
        chosen = slice(self.nodes.first[level], self.nodes.first[level] + -(-self.nodes.counts[level] // LANES))
        return tuple(
            corner.reshape(-1, self.d, LANES)[chosen].transpose(0, 2, 1).reshape(-1, self.d)[: self.nodes.counts[level]]
            for corner in (self.nodes.low, self.nodes.high)
        )

    def points(self, places=None):
        """Scaled points in curve order, T[n, d], or those at some places."""
        if places is not None:
            blocks = self.nodes.blocks.reshape(self.leaves, self.d, LANES)
            return np.ascontiguousarray(blocks[places // LANES, :, places % LANES])
        points = np.empty((self.n, self.d), self.dtype)
        for_chunks(_copy_points, self.n, grain_for(self.n, rows_that_hold(1 << 15, self.d)), self.nodes.blocks, points)
        return points


def build_index(points, order, scale, norm=EUCLIDEAN):
    """See `emst.backend.operations`."""
    n, d = points.shape
    index = SearchIndex(n, d, points.dtype, scale, norm)
    nodes = index.nodes
    for_chunks(
        _fill_leaves,
        index.leaves,
        grain_for(index.leaves, rows_that_hold(1 << 15, d * LANES)),
        points,
        order,
        scale,
        nodes,
    )
    for level in range(1, len(nodes.counts)):
        size = int(nodes.counts[level])
        for_chunks(_fill_parents, size, grain_for(size, rows_that_hold(1 << 15, d * LANES)), d, nodes, level)
    return index


def build_queries(points, norm):
    """See `emst.backend.operations`."""
    return build_index(points, np.arange(len(points), dtype=np.int32), 1.0, norm)


@kernel
def _copy_points(blocks, points, begin, end):
    d = points.shape[1]
    for u in range(begin, end):
        for i in range(d):
            points[u, i] = blocks[((u >> 4) * d + i) * LANES + (u & 15)]


@kernel
def _fill_leaves(points, order, scale, nodes, begin, end):
    n, d = points.shape
    kind = points.dtype.type
    for leaf in range(begin, end):
        size = lesser(LANES, n - leaf * LANES)
        for j in range(size):
            row = order[leaf * LANES + j]
            for i in range(d):
                nodes.blocks[(leaf * d + i) * LANES + j] = kind(np.float64(points[row, i]) * scale)
        corner = leaf // LANES * d * LANES + leaf % LANES
        for i in range(d):
            at = (leaf * d + i) * LANES
            nodes.low[corner + i * LANES] = least(nodes.blocks, at)  # empty lanes are infinite
            high = nodes.blocks[at]
            for j in range(1, size):
                high = greater(high, nodes.blocks[at + j])
            nodes.high[corner + i * LANES] = high


@kernel
def _fill_parents(d, nodes, level, begin, end):
    for node in range(begin, end):
        children = (nodes.first[level - 1] + node) * d * LANES
        corner = (nodes.first[level] + node // LANES) * d * LANES + node % LANES
        for i in range(d):
            at = children + i * LANES
            nodes.low[corner + i * LANES] = least(nodes.low, at)
            nodes.high[corner + i * LANES] = greatest(nodes.high, at)
