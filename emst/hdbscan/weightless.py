"""Values of all rows of the data. Rows of weight 0 are no points of a model: they get those of new points."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from emst.backend.keys import key_above, ordered
from emst.backend.records import Array
from emst.hdbscan.joining import QueryEdges, join_queries
from emst.hdbscan.model import Model
from emst.hierarchy.selection import FlatClustering
from emst.weighted import NEVER

OfNew = Callable[[QueryEdges, FlatClustering], Array]


def labels_of(model: Model) -> Array:
    """int64[n]: -1 for noise, -2 for rows with infinite values, -3 for rows with NaN."""
    labels = model.of_none(-1, np.int64) if model.flat is None else model.flat.labels
    return with_weightless(model, model.spread(labels, -2, -3), -1, lambda *new: _labelled(model, *new)[0])


def probabilities_of(model: Model) -> Array:
    """float64[n]: 0 for noise and rows with infinite values, NaN for rows with NaN."""
    values = model.of_none(0, np.float64) if model.flat is None else model.flat.probabilities
    return with_weightless(model, model.spread(values, 0, np.nan), 0, lambda *new: _labelled(model, *new)[1])


def cut_labels(model: Model, height: float, least: int) -> Array:
    """Labels of all rows in the clusters of at least `least` points that merges below `height` make."""
    whole = model.row_weights is None or 1 < least >= model.options.min_cluster_size
    # With a least size of 1 nothing is noise, and no row is divided.
    linkage = model.linkage if whole else model.dendrogram(least if least > 1 else NEVER)
    if linkage is None:  # a single row
        return labels_of(model)
    labels = model.ops.cut(linkage, height, least * model.per if least > 1 else 1)[: len(model.core)]

    def of_new(edges: QueryEdges, flat: FlatClustering) -> Array:
        below = ordered(edges.height) < key_above(height, edges.height.dtype)  # as `cut` compares
        return np.where(edges.equal | below, labels[edges.neighbor], -1)

    return with_weightless(model, model.spread(labels, -2, -3), -1, of_new)


def with_weightless(model: Model, values: Array, none: float, of_new: OfNew) -> Array:
    """Values of all rows, in which rows of weight 0 get those of new points, or `none` where there are no clusters."""
    rows = None if model.rows is None else model.rows.weightless
    if rows is not None and len(rows):
        values[rows] = none if model.flat is None else of_new(weightless_edges(model), model.flat)
    return values


def weightless_edges(model: Model) -> QueryEdges:
    """The edges by which the rows of weight 0 would join the points. They do not depend on the clusters."""
    if model.weightless is None:
        assert model.rows is not None and model.rows.weightless is not None
        model.weightless = join_queries(model, model.images(model.rows.weightless))
    edges: QueryEdges = model.weightless
    return edges


def _labelled(model: Model, edges: QueryEdges, flat: FlatClustering) -> tuple[Array, Array]:
    """Labels and probabilities of new points."""
    leaving = edges.leaving(flat.condensed, model.ops)
    return model.ops.label_points(flat.condensed, flat.selection, model.options.epsilon, *leaving)
