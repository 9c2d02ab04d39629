"""Soft clustering: to what degree a point belongs to each of the clusters, not only to its own.

Two views of a point, multiplied: how near it is to the exemplars of every cluster, the points that stay longest in its
leaves; and how much of the tree it shares with the cluster, by the density at which their branches part. What a row
adds up to is the probability that the point belongs to any cluster at all.

Rows are made in batches: beside the result, memory is bounded whatever the numbers of points, clusters and exemplars.

References
----------
`hdbscan.all_points_membership_vectors`, whose definition this is, and hdbscan's page "How soft clustering for HDBSCAN
works". hdbscan scores new points by another formula; here a new point equal to a training point gets the same row.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.backend.records import Array
from emst.distances.pairwise import blocks, distances_between
from emst.hdbscan.joining import joined
from emst.hdbscan.prediction import model_of, open_queries
from emst.hierarchy.linkage import density
from emst.hierarchy.scores import exemplars
from emst.hierarchy.selection import FlatClustering
from emst.inputs.devices import to_host
from emst.inputs.scaling import SAMPLE, scaling_of

if TYPE_CHECKING:
    from emst.hdbscan.model import Model

BATCH_BYTES = 1 << 25  # of one table of a batch; about eight are alive at a time
FARTHER = 2.0**100  # how many times farther away than the points a query may lie before its square overflows


def membership_vector(model: Any, X: Any, batch_size: int | None = None) -> Any:
    """Degrees to which new points belong to the clusters of a fitted model.

    Parameters
    ----------
    model : HDBSCANGPU
        Fitted to features.
    X : array-like of shape (m, n_features)
    batch_size : int, optional
        Points worked on at a time; by default as many as take a few hundred megabytes.

    Returns
    -------
    float64 array of shape (m, L)
        Column l belongs to label l. A row adds up to the probability that the point belongs to some cluster. Rows of
        zeros for points with infinite values, of NaN for those with NaN.

    See Also
    --------
    all_points_membership_vectors : the same for the training points.
    """
    fitted = model_of(model)
    _check_batch(batch_size)
    with fitted.scope():
        queries = open_queries(model, fitted, X)
        flat, m = fitted.flat, len(queries.points)
        out = _table(fitted, queries.rows.n)
        if flat is not None and m and out.shape[1]:
            join = joined(fitted, queries.points)
            cluster, height = join.leaving(flat.condensed)
            height = np.maximum(height, flat.condensed.leaving(join.neighbor)[1])  # with it, as `hdbscan` has it
            for rows, batch in _batches(fitted, queries.points, cluster, density(height), batch_size):
                out[queries.rows.kept[rows]] = batch
        out[queries.rows.missing] = np.nan
        return queries.given.give(out)


def all_points_membership_vectors(model: Any, batch_size: int | None = None, out: Any = None) -> Any:
    """Degrees to which every training point belongs to every cluster of a fitted model.

    Parameters
    ----------
    model : HDBSCANGPU
        Fitted to features.
    batch_size : int, optional
        Points worked on at a time; by default as many as take a few hundred megabytes.
    out : numpy array of shape (n, L), optional
        Where to put the rows, a memory map for one: n times L numbers need not fit into memory.

    Returns
    -------
    float64 array of shape (n, L)
        As `membership_vector`, for the rows of the X that the model was fitted to; or `out`.
    """
    fitted = model_of(model)
    _check_batch(batch_size)
    with fitted.scope():
        shape = (fitted.n, 0 if fitted.flat is None else len(fitted.flat.selection.chosen))
        if out is not None and out.shape != shape:
            raise ValueError(f"out must have shape {shape}; got {out.shape}")
        if out is not None and out.dtype.kind != "f":
            raise ValueError(f"out must hold floating-point numbers; got {out.dtype}")
        table = _table(fitted, fitted.n) if out is None else out
        if fitted.rows is not None and out is not None:
            table[:] = 0
        if fitted.rows is not None:
            table[_to(table, fitted.rows.missing)] = np.nan
        if fitted.flat is not None and shape[1]:
            cluster, height = fitted.flat.condensed.leaving()
            for rows, batch in _batches(fitted, fitted.points, cluster, density(height), batch_size):
                kept = rows if fitted.rows is None else _to(table, fitted.rows.kept[rows])
                table[kept] = _to(table, batch)
        return fitted.give(table) if out is None else out


def _check_batch(batch_size: Any) -> None:
    if batch_size is not None and not (isinstance(batch_size, Integral) and int(batch_size) > 0):
        raise ValueError(f"batch_size must be an integer of at least 1; got {batch_size!r}")


def _table(fitted: Model, n: int) -> Array:
    clusters = 0 if fitted.flat is None else len(fitted.flat.selection.chosen)
    return np.zeros_like(fitted.points, dtype=np.float64, shape=(n, clusters))


def _to(table: Any, array: Array) -> Array:
    """The array where the table lies."""
    return to_host(array) if isinstance(table, np.ndarray) else array


def _batches(
    fitted: Model, points: Array, cluster: Array, leaves: Array, batch_size: int | None
) -> Iterator[tuple[slice, Array]]:
    """Rows of points that leave `cluster` at lambda `leaves`, and their membership vectors."""
    flat = fitted.flat
    assert flat is not None
    distances = _Exemplars(fitted, flat)
    size = batch_size or max(1, BATCH_BYTES // (8 * len(flat.selection.chosen)))
    for begin in range(0, len(points), size):
        rows = slice(begin, begin + size)
        near, shared, some = distances.nearness(points[rows]), *_shared(fitted, flat, cluster[rows], leaves[rows])
        near *= shared
        near *= (some / near.sum(axis=1))[:, None]
        yield rows, near


class _Exemplars:
    """The exemplars of all clusters. Distances to them are float64, scaled so that queries may lie far away."""

    def __init__(self, fitted: Model, flat: FlatClustering) -> None:
        lists = exemplars(flat)
        self.fitted = fitted
        self.points = fitted.points[fitted.ops.asarray(np.concatenate(lists))]
        self.starts = np.cumsum([0, *map(len, lists)])
        statistics = fitted.ops.point_statistics(fitted.points, SAMPLE)
        self.scale = scaling_of(statistics, np.dtype(np.float64)).scale / FARTHER

    def nearness(self, points: Array) -> Array:
        """Inverse distances to the nearest exemplar of every cluster, adding up to 1: float64[m, L]."""
        distance = self._distances(points)
        least = distance.min(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            inverse = np.where(distance == least, 1.0, least / distance)  # 0 / 0 where the point is an exemplar
        inverse /= inverse.sum(axis=1, keepdims=True)
        return inverse

    def _distances(self, points: Array) -> Array:
        """Distance to the nearest exemplar of every cluster, in the metric."""
        ops, metric = self.fitted.ops, self.fitted.metric
        if metric.way == "tree":
            with np.errstate(over="ignore"):  # a query that far away is infinitely far
                a, b = (rows.astype(np.float64) * self.scale for rows in (points, self.points))
            distance = np.sqrt(ops.exemplar_distances(a, b, ops.asarray(self.starts))) / self.scale
            return distance if metric.height is None else metric.height(distance)
        asked, known = to_host(points), to_host(self.points)
        distance = np.empty((len(asked), len(self.starts) - 1))
        for some in blocks(np.arange(len(asked)), len(known)):
            between = distances_between(asked[some], known, metric.name, metric.params)
            distance[some] = np.minimum.reduceat(between, self.starts[:-1], axis=1)
        return ops.asarray(distance)


def _shared(fitted: Model, flat: FlatClustering, cluster: Array, leaves: Array) -> tuple[Array, Array]:
    """How much of the tree the points share with each chosen cluster, adding up to 1, float64[m, L]; and the
    probability that they belong to any, float64[m]."""
    condensed, selection = flat.condensed, flat.selection
    label = selection.label[cluster]
    # Below a chosen cluster all clusters part from the others where it does.
    branch = np.where(label >= 0, selection.chosen[np.maximum(label, 0)], cluster)
    branches, inverse = np.unique(branch, return_inverse=True)
    parting = fitted.ops.common_ancestor_lambdas(condensed, branches, selection.chosen)[inverse.reshape(-1)]
    height = np.where(np.isnan(parting), leaves[:, None], parting)
    score = np.exp(-_ratio(condensed.death[cluster][:, None], height))
    score = np.exp(score - score.max(axis=1, keepdims=True))
    score /= score.sum(axis=1, keepdims=True)
    highest = height.max(axis=1)
    # Of several that the point shares as much with: hdbscan takes the first, whichever that is.
    death = np.where(height == highest[:, None], condensed.death[selection.chosen], np.inf).min(axis=1)
    return score, _ratio(highest, np.maximum(death, leaves))


def _ratio(a: Array, b: Array) -> Array:
    """a / b of two lambdas; 1 where both are 0 or both are infinite."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((a == b) & ((b == 0) | np.isinf(b)), 1.0, a / b)
