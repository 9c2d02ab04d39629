"""Edges of partitions as one list."""

from __future__ import annotations

import numpy as np

from emst.backend.partition_records import ListedEdges
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

GRAIN = 1 << 14  # edges


def insert_edges(listed, places, others, numbering, seen=None):
    """See `emst.backend.partition_operations`."""
    m, k = len(places), len(others)
    ends, others = numbering.places(np.stack([others.u, others.v], axis=1)), _listed(others)
    whole, before = _places(m + k, listed.weight.dtype, listed.power is not None), np.empty(k, np.int64)
    edges, out = _keyed(listed), _keyed(whole)
    for_chunks(_put_others, k, grain_for(k, 1 << 10), edges, places, ends, others, before, out)
    for_chunks(_put_edges, m, grain_for(m, GRAIN), edges, before, out)
    return whole


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
def _put_others(edges, places, ends, others, before, listed, begin, end):
    """Each goes behind as many of the edges as come before it."""
    for j in range(begin, end):
        low, high = 0, len(places)
        while low < high:
            middle = (low + high) // 2
            if _precedes(edges, middle, others, j):
                comes_first = True
            elif _precedes(others, j, edges, middle):
                comes_first = False
            else:
                u, v = np.int64(places[middle, 0]), np.int64(places[middle, 1])
                comes_first = _ends_come_first(lesser(u, v), greater(u, v), ends[j, 0], ends[j, 1])
            if comes_first:
                low = middle + 1
            else:
                high = middle
        before[j] = low
        _copy(others, j, listed, low + j)


@part
def _ends_come_first(u, v, other_u, other_v):
    return u < other_u or (u == other_u and v < other_v)


@kernel
def _put_edges(edges, before, listed, begin, end):
    others = np.searchsorted(before, begin, "right")
    for i in range(begin, end):
        while others < len(before) and before[others] <= i:
            others += 1
        _copy(edges, i, listed, i + others)


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
