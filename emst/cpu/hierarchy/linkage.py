"""The dendrogram of a spanning tree: by union-find over its edges in ascending order; or, by many threads, from
Borůvka's rounds, which are several times the work."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Linkage
from emst.cpu.hierarchy.chains import dendrogram
from emst.cpu.hierarchy.rounds import components_of
from emst.cpu.runtime.arrays import empty, full
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import thread_count
from emst.cpu.runtime.prefetch import prefetch

AHEAD = 8  # edges: long enough for the memory to deliver, short enough for the cache to hold what it delivered
STEP = 1 << 20  # edges a call of the kernel: an interrupt is served between calls
THREADS = 16  # that make the rounds faster than union-find on one (`python benchmarks scaling`)
MANY = 1 << 20  # edges, likewise
MOST = (1 << 30) - 1  # edges: the components of all rounds, at most two a point, have numbers of 32 bits


def linkage(edges, weights, sizes=None, early=False, first_round=None):
    """See `emst.backend.operations`. There is nothing to be early for: edges are known. No first round is kept."""
    m = len(weights)
    ends = np.ascontiguousarray(edges, np.int32).reshape(-1)
    total = None if sizes is None else int(sizes.sum(dtype=np.int64))
    if thread_count() >= THREADS and MANY <= m <= MOST:
        components = components_of(ends)
        if components is not None:
            child, size, parent = dendrogram(components, full(m + 1, 1, np.int32) if sizes is None else sizes)
            return Linkage(child, size, weights, total=total, scratch=parent)
    return Linkage(*_united(ends, sizes), weights, total=total)


def _united(ends, sizes):
    """Children and sizes of the merges, by union-find.

    Raises
    ------
    ValueError
        The edges are no spanning tree.
    """
    m = len(ends) // 2
    n = m + 1
    # Both numbers of a point lie on one cache line. sets[2 v] is the parent of point v or, if v is a root, minus the
    # size of its set; sets[2 v + 1] is the name of a root's cluster.
    kind = np.dtype(np.int32) if sizes is None else sizes.dtype
    sets = empty(2 * n, kind)
    sets[::2] = -1 if sizes is None else -sizes
    sets[1::2] = np.arange(-n, 0)
    child, size = np.empty((m, 2), np.int32), np.empty(m, kind)
    for begin in range(0, m, STEP):
        end = min(begin + STEP, m)
        merged = _merge(ends, sets, child, size, begin, end)
        if merged < end:
            u, v = ends[2 * merged : 2 * merged + 2]
            raise ValueError(f"edges are not a spanning tree: edge {merged:,} ({u}, {v}) closes a cycle")
    return child, size


@kernel
def _merge(edges, sets, child, size, begin, end):
    """Union by size. Points of consecutive edges are anywhere, so they and their parents are fetched ahead. Returns the
    first edge that closes a cycle, or `end`."""
    m = len(size)
    for i in range(begin, end):
        if i + 2 * AHEAD < m:
            for side in range(2):
                prefetch(sets, 2 * np.int64(edges[2 * (i + 2 * AHEAD) + side]))
                above = np.int64(sets[2 * edges[2 * (i + AHEAD) + side]])
                prefetch(sets, 2 * greater(above, np.int64(0)))
        a, b = _root(sets, edges[2 * i]), _root(sets, edges[2 * i + 1])
        if a == b:
            return i
        first, second = sets[2 * a + 1], sets[2 * b + 1]
        child[i, 0], child[i, 1] = lesser(first, second), greater(first, second)
        if sets[2 * a] > sets[2 * b]:
            a, b = b, a
        size[i] = -(sets[2 * a] + sets[2 * b])
        sets[2 * a], sets[2 * a + 1] = -size[i], i
        sets[2 * b] = a
    return end


@part
def _root(sets, v):
    above = sets[2 * v]
    while above >= 0:
        further = sets[2 * above]
        if further < 0:
            return above
        sets[2 * v] = further  # path halving
        v = further
        above = sets[2 * v]
    return v
