"""The result: edges sorted in the total order, in the caller's rows and units."""

from __future__ import annotations

import numpy as np

from emst.cpu.points.distances import distance_power
from emst.cpu.points.knn import forget_neighbours
from emst.cpu.runtime.compact import positions
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.sort import radix_order


def sorted_edges(index, forest, order):
    """See `emst.backend.operations`."""
    forget_neighbours(index)  # the sort needs memory
    slots = positions(forest.source >= 0)
    keys, slots = radix_order(_sortable(forest.weight[slots]), slots)
    same = keys[1:] == keys[:-1]
    del keys
    _settle_ties(same, slots, forest, index)
    m = len(slots)
    edges, weights = np.empty((m, 2), np.int32), np.empty(m, index.dtype)
    args = (slots, forest.source, forest.target, _roots(index, forest.weight), order, 1 / index.scale, edges, weights)
    for_chunks(_finish, m, grain_for(m, 1 << 14), *args)
    return edges, weights


def _settle_ties(same, slots, forest, index):
    """Sort every run of equal weights by the other keys of the total order: stable sorts, from its last key to its
    first, of the edges in such runs. Rounded coordinates and duplicates make ties of many edges. `same` says which
    edges weigh as much as the one after them."""
    if not same.any():
        return
    begins, in_run = np.ones(len(slots), np.bool_), np.zeros(len(slots), np.bool_)
    np.logical_not(same, out=begins[1:])
    in_run[:-1] = same
    in_run[1:] |= same
    tied = positions(in_run)
    run, edges = np.cumsum(begins, dtype=np.int32)[tied], slots[tied]
    source, target = forest.source[edges], forest.target[edges]
    ends = source.astype(np.uint64)
    ends <<= np.uint64(32)
    ends |= target.view(np.uint32)
    order = radix_order(ends)[1]
    del ends
    if index.core is not None:  # else the weight is the distance
        order = radix_order(_sortable(edge_powers(index, source, target)[order]), order)[1]
    order = radix_order(run[order].astype(np.uint64), order)[1]
    slots[tied] = edges[order]


def edge_powers(index, u, v):
    """See `emst.backend.operations`."""
    power = np.empty(len(u), index.dtype)
    args = (index.nodes.blocks, index.space, u, v, power)
    for_chunks(_powers, len(u), grain_for(len(u), 1 << 12), *args)
    return power


def unscaled(index, powers, order):
    """See `emst.backend.operations`."""
    out, roots = np.empty_like(powers), _roots(index, powers)

    def finish(begin, end):
        out[order[begin:end]] = (roots[begin:end].astype(np.float64) * (1 / index.scale)).astype(powers.dtype)

    for_chunks(finish, len(powers), grain_for(len(powers), 1 << 16))
    return out


def _roots(index, powers):
    roots = np.empty_like(powers)

    def take(begin, end):
        roots[begin:end] = index.norm.roots(powers[begin:end])

    for_chunks(take, len(powers), grain_for(len(powers), 1 << 16))
    return roots


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
def _powers(blocks, space, u, v, power, begin, end):
    for i in range(begin, end):
        power[i] = distance_power(blocks, space, np.int64(u[i]), np.int64(v[i]))
