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

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from emst.backend import Array, Backend, Bvh, backend_of
from emst.finite import FiniteRows, finite_rows
from emst.frame import Frame, frame_of, highest_exponent
from emst.hierarchy.condensed import Condensed
from emst.hierarchy.flat import Flat
from emst.hierarchy.linkage import Linkage
from emst.points import Door, on_device_of, open_points

if TYPE_CHECKING:
    from emst.metrics import Metric


@dataclass(eq=False)
class PredictionData:
    """What a fitted model keeps for prediction: references, no copies. An estimator has it as `_prediction_data`.

    That attribute is None (or missing) where nothing was kept. Arrays live on `device`.
    """

    points: Array  # T[n, d]: the kept rows as the tree saw them: in the metric's image, in the dtype computed in
    rows: FiniteRows | None  # which rows of the fitted X these are; None if they are all of them
    min_samples: int  # counts the point itself
    flat: Flat | None  # clusters, and labels and probabilities of the kept rows; None for fewer than two of them
    epsilon: float
    metric: Metric
    device: str  # "cpu" or "cuda"
    give: Callable[[Array], Any]  # result -> the kind of array that the model was fitted to

    @property
    def ops(self) -> Backend:
        """The operations that work on these arrays."""
        return backend_of(self.device)

    @cached_property
    def place(self) -> tuple[Frame, Array, Array]:
        """Frame of the points, their rows in the order of the curve, and their codes in that order."""
        low, high, _, _, sample = self.ops.survey(self.points)
        frame = frame_of(low, high, self.points.dtype, sample)
        codes = self.ops.curve_codes(self.points, frame)
        order = self.ops.sort_order(codes)
        return frame, order, codes[order]

    @cached_property
    def bvh(self) -> Bvh:
        """The points in their own frame, kept for the next call."""
        return self.bvh_in(self.place[0])

    def bvh_in(self, frame: Frame) -> Bvh:
        """The points, scaled by a frame of the same grid, and their core distances."""
        bvh = self.ops.build_bvh(self.points, self.place[1], frame)
        if self.min_samples > 1:
            self.ops.core_distances(bvh, self.min_samples)
        return bvh

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("place", "bvh")}


def prediction_data_of(model: Any) -> PredictionData:
    """The model's prediction data, or an error that says what to set.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        The model has not been fitted.
    ValueError
        It has kept nothing to predict from.
    """
    check_is_fitted(model)
    data: PredictionData | None = getattr(model, "_prediction_data", None)
    if data is None:
        raise ValueError(
            f"this {type(model).__name__} has kept nothing to predict from: fit it with prediction_data=True and a "
            "metric that has a tree (euclidean, sqeuclidean, cosine, haversine, minkowski with p=2; alpha=1)"
        )
    return data


@dataclass(frozen=True, eq=False)
class Joined:
    """How m queries join the points. Arrays live on the backend."""

    neighbor: Array  # int32[m]: the nearest kept row under mutual reachability
    same: Array  # bool[m]: whether the query is that point
    height: Array  # T[m]: weight of the edge to it, in the metric's units; 0 where the query is the point

    def places(self, condensed: Condensed) -> tuple[Array, Array]:
        """Cluster that every query leaves, int32[m], and the lambda at which it joins, float64[m].

        Where the query joins at no greater a density than its neighbour's cluster was born at, that is the first
        ancestor born earlier.
        """
        cluster, joins = condensed.cluster[self.neighbor], density(self.height)
        leaves = density(condensed.linkage.height)[condensed.exit[self.neighbor]]
        joins = np.where(self.same, leaves, joins)
        late = joins < leaves
        return _first_born_before(condensed, cluster, np.where(late, joins, np.nan)), joins


def density(height: Array) -> Array:
    """lambda = 1 / height, float64."""
    with np.errstate(divide="ignore"):
        return 1 / height.astype(np.float64)


def _first_born_before(condensed: Condensed, cluster: Array, joins: Array) -> Array:
    """The first of the cluster and its ancestors that is born at less than lambda `joins`, or the root; NaN stays.

    By doubling: births only grow downwards, so long steps up are taken while they do not reach such a cluster.
    """
    up = np.maximum(condensed.parent, 0)
    steps = [up]
    while bool(up.any()):
        up = up[up]
        steps.append(up)
    for up in reversed(steps):
        above = up[cluster]
        cluster = np.where((condensed.birth[above] >= joins) & (above > 0), above, cluster)
    return np.where(condensed.birth[cluster] >= joins, steps[0][cluster], cluster)


def joined(data: PredictionData, queries: Array) -> Joined:
    """The nearest kept row of every query under mutual reachability.

    Parameters
    ----------
    queries : T[m, d] on the backend
        Finite, in the metric's image. One is answered alike whatever comes with it.
    """
    frame = data.place[0]
    out = Joined(*(np.zeros_like(data.points, dtype=t, shape=len(queries)) for t in (np.int32, bool, queries.dtype)))
    for chosen, excess in _by_magnitude(queries, frame):
        if excess == 0:
            _join(data, queries[chosen], frame, data.bvh, chosen, out)
            continue
        smaller = dataclasses.replace(frame, scale=math.ldexp(frame.scale, -excess), factor=0.0)  # a grid of one cell
        _join(data, queries[chosen], smaller, data.bvh_in(smaller), chosen, out)
    return out if data.metric.height is None else dataclasses.replace(out, height=data.metric.height(out.height))


def _by_magnitude(queries: Array, frame: Frame) -> Iterator[tuple[Array, int]]:
    """Queries, and how many powers of two they are too far away for the frame: their squares would overflow. As a rule
    all of them, and 0."""
    exponent = np.frexp(abs(queries).max(axis=1).astype(np.float64))[1] + (int(np.frexp(frame.scale)[1]) - 1)
    excess = np.maximum(exponent - highest_exponent(queries.shape[1], queries.dtype), 0)
    for level in np.unique(excess).tolist():
        yield np.nonzero(excess == level)[0], level


def _join(data: PredictionData, queries: Array, frame: Frame, bvh: Bvh, rows: Array, out: Joined) -> None:
    """Search these queries in a hierarchy of the same frame, and fill their rows of `out`."""
    ops, (_, order, codes) = data.ops, data.place
    query_codes = ops.curve_codes(queries, frame)
    query_order = ops.sort_order(query_codes)
    near = np.searchsorted(codes, query_codes[query_order])
    packets = ops.build_bvh(queries, query_order, frame)
    found, weight = ops.nearest_reachable(bvh, packets, data.min_samples, near)
    sorted_rows = rows[query_order]
    out.neighbor[sorted_rows] = order[found]
    out.same[sorted_rows] = weight == 0
    with np.errstate(over="ignore"):  # a distance that its type cannot hold is infinite
        out.height[rows] = ops.unscaled(weight, query_order, frame)


@dataclass(frozen=True, eq=False)
class Queries:
    """New points as they come in: the finite ones in the metric's image, and where they stood."""

    door: Door
    points: Array
    rows: FiniteRows


def open_queries(model: Any, data: PredictionData, X: Any) -> Queries:
    """Check `X` as sklearn checks what comes to `predict`, and bring it to where the model works."""
    validate_data(model, X, reset=False, skip_check_array=True)
    door = open_points(X, device=data.device, dtype=data.points.dtype)
    points = data.ops.asarray(door.array, door.dtype)
    rows = finite_rows(points)
    if len(rows.kept) < len(points):
        points = points[rows.kept]
    if data.metric.image is not None and len(points):
        with np.errstate(invalid="ignore", divide="ignore"):
            points = data.ops.asarray(data.metric.image(points), data.points.dtype)
        wrong = np.nonzero(~np.isfinite(points).all(axis=1))[0]
        if len(wrong):
            row = int(rows.kept[wrong[0]])
            raise ValueError(f"metric={data.metric.name!r} is not defined for row {row} of X, which is all zeros")
    return Queries(door, points, rows)


def approximate_predict(model: Any, X: Any, return_connecting_points: bool = False) -> tuple[Any, ...]:
    """Labels of new points in the clustering of a fitted model, which they do not change.

    Parameters
    ----------
    model : HDBSCANGPU
        Fitted with ``prediction_data=True`` and a metric that has a tree.
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
    data = prediction_data_of(model)
    with on_device_of(data.points):
        queries = open_queries(model, data, X)
        results = _predicted(data, queries.points)
        spread = (queries.rows.spread(*result) for result in zip(results, (-2, 0.0, -1), (-3, np.nan, -1)))
        labels, probabilities, neighbors = map(queries.door.give, spread)
    return (labels, probabilities, neighbors) if return_connecting_points else (labels, probabilities)


def _predicted(data: PredictionData, queries: Array) -> tuple[Array, Array, Array]:
    """Label, probability and neighbour of finite queries."""
    flat, m = data.flat, len(queries)
    if flat is None or m == 0:
        nobody = np.full_like(data.points, -1, dtype=np.int64, shape=m)
        return nobody, np.zeros_like(data.points, dtype=np.float64, shape=m), nobody
    join = joined(data, queries)
    cluster, _ = join.places(flat.condensed)
    # The rule of labels and probabilities is the operation's: every query is a point that leaves at its own merge.
    merges = Linkage(flat.condensed.linkage.child, join.neighbor[1:], join.height)
    leave = np.cumsum(np.ones_like(cluster), dtype=np.int32) - np.int32(1)
    as_points = dataclasses.replace(flat.condensed, linkage=merges, cluster=cluster, exit=leave)
    labels, probabilities = data.ops.label_points(as_points, flat.selection, data.epsilon)
    labels = np.where(join.same, flat.labels[join.neighbor], labels)
    probabilities = np.where(join.same, flat.probabilities[join.neighbor], probabilities)
    neighbors = join.neighbor.astype(np.int64)
    return labels, probabilities, neighbors if data.rows is None else data.rows.kept[neighbors]
