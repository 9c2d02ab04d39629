"""`BranchDetector`: the branches of the clusters of a fitted `HDBSCANGPU`."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from emst.backend.records import Array
from emst.hdbscan.attributes import made_once
from emst.hdbscan.branches.centrality import centralities
from emst.hdbscan.branches.graph import Graphs, approximation_graphs
from emst.hdbscan.branches.hierarchy import Branches, branches_of_clusters
from emst.hdbscan.branches.labelling import is_divided, labelling
from emst.hdbscan.branches.members import Members, members_of
from emst.hdbscan.branches.table import ApproximationGraph
from emst.hdbscan.centers import centroid_of, medoid_of
from emst.hdbscan.model import Model, on_host
from emst.hdbscan.parameters import BOOLEAN, NONE, NOT_NEGATIVE, at_least, check_parameters, one_of
from emst.hdbscan.prediction import model_of
from emst.hdbscan.trees import CondensedTree, SingleLinkageTree
from emst.hierarchy import scores
from emst.hierarchy.selection import Options
from emst.inputs.devices import to_host
from emst.inputs.fitted import fitted_attribute

RULES = {
    "branch_detection_method": one_of("core", "full"),
    "label_sides_as_branches": BOOLEAN,
    "min_cluster_size": at_least(2) | NONE,
    "max_cluster_size": at_least(1) | NONE,
    "allow_single_cluster": BOOLEAN | NONE,
    "cluster_selection_method": one_of("eom", "leaf") | NONE,
    "cluster_selection_epsilon": NOT_NEGATIVE,
    "cluster_selection_persistence": NOT_NEGATIVE,
}


class BranchDetector(ClusterMixin, BaseEstimator):
    """Branches inside the clusters of a fitted `HDBSCANGPU`, by FLASC [1]_.

    A cluster can have the shape of a Y, and still be one cluster. Its branches are the parts that remain connected when
    the points near its centre are removed. The eccentricity of a point is its distance to the weighted mean of its
    cluster. The members of a cluster that are near each other are joined by a graph, and single linkage of this graph,
    from the outside inwards, finds the branches.

    Parameters
    ----------
    branch_detection_method : {"full", "core"}, default "full"
        Which members of a cluster are neighbours in its graph. "full": those whose mutual reachability distance is at
        most the longest edge of the cluster's spanning tree; a cluster of s points has up to s^2 / 2 such pairs.
        "core": those of which one lies within the core distance of the other, and the edges of the spanning tree: about
        `min_samples` for each point. It sees finer branches, and more noise.
    label_sides_as_branches : bool, default False
        Label branches where there are two as well. Two are the sides of any elongated cluster, so by default a cluster
        is divided only if it has three or more.
    min_cluster_size : int, optional
        Smallest number of points of a branch. None takes that of the clustering, as for the next three.
    max_cluster_size : int, optional
        Largest number of points of a branch that "eom" selects.
    allow_single_cluster : bool, optional
        Allow a branch of all points of the cluster.
    cluster_selection_method : {"eom", "leaf"}, optional
        How branches are selected from their condensed tree.
    cluster_selection_epsilon : float, default 0.0
        As in `HDBSCANGPU`, for 1 / eccentricity in the place of distances.
    cluster_selection_persistence : float, default 0.0
        Drop the sides of a split that have less persistence than this, in units of eccentricity. A split that keeps
        fewer than two sides is merged back.

    Attributes
    ----------
    labels_ : int64 array of shape (n,)
        Branch of each row, or cluster, if it has no branches, numbered from 0; -1 for noise. In a cluster with
        branches, the points of no branch have a label of their own. -2 and -3 as in `HDBSCANGPU`. Each number that the
        `labels` of `fit` leave out counts as a cluster without points.
    probabilities_ : float64 array of shape (n,)
        That of the cluster; in a cluster with branches the mean of those of cluster and branch.
    cluster_labels_, cluster_probabilities_ : arrays of shape (n,)
        Those of the clustering, or those that `fit` was given. If the cluster is the root, all points are members with
        probability 1, or with an epsilon those that leave above it.
    branch_labels_ : int64 array of shape (n,)
        Branch of each row within its cluster; -1 for points of no branch; 0 in clusters without branches, and for rows
        in no cluster.
    branch_probabilities_ : float64 array of shape (n,)
        The eccentricity at which a row leaves its branch over the greatest of the branch, 1 in clusters without
        branches and for noise; 0 and NaN for rows that are not finite, as in `HDBSCANGPU`.
    branch_persistences_ : list of n_clusters float64 arrays
        Persistence of each branch, from 0 to 1, also where they are too few to be labelled.
    centralities_ : float64 array of shape (n,)
        1 / eccentricity of each row; infinite at the centre; 0 for rows in no cluster.
    cluster_points_ : list of n_clusters int64 arrays
        Rows of each cluster, ascending.
    condensed_trees_ : list of n_clusters CondensedTree
        The condensed tree of the branches of each cluster. Point i is row ``cluster_points_[cluster][i]``. None for a
        cluster whose graph is not connected (only if `fit` was given labels): then its components are the branches.
    linkage_trees_ : list of n_clusters SingleLinkageTree
        The dendrogram of the branches, None as for `condensed_trees_`. Heights are 1 / eccentricity.
    approximation_graph_ : ApproximationGraph
        The graphs of all clusters.
    exemplar_indices_ : list of n_clusters lists of int64 arrays
        Rows that stay longest in each branch; None for clusters without branches.
    exemplars_ : list of n_clusters lists of arrays of shape (number of exemplars, d)
        These rows.
    model_ : HDBSCANGPU
        The clustering, as it was when the branches were detected.

    Notes
    -----
    The graph of neighbours is found on the CPU, the rest is computed where the clustering was. The mean of a cluster is
    rounded once, and equal heights merge at once. So the branches of a cluster are the same in every run, on every
    device, and for every order of the rows; only their numbers depend on the order.

    References
    ----------
    .. [1] D. M. Bot, J. Peeters, J. Liesenborgs, J. Aerts, "FLASC: a flare-sensitive clustering algorithm", PeerJ
       Computer Science 11:e2792 (2025).

    Examples
    --------
    >>> import numpy as np
    >>> from emst import HDBSCANGPU, BranchDetector
    >>> rng = np.random.default_rng(0)
    >>> angle = np.repeat([0.5, 2.6, 4.7], 100)
    >>> X = np.stack([np.cos(angle), np.sin(angle)], axis=1) * rng.uniform(0, 9, (300, 1))
    >>> X += rng.normal(scale=0.2, size=X.shape)
    >>> model = HDBSCANGPU(min_cluster_size=20, min_samples=5, allow_single_cluster=True).fit(X)
    >>> detector = BranchDetector(allow_single_cluster=False).fit(model)
    >>> len(detector.cluster_points_), len(detector.branch_persistences_[0])
    (1, 3)
    """

    _model: Model
    _made: dict[str, Any]
    _rules: ClassVar = RULES

    labels_: Any = fitted_attribute()
    probabilities_: Any = fitted_attribute()
    cluster_labels_: Any = fitted_attribute()
    cluster_probabilities_: Any = fitted_attribute()
    branch_labels_: Any = fitted_attribute()
    branch_probabilities_: Any = fitted_attribute()
    branch_persistences_: list[np.ndarray] = fitted_attribute()
    centralities_: Any = fitted_attribute()
    cluster_points_: list[np.ndarray] = fitted_attribute()
    condensed_trees_: list[CondensedTree | None] = fitted_attribute()
    linkage_trees_: list[SingleLinkageTree | None] = fitted_attribute()
    exemplar_indices_: list[list[np.ndarray] | None] = fitted_attribute()
    model_: Any = fitted_attribute()

    def __init__(
        self,
        branch_detection_method: str = "full",
        label_sides_as_branches: bool = False,
        min_cluster_size: int | None = None,
        max_cluster_size: int | None = None,
        allow_single_cluster: bool | None = None,
        cluster_selection_method: str | None = None,
        cluster_selection_epsilon: float = 0.0,
        cluster_selection_persistence: float = 0.0,
    ) -> None:
        self.branch_detection_method = branch_detection_method
        self.label_sides_as_branches = label_sides_as_branches
        self.min_cluster_size = min_cluster_size
        self.max_cluster_size = max_cluster_size
        self.allow_single_cluster = allow_single_cluster
        self.cluster_selection_method = cluster_selection_method
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.cluster_selection_persistence = cluster_selection_persistence

    def fit(self, model: Any, labels: Any = None, probabilities: Any = None) -> BranchDetector:
        """Detect the branches of all clusters.

        Parameters
        ----------
        model : HDBSCANGPU
            Fitted to dense features.
        labels : int array of shape (n,), optional
            Other clusters than those of the model; negative for noise. They need not be connected.
        probabilities : array of shape (n,), optional
            Other probabilities, from 0 to 1: the weights of the points in the centre of their cluster. By default those
            of the model; with `labels` 1 for all members.

        Returns
        -------
        BranchDetector
            This estimator.

        Raises
        ------
        TypeError
            `model` is not an `HDBSCANGPU`.
        sklearn.exceptions.NotFittedError
            `model` has not been fitted.
        ValueError
            A parameter out of range; `model` was fitted to distances, to sparse features or with `sample_weight`;
            `labels` or `probabilities` do not fit the data.
        MemoryError
            The graph of a cluster is too large.
        """
        check_parameters(self, self._rules)
        fitted = model_of(model, "has no branches")
        if fitted.row_weights is not None:
            raise ValueError("branches are of models without sample_weight; fit the model again without it")
        with fitted.scope():
            members = members_of(fitted, labels, probabilities)
            centrality = centralities(fitted, members)
            graphs = approximation_graphs(fitted, members, self.branch_detection_method)
            options = self._options(model)
            branches = branches_of_clusters(graphs, members, centrality, options, fitted.ops)
            self._model, self._made, self._graphs = fitted, {}, graphs
            self._labels_given = labels is not None
            self.model_ = copy.copy(model)
            self._take_arrays(members, centrality, branches)
            self._take_trees(members, branches, options)
        return self

    def fit_predict(self, model: Any, labels: Any = None, probabilities: Any = None) -> Any:
        """Detect the branches of all clusters and return `labels_`.

        Parameters
        ----------
        model, labels, probabilities
            As for `fit`.

        Returns
        -------
        int64 array of shape (n,)
            The attribute `labels_`.
        """
        return self.fit(model, labels, probabilities).labels_

    def _options(self, model: Any) -> Options:
        """How branches are selected: by the parameters, or where they are None, as the clusters were."""
        of_clusters = model._model.options

        def chosen(name: str, otherwise: Any) -> Any:
            value = getattr(self, name)
            return otherwise if value is None else value

        most = chosen("max_cluster_size", of_clusters.max_cluster_size)
        return Options(
            min_cluster_size=int(chosen("min_cluster_size", of_clusters.min_cluster_size)),
            method=chosen("cluster_selection_method", of_clusters.method),
            epsilon=float(self.cluster_selection_epsilon),
            persistence=float(self.cluster_selection_persistence),
            max_cluster_size=None if most is None else int(most),
            allow_single_cluster=bool(chosen("allow_single_cluster", of_clusters.allow_single_cluster)),
            unsplit_root=model._conventions.unsplit_root,
        )

    def _take_arrays(self, members: Members, centrality: np.ndarray, branches: list[Branches]) -> None:
        """Set the attributes that have a value for every row."""
        fitted, result = self._model, labelling(members, branches, self.label_sides_as_branches)

        def for_caller(values: np.ndarray, infinite: float, missing: float) -> Any:
            return fitted.give_values(fitted.spread(fitted.ops.asarray(values), infinite, missing))

        self.labels_ = for_caller(result.labels, -2, -3)
        self.probabilities_ = for_caller(result.probabilities, 0, np.nan)
        self.cluster_labels_ = for_caller(members.labels, -2, -3)
        self.cluster_probabilities_ = for_caller(members.probabilities, 0, np.nan)
        self.branch_labels_ = for_caller(result.branch_labels, 0, 0)
        self.branch_probabilities_ = for_caller(result.branch_probabilities, 0, np.nan)
        self.centralities_ = for_caller(centrality, 0, 0)

    def _take_trees(self, members: Members, branches: list[Branches], options: Options) -> None:
        """Set the attributes that have an entry for every cluster."""
        flats = [one.flat for one in branches]
        self._divided = np.array([is_divided(one, self.label_sides_as_branches) for one in branches], bool)
        self.cluster_points_ = [self._rows(points) for points in members.points]
        self.branch_persistences_ = [one.persistence for one in branches]
        self.condensed_trees_ = [
            None if flat is None else CondensedTree(flat.condensed, flat.selection, options=options) for flat in flats
        ]
        self.linkage_trees_ = [None if flat is None else SingleLinkageTree(flat.condensed.linkage) for flat in flats]
        self.exemplar_indices_ = [
            [rows[points] for points in scores.exemplars(flat)] if divided and flat is not None else None
            for flat, divided, rows in zip(flats, self._divided, self.cluster_points_)
        ]

    def _rows(self, points: np.ndarray) -> np.ndarray:
        """The caller's rows of points of the spanning tree."""
        return points if self._model.kept is None else to_host(self._model.kept)[points]

    @property
    @made_once
    def exemplars_(self) -> list[list[Any] | None]:
        """The rows that represent each branch: those that stay longest in the leaves of the tree below it."""
        model = self._model
        return [
            None if branches is None else [model.give(model.rows_of(model.ops.asarray(rows))) for rows in branches]
            for branches in self.exemplar_indices_
        ]

    @property
    @made_once
    def approximation_graph_(self) -> ApproximationGraph:
        """The graphs of all clusters."""
        return ApproximationGraph(*self._tables(), self._model.data, getattr(self.model_, "feature_names_in_", None))

    def _tables(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """The columns of the approximation graph: of the points in clusters, and of the edges."""
        columns = {
            "label": self.labels_,
            "probability": self.probabilities_,
            "centrality": self.centralities_,
            "cluster_label": self.cluster_labels_,
            "cluster_probability": self.cluster_probabilities_,
            "branch_label": self.branch_labels_,
            "branch_probability": self.branch_probabilities_,
        }
        host = {name: to_host(values) for name, values in columns.items()}
        rows = np.flatnonzero(host["cluster_label"] >= 0)
        graphs: Graphs = self._graphs
        source, target = self._rows(graphs.source), self._rows(graphs.target)
        edges = {
            "parent": source,
            "child": target,
            "centrality": np.maximum(host["centrality"][source], host["centrality"][target]),
            "mutual_reachability": graphs.reach,
            "component": graphs.cluster,
        }
        return {"id": rows, **{name: values[rows] for name, values in host.items()}}, edges

    def weighted_centroid(self, label_id: int, data: Any = None) -> Any:
        """The mean of the rows of a label, weighted by probability.

        Parameters
        ----------
        label_id : int
            A label of `labels_`.
        data : array of shape (n, d), optional
            Rows in the place of those that were clustered.

        Returns
        -------
        float64 array of shape (d,)
            The mean.

        Raises
        ------
        ValueError
            There is no such label.
        """
        return self._center(centroid_of, label_id, data)

    def weighted_medoid(self, label_id: int, data: Any = None) -> Any:
        """The row of a label with the least sum of distances to its others, weighted by probability.

        Parameters
        ----------
        label_id : int
            A label of `labels_`.
        data : array of shape (n, d), optional
            Rows in the place of those that were clustered.

        Returns
        -------
        float64 array of shape (d,)
            The row.

        Raises
        ------
        ValueError
            There is no such label.
        """
        return self._center(medoid_of, label_id, data)

    def _center(self, center_of: Callable[..., Array], label_id: int, data: Any) -> Any:
        """What `center_of` returns for the rows of a label, float64[s, d], and their probabilities."""
        check_is_fitted(self)
        labels, model = to_host(self.labels_), self._model
        last = labels.max(initial=-1)
        if label_id not in range(last + 1):
            raise ValueError(f"there are labels 0 to {last}, and -1 is noise; got label_id={label_id}")
        members = np.flatnonzero(labels == label_id)
        rows, weights = to_host(model.data if data is None else data)[members], to_host(self.probabilities_)[members]
        with model.scope():
            rows = model.ops.asarray(rows, np.float64)
            return model.give(center_of(rows, model.ops.asarray(weights), model.metric))

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle: arrays on a GPU become numpy arrays."""
        state: dict[str, Any] = super().__getstate__()
        return {name: {} if name == "_made" else on_host(value) for name, value in state.items()}
