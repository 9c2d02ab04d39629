"""hdbscan's class and function, with its keywords and its way to count `min_samples`."""

from __future__ import annotations

import difflib
import math
import warnings
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from emst.compat.clusterer import PeerClusterer
from emst.compat.counting import is_sparse, limit_of, number_of_points, with_the_point
from emst.compat.exact import PeersHDBSCAN
from emst.compat.hdbscan.algorithms import algorithm_of, metric_of
from emst.compat.hdbscan.branches import BranchDetectionData
from emst.compat.hdbscan.prediction import PredictionData
from emst.hdbscan import HDBSCANGPU
from emst.hdbscan.centers import center_of
from emst.hdbscan.parameters import RULES
from emst.hdbscan.trees import SpanningTree
from emst.inputs.places import levels_of_the_package

NO_BRANCHES = "Branch detection for non-vector space inputs is not (yet) implemented."  # hdbscan's words


class HDBSCAN(PeerClusterer):
    """`hdbscan.HDBSCAN`, computed exactly by `HDBSCANGPU`, which `exact_` holds after `fit`.

    Parameters
    ----------
    min_cluster_size : int, default 5
        Smallest number of points that is a cluster.
    min_samples : int, optional
        The core distance of a point is the distance to its `min_samples`-th nearest **other** point, or to the farthest
        if there are fewer. None takes `min_cluster_size`.
    cluster_selection_epsilon, cluster_selection_persistence, cluster_selection_method, allow_single_cluster
        As in `HDBSCANGPU`, except for "leaf" with `allow_single_cluster`: if the root never splits, all points are
        noise.
    max_cluster_size : int, default 0
        As in `HDBSCANGPU`; 0 for any number.
    metric : str or callable, default "euclidean"
        As in `HDBSCANGPU`.
    alpha : float, default 1.0
        As in `HDBSCANGPU`. hdbscan ignores it in its default algorithm.
    p : float, optional
        Of the Minkowski metric.
    algorithm : str, default "best"
        Has no effect; metrics that hdbscan's choice refuses are refused.
    leaf_size, memory, approx_min_span_tree, core_dist_n_jobs
        Have no effect: the tree is always exact. `exact_.recluster` selects other clusters without another tree.
    gen_min_span_tree : bool, default False
        Allow reading `minimum_spanning_tree_` and `relative_validity_`.
    prediction_data : bool, default False
        Allow predictions.
    branch_detection_data : bool, default False
        Allow detecting branches with `BranchDetector`, and reading `minimum_spanning_tree_`. No effect, but a
        UserWarning, for data without coordinates.
    match_reference_implementation : bool, default False
        Count `min_samples` with the point itself, and take clusters of more than `min_cluster_size` points. In hdbscan,
        points that leave a cluster when it begins are noise, too. Here no point does: equal heights are merged at once.
    cluster_selection_epsilon_max : float, default infinity
        Clusters that split off their parent at a greater distance are not selected by "eom".
    device : {"auto", "cpu", "cuda"}, default "auto"
        As in `HDBSCANGPU`; hdbscan has no such parameter.
    **kwargs
        Parameters of the metric. They are part of `get_params` and survive `sklearn.base.clone`.

    Attributes
    ----------
    labels_, probabilities_
        As in `HDBSCANGPU`, but rows that are not finite have label -1 and probability 0.
    cluster_persistence_, condensed_tree_, single_linkage_tree_, minimum_spanning_tree_, outlier_scores_, exemplars_, \
relative_validity_
        As in `HDBSCANGPU`; outlier scores of rows that are not finite are 1.
    exact_ : HDBSCANGPU
        The fitted estimator, with all its attributes and methods.

    Examples
    --------
    >>> import numpy as np
    >>> import emst.compat.hdbscan as hdbscan
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
    >>> clusterer = hdbscan.HDBSCAN(min_cluster_size=20, min_samples=5).fit(X)
    >>> int(clusterer.labels_.max()), clusterer.exact_.min_samples
    (2, 6)
    """

    _instead = ", or pass max_dist, which stands for those that are not stored"

    def __init__(
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        cluster_selection_persistence: float = 0.0,
        max_cluster_size: int = 0,
        metric: Any = "euclidean",
        alpha: float = 1.0,
        p: float | None = None,
        algorithm: str = "best",
        leaf_size: int = 40,
        memory: Any = None,
        approx_min_span_tree: bool = True,
        gen_min_span_tree: bool = False,
        core_dist_n_jobs: int = 4,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        prediction_data: bool = False,
        branch_detection_data: bool = False,
        match_reference_implementation: bool = False,
        cluster_selection_epsilon_max: float = math.inf,
        *,
        device: str = "auto",
        **kwargs: Any,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.cluster_selection_persistence = cluster_selection_persistence
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.alpha = alpha
        self.p = p
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.memory = memory
        self.approx_min_span_tree = approx_min_span_tree
        self.gen_min_span_tree = gen_min_span_tree
        self.core_dist_n_jobs = core_dist_n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.prediction_data = prediction_data
        self.branch_detection_data = branch_detection_data
        self.match_reference_implementation = match_reference_implementation
        self.cluster_selection_epsilon_max = cluster_selection_epsilon_max
        self.device = device
        self._metric_kwargs = kwargs
        for name in kwargs:
            near = difflib.get_close_matches(name, super().get_params(deep=False), 1, 0.85)
            if near:
                raise TypeError(f"HDBSCAN has no parameter {name!r}: did you mean {near[0]!r}?")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters, those of the metric included.

        Parameters
        ----------
        deep : bool, default True
            Has no effect: no parameter is an estimator.

        Returns
        -------
        dict
            Values by name.
        """
        return {**super().get_params(deep), **self._metric_kwargs}

    def set_params(self, **params: Any) -> HDBSCAN:
        """Set parameters.

        Parameters
        ----------
        **params
            New values by name. These can also be parameters of the metric that the constructor was given.

        Returns
        -------
        HDBSCAN
            This estimator.
        """
        of_metric = {name: params.pop(name) for name in list(params) if name in self._metric_kwargs}
        self._metric_kwargs = {**self._metric_kwargs, **of_metric}
        super().set_params(**params)
        return self

    def _translated(self, X: Any) -> HDBSCANGPU:
        for name in ("cluster_selection_epsilon", "cluster_selection_epsilon_max"):
            RULES[name].check(name, getattr(self, name))
        if self.cluster_selection_epsilon_max < self.cluster_selection_epsilon:
            raise ValueError("cluster_selection_epsilon_max must be at least cluster_selection_epsilon")
        asked, sparse = self._asked(), is_sparse(X)
        reference = bool(self.match_reference_implementation)
        metric, params = metric_of(self.metric, {"p": self.p, **self._metric_kwargs}, sparse=sparse)
        return PeersHDBSCAN(
            min_cluster_size=self.min_cluster_size + reference,
            min_samples=with_the_point(asked.k - reference, number_of_points(X, metric)),
            cluster_selection_epsilon=self.cluster_selection_epsilon,
            cluster_selection_persistence=self.cluster_selection_persistence,
            cluster_selection_epsilon_max=self.cluster_selection_epsilon_max,
            max_cluster_size=limit_of(self.max_cluster_size),
            metric=metric,
            metric_params=params,
            alpha=self.alpha,
            algorithm=algorithm_of(self.algorithm, sparse=sparse),
            leaf_size=self.leaf_size,
            cluster_selection_method=self.cluster_selection_method,
            allow_single_cluster=self.allow_single_cluster,
            prediction_data=self.prediction_data,
            device=self.device,
        )

    def _take(self, exact: HDBSCANGPU) -> None:
        super()._take(exact)
        self._centers: dict[tuple[str, int], Any] = {}
        self._branch_data: BranchDetectionData | None = None
        if self.branch_detection_data:
            self.generate_branch_detection_data()

    @property
    def outlier_scores_(self) -> Any:
        """GLOSH outlier scores; 1 for rows that are not finite."""
        scores = self._fitted().outlier_scores_ * 1
        scores[scores != scores] = 1
        return scores

    @property
    def exemplars_(self) -> list[Any]:
        """The rows that represent each cluster."""
        exact = self._fitted()
        if exact._model.data is None:
            raise AttributeError(
                "exemplars_ are points, and X holds distances: exact_.exemplar_indices_ has their row numbers"
            )
        return exact.exemplars_

    @property
    def relative_validity_(self) -> float:
        """Density-based cluster validity, from the spanning tree alone; only if `gen_min_span_tree` is True."""
        exact = self._fitted()
        if not self.gen_min_span_tree:
            raise AttributeError("relative_validity_ needs gen_min_span_tree=True")
        return exact.relative_validity_

    @property
    def prediction_data_(self) -> PredictionData:
        """What predictions read; only after a fit with `prediction_data=True` or `generate_prediction_data`."""
        check_is_fitted(self)
        if not self._prepared:
            raise AttributeError("prediction_data_ needs prediction_data=True, or generate_prediction_data()")
        return PredictionData(self.exact_)

    def generate_branch_detection_data(self) -> None:
        """Allow detecting branches with this model, as `branch_detection_data=True` does.

        Warns
        -----
        UserWarning
            The model was fitted to distances or to sparse features: it has no branches.
        """
        exact = self._fitted()
        if exact._model.has_features:
            self._branch_data = BranchDetectionData(exact)
        else:
            warnings.warn(NO_BRANCHES, UserWarning, stacklevel=levels_of_the_package())

    @property
    def branch_detection_data_(self) -> BranchDetectionData:
        """What branch detection reads; only with `branch_detection_data=True` or `generate_branch_detection_data`."""
        check_is_fitted(self)
        if self._branch_data is None:
            raise AttributeError(
                "branch_detection_data_ needs branch_detection_data=True, or generate_branch_detection_data()"
            )
        return self._branch_data

    @property
    def minimum_spanning_tree_(self) -> SpanningTree:
        """The minimum spanning tree under mutual reachability; only if `gen_min_span_tree` or `branch_detection_data`
        is True."""
        return self._fitted().minimum_spanning_tree_ if self.branch_detection_data else super().minimum_spanning_tree_

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Any:
        """Labels of DBSCAN* at a distance.

        Parameters
        ----------
        cut_distance : float
            Mutual reachability distance at which to cut the dendrogram.
        min_cluster_size : int, default 5
            Points of smaller clusters are noise.

        Returns
        -------
        int64 array of shape (n,)
            As `HDBSCANGPU.dbscan_clustering` returns it; rows that are not finite are noise, too.
        """
        return self._fitted().dbscan_clustering(cut_distance, min_cluster_size).clip(min=-1)

    def weighted_cluster_centroid(self, cluster_id: int) -> Any:
        """Mean of a cluster, weighted by probability.

        Parameters
        ----------
        cluster_id : int
            Label of the cluster.

        Returns
        -------
        float64 array of shape (d,)
            The mean.
        """
        return self._center("centroid", cluster_id)

    def weighted_cluster_medoid(self, cluster_id: int) -> Any:
        """Row of a cluster with the least sum of distances to its others, weighted by probability.

        Parameters
        ----------
        cluster_id : int
            Label of the cluster.

        Returns
        -------
        float64 array of shape (d,)
            The row.
        """
        return self._center("medoid", cluster_id)

    def _center(self, kind: str, cluster_id: int) -> Any:
        """The centre of one cluster, which is kept."""
        exact = self._fitted()
        if exact._model.data is None:
            raise ValueError(f"weighted_cluster_{kind} takes points, and X holds distances")
        count = len(self.cluster_persistence_)
        if cluster_id not in range(count):
            raise ValueError(f"there are clusters 0 to {count - 1}, and -1 is noise; got cluster_id={cluster_id}")
        if (kind, cluster_id) not in self._centers:
            with exact._model.scope():
                self._centers[kind, cluster_id] = exact._model.give(center_of(exact._model, kind, int(cluster_id)))
        return self._centers[kind, cluster_id]


def hdbscan(
    X: Any,
    min_cluster_size: int = 5,
    min_samples: int | None = None,
    alpha: float = 1.0,
    cluster_selection_epsilon: float = 0.0,
    cluster_selection_persistence: float = 0.0,
    max_cluster_size: int = 0,
    metric: Any = "minkowski",
    p: float | None = 2,
    leaf_size: int = 40,
    algorithm: str = "best",
    memory: Any = None,
    approx_min_span_tree: bool = True,
    gen_min_span_tree: bool = False,
    core_dist_n_jobs: int = 4,
    cluster_selection_method: str = "eom",
    allow_single_cluster: bool = False,
    match_reference_implementation: bool = False,
    cluster_selection_epsilon_max: float = math.inf,
    *,
    device: str = "auto",
    **kwargs: Any,
) -> tuple[Any, Any, np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    """`hdbscan.hdbscan`: cluster the rows of `X`, and return six results.

    Parameters
    ----------
    X : array-like of shape (n, d), or (n, n) distances for ``metric="precomputed"``
        See `HDBSCANGPU.fit`.
    min_cluster_size, min_samples, alpha, cluster_selection_epsilon, cluster_selection_persistence, max_cluster_size, \
metric, p, leaf_size, algorithm, memory, approx_min_span_tree, gen_min_span_tree, core_dist_n_jobs, \
cluster_selection_method, allow_single_cluster, match_reference_implementation, cluster_selection_epsilon_max, device, \
**kwargs
        See `HDBSCAN`.

    Returns
    -------
    labels, probabilities, cluster_persistence : arrays
        See `HDBSCAN`.
    condensed_tree : structured array
        See `CondensedTree.to_numpy`.
    single_linkage_tree : float64 array of shape (n - 1, 4)
        See `SingleLinkageTree.to_numpy`.
    min_spanning_tree : float64 array of shape (n - 1, 3), or None
        See `SpanningTree.to_numpy`; None if `gen_min_span_tree` is False.
    """
    model = HDBSCAN(
        min_cluster_size=min_cluster_size,
        min_samples=min_samples,
        alpha=alpha,
        cluster_selection_epsilon=cluster_selection_epsilon,
        cluster_selection_persistence=cluster_selection_persistence,
        max_cluster_size=max_cluster_size,
        metric=metric,
        p=p,
        leaf_size=leaf_size,
        algorithm=algorithm,
        memory=memory,
        approx_min_span_tree=approx_min_span_tree,
        gen_min_span_tree=gen_min_span_tree,
        core_dist_n_jobs=core_dist_n_jobs,
        cluster_selection_method=cluster_selection_method,
        allow_single_cluster=allow_single_cluster,
        match_reference_implementation=match_reference_implementation,
        cluster_selection_epsilon_max=cluster_selection_epsilon_max,
        device=device,
        **kwargs,
    ).fit(X)
    return (
        model.labels_,
        model.probabilities_,
        model.cluster_persistence_,
        model.condensed_tree_.to_numpy(),
        model.single_linkage_tree_.to_numpy(),
        model.minimum_spanning_tree_.to_numpy() if gen_min_span_tree else None,
    )
