"""Soft clustering: to what degree a point belongs to each of the clusters, not only to its own.

The membership of a point in a cluster is the product of two scores. The first is the nearness of the point to the
cluster's exemplars, the points that stay longest in the leaves below the cluster. The second is how much of the
condensed tree the point shares with the cluster: the lambda of the split at which their branches part. Every row is
scaled so that its sum is the probability that the point belongs to any cluster at all.

Rows are computed in batches: apart from the result, memory is bounded for any number of points, clusters and exemplars.

References
----------
The definition is that of `hdbscan.all_points_membership_vectors`; see hdbscan's page "How soft clustering for HDBSCAN
works". hdbscan uses another formula for new points; here a new point that equals a training point gets the same row.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.backend.records import Array
from emst.distances.pairwise import blocks
from emst.hdbscan.joining import QueryEdges, join_queries
from emst.hdbscan.prediction import check_queries, model_of
from emst.hdbscan.weightless import weightless_edges
from emst.hierarchy.density import density
from emst.hierarchy.scores import exemplars as exemplars_of
from emst.hierarchy.selection import FlatClustering
from emst.inputs.devices import to_host
from emst.inputs.scaling import scale_of

if TYPE_CHECKING:
    from emst.hdbscan.model import Model

BATCH_BYTES = 1 << 25  # size of one table of a batch; about eight exist at a time
FARTHER = 2.0**100  # a query may lie this many times farther away than the training points before its square overflows


def membership_vector(model: Any, X: Any, batch_size: int | None = None) -> Any:
    """Degrees to which new points belong to the clusters of a fitted model.

    Parameters
    ----------
    model : HDBSCANGPU
        Fitted to dense features.
    X : array-like of shape (m, n_features)
        New points, with the features of the training data.
    batch_size : int, optional
        Number of points that are computed at a time; by default as many as take a few hundred megabytes.

    Returns
    -------
    float64 array of shape (m, L)
        Column l belongs to label l. The sum of a row is the probability that the point belongs to any cluster. Rows of
        points with infinite values hold zeros, rows of points with NaN hold NaN.

    Raises
    ------
    TypeError
        `model` is not an `HDBSCANGPU`.
    sklearn.exceptions.NotFittedError
        `model` has not been fitted.
    ValueError
        `model` was fitted to distances or to sparse features; `X` does not have the features of the training data;
        `batch_size` is not a positive integer.

    See Also
    --------
    all_points_membership_vectors : The same for the training points.

    Examples
    --------
    >>> import numpy as np
    >>> from emst import HDBSCANGPU, membership_vector
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
    >>> model = HDBSCANGPU(min_cluster_size=20).fit(X)
    >>> membership_vector(model, [[0.5, 0.5], [10.0, 10.0]]).round(2).tolist()
    [[0.0, 0.99, 0.0], [0.01, 0.02, 0.02]]
    """
    fitted = model_of(model)
    _check_batch(batch_size)
    with fitted.scope():
        queries = check_queries(model, fitted, X)
        flat, m = fitted.flat, len(queries.points)
        out = _table(fitted, queries.rows.n)
        if flat is not None and m and out.shape[1]:
            edges = join_queries(fitted, queries.points)
            _fill_queries(fitted, queries.points, edges, batch_size, out, queries.rows.kept)
        out[queries.rows.missing] = np.nan
        return queries.data.give(out)


def all_points_membership_vectors(model: Any, batch_size: int | None = None, out: Any = None) -> Any:
    """Degrees to which every training point belongs to every cluster of a fitted model.

    Parameters
    ----------
    model : HDBSCANGPU
        Fitted to dense features.
    batch_size : int, optional
        Number of points that are computed at a time; by default as many as take a few hundred megabytes.
    out : numpy array of shape (n, L) of floats, optional
        Array to write the result to. It can be a memory map: then n * L numbers need not fit into memory.

    Returns
    -------
    float64 array of shape (n, L)
        The result of `membership_vector` for the training data; `out` itself if it is given.

    Raises
    ------
    TypeError, sklearn.exceptions.NotFittedError, ValueError
        As `membership_vector`; ValueError also for an `out` of another shape, or that does not hold floats.

    Examples
    --------
    >>> import numpy as np
    >>> from emst import HDBSCANGPU, all_points_membership_vectors
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
    >>> model = HDBSCANGPU(min_cluster_size=20).fit(X)
    >>> all_points_membership_vectors(model).shape
    (300, 3)
    """
    fitted = model_of(model)
    _check_batch(batch_size)
    with fitted.scope():
        shape = (fitted.n, 0 if fitted.flat is None else len(fitted.flat.selection.chosen))
        if out is not None and not hasattr(out, "shape"):
            raise TypeError(f"out must be an array; got {type(out).__name__}")
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
            weightless = None if fitted.rows is None else fitted.rows.weightless
            if weightless is not None:
                points = fitted.images(weightless)
                _fill_queries(fitted, points, weightless_edges(fitted), batch_size, table, weightless)
        return fitted.give_values(table) if out is None else out


def _fill_queries(
    fitted: Model, points: Array, edges: QueryEdges, batch_size: int | None, out: Any, places: Array
) -> None:
    """Write the membership vectors of new points to these places of `out`."""
    flat = fitted.flat
    assert flat is not None
    cluster, height = edges.leaving(flat.condensed, fitted.ops)
    for rows, batch in _batches(fitted, points, cluster, density(height), batch_size):
        out[_to(out, places[rows])] = _to(out, batch)


def _check_batch(batch_size: Any) -> None:
    if batch_size is not None and not (isinstance(batch_size, Integral) and int(batch_size) > 0):
        raise ValueError(f"batch_size must be an integer of at least 1; got {batch_size!r}")


def _table(fitted: Model, n: int) -> Array:
    clusters = 0 if fitted.flat is None else len(fitted.flat.selection.chosen)
    return np.zeros_like(fitted.points, dtype=np.float64, shape=(n, clusters))


def _to(table: Any, array: Array) -> Array:
    """The array on the device of the table."""
    return to_host(array) if isinstance(table, np.ndarray) else array


def _batches(
    fitted: Model, points: Array, cluster: Array, leaves: Array, batch_size: int | None
) -> Iterator[tuple[slice, Array]]:
    """Row ranges of the points, and the membership vectors of each range.

    Point i leaves ``cluster[i]`` at lambda ``leaves[i]``.
    """
    flat = fitted.flat
    assert flat is not None
    exemplars, clusters = _Exemplars(fitted, flat), len(flat.selection.chosen)
    size = batch_size or max(1, BATCH_BYTES // (8 * clusters))
    for begin in range(0, len(points), size):
        rows = slice(begin, begin + size)
        membership = exemplars.powers(points[rows])
        parting = _Parting(fitted, flat, cluster[rows], leaves[rows])

        def work(first: int, end: int, membership: Array = membership, parting: _Parting = parting) -> None:
            nearness = _nearness(exemplars.distances(membership[first:end]))
            shared, probability = parting.shared(first, end)
            nearness *= shared
            nearness *= (probability / nearness.sum(axis=1))[:, None]
            membership[first:end] = nearness

        fitted.ops.for_blocks(work, len(membership), clusters)
        yield rows, membership


class _Exemplars:
    """The exemplars of all clusters. Distances to them are computed in float64, scaled so that far queries fit."""

    def __init__(self, fitted: Model, flat: FlatClustering) -> None:
        lists = exemplars_of(flat)
        self.fitted = fitted
        self.points = fitted.points[fitted.ops.asarray(np.concatenate(lists))]
        self.starts = np.cumsum([0, *map(len, lists)])
        statistics = fitted.ops.point_statistics(fitted.points)
        self.scale = scale_of(statistics, np.dtype(np.float64)) / FARTHER

    def powers(self, points: Array) -> Array:
        """What the `distances` to the nearest exemplar of every cluster are computed from: float64[m, L]."""
        ops, metric = self.fitted.ops, self.fitted.metric
        if metric.is_euclidean:
            with np.errstate(over="ignore"):  # the distance of a farther query is infinite
                a, b = (rows.astype(np.float64) * self.scale for rows in (points, self.points))
            return ops.exemplar_distances(a, b, ops.asarray(self.starts))
        queries, exemplars = to_host(points), to_host(self.points)
        distance = np.empty((len(queries), len(self.starts) - 1))
        for block in blocks(np.arange(len(queries)), len(exemplars)):
            between = metric.distances_between(queries[block], exemplars)
            distance[block] = np.minimum.reduceat(between, self.starts[:-1], axis=1)
        return ops.asarray(distance)

    def distances(self, powers: Array) -> Array:
        """Distances in the metric, from rows of `powers`, which are overwritten."""
        metric = self.fitted.metric
        if not metric.is_euclidean:
            return powers
        with np.errstate(over="ignore"):  # infinite, as those of queries
            distance = np.sqrt(powers, out=powers)
            distance /= self.scale
        return distance if metric.height is None else metric.height(distance)


def _nearness(distance: Array) -> Array:
    """Inverse distances to the nearest exemplar of every cluster, normalised to sum 1: float64[m, L], in place."""
    least = distance.min(axis=1, keepdims=True)
    nearest = distance == least
    with np.errstate(invalid="ignore", divide="ignore", under="ignore"):
        inverse = np.divide(least, distance, out=distance)
        np.copyto(inverse, 1.0, where=nearest)  # 0 / 0 where the point is an exemplar
        inverse /= inverse.sum(axis=1, keepdims=True)
    return inverse


class _Parting:
    """Where points that leave a `cluster` at the lambdas `leaves` part from the selected clusters."""

    def __init__(self, fitted: Model, flat: FlatClustering, cluster: Array, leaves: Array) -> None:
        self.flat, self.cluster, self.leaves = flat, cluster, leaves
        label = flat.selection.label[cluster]
        # All clusters below a selected cluster part from the other selected clusters at the same split.
        branch = np.where(label >= 0, flat.selection.chosen[np.maximum(label, 0)], cluster)
        branches, inverse = np.unique(branch, return_inverse=True)
        self.of_branches = fitted.ops.common_ancestor_lambdas(flat.condensed, branches, flat.selection.chosen)
        self.branch = inverse.reshape(-1)

    def shared(self, first: int, end: int) -> tuple[Array, Array]:
        """How much of the condensed tree points `first` to `end` share with each selected cluster, normalised to sum 1,
        float64[m, L]; and the probability that they belong to any cluster, float64[m]."""
        death, leaves = self.flat.condensed.death, self.leaves[first:end]
        parting = self.of_branches[self.branch[first:end]]
        np.copyto(parting, leaves[:, None], where=np.isnan(parting))
        height, score = parting, _ratio(death[self.cluster[first:end]][:, None], parting)
        with np.errstate(under="ignore"):
            np.exp(np.negative(score, out=score), out=score)
            score -= score.max(axis=1, keepdims=True)
            np.exp(score, out=score)
            score /= score.sum(axis=1, keepdims=True)
        highest = height.max(axis=1)
        # Among clusters with the same lambda take the least death; hdbscan takes the first cluster in its order.
        least = np.where(height == highest[:, None], death[self.flat.selection.chosen], np.inf).min(axis=1)
        return score, _ratio(highest, np.maximum(least, leaves))


def _ratio(a: Array, b: Array) -> Array:
    """a / b of two lambdas; 1 where both are 0 or both are infinite."""
    with np.errstate(invalid="ignore", divide="ignore", under="ignore"):
        ratio = a / b
    np.copyto(ratio, 1.0, where=np.isnan(ratio))
    return ratio
