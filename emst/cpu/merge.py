"""Contracting edges: every component hooks onto the one at the other end of its lightest edge.

Under a strict total order on edges the only cycles are mutual pairs, so no compare-and-swap is needed. Roots are
found by path halving: chains of components can be as long as there are components, and halving keeps their total cost
near linear. Edges that do not keep to one total order may close a longer cycle, which has no root: its components have
all hooked onto another. No path is longer than there are components, so the search for a root ends even there.

Races. Threads may halve the same path at once; whatever they write is an ancestor. They load and store parents
atomically.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.atomics import load, store
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for


def merge(forest, prepare=None):
    """Contract the lightest edges of all components; returns how many components are left.

    Raises RuntimeError where the edges close a cycle that is no mutual pair.
    """
    n, count = len(forest.labels), forest.count
    if forest.scratch is None:
        forest.scratch = forest.labels.copy()  # parents; roots point to themselves
    parent, components = forest.scratch, forest.components
    grain = grain_for(count, 1 << 14)
    roots = np.empty(-(-count // grain), np.int64)
    cyclic = np.empty(len(roots), np.bool_)
    edges = (forest.edge_u, forest.edge_v, forest.best, forest.source, forest.target, forest.weight)
    for_chunks(_hook, count, grain, components, forest.labels, parent, *edges, roots, grain)
    for_chunks(_flatten, count, grain, components, parent, cyclic, grain)
    left = np.empty(roots.sum(), np.int32)
    starts = np.cumsum(roots) - roots
    for_chunks(_keep_roots, count, grain, components, parent, forest.source, starts, left, cyclic, grain)
    if cyclic.any():
        raise RuntimeError(
            "the lightest edges of the components close a cycle; "
            "this is a fault of emst, please report it with the input"
        )
    for_chunks(_relabel, n, grain_for(n, 1 << 15), parent, forest.labels)
    forest.components = left
    forest.best[left] = np.inf
    if prepare is not None and len(left) > 1:
        prepare(forest)
    return len(left)


@kernel
def _hook(components, labels, parent, edge_u, edge_v, best, source, target, weight, roots, grain, begin, end):
    """Give every component but the roots its parent, and count the roots."""
    count = 0
    for k in range(begin, end):
        c = components[k]
        u, v = edge_u[c], edge_v[c]
        if u < 0:
            count += 1
            continue
        other = labels[v] if labels[u] == c else labels[u]
        if c < other and edge_u[other] == u and edge_v[other] == v:
            count += 1
            continue  # a mutual pair: the smaller stays the root
        parent[c] = other
        source[c], target[c], weight[c] = u, v, best[c]
    roots[begin // grain] = count


@kernel
def _flatten(components, parent, cyclic, grain, begin, end):
    """Point every component at its root."""
    longest = 0
    for k in range(begin, end):
        c = components[k]
        p = load(parent, c)
        above = load(parent, p)
        hops = 0
        while above != p and hops <= len(components):
            further = load(parent, above)
            store(parent, p, further)
            p = further
            above = load(parent, p)
            hops += 1
        store(parent, c, p)
        longest = max(longest, hops)
    cyclic[begin // grain] = longest > len(components)


@kernel
def _keep_roots(components, parent, source, starts, left, cyclic, grain, begin, end):
    """List the roots, which have not hooked. Halving may have left a component of a cycle without another parent."""
    at = starts[begin // grain]
    for k in range(begin, end):
        c = components[k]
        if parent[c] != c:
            continue
        if source[c] >= 0:
            cyclic[begin // grain] = True
        else:
            left[at] = c
            at += 1


@kernel
def _relabel(parent, labels, begin, end):
    for i in range(begin, end):
        p = parent[labels[i]]
        while parent[p] != p:  # another thread, halving, may have hung it back on an older ancestor
            p = parent[p]
        labels[i] = p
