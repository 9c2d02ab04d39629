"""The lightest edge that leaves each component, from a list of edges, for `emst.graph.algorithms.hybrid`.

Races. Threads share the minima and lower them atomically. Before that they compare with a plain read; a stale value can
only be too great, and then the atomic operation decides.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.atomics import lower
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for

NO_KEY = np.uint64(2**64 - 1)


def lightest_of_edges(u, v, key, labels):
    """See `emst.backend.operations`."""
    k, grain = len(key), grain_for(len(key), 1 << 14)
    least = np.full(len(labels), NO_KEY)
    kept = tuple(np.empty_like(array) for array in (u, v, key))
    counts = np.zeros(-(-k // grain), np.int64)
    for_chunks(_lightest, k, grain, least, u, v, key, labels, *kept, counts, grain)
    left = tuple(np.empty(counts.sum(), array.dtype) for array in kept)
    for_chunks(_close_up, k, grain, *kept, *left, counts, np.cumsum(counts) - counts, grain)
    return least, *left


@kernel
def _lightest(least, u, v, key, labels, kept_u, kept_v, kept_key, counts, grain, begin, end):
    """Keep edges between different components, with components as their ends, at the beginning of their chunk."""
    at = begin
    for i in range(begin, end):
        a, b = labels[u[i]], labels[v[i]]
        if a == b:
            continue
        k = key[i]
        kept_u[at], kept_v[at], kept_key[at] = a, b, k
        at += 1
        lower(least, a, k)
        lower(least, b, k)
    counts[begin // grain] = at - begin


@kernel
def _close_up(u, v, key, left_u, left_v, left_key, counts, starts, grain, begin, end):
    """Copy the kept edges of all chunks into one list without gaps."""
    chunk = begin // grain
    to = starts[chunk]
    for i in range(begin, begin + counts[chunk]):
        left_u[to], left_v[to], left_key[to] = u[i], v[i], key[i]
        to += 1
