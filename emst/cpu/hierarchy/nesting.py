"""Which clusters of the condensed tree lie within which, and the smallest one that holds two."""

from __future__ import annotations

import numpy as np

from emst.backend.records import FARTHER, Nesting
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for


def nesting(condensed):
    """See `emst.backend.operations`."""
    count, rows = condensed.count, 1
    while FARTHER**rows < count:
        rows += 1
    begin, end, ancestors = empty(count, np.int64), empty(count, np.int64), np.zeros((rows, count), np.int32)
    _nest(condensed.parent, condensed.size.astype(np.int64), begin, empty(count, np.int64), end, ancestors)
    return Nesting(begin, end, ancestors)


def common_clusters(nesting, clusters, others):
    """See `emst.backend.operations`."""
    common = empty(len(clusters), np.int32)
    args = (nesting.begin, nesting.end, nesting.ancestors, np.ascontiguousarray(clusters), np.ascontiguousarray(others))
    for_chunks(_common, len(clusters), grain_for(len(clusters), 256), *args, common)
    return common


@kernel
def _nest(parent, size, begin, free, end, ancestors):
    """`free` is, in every cluster, the first number that no child has taken."""
    rows, count = ancestors.shape
    begin[0], free[0], end[0] = 0, 1, 2 * size[0] - 1
    for c in range(1, count):  # parents come first
        above = parent[c]
        begin[c] = free[above]
        free[c], end[c] = begin[c] + 1, begin[c] + 2 * size[c] - 1
        free[above] = end[c]
        ancestors[0, c] = above
    for row in range(1, rows):
        for c in range(1, count):
            at = c
            for _ in range(FARTHER):
                at = ancestors[row - 1, at]
            ancestors[row, c] = at


@kernel
def _common(begin, end, ancestors, clusters, others, common, first, last):
    for i in range(first, last):
        common[i] = _smallest(begin, end, ancestors, clusters[i], others[i])


@part
def _smallest(begin, end, ancestors, cluster, other):
    number = begin[other]
    if begin[cluster] <= number < end[cluster]:
        return cluster
    for row in range(len(ancestors) - 1, -1, -1):
        above = ancestors[row, cluster]
        while not begin[above] <= number < end[above]:
            cluster = above
            above = ancestors[row, cluster]
    return ancestors[0, cluster]
