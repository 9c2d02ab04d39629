"""The default minimum spanning forest: one round on rows, then rounds on a list of edges, light edges first.

A row of a symmetric graph holds all edges of its vertex, so the first round reads every row once and needs no list. Of
the edges that are left between components, a few light ones per component are listed and contracted until none is left.
They merge most components. So most of the heavier edges lie within one component when they are read, and are never
listed. If few edges are left, all of them are listed at once.

Contraction follows the rule of `emst.cpu.contract`, as `merge` does.

References
----------
V. Osipov, P. Sanders, J. Singler, "The filter-Kruskal minimum spanning tree algorithm", ALENEX 2009; here with
Borůvka's rounds in the place of Kruskal's algorithm.
"""

from __future__ import annotations

import numpy as np

from emst.backend.records import ForestEdges
from emst.cpu.contract import contract, stays_root
from emst.cpu.graph.components import relabel
from emst.cpu.graph.entries import entries_of, key_of, row_of
from emst.cpu.graph.worklist import LAST, list_edges, rounds
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import lowest_bit
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.prefetch import prefetch

FEW = 6  # edges per component: if at most so many remain, list them all; LIGHT, while every vertex is a component
LIGHT = 2  # edges per component that are listed first otherwise
SHARE = 8  # if at most m / SHARE edges remain, list them all: a second filtering pass costs more
AHEAD = 16  # vertices whose data is prefetched: long enough for memory to deliver
SHORT = 8  # entries that are searched one by one
BLOCK = 256  # vertices that are hooked before their edges below the diagonal are searched
SAMPLE = 1 << 12  # entries that are sampled for a threshold


def graph_forest(graph):
    """See `emst.backend.operations`."""
    n, m = graph.n, graph.m
    entries = entries_of(graph.indptr, graph.indices, graph.weights)
    grain = grain_for(m, 1 << 15)
    chosen = np.zeros(m + -m % 8, np.bool_)
    if graph.symmetric and m:
        labels, roots, uppers = _round_by_rows(entries, chosen, grain)
    else:
        labels, roots = np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32)
        uppers = np.diff(np.r_[0:m:grain, m])
    above = (np.uint64(0), np.int64(-1))
    while above is not LAST and len(roots) > 1:
        upto = _threshold(entries, labels, len(roots), above, int(uppers.sum()))
        edges, room, offers = list_edges(entries, labels, len(roots), above, upto, uppers, grain)
        roots = roots[rounds(edges, room, offers, labels, chosen)]
        above = upto
    return _listed(entries, chosen, labels, roots)


def _round_by_rows(entries, chosen, grain):
    """Contract the lightest edge of every vertex: the labels, the roots of the components, and the number of entries
    above the diagonal in every chunk."""
    n, m = len(entries.indptr) - 1, len(entries.indices)
    best, parent = np.empty(n, np.int64), np.empty(n, np.int32)
    target = np.zeros(n, np.int32)  # not set for rows without entries, but used to prefetch
    chunks = -(-m // grain)
    heads, uppers = np.full(chunks, -1), np.empty(chunks, np.int64)
    for_chunks(_lightest, m, grain, entries, best, target, heads, uppers, grain)
    _join_heads(entries, best, target, heads, grain)
    for_chunks(
        _hook, n, grain_for(n, 1 << 14), entries, best, target, parent, chosen,
        scratch=lambda: np.empty(BLOCK, np.int32),
    )  # fmt: skip
    return *contract(parent), uppers


@kernel
def _lightest(entries, best, target, heads, uppers, grain, begin, end):
    """The first lightest entry of every row. Of a row that began in an earlier chunk, the lightest entry in
    this chunk goes to `heads`."""
    row = row_of(entries.indptr, begin)
    p = begin
    upper = 0
    while p < end:
        stop = lesser(np.int64(entries.indptr[row + 1]), end)
        least, at = np.uint64(0), np.int64(-1)
        for q in range(p, stop):
            upper += entries.indices[q] > row
            key = key_of(entries, q)
            if (key < least or at < 0) and entries.indices[q] != row:
                least, at = key, q
        if p == entries.indptr[row]:
            best[row] = at
            target[row] = entries.indices[at] if at >= 0 else row
        else:
            heads[begin // grain] = at
        row += 1
        p = stop
    uppers[begin // grain] = upper


@kernel
def _join_heads(entries, best, target, heads, grain):
    """Combine the parts of rows that lie in several chunks, in order, so that the first of equal entries is kept."""
    for chunk in range(len(heads)):
        at = heads[chunk]
        if at < 0:
            continue
        row = row_of(entries.indptr, chunk * grain)
        if best[row] < 0 or key_of(entries, at) < key_of(entries, best[row]):
            best[row], target[row] = at, entries.indices[at]


@kernel
def _hook(below, entries, best, target, parent, chosen, begin, end):
    """Hook every vertex onto the other end of its lightest edge, and mark the edge's entry above the diagonal.

    If a vertex chose an entry below the diagonal, the mirrored entry is searched. Where many vertices in a row choose
    the same other end, the search continues from the entry that was found last. `below` is scratch.
    """
    row, mirrored = np.int32(-1), np.int64(0)
    for block in range(begin, end, BLOCK):
        count = 0
        for v in range(block, lesser(block + BLOCK, end)):
            if v + AHEAD < end:
                prefetch(target, np.int64(target[v + AHEAD]))
            parent[v] = v
            if entries.indptr[v] == entries.indptr[v + 1] or best[v] < 0:
                continue
            u = target[v]
            mutual = target[u] == v
            parent[v] = v if stays_root(v, u, mutual) else u
            chosen[best[v]] = v < u  # an entry below the diagonal stays as it is
            prefetch(entries.indptr, np.int64(u))
            below[count] = v
            count += (v > u) & (not mutual)
        for i in range(count):
            start = np.int64(entries.indptr[target[below[lesser(i + AHEAD, count - 1)]]])
            prefetch(entries.indices, start)
            prefetch(entries.bits, start)
            v = below[i]
            u, key = target[v], key_of(entries, best[v])
            low, high = np.int64(entries.indptr[u]), np.int64(entries.indptr[u + 1])
            mirrored = _mirrored_entry(entries, mirrored if u == row else low, high, v, key)
            chosen[mirrored] = True
            row = u


@part
def _mirrored_entry(entries, low, high, column, key):
    """The first entry with this column and key from `low` on, in a row that ends at `high`."""
    indices, step = entries.indices, SHORT
    while low + step < high and indices[low + step] < column:
        low += step
        step *= 2
    high = lesser(high, low + step + 1)
    while high - low > SHORT:
        middle = (low + high) >> 1
        if indices[middle] < column:
            low = middle + 1
        else:
            high = middle
    while indices[low] < column or key_of(entries, low) != key:
        low += 1
    return low


def _threshold(entries, labels, count, above, edges):
    """(key, position) of the last edge to list now, estimated from a sample of the edges after `above`.

    The graph has `edges` edges and now `count` components.
    """
    m, few = len(entries.indices), (LIGHT if count == len(labels) else FEW) * count
    if edges <= max(few, 8 * SAMPLE):
        return LAST
    places = np.random.default_rng(0).integers(0, m, SAMPLE)
    keys = np.empty(SAMPLE, np.uint64)
    crosses = np.empty(SAMPLE, np.bool_)
    _read_sample(entries, labels, above, places, keys, crosses)
    places, keys = places[crosses], keys[crosses]
    expected = len(places) / SAMPLE * m
    if expected <= max(few, m // SHARE):
        return LAST
    order = np.lexsort((places, keys))
    last = order[int(len(order) * max(LIGHT * count, m // (4 * SHARE)) / expected)]
    return keys[last], places[last]


@kernel
def _read_sample(entries, labels, above, places, keys, crosses):
    """The keys of entries, and which of them are edges between two components with (key, position) after `above`."""
    for i in range(len(places)):
        p = places[i]
        row = row_of(entries.indptr, p)
        keys[i] = key_of(entries, p)
        after = keys[i] > above[0] or (keys[i] == above[0] and p > above[1])
        crosses[i] = after and entries.indices[p] > row and labels[row] != labels[entries.indices[p]]


def _listed(entries, chosen, labels, roots):
    """The marked edges in order. `labels` are replaced by the roots of the components."""
    words = chosen.view(np.uint64)
    grain = grain_for(len(words), 1 << 13)
    counts = np.zeros(-(-len(words) // grain), np.int64)
    for_chunks(_count_chosen, len(words), grain, words, counts, grain)
    size = int(counts.sum())
    places, source, target = np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.int32)
    out = (np.cumsum(counts) - counts, places, source, target)
    for_chunks(_list_chosen, len(words), grain, entries, words, *out, grain)
    relabel(labels, roots)
    return ForestEdges(places, source, target, labels)


@kernel
def _count_chosen(words, counts, grain, begin, end):
    count = np.uint64(0)
    for i in range(begin, end):
        count += (words[i] * np.uint64(0x0101010101010101)) >> np.uint64(56)  # the sum of eight bytes, 0 or 1
    counts[begin // grain] = count


@kernel
def _list_chosen(entries, words, starts, places, source, target, grain, begin, end):
    at = starts[begin // grain]
    row = -1
    for i in range(begin, end):
        if words[i] == 0:
            continue
        word = np.int64(words[i])
        while word:
            p = 8 * i + (lowest_bit(word) >> 3)
            word &= word - 1
            row = row_of(entries.indptr, p) if row < 0 else row
            while entries.indptr[row + 1] <= p:
                row += 1
            places[at], source[at], target[at] = p, row, entries.indices[p]
            at += 1
