"""Distances row by row: of a matrix, or from every point to all others, computed when they are asked.

Every row is looked at as a whole, so what a search finds is its nearest foreign row, exactly, and stays so until the
two are joined; then the weight is a lower bound, and the row is looked at again only when that does not exceed the
lightest edge its component knows. Rows that ask are taken by their bounds: what the first ones find spares the others.

A block of the row is first counted: how many of its entries could be an answer? That runs in vectors, and nearly always
the count is zero.

Races. Rows read and lower ``best`` of their components while others do: a lost update leaves the weight of another edge
that leaves the component. The answers are then reduced again, exactly.
"""

from __future__ import annotations

import math

import numpy as np

from emst.cpu.distances.metric import KINDS, MATRIX, distances
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.atomics import load, lower_bound
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks

QUERIES = 16  # rows asked together, so that a block of points is read once for all of them
BLOCK = 512  # points whose distances are computed at once
COUNTED = 64  # entries counted at once


class DistanceRows:
    """See `emst.backend.operations`."""

    def __init__(self, data, metric, p, alpha):
        self.n, self.dtype = len(data), data.dtype
        self.kind = KINDS[metric]
        self.data = data if self.kind == MATRIX else np.ascontiguousarray(data.T)
        self.alpha = self.dtype.type(alpha)
        self.p = self.dtype.type(p)
        self.core = None  # T[n]
        self.answers = None

    @property
    def metric(self):
        """What kernels take: data, kind, power and the entries of a row that are computed together."""
        return self.data, self.kind, self.p, self.n if self.kind == MATRIX else BLOCK

    def scratch(self):
        """Of one thread: where a block of distances is found (the matrix itself, or room for them); room for powers."""
        place = self.data.reshape(-1) if self.kind == MATRIX else empty(BLOCK, self.dtype)
        return place, empty(BLOCK, self.dtype), empty(BLOCK, self.dtype)


class NeighbourCache:
    """What every row knows."""

    def __init__(self, core):
        n = len(core)
        self.nearest = np.full(n, -1, np.int32)  # the last answer, -1 for none
        self.bound = core.copy()  # its weight, which is a lower bound once it is not foreign any more
        self.near = np.full(n, np.inf, core.dtype)  # its distance


def open_rows(data, metric, p, alpha):
    """See `emst.backend.operations`."""
    return DistanceRows(data, metric, p, alpha)


def row_core_distances(rows, k):
    """See `emst.backend.operations`."""
    rows.core = np.zeros(rows.n, rows.dtype)
    if k > 1 or rows.kind == MATRIX:
        for_chunks(_core_distances, rows.n, _grain(rows.n), *rows.metric, k, rows.core,
                   scratch=lambda: (rows.scratch(), np.empty((QUERIES, k), rows.dtype)))  # fmt: skip
    return rows.core


def row_nearest(rows, forest):
    """See `emst.backend.operations`."""
    if rows.answers is None:
        rows.answers = NeighbourCache(rows.core)
    a = rows.answers
    known = (forest.labels, a.nearest, a.bound)
    _bounds_of_components(*known, forest.best, forest.edge_u, forest.edge_v)
    asking = np.empty(rows.n, np.int32)
    asking = asking[: _who_asks(*known, forest.best, asking)]
    asking = asking[np.argsort(a.bound[asking], kind="stable")]
    args = (*rows.metric, rows.alpha, rows.core, asking, *known, a.near, forest.best)
    for_chunks(_nearest, len(asking), _grain(len(asking)), *args, scratch=rows.scratch)
    _lightest_edges(*known, a.near, forest.best, forest.edge_u)
    _name_edges(forest.components, a.nearest, forest.edge_u, forest.edge_v)


def row_edges(rows, forest):
    """See `emst.backend.operations`."""
    slots = np.flatnonzero(forest.source >= 0)
    u, v, weight = forest.source[slots], forest.target[slots], forest.weight[slots]
    near = np.empty(len(slots), rows.dtype)
    for_chunks(_pair_distances, len(slots), 1 << 12, *rows.metric, u, v, near, scratch=rows.scratch)
    order = np.lexsort((v, u, near, weight))
    return np.stack([u[order], v[order]], axis=1), abs(weight[order])


def _grain(size):
    """Whole groups of queries; few, since a row of many points takes long."""
    return QUERIES * max(1, math.ceil(size / (QUERIES * 256)))


@kernel
def _pair_distances(scratch, data, kind, p, block, u, v, near, begin, end):
    for i in range(begin, end):
        at = distances(scratch, data, kind, p, u[i], v[i], 1, np.inf)
        near[i] = scratch[0][at]


@kernel
def _core_distances(scratch, data, kind, p, block, k, core, begin, end):
    """The k-th smallest entry of every row: the greatest of the heap of the k smallest so far."""
    scratch, heaps = scratch
    place = scratch[0]
    n = len(core)
    for first in range(begin, end, QUERIES):
        size = min(QUERIES, end - first)
        heaps[:size] = np.inf
        for at in range(0, n, block):
            count = min(block, n - at)
            for q in range(size):
                row = distances(scratch, data, kind, p, first + q, at, count, heaps[q, 0])
                for some in range(0, count, COUNTED):
                    _take_smallest(place[row + some : row + min(some + COUNTED, count)], heaps[q])
        for q in range(size):
            core[first + q] = abs(heaps[q, 0])  # a matrix may hold negative zeros


@part
def _take_smallest(row, heap):
    top, hits = heap[0], 0
    for j in range(len(row)):
        hits += row[j] < top
    if hits == 0:
        return
    for j in range(len(row)):
        if row[j] < heap[0]:
            _sift_down(heap, row[j])


@part
def _sift_down(heap, value):
    """Replace the greatest."""
    at, k = 0, len(heap)
    while 2 * at + 1 < k:
        child = 2 * at + 1
        if child + 1 < k and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = value


@kernel
def _bounds_of_components(labels, nearest, bound, best, edge_u, edge_v):
    """Forget last round's edges; answers that are still foreign bound their components' best."""
    for u in range(len(labels)):
        best[u] = np.inf
        edge_u[u] = edge_v[u] = -1
    for u in range(len(labels)):
        if nearest[u] >= 0 and labels[nearest[u]] != labels[u]:
            best[labels[u]] = min(best[labels[u]], bound[u])


@kernel
def _who_asks(labels, nearest, bound, best, asking):
    count = 0
    for u in range(len(labels)):
        foreign = nearest[u] >= 0 and labels[nearest[u]] != labels[u]
        if not foreign and bound[u] <= best[labels[u]] and bound[u] < np.inf:
            asking[count] = u
            count += 1
    return count


@kernel
def _nearest(scratch, data, kind, p, block, alpha, core, asking, labels, nearest, bound, near, best, begin, end):
    place, n = scratch[0], len(labels)
    for first in range(begin, end, QUERIES):
        size = min(QUERIES, end - first)
        group = 0  # a bit for every row that is looked at
        for q in range(size):
            u = asking[first + q]
            if bound[u] <= load(best, labels[u]):
                group |= 1 << q
                nearest[u], near[u] = -1, np.inf
                bound[u] = np.finfo(bound.dtype).max  # infinite distances are none
        for at in range(0, n, block):
            count = min(block, n - at)
            for q in range(size):
                if group >> q & 1:
                    u = asking[first + q]
                    row = distances(scratch, data, kind, p, u, at, count, bound[u] * alpha)
                    for some in range(0, count, COUNTED):
                        stop = min(some + COUNTED, count)
                        _look(place[row + some : row + stop], u, at + some, alpha, core, labels, nearest, bound, near)
        for q in range(size):
            u = asking[first + q]
            if group >> q & 1:
                if nearest[u] < 0:
                    bound[u] = np.inf
                else:
                    lower_bound(best, labels[u], bound[u])


@part
def _look(row, u, first, alpha, core, labels, nearest, bound, near):
    """Show a row some of its entries, in ascending order: among equals the first one stays."""
    label, own, weight = labels[u], core[u], bound[u]
    # An entry is no better beyond this: a row that has reached its core distance only looks for something nearer.
    # Divided, as entries are: rounding is monotone, so a nearer entry divided by alpha is never above it.
    reach = near[u] / alpha if weight == own else weight
    others, cores = labels[first : first + len(row)], core[first : first + len(row)]
    hits = 0
    for j in range(len(row)):
        s = row[j] if alpha == 1 else row[j] / alpha
        hits += (s <= reach) & (others[j] != label) & (cores[j] <= weight)
    if hits == 0:
        return
    for j in range(len(row)):
        s = row[j]
        w = max(s / alpha, own, cores[j])
        if others[j] != label and (w < bound[u] or (w == bound[u] and s < near[u])):
            nearest[u], bound[u], near[u] = first + j, w, s


@kernel
def _lightest_edges(labels, nearest, bound, near, best, kept):
    """The answer that comes first under the law, of every component; `kept` is the row that holds it."""
    for u in range(len(labels)):
        label, v = labels[u], nearest[u]
        if v < 0 or labels[v] == label:
            continue
        x = kept[label]
        if x >= 0:
            y = nearest[x]
            if bound[u] != bound[x]:
                before = bound[u] < bound[x]
            elif near[u] != near[x]:
                before = near[u] < near[x]
            elif min(u, v) != min(x, y):
                before = min(u, v) < min(x, y)
            else:
                before = max(u, v) < max(x, y)
            if not before:
                continue
        kept[label] = u
        best[label] = bound[u]


@kernel
def _name_edges(components, nearest, edge_u, edge_v):
    for c in components:
        u = edge_u[c]
        if u >= 0:
            v = nearest[u]
            edge_u[c], edge_v[c] = min(u, v), max(u, v)
