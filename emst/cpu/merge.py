"""Contracting edges: every component hangs itself on the one at the other end of its lightest edge.

Under a strict order on edges the only cycles are mutual pairs, so nothing has to be compared and swapped. Roots are
found by path halving: chains of components can be as long as there are components, and halving keeps their total cost
near linear. Threads may halve the same path at once; whatever they write is an ancestor.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for


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
