"""Exact minimum spanning trees of points over many workers: the function, its result, the estimator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import dask.array as da
import numpy as np
from sklearn.utils.validation import check_is_fitted

import emst.euclidean
from emst.backend.records import Report
from emst.dask.cuts import Cuts
from emst.dask.engine import DaskEngine
from emst.dask.faults import read_again
from emst.dask.inputs import chunks_of
from emst.dask.outputs import DaskEstimator, dask_array
from emst.dask.weights import weights_of
from emst.distances.metrics import check_columns, tree_metric_of
from emst.hdbscan.keywords import tells_equivalents
from emst.inputs.features import features_of, set_features
from emst.inputs.fitted import fitted_attribute
from emst.inputs.summary import counted, one_line
from emst.partitions.chunks import Chunks
from emst.partitions.cuts import labels_at
from emst.partitions.edges import TreeEdges, cores_in_chunks
from emst.partitions.engine import part, wait
from emst.partitions.records import Costs, Fitted, Request
from emst.partitions.spanning import fitted_tree
from emst.progress import check_lines, showing
from emst.spanning_forest import Height


def minimum_spanning_tree(
    X: Any,
    *,
    min_samples: int = 1,
    metric: str = "euclidean",
    metric_params: dict[str, Any] | None = None,
    device: str = "auto",
    dtype: Any = None,
    partitions: int | None = None,
    client: Any = None,
    verbose: bool = False,
    report: Report | None = None,
    sample_weight: Any = None,
) -> MinimumSpanningTree:
    """Exact minimum spanning tree of points on the workers of a Dask cluster.

    The tree is that of `emst.minimum_spanning_tree`, bit for bit, for any number of partitions and workers, on CPUs and
    GPUs. Wherever a worker dies, what it held is computed again.

    Parameters
    ----------
    X : dask array, dask data frame, paths, delayed blocks, or array-like of shape (n, d)
        Points in chunks of rows, of known or unknown size. Paths are one or a list of .npy, .npz, .parquet, .csv, .tsv,
        .las, .laz, .fits or zarr arrays, of folders of them, or of patterns. The workers read these files, and take the
        columns that `emst.read_points` takes by default. A plain array is cut into chunks and sent to the workers. n
        may exceed 2**31.
    min_samples, metric, metric_params, dtype
        As for `emst.minimum_spanning_tree`.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where workers compute. "auto" is the GPU if all workers have one.
    partitions : int, optional
        Into how many parts of the Hilbert curve to cut the points, about. None makes one for every thread of the
        workers, and more if their memory would not do.
    client : distributed.Client, optional
        None takes the current one.
    verbose : bool, default False
        Write one line for each stage and round to standard error.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round over components.
    sample_weight : dask array or series, or array-like of shape (n,), optional
        Positive weights of the points, as for `emst.minimum_spanning_tree`. They may have other chunks than `X`.

    Returns
    -------
    emst.dask.MinimumSpanningTree
        In dask arrays. The call returns when the tree is complete.

    Raises
    ------
    TypeError
        Sparse points, a dask collection other than an array or a data frame, or column names of which only some are
        strings.
    ValueError
        What `emst.minimum_spanning_tree` raises, naming the chunk; chunks that split columns or differ in their columns
        or dtypes; `partitions` below 1.
    RuntimeError
        No client, no workers, workers with other versions of emst or with and without GPUs, workers that die again and
        again.
    FileNotFoundError
        A path that does not exist, or a file that vanishes before it is read.

    Examples
    --------
    >>> import numpy as np
    >>> from emst.dask import local_cluster, minimum_spanning_tree
    >>> client = local_cluster(2, device="cpu")
    >>> tree = minimum_spanning_tree(np.random.default_rng(0).random((10_000, 3)), client=client)
    >>> tree.edges.shape
    (9999, 2)
    >>> tree.to_local().weights.dtype
    dtype('float64')
    >>> client.close()
    """
    check_lines(verbose)
    chosen = tree_metric_of(metric, metric_params)
    engine = DaskEngine(client, device)

    def tree() -> MinimumSpanningTree:
        with engine.releasing():
            chunks = chunks_of(X, engine, dtype)
            features = features_of(chunks.header)
            check_columns(getattr(chunks.header, "columns", ()), chosen)
            weights = weights_of(sample_weight, chunks, engine, zeros=False)
            if min_samples != 1:  # otherwise weights change nothing
                chunks = replace(chunks, weights=weights)
            request = Request(chosen, min_samples, partitions, dtype)
            with showing(verbose, report) as progress:
                fitted = fitted_tree(chunks, request, engine, progress)
            edges = TreeEdges(fitted.tree, fitted.units, engine)
            return _result(fitted, edges, chunks, features, engine)

    return read_again(X, tree)


def _result(
    fitted: Fitted, edges: TreeEdges, chunks: Chunks, features: dict[str, Any], engine: DaskEngine
) -> MinimumSpanningTree:
    rows, weights = ([engine.submit(part, future, i) for future in edges.futures] for i in (0, 1))
    found = cores_in_chunks(fitted, chunks, engine)
    cores = None if found is None else dask_array(found, chunks.row_chunks, fitted.units.dtype)
    return MinimumSpanningTree(
        dask_array(rows, edges.counts, np.int64, columns=2),
        dask_array(weights, edges.counts, fitted.units.dtype),
        cores,
        engine.device,
        fitted.tree.costs,
        edges,
        chunks.without_source(),
        engine,
        features,
    )


@dataclass(frozen=True, eq=False)
class MinimumSpanningTree(Cuts):
    """Minimum spanning tree of n points, on the workers.

    Attributes
    ----------
    edges : dask array, int64 of shape (n - 1, 2)
        Rows of the two ends of each edge, the smaller first. Each chunk is in the total order; `to_local` returns all
        edges in the total order.
    weights : dask array of shape (n - 1,)
        Length of each edge in the units of the metric (mutual reachability when ``min_samples > 1``).
    core_distances : dask array of shape (n,) or None
        Distance of each point to its `min_samples`-th nearest, itself included, in the chunks of the input; None when
        ``min_samples == 1``.
    device : {"cpu", "cuda"}
        Where the tree was computed.
    report_ : Costs
        Partitions, rounds, components, points and bytes that were sent after the sort, and seconds of the stages.
    """

    edges: da.Array
    weights: da.Array
    core_distances: da.Array | None
    device: str
    report_: Costs
    _edges: TreeEdges
    _chunks: Chunks
    _engine: DaskEngine
    _features: dict[str, Any]

    def __repr__(self) -> str:
        return one_line(
            self,
            counted(self.report_.points, "point"),
            counted(len(self.weights), "edge"),
            counted(self.report_.partitions, "partition"),
            f"device {self.device}",
        )

    @property
    def total_weight(self) -> float:
        """Sum of the weights, in float64. Its last digits can change with the number of partitions."""
        return float(self.weights.sum(dtype=np.float64).compute(scheduler=self._engine.client))

    def _labels(self, heights: list[Height], min_cluster_size: int) -> da.Array:
        engine, chunks = self._engine, self._chunks
        with engine.releasing():
            labels = labels_at(self._edges, heights, min_cluster_size, chunks, engine)
            wait(labels, engine)
            return dask_array(labels, chunks.row_chunks, np.int64, columns=len(heights))

    def to_local(self) -> emst.euclidean.MinimumSpanningTree:
        """The tree in this process, in numpy arrays.

        Returns
        -------
        emst.MinimumSpanningTree
            What `emst.minimum_spanning_tree` returns for the same points. The ends of edges are int32 for fewer than
            2**31 points, otherwise int64.
        """
        rows, weights = self._edges.in_total_order()
        core = None if self.core_distances is None else self.core_distances.compute(scheduler=self._engine.client)
        small = self.report_.points < 2**31
        return emst.euclidean.MinimumSpanningTree(rows.astype(np.int32) if small else rows, weights, core, self.device)


class EMST(Cuts, DaskEstimator):
    """Exact minimum spanning tree of points on the workers of a Dask cluster.

    Parameters
    ----------
    min_samples, metric, metric_params, device, dtype, partitions, client, verbose
        As for `emst.dask.minimum_spanning_tree`.

    Attributes
    ----------
    edges_ : dask array, int64 of shape (n - 1, 2)
        Rows of the ends of each edge, the smaller first.
    weights_ : dask array of shape (n - 1,)
        Length (or mutual reachability) of each edge in the units of the metric.
    core_distances_ : dask array of shape (n,)
        Distance of each point to its `min_samples`-th nearest. Only when ``min_samples > 1``.
    total_weight_ : float
        Sum of the weights, in float64. Its last digits can change with the number of partitions: sums are rounded.
    device_ : {"cpu", "cuda"}
        Where the tree was computed.
    report_ : Costs
        What the run took and sent.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : array of shape (d,)
        Names of the columns. Only when `X` has string column names.

    Examples
    --------
    >>> import dask.array as da
    >>> from emst.dask import EMST, local_cluster
    >>> client = local_cluster()
    >>> mst = EMST().fit(da.random.random((100_000, 3), chunks=(10_000, 3)))
    >>> mst.edges_.shape
    (99999, 2)
    >>> client.close()
    """

    edges_: Any = fitted_attribute()
    weights_: Any = fitted_attribute()
    core_distances_: Any = fitted_attribute("min_samples > 1")
    total_weight_: float = fitted_attribute()
    device_: str = fitted_attribute()
    report_: Any = fitted_attribute()
    n_features_in_: int = fitted_attribute()

    def __init__(
        self,
        *,
        min_samples: int = 1,
        metric: str = "euclidean",
        metric_params: dict[str, Any] | None = None,
        device: str = "auto",
        dtype: Any = None,
        partitions: int | None = None,
        client: Any = None,
        verbose: bool = False,
    ) -> None:
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.device = device
        self.dtype = dtype
        self.partitions = partitions
        self.client = client
        self.verbose = verbose

    @tells_equivalents
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> EMST:
        """Build the tree of the points; returns when it is complete.

        Parameters
        ----------
        X : dask array, dask data frame, paths, delayed blocks, or array-like of shape (n, d)
            As for `emst.dask.minimum_spanning_tree`.
        y : None
            Ignored; scikit-learn passes it.
        sample_weight : dask array or series, or array-like of shape (n,), optional
            As for `emst.dask.minimum_spanning_tree`.

        Returns
        -------
        EMST
            This estimator. If the fit fails, it stays as it was.

        Raises
        ------
        TypeError, ValueError, RuntimeError, FileNotFoundError
            What `minimum_spanning_tree` raises.
        """
        tree = minimum_spanning_tree(X, **self.get_params(deep=False), sample_weight=sample_weight)
        total_weight = tree.total_weight
        self._tree = tree
        set_features(self, tree._features)
        self.edges_, self.weights_, self.total_weight_ = tree.edges, tree.weights, total_weight
        self.device_, self.report_ = tree.device, tree.report_
        if tree.core_distances is not None:
            self.core_distances_ = tree.core_distances
        elif hasattr(self, "core_distances_"):
            del self.core_distances_
        return self

    def _labels(self, heights: list[Height], min_cluster_size: int) -> da.Array:
        check_is_fitted(self)
        return self._tree._labels(heights, min_cluster_size)

    def to_local(self) -> emst.euclidean.MinimumSpanningTree:
        """The tree in this process, in numpy arrays.

        Returns
        -------
        emst.MinimumSpanningTree
            As `MinimumSpanningTree.to_local` returns it.
        """
        check_is_fitted(self)
        return self._tree.to_local()
