"""Trees of components: flattened, counted and numbered.

Roots point to themselves and are found by path halving, as in `merge`: chains can be as long as there are components.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.prefetch import prefetch

AHEAD = 32  # nodes whose parents are fetched before they are asked
STEP = 1 << 20  # vertices a call of a kernel that runs on one thread: an interrupt is served between calls


def number_components(roots):
    """See `emst.backend.operations`."""
    n = len(roots)
    numbers, labels = np.full(n, -1, np.int32), np.empty(n, np.int32)
    count = np.zeros(1, np.int32)
    for begin in range(0, n, STEP):
        _number_by_first(roots, numbers, labels, count, begin, min(begin + STEP, n))
    return labels


@kernel
def _number_by_first(roots, numbers, labels, count, begin, end):
    for v in range(begin, end):
        root = roots[v]
        if numbers[root] < 0:
            numbers[root] = count[0]
            count[0] += 1
        labels[v] = numbers[root]


def contract(parent):
    """Of a forest int32[n]: the number of every node's tree, in order of their roots, int32[n], and the roots."""
    n = len(parent)
    grain = grain_for(n, 1 << 15)
    found = np.empty(-(-n // grain), np.int64)
    for_chunks(_flatten, n, grain, parent, found, grain)
    roots, numbers = np.empty(found.sum(), np.int32), np.empty(n, np.int32)
    for_chunks(_number_roots, n, grain, parent, found, np.cumsum(found), roots, numbers, grain)
    for_chunks(_number_others, n, grain, parent, numbers)
    return numbers, roots


@kernel
def _flatten(parent, found, grain, begin, end):
    """Hang every node directly on its root, and count the roots."""
    count = 0
    for v in range(begin, end):
        prefetch(parent, np.int64(parent[min(v + AHEAD, end - 1)]))
        p = parent[v]
        count += p == v
        p = parent[parent[p]]  # most need no more
        while parent[p] != p:
            parent[p] = parent[parent[p]]
            p = parent[p]
        parent[v] = p
    found[begin // grain] = count


@kernel
def _number_roots(parent, found, stops, roots, numbers, grain, begin, end):
    """What is written of other nodes does not stay."""
    stop = stops[begin // grain]
    at = stop - found[begin // grain]
    for v in range(begin, end):
        if at == stop:
            break
        roots[at], numbers[v] = v, at
        at += parent[v] == v


@kernel
def _number_others(parent, numbers, begin, end):
    for v in range(begin, end):
        ahead = np.int64(parent[min(v + AHEAD, end - 1)])
        prefetch(parent, ahead)
        prefetch(numbers, ahead)
        p = parent[v]
        while parent[p] != p:  # another thread, halving, may have hung it back on an older ancestor
            p = parent[p]
        numbers[v] = numbers[p]


def relabel(labels, numbers):
    """``numbers[labels]``, in the place of `labels`."""
    for_chunks(_relabel, len(labels), grain_for(len(labels), 1 << 15), labels, numbers)


@kernel
def _relabel(labels, numbers, begin, end):
    for v in range(begin, end):
        labels[v] = numbers[labels[v]]
