"""Distances between all pairs of points for cluster validity, under any metric, on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from emst.distances.pairwise import ROUNDING, blocks, distances_between, settled_params
from emst.distances.sphere import sphere_of


class Pairs:
    """Distances between rows of `X`, or entries of `X` if it is a matrix of distances.

    The methods are those of `emst.hierarchy.validity.OnDevice`. They number the points 0, 1, ... cluster by cluster:
    point i is row ``rows[i]`` of `X`, and cluster c holds the points from ``starts[c]`` up to ``starts[c + 1]``.
    """

    def __init__(
        self, X: np.ndarray, rows: np.ndarray, starts: np.ndarray, metric: Any, params: dict[str, Any]
    ) -> None:
        self.X, self.rows, self.starts, self.metric = X, rows, starts, metric
        if metric != "precomputed" and not np.isfinite(X[rows]).all():
            first = rows[~np.isfinite(X[rows]).all(axis=1)].min()
            raise ValueError(f"X contains NaN or infinity in rows of clusters, first in row {first}")
        if metric == "haversine":
            ascending = np.sort(rows)
            sphere_of(params).check(X[ascending], ascending)
        self.params = params if metric == "precomputed" else settled_params(metric, params, X)

    def block(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Distances between points: float64[len(rows), len(others)]."""
        a, b = self.rows[rows], self.rows[others]
        if self.metric == "precomputed":
            between = self.X[np.ix_(a, b)].astype(np.float64)
        else:
            between = distances_between(self.X[a], self.X[b], self.metric, self.params)
        wrong = ~(between >= -ROUNDING)
        if wrong.any():
            row, column = np.unravel_index(int(wrong.argmax()), wrong.shape)
            raise ValueError(
                f"metric={self.metric!r} gives {between[row, column]:g} for rows {a[row]} and {b[column]} of X"
            )
        return np.maximum(between, 0)

    def core_distance_sums(self, dimension: int) -> tuple[np.ndarray, np.ndarray]:
        """See `emst.backend.operations`."""
        nearest, total = np.full(self.starts[-1], np.inf), np.zeros(self.starts[-1])
        for low, high in zip(self.starts[:-1], self.starts[1:]):
            members = np.arange(low, high)
            for part in blocks(members, len(members)):
                between = self.block(part, members)
                between[(between == 0) | (part[:, None] == members)] = np.inf
                nearest[part] = between.min(axis=1)
                with np.errstate(invalid="ignore"):
                    ratio = np.where(np.isfinite(between), nearest[part][:, None] / between, 0)
                total[part] = (ratio**dimension).sum(axis=1)
        return nearest, total

    def trees(self, core: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `emst.backend.operations`."""
        parent, weight = np.full(len(core), -1, np.int32), np.full(len(core), np.inf)
        for low, high in zip(self.starts[:-1], self.starts[1:]):
            members = np.arange(low, high)
            least, inside, new, reached = weight[low:high], np.zeros(high - low, bool), 0, -1.0
            while True:
                row = np.maximum(self.block(members[new : new + 1], members)[0], core[members])
                row = np.maximum(row, core[low + new])
                to = np.flatnonzero(inside & (row == reached))
                if len(to):
                    parent[low + new] = low + to[0]
                inside[new], least[new] = True, reached
                outside = np.flatnonzero(~inside)
                if len(outside) == 0:
                    break
                least[outside] = np.minimum(least[outside], row[outside])
                new = outside[least[outside].argmin()]
                reached = least[new]
            weight[low] = 0
        return parent, weight

    def separations(self, chosen: np.ndarray, starts: np.ndarray, core: np.ndarray) -> np.ndarray:
        """See `emst.backend.operations`; of the chosen points, whose clusters begin at `starts`."""
        cluster = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        least = np.empty(len(chosen))
        for part in blocks(np.arange(len(chosen)), len(chosen)):
            weight = np.maximum(np.maximum(self.block(chosen[part], chosen), core), core[part][:, None])
            weight[cluster[part][:, None] == cluster] = np.inf
            least[part] = weight.min(axis=1)
        return least
