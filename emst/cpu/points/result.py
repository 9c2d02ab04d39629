"""The result: edges sorted in the total order, in the caller's rows and units."""

from __future__ import annotations

import numpy as np

from emst.cpu.points.cached import squared_distance
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.sort import radix_order

SMALL = 16  # runs up to this long are sorted by insertion


def sorted_edges(bvh, forest, order, scaling):
    """See `emst.backend.operations`."""
    slots = np.flatnonzero(forest.source >= 0).astype(np.int32)
    weight = forest.weight[slots]
    keys, place = radix_order(_sortable(weight))
    slots = slots[place]
    if (keys[1:] == keys[:-1]).any():
        _settle_ties(keys, slots, np.empty_like(slots), forest.source, forest.target, bvh.nodes.blocks, bvh.d)
    m = len(slots)
    edges, weights = np.empty((m, 2), np.int32), np.empty(m, bvh.dtype)
    args = (slots, forest.source, forest.target, forest.weight, order, 1 / scaling.scale, edges, weights)
    for_chunks(_finish, m, grain_for(m, 1 << 14), *args)
    return edges, weights


def unscaled(squared, order, scaling):
    """See `emst.backend.operations`."""
    out = np.empty_like(squared)
    out[order] = (np.sqrt(squared).astype(np.float64) * (1 / scaling.scale)).astype(squared.dtype)
    return out


def _sortable(weight):
    """Numbers that are not negative compare like their bits."""
    return weight.view(np.uint32).astype(np.uint64) if weight.dtype == np.float32 else weight.view(np.uint64)


@kernel
def _finish(slots, source, target, weight, order, unit, edges, weights, begin, end):
    for i in range(begin, end):
        slot = slots[i]
        u, v = order[source[slot]], order[target[slot]]
        edges[i, 0], edges[i, 1] = min(u, v), max(u, v)
        weights[i] = np.float64(np.sqrt(weight[slot])) * unit


@kernel
def _settle_ties(keys, slots, spare, source, target, blocks, d):
    """Sort every run of equal weights by the other keys of the total order."""
    start = 0
    for i in range(1, len(keys) + 1):
        if i < len(keys) and keys[i] == keys[start]:
            continue
        if i - start > 1:
            _merge_sort(slots[start:i], spare, source, target, blocks, d)
        start = i


@part
def _merge_sort(run, spare, source, target, blocks, d):
    size = len(run)
    for low in range(0, size, SMALL):
        for i in range(low + 1, min(low + SMALL, size)):
            slot = run[i]
            at = i
            while at > low and _before(slot, run[at - 1], source, target, blocks, d):
                run[at] = run[at - 1]
                at -= 1
            run[at] = slot
    width = SMALL
    while width < size:
        for low in range(0, size - width, 2 * width):
            _merge_halves(run[low : min(low + 2 * width, size)], width, spare, source, target, blocks, d)
        width *= 2


@part
def _merge_halves(run, half, spare, source, target, blocks, d):
    """Merge run[:half] and run[half:], the first half set aside."""
    for i in range(half):
        spare[i] = run[i]
    a, b, at = 0, half, 0
    while a < half:
        if b < len(run) and _before(run[b], spare[a], source, target, blocks, d):
            run[at] = run[b]
            b += 1
        else:
            run[at] = spare[a]
            a += 1
        at += 1


@part
def _before(a, b, source, target, blocks, d):
    """Whether edge a comes before edge b of the same weight."""
    p, q = squared_distance(blocks, d, source[a], target[a]), squared_distance(blocks, d, source[b], target[b])
    if p != q:
        return p < q
    if source[a] != source[b]:
        return source[a] < source[b]
    return target[a] < target[b]
