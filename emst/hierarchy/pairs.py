"""All pairs under any metric, in blocks of rows, on the CPU; and what cluster validity asks of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances

from emst.backend import Array
from emst.points import to_host

BLOCK_BYTES = 1 << 25  # of a block of distances
ROUNDING = 1e-8  # how far below zero a computed distance may lie
OF_DATA = {"seuclidean": "V", "mahalanobis": "VI"}  # parameter that comes from the data where it is not given


class Pairs:
    """Distances between some rows of `X`, which come by clusters, or between rows of a matrix of distances."""

    def __init__(
        self, X: np.ndarray, rows: np.ndarray, starts: np.ndarray, metric: Any, params: dict[str, Any]
    ) -> None:
        self.X, self.rows, self.starts, self.metric = X, rows, starts, metric
        if metric != "precomputed" and not np.isfinite(X[rows]).all():
            first = rows[~np.isfinite(X[rows]).all(axis=1)].min()
            raise ValueError(f"X contains NaN or infinity in rows of clusters, first in row {first}")
        self.params = params if metric == "precomputed" else settled_params(metric, params, X[rows])

    def block(self, some: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Distances between points: float64[len(some), len(others)]."""
        a, b = self.rows[some], self.rows[others]
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
        """See `emst.backend.Backend.core_distance_sums`."""
        nearest, total = np.full(self.starts[-1], np.inf), np.zeros(self.starts[-1])
        for low, high in zip(self.starts[:-1], self.starts[1:]):
            members = np.arange(low, high)
            for some in blocks(members, len(members)):
                between = self.block(some, members)
                between[(between == 0) | (some[:, None] == members)] = np.inf
                nearest[some] = between.min(axis=1)
                with np.errstate(invalid="ignore"):
                    ratio = np.where(np.isfinite(between), nearest[some][:, None] / between, 0)
                total[some] = (ratio**dimension).sum(axis=1)
        return nearest, total

    def trees(self, core: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `emst.backend.Backend.cluster_trees`."""
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
        """See `emst.backend.Backend.separations`; of the chosen points, whose clusters begin at `starts`."""
        cluster = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        least = np.empty(len(chosen))
        for some in blocks(np.arange(len(chosen)), len(chosen)):
            weight = np.maximum(np.maximum(self.block(chosen[some], chosen), core), core[some][:, None])
            weight[cluster[some][:, None] == cluster] = np.inf
            least[some] = weight.min(axis=1)
        return least


def settled_params(name: Any, params: dict[str, Any], points: Array) -> dict[str, Any]:
    """The parameters of a metric; those that scikit-learn takes from the data are made from all of these points, once.

    Raises
    ------
    ValueError
        They do not fit the points. SciPy does not see that of a matrix: it reads past its end.
    """
    key, d = OF_DATA.get(name) if isinstance(name, str) else None, points.shape[1]
    if key is None:
        return params
    if key == "VI" and "V" in params:  # as scikit-learn's trees call it; its pairwise distances do not
        params = {"VI": inverse(params["V"], "V of its metric_params"), **params}
        del params["V"]
    if key in params:
        shape = np.shape(params[key])
        if shape != (d,) * (1 if key == "V" else 2):
            raise ValueError(f"metric={name!r}: {key} has shape {shape}, but X has {d} column{'s' * (d != 1)}")
        return params
    rows = to_host(points).astype(np.float64)
    made = np.var(rows, axis=0, ddof=1) if key == "V" else inverse(np.cov(rows.T), "the covariance of X").T
    return {**params, key: made}


def inverse(matrix: Any, what: str) -> np.ndarray:
    """The inverse of what the metric "mahalanobis" needs the inverse of, or ValueError."""
    try:
        return np.linalg.inv(np.atleast_2d(matrix))
    except np.linalg.LinAlgError as error:
        raise ValueError(f"metric='mahalanobis': {what} has no inverse ({error})") from error


def distances_between(a: np.ndarray, b: np.ndarray, metric: Any, params: dict[str, Any]) -> np.ndarray:
    """Distances between the rows of two arrays: float64[len(a), len(b)]."""
    if metric == "euclidean":  # scikit-learn takes squares that cancel; SciPy's Minkowski distance does not
        metric, params = "minkowski", {"p": 2}
    return asked_pairwise(a.astype(np.float64), b.astype(np.float64), metric, params)


def asked_pairwise(a: Any, b: Any, metric: Any, params: dict[str, Any]) -> np.ndarray:
    """What scikit-learn computes, or ValueError where the metric has no such parameters."""
    try:
        return pairwise_distances(a, b, metric=metric, **params)
    except TypeError as error:
        if callable(metric) or not params:
            raise
        names = ", ".join(map(repr, params))
        raise ValueError(f"metric={metric!r} does not take these metric_params: {names}") from error


def blocks(members: np.ndarray, columns: int) -> Iterator[np.ndarray]:
    """The members, in parts of as many as have a block of distances to so many others."""
    size = max(1, BLOCK_BYTES // (8 * columns))
    for begin in range(0, len(members), size):
        yield members[begin : begin + size]
