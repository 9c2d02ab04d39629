"""The lightest entry of every pair of vertices, from entries in any order and direction.

Entries are sorted by their pair, then every pair is a run. Its first element says where the run begins; the thread that
finds it reads the whole run.
"""

from __future__ import annotations

import numpy as np

from emst.backend.records import LightestEntries
from emst.cpu.graph.entries import entries_of, key_of
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.prefetch import prefetch
from emst.cpu.runtime.sort import radix_order

GRAIN = 1 << 14  # entries
AHEAD = 16  # entries whose weight is prefetched
MOST = 2**31 - 1  # entries whose numbers are sorted as int32


def lightest_entries(rows, columns, weights, n, above=False):
    """See `emst.backend.operations`."""
    bits = np.uint64(int(n).bit_length())
    ranked, order = _ranked(rows, columns, bits, above)
    k, grain = len(ranked), grain_for(len(ranked), GRAIN)
    pairs, differ = np.zeros(-(-k // grain), np.int64), np.zeros((-(-k // grain), 3), np.int64)
    for_chunks(_count_pairs, k, grain, ranked, pairs, grain)
    stops, count = np.cumsum(pairs), int(pairs.sum())
    lightest, light = np.empty(count, np.int64), np.empty(count, weights.dtype)
    small, large = np.empty(count, np.int32), np.empty(count, np.int32)
    entries = entries_of(rows[:0], columns, weights)
    out = (lightest, small, large, light.view(entries.bits.dtype))
    for_chunks(_choose, k, grain, ranked, order, rows, entries, bits, stops - pairs, out, differ, grain)
    differ = differ[differ[:, 0] > 0]
    first = differ[differ[:, 1:].min(1).argmin(), 1:].tolist() if len(differ) else (-1, -1)
    return LightestEntries(lightest, small, large, light, int(differ[:, 0].sum()), *first)


def _ranked(rows, columns, bits, above):
    """The pairs of all entries that are edges, as ascending codes uint64[k], and the numbers of the entries. Entries of
    one pair keep their order."""
    m = len(rows)
    grain = grain_for(m, GRAIN)
    counts = np.zeros(-(-m // grain), np.int64)
    for_chunks(_count_edges, m, grain, rows, columns, above, counts, grain)
    stops, k = np.cumsum(counts), int(counts.sum())
    codes, numbers = np.empty(k, np.uint64), np.empty(k, np.int32 if m <= MOST else np.int64)
    for_chunks(_list_edges, m, grain, rows, columns, bits, above, stops - counts, codes, numbers, grain)
    if m <= MOST:
        return radix_order(codes, numbers)
    order = np.argsort(codes, kind="stable")
    return codes[order], numbers[order]


@kernel
def _count_edges(rows, columns, above, counts, grain, begin, end):
    count = 0
    for i in range(begin, end):
        count += (rows[i] < columns[i]) | ((rows[i] > columns[i]) & (not above))
    counts[begin // grain] = count


@kernel
def _list_edges(rows, columns, bits, above, starts, codes, numbers, grain, begin, end):
    at = starts[begin // grain]
    for i in range(begin, end):
        row, column = rows[i], columns[i]
        if row < column or (row > column and not above):
            codes[at] = (np.uint64(lesser(row, column)) << bits) | np.uint64(greater(row, column))
            numbers[at] = i
            at += 1


@kernel
def _count_pairs(ranked, counts, grain, begin, end):
    count = 0
    for i in range(begin, end):
        count += (i == 0) | (ranked[i] != ranked[i - 1])
    counts[begin // grain] = count


@kernel
def _choose(ranked, order, rows, entries, bits, starts, out, differ, grain, begin, end):
    """The lightest entry of every run that begins in the chunk, the first of equal ones. `differ` gets the number of
    those whose directions differ, and the lightest entries ahead and behind of the run with the first of these."""
    lightest, small, large, light = out
    chunk = begin // grain
    at, first = starts[chunk], np.int64(2**63 - 1)
    for i in range(begin, end):
        prefetch(entries.bits, np.int64(order[lesser(i + AHEAD, end - 1)]))
        code = ranked[i]
        if i > 0 and code == ranked[i - 1]:
            continue
        best = np.int64(order[i])
        if i + 1 < len(ranked) and ranked[i + 1] == code:
            stop = i + 2
            while stop < len(ranked) and ranked[stop] == code:
                stop += 1
            ahead, behind = np.int64(-1), np.int64(-1)
            for j in range(i, stop):
                e = np.int64(order[j])
                if rows[e] < entries.indices[e]:
                    if ahead < 0 or key_of(entries, e) < key_of(entries, ahead):
                        ahead = e
                elif behind < 0 or key_of(entries, e) < key_of(entries, behind):
                    behind = e
                if key_of(entries, e) < key_of(entries, best):
                    best = e
            if ahead >= 0 and behind >= 0 and key_of(entries, ahead) != key_of(entries, behind):
                differ[chunk, 0] += 1
                if lesser(ahead, behind) < first:
                    first = lesser(ahead, behind)
                    differ[chunk, 1], differ[chunk, 2] = ahead, behind
        lightest[at] = best
        small[at], large[at] = np.int32(code >> bits), np.int32(code & ((np.uint64(1) << bits) - np.uint64(1)))
        light[at] = entries.bits[best]
        at += 1
