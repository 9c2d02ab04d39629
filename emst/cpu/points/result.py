"""The result: edges sorted in the total order, in the caller's rows and units."""

from __future__ import annotations

import numpy as np

from emst.cpu.points.distances import distance_power
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.sort import radix_order


def sorted_edges(bvh, forest, order):
    """See `emst.backend.operations`."""
    slots = np.flatnonzero(forest.source >= 0).astype(np.int32)
    weight = forest.weight[slots]
    keys, place = radix_order(_sortable(weight))
    slots = slots[place]
    if (keys[1:] == keys[:-1]).any():
        _settle_ties(keys, slots, np.empty_like(slots), forest.source, forest.target, bvh.nodes.blocks, bvh.space)
    m = len(slots)
    edges, weights = np.empty((m, 2), np.int32), np.empty(m, bvh.dtype)
    roots = bvh.norm.roots(forest.weight)
    args = (slots, forest.source, forest.target, roots, order, 1 / bvh.scale, edges, weights)
    for_chunks(_finish, m, grain_for(m, 1 << 14), *args)
    return edges, weights


def unscaled(bvh, powers, order):
    """See `emst.backend.operations`."""
    out = np.empty_like(powers)
    out[order] = (bvh.norm.roots(powers).astype(np.float64) * (1 / bvh.scale)).astype(powers.dtype)
    return out


def _sortable(weight):
    """Numbers that are not negative compare like their bits."""
    return weight.view(np.uint32).astype(np.uint64) if weight.dtype == np.float32 else weight.view(np.uint64)


@kernel
def _finish(slots, source, target, roots, order, unit, edges, weights, begin, end):
    for i in range(begin, end):
        slot = slots[i]
        u, v = order[source[slot]], order[target[slot]]
        edges[i, 0], edges[i, 1] = lesser(u, v), greater(u, v)
        weights[i] = np.float64(roots[slot]) * unit


@kernel
def _settle_ties(keys, slots, spare, source, target, blocks, space):
    """Sort every run of equal weights by the other keys of the total order."""
    start = 0
    for stop in range(1, len(keys) + 1):
        if stop < len(keys) and keys[stop] == keys[start]:
            continue
        if stop - start > 1:
            _merge_sort(slots, spare, start, stop, source, target, blocks, space)
        start = stop


@part
def _merge_sort(slots, spare, start, stop, source, target, blocks, space):
    """Sort a run: pairs of neighbours, then neighbouring pairs, ... Of two halves the first is set aside."""
    width = 1
    while width < stop - start:
        for low in range(start, stop - width, 2 * width):
            middle, high = low + width, lesser(low + 2 * width, stop)
            for i in range(low, middle):
                spare[i] = slots[i]
            a, b, at = low, middle, low
            while a < middle:
                if b < high and _before(slots[b], spare[a], source, target, blocks, space):
                    slots[at] = slots[b]
                    b += 1
                else:
                    slots[at] = spare[a]
                    a += 1
                at += 1
        width *= 2


@part
def _before(a, b, source, target, blocks, space):
    """Whether edge a comes before edge b of the same weight."""
    p = distance_power(blocks, space, np.int64(source[a]), np.int64(target[a]))
    q = distance_power(blocks, space, np.int64(source[b]), np.int64(target[b]))
    if p != q:
        return p < q
    if source[a] != source[b]:
        return source[a] < source[b]
    return target[a] < target[b]
