"""The result: edges sorted in the total order, in the caller's rows and units."""

from __future__ import annotations

import math

import numpy as np

from emst.backend.partition_records import ListedEdges
from emst.cpu.points.distances import distance_power
from emst.cpu.points.knn import forget_neighbours
from emst.cpu.points.norms import for_few
from emst.cpu.runtime.arrays import empties, empty
from emst.cpu.runtime.blocks import for_blocks
from emst.cpu.runtime.compact import positions
from emst.cpu.runtime.compile import compiled, kernel, part
from emst.cpu.runtime.gather import take
from emst.cpu.runtime.numbers import bits_of, greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.prefetch import prefetch
from emst.cpu.runtime.sort import FEW, few_scratch, radix_order, sort_few

GRAIN = 1 << 15  # edges
AHEAD = 16  # edges that are fetched before they are read


def sorted_edges(index, forest, order, powers=False, ahead=None):
    """See `emst.backend.operations`. Nothing goes ahead: the host computes itself."""
    forget_neighbours(index)  # the sort needs memory
    forest.scratch = forest.labels = forest.components = forest.best = forest.edge_u = forest.edge_v = None
    order = np.arange(index.n, dtype=np.int32) if order is None else order
    if index.n < FEW:
        return _sorted_at_once(index, forest, order, powers)
    slots = positions(forest.source >= 0)
    keys, slots = radix_order(_sortable(take(forest.weight, slots)), slots)
    _settle_ties(keys, slots, forest, index)
    del keys
    rows = empty(2 * index.n, np.int32)
    for_chunks(_list_rows, index.n, grain_for(index.n, GRAIN), forest.source, forest.target, order, rows)
    m = len(slots)
    edges, weights = np.empty((m, 2), np.int32), np.empty(m, index.dtype)
    args = (slots, rows, *_lengths(index, forest, powers), edges, weights)
    for_chunks(_finish, m, grain_for(m, 1 << 14), *args)
    return edges, weights


def listed_edges(index, forest, rows):
    """See `emst.backend.operations`."""
    places, weights = sorted_edges(index, forest, None, powers=True)
    powers = None if index.core is None else edge_powers(index, places[:, 0], places[:, 1])
    of_rows = take(rows, places.reshape(-1)).reshape(-1, 2)
    turned = of_rows[:, 0] > of_rows[:, 1]
    places[turned], of_rows[turned] = places[turned, ::-1], of_rows[turned, ::-1]
    return places, ListedEdges(of_rows, weights, powers)


def _lengths(index, forest, powers):
    """What weights are by slot, before they are multiplied by a unit, and this unit."""
    return (forest.weight, 1.0) if powers else (_roots(index, forest.weight), 1 / index.scale)


def _sorted_at_once(index, forest, order, powers):
    """`sorted_edges` in one call, for few points."""
    n = index.n
    edges, weights = np.empty((n, 2), np.int32), np.empty(n, index.dtype)
    keys, slots, rows, *spare = empties((n, np.uint64), (n, np.int32), (2 * n, np.int32), *few_scratch(n))
    # Edges of equal weight are sorted by distance, for which the points are read. Without core distances, weights are
    # distances already.
    points = None if index.core is None else (index.nodes.blocks, for_few(index.space))
    found = forest.source, forest.target, forest.weight, keys, slots, rows, tuple(spare)
    m = _sort_edges(points, *found, *_lengths(index, forest, powers), order, edges, weights)
    return edges[:m], weights[:m]


@compiled
def _sort_edges(points, source, target, weight, keys, slots, rows, spare, lengths, unit, order, edges, weights):
    """Sort by the first key of the total order; then, as in `_settle_ties`, every run of equal keys by the others, from
    the last to the first. Returns the number of edges."""
    m = 0
    for slot in range(len(source)):
        if source[slot] >= 0:
            keys[m], slots[m] = bits_of(np.float64(weight[slot])), slot
            m += 1
    sort_few(keys[:m], slots[:m], *spare)
    begin = 0
    while begin < m:
        end = begin + 1
        while end < m and keys[end] == keys[begin]:
            end += 1
        if end - begin > 1:
            for i in range(begin, end):
                keys[i] = _ends_of(source[slots[i]], target[slots[i]])
            sort_few(keys[begin:end], slots[begin:end], *spare)
            if points is not None:
                blocks, space = points
                for i in range(begin, end):
                    u, v = np.int64(source[slots[i]]), np.int64(target[slots[i]])
                    keys[i] = bits_of(np.float64(distance_power(blocks, space, u, v)))
                sort_few(keys[begin:end], slots[begin:end], *spare)
        begin = end
    _list_rows(source, target, order, rows, 0, len(source))
    _finish(slots, rows, lengths, unit, edges, weights, 0, m)
    return m


@part
def _ends_of(u, v):
    return (np.uint64(u) << np.uint64(32)) | np.uint64(v)


def _settle_ties(keys, slots, forest, index):
    """Sort every run of equal weights, whose keys are equal, by the other keys of the total order: stable sorts, from
    its last key to its first, of the edges in such runs. Rounded coordinates and duplicates make ties of many edges."""
    tied, run = _runs(keys)
    if len(tied) == 0:
        return
    edges = take(slots, tied)
    source, target, ends = (empty(len(tied), dtype) for dtype in (np.int32, np.int32, np.uint64))
    for_chunks(_ends, len(tied), grain_for(len(tied), GRAIN), edges, forest.source, forest.target, source, target, ends)
    order = radix_order(ends)[1]
    del ends
    if index.core is not None:  # else the weight is the distance
        order = radix_order(_sortable(take(edge_powers(index, source, target), order)), order)[1]
    order = radix_order(take(run, order), order)[1]
    for_chunks(_put, len(tied), grain_for(len(tied), GRAIN), take(edges, order), tied, slots)


def _runs(keys):
    """The places in runs of several equal keys, int32[k], and the number of each one's run, uint64[k]."""
    n = len(keys)
    grain = grain_for(n, GRAIN)
    counts = np.empty((-(-n // grain), 2), np.int64)
    for_chunks(_count_tied, n, grain, keys, counts, grain)
    k = int(counts[0, 0] if len(counts) == 1 else counts[:, 0].sum())
    tied, run = empty(k, np.int32), empty(k, np.uint64)
    if k:
        before = np.cumsum(counts, 0) - counts
        for_chunks(_list_tied, n, grain, keys, before, tied, run, grain)
    return tied, run


@part
def _is_tied(keys, i):
    """Whether the key equals the one before it, and whether it equals the one after it."""
    return i > 0 and keys[i] == keys[i - 1], i + 1 < len(keys) and keys[i] == keys[i + 1]


@kernel
def _count_tied(keys, counts, grain, begin, end):
    """Keys in runs of several, and such runs that begin in this chunk."""
    tied, runs = 0, 0
    for i in range(begin, end):
        back, on = _is_tied(keys, i)
        tied += back or on
        runs += on and not back
    counts[begin // grain, 0], counts[begin // grain, 1] = tied, runs


@kernel
def _list_tied(keys, before, tied, run, grain, begin, end):
    at, runs = before[begin // grain, 0], before[begin // grain, 1]
    for i in range(begin, end):
        back, on = _is_tied(keys, i)
        if back or on:
            runs += not back
            tied[at], run[at] = i, runs
            at += 1


@kernel
def _ends(edges, source, target, tied_source, tied_target, ends, begin, end):
    for i in range(begin, end):
        u, v = source[edges[i]], target[edges[i]]
        tied_source[i], tied_target[i] = u, v
        ends[i] = _ends_of(u, v)


@kernel
def _put(values, places, array, begin, end):
    for i in range(begin, end):
        array[places[i]] = values[i]


def edge_powers(index, u, v):
    """See `emst.backend.operations`."""
    power = np.empty(len(u), index.dtype)
    args = (index.nodes.blocks, index.space, u, v, power)
    for_chunks(_powers, len(u), grain_for(len(u), 1 << 12), *args)
    return power


def unscaled(index, powers, order):
    """See `emst.backend.operations`."""
    out = np.empty_like(powers)
    order = np.arange(len(powers), dtype=np.int32) if order is None else order
    args = (_roots(index, powers), order, 1 / index.scale, out)
    for_chunks(_unscale, len(powers), grain_for(len(powers), 1 << 15), *args)
    return out


def _roots(index, powers):
    """The distances of powers: see `Norm.roots`, which is array code."""
    if index.norm.degree == 1:
        return powers
    roots = np.empty_like(powers)
    if index.norm.degree == 2:
        for_chunks(_square_roots, len(powers), grain_for(len(powers), 1 << 16), powers, roots)
        return roots

    def take(begin, end):
        roots[begin:end] = index.norm.roots(powers[begin:end])

    for_blocks(take, len(powers), 1)
    return roots


@kernel
def _square_roots(powers, roots, begin, end):
    for i in range(begin, end):
        roots[i] = math.sqrt(powers[i])


@kernel
def _unscale(roots, order, unit, out, begin, end):
    for i in range(begin, end):
        out[order[i]] = np.float64(roots[i]) * unit


def _sortable(weight):
    """Numbers that are not negative compare like their bits."""
    return weight.view(np.uint32).astype(np.uint64) if weight.dtype == np.float32 else weight.view(np.uint64)


@kernel
def _list_rows(source, target, order, rows, begin, end):
    """The caller's rows of every slot's edge: two for each slot. Its ends are near the slot as a rule."""
    for slot in range(begin, end):
        if source[slot] >= 0:
            u, v = order[source[slot]], order[target[slot]]
            rows[2 * slot], rows[2 * slot + 1] = lesser(u, v), greater(u, v)


@kernel
def _finish(slots, rows, lengths, unit, edges, weights, begin, end):
    """Edges in the order of the sort, whose slots lie anywhere."""
    for i in range(begin, end):
        ahead = np.int64(slots[lesser(i + AHEAD, end - 1)])
        prefetch(rows, 2 * ahead)
        prefetch(lengths, ahead)
        slot = np.int64(slots[i])
        edges[i, 0], edges[i, 1] = rows[2 * slot], rows[2 * slot + 1]
        weights[i] = np.float64(lengths[slot]) * unit


@kernel
def _powers(blocks, space, u, v, power, begin, end):
    for i in range(begin, end):
        power[i] = distance_power(blocks, space, np.int64(u[i]), np.int64(v[i]))
