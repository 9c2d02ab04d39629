"""The dendrogram of a spanning tree: which two clusters every edge merges.

The merges of single linkage are the edges of the minimum spanning tree in ascending order (Gower & Ross 1969, "Minimum
spanning trees and single linkage cluster analysis").
"""

from __future__ import annotations

import numpy as np

from emst.backend.records import Array, Linkage
from emst.inputs.devices import to_host


def check_edges(edges: Array, weights: Array) -> None:
    """Raise ValueError where these cannot be the edges of a spanning tree: n - 1 rows of two of the n points.

    Cycles are found where the edges are merged.
    """
    n = len(weights) + 1
    if edges.shape != (n - 1, 2):
        raise ValueError(f"{n - 1:,} weights need edges of shape ({n - 1}, 2); got {edges.shape}")
    if n > 1 and not (0 <= int(edges.min()) and int(edges.max()) < n):
        raise ValueError(f"edges must join points from 0 to {n - 1}; got {int(edges.min())} to {int(edges.max())}")


def to_scipy(linkage: Linkage) -> np.ndarray:
    """SciPy's linkage matrix of a dendrogram: float64 of shape (n - 1, 4) on the host."""
    matrix = np.empty((len(linkage.size), 4))
    matrix[:, :2] = to_host(linkage.child)
    matrix[:, :2] += linkage.n
    matrix[:, 2] = to_host(linkage.height)
    matrix[:, 3] = to_host(linkage.size)
    return matrix


def density(height: Array) -> Array:
    """lambda = 1 / height, float64; infinite where the quotient exceeds the range of float64."""
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / height.astype(np.float64)
