"""The condensed tree: the clusters of at least `min_cluster_size` points in the dendrogram.

The dendrogram is read from the root down. A merge whose two sides both have at least `min_cluster_size` points is a
*split*: one cluster ends and two begin. At any other merge the cluster continues, and the points of the smaller side
leave it. Densities are lambda = 1 / height, infinite at height 0.

References
----------
R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering, visualization, and
outlier detection", TKDD 2015; L. McInnes, J. Healy, "Accelerated hierarchical density based clustering" (2017).
"""

from __future__ import annotations

from emst.backend.operations import HierarchyOperations
from emst.backend.records import Condensed, Linkage


def condensed_tree(linkage: Linkage, min_cluster_size: int, persistence: float, ops: HierarchyOperations) -> Condensed:
    """The condensed tree of a dendrogram.

    Parameters
    ----------
    linkage : Linkage
        The dendrogram of two or more points.
    min_cluster_size : int
        Fewest points of a cluster.
    persistence : float
        Splits whose smaller side has less persistence, in lambda, are merged back; 0 keeps all splits.
    ops : HierarchyOperations
        The backend that holds the arrays of `linkage`.

    Returns
    -------
    Condensed
    """
    condensed = ops.condense(linkage, min(min_cluster_size, linkage.points + 1))
    return ops.simplify(condensed, persistence) if persistence > 0 else condensed
