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

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend import Array
from emst.hierarchy.linkage import Linkage


@dataclass(eq=False)
class Condensed:
    """Clusters of at least `min_cluster_size` points and when the points leave them. Arrays live on the backend.

    Splits are numbered from the highest merge to the lowest. Cluster 0 is the root; split s makes the clusters 2 s + 1
    and 2 s + 2, of ``linkage.child[merge, 0]`` and of ``linkage.child[merge, 1]``. So parents come before children.
    Every cluster is a chain of merges, each a child of the one before it, from its top down to its split, or to the
    merge at which its last points leave; after `simplify` it may be several. All sums are taken in one order: both
    backends give the same bits.
    """

    linkage: Linkage
    min_cluster_size: int
    parent: Array  # int32[K]: the cluster it split from, -1 for the root
    split: Array  # int32[K]: the split that ends the cluster, -1 if its points just leave
    birth: Array  # float64[K]: lambda of the split that made it, 0 for the root
    death: Array  # float64[K]: lambda of the last merge of its chain, the greatest
    size: Array  # int32[K]: points at its birth
    stability: Array  # float64[K]: sum over its points of (lambda at which the point leaves - birth); inf - inf is 0
    cluster: Array  # int32[n]: the cluster that the point leaves
    exit: Array  # int32[n]: the merge at which it leaves
    of_merge: Array  # int32[n - 1]: the cluster whose chain the merge is in, -1 for merges among points that have left

    @property
    def count(self) -> int:
        """Number of clusters, the root included."""
        return len(self.parent)

    def leaving(self, points: Any = slice(None)) -> tuple[Array, Array]:
        """The cluster that each of the points leaves, int32[m], and the height of that merge, T[m].

        A lone point never leaves the root: its height is 0.
        """
        height, merge = self.linkage.height, self.exit[points]
        return self.cluster[points], height[merge] if len(height) else np.zeros_like(height, shape=len(merge))


@dataclass(eq=False)
class Selection:
    """A flat clustering: which clusters of the condensed tree were chosen. Arrays live on the backend."""

    chosen: Array  # int32[L]: the clusters, ascending; label l is cluster chosen[l]
    label: Array  # int32[K]: label of the topmost chosen ancestor of every cluster, or of itself; -1 if there is none
