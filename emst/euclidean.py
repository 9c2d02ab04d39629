"""Exact minimum spanning trees of points, Euclidean or under another metric: the function, its result, the estimator.

The input is validated here. The stages of the tree are in `spanning.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from emst.backend import backend_of
from emst.backend.records import Report
from emst.distances.metrics import Metric, check_columns, check_directions, directions, tree_metric_of
from emst.gpus.inputs import GivenPoints, first_of, given_points, is_list
from emst.gpus.memory import require_memory, worth_several
from emst.gpus.tree import tree_over_gpus
from emst.inputs.devices import giver, native_array, on_device_of, to_host
from emst.inputs.features import features_of, set_features
from emst.inputs.fitted import fitted_attribute
from emst.inputs.points import CheckedPoints, check_finite, check_min_samples, check_points, in_range
from emst.inputs.summary import counted, float_sum, one_line, total_of
from emst.inputs.weights import check_weighted_samples, check_weights
from emst.partitions.records import Request
from emst.progress import Progress, showing
from emst.spanning import metric_tree
from emst.spanning_forest import Merges, SpanningForest, check_edges, csr_of
from emst.weighted import weighted_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def minimum_spanning_tree(
    X: Any,
    *,
    min_samples: int = 1,
    metric: str = "euclidean",
    metric_params: dict[str, Any] | None = None,
    device: str = "auto",
    device_ids: Any = None,
    dtype: Any = None,
    verbose: bool | int | str = False,
    report: Report | None = None,
    sample_weight: Any = None,
) -> MinimumSpanningTree:
    """Exact minimum spanning tree of points under a metric, or under mutual reachability.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Points: numpy, pandas, lists, cupy, torch. Results are arrays of the same kind, on the same device.
    min_samples : int, default 1
        1 gives the tree of the distances. With k > 1 the weight of an edge is the greatest of its length and of the
        core distances of its ends; the core distance is the distance to the k-th nearest point, **counting the point
        itself** (as scikit-learn does; hdbscan, cuML and fast_hdbscan do not, so their k is this k - 1).
    metric : str, default "euclidean"
        The distance between points: "euclidean" ("l2"), "sqeuclidean", "manhattan" ("l1", "cityblock"), "chebyshev"
        ("infinity"), "minkowski" ("p"), "cosine", or "haversine" of latitude and longitude, in this order.
        `HDBSCANGPU` takes all metrics of scikit-learn.
    metric_params : dict, optional
        ``{"p": p}`` for "minkowski": a number from 1 to 32, or infinity; by default 2. For "haversine"
        ``{"degrees": True}`` for places in degrees instead of radians, ``{"radius": 6371.0088}`` for lengths in km on
        the earth instead of angles, or both.
        ``{"period": L}`` for a periodic box of this length, or one length for each column, 0 where it is open: for
        "euclidean", "manhattan", "chebyshev" and "minkowski". Coordinates are wrapped into [0, L) first.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to compute. "auto" takes the GPU that holds the data; for data on the host the current GPU if it can be
        used, otherwise the CPU.
    device_ids : "all" or list of int, optional
        Numbers of the GPUs that compute together, each with a share of the points. The tree comes together on the one
        that holds the data, or else on the first. `X` may also be a list of arrays, on any devices: their rows number
        through, and values of all rows are such a list. Few points take one GPU, because it is faster.
    dtype : {None, float32, float64}, default None
        What to compute in. None takes float32 for float16 and float32 input, and float64 for all other; sqeuclidean,
        cosine and haversine take float64. Powers of "minkowski" are float64 in any case, and results are rounded.
    verbose : bool, int or "bar", default False
        What to write to standard error: with True or a number above 0 lines about kernels that are compiled, core
        distances and every round; with "bar" a bar of tqdm, which is removed at the end.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round.
    sample_weight : array-like of shape (n,), optional
        Positive weights of the points; by default all are 1. The core distance is the least radius within which the
        weights, that of the point included, sum to `min_samples`. With whole numbers, this tree and the edges between
        the copies of each point, of its core distance, are a tree of so many copies. ``min_samples=1`` gives the tree
        of the distances, whatever the weights. `cut` counts points, not weights. Without `device_ids`.

    Returns
    -------
    MinimumSpanningTree
        The unique tree under the total order (weight, distance, smaller id, larger id), where the id of a point is its
        position on a Hilbert curve: the same on every device, for any number of threads, in every run.

    Raises
    ------
    ValueError
        NaN or infinite coordinates (naming the first row and how many), wrong shape, no points, `min_samples` not
        between 1 and n (with weights, their sum), weights that are not positive numbers or not one a row, unknown
        `metric`, `device` or `dtype`, `metric_params` that the metric does not have, rows of zeros for "cosine" (naming
        the first and how many), angles beyond pi / 2 and 2 pi (or 90 and 360 degrees) or columns called longitude and
        latitude in this order for "haversine", more than 2**31 - 1 points.
    RuntimeError
        ``device="cuda"`` without CuPy or a GPU.
    MemoryError
        Not enough memory; raised before anything is allocated.

    Warns
    -----
    UserWarning
        `X` is a data frame of two columns called latitude and longitude, and the metric is Euclidean.

    Examples
    --------
    >>> from emst import minimum_spanning_tree
    >>> tree = minimum_spanning_tree([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]])
    >>> tree.edges.tolist(), tree.weights.tolist()
    ([[1, 2], [0, 1]], [1.0, 5.0])
    """
    chosen = tree_metric_of(metric, metric_params)
    check_columns(getattr(first_of(X, device_ids), "columns", ()), chosen)
    with showing(verbose, report) as progress:
        if device_ids is None:
            data = check_points(X, device=device, dtype=dtype)
            return _on_one_device(data, chosen, min_samples, dtype, progress, sample_weight)
        if sample_weight is not None:
            raise ValueError("sample_weight takes one GPU: leave device_ids out")
        given = given_points(X, device_ids, device=device, dtype=dtype)
        k = check_min_samples(min_samples, given.n)
        if worth_several(given, chosen, dtype, k, progress):
            return _over_gpus(given, chosen, k, dtype, progress)
        return _on_one_device(given.on_home(), chosen, min_samples, dtype, progress)


def _on_one_device(
    data: CheckedPoints,
    metric: Metric,
    min_samples: int,
    dtype: Any,
    progress: Progress,
    sample_weight: Any = None,
) -> MinimumSpanningTree:
    n, computed = len(data.array), metric.computed_in(data.dtype, dtype)
    metric = metric.of_columns(data.array.shape[1], computed)
    ops = backend_of(data.device)
    with data.scope():
        weights = check_weights(sample_weight, n, ops, zeros=False)
        if weights is None:
            k = check_min_samples(min_samples, n)
        else:
            k = check_weighted_samples(min_samples, weights.total, weights.bits)
        progress.watch(ops)
        ops.require_memory(data.array, metric.searched_in(computed), k)
        d = metric.searched_columns(data.array.shape[1])
        ops.load_ahead(n, d, metric.searched_in(computed), metric.norm, k, weighted=weights is not None)
        points = in_range(data.array, computed, ops)
        statistics = ops.point_statistics(points, ordered=weights is None and metric.orders(computed))
        check_finite(statistics.bad, statistics.first)
        if metric.image is directions:
            check_directions(points)
        if metric.sphere is not None:
            metric.sphere.check(points)
        progress.points(n)
        if weights is None or k == 1 or n == 1:
            k_searched = min(k, n)
            found = metric_tree(points, statistics, metric, k_searched, ops, progress.rounds, cores=progress.cores)
            edges, lengths, core, _ = found
        else:
            tree = weighted_tree(points, statistics, metric, k, weights, ops, progress.rounds, cores=progress.cores)
            edges, lengths, core = tree.edges, tree.weights, tree.core
        del points
        if core is None and k > 1:  # of one point
            core = ops.xp.zeros(n, computed)
        return MinimumSpanningTree(
            data.give(edges), data.give(lengths), None if core is None else data.give_values(core), data.device
        )


def _over_gpus(given: GivenPoints, metric: Metric, k: int, dtype: Any, progress: Progress) -> MinimumSpanningTree:
    progress.watch(backend_of("cuda"))
    require_memory(given, metric, dtype, k)
    found = tree_over_gpus(given, Request(metric, k, len(given.gpus), dtype), progress)
    assert found is not None  # many points
    edges, weights, core, _ = found.tree
    core = None if core is None else given.give_rows(core)
    return MinimumSpanningTree(given.give(edges), given.give(weights), core, "cuda")


@dataclass(frozen=True, eq=False)
class MinimumSpanningTree(SpanningForest):
    """Minimum spanning tree of n points.

    Attributes
    ----------
    edges : int32 array of shape (n - 1, 2)
        Rows of the two ends of each edge, the smaller first.
    weights : array of shape (n - 1,)
        Length of each edge in the units of the metric (mutual reachability when ``min_samples > 1``), ascending.
    core_distances : array of shape (n,) or None
        Distance of each point to its `min_samples`-th nearest, itself included; None when ``min_samples == 1``.
    device : {"cpu", "cuda"}
        Where the tree was computed.
    """

    edges: Any
    weights: Any
    core_distances: Any
    device: str

    def __repr__(self) -> str:
        return one_line(
            self,
            counted(len(self.weights) + 1, "point"),
            counted(len(self.weights), "edge"),
            "1 component",
            f"total weight {float_sum(self.weights)}",
            f"device {self.device}",
        )

    @property
    def n_vertices(self) -> int:
        """Number of points."""
        return len(self.weights) + 1

    @property
    def n_components(self) -> int:
        """Number of connected components: 1, as in any tree."""
        return 1

    @property
    def total_weight(self) -> float:
        """Sum of the weights, in float64."""
        return total_of(self.weights)

    def to_csr(self) -> Any:
        """The tree as an (n, n) compressed sparse row matrix, each edge once, above the diagonal.

        Returns
        -------
        scipy.sparse.csr_array or cupyx.scipy.sparse.csr_matrix
            On the device of the tree's arrays. Edges of weight 0 (duplicate points) are stored explicitly.

        Examples
        --------
        >>> from emst import minimum_spanning_tree
        >>> tree = minimum_spanning_tree([[0.0], [1.0], [5.0], [7.0]])
        >>> tree.to_csr().toarray()
        array([[0., 1., 0., 0.],
               [0., 0., 4., 0.],
               [0., 0., 0., 2.],
               [0., 0., 0., 0.]])
        """
        edges, weights = native_array(self.edges), native_array(self.weights)
        return csr_of(edges[:, 0], edges[:, 1], weights, self.n_vertices)

    def plot(self, positions: Any, *, ax: Axes | None = None) -> Axes:
        """Draw the points and the tree's edges, coloured by weight.

        Parameters
        ----------
        positions : array-like of shape (n, 2)
            Where to draw the points: their coordinates, or any others in the plane.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib Axes
            What was drawn into.
        """
        from emst.plots import plot_mst

        return plot_mst(positions, self, ax=ax)

    def _edge_columns(self) -> dict[str, np.ndarray]:
        source, target = to_host(self.edges).T
        return {"source": source, "target": target, "weight": to_host(self.weights)}

    def _node_names(self) -> range:
        return range(self.n_vertices)

    def _merges(self) -> Merges:
        edges, weights = native_array(self.edges), native_array(self.weights)
        with on_device_of(weights):
            check_edges(edges, weights, self.n_vertices)
        return Merges(edges, weights, self.n_vertices, giver(self.edges))


class EMST(SpanningForest, BaseEstimator):
    """Exact minimum spanning tree of points, Euclidean by default.

    Parameters
    ----------
    min_samples : int, default 1
        1 gives the tree of the distances; k > 1 the tree under mutual reachability, where the core distance is the
        distance to the k-th nearest point, counting the point itself.
    metric : str, default "euclidean"
        The distance between points: "euclidean" ("l2"), "sqeuclidean", "manhattan" ("l1", "cityblock"), "chebyshev"
        ("infinity"), "minkowski" ("p"), "cosine", or "haversine" of latitude and longitude, in this order.
        `HDBSCANGPU` takes all metrics of scikit-learn.
    metric_params : dict, optional
        ``{"p": p}`` for "minkowski": a number from 1 to 32, or infinity; by default 2. For "haversine"
        ``{"degrees": True}`` for places in degrees instead of radians, ``{"radius": 6371.0088}`` for lengths in km on
        the earth instead of angles, or both.
        ``{"period": L}`` for a periodic box of this length, or one length for each column, 0 where it is open: for
        "euclidean", "manhattan", "chebyshev" and "minkowski". Coordinates are wrapped into [0, L) first.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to compute. "auto" takes the GPU that holds the data; for data on the host the current GPU if it can be
        used, otherwise the CPU. `device_` says which.
    device_ids : "all" or list of int, optional
        Numbers of the GPUs that compute together, each with a share of the points. The tree comes together on the one
        that holds the data, or else on the first. `X` may also be a list of arrays, on any devices: their rows number
        through, and values of all rows are such a list. Few points take one GPU, because it is faster.
    dtype : {None, float32, float64}, default None
        What to compute in. None takes float32 for float16 and float32 input, and float64 for all other; sqeuclidean,
        cosine and haversine take float64. Powers of "minkowski" are float64 in any case, and results are rounded.
    verbose : bool, int or "bar", default False
        What to write to standard error: with True or a number above 0 lines about kernels that are compiled, core
        distances and every round; with "bar" a bar of tqdm, which is removed at the end.

    Attributes
    ----------
    edges_ : int32 array of shape (n - 1, 2)
        Rows of the ends of each edge, the smaller first.
    weights_ : array of shape (n - 1,)
        Length (or mutual reachability) of each edge in the units of the metric, ascending.
    core_distances_ : array of shape (n,)
        Distance of each point to its `min_samples`-th nearest, itself included. Only when ``min_samples > 1``.
    total_weight_ : float
        Sum of the weights, in float64.
    device_ : {"cpu", "cuda"}
        Where the tree was computed.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : array of shape (d,)
        Names of the columns. Only when `X` has string column names.

    See Also
    --------
    minimum_spanning_tree : The function behind it.

    Examples
    --------
    >>> import numpy as np
    >>> from emst import EMST
    >>> mst = EMST().fit(np.random.default_rng(0).random((1000, 3)))
    >>> mst.edges_.shape, mst.weights_.shape, round(mst.total_weight_, 2)
    ((999, 2), (999,), 67.98)
    >>> groups = mst.cut(0.1)
    >>> int(groups.max()) + 1
    59
    """

    edges_: Any = fitted_attribute()
    weights_: Any = fitted_attribute()
    core_distances_: Any = fitted_attribute("min_samples > 1")
    total_weight_: float = fitted_attribute()
    device_: str = fitted_attribute()
    n_features_in_: int = fitted_attribute()

    def __init__(
        self,
        *,
        min_samples: int = 1,
        metric: str = "euclidean",
        metric_params: dict[str, Any] | None = None,
        device: str = "auto",
        device_ids: Any = None,
        dtype: Any = None,
        verbose: bool | int | str = False,
    ) -> None:
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.device = device
        self.device_ids = device_ids
        self.dtype = dtype
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> EMST:
        """Build the tree of the points.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points: numpy, pandas, lists, cupy, torch. Results are arrays of the same kind, on the same device. With
            `device_ids` also a list of such arrays.
        y : None
            Ignored; scikit-learn passes it.
        sample_weight : array-like of shape (n,), optional
            Positive weights of the points, as for `minimum_spanning_tree`.

        Returns
        -------
        EMST
            This estimator. If the fit fails, it stays as it was.

        Raises
        ------
        TypeError
            Column names of which only some are strings.
        ValueError, RuntimeError, MemoryError
            What `minimum_spanning_tree` raises.
        """
        features = features_of(first_of(X, self.device_ids))
        tree = minimum_spanning_tree(
            X,
            min_samples=self.min_samples,
            metric=self.metric,
            metric_params=self.metric_params,
            device=self.device,
            device_ids=self.device_ids,
            dtype=self.dtype,
            verbose=self.verbose,
            sample_weight=sample_weight,
        )
        total_weight = tree.total_weight
        set_features(self, features)
        self.edges_ = tree.edges
        self.weights_ = tree.weights
        if tree.core_distances is not None:
            self.core_distances_ = tree.core_distances
        elif hasattr(self, "core_distances_"):  # fitted before with another min_samples
            del self.core_distances_
        self.total_weight_ = total_weight
        self.device_ = tree.device
        self._tree = tree
        self._fit_X = X if self.n_features_in_ in (2, 3) else None  # others cannot be plotted
        return self

    def to_csr(self) -> Any:
        """The tree as an (n, n) compressed sparse row matrix, each edge once, above the diagonal.

        Returns
        -------
        scipy.sparse.csr_array or cupyx.scipy.sparse.csr_matrix
            As `MinimumSpanningTree.to_csr` returns it.
        """
        check_is_fitted(self)
        return self._tree.to_csr()

    def _edge_columns(self) -> dict[str, np.ndarray]:
        check_is_fitted(self)
        return self._tree._edge_columns()

    def _node_names(self) -> range:
        check_is_fitted(self)
        return self._tree._node_names()

    def _merges(self) -> Merges:
        check_is_fitted(self)
        return self._tree._merges()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the points and the tree's edges, coloured by weight.

        Points of three dimensions are drawn in space. With the metric haversine the picture is a map: longitude on x,
        latitude on y.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Raises
        ------
        ValueError
            The points have neither two nor three dimensions.
        """
        check_is_fitted(self)
        from emst.plots import plot_mst

        X = self._fit_X
        if X is None:
            raise ValueError(
                f"only points of two or three dimensions can be plotted; X has {counted(self.n_features_in_, 'column')}"
            )
        names = getattr(self, "feature_names_in_", None)
        unit = tree_metric_of(self.metric, self.metric_params).geographic
        positions = np.concatenate([to_host(one) for one in X]) if is_list(X) else X
        return plot_mst(positions, self._tree, ax=ax, names=names, geographic=unit)
