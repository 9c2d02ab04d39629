"""Edges of partitions as one list."""

from __future__ import annotations

import numpy as np

from emst.backend.partition_records import ListedEdges
from emst.cpu.points.distances import distance_power
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

GRAIN = 1 << 14  # edges


def insert_edges(index, edges, weights, rows, others, numbering, seen=None):
    """See `emst.backend.partition_operations`."""
    m, k, powers = len(weights), len(others), index.core is not None
    ends, others = numbering.places(np.stack([others.u, others.v], axis=1)), _listed(others)
    listed, before = _places(m + k, weights.dtype, powers), np.empty(k, np.int64)
    given = edges, weights, index.nodes.blocks, index.space, powers
    for_chunks(_put_others, k, grain_for(k, 1 << 10), *given, ends, others, before, _keyed(listed))
    for_chunks(_put_edges, m, grain_for(m, GRAIN), *given, rows, before, _keyed(listed))
    return listed


def merge_edges(first, second):
    """See `emst.backend.partition_operations`."""
    m, k = len(first.weight), len(second.weight)
    if m == 0 or k == 0:
        return first if k == 0 else second
    listed = _places(m + k, first.weight.dtype, first.power is not None)
    for_chunks(_merge, m + k, grain_for(m + k, GRAIN), *map(_keyed, (first, second, listed)))
    return listed


def _listed(edges):
    """Open edges by the rows of their ends, with powers."""
    columns = np.stack([edges.a, edges.b], axis=1), edges.weight, edges.power
    return ListedEdges(*map(np.ascontiguousarray, columns))


def _places(m, dtype, powers):
    """Uninitialised arrays for m edges."""
    return ListedEdges(np.empty((m, 2), np.int32), np.empty(m, dtype), np.empty(m, dtype) if powers else None)


def _keyed(edges):
    """The edges with powers: the weights, where there is no array of them."""
    return edges._replace(power=edges.weight) if edges.power is None else edges


@kernel
def _put_others(edges, weights, blocks, space, powers, ends, others, before, listed, begin, end):
    """Each goes behind as many of the edges as come before it."""
    for j in range(begin, end):
        low, high = 0, len(weights)
        while low < high:
            middle = (low + high) // 2
            u, v, key, mine = np.int64(edges[middle, 0]), np.int64(edges[middle, 1]), weights[middle], others.weight[j]
            if powers and key == mine:
                key, mine = distance_power(blocks, space, u, v), others.power[j]
            if key < mine or (key == mine and _ends_come_first(u, v, ends[j, 0], ends[j, 1])):
                low = middle + 1
            else:
                high = middle
        before[j] = low
        _copy(others, j, listed, low + j)


@part
def _ends_come_first(u, v, other_u, other_v):
    return u < other_u or (u == other_u and v < other_v)


@kernel
def _put_edges(edges, weights, blocks, space, powers, rows, before, listed, begin, end):
    others = np.searchsorted(before, begin, "right")
    for i in range(begin, end):
        while others < len(before) and before[others] <= i:
            others += 1
        u, v, at = np.int64(edges[i, 0]), np.int64(edges[i, 1]), i + others
        listed.rows[at, 0], listed.rows[at, 1] = lesser(rows[u], rows[v]), greater(rows[u], rows[v])
        listed.power[at] = distance_power(blocks, space, u, v) if powers else weights[i]
        listed.weight[at] = weights[i]


@kernel
def _merge(first, second, listed, begin, end):
    m, k = len(first.weight), len(second.weight)
    low, high = greater(begin - k, 0), lesser(begin, m)
    while low < high:  # how many of the first list come before this chunk
        middle = (low + high) // 2
        if _precedes(second, begin - 1 - middle, first, middle):
            high = middle
        else:
            low = middle + 1
    i, j = low, begin - low
    for at in range(begin, end):
        if i == m or (j < k and _precedes(second, j, first, i)):
            _copy(second, j, listed, at)
            j += 1
        else:
            _copy(first, i, listed, at)
            i += 1


@part
def _precedes(edges, i, others, j):
    if edges.weight[i] != others.weight[j]:
        return edges.weight[i] < others.weight[j]
    return edges.power[i] < others.power[j]


@part
def _copy(edges, i, listed, at):
    listed.rows[at, 0], listed.rows[at, 1] = edges.rows[i, 0], edges.rows[i, 1]
    listed.power[at] = edges.power[i]
    listed.weight[at] = edges.weight[i]
