"""Labels and probabilities of new points (queries) in a clustering over many workers, which they do not change.

The results are those of `emst.hdbscan.prediction`, bit for bit. Queries travel to the partition where their search
begins, and from there ask others in two waves (`queries.py`). Queries that are too large for the scale of the points
search among points at a lower scale, whose core distances are found anew, as on one device.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed import Future
from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.dask import hierarchy, queries
from emst.dask.estimator import DaskEstimator
from emst.dask.finite import finite_chunks, namer, spread
from emst.dask.fitting import Zeros, check_places, images_of
from emst.dask.inputs import Chunks, chunks_of
from emst.dask.lost import LostInput, read_again
from emst.dask.model import Model
from emst.dask.outputs import dask_array, scatter_rows
from emst.dask.queries import Search
from emst.dask.routing import routed
from emst.dask.spanning import answered, asked_borders, published
from emst.distances.metrics import check_columns
from emst.inputs.features import check_features

__all__ = ["approximate_predict"]

LOST_MODEL = (
    "the model was lost with a worker, and what it was fitted to cannot be read again; fit it again, to paths or to a "
    "dask array that reads its chunks"
)


def approximate_predict(model: Any, X: Any) -> tuple[Any, Any]:
    """Labels of new points in the clustering of a fitted model, which they do not change.

    Parameters
    ----------
    model : HDBSCAN
        Fitted.
    X : dask array, dask data frame, paths, delayed blocks, or array-like of shape (m, d)
        New points, with the columns of the training data; rows may hold NaN and infinities.

    Returns
    -------
    labels : dask array, int64 of shape (m,)
        As `emst.hdbscan.prediction.approximate_predict` returns them, in the chunks of `X`. A row that equals a
        training point gets that point's label.
    probabilities : dask array, float64 of shape (m,)
        Likewise.

    Raises
    ------
    TypeError
        `model` is no `HDBSCAN` of this package; what `emst.dask.minimum_spanning_tree` raises.
    sklearn.exceptions.NotFittedError
        `model` has not been fitted.
    ValueError, RuntimeError, FileNotFoundError
        `X` does not have the columns of the training data; rows of zeros under "cosine"; what
        `emst.dask.minimum_spanning_tree` raises, but for rows that are not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from emst.dask import HDBSCAN, local_cluster
    >>> client = local_cluster(2, device="cpu")
    >>> from emst.dask.prediction import approximate_predict
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(1000, 2)) for c in (0, 20, 40)])
    >>> model = HDBSCAN(min_cluster_size=100, min_samples=5, client=client).fit(X)
    >>> labels, probabilities = approximate_predict(model, np.array([[0.5, 0.5], [20.0, 21.0]]))
    >>> labels.compute()
    array([2, 1])
    >>> client.close()
    """
    if not (isinstance(model, DaskEstimator) and isinstance(model, ClusterMixin)):
        raise TypeError(f"the first argument must be a fitted emst.dask.HDBSCAN; got {type(model).__qualname__}")
    check_is_fitted(model)
    fitted: Model = model._model
    cluster = fitted.cluster

    def predict() -> tuple[Any, Any]:
        with cluster.releasing():
            given = chunks_of(X, cluster, fitted.fitted.dtype)
            check_features(model, given.header)
            if fitted.metric.sphere is not None:
                check_columns(getattr(given.header, "columns", ()), fitted.metric)
            return _predicted(fitted, given)

    try:
        return read_again(X, predict)
    except LostInput:
        if fitted.lost:
            raise LostInput(LOST_MODEL) from None
        raise


def _predicted(model: Model, given: Chunks) -> tuple[Any, Any]:
    """Labels and probabilities in the chunks of `given`, when they are complete."""
    cluster = model.cluster
    chunks, rows = finite_chunks(given, cluster)
    found = _results(model, given, chunks, rows)
    by_row = [[cluster.submit(_part, one, i, at=j) for j, one in enumerate(found)] for i in range(3)]
    labels, probabilities = (scatter_rows(cluster, values, by_row[2], chunks) for values in by_row[:2])
    labels = spread(labels, rows, -2, -3, cluster)
    probabilities = spread(probabilities, rows, 0, np.nan, cluster)
    cluster.wait([*labels, *probabilities])
    return dask_array(labels, given.row_chunks, np.int64), dask_array(probabilities, given.row_chunks, np.float64)


def _results(model: Model, given: Chunks, chunks: Chunks, rows: list[Future] | None) -> list[Future]:
    """Futures of `queries.Results`; together they hold all rows that are finite."""
    cluster, tree = model.cluster, model.fitted.tree
    search = Search(model.k, tree.scale, tree.norm, model.core_factor)
    images = images_of(chunks, model.metric, model.fitted.dtype, cluster)
    excesses = cluster.gather([cluster.submit(queries.excesses, image, search) for image in images])
    where = namer(given, rows, cluster)
    for i, own in enumerate(excesses):
        if isinstance(own, Zeros):
            place = where(i, own.first)
            raise ValueError(f"metric={model.metric.name!r} is not defined for {place} of X, which is all zeros")
    check_places(excesses, model.metric, where)
    numbers = range(len(tree.locals))
    values = [cluster.submit(hierarchy.leaving_of_partition, model.flat, model.hierarchy, j, at=0) for j in numbers]
    leaving = [cluster.submit(queries.leaving_of_points, model.contracted[j], values[j], at=j) for j in numbers]
    clusters = cluster.submit(hierarchy.tree_on_host, model.flat, at=0)
    found = []
    for excess in sorted({0}.union(*excesses)):
        found += _results_of(model, search, chunks, images, excess, leaving, clusters)
    return found


def _results_of(
    model: Model,
    search: Search,
    chunks: Chunks,
    images: list[Future],
    excess: int,
    leaving: list[Future],
    clusters: Future,
) -> list[Future]:
    """Results of the queries of one excess, of every partition."""
    cluster, tree, places = model.cluster, model.fitted.tree, model.fitted.tree.places
    numbers = range(len(places))
    visitors = [
        cluster.submit(queries.visitors, image, int(first), excess, tree.homes, search)
        for image, first in zip(images, chunks.offsets)
    ]
    parts, outline = _partitions(model, search, excess)
    arrived = routed(visitors, len(parts), cluster, by_partitions=False)
    guests = [
        cluster.submit(queries.guests, parts[j], outline[j], j, excess, search, arrived[j], at=j) for j in numbers
    ]
    answers: list[list[Any]] = [[] for _ in numbers]
    if model.k > 1:
        answers = answered(parts, guests, model.k - 1, cluster)
    nearest = [
        cluster.submit(
            queries.nearest, parts[j], places[j], leaving[j], outline[j], guests[j], search, answers[j], at=j
        )
        for j in numbers
    ]
    asked = routed(nearest, len(parts), cluster)
    firsts = [cluster.submit(queries.firsts, parts[j], places[j], leaving[j], asked[j], at=j) for j in numbers]
    others = routed(firsts, len(parts), cluster)
    rest = (clusters, model.options.epsilon, model.metric, model.alpha, model.fitted.dtype)
    return [cluster.submit(queries.labelled, j, guests[j], nearest[j], others[j], *rest, at=j) for j in numbers]


def _partitions(model: Model, search: Search, excess: int) -> tuple[list[Future], list[Future]]:
    """The partitions at the scale for queries of this excess, with core distances as weights take them; and the outline
    of all."""
    cluster, tree = model.cluster, model.fitted.tree
    if excess == 0:
        return [cluster.submit(queries.partition_of, local, at=j) for j, local in enumerate(tree.locals)], tree.outline
    parts = [cluster.submit(queries.rescaled, local, excess, search, at=j) for j, local in enumerate(tree.locals)]
    outline, _ = published(parts, cluster)
    if model.k == 1:
        return parts, outline
    borders, answers = asked_borders(parts, outline, model.k, tree.norm, cluster)
    return [
        cluster.submit(queries.with_cores_of_all, part, borders[j], j, search, answers[j], at=j)
        for j, part in enumerate(parts)
    ], outline


def _part(ops: Backend, found: queries.Results, which: int) -> Array:
    return found[which]
