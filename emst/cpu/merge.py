"""Contracting edges: every component hangs itself on the one at the other end of its lightest edge.

Under a strict order on edges the only cycles are mutual pairs, so nothing has to be compared and swapped. Roots are
found by path halving: chains of components can be as long as there are components, and halving keeps their total cost
near linear. Threads may halve the same path at once; whatever they write is an ancestor.
"""

from __future__ import annotations

import numpy as np

from emst.boruvka import Forest
from emst.cpu.kernels import kernel
from emst.cpu.parallel import for_chunks, grain_for
from emst.cpu.runtime.numbers import greater


def join_duplicates(bvh):
    """Runs of equal points on the curve, each a star around its first point."""
    n = bvh.n
    start = np.ones(n, np.bool_)
    for_chunks(_starts, n, grain_for(n, 1 << 15), bvh.nodes.blocks, bvh.d, start)
    heads = np.flatnonzero(start).astype(np.int32)
    labels = np.repeat(heads, np.diff(heads, append=n))
    ids = np.arange(n, dtype=np.int32)
    hung = labels != ids
    core = bvh.core if bvh.core is not None else np.zeros(1, bvh.dtype)
    return Forest(
        labels=labels,
        components=heads,
        best=np.full(n, np.inf, bvh.dtype),
        edge_u=np.full(n, -1, np.int32),
        edge_v=np.full(n, -1, np.int32),
        source=np.where(hung, labels, np.int32(-1)),
        target=np.where(hung, ids, np.int32(-1)),
        weight=np.where(hung, core, core.dtype.type(0)),
    )


@kernel
def _starts(blocks, d, start, begin, end):
    """Which points differ from the one before them."""
    for i in range(greater(begin, 1), end):
        a, b = (i - 1) // 16 * d * 16 + (i - 1) % 16, i // 16 * d * 16 + i % 16
        same = True
        for k in range(d):
            same &= blocks[a + k * 16] == blocks[b + k * 16]
        start[i] = not same


def merge(forest, prepare=None):
    """Contract the lightest edges of all components; returns how many components are left."""
    n, count = len(forest.labels), forest.count
    if forest.scratch is None:
        forest.scratch = forest.labels.copy()  # parents; roots point to themselves
    parent, components = forest.scratch, forest.components
    grain = grain_for(count, 1 << 14)
    edges = (forest.edge_u, forest.edge_v, forest.best, forest.source, forest.target, forest.weight)
    for_chunks(_hook, count, grain, components, forest.labels, parent, *edges)
    roots = np.empty(-(-count // grain), np.int64)
    for_chunks(_flatten, count, grain, components, parent, roots, grain)
    left = np.empty(roots.sum(), np.int32)
    for_chunks(_keep_roots, count, grain, components, parent, np.cumsum(roots) - roots, left, grain)
    for_chunks(_relabel, n, grain_for(n, 1 << 15), parent, forest.labels)
    forest.components = left
    forest.best[left] = np.inf
    if prepare is not None and len(left) > 1:
        prepare(forest)
    return len(left)


@kernel
def _hook(components, labels, parent, edge_u, edge_v, best, source, target, weight, begin, end):
    for k in range(begin, end):
        c = components[k]
        u, v = edge_u[c], edge_v[c]
        if u < 0:
            continue
        other = labels[v] if labels[u] == c else labels[u]
        if c < other and edge_u[other] == u and edge_v[other] == v:
            continue  # a mutual pair: the smaller stays the root
        parent[c] = other
        source[c], target[c], weight[c] = u, v, best[c]


@kernel
def _flatten(components, parent, roots, grain, begin, end):
    """Hang every component directly on its root, and count the roots."""
    count = 0
    for k in range(begin, end):
        c = components[k]
        p = parent[c]
        count += p == c
        while parent[p] != p:
            parent[p] = parent[parent[p]]
            p = parent[p]
        parent[c] = p
    roots[begin // grain] = count


@kernel
def _keep_roots(components, parent, starts, left, grain, begin, end):
    at = starts[begin // grain]
    for k in range(begin, end):
        c = components[k]
        if parent[c] == c:
            left[at] = c
            at += 1


@kernel
def _relabel(parent, labels, begin, end):
    for i in range(begin, end):
        p = parent[labels[i]]
        while parent[p] != p:  # another thread, halving, may have hung it back on an older ancestor
            p = parent[p]
        labels[i] = p
