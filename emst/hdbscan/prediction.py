"""Prediction: labels, probabilities and outlier scores of new points (queries) in a clustering that does not change.

A query joins its nearest training point under mutual reachability. This neighbour is found exactly, and the core
distance of the query is the distance to its k-th nearest point, the query itself included. The query belongs to the
cluster that contains the neighbour at the lambda at which the query joins: the cluster that the neighbour leaves, or
an ancestor of it if the query joins at a lower lambda. It leaves that cluster with its neighbour. A query that equals
a training point gets that point's results, so the prediction of the training data is the clustering.

References
----------
L. McInnes, J. Healy, S. Astels, "hdbscan: Hierarchical density based clustering", JOSS 2 (11), 205 (2017). There, only
the 2 k nearest points are candidates for the neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from emst.backend.records import Array
from emst.distances.metrics import check_columns, directions, zero_rows
from emst.hdbscan.attributes import FittedAttributes
from emst.hdbscan.joining import join_queries
from emst.inputs.features import check_features
from emst.inputs.finite import FiniteRows, all_rows, finite_rows
from emst.inputs.points import CheckedPoints, check_points

if TYPE_CHECKING:
    from emst.hdbscan.model import Model

__all__ = ["approximate_predict", "approximate_predict_scores"]


def model_of(estimator: Any, otherwise: str = "cannot predict") -> Model:
    """The model of a fitted estimator, or an error that says what it must be fitted to, and what it cannot `otherwise`.

    Raises
    ------
    TypeError
        It is no `HDBSCANGPU`; the data, if the caller has swapped the arguments.
    sklearn.exceptions.NotFittedError
        It has not been fitted.
    ValueError
        It has been fitted to distances or to sparse features.
    """
    if not isinstance(estimator, FittedAttributes):
        kind = type(estimator)
        raise TypeError(f"the first argument must be a fitted HDBSCANGPU; got {kind.__module__}.{kind.__qualname__}")
    check_is_fitted(estimator)
    fitted: Model = estimator._model
    if not fitted.has_features:
        raise ValueError(f"this {type(estimator).__name__} {otherwise}: {fitted.metric.why}. Fit it to dense features")
    return fitted


@dataclass(frozen=True, eq=False)
class Queries:
    """New points that have been checked."""

    data: CheckedPoints  # all rows of X, as the caller passed them
    points: Array  # T[m, d] on the model's device: the finite rows, in the metric's image
    rows: FiniteRows  # which rows of X these are


def check_queries(estimator: Any, fitted: Model, X: Any) -> Queries:
    """Check `X` as scikit-learn checks the input of `predict`, and move it to the model's device."""
    data = check_points(X, device=fitted.device, dtype=fitted.points.dtype)
    check_features(estimator, X)
    points = fitted.ops.asarray(data.array, data.dtype)
    if fitted.ops.point_statistics(points).bad:
        rows = finite_rows(points)
        points = points[rows.kept]
    else:
        rows = all_rows(points)
    if fitted.metric.sphere is not None:
        check_columns(getattr(X, "columns", ()), fitted.metric)
        fitted.metric.sphere.check(points, rows.kept)
    if fitted.metric.image is not None and len(points):
        if fitted.metric.image is directions and (zero := zero_rows(points)).any():
            row = int(rows.kept[int(zero.argmax())])
            raise ValueError(f"metric={fitted.metric.name!r} is not defined for row {row} of X, which is all zeros")
        points = fitted.ops.asarray(fitted.metric.image(points), fitted.points.dtype)
    return Queries(data, points, rows)


def approximate_predict(model: Any, X: Any, return_connecting_points: bool = False) -> tuple[Any, ...]:
    """Labels of new points in the clustering of a fitted model, which they do not change.

    Parameters
    ----------
    model : HDBSCANGPU
        Fitted to dense features. Under a metric that the tree search does not support, all pairs of new and training
        points are compared on the CPU.
    X : array-like of shape (m, n_features)
        New points, with the features of the training data.
    return_connecting_points : bool, default False
        Return `neighbors` as well.

    Returns
    -------
    labels : int64 array of shape (m,)
        Label of the cluster that contains the nearest training point under mutual reachability at the lambda at which
        the new point joins it; -1 for noise, -2 for rows with infinite values (in the model's dtype), -3 for rows with
        NaN. A row that equals a training point gets that point's label.
    probabilities : float64 array of shape (m,)
        The lambda at which the new point leaves over the greatest lambda of its cluster, at most 1; 0 for noise and for
        rows with infinite values, NaN for rows with NaN. The new point leaves where its nearest training point does,
        but not at a greater lambda than that at which it joins.
    neighbors : int64 array of shape (m,)
        Row of the training point that the new point joins, -1 for rows that are not finite. If several are equally near
        under mutual reachability, the one at the least distance, then the first on the Hilbert curve. Only if
        ``return_connecting_points=True``.

    Raises
    ------
    TypeError
        `model` is not an `HDBSCANGPU`.
    sklearn.exceptions.NotFittedError
        `model` has not been fitted.
    ValueError
        `model` was fitted to distances or to sparse features; `X` does not have the features of the training data,
        holds no places where the metric is haversine, or rows of zeros where it is cosine.

    Notes
    -----
    Results of `hdbscan.approximate_predict` can differ: it considers the 2 k nearest points only, takes core distances
    to k - 1 other points for training points and to k + 1 training points for new ones, where its tree takes k, and
    ignores `cluster_selection_epsilon`.

    Examples
    --------
    >>> import numpy as np
    >>> from emst import HDBSCANGPU, approximate_predict
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
    >>> model = HDBSCANGPU(min_cluster_size=20).fit(X)
    >>> labels, probabilities = approximate_predict(model, [[0.5, 0.5], [10.0, 10.0]])
    >>> labels.tolist(), probabilities.round(2).tolist()
    ([1, 2], [1.0, 0.05])
    """
    fitted = model_of(model)
    with fitted.scope():
        queries = check_queries(model, fitted, X)
        results = _predicted(fitted, queries.points)
        spread = (queries.rows.spread(*result) for result in zip(results, (-2, 0.0, -1), (-3, np.nan, -1)))
        labels, probabilities, neighbors = map(queries.data.give, spread)
    return (labels, probabilities, neighbors) if return_connecting_points else (labels, probabilities)


def approximate_predict_scores(model: Any, X: Any) -> Any:
    """Outlier scores of new points in the clustering of a fitted model: GLOSH, as `outlier_scores_` of training points.

    Parameters
    ----------
    model : HDBSCANGPU
        Fitted to dense features.
    X : array-like of shape (m, n_features)
        New points, with the features of the training data.

    Returns
    -------
    float64 array of shape (m,)
        1 minus the quotient of the lambda at which the new point leaves and the greatest lambda of its cluster and all
        clusters below it, from 0 to 1. A row that equals a training point gets that point's score. 1 for rows with
        infinite values, NaN for rows with NaN.

    Raises
    ------
    TypeError, sklearn.exceptions.NotFittedError, ValueError
        As `approximate_predict`.

    Examples
    --------
    >>> import numpy as np
    >>> from emst import HDBSCANGPU, approximate_predict_scores
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
    >>> model = HDBSCANGPU(min_cluster_size=20).fit(X)
    >>> approximate_predict_scores(model, [[0.5, 0.5], [10.0, 10.0]]).round(2).tolist()
    [0.0, 0.95]
    """
    fitted = model_of(model)
    with fitted.scope():
        queries = check_queries(model, fitted, X)
        scores = np.zeros_like(fitted.points, dtype=np.float64, shape=(len(queries.points),))
        if fitted.flat is not None and len(scores):
            scores = join_queries(fitted, queries.points).scores(fitted.flat, fitted.ops)
        return queries.data.give(queries.rows.spread(scores, 1, np.nan))


def prepare_predictions(fitted: Model) -> None:
    """Compute what predictions read, and predict one training point: that compiles all kernels of predictions."""
    fitted.prepare_queries()
    if fitted.has_features and fitted.flat is not None:
        _predicted(fitted, fitted.points[:1])


def _predicted(fitted: Model, queries: Array) -> tuple[Array, Array, Array]:
    """Label, probability and neighbour of finite queries."""
    flat, m = fitted.flat, len(queries)
    if flat is None or m == 0:
        none = np.full_like(fitted.points, -1, dtype=np.int64, shape=(m,))
        return none, np.zeros_like(fitted.points, dtype=np.float64, shape=(m,)), none.copy()
    edges = join_queries(fitted, queries)
    cluster, height = edges.leaving(flat.condensed, fitted.ops)
    labels, probabilities = fitted.ops.label_points(
        flat.condensed, flat.selection, fitted.options.epsilon, cluster, height
    )
    neighbors = edges.neighbor.astype(np.int64)
    return labels, probabilities, neighbors if fitted.kept is None else fitted.kept[neighbors]
