"""Rows of a distance matrix: core distances, and the nearest point of another component.

A search reads the whole row of a point, so it finds the nearest point of another component, exactly. The point caches
this neighbour, which stays exact until the two are joined. Afterwards its weight is a lower bound, and the row is
searched again only when that does not exceed the weight of an edge that leaves the component. Points are searched in
the order of their bounds: edges that the first ones find make searches of others unnecessary.

A search takes a part of a row at a time and first counts the entries that may come before the neighbour so far.
That runs in vectors, and nearly always the count is zero.

Races. Several threads may read and lower ``best`` of one component at once. If an update gets lost, the weight of
another edge that leaves the component remains, which is an upper bound, too. The exact minimum is found afterwards.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from emst.cpu.lightest import lightest_edges
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.atomics import load, lower_bound
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.heap import replace_greatest
from emst.cpu.runtime.lanes import LANES
from emst.cpu.runtime.parallel import for_chunks

LEAST_ROWS = 16  # of a chunk
COUNTED = 64  # entries counted at once


class DistanceRows:
    """See `emst.backend.operations`."""

    def __init__(self, matrix, alpha):
        self.n, self.dtype = len(matrix), matrix.dtype
        self.matrix = matrix
        self.alpha = self.dtype.type(alpha)
        self.core = None  # T[n]
        self.cache = None  # a `NeighbourCache`, from the first round on


class Memory(NamedTuple):
    """What `lightest_edges` reads of every point: its component, and two of its entries in the cache."""

    labels: np.ndarray
    nearest: np.ndarray
    bound: np.ndarray


class NeighbourCache:
    """The cached nearest neighbour of every point."""

    def __init__(self, core):
        n = len(core)
        self.nearest = np.full(n, -1, np.int32)  # nearest point of another component at the last search, -1 for none
        self.bound = core.copy()  # weight of the edge to it; a lower bound of all edges once both are in one component
        self.near = np.full(n, np.inf, core.dtype)  # distance to it


def open_rows(matrix, alpha):
    """See `emst.backend.operations`."""
    return DistanceRows(matrix, alpha)


def row_core_distances(rows, k):
    """See `emst.backend.operations`."""
    rows.core = np.empty(rows.n, rows.dtype)
    args = (rows.matrix, rows.core)
    for_chunks(_core_distances, rows.n, _grain(rows.n), *args, scratch=lambda: empty(k, rows.dtype))
    return rows.core


def row_nearest(rows, forest):
    """See `emst.backend.operations`."""
    if rows.cache is None:
        rows.cache = NeighbourCache(rows.core)
    cache = rows.cache
    per_point = (forest.labels, cache.nearest, cache.bound)
    _bounds_of_components(*per_point, forest.best, forest.edge_u, forest.edge_v)
    searched = np.empty(rows.n, np.int32)
    searched = searched[: _list_searched(*per_point, forest.best, searched)]
    searched = searched[np.argsort(cache.bound[searched], kind="stable")]
    args = (rows.matrix, rows.alpha, rows.core, searched, *per_point, cache.near, forest.best)
    for_chunks(_nearest, len(searched), _grain(len(searched)), *args)
    exact = np.zeros(-(-rows.n // LANES) * LANES, np.bool_)
    exact[: rows.n] = (cache.nearest >= 0) & (forest.labels[cache.nearest] != forest.labels)
    candidates = np.packbits(exact, bitorder="little").view(np.uint16).astype(np.int64)
    lightest_edges(forest, candidates, Memory(*per_point), cache.near)


def row_edges(rows, forest):
    """See `emst.backend.operations`."""
    slots = np.flatnonzero(forest.source >= 0)
    u, v, weight = forest.source[slots], forest.target[slots], forest.weight[slots]
    order = np.lexsort((v, u, rows.matrix[u, v], weight))
    return np.stack([u[order], v[order]], axis=1), abs(weight[order])


def _grain(size):
    """Chunk length: few rows, since a row takes long."""
    return max(LEAST_ROWS, math.ceil(size / 256))


@kernel
def _core_distances(heap, matrix, core, begin, end):
    """The k-th smallest entry of every row: the greatest of a heap of the k smallest so far."""
    n = len(core)
    for u in range(begin, end):
        heap[:] = np.inf
        for first in range(0, n, COUNTED):
            _take_smallest(matrix[u, first : min(first + COUNTED, n)], heap)
        core[u] = abs(heap[0])  # a matrix may hold negative zeros


@part
def _take_smallest(row, heap):
    top, hits = heap[0], 0
    for j in range(len(row)):
        hits += row[j] < top
    if hits == 0:
        return
    for j in range(len(row)):
        if row[j] < heap[0]:
            replace_greatest(heap, len(heap), row[j])


@kernel
def _bounds_of_components(labels, nearest, bound, best, edge_u, edge_v):
    """Clear the edges of the last round. Cached neighbours that are still in another component bound ``best``."""
    for u in range(len(labels)):
        best[u] = np.inf
        edge_u[u] = edge_v[u] = -1
    for u in range(len(labels)):
        if nearest[u] >= 0 and labels[nearest[u]] != labels[u]:
            best[labels[u]] = min(best[labels[u]], bound[u])


@kernel
def _list_searched(labels, nearest, bound, best, searched):
    """List the points without an exact neighbour that may hold their component's lightest edge."""
    count = 0
    for u in range(len(labels)):
        exact = nearest[u] >= 0 and labels[nearest[u]] != labels[u]
        if not exact and bound[u] <= best[labels[u]] and bound[u] < np.inf:
            searched[count] = u
            count += 1
    return count


@kernel
def _nearest(matrix, alpha, core, searched, labels, nearest, bound, near, best, begin, end):
    n = len(labels)
    for i in range(begin, end):
        u = searched[i]
        if bound[u] > load(best, labels[u]):
            continue
        nearest[u], near[u] = -1, np.inf
        bound[u] = np.finfo(bound.dtype).max  # an infinite distance is no edge
        for first in range(0, n, COUNTED):
            _look(matrix[u, first : min(first + COUNTED, n)], u, first, alpha, core, labels, nearest, bound, near)
        if nearest[u] < 0:
            bound[u] = np.inf
        else:
            lower_bound(best, labels[u], bound[u])


@part
def _look(row, u, first, alpha, core, labels, nearest, bound, near):
    """Compare a part of the row of point u with its neighbour so far, in the order of the points: of equal ones the
    first stays."""
    label, core_distance, weight = labels[u], core[u], bound[u]
    # No entry above `reach` comes first: if the weight is the core distance, only nearer points do. `near` is divided
    # as entries are: rounding is monotone, so a nearer entry divided by alpha is never above it.
    reach = near[u] / alpha if weight == core_distance else weight
    others, cores = labels[first : first + len(row)], core[first : first + len(row)]
    hits = 0
    for j in range(len(row)):
        s = row[j] if alpha == 1 else row[j] / alpha
        hits += (s <= reach) & (others[j] != label) & (cores[j] <= weight)
    if hits == 0:
        return
    for j in range(len(row)):
        s = row[j]
        w = max(s / alpha, core_distance, cores[j])
        if others[j] != label and (w < bound[u] or (w == bound[u] and s < near[u])):
            nearest[u], bound[u], near[u] = first + j, w, s
