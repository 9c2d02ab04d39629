"""The dendrogram of a spanning tree, by union-find over its edges in ascending order, and cuts through it."""

from __future__ import annotations

import numpy as np

from emst.cpu.kernels import kernel, part
from emst.cpu.parallel import for_chunks, grain_for
from emst.cpu.prefetch import prefetch
from emst.hierarchy.linkage import Linkage

AHEAD = 8  # edges: long enough for memory to answer, short enough for the cache to hold the answers


def linkage(edges, weights):
    """See `emst.backend.Backend.linkage`."""
    m = len(weights)
    n = m + 1
    # What a merge reads of a set lies on one line: 2 v is the parent of point v, or if v is a root, less its set's
    # size; 2 v + 1 is the name of a root's cluster.
    sets = np.empty((n, 2), np.int32)
    sets[:, 0] = -1
    sets[:, 1] = np.arange(-n, 0)
    child, size = np.empty((m, 2), np.int32), np.empty(m, np.int32)
    _merge(np.ascontiguousarray(edges).reshape(-1), sets.reshape(-1), child, size)
    return Linkage(child, size, weights)


@kernel
def _merge(edges, sets, child, size):
    """Union by size. Points of consecutive edges are anywhere, so they and their parents are asked for ahead."""
    m = len(size)
    for i in range(m):
        if i + 2 * AHEAD < m:
            for end in range(2):
                prefetch(sets, 2 * np.int64(edges[2 * (i + 2 * AHEAD) + end]))
                above = np.int64(sets[2 * edges[2 * (i + AHEAD) + end]])
                prefetch(sets, 2 * max(above, np.int64(0)))
        a, b = _root(sets, edges[2 * i]), _root(sets, edges[2 * i + 1])
        first, second = sets[2 * a + 1], sets[2 * b + 1]
        child[i, 0], child[i, 1] = min(first, second), max(first, second)
        if sets[2 * a] > sets[2 * b]:
            a, b = b, a
        size[i] = -(sets[2 * a] + sets[2 * b])
        sets[2 * a], sets[2 * a + 1] = -size[i], i
        sets[2 * b] = a


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


def parents(linkage):
    """The merge that takes up what each merge made: int32[n - 1]; the last has none, and names itself."""
    if linkage.scratch is None:
        m = len(linkage.size)
        linkage.scratch = np.empty(m, np.int32)
        for_chunks(_parents, m, grain_for(m, 1 << 15), linkage.child, linkage.scratch)
    return linkage.scratch


@kernel
def _parents(child, parent, begin, end):
    for e in range(begin, end):
        for i in range(2):
            if child[e, i] >= 0:
                parent[child[e, i]] = e
    if end == len(parent):
        parent[end - 1] = end - 1


def inherit(values, parent):
    """Give every merge without a value (-1) that of its nearest ancestor that has one, in place; the last has one.

    First as far as a chunk reaches: a merge whose ancestor lies in another chunk refers to it (-2 - ancestor). Then
    references are followed, from the last merge down, so that most lead straight to a value; at worst it is one a
    chunk. Another thread may meanwhile replace one by the value it leads to.
    """
    m = len(values)
    grain = grain_for(m, 1 << 15)
    for_chunks(_inherit_in_chunk, m, grain, values, parent)
    for_chunks(_follow, m, grain, values)


@kernel
def _inherit_in_chunk(values, parent, begin, end):
    for e in range(end - 1, begin - 1, -1):
        if values[e] < 0:
            values[e] = values[parent[e]] if parent[e] < end else -2 - parent[e]


@kernel
def _follow(values, begin, end):
    last = len(values) - 1
    for i in range(begin, end):
        value = values[last - i]
        while value < 0:
            value = values[-2 - value]
        values[last - i] = value


def cut(linkage, height, min_cluster_size):
    """See `emst.backend.Backend.cut`."""
    n = linkage.n
    below = int(np.searchsorted(linkage.height, np.float64(height)))
    top = np.empty(below, np.int32)  # the last merge below the cut that each leads to
    component = np.full(n, -1, np.int32)
    if below:
        grain = grain_for(below, 1 << 15)
        for_chunks(_mark_tops, below, grain, parents(linkage), top)
        inherit(top, parents(linkage))
        for_chunks(_components, below, grain, linkage.child, top, component)
    labels = np.empty(n, np.int64)
    _number(component, linkage.size, np.full(below, -2, np.int32), min_cluster_size, labels)
    return labels


@kernel
def _mark_tops(parent, top, begin, end):
    for e in range(begin, end):
        top[e] = -1 if e < parent[e] < len(top) else e


@kernel
def _components(child, top, component, begin, end):
    n = len(component)
    for e in range(begin, end):
        for i in range(2):
            if child[e, i] < 0:
                component[child[e, i] + n] = top[e]


@kernel
def _number(component, size, label, min_cluster_size, labels):
    """Labels in the order in which the clusters' first points come, so one thread goes through them."""
    count = 0
    for p in range(len(labels)):
        merge = component[p]
        if merge < 0 or label[merge] == -2:
            enough = (size[merge] if merge >= 0 else 1) >= min_cluster_size
            labels[p] = count if enough else -1
            count += enough
            if merge >= 0:
                label[merge] = labels[p]
        else:
            labels[p] = label[merge]
