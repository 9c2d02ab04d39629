"""The result of `minimum_spanning_tree`, and what can be made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend import backend_of
from emst.devices import native_array, on_device_of


@dataclass(frozen=True, eq=False)
class MinimumSpanningTree:
    """Minimum spanning tree of n points.

    Attributes
    ----------
    edges : int32 array of shape (n - 1, 2)
        Rows of the two ends of each edge, the smaller first.
    weights : array of shape (n - 1,)
        Length of each edge in the units of the input (mutual reachability when ``min_samples > 1``), ascending.
    core_distances : array of shape (n,) or None
        Distance of each point to its `min_samples`-th nearest, itself included; None when ``min_samples == 1``.
    device : {"cpu", "cuda"}
        What computed it.
    """

    edges: Any
    weights: Any
    core_distances: Any
    device: str

    @property
    def total_weight(self) -> float:
        """Sum of the weights, in float64."""
        weights = native_array(self.weights)
        with on_device_of(weights):
            return float(weights.sum(dtype=np.float64))

    def to_csr(self) -> Any:
        """The tree as an (n, n) compressed sparse row matrix, each edge once, above the diagonal.

        Returns
        -------
        scipy.sparse.csr_array or cupyx.scipy.sparse.csr_matrix
            Where the tree's arrays live. Edges of weight 0 (duplicate points) are stored explicitly.
        """
        edges, weights = native_array(self.edges), native_array(self.weights)
        n = len(weights) + 1
        if isinstance(edges, np.ndarray):
            from scipy.sparse import coo_array as coo
        else:
            from cupyx.scipy.sparse import coo_matrix as coo
        with on_device_of(weights):
            return coo((weights, (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()

    def linkage(self) -> np.ndarray:
        """Single linkage of the points: float64 array of shape (n - 1, 4) on the host, as SciPy's `linkage` returns.

        Row i merges clusters ``Z[i, 0] < Z[i, 1]`` at height ``Z[i, 2]`` into cluster ``n + i`` of ``Z[i, 3]`` points.
        """
        edges, weights = native_array(self.edges), native_array(self.weights)
        with on_device_of(weights):
            return backend_of("cpu" if isinstance(edges, np.ndarray) else "cuda").linkage(edges, weights).to_scipy()
