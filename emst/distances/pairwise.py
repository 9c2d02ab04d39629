"""Distances between the rows of two arrays under any metric of scikit-learn: on the CPU, in blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import pairwise_distances

from emst.backend.records import Array
from emst.distances.sphere import sphere_of
from emst.inputs.devices import to_host

BLOCK_BYTES = 1 << 25  # of a block of distances
ROUNDING = 1e-8  # how far below zero a computed distance may lie
OF_DATA = {"seuclidean": "V", "mahalanobis": "VI"}  # parameter that comes from the data where it is not given


def settled_params(name: Any, params: dict[str, Any], points: Array) -> dict[str, Any]:
    """The parameters of a metric. Those that scikit-learn takes from the data are computed once, from all finite rows.

    Raises
    ------
    ValueError
        They do not fit the points. SciPy does not check the shape of a matrix, and would read past its end.
    """
    key, d = OF_DATA.get(name) if isinstance(name, str) else None, points.shape[1]
    if key is None:
        return params
    if key == "VI" and "V" in params:  # as scikit-learn's trees call it; its pairwise distances do not
        params = {"VI": inverse(params["V"], "its parameter V"), **params}
        del params["V"]
    if key in params:
        shape = np.shape(params[key])
        if shape != (d,) * (1 if key == "V" else 2):
            raise ValueError(f"metric={name!r}: {key} has shape {shape}, but X has {d} column{'s' * (d != 1)}")
        return params
    rows = to_host(points).astype(np.float64)
    rows = rows[np.isfinite(rows).all(axis=1)]
    made = np.var(rows, axis=0, ddof=1) if key == "V" else inverse(np.cov(rows.T), "the covariance of X").T
    return {**params, key: made}


def inverse(matrix: Any, what: str) -> np.ndarray:
    """The inverse of a matrix for the metric "mahalanobis". Raises ValueError, naming `what`, where there is none."""
    try:
        return np.linalg.inv(np.atleast_2d(matrix))
    except np.linalg.LinAlgError as error:
        raise ValueError(f"metric='mahalanobis': {what} has no inverse ({error})") from error


def distances_between(a: np.ndarray, b: np.ndarray, metric: Any, params: dict[str, Any]) -> np.ndarray:
    """Distances between the rows of two arrays: float64[len(a), len(b)]."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    if metric == "minkowski":
        return _minkowski(a, b, params)
    if metric == "euclidean":  # scikit-learn takes squares that cancel; SciPy's Minkowski distance does not
        metric, params = "minkowski", {"p": 2}
    return sklearn_pairwise(a, b, metric, params)


MOST_EXPONENT = 900  # powers from 2^-900 to 2^900 are summed as they are; float64 holds 2^-1074 to 2^1024


def _minkowski(a: np.ndarray, b: np.ndarray, params: dict[str, Any]) -> np.ndarray:
    """SciPy's Minkowski distances. Where powers of differences could leave the range of float64, weighted differences
    are first divided by the greatest of their pair."""
    between, p = sklearn_pairwise(a, b, "minkowski", params), params.get("p", 2)
    if p == np.inf:
        return between
    factor, without = 1.0, sklearn_pairwise(a, b, "chebyshev", {})  # the greatest difference without weights
    greatest = without
    if params.get("w") is not None:  # a weight multiplies the power of a difference
        factor = np.asarray(params["w"], np.float64) ** (1 / p)
        greatest = sklearn_pairwise(a * factor, b * factor, "chebyshev", {})
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.maximum(abs(p * np.log2(greatest)), abs(p * np.log2(without)))
    beyond = (exponent > MOST_EXPONENT) & (greatest < np.inf)
    between[beyond & (greatest == 0)] = 0
    beyond &= greatest > 0
    for i in np.flatnonzero(beyond.any(axis=1)):
        j = np.flatnonzero(beyond[i])
        shares = (abs(a[i] - b[j]) * factor / greatest[i, j, None]) ** p
        between[i, j] = greatest[i, j] * shares.sum(axis=1) ** (1 / p)
    return between


def sklearn_pairwise(a: Any, b: Any, metric: Any, params: dict[str, Any]) -> np.ndarray:
    """`sklearn.metrics.pairwise_distances`, but ValueError where the metric has no such parameters."""
    if issparse(a):
        a = _with_narrow_indices(a, metric)
    elif metric == "cosine":
        a, b = (rows if rows is None else near_one(rows) for rows in (a, b))
    if metric == "haversine" and params:
        sphere = sphere_of(params)
        radians = (None if places is None else sphere.radians(places) for places in (a, b))
        return sphere.radius * pairwise_distances(*radians, metric=metric)
    try:
        return pairwise_distances(a, b, metric=_returning_numbers(metric) if callable(metric) else metric, **params)
    except TypeError as error:
        if callable(metric) or not params:
            raise
        names = ", ".join(map(repr, params))
        raise ValueError(f"metric={metric!r} does not take these parameters: {names}") from error


def _returning_numbers(metric: Callable[..., Any]) -> Callable[..., float]:
    """A function of two rows; ValueError where it returns anything but a number."""

    def distance(*rows: Any, **params: Any) -> float:
        value = metric(*rows, **params)
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            shown = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
            raise ValueError(f"metric must be a function that returns a number; it returned {shown}") from error

    return distance


def near_one(rows: Array) -> Array:
    """Rows times powers of two, so that the greatest coordinate of each is near 1. Their cosine distances stay, but
    squares neither overflow nor vanish: scikit-learn takes short rows for rows of zeros."""
    return np.ldexp(rows, -np.frexp(abs(rows).max(axis=1, keepdims=True))[1])


def _with_narrow_indices(X: Any, metric: Any) -> Any:
    """A CSR matrix with 32-bit indices where they fit: scikit-learn's Manhattan distances take no others."""
    if X.indices.dtype == X.indptr.dtype == np.int32:
        return X
    if max(X.shape[1], X.nnz) <= np.iinfo(np.int32).max:
        return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    if metric == "manhattan":
        raise ValueError(
            f"metric='manhattan' of sparse features takes 32-bit indices; X has {X.shape[1]:,} columns and {X.nnz:,} "
            "stored values"
        )
    return X


def blocks(members: np.ndarray, columns: int) -> Iterator[np.ndarray]:
    """The members in parts, so that the distances from one part to `columns` points fit in `BLOCK_BYTES`."""
    size = max(1, BLOCK_BYTES // (8 * columns))
    for begin in range(0, len(members), size):
        yield members[begin : begin + size]
