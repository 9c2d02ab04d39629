"""Spanning trees of sparse matrices of distances: the question of `boruvka.py`, asked of a list of edges.

What is stored is a distance, zeros included; what is absent is missing, except the diagonal, which is zero whether it
is stored or not. A pair that is stored in one direction only counts in both, and of two different values the lesser
holds. The edges are put in the order of the law once; then a component's lightest edge is the first that leaves it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from emst.backend import Array, Backend, backend_of
from emst.boruvka import Forest, Report, bridged, singletons, spanning_forest


def sparse_tree(
    graph: Any,
    k: int,
    ops: Backend,
    *,
    alpha: float = 1.0,
    max_distance: float | None = None,
    report: Report | None = None,
) -> tuple[Array, Array, Array]:
    """Minimum spanning tree under mutual reachability of a sparse matrix of distances.

    Parameters
    ----------
    graph : scipy sparse matrix or array of shape (n, n)
        Infinite values are missing ones. It is not changed.
    k : int
        The core distance is the k-th smallest distance of the row, the vertex itself counted.
    alpha : float
        Distances are divided by it, core distances are not.
    max_distance : float, optional
        What stands for infinity: for the core distance of a vertex that knows fewer than k, itself counted, and for
        the height at which parts that no edge connects are joined. Without it the former is an error.

    Returns
    -------
    edges, weights, core
        As `emst.dense.dense_tree` returns them, on the backend. The work itself is done on the host.

    Raises
    ------
    ValueError
        A shape that is not square, NaN or negative values (naming the first and how many), or a vertex with fewer than
        k distances, in scikit-learn's words.
    """
    n = graph.shape[0]
    u, v, distance = _pairs(graph)
    core = _core_distances(n, u, v, distance, k, max_distance)
    weight = np.maximum(np.maximum(core[u], core[v]), distance / distance.dtype.type(alpha))
    order = np.lexsort((distance, weight))  # stable: among equals the pairs stay in the order of their ids
    u, v, weight = u[order], v[order], weight[order]
    taken, labels = _spanned(n, u, v, weight, report)
    edges, weights = np.stack([u[taken], v[taken]], axis=1), weight[taken]
    if len(edges) < n - 1:
        height = math.inf if not max_distance else max(max_distance, weights.max(initial=0))
        edges, weights = bridged(edges, weights, labels, height)
    return ops.asarray(edges), ops.asarray(weights), ops.asarray(core)


def _pairs(graph: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every pair that is stored in either direction: u < v, ascending by (u, v), and its lesser finite distance."""
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(
            "The precomputed distance matrix is expected to be symmetric, however it has shape "
            f"{graph.shape}. Please verify that the distance matrix was constructed correctly."
        )
    csr = graph.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    _check(csr)
    above, below = _upper(csr), _upper(csr.T.tocsr())
    if all(map(np.array_equal, above, below)):
        return above
    u, v, distance = (np.concatenate(both) for both in zip(above, below))
    order = np.lexsort((distance, v, u))
    u, v, distance = u[order], v[order], distance[order]
    first = np.concatenate([[True], (u[1:] != u[:-1]) | (v[1:] != v[:-1])])[: len(u)]
    return u[first], v[first], distance[first]


def _check(csr: Any) -> None:
    for bad, what in ((np.isnan(csr.data), "NaN"), (csr.data < 0, "negative values")):
        if bad.any():
            at = int(bad.argmax())
            row, count = int(np.searchsorted(csr.indptr, at, side="right")) - 1, int(bad.sum())
            raise ValueError(
                f"The precomputed distance matrix holds {what}: {count:,} {'entry' if count == 1 else 'entries'}, "
                f"first in row {row}, column {int(csr.indices[at])}"
            )


def _upper(csr: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Finite entries above the diagonal: row, column, value."""
    row = np.repeat(np.arange(csr.shape[0], dtype=np.int32), np.diff(csr.indptr))
    kept = (row < csr.indices) & (csr.data < np.inf)
    value = csr.data if csr.data.dtype == np.float32 else csr.data.astype(np.float64, copy=False)
    return row[kept], csr.indices[kept].astype(np.int32, copy=False), abs(value[kept])  # no negative zeros


def _core_distances(
    n: int, u: np.ndarray, v: np.ndarray, distance: np.ndarray, k: int, max_distance: float | None
) -> np.ndarray:
    """The k-th smallest distance of every vertex, its own zero counted."""
    core = np.zeros(n, distance.dtype)
    if k == 1:
        return core
    end = np.concatenate([u, v])
    known = np.bincount(end, minlength=n)
    enough = known >= k - 1
    if not enough.all():
        if not max_distance:
            raise ValueError(
                f"There exists points with fewer than {k} neighbors. Ensure your distance matrix has non-zero values "
                f"for at least `min_sample`={k} neighbors for each points (i.e. K-nn graph), or specify a "
                "`max_distance` in `metric_params` to use when distances are missing. There are "
                f"{n - int(enough.sum()):,} such points, the first in row {int(enough.argmin())}; a point counts as "
                "its own neighbor, and stored zeros count"
            )
        core[~enough] = max_distance
    both = np.concatenate([distance, distance])
    ranked = both[np.lexsort((both, end))]
    core[enough] = ranked[(np.cumsum(known) - known)[enough] + k - 2]
    return core


def _spanned(
    n: int, u: np.ndarray, v: np.ndarray, weight: np.ndarray, report: Report | None
) -> tuple[np.ndarray, np.ndarray]:
    """Which of the edges, given in the order of the law, the forest takes, and the components they leave."""
    ops = backend_of("cpu")
    forest = singletons(n, weight.dtype, ops)
    taken = np.zeros(len(u), np.bool_)
    alive = np.arange(len(u))  # edges between components, those the law prefers first

    def lightest(forest: Forest) -> None:
        nonlocal alive
        a, b = forest.labels[u[alive]], forest.labels[v[alive]]
        between = a != b
        alive, a, b = alive[between], a[between], b[between]
        first = np.full(n, len(u))
        for end in (a, b):
            seen = np.full(n, len(u))
            seen[end[::-1]] = alive[::-1]  # the first is written last
            np.minimum(first, seen, out=first)
        forest.edge_u[:] = -1
        chosen = forest.components[first[forest.components] < len(u)]
        edge = first[chosen]
        taken[edge] = True  # every one of them is contracted
        forest.best[chosen], forest.edge_u[chosen], forest.edge_v[chosen] = weight[edge], u[edge], v[edge]

    spanning_forest(forest, lightest, ops, report)
    return taken, forest.labels
