"""Prediction: where a new point would stand in a clustering that stays as it is.

A query joins the training point that is nearest to it under mutual reachability, found exactly, as if the query had
been among the points: its core distance is the distance to its k-th nearest, itself included. It then belongs to the
cluster that this neighbour is in at the density at which the query joins: the one the neighbour leaves last, or an
ancestor of it if the query joins later. A query equal to a training point is that point: prediction of the training
data is the clustering.

References
----------
L. McInnes, J. Healy, S. Astels, "hdbscan: Hierarchical density based clustering", JOSS 2 (11), 205 (2017), where the
neighbour is sought among the 2 k nearest points only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from emst.backend.records import Array
from emst.hdbscan.attributes import FittedAttributes
from emst.hdbscan.joining import joined
from emst.inputs.features import check_features
from emst.inputs.finite import FiniteRows, finite_rows
from emst.inputs.points import CheckedPoints, check_points

if TYPE_CHECKING:
    from emst.hdbscan.model import Model

__all__ = ["approximate_predict", "approximate_predict_scores"]


def model_of(estimator: Any) -> Model:
    """The model of a fitted estimator, or an error that says what it must be fitted to.

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
        raise ValueError(
            f"this {type(estimator).__name__} cannot predict: {fitted.metric.why}. Fit it to dense features"
        )
    return fitted


@dataclass(frozen=True, eq=False)
class Queries:
    """New points as they come in: the finite ones in the metric's image, and where they stood."""

    given: CheckedPoints
    points: Array
    rows: FiniteRows


def open_queries(estimator: Any, fitted: Model, X: Any) -> Queries:
    """Check `X` as sklearn checks what comes to `predict`, and bring it to where the model works."""
    given = check_points(X, device=fitted.device, dtype=fitted.points.dtype)
    check_features(estimator, X)
    points = fitted.ops.asarray(given.array, given.dtype)
    rows = finite_rows(points)
    if len(rows.kept) < len(points):
        points = points[rows.kept]
    if fitted.metric.image is not None and len(points):
        with np.errstate(invalid="ignore", divide="ignore"):
            points = fitted.ops.asarray(fitted.metric.image(points), fitted.points.dtype)
        wrong = np.nonzero(~np.isfinite(points).all(axis=1))[0]
        if len(wrong):
            row = int(rows.kept[wrong[0]])
            raise ValueError(f"metric={fitted.metric.name!r} is not defined for row {row} of X, which is all zeros")
    return Queries(given, points, rows)


def approximate_predict(model: Any, X: Any, return_connecting_points: bool = False) -> tuple[Any, ...]:
    """Labels of new points in the clustering of a fitted model, which they do not change.

    Parameters
    ----------
    model : HDBSCANGPU
        Fitted to features. For metrics without a tree search all pairs are compared, on the CPU.
    X : array-like of shape (m, n_features)
    return_connecting_points : bool, default False
        Return the neighbours too.

    Returns
    -------
    labels : int64 array of shape (m,)
        Label of the cluster that the nearest training point under mutual reachability is in at the density at which
        the new point joins it; -1 for noise, -2 for rows with infinite values, -3 for rows with NaN. A row equal to a
        training point gets that point's label.
    probabilities : float64 array of shape (m,)
        The lambda at which the point joins over the death of its cluster, at most 1; 0 for noise and infinite rows,
        NaN for rows with NaN.
    neighbors : int64 array of shape (m,)
        Row of the training point that it joins, -1 for rows that are not finite. Of equally near ones under mutual
        reachability the nearest, then the first on the curve through the training points. Only if asked for.

    Raises
    ------
    sklearn.exceptions.NotFittedError, ValueError
        `model` has not been fitted, or not with what prediction needs; `X` does not have the training data's features.

    Notes
    -----
    The answers of `hdbscan.approximate_predict` differ where it is approximate: it looks at the 2 k nearest points
    only, with core distances of another k, and does not know `cluster_selection_epsilon` of a training point.
    """
    fitted = model_of(model)
    with fitted.scope():
        queries = open_queries(model, fitted, X)
        results = _predicted(fitted, queries.points)
        spread = (queries.rows.spread(*result) for result in zip(results, (-2, 0.0, -1), (-3, np.nan, -1)))
        labels, probabilities, neighbors = map(queries.given.give, spread)
    return (labels, probabilities, neighbors) if return_connecting_points else (labels, probabilities)


def approximate_predict_scores(model: Any, X: Any) -> Any:
    """Outlier scores of new points in the clustering of a fitted model: GLOSH, as `outlier_scores_` of training points.

    Parameters
    ----------
    model : HDBSCANGPU
        As for `approximate_predict`.
    X : array-like of shape (m, n_features)

    Returns
    -------
    float64 array of shape (m,)
        1 - lambda at which the point joins / greatest lambda below the cluster that it joins, from 0 to 1. A row equal
        to a training point gets that point's score. 1 for rows with infinite values, NaN for those with NaN.
    """
    fitted = model_of(model)
    with fitted.scope():
        queries = open_queries(model, fitted, X)
        scores = np.zeros_like(fitted.points, dtype=np.float64, shape=len(queries.points))
        if fitted.flat is not None and len(scores):
            cluster, height = joined(fitted, queries.points).leaving(fitted.flat.condensed)
            scores = np.maximum(fitted.ops.outlier_scores(fitted.flat.condensed, cluster, height), 0)
        return queries.given.give(queries.rows.spread(scores, 1, np.nan))


def _predicted(fitted: Model, queries: Array) -> tuple[Array, Array, Array]:
    """Label, probability and neighbour of finite queries."""
    flat, m = fitted.flat, len(queries)
    if flat is None or m == 0:
        nobody = np.full_like(fitted.points, -1, dtype=np.int64, shape=m)
        return nobody, np.zeros_like(fitted.points, dtype=np.float64, shape=m), nobody
    join = joined(fitted, queries)
    cluster, height = join.leaving(flat.condensed)
    labels, probabilities = fitted.ops.label_points(
        flat.condensed, flat.selection, fitted.options.epsilon, cluster, height
    )
    neighbors = join.neighbor.astype(np.int64)
    return labels, probabilities, neighbors if fitted.kept is None else fitted.kept[neighbors]
