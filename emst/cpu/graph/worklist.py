"""A list of the edges between components, which shrinks as components merge, and Borůvka's rounds on it.

Every chunk of entries has its own part of the list, in the order of the chunks, and keeps its edges in order at the
front of that part. So places in the list break ties as the total order demands, and dropped edges are overwritten.

A round reads every edge once, in `_filter`: it replaces the ends by the new components, drops the edge if they are the
same, and otherwise offers the edge to both. An offer holds weight and place in one number if weights have 32 bits.
Otherwise offers hold the weight alone, and a second pass, `_first_places`, finds the first place of the least weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.contract import contract, stays_root
from emst.cpu.graph.components import relabel
from emst.cpu.graph.entries import key_of, row_of, write_rows
from emst.cpu.graph.offers import EMPTY, gathered, offer, room_for
from emst.cpu.runtime.atomics import lower
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.prefetch import prefetch

BLOCK = 256  # entries whose labels are read together
AHEAD = 128  # edges whose offers are prefetched before the first of them is made
LONG = 8  # entries per row: with more on average, rows are called long
SOON = 16  # components ahead whose edges are prefetched
SMALL = 1 << 14  # edges that a thread takes at a time, at least: several chunks together
WIDE = 2**32 - 1  # entries or places in the list: from this number on they need 64 bits
MANY = 1 << 17  # vertices: the labels of fewer fit into the caches
LAST = (np.uint64(2**64 - 1), np.int64(2**63 - 1))  # after every (key, position)


class Worklist(NamedTuple):
    """The list. Only the first ``counts[i]`` places of the part of chunk i are in use."""

    a: np.ndarray  # int32: component of the smaller end
    b: np.ndarray  # int32: component of the larger end
    key: np.ndarray  # uint32 or uint64: weight, as `key_of` gives it
    position: np.ndarray  # uint32 or int64: position of the entry
    starts: np.ndarray  # int64[chunks]: where the parts begin
    counts: np.ndarray  # int64[chunks]: edges of the parts


def list_edges(entries, labels, count, above, upto, uppers, grain):
    """List the edges between different components with ``above < (key, position) <= upto``, and make their offers.
    Returns the list, memory for the offers of all rounds, and the offers, which lie there.

    `uppers`, int64[chunks], holds the number of entries above the diagonal in every chunk of `grain` entries.
    """
    m, width = len(entries.indices), entries.bits.dtype
    sizes = uppers
    if upto is not LAST:
        within = np.empty(len(uppers), np.int64)
        for_chunks(_count_within, m, grain, entries, above[0], upto[0], within, grain)
        sizes = np.minimum(within, uppers)
    size = int(sizes.sum())
    edges = Worklist(
        a=np.empty(size, np.int32),
        b=np.empty(size, np.int32),
        key=np.empty(size, width),
        position=np.empty(size, np.uint32 if m < WIDE else np.int64),
        starts=np.cumsum(sizes) - sizes,
        counts=np.zeros(len(sizes), np.int64),
    )
    inside, room = _giant(labels), room_for(count, size)
    list_chunk = _list_from_rows if m > LONG * len(labels) else _list_from_blocks
    offers = gathered(
        room, count, width.itemsize == 4 and size < WIDE, list_chunk, m, grain,
        entries, labels, inside, above, upto, edges, grain,
        scratch=lambda: (np.empty(2 * BLOCK, np.int64), np.empty(2 * BLOCK, np.int32)),
    )  # fmt: skip
    return edges, room, offers


@kernel
def _count_within(entries, above, upto, within, grain, begin, end):
    """Count the entries with ``above <= key <= upto``."""
    count = 0
    for p in range(begin, end):
        count += key_of(entries, p) - above <= upto - above
    within[begin // grain] = count


@kernel
def _list_from_blocks(scratch, entries, labels, inside, above, upto, edges, grain, begin, end):
    """List the edges of a chunk, block by block. The candidates of a block are written without a branch, which would be
    mispredicted often; then their labels are compared."""
    offers, positions, rows = scratch
    chunk = begin // grain
    at = edges.starts[chunk]
    row = row_of(entries.indptr, begin)
    for block in range(begin, end, BLOCK):
        size = lesser(BLOCK, end - block)
        row = write_rows(entries.indptr, row, block, size, rows)
        count = 0
        for i in range(size):
            p, v = block + i, rows[i]
            key = key_of(entries, p)
            positions[count], rows[count] = p, v
            count += (v < entries.indices[p]) & (above[0] <= key) & (key <= upto[0])
        if len(inside):
            count = _outer(positions, rows, count, entries, inside)
        at = _append(positions, rows, count, entries, labels, above, upto, edges, offers, at)
    edges.counts[chunk] = at - edges.starts[chunk]


@kernel
def _list_from_rows(scratch, entries, labels, inside, above, upto, edges, grain, begin, end):
    """The same for long rows. The entries above the diagonal are the last of their row; the others are not read."""
    offers, positions, rows = scratch
    chunk = begin // grain
    at = edges.starts[chunk]
    row = row_of(entries.indptr, begin)
    p, count = begin, 0
    while p < end:
        stop = lesser(np.int64(entries.indptr[row + 1]), end)
        first = stop
        while first > p and entries.indices[first - 1] > row:
            first -= 1
        outer = len(inside) == 0 or not _has(inside, row)
        for block in range(first, stop, BLOCK):
            for p in range(block, lesser(block + BLOCK, stop)):
                key = key_of(entries, p)
                positions[count], rows[count] = p, row
                count += (above[0] <= key) & (key <= upto[0]) & (outer or not _has(inside, entries.indices[p]))
            if count >= BLOCK:
                at = _append(positions, rows, count, entries, labels, above, upto, edges, offers, at)
                count = 0
        row += 1
        p = stop
    at = _append(positions, rows, count, entries, labels, above, upto, edges, offers, at)
    edges.counts[chunk] = at - edges.starts[chunk]


@part
def _append(positions, rows, count, entries, labels, above, upto, edges, offers, at):
    """Append the candidates that lie between two components to the list from place `at` on; returns the place after
    them."""
    crossing = 0
    for j in range(count):
        p, row = positions[j], rows[j]
        key = key_of(entries, p)
        positions[crossing], rows[crossing] = p, row
        within = ((key > above[0]) | (p > above[1])) & ((key < upto[0]) | (p <= upto[1]))
        crossing += (labels[row] != labels[entries.indices[p]]) & within
    for j in range(crossing):
        p = positions[j]
        a, b = labels[rows[j]], labels[entries.indices[p]]
        prefetch(offers.best, np.int64(a))
        prefetch(offers.best, np.int64(b))
        edges.a[at + j], edges.b[at + j] = a, b
        edges.key[at + j], edges.position[at + j] = key_of(entries, p), p
    for i in range(at, at + crossing):
        offer(offers, edges, i)
    return at + crossing


@part
def _outer(positions, rows, count, entries, inside):
    """Keep the candidates that do not lie within the giant component; returns their number."""
    kept = 0
    for i in range(count):
        p, v = positions[i], rows[i]
        positions[kept], rows[kept] = p, v
        kept += not (_has(inside, v) & _has(inside, entries.indices[p]))
    return kept


@part
def _has(inside, v):
    return (inside[v >> 6] >> np.uint64(v & 63)) & np.uint64(1) != 0


def _giant(labels):
    """One bit per vertex: whether it belongs to the giant component, which holds more than half of all vertices.

    The bits fit into the caches, the labels do not. Empty if there is no such component or the labels fit as well.
    """
    n = len(labels)
    if n < MANY:
        return np.empty(0, np.uint64)
    values, times = np.unique(labels[:: n // 1024], return_counts=True)
    if 2 * times.max() < times.sum():
        return np.empty(0, np.uint64)
    inside = np.zeros(-(-n // 64), np.uint64)
    for_chunks(_mark_inside, len(inside), grain_for(len(inside), 1 << 9), labels, values[times.argmax()], inside)
    return inside


@kernel
def _mark_inside(labels, giant, inside, begin, end):
    for word in range(begin, end):
        for v in range(64 * word, lesser(64 * word + 64, len(labels))):
            inside[word] |= np.uint64(labels[v] == giant) << np.uint64(v & 63)


def rounds(edges, room, offers, labels, chosen):
    """Borůvka's rounds until no edge is left.

    Marks the edges of the forest in `chosen`, bool[m], and replaces the label of every vertex by the number of its new
    component. Returns, for every new component, the number of the old component that holds its root.
    """
    renamings, origin = [], np.arange(len(offers.best), dtype=np.int32)
    while left := edges.counts.sum():
        grain = max(1, len(edges.counts) * SMALL // int(left))
        places = offers.best
        if offers.mask == 0:
            places = np.full(len(offers.best), EMPTY)
            for_chunks(_first_places, len(edges.counts), grain, edges, offers.best, places)
        parent = np.empty(len(places), np.int32)
        mask = offers.mask or EMPTY
        for_chunks(_hook, len(places), grain_for(len(places), 1 << 14), edges, places, mask, parent, chosen)
        numbers, roots = contract(parent)
        renamings.append(numbers)
        origin = origin[roots]
        offers = gathered(room, len(roots), offers.mask != 0, _filter, len(edges.counts), grain, edges, numbers)
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
        ahead = lesser(c + SOON, end - 1)
        if places[ahead] != EMPTY:
            place = np.int64(places[ahead] & mask)
            prefetch(edges.a, place)
            prefetch(edges.b, place)
            prefetch(edges.position, place)
        parent[c] = c
        if places[c] == EMPTY:
            continue
        i = np.int64(places[c] & mask)
        other = edges.a[i] ^ edges.b[i] ^ c
        if stays_root(c, other, places[other] == places[c]):
            continue
        parent[c] = other
        chosen[edges.position[i]] = True


@kernel
def _filter(scratch, edges, numbers, begin, end):
    """Replace the ends of edges by their new components, drop edges within one, and offer the others to both ends."""
    offers = scratch[0]
    for chunk in range(begin, end):
        start = edges.starts[chunk]
        stop = start + edges.counts[chunk]
        at = start
        for block in range(start, stop, AHEAD):
            first = at
            for i in range(block, lesser(block + AHEAD, stop)):
                a, b = numbers[edges.a[i]], numbers[edges.b[i]]
                edges.a[at], edges.b[at] = a, b
                edges.key[at], edges.position[at] = edges.key[i], edges.position[i]
                prefetch(offers.best, np.int64(a))
                prefetch(offers.best, np.int64(b))
                at += a != b
            for i in range(first, at):
                offer(offers, edges, i)
        edges.counts[chunk] = at - start
