"""Robust single linkage: a cut through the dendrogram of `HDBSCANGPU`.

Distances are max(core distance of u, core distance of v, distance / alpha), where core distances are those to the k-th
nearest other point, as in hdbscan's default algorithm. hdbscan's "prims" algorithms count the point itself, its
"generic" ignores alpha, and all but "generic" label the edges of the tree in the order in which they were found.

References
----------
K. Chaudhuri, S. Dasgupta, "Rates of convergence for the cluster tree", NIPS 2010.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from emst.compat.counting import Asked, is_sparse, number_of_points, with_the_point
from emst.compat.exact import PeersHDBSCAN, fit_exact
from emst.compat.hdbscan.algorithms import algorithm_of, metric_of
from emst.hdbscan.parameters import DICTIONARY, INFINITE, NONE, NOT_NEGATIVE, Rule, at_least
from emst.hdbscan.trees import SingleLinkageTree
from emst.inputs.features import tag_inputs

AT_LEAST_ONE = Rule(lambda value: isinstance(value, Real) and 1 <= float(value) < math.inf, "a number of at least 1")
RULES = {
    "cut": NOT_NEGATIVE | INFINITE,
    "k": at_least(1),
    "alpha": AT_LEAST_ONE,
    "gamma": at_least(1),
    "metric_params": DICTIONARY | NONE,
}
MISSING = ", or give the metric its parameter max_dist, which stands for those that are not stored"


class RobustSingleLinkage(ClusterMixin, BaseEstimator):
    """`hdbscan.RobustSingleLinkage`, computed exactly by `HDBSCANGPU`, which `exact_` holds after `fit`.

    Parameters
    ----------
    cut : float, default 0.4
        Distance at which to cut the tree.
    k : int, default 5
        Core distances are those to the k-th nearest **other** point.
    alpha : float, default sqrt(2)
        Distances, but not core distances, are divided by it; at least 1.
    gamma : int, default 5
        Points of smaller clusters are noise.
    metric : str or callable, default "euclidean"
        As in `HDBSCANGPU`.
    algorithm, core_dist_n_jobs
        Have no effect; metrics that hdbscan's choice of `algorithm` refuses are refused.
    metric_params : dict, optional
        Parameters of the metric.
    device : {"auto", "cpu", "cuda"}, default "auto"
        As in `HDBSCANGPU`; hdbscan has no such parameter.

    Attributes
    ----------
    labels_ : int64 array of shape (n,)
        Cluster of each row; -1 for noise.
    cluster_hierarchy_ : SingleLinkageTree
        The dendrogram; its `get_clusters(cut, gamma)` gives labels at other heights.
    exact_ : HDBSCANGPU
        The fitted estimator.
    """

    def __init__(
        self,
        cut: float = 0.4,
        k: int = 5,
        alpha: float = math.sqrt(2),
        gamma: int = 5,
        metric: Any = "euclidean",
        algorithm: str = "best",
        core_dist_n_jobs: int = 4,
        metric_params: dict[str, Any] | None = None,
        *,
        device: str = "auto",
    ) -> None:
        self.cut = cut
        self.k = k
        self.alpha = alpha
        self.gamma = gamma
        self.metric = metric
        self.algorithm = algorithm
        self.core_dist_n_jobs = core_dist_n_jobs
        self.metric_params = metric_params
        self.device = device

    def fit(self, X: Any, y: Any = None) -> RobustSingleLinkage:
        """Build the tree of the rows of `X`, and cut it.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) distances for ``metric="precomputed"``
            See `HDBSCANGPU.fit`.
        y : None
            Ignored.

        Returns
        -------
        RobustSingleLinkage
            This estimator.

        Raises
        ------
        ValueError
            A parameter out of range, or `X` is refused by `HDBSCANGPU.fit`.
        """
        for name, rule in RULES.items():
            rule.check(name, getattr(self, name))
        sparse = is_sparse(X)
        metric, params = metric_of(self.metric, self.metric_params or {}, sparse=sparse)
        exact = PeersHDBSCAN(
            min_samples=with_the_point(int(self.k), number_of_points(X, metric)),
            alpha=self.alpha,
            metric=metric,
            metric_params=params,
            algorithm=algorithm_of(self.algorithm, sparse=sparse),
            device=self.device,
        )
        self.exact_ = fit_exact(exact, X, Asked(int(self.k), f"k={self.k}"), MISSING)
        self.labels_ = exact.dbscan_clustering(self.cut, self.gamma).clip(min=-1)
        self.n_features_in_ = exact.n_features_in_
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Build the tree of the rows of `X`, cut it, and return `labels_`.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) distances for ``metric="precomputed"``
            See `HDBSCANGPU.fit`.
        y : None
            Ignored.

        Returns
        -------
        int64 array of shape (n,)
            The attribute `labels_`.
        """
        return self.fit(X).labels_

    @property
    def cluster_hierarchy_(self) -> SingleLinkageTree:
        """The dendrogram."""
        check_is_fitted(self)
        return self.exact_.single_linkage_tree_

    def get_clusters(self, cut: float, gamma: int = 5) -> np.ndarray:
        """Labels at another height; see `SingleLinkageTree.get_clusters`.

        Parameters
        ----------
        cut : float
            Distance at which to cut the tree.
        gamma : int, default 5
            Points of smaller clusters are noise.

        Returns
        -------
        int64 array of shape (n,)
            Cluster of each row; -1 for noise.
        """
        RULES["cut"].check("cut", cut)
        RULES["gamma"].check("gamma", gamma)
        return self.cluster_hierarchy_.get_clusters(cut, gamma)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tag_inputs(tags, self.metric)
        return tags


def robust_single_linkage(
    X: Any,
    cut: float,
    k: int = 5,
    alpha: float = math.sqrt(2),
    gamma: int = 5,
    metric: Any = "euclidean",
    algorithm: str = "best",
    memory: Any = None,
    leaf_size: int = 40,
    core_dist_n_jobs: int = 4,
    *,
    device: str = "auto",
    **kwargs: Any,
) -> tuple[Any, np.ndarray]:
    """`hdbscan.robust_single_linkage`: the labels, and the dendrogram as SciPy's linkage matrix.

    Parameters
    ----------
    X : array-like of shape (n, d), or (n, n) distances for ``metric="precomputed"``
        See `HDBSCANGPU.fit`.
    cut, k, alpha, gamma, metric, algorithm, core_dist_n_jobs, device
        See `RobustSingleLinkage`.
    memory, leaf_size
        Have no effect.
    **kwargs
        Parameters of the metric.

    Returns
    -------
    labels : int64 array of shape (n,)
        Cluster of each row; -1 for noise.
    single_linkage_tree : float64 array of shape (n - 1, 4)
        See `SingleLinkageTree.to_numpy`.
    """
    at_least(1).check("leaf_size", leaf_size)
    model = RobustSingleLinkage(cut, k, alpha, gamma, metric, algorithm, core_dist_n_jobs, kwargs, device=device).fit(X)
    return model.labels_, model.cluster_hierarchy_.to_numpy()
