"""The condensed tree: the dendrogram without the points that only drop out of a cluster.

A merge of two clusters of at least `min_cluster_size` points each is a *split*, read from the root down: there one
cluster ends and two begin. At any other merge the cluster goes on, and the smaller side leaves it. Densities are
lambda = 1 / height, infinite at height 0.

References
----------
R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering, visualization, and
outlier detection", TKDD 2015; L. McInnes, J. Healy, "Accelerated hierarchical density based clustering" (2017).
"""

from __future__ import annotations

from emst.backend.operations import HierarchyOperations
from emst.backend.records import Condensed, Linkage


def condensed_tree(linkage: Linkage, min_cluster_size: int, persistence: float, ops: HierarchyOperations) -> Condensed:
    """Clusters of at least `min_cluster_size` points, without splits whose smaller side has less persistence."""
    condensed = ops.condense(linkage, min(min_cluster_size, linkage.n + 1))
    return ops.simplify(condensed, persistence) if persistence > 0 else condensed
