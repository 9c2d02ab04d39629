"""Reference for the operations on rows of distance matrices. See `reference.py`."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass

import numpy as np


@dataclass
class Rows:
    distance: np.ndarray
    alpha: np.floating
    core: np.ndarray | None = None

    def weight(self, u, v):
        with np.errstate(over="ignore"):
            return np.maximum(np.maximum(self.core[u], self.core[v]), self.distance[u, v] / self.alpha)


def open_rows(matrix, alpha):
    return Rows(matrix, matrix.dtype.type(alpha))


def row_core_distances(rows, k):
    rows.core = np.sort(rows.distance, axis=1)[:, k - 1]
    return rows.core


def row_nearest(rows, forest):
    n = len(rows.core)
    u, v = np.triu_indices(n, 1)
    weight, near = rows.weight(u, v), rows.distance[u, v]
    joins = (forest.labels[u] != forest.labels[v]) & np.isfinite(weight)
    order = np.lexsort((v, u, near, weight))
    order = order[joins[order]]
    forest.edge_u[:] = forest.edge_v[:] = -1
    for e in order[::-1]:  # the lightest is written last
        for c in (forest.labels[u[e]], forest.labels[v[e]]):
            forest.best[c], forest.edge_u[c], forest.edge_v[c] = weight[e], u[e], v[e]


def row_edges(rows, forest):
    used = forest.source >= 0
    u, v, weight = forest.source[used], forest.target[used], forest.weight[used]
    order = np.lexsort((v, u, rows.distance[u, v], weight))
    return np.stack([u[order], v[order]], axis=1), weight[order]


def bytes_free():
    return None


def parallelism():
    return 1, "the reference"


def kernels_ready():
    return set(), ""


def total(values):
    return math.fsum(values.tolist())


def load_ahead(n, d, dtype, norm, k, labels=None, weighted=False, partitions=False, first_round=False):
    pass


def telling_compilation(tell):
    return contextlib.nullcontext()


def kruskal(distance, k, alpha=1.0):
    """The unique tree of the total order, bridged at infinity: edges, weights, core distances. Knows no rounds."""
    n = len(distance)
    rows = Rows(distance, distance.dtype.type(alpha))
    core = row_core_distances(rows, k)
    u, v = np.triu_indices(n, 1)
    weight = rows.weight(u, v)
    parent = list(range(n))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    edges, weights = [], []
    order = np.lexsort((v, u, distance[u, v], weight))
    for e, i, j in zip(order.tolist(), u[order].tolist(), v[order].tolist()):
        if len(edges) == n - 1:
            break
        a, b = root(i), root(j)
        if a != b and weight[e] < np.inf:
            parent[max(a, b)] = min(a, b)
            edges.append((i, j))
            weights.append(weight[e])
    bridges = [i for i in range(1, n) if root(i) == i]  # the root is the least vertex
    edges += [(0, i) for i in bridges]
    weights += [np.inf] * len(bridges)
    return np.array(edges, np.int32).reshape(-1, 2), np.array(weights, distance.dtype), core
