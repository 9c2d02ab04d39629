"""Edges between components, in a list that shrinks as components grow together, and Borůvka's rounds on it.

A part of the list belongs to every chunk of entries, and stands in their order; a chunk keeps its edges at the front of
its part. So an edge's place in the list breaks ties under the law, and what drops out is overwritten in place.

A round reads every edge once, in `_keep`: it names its ends anew, drops it if they are one, and offers it to both
otherwise. The offer is weight and place in one number, where the weight has 32 bits; if it does not, the least weight
is found first and in a second pass (`_first_places`) the first place among those who have it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.adjacency import ordered, row_of
from emst.cpu.atomic import lower
from emst.cpu.components import contract, relabel
from emst.cpu.kernels import kernel, part
from emst.cpu.parallel import for_chunks, grain_for

EMPTY = np.uint64(2**64 - 1)  # no offer: its place would be beyond any list


class Crossing(NamedTuple):
    """The list; parts of its arrays have not been written."""

    a: np.ndarray  # int32: component of the smaller end
    b: np.ndarray  # int32: of the larger one
    key: np.ndarray  # uint32 or uint64: ordered weight
    position: np.ndarray  # uint32 or int64: of the entry
    starts: np.ndarray  # int64[chunks]: where the chunks' parts begin
    counts: np.ndarray  # int64[chunks]: edges they hold


class Offers(NamedTuple):
    """What components have been offered: ``key << shift | place & mask``."""

    best: np.ndarray  # uint64[components]
    shift: np.uint64
    mask: np.uint64


def no_offers(count, packed):
    """Nothing yet, to so many components."""
    best = np.full(count, EMPTY)
    return Offers(best, np.uint64(32), np.uint64(2**32 - 1)) if packed else Offers(best, np.uint64(0), np.uint64(0))


def collect(graph, bits, kind, labels, count, above, upto, uppers, grain):
    """Edges between different components whose (key, position) lies above `above` and up to `upto`, and their offers.

    `uppers`, int64[chunks]: how many entries above the diagonal there are in each chunk of `grain`.
    """
    m = graph.m
    within = np.empty(len(uppers), np.int64)
    for_chunks(_count_within, m, grain, bits, kind, above[0], upto[0], within, grain)
    rooms = np.minimum(within, uppers)
    size = int(rooms.sum())
    edges = Crossing(
        a=np.empty(size, np.int32),
        b=np.empty(size, np.int32),
        key=np.empty(size, bits.dtype),
        position=np.empty(size, np.uint32 if m < 2**32 else np.int64),
        starts=np.cumsum(rooms) - rooms,
        counts=np.zeros(len(rooms), np.int64),
    )
    offers = no_offers(count, bits.itemsize == 4 and size < 2**32 - 1)
    entries = (graph.indptr, graph.indices, bits, kind)
    for_chunks(_collect, m, grain, *entries, labels, above, upto, edges, offers, grain)
    return edges, offers


@kernel
def _count_within(bits, kind, above, upto, within, grain, begin, end):
    """Entries whose key lies between the bounds, both included."""
    count = 0
    for p in range(begin, end):
        x = ordered(bits[p], kind)
        count += (x >= above) & (x <= upto)
    within[begin // grain] = count


@kernel
def _collect(indptr, indices, bits, kind, labels, above, upto, edges, offers, grain, begin, end):
    chunk = begin // grain
    at = edges.starts[chunk]
    row = row_of(indptr, begin)
    p = begin
    while p < end:
        stop = min(np.int64(indptr[row + 1]), end)
        while p < stop:
            key = ordered(bits[p], kind)
            if indices[p] > row and above[0] <= key and key <= upto[0]:
                a, b = labels[row], labels[indices[p]]
                if a != b and (key > above[0] or p > above[1]) and (key < upto[0] or p <= upto[1]):
                    edges.a[at], edges.b[at] = a, b
                    edges.key[at], edges.position[at] = key, p
                    _offer(offers, a, b, key, at)
                    at += 1
            p += 1
        row += 1
    edges.counts[chunk] = at - edges.starts[chunk]


@part
def _offer(offers, a, b, key, place):
    offer = (np.uint64(key) << offers.shift) | (np.uint64(place) & offers.mask)
    lower(offers.best, a, offer)
    lower(offers.best, b, offer)


def grow(edges, offers, labels, chosen):
    """Borůvka's rounds until no edge is left; marks edges in `chosen`, bool[m], and gives every vertex the label of its
    new component. Returns the number of components and, of each, which one of the old ones lent its root."""
    renamings, origin = [], np.arange(len(offers.best), dtype=np.int32)
    while edges.counts.any():
        places = offers.best
        if offers.mask == 0:
            places = np.full(len(offers.best), EMPTY)
            for_chunks(_first_places, len(edges.counts), 1, edges, offers.best, places)
        parent = np.empty(len(places), np.int32)
        mask = offers.mask or EMPTY
        for_chunks(_hook, len(places), grain_for(len(places), 1 << 13), edges, places, mask, parent, chosen)
        numbers, roots = contract(parent)
        renamings.append(numbers)
        origin = origin[roots]
        offers = no_offers(len(roots), offers.mask != 0)
        for_chunks(_keep, len(edges.counts), 1, edges, numbers, offers)
    while len(renamings) > 1:
        last = renamings.pop()
        relabel(renamings[-1], last)
    for numbers in renamings:
        relabel(labels, numbers)
    return origin


@kernel
def _first_places(edges, best, places, begin, end):
    for chunk in range(begin, end):
        start = edges.starts[chunk]
        for i in range(start, start + edges.counts[chunk]):
            a, b = edges.a[i], edges.b[i]
            if edges.key[i] == best[a]:
                lower(places, a, np.uint64(i))
            if edges.key[i] == best[b]:
                lower(places, b, np.uint64(i))


@kernel
def _hook(edges, places, mask, parent, chosen, begin, end):
    for c in range(begin, end):
        parent[c] = c
        if places[c] == EMPTY:
            continue
        i = np.int64(places[c] & mask)
        other = edges.a[i] ^ edges.b[i] ^ c
        if c < other and places[other] == places[c]:
            continue  # a mutual pair: the smaller stays the root
        parent[c] = other
        chosen[edges.position[i]] = True


@kernel
def _keep(edges, numbers, offers, begin, end):
    for chunk in range(begin, end):
        start = edges.starts[chunk]
        at = start
        for i in range(start, start + edges.counts[chunk]):
            a, b = numbers[edges.a[i]], numbers[edges.b[i]]
            if a != b:
                edges.a[at], edges.b[at] = a, b
                edges.key[at], edges.position[at] = edges.key[i], edges.position[i]
                _offer(offers, a, b, edges.key[at], at)
                at += 1
        edges.counts[chunk] = at - start
