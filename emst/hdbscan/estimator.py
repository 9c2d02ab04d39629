"""HDBSCAN*: clusters of varying density, from the spanning tree under mutual reachability to labels.

The stages in order: the spanning tree (`fitting.py` finds the way for the metric), its dendrogram, the condensed tree,
the choice of clusters, labels and probabilities (`hierarchy/flat.py`). What is asked of a fitted model later is made
when it is asked (`attributes.py`).

References
----------
R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering, visualization, and
outlier detection", TKDD 2015. L. McInnes, J. Healy, "Accelerated hierarchical density based clustering", ICDMW 2017.
C. Malzer, M. Baum, "A hybrid approach to hierarchical density-based cluster selection", MFI 2020 (epsilon).
"""

from __future__ import annotations

import difflib
import warnings
from typing import Any

from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from emst.hdbscan import centers
from emst.hdbscan.attributes import FittedAttributes
from emst.hdbscan.fitting import tree_model
from emst.hdbscan.model import Model
from emst.hdbscan.parameters import RECLUSTERED, RULES, check_parameters, options_of, request_of
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.selection import check_cut, flat_clustering
from emst.inputs.features import ATTRIBUTES, features_of, set_features
from emst.progress import stage_printer


class HDBSCANGPU(FittedAttributes, ClusterMixin, BaseEstimator):
    """Hierarchical density-based clustering of applications with noise, HDBSCAN*, on the CPU or the GPU.

    Parameters
    ----------
    min_cluster_size : int, default 5
        Fewest points that make a cluster.
    min_samples : int, optional
        The core distance of a point is the distance to its `min_samples`-th nearest, **counting the point itself**, as
        in scikit-learn: 1 is plain single linkage. hdbscan, cuML and fast_hdbscan do not count it: give k + 1 for their
        k. None takes `min_cluster_size` (hdbscan's default of 5 is 6 here).
    cluster_selection_epsilon : float, default 0.0
        Clusters born at a smaller distance than this are merged.
    max_cluster_size : int, optional
        Most points of a cluster chosen by "eom"; None for any number.
    metric : str or callable, default "euclidean"
        Any of `sklearn.metrics.pairwise_distances`, or "precomputed": `X` is then a matrix of distances, in which
        infinity marks missing ones, or a sparse one, in which what is absent is missing and explicit zeros count. Parts
        that no distance connects are joined at infinity. Euclidean, squared Euclidean, cosine and haversine (latitude
        and longitude in radians) take the fast way; Manhattan, Chebyshev and Minkowski O(n^2) time; others, and sparse
        features, O(n^2) memory.
    metric_params : dict, optional
        Parameters of the metric, such as ``{"p": 3}``; ``{"max_distance": d}`` for sparse distances: the height at
        which to join what is not connected.
    alpha : float, default 1.0
        Distances, but not core distances, are divided by it. Any other value than 1 takes O(n^2) time.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default "auto"
        Changes nothing, as the tree is always exact; metrics are refused where scikit-learn refuses them.
    leaf_size, n_jobs, copy
        Accepted, without effect: `X` is never changed.
    cluster_selection_method : {"eom", "leaf"}, default "eom"
        Clusters of greatest excess of mass, or the leaves of the condensed tree.
    allow_single_cluster : bool, default False
        Whether the whole may be one cluster.
    store_centers : {None, "centroid", "medoid", "both"}, default None
        Centres to compute: centroids, in O(n d) time; medoids, in O(s^2 d) time at worst for a cluster of s points. The
        triangle inequality spares most of that in few dimensions (euclidean, haversine, manhattan, chebyshev,
        minkowski), the mean in any (sqeuclidean, cosine). A UserWarning announces more than 10^10 distances.
    cluster_selection_persistence : float, default 0.0
        Splits whose lesser side lasts for a shorter range of lambda (1 / distance) than this are undone.
    prediction_data : bool, default False
        Prepare `predict`, `approximate_predict` and the membership vectors at once, not when one of them is first
        called. They need `X` as it was, which is kept by reference.
    device : {"auto", "cpu", "cuda"}, default "auto"
        "auto" takes the GPU if the data is there or a usable one is present, else the CPU; `device_` says which.
    dtype : {None, float32, float64}
        What to compute in. None keeps float32 and float64; other types, squares, angles and matrices take float64.
    verbose : bool, default False
        Write the way taken, rounds and seconds of each stage to standard error.

    Attributes
    ----------
    labels_ : int64 array of shape (n,)
        Cluster of each row; -1 for noise, -2 for rows with infinite values, -3 for rows with NaN (or with infinities of
        both signs). If fewer than two rows are finite, all of these are noise.
    probabilities_ : float64 array of shape (n,)
        How far a row follows its cluster, from 0 to 1; 0 for those labelled -1 and -2, NaN for those labelled -3.
    cluster_persistence_, outlier_scores_, exemplars_, relative_validity_
        Made when first read, as hdbscan has them. `exemplar_indices_` are the rows of the `exemplars_`.
    condensed_tree_, single_linkage_tree_, minimum_spanning_tree_
        Objects with hdbscan's interfaces, made when first read.
    centroids_, medoids_ : float64 arrays of shape (n_clusters, d)
        Where `store_centers` asks for them.
    core_distances_ : array of shape (n,)
    device_ : {"cpu", "cuda"}
    n_features_in_ : int
    feature_names_in_ : array of shape (d,)
        Only when `X` has string column names.

    Notes
    -----
    Results come back in the caller's kind of array. The same input gives the same result in every run and, but for the
    last digits of angles and of powers that are not whole or half numbers, on every device. Among equal distances the
    order of the rows can matter.

    Examples
    --------
    >>> import numpy as np
    >>> from emst import HDBSCANGPU
    >>> X = np.random.default_rng(0).normal(size=(300, 2)) + np.repeat([[0, 0], [20, 0], [0, 20]], 100, axis=0)
    >>> int(HDBSCANGPU(min_cluster_size=20).fit_predict(X).max())
    2
    """

    def __init__(
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 40,
        n_jobs: int | None = None,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        store_centers: str | None = None,
        copy: bool = False,
        *,
        cluster_selection_persistence: float = 0.0,
        prediction_data: bool = False,
        device: str = "auto",
        dtype: Any = None,
        verbose: bool = False,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.copy = copy
        self.cluster_selection_persistence = cluster_selection_persistence
        self.prediction_data = prediction_data
        self.device = device
        self.dtype = dtype
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> HDBSCANGPU:
        """Cluster the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) distances for ``metric="precomputed"``
            numpy, lists, pandas, SciPy's sparse matrices, cupy, torch; CuPy's sparse matrices as distances. Data on a
            GPU stays there.
        y : ignored

        Raises
        ------
        ValueError
            A parameter out of range; a single row; `min_samples` above the number of (finite) rows; no real numbers;
            distances that are not symmetric, negative or NaN; a metric that cannot be honoured.
        RuntimeError
            ``device="cuda"`` without CuPy or a GPU.
        MemoryError
            Not enough memory; raised before anything is allocated.
        """
        check_parameters(self)
        stage = stage_printer(bool(self.verbose))
        features = features_of(X)
        request = request_of(self, sparse=issparse(X))
        options = request.options
        model = tree_model(X, request)
        with model.scope():
            stage("spanning tree", model.weights)
            if len(model.weights):  # there are two points or more
                model.linkage = model.ops.linkage(model.edges, model.weights)
                stage("dendrogram", model.linkage.height)
                condensed = condensed_tree(model.linkage, options.min_cluster_size, options.persistence, model.ops)
                stage("condensed tree", condensed.parent)
                model.flat = flat_clustering(condensed, options, model.ops)
                stage("clusters and labels", model.flat.labels)
            if self.prediction_data and not model.has_features:
                warnings.warn(f"prediction_data=True has no effect: {model.metric.why}", UserWarning, stacklevel=2)
            results = _results(model, self.store_centers)
            if self.prediction_data:
                model.prepare_queries()
            self._take(model, results, features)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Cluster the rows of `X` and return `labels_`."""
        return self.fit(X).labels_

    def predict(self, X: Any) -> Any:
        """Labels that new points would have in this clustering: those of `approximate_predict`.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        ValueError
            `X` has another number of features, or the model was fitted to distances or to sparse features.
        """
        from emst.hdbscan.prediction import approximate_predict

        return approximate_predict(self, X)[0]

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Any:
        """Labels of DBSCAN* (DBSCAN without border points): clusters of points within `cut_distance` of each other.

        Parameters
        ----------
        cut_distance : float
            Mutual reachability distance at which to cut the dendrogram.
        min_cluster_size : int, default 5
            Smaller clusters are noise, -1. Rows with infinite values and with NaN keep -2 and -3.

        Returns
        -------
        int64 array of shape (n,)
        """
        check_is_fitted(self)
        height, least = check_cut(cut_distance, min_cluster_size)
        model = self._model
        if model.linkage is None:
            return self.labels_
        with model.scope():
            return model.give(model.spread(model.ops.cut(model.linkage, height, least), -2, -3))

    def recluster(self, **params: Any) -> HDBSCANGPU:
        """Another clustering of the same hierarchy, without a new tree.

        Parameters
        ----------
        **params
            New values for any of `min_cluster_size`, `cluster_selection_method`, `cluster_selection_epsilon`,
            `cluster_selection_persistence`, `max_cluster_size`, `allow_single_cluster` and `store_centers`.

        Returns
        -------
        HDBSCANGPU
            A new fitted estimator; this one stays as it is. Its `min_samples` is that of the tree.

        Raises
        ------
        ValueError
            No such parameter, or one that the tree depends on, such as `min_samples` or `metric`: it takes a new `fit`.
        """
        check_is_fitted(self)
        unknown = [name for name in params if name not in RULES]
        if unknown:
            raise ValueError(f"recluster has no parameter {unknown[0]!r}; {_suggestion(unknown[0])}")
        fixed = [name for name in params if name not in RECLUSTERED]
        if fixed:
            raise ValueError(
                f"recluster takes {', '.join(RECLUSTERED)}; got {', '.join(fixed)}, for which a new fit is needed"
            )
        other = clone(self).set_params(min_samples=self._model.min_samples, **params)
        check_parameters(other)
        with self._model.scope():
            model = self._model.reclustered(options_of(other))
            features = {name: getattr(self, name) for name in ATTRIBUTES if hasattr(self, name)}
            other._take(model, _results(model, other.store_centers), features)
        return other

    def _take(self, model: Model, results: dict[str, Any], features: dict[str, Any]) -> None:
        """Become the fitted model; until here nothing of the estimator has changed."""
        set_features(self, features)
        for name in ("centroids_", "medoids_"):
            self.__dict__.pop(name, None)
        for name, result in results.items():
            setattr(self, name, model.give(result))
        self.device_ = model.device
        self._model, self._made = model, {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.metric != "precomputed"
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def _results(model: Model, store_centers: str | None) -> dict[str, Any]:
    """Attributes that a fit makes at once."""
    results = {"labels_": model.labels(), "probabilities_": model.probabilities(), "core_distances_": model.cores()}
    if store_centers in ("centroid", "both"):
        results["centroids_"] = centers.centroids(model)
    if store_centers in ("medoid", "both"):
        results["medoids_"] = centers.medoids(model)
    return results


def _suggestion(name: str) -> str:
    """The parameter that a misspelt one was meant to be, or all that `recluster` takes."""
    near = difflib.get_close_matches(name, list(RULES), 1)
    return f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(RECLUSTERED)}"


HDBSCAN = HDBSCANGPU
