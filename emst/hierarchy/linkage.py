"""The dendrogram of a spanning tree: which clusters every edge joins.

The merges of single linkage are the edges of the minimum spanning tree in ascending order (Gower & Ross 1969, "Minimum
spanning trees and single linkage cluster analysis").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend import Array
from emst.devices import to_host


@dataclass(eq=False)
class Linkage:
    """Single linkage of n points. Arrays live on the backend that made them. Merge i is the i-th edge of the tree.

    A cluster is named by its number in SciPy's linkage matrix minus n: -n ... -1 are the points 0 ... n - 1, and
    i >= 0 is what merge i made. So 32 bits hold every name, points come before merges, and earlier merges before later.
    """

    child: Array  # int32[n - 1, 2]: the clusters that a merge joins, in ascending order
    size: Array  # int32[n - 1]: points of the merged cluster
    height: Array  # T[n - 1]: weight of the edge, ascending
    scratch: Any = None  # the backend's own

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.size) + 1

    def to_scipy(self) -> np.ndarray:
        """SciPy's linkage matrix: float64 of shape (n - 1, 4) on the host."""
        matrix = np.empty((len(self.size), 4))
        matrix[:, :2] = to_host(self.child)
        matrix[:, :2] += self.n
        matrix[:, 2] = to_host(self.height)
        matrix[:, 3] = to_host(self.size)
        return matrix


def density(height: Array) -> Array:
    """lambda = 1 / height, float64; infinite for heights that have none in its range."""
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / height.astype(np.float64)
