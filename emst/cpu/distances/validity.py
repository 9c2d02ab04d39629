"""Cluster validity from all pairs of points: sums over a cluster, its spanning tree, the distance to other clusters.

Points are ordered by clusters and stored as columns: coordinate i of all points lies together, so that the distances
from one point to a range of others are computed in vectors.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for

BLOCK = 256  # distances computed at a time
STEP = 1 << 23  # coordinates that a call of the kernel reads for one tree: milliseconds, then interrupts are served


def core_distance_sums(columns, cluster, starts, dimension):
    """See `emst.backend.operations`."""
    n = len(cluster)
    nearest, total = np.empty(n), np.empty(n)
    args = (columns, cluster, starts, dimension, nearest, total)
    for_chunks(_core_distance_sums, n, grain_for(n, 16), *args, scratch=lambda: empty(BLOCK, np.float64))
    return nearest, total


@kernel
def _core_distance_sums(row, columns, cluster, starts, dimension, nearest, total, begin, end):
    for i in range(begin, end):
        low, high = starts[cluster[i]], starts[cluster[i] + 1]
        least = np.inf
        for first in range(low, high, BLOCK):
            size = min(BLOCK, high - first)
            _distances(row, columns, i, first, size)
            for j in range(size):
                if row[j] > 0:
                    least = min(least, row[j])
        sum_ = 0.0
        for first in range(low, high, BLOCK):
            size = min(BLOCK, high - first)
            _distances(row, columns, i, first, size)
            for j in range(size):
                if row[j] > 0:
                    sum_ += _power(least / row[j], dimension)
        nearest[i], total[i] = least, sum_


@part
def _distances(row, columns, i, first, size):
    """Distances from point i to `size` points from `first` on."""
    for k in range(len(columns)):
        x, others = columns[k, i], columns[k, first : first + size]
        for j in range(size):
            t = x - others[j]
            row[j] = row[j] + t * t if k > 0 else t * t
    for j in range(size):
        row[j] = np.sqrt(row[j])


@part
def _power(x, exponent):
    """By squaring: the same products in the same order on every machine."""
    power = 1.0
    while exponent > 0:
        if exponent & 1:
            power *= x
        x *= x
        exponent >>= 1
    return power


def cluster_trees(columns, starts, core):
    """See `emst.backend.operations`."""
    n = len(core)
    parent, weight = np.full(n, -1, np.int32), np.full(n, np.inf)
    newest, reached = starts[:-1].copy(), np.zeros(len(starts) - 1)
    growing = np.flatnonzero(np.diff(starts))
    args = (columns, starts, core, np.zeros(n, np.bool_), newest, reached, parent, weight)
    while len(growing):
        for_chunks(_grow, len(growing), 1, growing, STEP, *args, scratch=lambda: empty(BLOCK, np.float64))
        growing = growing[newest[growing] < starts[growing + 1]]
    return parent, weight


@kernel
def _grow(row, growing, step, columns, starts, core, inside, newest, reached, parent, weight, begin, end):
    """Prim's algorithm, a step of some points. The `weight` of a point outside of the tree is the least to a point
    inside. The next point to be added is `newest`, at the weight `reached`; the end of the cluster if there is none."""
    for c in growing[begin:end]:
        low, high = starts[c], starts[c + 1]
        for _ in range(max(1, step // ((high - low) * len(columns)))):
            new = newest[c]
            if new == high:
                break
            inside[new] = True
            weight[new] = reached[c]
            nearest, least = high, np.inf
            for first in range(low, high, BLOCK):
                size = min(BLOCK, high - first)
                _distances(row, columns, new, first, size)
                for j in range(size):
                    p = first + j
                    w = max(row[j], core[new], core[p])
                    if not inside[p]:
                        weight[p] = min(weight[p], w)
                        if weight[p] < least:
                            nearest, least = p, weight[p]
                    elif w == reached[c] and p != new and parent[new] < 0:
                        parent[new] = p
            newest[c], reached[c] = nearest, least


def separations(columns, cluster, starts, core):
    """See `emst.backend.operations`."""
    n = len(core)
    least = np.empty(n)
    args = (columns, cluster, starts, core, least)
    for_chunks(_separations, n, grain_for(n, 16), *args, scratch=lambda: empty(BLOCK, np.float64))
    return least


@kernel
def _separations(row, columns, cluster, starts, core, least, begin, end):
    n = len(core)
    for i in range(begin, end):
        low, high = starts[cluster[i]], starts[cluster[i] + 1]
        nearest = np.inf
        for first in range(0, n, BLOCK):
            size = min(BLOCK, n - first)
            if low <= first and first + size <= high:
                continue
            _distances(row, columns, i, first, size)
            for j in range(size):
                p = first + j
                if p < low or p >= high:
                    nearest = min(nearest, max(row[j], core[i], core[p]))
        least[i] = nearest
