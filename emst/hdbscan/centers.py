"""Centres of clusters: centroids (weighted means) and medoids (central members)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy.sparse import issparse

from emst.backend.records import Array
from emst.distances.metrics import Metric
from emst.hdbscan.medoids import medoid
from emst.hdbscan.model import Model

Centers = tuple[Array | None, Array | None]  # centroids and medoids


def centers_of(model: Model, which: str | None) -> Centers:
    """The centres that `store_centers` names."""
    return (
        centroids(model) if which in ("centroid", "both") else None,
        medoids(model) if which in ("medoid", "both") else None,
    )


def centroids(model: Model) -> Array:
    """The mean of each cluster's rows, weighted by their probabilities, under any metric: float64[L, d].

    The mean of places is that of their images on the sphere: see `Sphere.mean`. In a periodic box it is that around the
    middle of the cluster: see `Box.mean`."""
    return _stacked(model, (centroid_of(rows, weights, model.metric) for rows, weights in _clusters(model)))


def medoids(model: Model) -> Array:
    """The row of each cluster with the least sum of distances to the others, weighted by their probabilities.

    float64[L, d]. Among equal sums the first row is taken. `emst.hdbscan.medoids` says what it costs.
    """
    return _stacked(model, (medoid_of(rows, weights, model.metric) for rows, weights in _clusters(model)))


def center_of(model: Model, which: str, cluster: int) -> Array:
    """The "centroid" or the "medoid" of one cluster, float64[d]."""
    rows, weights = next(itertools.islice(_clusters(model), cluster, None))
    return (centroid_of if which == "centroid" else medoid_of)(rows, weights, model.metric)


def centroid_of(rows: Array, weights: Array, metric: Metric) -> Array:
    """The weighted mean of rows, float64[d], or of their images on the sphere, or in a periodic box."""
    if metric.box is not None:
        return metric.box.mean(rows, weights, _mean)
    return (_mean if metric.sphere is None else metric.sphere.mean)(rows, weights)


def medoid_of(rows: Array, weights: Array, metric: Metric) -> Array:
    """The row with the least weighted sum of distances to the others."""
    image, of_image = _image(rows, metric)
    return rows[medoid(image, weights, of_image)]


def _stacked(model: Model, centers: Iterator[Array]) -> Array:
    stack = list(centers)
    return np.stack(stack) if stack else np.zeros_like(model.core, np.float64, shape=(0, model.data.shape[1]))


def _clusters(model: Model) -> Iterator[tuple[Array, Array]]:
    """Rows (float64) of the members of each cluster, in the order of their labels, and what they count: their
    probabilities, times the weights of the rows."""
    if model.flat is None:
        return
    labels, probabilities = model.flat.labels, model.flat.probabilities
    weights = model.weights_of_points()
    if weights is not None:
        probabilities = probabilities * model.ops.asarray(weights, np.float64)
    order = model.ops.sort_order((labels + 1).astype(np.uint64))
    ends = np.searchsorted(labels[order], np.arange(len(model.flat.selection.chosen) + 1, like=labels)).tolist()
    for begin, end in zip(ends[:-1], ends[1:]):
        members = order[begin:end]
        yield _rows(model, members), probabilities[members]


def _rows(model: Model, points: Array) -> Array:
    rows = model.rows_of(points if model.kept is None else model.kept[points])
    return model.ops.asarray(rows.toarray() if issparse(rows) else rows, np.float64)


def _mean(rows: Array, weights: Array) -> Array:
    scale = scale_of_rows(rows)
    return np.average(rows * scale, axis=0, weights=weights) / scale


def _image(rows: Array, metric: Metric) -> tuple[Array, Metric]:
    """The points whose distances are compared, the metric's image of the rows if it has one, otherwise the rows; and
    the metric of these points.

    They are scaled to a magnitude near 1 if distances scale with them, as arcs do not: then neither squares nor sums of
    distances overflow.
    """
    points = rows if metric.image is None else metric.image(rows)
    if metric.way != "tree" or metric.sphere is not None:
        return points, metric
    scale = scale_of_rows(points)
    return points * scale, metric.scaled(scale)


def scale_of_rows(rows: Array) -> float:
    """Power of two that scales the greatest magnitude of the rows to between 1/2 and 1; 2^1000 at most."""
    exponent = math.frexp(float(abs(rows).max()))[1]
    return math.ldexp(1.0, min(-exponent, 1000))
