"""Spanning trees of everything that is not points in Euclidean space: the question of `boruvka.py`, asked row by row.

A row is what one point sees: a row of a matrix of distances, or the distances from one point to all others, computed
when they are asked (Manhattan, Chebyshev, Minkowski: O(n^2 d) time, O(n) memory, no matrix). Distances may be
infinite, which means that there is no edge; what stays apart is bridged at infinity, so that there are always n - 1
edges.

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
    """Minimum spanning tree under mutual reachability of a matrix of distances.

    Parameters
    ----------
    matrix : array of shape (n, n) on the backend
        Exactly symmetric (`emst.distances.matrices` sees to it), float32 or float64, C-contiguous; inf where there is no edge.
    k : int
        The core distance is the k-th smallest entry of the row, the diagonal itself counted.
    alpha : float
        Distances are divided by it, core distances are not.

    Returns
    -------
    edges : int32[n - 1, 2]
        u < v; ascending by (weight, distance, u, v). Those that bridge what stays apart come last.
    weights : T[n - 1]
        max(core of u, core of v, distance / alpha); inf for bridges.
    core : T[n]
    """
    rows = ops.open_rows(matrix, "precomputed", 1.0, alpha)
    return _tree_by_rows(rows, k, ops, report)


def rows_tree(
    X: Array, metric: str, p: float, k: int, ops: Backend, *, alpha: float = 1.0, report: Report | None = None
) -> tuple[Array, Array, Array]:
    """Minimum spanning tree under mutual reachability of points whose distances are computed when they are asked.

    Parameters
    ----------
    X : array of shape (n, d) on the backend
        float32 or float64, finite.
    metric : {"manhattan", "chebyshev", "minkowski", "euclidean"}
    p : float
        Power of the Minkowski metric, greater than 0; the others ignore it. In high ones small distances vanish: up to
        `emst.distances.metrics.MOST_POWER` those are safe that are a 2^60th of the greatest coordinate.
    k, alpha
        As for `dense_tree`.

    Returns
    -------
    edges, weights, core
        As `dense_tree` returns them.

    Notes
    -----
    Sums of powers are compared, in the order of the coordinates, and the root is taken at the exit. Whole and half
    powers are multiplications and a square root, the same bits on the CPU and the GPU; any other p goes through `pow`,
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
    """What `open_rows` calls a metric, and the power of the distance that stands for it."""
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
    """Power of two that leaves sums of powers, also divided by that of alpha, below overflow and as much as possible
    above underflow."""
    greatest = float(abs(X).max()) if degree != 1 else 0.0
    if greatest == 0:
        return 1.0
    room, needed = np.finfo(dtype).maxexp - 4 - math.ceil(math.log2(X.shape[1])), -degree * math.log2(alpha)
    if abs(needed) > room / 2:
        raise ValueError(f"alpha = {alpha:g} is too far from 1 for distances that are summed as powers, p = {degree:g}")
    room -= max(0, math.ceil(needed))
    return math.ldexp(1.0, min(int(room // degree) - 1 - math.frexp(greatest)[1], 1000))


def _root(powers: Array, degree: float, scale: float, dtype: Any, ops: Backend) -> Array:
    """Roots, in the caller's units. General powers are taken on the host, where they round as on any other machine."""
    if degree == 2:
        return (np.sqrt(powers).astype(np.float64) / scale).astype(dtype)
    return ops.asarray((to_host(powers) ** (1 / degree) / scale).astype(dtype))
