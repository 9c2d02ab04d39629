"""Single linkage from a minimum spanning tree: union-find over its edges in ascending order.

The merges of single linkage are the edges of the minimum spanning tree (Gower & Ross 1969, "Minimum spanning trees and
single linkage cluster analysis").
"""

from __future__ import annotations

import numpy as np
from numba import njit


def single_linkage(edges: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Edges int32[n-1, 2] with ascending weights T[n-1] -> SciPy's linkage matrix float64[n-1, 4]."""
    linkage = np.empty((len(weights), 4), np.float64)
    linkage[:, 2] = weights
    clusters = 2 * len(weights) + 1
    _merge(edges, linkage, np.arange(clusters, dtype=np.int32 if clusters < 2**31 else np.int64))
    return linkage


@njit(nogil=True, cache=True)
def _merge(edges, linkage, parent):
    n = len(linkage) + 1
    size = np.ones(len(parent), np.int32)
    for i in range(n - 1):
        a, b = _root(parent, edges[i, 0]), _root(parent, edges[i, 1])
        parent[a] = parent[b] = n + i
        size[n + i] = size[a] + size[b]
        linkage[i, 0] = min(a, b)
        linkage[i, 1] = max(a, b)
        linkage[i, 3] = size[n + i]


@njit(nogil=True, cache=True)
def _root(parent, v):
    while parent[v] != v:
        parent[v] = parent[parent[v]]  # path halving
        v = parent[v]
    return v
