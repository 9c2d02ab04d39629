"""Spanning trees of dense distance matrices, one row of distances at a time.

In every round of the loop in `boruvka.py`, the nearest point of another component is found in rows of the matrix.

An infinite distance means that there is no edge. Components that stay apart are joined by edges of infinite weight, so
that there are always n - 1 edges.

References
----------
R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering, visualization, and
outlier detection", TKDD 2015. K. Chaudhuri, S. Dasgupta, "Rates of convergence for the cluster tree", NIPS 2010
(alpha).
"""

from __future__ import annotations

from emst.backend.operations import Backend
from emst.backend.records import Array, Report
from emst.boruvka import bridged, singletons, spanning_forest


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
    rows = ops.open_rows(matrix, alpha)
    core = ops.row_core_distances(rows, k)
    forest = singletons(len(core), core.dtype, ops)
    spanning_forest(forest, lambda forest: ops.row_nearest(rows, forest), ops, report)
    edges, weights = ops.row_edges(rows, forest)
    if forest.count > 1:
        edges, weights = bridged(edges, weights, forest.labels)
    return edges, weights, core
