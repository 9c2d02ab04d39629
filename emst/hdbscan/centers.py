"""Centres of clusters: weighted means, and the members that all others are nearest to."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.sparse import issparse

from emst.backend.records import Array
from emst.distances.metrics import Metric
from emst.hdbscan.medoids import medoid
from emst.hdbscan.model import Model


def centroids(model: Model) -> Array:
    """Means of the clusters' rows, weighted by probability: float64[L, d]. The metric plays no part."""
    return _stacked(model, (_mean(rows, strength) for rows, strength in _clusters(model)))


def medoids(model: Model) -> Array:
    """The row of each cluster with the least sum of distances to the others, weighted by their probabilities.

    float64[L, d]. Of equals the first. See `emst.hdbscan.medoids` for the time it takes; memory is bounded.
    """
    metric = model.metric
    return _stacked(
        model, (rows[medoid(_image(rows, metric), strength, metric)] for rows, strength in _clusters(model))
    )


def _stacked(model: Model, centers: Iterator[Array]) -> Array:
    found = list(centers)
    return np.stack(found) if found else np.zeros_like(model.core, np.float64, shape=(0, model.data.shape[1]))


def _clusters(model: Model) -> Iterator[tuple[Array, Array]]:
    """Rows (float64) and probabilities of the members of each cluster, in the order of their labels."""
    if model.flat is None:
        return
    labels, strength = model.flat.labels, model.flat.probabilities
    order = labels.argsort(kind="stable")
    ends = np.searchsorted(labels[order], np.arange(len(model.flat.selection.chosen) + 1, like=labels)).tolist()
    for begin, end in zip(ends[:-1], ends[1:]):
        members = order[begin:end]
        yield _rows(model, members), strength[members]


def _rows(model: Model, points: Array) -> Array:
    rows = model.rows_of(points if model.kept is None else model.kept[points])
    return model.ops.asarray(rows.toarray() if issparse(rows) else rows, np.float64)


def _mean(rows: Array, strength: Array) -> Array:
    scale = _scale_of(rows)
    return np.average(rows * scale, axis=0, weights=strength) / scale


def _image(rows: Array, metric: Metric) -> Array:
    """The metric's image of the rows; without one they are brought near 1 where distances grow with them, so that
    neither squares nor sums of distances overflow."""
    if metric.image is not None:
        return metric.image(rows)
    return rows * _scale_of(rows) if metric.way in ("tree", "rows") else rows


def _scale_of(rows: Array) -> float:
    """Power of two that brings the greatest of the rows near 1."""
    exponent = math.frexp(float(abs(rows).max()))[1]
    return math.ldexp(1.0, min(-exponent, 1000))
