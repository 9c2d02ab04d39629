"""Flat clusters below one height of the dendrogram."""

from __future__ import annotations

import numpy as np

from emst.cpu.hierarchy.descent import inherit, parents
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for


def cut(linkage, height, min_cluster_size):
    """See `emst.backend.operations`."""
    n = linkage.n
    below = int(np.searchsorted(linkage.height, np.float64(height)))
    top = np.empty(below, np.int32)  # the highest merge below the cut above each merge
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
    """Number the clusters in the order of their first points: so on one thread."""
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
