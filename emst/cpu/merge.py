"""Contracting the lightest edges of all components of a `Forest`. The rule is in `contract.py`."""

from __future__ import annotations

import numpy as np

from emst.backend.records import NO_FOREST
from emst.cpu.contract import flatten, root_above, stays_root
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for


def merge(forest, prepare=None):
    """See `emst.backend.operations`."""
    n, count = len(forest.labels), forest.count
    if forest.scratch is None:
        forest.scratch = empty(n, np.int32)  # parents; roots point to themselves
        for_chunks(copy_labels, n, grain_for(n, 1 << 16), forest.labels, forest.scratch)
    parent, components = forest.scratch, forest.components
    edges = (forest.edge_u, forest.edge_v, forest.best, forest.source, forest.target, forest.weight)
    grain = grain_for(count, 1 << 14)
    hooked = np.empty(-(-count // grain), np.int64)
    for_chunks(hook, count, grain, components, forest.labels, parent, *edges, hooked, grain)
    forest.components = flatten(parent, components)
    if hooked.sum() != count - forest.count:  # each that hooks is one component less, unless edges close a cycle
        raise RuntimeError(NO_FOREST)
    if prepare is not None and forest.count > 1:
        prepare(forest)
        return forest.count
    for_chunks(relabel, n, grain_for(n, 1 << 15), parent, forest.labels)
    for_chunks(_forget_best, forest.count, grain_for(forest.count, 1 << 15), forest.components, forest.best)
    return forest.count


@kernel
def copy_labels(labels, parent, begin, end):
    for i in range(begin, end):
        parent[i] = labels[i]


@kernel
def hook(components, labels, parent, edge_u, edge_v, best, source, target, weight, hooked, grain, begin, end):
    count = 0
    for k in range(begin, end):
        c = components[k]
        u, v = edge_u[c], edge_v[c]
        if u < 0:
            continue
        other = labels[v] if labels[u] == c else labels[u]
        if stays_root(c, other, (edge_u[other] == u) & (edge_v[other] == v)):
            continue
        parent[c] = other
        source[c], target[c], weight[c] = u, v, best[c]
        count += 1
    hooked[begin // grain] = count


@kernel
def _forget_best(components, best, begin, end):
    for k in range(begin, end):
        best[components[k]] = np.inf


@kernel
def relabel(parent, labels, begin, end):
    for i in range(begin, end):
        labels[i] = root_above(parent, parent[labels[i]])
