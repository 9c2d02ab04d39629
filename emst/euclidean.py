"""Exact minimum spanning trees of points, Euclidean or under another metric, by Borůvka's loop (`boruvka.py`).

`minimum_spanning_tree` validates the points, `metric_tree` maps them to the metric's image, and `spanning_tree` lists
the stages: scale the points, order them along a Hilbert curve, build a bounding volume hierarchy over that order, find
core distances (for mutual reachability), join duplicates, contract the lightest edge leaving each component until one
component is left, sort the edges and return them in the caller's rows and units.

References
----------
A. Prokopenko, P. Sao, D. Lebrun-Grandié, "A single-tree algorithm to compute the Euclidean minimum spanning tree on
GPUs", ICPP'22. R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering,
visualization, and outlier detection", TKDD 2015 (mutual reachability).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import EUCLIDEAN, Array, Bvh, Forest, Norm, PointStatistics, Report
from emst.boruvka import spanning_forest
from emst.distances.metrics import Metric, check_directions, directions, tree_metric_of
from emst.hierarchy.linkage import check_edges, to_scipy
from emst.inputs.devices import native_array, on_device_of, to_host
from emst.inputs.features import features_of, set_features
from emst.inputs.fitted import FittedAttribute
from emst.inputs.points import check_finite, check_min_samples, check_points
from emst.inputs.scaling import scale_of
from emst.inputs.summary import counted, float_sum, one_line
from emst.progress import both, round_printer

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def minimum_spanning_tree(
    X: Any,
    *,
    min_samples: int = 1,
    metric: str = "euclidean",
    metric_params: dict[str, Any] | None = None,
    device: str = "auto",
    dtype: Any = None,
    verbose: bool = False,
    report: Report | None = None,
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
        ("infinity"), "minkowski" ("p"), "cosine", or "haversine" of latitude and longitude in radians. `HDBSCANGPU`
        takes all metrics of scikit-learn.
    metric_params : dict, optional
        ``{"p": p}`` for "minkowski": a number from 1 to 32, or infinity; by default 2.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to compute. "auto" takes the GPU that holds the data; for data on the host the current GPU if it can be
        used, otherwise the CPU.
    dtype : {None, float32, float64}, default None
        What to compute in. None takes float32 for float16 and float32 input, and float64 for all other; sqeuclidean,
        cosine and haversine take float64. Powers of "minkowski" are float64 in any case, and results are rounded.
    verbose : bool, default False
        Write one line for each round to standard error.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round.

    Returns
    -------
    MinimumSpanningTree
        The unique tree under the total order (weight, distance, smaller id, larger id), where the id of a point is its
        position on a Hilbert curve: the same on every device, for any number of threads, in every run.

    Raises
    ------
    ValueError
        NaN or infinite coordinates (naming the first row and how many), wrong shape, no points, `min_samples` not
        between 1 and n, unknown `metric`, `device` or `dtype`, `metric_params` that the metric does not have, rows of
        zeros for "cosine" (naming the first and how many), more than 2**31 - 1 points.
    RuntimeError
        ``device="cuda"`` without CuPy or a GPU.
    MemoryError
        Not enough memory; raised before anything is allocated.

    Examples
    --------
    >>> from emst import minimum_spanning_tree
    >>> tree = minimum_spanning_tree([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]])
    >>> tree.edges.tolist(), tree.weights.tolist()
    ([[1, 2], [0, 1]], [1.0, 5.0])
    """
    chosen = tree_metric_of(metric, metric_params)
    given = check_points(X, device=device, dtype=dtype)
    n, computed = len(given.array), chosen.computed_in(given.dtype, dtype)
    k = check_min_samples(min_samples, n)
    ops = backend_of(given.device)
    with given.scope():
        ops.require_memory(given.array, chosen.searched_in(computed), k)
        points = ops.asarray(given.array, computed)
        statistics = ops.point_statistics(points)
        check_finite(statistics.bad, statistics.first)
        if chosen.image is directions:
            check_directions(points)
        printed = both(report, round_printer(n) if verbose else None)
        edges, weights, core = metric_tree(points, statistics, chosen, k, ops, printed)
        del points
        return MinimumSpanningTree(
            given.give(edges), given.give(weights), None if core is None else given.give(core), given.device
        )


@dataclass(frozen=True, eq=False)
class MinimumSpanningTree:
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
    def total_weight(self) -> float:
        """Sum of the weights, in float64."""
        weights = native_array(self.weights)
        with on_device_of(weights):
            return float(weights.sum(dtype=np.float64))

    def to_csr(self) -> Any:
        """The tree as an (n, n) compressed sparse row matrix, each edge once, above the diagonal.

        Returns
        -------
        scipy.sparse.csr_array or cupyx.scipy.sparse.csr_matrix
            On the device of the tree's arrays. Edges of weight 0 (duplicate points) are stored explicitly.
        """
        edges, weights = native_array(self.edges), native_array(self.weights)
        n = len(weights) + 1
        if isinstance(edges, np.ndarray):
            from scipy.sparse import coo_array as coo
        else:
            from cupyx.scipy.sparse import coo_matrix as coo
        with on_device_of(weights):
            return coo((weights, (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()

    def linkage(self) -> np.ndarray:
        """Single linkage of the points: float64 array of shape (n - 1, 4) on the host, as SciPy's `linkage` returns.

        Row i merges clusters ``Z[i, 0] < Z[i, 1]`` at height ``Z[i, 2]`` into cluster ``n + i`` of ``Z[i, 3]`` points.

        Raises
        ------
        ValueError
            The arrays were changed, and `edges` is not a spanning tree any more.
        """
        edges, weights = native_array(self.edges), native_array(self.weights)
        with on_device_of(weights):
            check_edges(edges, weights)
            ops = backend_of("cpu" if isinstance(edges, np.ndarray) else "cuda")
            return to_scipy(ops.linkage(edges, weights))


def metric_tree(
    points: Array,
    statistics: PointStatistics | None,
    metric: Metric,
    k: int,
    ops: Backend,
    report: Report | None = None,
    alpha: float = 1.0,
) -> tuple[Array, Array, Array | None]:
    """The spanning tree of finite points under a metric of the way "tree", in the metric's units.

    Parameters
    ----------
    points : T[n, d]
        On the backend, in the dtype of the results.
    statistics : PointStatistics or None
        Of these points, if they are known.
    metric : Metric
    alpha : float
        Distances are divided by it, core distances are not: weights are max(alpha * core, alpha * core, distance) /
        alpha, compared and rounded in that order, and as powers up to the division.
    k, ops, report
        As for `spanning_tree`.

    Returns
    -------
    edges, weights, core
        As `spanning_tree` returns them.
    """
    dtype = points.dtype
    factor = 1.0 if alpha == 1 else metric.core_factor(alpha, dtype)
    image = points if metric.image is None else ops.asarray(metric.image(points), dtype)
    if statistics is None or metric.image is not None:
        statistics = ops.point_statistics(image)
    image = ops.asarray(image, metric.searched_in(dtype))
    edges, weights, core = spanning_tree(image, statistics, k, ops, report, metric.norm, factor)
    if metric.height is not None:
        weights, core = metric.height(weights), None if core is None else metric.height(core)
    if alpha != 1:
        weights = weights.astype(np.float64) / alpha
    return edges, rounded(weights, dtype, ops), None if core is None else rounded(core, dtype, ops)


def rounded(values: Array, dtype: np.dtype, ops: Backend) -> Array:
    """Values in `dtype`. float64 is rounded to float32 on the host: a GPU may take subnormal results for 0."""
    return values if values.dtype == dtype else ops.asarray(to_host(values).astype(dtype))


def spanning_tree(
    points: Array,
    statistics: PointStatistics,
    k: int,
    ops: Backend,
    report: Report | None = None,
    norm: Norm = EUCLIDEAN,
    core_factor: float = 1.0,
) -> tuple[Array, Array, Array | None]:
    """All stages, from finite points on the backend to the sorted edges of their spanning tree.

    Parameters
    ----------
    points : T[n, d]
        On the backend; all values are finite.
    statistics : PointStatistics
        Of these points.
    k : int
        The core distance is the distance to the k-th nearest point, itself included; 1 for the tree of the distances.
    ops : Backend
        The operations of the backend that holds the points.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round.
    norm : Norm
        What distances are. "powers" and "any power" need float64.
    core_factor : float
        In the weights, powers of core distances are multiplied by it, a number of dtype T.

    Returns
    -------
    edges : int32[n - 1, 2]
        Rows of the two ends of each edge, the smaller first, in the total order on edges.
    weights : T[n - 1]
        In the units of the points, ascending.
    core : T[n] or None
        Core distances in the units of the points, without the factor; None for ``k == 1``.
    """
    scale = scale_of(statistics, points.dtype, norm.degree, core_factor)
    order = ops.curve_order(points, scale).rows
    bvh = ops.build_bvh(points, order, scale, norm)
    core = ops.core_distances(bvh, k) if k > 1 else None
    if core is not None and core_factor != 1:
        core = core.copy()
        ops.scale_cores(bvh, core_factor)
    forest = ops.join_duplicates(bvh)
    _join_components(bvh, forest, ops, report)
    edges, weights = ops.sorted_edges(bvh, forest, order)
    if norm.degree not in (1, 2):  # other roots of neighbouring numbers may descend by a last digit
        weights = ops.asarray(np.maximum.accumulate(to_host(weights)))
    return edges, weights, None if core is None else ops.unscaled(bvh, core, order)


def _join_components(bvh: Bvh, forest: Forest, ops: Backend, report: Report | None) -> None:
    """Borůvka's loop over points. The neighbour cache is freed at its end: sorting the edges needs the memory."""
    cache = ops.cache_neighbours(bvh, forest)

    def prepare(forest: Forest) -> None:
        ops.label_nodes(bvh, forest)
        ops.upper_bounds(bvh, forest, cache)

    def lightest(forest: Forest) -> None:
        ops.nearest_outgoing(bvh, forest, cache)

    spanning_forest(forest, lightest, ops, report, prepare)


class EMST(BaseEstimator):
    """Exact minimum spanning tree of points, Euclidean by default.

    Parameters
    ----------
    min_samples : int, default 1
        1 gives the tree of the distances; k > 1 the tree under mutual reachability, where the core distance is the
        distance to the k-th nearest point, counting the point itself.
    metric : str, default "euclidean"
        The distance between points: "euclidean" ("l2"), "sqeuclidean", "manhattan" ("l1", "cityblock"), "chebyshev"
        ("infinity"), "minkowski" ("p"), "cosine", or "haversine" of latitude and longitude in radians. `HDBSCANGPU`
        takes all metrics of scikit-learn.
    metric_params : dict, optional
        ``{"p": p}`` for "minkowski": a number from 1 to 32, or infinity; by default 2.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to compute. "auto" takes the GPU that holds the data; for data on the host the current GPU if it can be
        used, otherwise the CPU. `device_` says which.
    dtype : {None, float32, float64}, default None
        What to compute in. None takes float32 for float16 and float32 input, and float64 for all other; sqeuclidean,
        cosine and haversine take float64. Powers of "minkowski" are float64 in any case, and results are rounded.
    verbose : bool, default False
        Write one line for each round to standard error.

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
    minimum_spanning_tree : the function behind it.

    Examples
    --------
    >>> import numpy as np
    >>> from emst import EMST
    >>> mst = EMST().fit(np.random.default_rng(0).random((1000, 3)))
    >>> mst.edges_.shape
    (999, 2)
    """

    edges_: Any = FittedAttribute()
    weights_: Any = FittedAttribute()
    core_distances_: Any = FittedAttribute("min_samples > 1")
    total_weight_: Any = FittedAttribute()
    device_: Any = FittedAttribute()
    n_features_in_: Any = FittedAttribute()

    def __init__(
        self,
        *,
        min_samples: int = 1,
        metric: str = "euclidean",
        metric_params: dict[str, Any] | None = None,
        device: str = "auto",
        dtype: Any = None,
        verbose: bool = False,
    ) -> None:
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.device = device
        self.dtype = dtype
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> EMST:
        """Build the tree of the points.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points: numpy, pandas, lists, cupy, torch. Results are arrays of the same kind, on the same device.
        y : None
            Ignored; scikit-learn passes it.

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
        features = features_of(X)
        tree = minimum_spanning_tree(
            X,
            min_samples=self.min_samples,
            metric=self.metric,
            metric_params=self.metric_params,
            device=self.device,
            dtype=self.dtype,
            verbose=self.verbose,
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
        self._fit_X = X if self.n_features_in_ == 2 else None  # only a plane can be plotted
        return self

    def to_csr(self) -> Any:
        """The tree as an (n, n) sparse matrix, each edge once, above the diagonal. See `MinimumSpanningTree.to_csr`."""
        check_is_fitted(self)
        return self._tree.to_csr()

    def linkage(self) -> np.ndarray:
        """Single linkage of the tree: SciPy's (n - 1, 4) matrix, for `scipy.cluster.hierarchy`."""
        check_is_fitted(self)
        return self._tree.linkage()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the points and the tree's edges, coloured by weight.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Raises
        ------
        ValueError
            The points do not have two dimensions.
        """
        check_is_fitted(self)
        from emst.plots import plot_mst

        if self._fit_X is None:
            raise ValueError(f"only 2-D points can be plotted; X has {self.n_features_in_} dimensions")
        return plot_mst(self._fit_X, self._tree, ax=ax)
