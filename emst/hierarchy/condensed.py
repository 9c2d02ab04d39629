"""The condensed tree: the clusters of at least `min_cluster_size` points in the dendrogram.

This stage reads the dendrogram from the root down. Merges of one height that are connected form a *node*: they take
place at once, so a node can join more than two parts. Where two or more of these parts have at least `min_cluster_size`
points, the cluster ends and each of them begins one: a *split*. Where one part has, the cluster continues in it. The
points of all other parts leave the cluster. Densities are lambda = 1 / height, infinite at height 0.

References
----------
R. Campello, D. Moulavi, J. Sander, "Density-based clustering based on hierarchical density estimates" (2013),
Algorithm 1; R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering,
visualization, and outlier detection", TKDD 2015; L. McInnes, J. Healy, "Accelerated hierarchical density based
clustering" (2017).
"""

from __future__ import annotations

from emst.backend.operations import HierarchyOperations
from emst.backend.records import Condensed, Linkage


def condensed_tree(
    linkage: Linkage, min_cluster_size: int, persistence: float, ops: HierarchyOperations, points: int | None = None
) -> Condensed:
    """The condensed tree of a dendrogram.

    Parameters
    ----------
    linkage : Linkage
        The dendrogram of two or more points.
    min_cluster_size : int
        Fewest points of a cluster.
    persistence : float
        Children of a split that persist for less than this, in lambda, are dropped. Where fewer than two are left, the
        split is merged back. 0 keeps all splits.
    ops : HierarchyOperations
        The backend that holds the arrays of `linkage`.
    points : int, optional
        How many of the vertices are points, the first ones; the others are second vertices (`emst/weighted.py`), and
        the result says nothing of them. By default all are.

    Returns
    -------
    Condensed
    """
    condensed = ops.condense(linkage, min(min_cluster_size, linkage.points + 1))
    condensed = ops.simplify(condensed, persistence) if persistence > 0 else condensed
    if points is None or points == linkage.n:
        return condensed
    return condensed.of_first(points)
