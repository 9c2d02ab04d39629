"""Spanning trees from all distances, one row of distances at a time: for inputs without a tree search.

A *row of distances* holds the distances from one point to all points. It is a row of a distance matrix, or it is
computed from the points whenever a round needs it (Manhattan, Chebyshev, Minkowski: O(n^2 d) time, O(n) memory, no
matrix). In every round of the loop in `boruvka.py`, the nearest point of another component is found in such rows.

An infinite distance means that there is no edge. Components that stay apart are joined by edges of infinite weight, so
that there are always n - 1 edges.

References
----------
R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering, visualization, and
outlier detection", TKDD 2015. K. Chaudhuri, S. Dasgupta, "Rates of convergence for the cluster tree", NIPS 2010
(alpha).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Report
from emst.boruvka import bridged, singletons, spanning_forest
from emst.inputs.devices import to_host


def dense_tree(
    matrix: Array, k: int, ops: Backend, *, alpha: float = 1.0, report: Report | None = None
) -> tuple[Array, Array, Array]:
    """Minimum spanning tree of a distance matrix under mutual reachability.

    Parameters
    ----------
    matrix : array of shape (n, n) on the backend
        Exactly symmetric (see `emst.distances.matrices`), float32 or float64, C-contiguous; inf where there is no
        edge.
    k : int
        The core distance of a point is the k-th smallest entry of its matrix row, the diagonal included.
    ops : Backend
        The backend of `matrix`.
    alpha : float
        Distances are divided by it, core distances are not.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round.

    Returns
    -------
    edges : int32[n - 1, 2]
        u < v; ascending by (weight, distance, u, v). Edges of infinite weight come last.
    weights : T[n - 1]
        max(core of u, core of v, distance / alpha); infinite where components had to be joined without a distance.
    core : T[n]
        Core distances.
    """
    rows = ops.open_rows(matrix, "precomputed", 1.0, alpha)
    return _tree_by_rows(rows, k, ops, report)


def rows_tree(
    X: Array, metric: str, p: float, k: int, ops: Backend, *, alpha: float = 1.0, report: Report | None = None
) -> tuple[Array, Array, Array]:
    """Minimum spanning tree of points under mutual reachability, their distances computed row by row.

    Parameters
    ----------
    X : array of shape (n, d) on the backend
        One point a row; float32 or float64, finite.
    metric : {"manhattan", "chebyshev", "minkowski", "euclidean"}
        Minkowski with p = 1, 2 and infinity are the other three.
    p : float
        Power of the Minkowski metric, greater than 0; the others ignore it. High powers of small distances underflow:
        up to `emst.distances.metrics.MOST_POWER`, distances down to a 2^60th of the greatest coordinate do not.
    k, ops, alpha, report
        As for `dense_tree`.

    Returns
    -------
    edges, weights, core
        As `dense_tree` returns them.

    Notes
    -----
    Sums of powers are compared, added in the order of the coordinates; roots are taken once, of the results. Whole and
    half powers are multiplications and a square root, the same bits on the CPU and the GPU. Any other p needs `pow`,
    whose last bit differs between them. General Minkowski powers are computed in float64.
    """
    metric, degree = _summed(metric, float(p))
    dtype = X.dtype
    wide = np.dtype(np.float64) if metric in ("powers", "any power") else dtype
    scale = _scale_for(X, degree, wide, alpha)
    if scale != 1:
        X = (X.astype(np.float64) * scale).astype(wide)  # exact, and the scale may be no float32
    rows = ops.open_rows(ops.asarray(X, wide), metric, degree, alpha**degree)
    edges, weights, core = _tree_by_rows(rows, k, ops, report)
    if degree == 1:
        return edges, weights, core
    return edges, _root(weights, degree, scale, dtype, ops), _root(core, degree, scale, dtype, ops)


def _summed(metric: str, p: float) -> tuple[str, float]:
    """The name of a metric in `open_rows`, and the power of the distance that its sums are."""
    if metric == "minkowski":
        kind = "powers" if 2 * p % 1 == 0 else "any power"
        metric = {1.0: "manhattan", 2.0: "euclidean", math.inf: "chebyshev"}.get(p, kind)
    return metric, {"euclidean": 2.0, "powers": p, "any power": p}.get(metric, 1.0)


def _tree_by_rows(rows: Any, k: int, ops: Backend, report: Report | None) -> tuple[Array, Array, Array]:
    core = ops.row_core_distances(rows, k)
    n = len(core)
    forest = singletons(n, core.dtype, ops)
    spanning_forest(forest, lambda forest: ops.row_nearest(rows, forest), ops, report)
    edges, weights = ops.row_edges(rows, forest)
    if forest.count > 1:
        edges, weights = bridged(edges, weights, forest.labels)
    return edges, weights, core


def _scale_for(X: Array, degree: float, dtype: np.dtype, alpha: float) -> float:
    """Power of two to multiply coordinates by: the greatest with which no sum of powers overflows, also when it is
    divided by the power of alpha. So as few as possible underflow."""
    greatest = float(abs(X).max()) if degree != 1 else 0.0
    if greatest == 0:
        return 1.0
    room, needed = np.finfo(dtype).maxexp - 4 - math.ceil(math.log2(X.shape[1])), -degree * math.log2(alpha)
    if abs(needed) > room / 2:
        raise ValueError(f"alpha = {alpha:g} is too far from 1 for distances that are summed as powers, p = {degree:g}")
    room -= max(0, math.ceil(needed))
    return math.ldexp(1.0, min(int(room // degree) - 1 - math.frexp(greatest)[1], 1000))


def _root(powers: Array, degree: float, scale: float, dtype: Any, ops: Backend) -> Array:
    """Roots of sums of powers, in the caller's units. Those that are no square roots are taken on the host: there both
    backends round alike."""
    if degree == 2:
        return (np.sqrt(powers).astype(np.float64) / scale).astype(dtype)
    return ops.asarray((to_host(powers) ** (1 / degree) / scale).astype(dtype))
