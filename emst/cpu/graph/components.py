"""Components numbered from 0, and graphs of components."""

from __future__ import annotations

import numpy as np

from emst.cpu.contract import AHEAD, flatten, root_above
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.prefetch import prefetch

STEP = 1 << 20  # vertices of one call of a kernel that runs on one thread: interrupts are handled between calls


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
    """Flatten the trees of `parent`, int32[n], whose roots point to themselves.

    Returns the number of every node's tree, in the order of their roots, int32[n], and the roots, int32[count].
    """
    n = len(parent)
    roots, numbers = flatten(parent), np.empty(n, np.int32)
    for_chunks(_number_roots, len(roots), grain_for(len(roots), 1 << 15), roots, numbers)
    for_chunks(_number_others, n, grain_for(n, 1 << 15), parent, numbers)
    return numbers, roots


@kernel
def _number_roots(roots, numbers, begin, end):
    for i in range(begin, end):
        numbers[roots[i]] = i


@kernel
def _number_others(parent, numbers, begin, end):
    for v in range(begin, end):
        ahead = np.int64(parent[min(v + AHEAD, end - 1)])
        prefetch(parent, ahead)
        prefetch(numbers, ahead)
        numbers[v] = numbers[root_above(parent, parent[v])]


def relabel(labels, numbers):
    """Replace every label by ``numbers[label]``, in place."""
    for_chunks(_relabel, len(labels), grain_for(len(labels), 1 << 15), labels, numbers)


@kernel
def _relabel(labels, numbers, begin, end):
    for v in range(begin, end):
        labels[v] = numbers[labels[v]]
