"""HDBSCAN* over many workers: `HDBSCAN`, whose `fit` lists the stages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from emst.dask.engine import DaskEngine
from emst.dask.faults import read_again
from emst.dask.inputs import chunks_of
from emst.dask.outputs import DaskEstimator, dask_array
from emst.dask.prediction import approximate_predict
from emst.dask.weights import weights_of
from emst.distances.metrics import Metric, check_columns, metric_of, tree_metric_of
from emst.hdbscan.fitting import check_size, check_total
from emst.hdbscan.keywords import tells_equivalents
from emst.hdbscan.parameters import CLUSTER_SIZE, RECLUSTERED, RULES, Rule
from emst.hdbscan.trees import CondensedTree
from emst.hierarchy.selection import Options
from emst.inputs.features import ATTRIBUTES, features_of, set_features
from emst.inputs.fitted import fitted_attribute
from emst.inputs.summary import counted
from emst.partitions.chunks import Chunks, finite_chunks, namer, weightless_chunks
from emst.partitions.model import Model, clustered
from emst.partitions.prediction import all_results
from emst.partitions.records import Request
from emst.partitions.spanning import check_images, fitted_tree
from emst.progress import check_lines, showing


class HDBSCAN(ClusterMixin, DaskEstimator):
    """Hierarchical density-based clustering, HDBSCAN*, on the workers of a Dask cluster.

    Labels and probabilities are those of `emst.HDBSCANGPU`, bit for bit, for any number of partitions and workers.

    Parameters
    ----------
    min_cluster_size, min_samples, cluster_selection_epsilon, max_cluster_size, metric, metric_params, alpha, \
cluster_selection_method, allow_single_cluster, cluster_selection_persistence, dtype, verbose
        As for `emst.HDBSCANGPU`, but `min_cluster_size` is a number, and `verbose` is not "bar". Metrics are those of
        `emst.minimum_spanning_tree`.
    device, partitions, client
        As for `emst.dask.minimum_spanning_tree`.

    Attributes
    ----------
    labels_ : dask array, int64 of shape (n,)
        Cluster of each row, in the chunks of the input; -1 for noise, -2 for rows with infinite values, -3 for rows
        with NaN.
    probabilities_ : dask array, float64 of shape (n,)
        As for `emst.HDBSCANGPU`.
    core_distances_ : dask array of shape (n,)
        Distance of each row to its `min_samples`-th nearest, or within which the weights sum to `min_samples`; NaN for
        rows that are not finite or have the weight 0.
    cluster_persistence_ : float64 array of shape (n_clusters,)
        How persistent each cluster is, from 0 to 1.
    condensed_tree_ : CondensedTree
        The condensed tree, with hdbscan's interface. Reading it copies it from the workers to this process.
    report_ : Costs
        What the run took and sent.
    device_ : {"cpu", "cuda"}
        Where it was computed.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : array of shape (d,)
        Names of the columns. Only when `X` has string column names.

    Examples
    --------
    >>> import numpy as np
    >>> from emst.dask import HDBSCAN, local_cluster
    >>> client = local_cluster(2, device="cpu")
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(1000, 2)) for c in (0, 20, 40)])
    >>> model = HDBSCAN(min_cluster_size=100, min_samples=5, client=client).fit(X)
    >>> int(model.labels_.max()) + 1
    3
    >>> client.close()
    """

    labels_: Any = fitted_attribute()
    probabilities_: Any = fitted_attribute()
    core_distances_: Any = fitted_attribute()
    cluster_persistence_: Any = fitted_attribute()
    report_: Any = fitted_attribute()
    device_: str = fitted_attribute()
    n_features_in_: int = fitted_attribute()

    @tells_equivalents
    def __init__(
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: str = "euclidean",
        metric_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        cluster_selection_persistence: float = 0.0,
        device: str = "auto",
        dtype: Any = None,
        partitions: int | None = None,
        client: Any = None,
        verbose: bool = False,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.cluster_selection_persistence = cluster_selection_persistence
        self.device = device
        self.dtype = dtype
        self.partitions = partitions
        self.client = client
        self.verbose = verbose

    @tells_equivalents
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> HDBSCAN:
        """Cluster the rows of `X`; returns when the clusters are known.

        Parameters
        ----------
        X : dask array, dask data frame, paths, delayed blocks, or array-like of shape (n, d)
            As for `emst.dask.minimum_spanning_tree`; rows may hold NaN and infinities.
        y : None
            Ignored; scikit-learn passes it.
        sample_weight : dask array or series, or array-like of shape (n,), optional
            Weights of the rows, as for `emst.HDBSCANGPU.fit`, whose results these are, bit for bit. They may have other
            chunks than `X`.

        Returns
        -------
        HDBSCAN
            This estimator. If the fit fails, it stays as it was.

        Raises
        ------
        TypeError, ValueError, RuntimeError, FileNotFoundError
            What `emst.dask.minimum_spanning_tree` raises, but for rows that are not finite or have the weight 0; fewer
            than two other rows; `min_samples` above the sum of their weights; a parameter out of range.
        """
        options = _checked(self)
        check_lines(self.verbose)
        tree_metric_of(self.metric, self.metric_params)  # raises an error for metrics that need a matrix
        chosen = metric_of(self.metric, self.metric_params, algorithm="auto", alpha=float(self.alpha), sparse=False)
        if chosen.way != "tree":
            raise ValueError(f"metric={self.metric!r} would need the matrix of all distances: {chosen.why}")
        k = int(self.min_cluster_size if self.min_samples is None else self.min_samples)
        engine = DaskEngine(self.client, self.device)

        def fit() -> HDBSCAN:
            with engine.releasing():
                chunks = chunks_of(X, engine, self.dtype)
                features = features_of(chunks.header)
                check_columns(getattr(chunks.header, "columns", ()), chosen)
                chunks = replace(chunks, weights=weights_of(sample_weight, chunks, engine))
                model = self._model_of(chunks, chosen, k, options, engine)
                return self._take(model, engine, features)

        return read_again(X, fit)

    def _model_of(self, all_chunks: Chunks, metric: Metric, k: int, options: Options, engine: DaskEngine) -> Model:
        self._check_size(all_chunks, k)
        weightless = weightless_chunks(all_chunks, engine)
        chunks, rows = finite_chunks(all_chunks, engine)
        if chunks.n < 2:
            finite = counted(chunks.n, "row")
            weight = "" if chunks.weights is None else ", with a weight above 0"
            raise ValueError(f"X has {finite} without NaN and infinity{weight}; HDBSCAN over workers needs two")
        self._check_size(chunks, k, "sample" if rows is None else "finite row")
        request = Request(metric, k, self.partitions, self.dtype, float(self.alpha))
        if weightless is not None:
            check_images(weightless, request, namer(all_chunks, rows, engine, weightless=True), engine)
        with showing(self.verbose) as progress:
            fitted = fitted_tree(chunks, request, engine, progress, namer(all_chunks, rows, engine))
        return clustered(fitted, all_chunks, chunks, rows, options, engine, weightless)

    def _check_size(self, chunks: Chunks, k: int, what: str = "sample") -> None:
        """Raise ValueError for too few points, or for weights that sum to less than `k`."""
        given, weights = self.min_samples is not None, chunks.weights
        if weights is None:
            check_size(chunks.n, k, given, what)
        else:
            check_total(chunks.n, weights.total, weights.bits, k, given)

    def _take(self, model: Model, engine: DaskEngine, features: dict[str, Any]) -> HDBSCAN:
        labels, probabilities, persistence = all_results(model)
        cores, sizes = model.cores(), model.all_chunks.row_chunks
        self._model, self._engine = model, engine
        self.labels_ = dask_array(labels, sizes, np.int64)
        self.probabilities_ = dask_array(probabilities, sizes, np.float64)
        self.core_distances_ = dask_array(cores, sizes, model.fitted.units.dtype)
        self.cluster_persistence_ = persistence
        self.report_, self.device_ = model.fitted.tree.costs, engine.device
        set_features(self, features)
        return self

    @tells_equivalents
    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Cluster the rows of `X` and return `labels_`.

        Parameters
        ----------
        X : dask array, dask data frame, paths, delayed blocks, or array-like of shape (n, d)
            As for `fit`.
        y : None
            Ignored; scikit-learn passes it.
        sample_weight : dask array or series, or array-like of shape (n,), optional
            As for `fit`.

        Returns
        -------
        dask array, int64 of shape (n,)
            The attribute `labels_`.
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X: Any) -> Any:
        """Labels of new points in this clustering, which they do not change.

        `emst.dask.prediction.approximate_predict` returns probabilities as well.

        Parameters
        ----------
        X : dask array, dask data frame, paths, delayed blocks, or array-like of shape (m, d)
            New points, with the columns of the training data.

        Returns
        -------
        dask array, int64 of shape (m,)
            In the chunks of `X`. ``predict(X)`` of the training data is `labels_`.

        Raises
        ------
        TypeError, sklearn.exceptions.NotFittedError, ValueError, RuntimeError, FileNotFoundError
            As `approximate_predict`.
        """
        return approximate_predict(self, X)[0]

    def recluster(self, **params: Any) -> HDBSCAN:
        """Select clusters from the same tree with other parameters.

        Parameters
        ----------
        **params
            New values for any of `min_cluster_size`, `cluster_selection_method`, `cluster_selection_epsilon`,
            `cluster_selection_persistence`, `max_cluster_size` and `allow_single_cluster`.

        Returns
        -------
        HDBSCAN
            A new fitted estimator with the `min_samples` of the tree; this one stays as it is.

        Raises
        ------
        ValueError
            No such parameter, or one that the tree depends on.
        """
        check_is_fitted(self)
        allowed = [name for name in RECLUSTERED if name in self.get_params(deep=False)]
        for name in params:
            if name not in allowed:
                raise ValueError(f"recluster takes {', '.join(allowed)}; got {name}")
        other = clone(self).set_params(min_samples=self._model.fitted.tree.search.k, **params)
        options = _checked(other)
        with self._engine.releasing():
            features = {name: getattr(self, name) for name in ATTRIBUTES if hasattr(self, name)}
            return other._take(self._model.reclustered(options), self._engine, features)

    @property
    def condensed_tree_(self) -> CondensedTree:
        """The condensed tree of all points, with hdbscan's interface."""
        check_is_fitted(self)
        return self._model.condensed_tree()

    def to_local(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels and probabilities in this process.

        Returns
        -------
        labels : int64 array of shape (n,)
            The attribute `labels_` as a numpy array.
        probabilities : float64 array of shape (n,)
            The attribute `probabilities_` as a numpy array.
        """
        check_is_fitted(self)
        client = self._engine.client
        return self.labels_.compute(scheduler=client), self.probabilities_.compute(scheduler=client)


def _checked(estimator: HDBSCAN) -> Options:
    """The options of the clustering. Raises ValueError for the first parameter whose value is not allowed."""
    for name, value in estimator.get_params(deep=False).items():
        rule: Rule | None = CLUSTER_SIZE if name == "min_cluster_size" else RULES.get(name)
        if rule is not None and not rule.allows(value):
            raise ValueError(f"{name} must be {rule.words}; got {value!r}")
    most = estimator.max_cluster_size
    return Options(
        min_cluster_size=int(estimator.min_cluster_size),
        method=estimator.cluster_selection_method,
        epsilon=float(estimator.cluster_selection_epsilon),
        persistence=float(estimator.cluster_selection_persistence),
        max_cluster_size=None if most is None else int(most),
        allow_single_cluster=bool(estimator.allow_single_cluster),
    )


HDBSCANGPU = HDBSCAN
