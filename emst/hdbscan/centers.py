"""Centres of clusters: weighted means, and the members that all others are nearest to."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.sparse import issparse

from emst.backend.records import Array
from emst.distances.matrices import fill_distances
from emst.distances.metrics import Metric
from emst.distances.pairwise import distances_between
from emst.hdbscan.model import Model
from emst.inputs.devices import to_host

ENTRIES = 1 << 24  # of a matrix of distances held at a time


def centroids(model: Model) -> Array:
    """Means of the clusters' rows, weighted by probability: float64[L, d]. The metric plays no part."""
    return _stacked(model, (_mean(rows, strength) for rows, strength in _clusters(model)))


def medoids(model: Model) -> Array:
    """The row of each cluster with the least sum of distances to the others, weighted by their probabilities.

    float64[L, d]. Of equals the first. It takes all distances within a cluster, O(size^2 d) time, in bounded memory.
    """
    return _stacked(model, (_medoid(rows, strength, model.metric) for rows, strength in _clusters(model)))


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


def _medoid(rows: Array, strength: Array, metric: Metric) -> Array:
    size = max(1, ENTRIES // len(rows))
    image = _scaled(rows, metric) if metric.image is None else metric.image(rows)
    blocks = (_distances(image, first, first + size, metric) for first in range(0, len(rows), size))
    sums = [(block * strength).sum(axis=1) for block in blocks]
    return rows[int(np.concatenate(sums).argmin())]


def _scaled(rows: Array, metric: Metric) -> Array:
    """Rows near 1, where distances grow with them: no squares overflow, nor do sums of distances."""
    return rows * _scale_of(rows) if metric.way in ("tree", "rows") else rows


def _scale_of(rows: Array) -> float:
    """Power of two that brings the greatest of the rows near 1."""
    exponent = math.frexp(float(abs(rows).max()))[1]
    return math.ldexp(1.0, min(-exponent, 1000))


def _distances(points: Array, begin: int, end: int, metric: Metric) -> Array:
    """From some points to all, float64."""
    some = points[begin:end]
    if metric.way != "tree":
        distances = distances_between(to_host(some), to_host(points), metric.name, metric.params)
        return np.asarray(distances, like=points)
    distance = np.empty_like(points, shape=(len(some), len(points)))
    fill_distances(distance, some, points, "euclidean")
    return distance if metric.height is None else metric.height(distance)
