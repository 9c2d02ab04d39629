"""Components numbered from 0 in the order of their first vertices, and labels that are replaced by others."""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for

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


def relabel(labels, numbers):
    """Replace every label by ``numbers[label]``, in place."""
    for_chunks(_relabel, len(labels), grain_for(len(labels), 1 << 15), labels, numbers)


@kernel
def _relabel(labels, numbers, begin, end):
    for v in range(begin, end):
        labels[v] = numbers[labels[v]]
