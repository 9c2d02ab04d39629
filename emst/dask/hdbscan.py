"""HDBSCAN* over many workers: `HDBSCAN`, whose `fit` lists the stages."""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed import Future
from sklearn.base import ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from emst.backend.records import Condensed
from emst.dask import contract, hierarchy
from emst.dask.cluster import Cluster
from emst.dask.estimator import DaskEstimator
from emst.dask.finite import finite_chunks, spread
from emst.dask.fitting import Fitted, fitted_tree, read_again, without_source
from emst.dask.inputs import Chunks, chunks_of
from emst.dask.outputs import dask_array, scatter_rows
from emst.distances.metrics import Metric, metric_of, tree_metric_of
from emst.hdbscan.fitting import check_size
from emst.hdbscan.parameters import RECLUSTERED, RULES, Rule
from emst.hdbscan.trees import CondensedTree
from emst.hierarchy import scores
from emst.hierarchy.selection import FlatClustering, Options
from emst.inputs.features import ATTRIBUTES, features_of, set_features
from emst.inputs.fitted import FittedAttribute
from emst.inputs.summary import counted
from emst.progress import round_printer


class HDBSCAN(ClusterMixin, DaskEstimator):
    """Hierarchical density-based clustering, HDBSCAN*, on the workers of a Dask cluster.

    Labels and probabilities are those of `emst.HDBSCANGPU`, bit for bit, for any number of partitions and workers.

    Parameters
    ----------
    min_cluster_size, min_samples, cluster_selection_epsilon, max_cluster_size, metric, metric_params, alpha, \
cluster_selection_method, allow_single_cluster, cluster_selection_persistence, dtype, verbose
        As for `emst.HDBSCANGPU`. Metrics are those of `emst.minimum_spanning_tree`.
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
        Distance of each row to its `min_samples`-th nearest, NaN for rows that are not finite.
    cluster_persistence_ : float64 array of shape (n_clusters,)
        How persistent each cluster is, from 0 to 1.
    condensed_tree_ : CondensedTree
        The condensed tree in this process, with hdbscan's interface. It is fetched when it is first read.
    report_ : Costs
        What the run took and sent.
    device_ : {"cpu", "cuda"}
        Where it was computed.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : array of shape (d,)
        Names of the columns. Only when `X` has string column names.
    """

    labels_: Any = FittedAttribute()
    probabilities_: Any = FittedAttribute()
    core_distances_: Any = FittedAttribute()
    cluster_persistence_: Any = FittedAttribute()
    report_: Any = FittedAttribute()
    device_: Any = FittedAttribute()
    n_features_in_: Any = FittedAttribute()

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

    def fit(self, X: Any, y: Any = None) -> HDBSCAN:
        """Cluster the rows of `X`; returns when the clusters are known.

        Parameters
        ----------
        X : dask array, dask data frame, paths, delayed blocks, or array-like of shape (n, d)
            As for `emst.dask.minimum_spanning_tree`; rows may hold NaN and infinities.
        y : None
            Ignored; scikit-learn passes it.

        Returns
        -------
        HDBSCAN
            This estimator. If the fit fails, it stays as it was.

        Raises
        ------
        TypeError, ValueError, RuntimeError, FileNotFoundError
            What `emst.dask.minimum_spanning_tree` raises, but for rows that are not finite; fewer than two rows that
            are; a parameter out of range.
        """
        options = _checked(self)
        tree_metric_of(self.metric, self.metric_params)  # raises an error for metrics that need a matrix
        chosen = metric_of(self.metric, self.metric_params, algorithm="auto", alpha=float(self.alpha), sparse=False)
        if chosen.way != "tree":
            raise ValueError(f"metric={self.metric!r} would need the matrix of all distances: {chosen.why}")
        k = int(self.min_cluster_size if self.min_samples is None else self.min_samples)
        cluster = Cluster(self.client, self.device)
        with cluster.releasing():
            given = chunks_of(X, cluster, self.dtype)
            features = features_of(given.header)
            read_again(
                given, cluster, lambda chunks: self._take(self._model_of(chunks, chosen, k, options, cluster), features)
            )
        return self

    def _model_of(self, given: Chunks, metric: Metric, k: int, options: Options, cluster: Cluster) -> Model:
        check_size(given.n, k)
        chunks, rows = finite_chunks(given, cluster)
        if chunks.n < 2:
            some = counted(chunks.n, "row")
            raise ValueError(f"X has {some} without NaN and infinity; HDBSCAN over workers needs two")
        report = round_printer(chunks.n) if self.verbose else None
        fitted = fitted_tree(chunks, metric, k, self.partitions, cluster, self.dtype, report, float(self.alpha))
        return Model(fitted, given, chunks, rows, metric, float(self.alpha), k, options, cluster)

    def _take(self, model: Model, features: dict[str, Any]) -> None:
        labels, probabilities, persistence = model.results()
        cores = model.cores()
        self._model = model
        self.labels_, self.probabilities_, self.core_distances_ = labels, probabilities, cores
        self.cluster_persistence_ = persistence
        self.report_, self.device_ = model.fitted.tree.costs, model.cluster.device
        set_features(self, features)

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Cluster the rows of `X` and return `labels_`."""
        return self.fit(X).labels_

    def predict(self, X: Any) -> Any:
        """Labels of new points in this clustering, which they do not change; see
        `emst.dask.prediction.approximate_predict`, which returns probabilities as well.

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
        from emst.dask.prediction import approximate_predict

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
        known = [name for name in RECLUSTERED if name in self.get_params(deep=False)]
        for name in params:
            if name not in known:
                raise ValueError(f"recluster takes {', '.join(known)}; got {name}")
        other = clone(self).set_params(min_samples=self._model.k, **params)
        options = _checked(other)
        with self._model.cluster.releasing():
            features = {name: getattr(self, name) for name in ATTRIBUTES if hasattr(self, name)}
            other._take(self._model.reclustered(options), features)
        return other

    @property
    def condensed_tree_(self) -> CondensedTree:
        """The condensed tree of all points, with hdbscan's interface."""
        check_is_fitted(self)
        return self._model.condensed_tree()

    def to_local(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels int64[n] and probabilities float64[n] in this process."""
        check_is_fitted(self)
        client = self._model.cluster.client
        return self.labels_.compute(scheduler=client), self.probabilities_.compute(scheduler=client)


class Model:
    """A fitted tree and the clusters that were selected from it. Futures keep both on the workers."""

    def __init__(
        self,
        fitted: Fitted,
        given: Chunks,
        chunks: Chunks,
        rows: list[Future] | None,
        metric: Metric,
        alpha: float,
        k: int,
        options: Options,
        cluster: Cluster,
        known: Future | None = None,
        contracted: list[Future] | None = None,
        least: int = 0,
    ) -> None:
        self.fitted, self.given, self.chunks, self.rows = fitted, without_source(given), without_source(chunks), rows
        self.metric, self.alpha, self.k, self.options, self.cluster = metric, alpha, k, options, cluster
        if known is None or contracted is None or options.min_cluster_size < least:
            least = options.min_cluster_size if options.min_cluster_size <= chunks.n else 2
            known, contracted = self._hierarchy(least)
        self.hierarchy, self.contracted, self.least = known, contracted, least
        self.flat = cluster.submit(hierarchy.clusters, known, options, at=0)

    def _hierarchy(self, least: int) -> tuple[Future, list[Future]]:
        tree, cluster = self.fitted.tree, self.cluster
        contracted = [
            cluster.submit(contract.contracted, local, place, tree.joined, least, at=place.number)
            for local, place in zip(tree.locals, tree.places)
        ]
        parts = [cluster.submit(hierarchy.part_of, own, at=j) for j, own in enumerate(contracted)]
        rest = (self.metric, self.alpha, self.fitted.dtype, least, tree.norm.degree)
        return cluster.submit(hierarchy.hierarchy, tree.locals[0], parts, tree.joined, *rest, at=0), contracted

    @property
    def core_factor(self) -> float:
        """See `Metric.core_factor`."""
        return self.metric.core_factor(self.alpha, self.k, self.fitted.dtype)

    def reclustered(self, options: Options) -> Model:
        """The model with clusters that are selected by other options."""
        return Model(
            self.fitted, self.given, self.chunks, self.rows, self.metric, self.alpha, self.k, options, self.cluster,
            self.hierarchy, self.contracted, self.least,
        )  # fmt: skip

    def _of_chunks(self, which: int) -> list[Future]:
        """One of the values of `hierarchy.of_partition` for every point, in the chunks of finite rows."""
        cluster = self.cluster
        numbers = range(len(self.contracted))
        values = [cluster.submit(hierarchy.of_partition, self.flat, self.hierarchy, j, at=0) for j in numbers]
        points = [cluster.submit(hierarchy.of_points, values[j], which, self.contracted[j], at=j) for j in numbers]
        rows = [cluster.submit(hierarchy.rows_of, local, at=j) for j, local in enumerate(self.fitted.tree.locals)]
        return scatter_rows(cluster, points, rows, self.chunks)

    def results(self) -> tuple[Any, Any, np.ndarray]:
        """Labels, probabilities, and the persistence of clusters, when they are complete."""
        cluster = self.cluster
        labels = spread(self._of_chunks(0), self.rows, -2, -3, cluster)
        probabilities = spread(self._of_chunks(1), self.rows, 0, np.nan, cluster)
        persistence, *_ = cluster.gather(
            [cluster.submit(_persistence, self.flat, self.hierarchy, at=0), *map(self._done, labels)]
        )
        return (
            dask_array(labels, self.given.row_chunks, np.int64),
            dask_array(probabilities, self.given.row_chunks, np.float64),
            persistence,
        )

    def _done(self, future: Future) -> Future:
        return self.cluster.submit(_nothing, future)

    def cores(self) -> Any:
        """Core distances in the chunks of the input."""
        dtype, cores = self.fitted.dtype, self.fitted.cores
        if cores is None:
            cores = [self.cluster.submit(_zeros, size, dtype) for size in self.chunks.sizes]
        return dask_array(spread(cores, self.rows, np.nan, np.nan, self.cluster), self.given.row_chunks, dtype)

    def condensed_tree(self) -> CondensedTree:
        """The condensed tree with the places of all points, in this process."""
        cluster = self.cluster
        condensed, selection = cluster.gather([cluster.submit(hierarchy.tree_on_host, self.flat, at=0)])[0]
        found = [np.concatenate(cluster.gather(self._of_chunks(which))) for which in (2, 3)]
        tree = _Expanded(condensed, *found)
        kept = None
        if self.rows is not None:
            own = cluster.gather(self.rows)
            kept = np.concatenate([rows.kept + first for rows, first in zip(own, self.given.offsets)])
        return CondensedTree(tree, selection, rows=kept, n=self.given.n)


class _Expanded(Condensed):
    """A condensed tree whose points are given by the clusters and heights at which they leave."""

    def __init__(self, condensed: Condensed, cluster: np.ndarray, height: np.ndarray) -> None:
        self.__dict__.update(condensed.__dict__, cluster=cluster, _height=height)

    def leaving(self, points: Any = slice(None)) -> tuple[Any, Any]:
        return self.cluster[points], self._height[points]  # type: ignore[attr-defined]


def _checked(estimator: HDBSCAN) -> Options:
    """The options of the clustering. Raises ValueError for the first parameter whose value is not allowed."""
    for name, value in estimator.get_params(deep=False).items():
        rule: Rule | None = RULES.get(name)
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


def _persistence(ops: Any, flat: FlatClustering, known: hierarchy.Hierarchy) -> np.ndarray:
    return scores.persistence(flat, known.sizes)


def _nothing(ops: Any, value: Any) -> None:
    return None


def _zeros(ops: Any, size: int, dtype: Any) -> Any:
    return ops.xp.zeros(size, dtype)


HDBSCANGPU = HDBSCAN
