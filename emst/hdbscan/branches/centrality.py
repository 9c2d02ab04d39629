"""How near the points are to the centre of their cluster.

The eccentricity of a point is its distance, in the metric, to the weighted mean of the members of its cluster. Its
centrality is 1 / eccentricity: it takes the place of a distance, because the points near the centre are to be removed
first. On the sphere the mean is that of the images of the places, and in a periodic box see `Box.mean`.

Sums are exact, rounded once, and all of this is computed on the host: neither the order of the rows nor the device
changes a digit.
"""

from __future__ import annotations

import math

import numpy as np

from emst.distances.metrics import Metric, directions
from emst.distances.pairwise import distances_between
from emst.hdbscan.branches.members import Members
from emst.hdbscan.centers import scale_of_rows
from emst.hdbscan.model import Model
from emst.inputs.devices import to_host


def centralities(fitted: Model, members: Members) -> np.ndarray:
    """Centrality of every point in its cluster: float64[m], 0 for noise, infinite at the centre itself.

    Raises
    ------
    ValueError
        All members of a cluster have probability 0.
    """
    out = np.zeros(len(members.labels))
    rows = to_host(fitted.data)
    for label, points in enumerate(members.points):
        if len(points) == 0:
            continue
        weights = members.probabilities[points]
        if not weights.any():
            raise ValueError(f"the members of cluster {label} all have probability 0: it has no centre")
        of_cluster = rows[points if fitted.kept is None else to_host(fitted.kept)[points]]
        with np.errstate(divide="ignore", over="ignore"):
            out[points] = 1 / eccentricities(of_cluster.astype(np.float64), weights, fitted.metric)
    return out


def eccentricities(rows: np.ndarray, weights: np.ndarray, metric: Metric) -> np.ndarray:
    """Distance of every row, float64[s, d], to the weighted mean of all of them: float64[s]."""
    if metric.sphere is not None:
        images = metric.sphere.image(rows)
        chords = distances_between(images, _direction(exact_mean(images, weights))[None], "euclidean", {})
        return metric.sphere.arc(chords[:, 0])
    if metric.box is not None:
        centre = metric.box.mean(rows, weights, exact_mean)
        return metric.distances_between(metric.box.wrap(rows), centre[None])[:, 0]
    if metric.image is not None:
        centre = exact_mean(rows, weights)
        if metric.image is directions and not centre.any():
            return np.ones(len(rows))  # the centre has no direction: as in scikit-learn, all are equally far from it
        return metric.distances_between(metric.image(rows), metric.image(centre[None]))[:, 0]
    scale = scale_of_rows(rows) if metric.way == "tree" else 1.0
    distance = metric.distances_between(rows * scale, exact_mean(rows * scale, weights)[None])[:, 0] / scale
    return distance / scale if metric.name == "sqeuclidean" else distance


def exact_mean(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weighted mean of each column: its sum is exact and rounded once, so the order of the rows is of no effect."""
    total = math.fsum(weights.tolist())
    return np.array([math.fsum((column * weights).tolist()) / total for column in rows.T])


def _direction(mean: np.ndarray) -> np.ndarray:
    """The place on the unit sphere below a mean of places. The centre of the sphere lies below none: take (0, 0)."""
    length = math.hypot(*mean)
    return mean / length if length else np.array([1.0, 0.0, 0.0])
