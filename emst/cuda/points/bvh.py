"""The linear bounding volume hierarchy on the GPU. Kernels: bvh.cu, layout: bvh.cuh."""

from __future__ import annotations

import functools
from typing import Any

import cupy
import numpy as np

from emst.backend.records import EUCLIDEAN, Norm
from emst.cuda.distances.brute import centres_of
from emst.cuda.distances.metric import metric_of
from emst.cuda.points.engine import Engine, engine_after_looking, engine_before_looking, may_be_looked_at
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BLOCK, EACH, FAN, FEW_POINTS, LEAF, MAX_LEVELS
from emst.cuda.runtime.gather import take
from emst.cuda.runtime.launch import launch, launch_grid
from emst.cuda.runtime.memory import all_ones, empties, zeros

# Coordinates of all pairs of points, at most, that one launch compares in less time than the loop takes for its
# launches; with core distances a round has more of them. A term of a power that is a function call counts as many as
# CALL.
MOST_TERMS, MOST_TERMS_MRD, CALL = 1 << 28, 5 << 27, 16


class SearchIndex:
    """Points in curve order and the nodes above them. There are none where all pairs are compared.

    Attributes
    ----------
    rows : T[padded, stride]
        Points: coordinates, then the core distance in the last column.
    nodes : T[2 * nodes, stride]
        Rows (low corner, label) and (high corner, least core distance) of every node. They are made when they are first
        read: few points without core distances are joined without them.
    metric : Metric
        The norm, as kernels take it.
    layout, template : str
        Arguments of templates: coordinate type and dimensions; those and the metric.
    engine : Engine
        What finds the nearest points.
    walks : bool
        Whether these are walks: then there are nodes.
    centres : T[tiles, d + 1] or None
        Without nodes, under the Euclidean norm: centres of tiles and their radii.
    core_factor : float
        By what `scale_cores` has multiplied the core distances.
    core : T[n] or None
        Powers of the core distances.
    arrived : uint32[nodes above level 1]
        Zeros, for kernels that make all levels: see `rise` in bvh.cuh.
    neighbours : int32[k, n] or None
        Nearest neighbours of each point; `core_distances` finds them and `cache_neighbours` uses them.
    listed : T[k, n] or None
        Powers of the distances to them, where they are kept.
    products : Products or None
        The points as halves, once they are multiplied (products.py).
    """

    leaf_size = LEAF

    def __init__(self, rows: cupy.ndarray, n: int, d: int, scale: float, norm: Norm, engine: Engine) -> None:
        self.n, self.d, self.rows, self.scale, self.norm = n, d, rows, scale, norm.scaled(scale)
        self.dtype = rows.dtype
        self.engine, self.walks = engine, engine is Engine.WALKS
        self.T = ctype(rows.dtype)
        self.metric = metric_of(self.norm, rows.dtype)
        self.layout = f"{self.T}, {d}"
        self.template = f"{self.layout}, {self.metric.number}"
        self.shape = np.int32(d), np.int32(rows.shape[1])  # dimensions and stride, as kernels take them
        self.centres: cupy.ndarray | None = None
        self.core: cupy.ndarray | None = None
        self.core_factor = 1.0
        self.neighbours: cupy.ndarray | None = None
        self.listed: cupy.ndarray | None = None
        self.products: Any = None
        self.counts = counts = _level_counts(n) if self.walks else []
        pad = [0] * (MAX_LEVELS - len(counts))
        offsets = [sum(counts[:level]) for level in range(len(counts))]
        fields = len(counts), *counts, *pad, *offsets, *pad
        self.hierarchy = as_struct(fields, np.int32)  # a Hierarchy of bvh.cuh, by value

    @functools.cached_property
    def nodes(self) -> cupy.ndarray:
        nodes = cupy.empty((2 * sum(self.counts), self.rows.shape[1]), self.dtype)
        if self.walks:
            args = (self.rows, self.n, self.hierarchy, nodes, self.arrived)
            launch("points/bvh", f"node_boxes<{self.layout}>", self.blocks * BLOCK, *args)
        return nodes

    @functools.cached_property
    def arrived(self) -> cupy.ndarray:
        return (zeros if len(self.counts) > 2 else empties)((sum(self.counts[2:]), np.uint32))[0]

    @property
    def blocks(self) -> int:
        """Nodes of level 1, each of which is a block's, or 1 if there are none."""
        return self.counts[1] if len(self.counts) > 1 else 1

    @property
    def few(self) -> bool:
        """Whether the points are few enough to compare all of them with all, once core distances are known."""
        return are_few(self.n, self.d, self.norm, self.core is not None)

    @property
    def levels(self) -> list[tuple[int, int]]:
        """(number of nodes, points per node) of every level, leaves first."""
        return [(count, LEAF * FAN**level) for level, count in enumerate(self.counts)]

    def points(self, places: cupy.ndarray | None = None) -> cupy.ndarray:
        """Scaled points in curve order, T[n, d], or those at some places."""
        points = self.rows[: self.n, : self.d]
        return points if places is None else take(points, places)


def are_few(n: int, d: int, norm: Norm, cores: bool) -> bool:
    """Whether one launch joins so many points, with core distances or without."""
    terms = n * n * (d + 2) * (CALL if norm.kind in ("powers", "any power") else 1)
    return n <= FEW_POINTS and terms <= (MOST_TERMS_MRD if cores else MOST_TERMS)


def _level_counts(n: int) -> list[int]:
    counts = [-(-n // LEAF)]
    while counts[-1] > FAN:
        counts.append(-(-counts[-1] // FAN))
    return counts


def padded(n: int) -> int:
    """Points and labels are allocated in whole leaves."""
    return -(-n // LEAF) * LEAF


def in_whole_leaves(labels: cupy.ndarray) -> cupy.ndarray:
    """Labels int32[n] whose last leaf can be read as a whole, in loads of 16 bytes; a copy only if necessary. Entries
    past the last label are unspecified."""
    n, data = len(labels), labels.data
    readable = data.mem.ptr + data.mem.size - data.ptr
    if labels.flags.c_contiguous and data.ptr % 16 == 0 and readable >= labels.itemsize * padded(n):
        return labels
    (copy,) = all_ones((padded(n), labels.dtype))
    copy[:n] = labels
    return copy[:n]


def build_index(points: cupy.ndarray, order: cupy.ndarray, scale: float, norm: Norm = EUCLIDEAN) -> SearchIndex:
    """See `emst.backend.operations`."""
    n, d = points.shape
    index = _gathered(points, order, scale, norm, engine_before_looking(n, d, norm))
    rows = index.rows
    if index.walks:
        if not may_be_looked_at(n, d, norm):
            return index
        engine = engine_after_looking(rows, index.nodes, index.counts[0], n, d, norm, index.layout)
        if engine is Engine.WALKS:
            return index
        index = SearchIndex(rows, n, d, scale, norm, engine)
    index.centres = centres_of(rows, n) if norm == EUCLIDEAN else None
    return index


def build_queries(points: cupy.ndarray, norm: Norm) -> SearchIndex:
    """See `emst.backend.operations`. A packet of queries needs no boxes."""
    return _gathered(cupy.ascontiguousarray(points), None, 1.0, norm, Engine.PAIRS)


def unwritten_queries(n: int, d: int, dtype: np.dtype, norm: Norm) -> SearchIndex:
    """Queries as `build_queries` makes them, whose rows are still to be written."""
    return SearchIndex(_unwritten_rows(n, d, dtype), n, d, 1.0, norm, Engine.PAIRS)


def _unwritten_rows(n: int, d: int, dtype: np.dtype) -> cupy.ndarray:
    return cupy.empty((padded(n), 4 if d <= 3 else d + 1), dtype)


def _gathered(
    points: cupy.ndarray, order: cupy.ndarray | None, scale: float, norm: Norm, engine: Engine
) -> SearchIndex:
    """The rows of points, in this order, and memory for nodes if walks need them."""
    n, d = points.shape
    index = SearchIndex(_unwritten_rows(n, d, points.dtype), n, d, scale, norm, engine)
    columns = min(index.rows.shape[1], 32)
    block = (columns, BLOCK // columns)
    args = (points, order, n, padded(n), *index.shape, scale, index.rows)
    launch_grid("points/bvh", f"gather<{index.T}>", (-(-padded(n) // (EACH * block[1])),), block, args)
    return index


def write_cores(index: SearchIndex, core: cupy.ndarray) -> None:
    """Write core distances (powers, curve order) into the hierarchy."""
    index.core = core
    if not index.walks:
        index.rows[: index.n, -1] = core
        return
    args = (core, index.n, index.hierarchy, index.rows, index.nodes, index.arrived)
    launch("points/bvh", f"node_cores<{index.layout}>", index.blocks * BLOCK, *args)
