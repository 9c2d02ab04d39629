"""Edges of partitions as one list."""

from __future__ import annotations

import numpy as np

from emst.backend.records import ListedEdges
from emst.cpu.points.distances import distance_power
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

GRAIN = 1 << 14  # edges


def insert_edges(index, edges, weights, rows, others, ends):
    """See `emst.backend.operations`."""
    m, k, powers = len(weights), len(others.weight), index.core is not None
    listed, before = _places(m + k, weights.dtype, powers), np.empty(k, np.int64)
    given = edges, weights, index.nodes.blocks, index.space, powers
    for_chunks(_put_others, k, grain_for(k, 1 << 10), *given, ends, *_keyed(others), before, *_keyed(listed))
    for_chunks(_put_edges, m, grain_for(m, GRAIN), *given, rows, before, *_keyed(listed))
    return listed


def merge_edges(first, second):
    """See `emst.backend.operations`."""
    m, k = len(first.weight), len(second.weight)
    if m == 0 or k == 0:
        return first if k == 0 else second
    listed = _places(m + k, first.weight.dtype, first.power is not None)
    for_chunks(_merge, m + k, grain_for(m + k, GRAIN), *_keyed(first), *_keyed(second), *_keyed(listed))
    return listed


def _places(m, dtype, powers):
    """Uninitialised arrays for m edges."""
    return ListedEdges(np.empty((m, 2), np.int32), np.empty(m, dtype), np.empty(m, dtype) if powers else None)


def _keyed(edges):
    """Rows, weights and powers, which are the weights where there is no array of them."""
    return edges.rows, edges.weight, edges.weight if edges.power is None else edges.power


@kernel
def _put_others(
    edges,
    weights,
    blocks,
    space,
    powers,
    ends,
    rows,
    weight,
    power,
    before,
    out_rows,
    out_weight,
    out_power,
    begin,
    end,
):
    """Each goes behind as many of the edges as come before it."""
    for j in range(begin, end):
        low, high = 0, len(weights)
        while low < high:
            middle = (low + high) // 2
            u, v, theirs = np.int64(edges[middle, 0]), np.int64(edges[middle, 1]), weights[middle]
            if theirs == weight[j] and powers:
                theirs = distance_power(blocks, space, u, v)
                first = _comes_first(theirs, u, v, power[j], ends[j, 0], ends[j, 1])
            else:
                first = _comes_first(theirs, u, v, weight[j], ends[j, 0], ends[j, 1])
            if first:
                low = middle + 1
            else:
                high = middle
        before[j] = low
        _copy(rows, weight, power, j, out_rows, out_weight, out_power, low + j)


@part
def _comes_first(key, u, v, other_key, other_u, other_v):
    if key != other_key:
        return key < other_key
    return u < other_u or (u == other_u and v < other_v)


@kernel
def _put_edges(edges, weights, blocks, space, powers, rows, before, out_rows, out_weight, out_power, begin, end):
    others = np.searchsorted(before, begin, "right")
    for i in range(begin, end):
        while others < len(before) and before[others] <= i:
            others += 1
        u, v, at = np.int64(edges[i, 0]), np.int64(edges[i, 1]), i + others
        out_rows[at, 0], out_rows[at, 1] = lesser(rows[u], rows[v]), greater(rows[u], rows[v])
        out_power[at] = distance_power(blocks, space, u, v) if powers else weights[i]
        out_weight[at] = weights[i]


@part
def _copy(rows, weight, power, i, out_rows, out_weight, out_power, at):
    out_rows[at, 0], out_rows[at, 1] = rows[i, 0], rows[i, 1]
    out_power[at] = power[i]
    out_weight[at] = weight[i]


@kernel
def _merge(rows, weight, power, second_rows, second_weight, second_power, out_rows, out_weight, out_power, begin, end):
    m, k = len(weight), len(second_weight)
    low, high = greater(begin - k, 0), lesser(begin, m)
    while low < high:  # how many of the first list come before this chunk
        middle = (low + high) // 2
        if _precedes(second_weight, second_power, begin - 1 - middle, weight, power, middle):
            high = middle
        else:
            low = middle + 1
    i, j = low, begin - low
    for at in range(begin, end):
        if i == m or (j < k and _precedes(second_weight, second_power, j, weight, power, i)):
            _copy(second_rows, second_weight, second_power, j, out_rows, out_weight, out_power, at)
            j += 1
        else:
            _copy(rows, weight, power, i, out_rows, out_weight, out_power, at)
            i += 1


@part
def _precedes(weight, power, i, other_weight, other_power, j):
    if weight[i] != other_weight[j]:
        return weight[i] < other_weight[j]
    return power[i] < other_power[j]
