"""Fitted attributes that are computed when they are first read, and pickling."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from emst.hdbscan.constraints import ConstraintCounts
from emst.hdbscan.model import Model, on_host
from emst.hdbscan.weightless import with_weightless
from emst.hierarchy import scores
from emst.hierarchy.selection import FlatClustering
from emst.inputs.devices import to_host
from emst.inputs.fitted import fitted_attribute

if TYPE_CHECKING:
    from emst.hdbscan.trees import CondensedTree, SingleLinkageTree, SpanningTree

T = TypeVar("T")


def made_once(make: Callable[[Any], T]) -> Callable[[Any], T]:
    """A getter whose value `make(self)` computes at the first reading. The next `fit` discards the value."""
    name = make.__name__

    @wraps(make)
    def read(self: Any) -> T:
        check_is_fitted(self)
        if name not in self._made:
            with self._model.scope():
                self._made[name] = make(self)
        return self._made[name]

    return read


class FittedAttributes:
    """The fitted attributes of `HDBSCANGPU`; its docstring describes them."""

    _model: Model
    _made: dict[str, Any]

    labels_: Any = fitted_attribute()
    probabilities_: Any = fitted_attribute()
    core_distances_: Any = fitted_attribute()
    min_cluster_size_: int = fitted_attribute()
    centroids_: Any = fitted_attribute("store_centers is 'centroid' or 'both'")
    medoids_: Any = fitted_attribute("store_centers is 'medoid' or 'both'")
    constraints_: ConstraintCounts = fitted_attribute("labels or constraints are given, see semi_supervised")
    device_: str = fitted_attribute()
    n_features_in_: int = fitted_attribute()

    @property
    @made_once
    def cluster_persistence_(self) -> np.ndarray:
        """Persistence of each cluster, from 0 to 1: float64 array of shape (n_clusters,)."""
        flat = self._model.flat
        return np.empty(0) if flat is None else scores.persistence(flat)

    @property
    @made_once
    def outlier_scores_(self) -> Any:
        """GLOSH outlier scores, from 0 to 1: float64 array of shape (n,).

        Rows with infinite values have score 1, rows with NaN have NaN.
        """
        model = self._model
        if model.flat is None:
            scores = model.of_none(0, np.float64)
        else:
            condensed = model.flat.condensed
            scores = model.ops.outlier_scores(condensed, *condensed.leaving(take=model.ops.take))
        scores = with_weightless(
            model, model.spread(scores, 1, np.nan), 0, lambda edges, flat: edges.scores(flat, model.ops)
        )
        return model.give_values(scores)

    @property
    @made_once
    def exemplars_(self) -> list[Any]:
        """The rows that represent each cluster: the points that stay longest in the leaves of the tree below it."""
        model = self._model
        if model.data is None:
            raise AttributeError(
                "exemplars_ are points, and X holds distances: exemplar_indices_ has their row numbers"
            )
        rows_of_clusters = [model.rows_of(indices) for indices in self.exemplar_indices_]
        return rows_of_clusters if issparse(model.data) else [model.give(rows) for rows in rows_of_clusters]

    @property
    @made_once
    def exemplar_indices_(self) -> list[np.ndarray]:
        """Row numbers of the `exemplars_`: one int64 array for each cluster."""
        model = self._model
        if model.flat is None:
            return []
        kept = None if model.kept is None else to_host(model.kept)
        return [points if kept is None else kept[points] for points in scores.exemplars(model.flat)]

    @property
    @made_once
    def relative_validity_(self) -> float:
        """Density-based validity of the clusters, estimated from the spanning tree alone in O(n) time, from -1 to 1.

        `emst.validity_index` compares all pairs of points, in O(n^2 d) time.
        """
        model = self._model
        if model.flat is None:
            return 0.0
        sizes = model.weights_of_points()
        if sizes is None or model.row_weights is None or model.copies is None:
            return scores.relative_validity(model.edges, model.weights, model.flat.labels, model.n, model.ops)
        rows, heights = to_host(model.copies.rows), to_host(model.copies.heights)
        edges = np.concatenate([to_host(model.edges), np.stack([rows, rows], axis=1)])
        weights = np.concatenate([to_host(model.weights), heights])
        total = float(model.row_weights.real(np.int64(model.total)))
        return scores.relative_validity(edges, weights, model.flat.labels, total, model.ops, sizes)

    @property
    @made_once
    def condensed_tree_(self) -> CondensedTree:
        """The condensed tree, with hdbscan's interface."""
        from emst.hdbscan.trees import CondensedTree

        flat, model = self._clustering_or_error(), self._model
        return CondensedTree(
            flat.condensed,
            flat.selection,
            rows=model.kept,
            n=model.n,
            weights=model.row_weights,
            options=model.in_units(model.options),
            constraints=model.constraints,
        )

    @property
    @made_once
    def single_linkage_tree_(self) -> SingleLinkageTree:
        """The single linkage tree, with hdbscan's interface."""
        from emst.hdbscan.trees import SingleLinkageTree

        self._clustering_or_error()
        model = self._model
        weighing = {"weights": model.weights_of_points(), "alone": model.heights_of_copies()}
        return SingleLinkageTree(model.dendrogram_of_rows(), rows=model.kept, n=model.n, **weighing)

    @property
    @made_once
    def minimum_spanning_tree_(self) -> SpanningTree:
        """The minimum spanning tree under mutual reachability, with hdbscan's interface."""
        from emst.hdbscan.trees import SpanningTree

        self._clustering_or_error()
        model = self._model
        names = getattr(self, "feature_names_in_", None)
        unit = model.metric.geographic
        return SpanningTree(model.edges, model.weights, model.data, rows=model.kept, names=names, geographic=unit)

    def _clustering_or_error(self) -> FlatClustering:
        if self._model.flat is None:
            raise AttributeError("there is no hierarchy: fewer than two rows of X are finite")
        return self._model.flat

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle: arrays on a GPU become numpy arrays; lazy attributes are computed again when read."""
        state: dict[str, Any] = super().__getstate__()  # type: ignore[misc]
        return {name: {} if name == "_made" else on_host(value) for name, value in state.items()}
