"""hdbscan's branches inside clusters, over `emst.BranchDetector`."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from emst.compat.clusterer import PeerClusterer, noise_for_missing
from emst.hdbscan import HDBSCANGPU, branches
from emst.hdbscan.branches.detector import RULES
from emst.hdbscan.branches.pairs import nearest
from emst.hdbscan.parameters import NONE, at_least
from emst.hierarchy.selection import Options
from emst.inputs.devices import to_host


class BranchDetectionData:
    """What hdbscan's branch detection reads, as far as programs look at it.

    Parameters
    ----------
    exact : HDBSCANGPU
        A fitted estimator.

    Attributes
    ----------
    all_finite : bool
        Whether all rows of the data are finite.
    finite_index : int64 array of shape (m,) or None
        The rows that are finite; None if all are.
    internal_to_raw : dict or None
        The row of each of these m points; None if all are finite.
    core_distances : array of shape (m,)
        Core distances of the points.
    neighbors : int64 array of shape (m, k)
        The points that are nearest to each point, itself included, by number among the m points.
    """

    def __init__(self, exact: HDBSCANGPU) -> None:
        self._model = exact._model

    @property
    def all_finite(self) -> bool:
        """Whether all rows of the data are finite."""
        return self._model.kept is None

    @property
    def finite_index(self) -> np.ndarray | None:
        """The rows that are finite; None if all are."""
        return None if self._model.kept is None else to_host(self._model.kept)

    @property
    def internal_to_raw(self) -> dict[int, int] | None:
        """The row of each finite point; None if all are finite."""
        return None if self.finite_index is None else dict(enumerate(self.finite_index.tolist()))

    @property
    def core_distances(self) -> np.ndarray:
        """Core distances of the points."""
        return to_host(self._model.core)

    @cached_property
    def neighbors(self) -> np.ndarray:
        """The points that are nearest to each point, itself included."""
        return nearest(self._model)


class BranchDetector(branches.BranchDetector):
    """`hdbscan.BranchDetector`; see `emst.BranchDetector`. Rows that are not finite are noise.

    Parameters
    ----------
    branch_detection_method, label_sides_as_branches, min_cluster_size, allow_single_cluster, \
cluster_selection_method, cluster_selection_epsilon, cluster_selection_persistence
        As in `emst.BranchDetector`.
    max_cluster_size : int, optional
        The same; 0 for any number.

    Attributes
    ----------
    labels_, probabilities_, cluster_labels_, cluster_probabilities_, branch_labels_, branch_probabilities_, \
branch_persistences_, centralities_, cluster_points_, condensed_trees_, linkage_trees_, approximation_graph_, exemplars_
        As in `emst.BranchDetector`, but rows that are not finite have label -1 and probability 0.
    """

    _rules: ClassVar = {**RULES, "max_cluster_size": at_least(0) | NONE}

    def fit(self, clusterer: Any, labels: Any = None, probabilities: Any = None) -> BranchDetector:
        """Detect the branches of all clusters.

        Parameters
        ----------
        clusterer : HDBSCAN or HDBSCANGPU
            Fitted; an `HDBSCAN` with ``branch_detection_data=True``.
        labels : int array of shape (n,), optional
            Other clusters than those of the clusterer; -1 for noise.
        probabilities : array of shape (n,), optional
            Other probabilities.

        Returns
        -------
        BranchDetector
            This estimator.

        Raises
        ------
        ValueError
            A parameter out of range, or the clusterer does not allow reading `minimum_spanning_tree_`, as hdbscan asks.
        AttributeError
            The clusterer has no branch detection data.
        """
        super().fit(_exact_of(clusterer), labels, probabilities)
        self.labels_, self.probabilities_ = noise_for_missing(self.labels_, self.probabilities_)
        self.cluster_labels_, self.cluster_probabilities_ = noise_for_missing(
            self.cluster_labels_, self.cluster_probabilities_
        )
        missing = self.branch_probabilities_ != self.branch_probabilities_
        if bool(missing.any()):
            self.branch_probabilities_[missing] = 0
        return self

    def _options(self, model: Any) -> Options:
        options = super()._options(model)
        return options if self.max_cluster_size != 0 else replace(options, max_cluster_size=None)


def _exact_of(clusterer: Any) -> HDBSCANGPU:
    """The fitted `HDBSCANGPU` of a clusterer with branch detection data."""
    if isinstance(clusterer, HDBSCANGPU):
        return clusterer
    if not isinstance(clusterer, PeerClusterer):
        raise AttributeError(f"branches are those of a fitted HDBSCAN; got {type(clusterer).__qualname__}")
    exact = clusterer._fitted()
    _ = clusterer.branch_detection_data_
    if not hasattr(clusterer, "minimum_spanning_tree_"):
        raise ValueError("branches need an HDBSCAN with branch_detection_data=True or gen_min_span_tree=True")
    return exact


def detect_branches_in_clusters(
    clusterer: Any,
    cluster_labels: Any = None,
    cluster_probabilities: Any = None,
    branch_detection_method: str = "full",
    label_sides_as_branches: bool = False,
    min_cluster_size: int | None = None,
    max_cluster_size: int | None = None,
    allow_single_cluster: bool | None = None,
    cluster_selection_method: str | None = None,
    cluster_selection_epsilon: float = 0.0,
    cluster_selection_persistence: float = 0.0,
) -> tuple[Any, ...]:
    """Detect the branches of all clusters, and return twelve results.

    Parameters
    ----------
    clusterer, cluster_labels, cluster_probabilities
        See `BranchDetector.fit`.
    branch_detection_method, label_sides_as_branches, min_cluster_size, max_cluster_size, allow_single_cluster, \
cluster_selection_method, cluster_selection_epsilon, cluster_selection_persistence
        See `BranchDetector`.

    Returns
    -------
    labels, probabilities, cluster_labels, cluster_probabilities, branch_labels, branch_probabilities : arrays
        See `BranchDetector`.
    branch_persistences : tuple of arrays
        See `BranchDetector`.
    approximation_graphs : tuple of float64 arrays of shape (e, 4)
        The edges of each cluster: both rows, centrality and mutual reachability distance.
    condensed_trees : tuple of structured arrays
        See `CondensedTree.to_numpy`; None for a graph that is not connected.
    linkage_trees : tuple of float64 arrays of shape (s - 1, 4)
        See `SingleLinkageTree.to_numpy`; None for a graph that is not connected.
    centralities : array of shape (n,)
        See `BranchDetector`.
    cluster_points : tuple of int64 arrays
        See `BranchDetector`.
    """
    detector = BranchDetector(
        branch_detection_method=branch_detection_method,
        label_sides_as_branches=label_sides_as_branches,
        min_cluster_size=min_cluster_size,
        max_cluster_size=max_cluster_size,
        allow_single_cluster=allow_single_cluster,
        cluster_selection_method=cluster_selection_method,
        cluster_selection_epsilon=cluster_selection_epsilon,
        cluster_selection_persistence=cluster_selection_persistence,
    ).fit(clusterer, cluster_labels, cluster_probabilities)
    edges = detector.approximation_graph_.to_numpy()[1]
    columns = np.stack([edges[name] for name in ("parent", "child", "centrality", "mutual_reachability")], axis=1)
    ends = np.searchsorted(edges["component"], np.arange(1, len(detector.cluster_points_)))
    return (
        detector.labels_,
        detector.probabilities_,
        detector.cluster_labels_,
        detector.cluster_probabilities_,
        detector.branch_labels_,
        detector.branch_probabilities_,
        tuple(detector.branch_persistences_),
        tuple(np.split(columns, ends)) if detector.cluster_points_ else (),
        tuple(None if tree is None else tree.to_numpy() for tree in detector.condensed_trees_),
        tuple(None if tree is None else tree.to_numpy() for tree in detector.linkage_trees_),
        detector.centralities_,
        tuple(detector.cluster_points_),
    )


def approximate_predict_branch(branch_detector: Any, points_to_predict: Any) -> tuple[Any, ...]:
    """Cluster and branch of new points; see `emst.approximate_predict_branch`. Rows that are not finite are noise.

    Parameters
    ----------
    branch_detector : BranchDetector
        Fitted.
    points_to_predict : array-like of shape (m, d)
        New points.

    Returns
    -------
    labels, probabilities, cluster_labels, cluster_probabilities, branch_labels, branch_probabilities : arrays
        Of shape (m,).
    """
    detector = branches.approximate_predict_branch(branch_detector, points_to_predict)
    labels, probabilities, cluster_labels, cluster_probabilities, branch_labels, branch_probabilities = detector
    branch_probabilities[branch_probabilities != branch_probabilities] = 0
    return (
        *noise_for_missing(labels, probabilities),
        *noise_for_missing(cluster_labels, cluster_probabilities),
        branch_labels,
        branch_probabilities,
    )
