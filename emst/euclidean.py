"""Exact Euclidean minimum spanning trees of points, by Borůvka's loop (`boruvka.py`).

`minimum_spanning_tree` validates the points, and `spanning_tree` lists the stages: scale the points, order them along a
Hilbert curve, build a bounding volume hierarchy over that order, find core distances (for mutual reachability), join
duplicates, contract the lightest edge leaving each component until one component is left, sort the edges and return
them in the caller's rows and units.

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
from emst.backend.records import Array, Bvh, Forest, PointStatistics, Report
from emst.boruvka import spanning_forest
from emst.hierarchy.linkage import check_edges, to_scipy
from emst.inputs.devices import native_array, on_device_of
from emst.inputs.features import features_of, set_features
from emst.inputs.fitted import FittedAttribute
from emst.inputs.points import check_finite, check_min_samples, check_points
from emst.inputs.scaling import scale_of
from emst.inputs.summary import counted, float_sum, one_line
from emst.progress import both, round_printer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METRICS = ("euclidean",)


def minimum_spanning_tree(
    X: Any,
    *,
    min_samples: int = 1,
    metric: str = "euclidean",
    device: str = "auto",
    dtype: Any = None,
    verbose: bool = False,
    report: Report | None = None,
) -> MinimumSpanningTree:
    """Exact minimum spanning tree of points under Euclidean distance or mutual reachability.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Points: numpy, pandas, lists, cupy, torch. Results are arrays of the same kind, on the same device.
    min_samples : int, default 1
        1 gives the Euclidean tree. With k > 1 the weight of an edge is the greatest of its length and of the core
        distances of its ends; the core distance is the distance to the k-th nearest point, **counting the point
        itself** (as scikit-learn does; hdbscan, cuML and fast_hdbscan do not, so their k is this k - 1).
    metric : {"euclidean"}, default "euclidean"
        The distance between points. `HDBSCANGPU` takes other metrics.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to compute. "auto" takes the GPU that holds the data; for data on the host the current GPU if it can be
        used, otherwise the CPU.
    dtype : {None, float32, float64}, default None
        What to compute in. None takes float32 for float16 and float32 input, and float64 for all other.
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
        between 1 and n, unknown `metric`, `device` or `dtype`, more than 2**31 - 1 points.
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
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(map(repr, METRICS))}; got {metric!r}")
    given = check_points(X, device=device, dtype=dtype)
    n = len(given.array)
    k = check_min_samples(min_samples, n)
    ops = backend_of(given.device)
    with given.scope():
        ops.require_memory(given.array, given.dtype, k)
        points = ops.asarray(given.array, given.dtype)
        statistics = ops.point_statistics(points)
        check_finite(statistics.bad, statistics.first)
        edges, weights, core = spanning_tree(
            points, statistics, k, ops, both(report, round_printer(n) if verbose else None)
        )
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
        Length of each edge in the units of the input (mutual reachability when ``min_samples > 1``), ascending.
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


def spanning_tree(
    points: Array, statistics: PointStatistics, k: int, ops: Backend, report: Report | None = None
) -> tuple[Array, Array, Array | None]:
    """All stages, from finite points on the backend to the sorted edges of their spanning tree.

    Parameters
    ----------
    points : T[n, d]
        On the backend; all values are finite.
    statistics : PointStatistics
        Of these points.
    k : int
        The core distance is the distance to the k-th nearest point, itself included; 1 for the Euclidean tree.
    ops : Backend
        The operations of the backend that holds the points.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round.

    Returns
    -------
    edges : int32[n - 1, 2]
        Rows of the two ends of each edge, the smaller first, in the total order on edges.
    weights : T[n - 1]
        In the units of the points, ascending.
    core : T[n] or None
        Core distances in the units of the points; None for ``k == 1``.
    """
    scale = scale_of(statistics, points.dtype)
    order = ops.curve_order(points, scale).rows
    bvh = ops.build_bvh(points, order, scale)
    core = ops.core_distances(bvh, k) if k > 1 else None
    forest = _joined_at_once(bvh, ops, report) or _joined_in_rounds(bvh, ops, report)
    edges, weights = ops.sorted_edges(bvh, forest, order)
    return edges, weights, None if core is None else ops.unscaled(bvh, core, order)


def _joined_at_once(bvh: Bvh, ops: Backend, report: Report | None) -> Forest | None:
    """The forest of few points; None if the backend wants to go round by round."""
    found = ops.join_all(bvh)
    if found is None:
        return None
    forest, left = found
    if report is not None:
        for number, components in enumerate(left, 1):
            report(number, components)
    return forest


def _joined_in_rounds(bvh: Bvh, ops: Backend, report: Report | None) -> Forest:
    """Borůvka's loop over points. The neighbour cache is freed at its end: sorting the edges needs the memory."""
    forest = ops.join_duplicates(bvh)
    cache = ops.cache_neighbours(bvh, forest)

    def prepare(forest: Forest) -> None:
        ops.label_nodes(bvh, forest)
        ops.upper_bounds(bvh, forest, cache)

    def lightest(forest: Forest) -> None:
        ops.nearest_outgoing(bvh, forest, cache)

    spanning_forest(forest, lightest, ops, report, prepare)
    return forest


class EMST(BaseEstimator):
    """Exact Euclidean minimum spanning tree.

    Parameters
    ----------
    min_samples : int, default 1
        1 gives the Euclidean tree; k > 1 the tree under mutual reachability, where the core distance is the distance
        to the k-th nearest point, counting the point itself.
    metric : {"euclidean"}, default "euclidean"
        The distance between points. `HDBSCANGPU` takes other metrics.
    device : {"auto", "cpu", "cuda"}, default "auto"
        Where to compute. "auto" takes the GPU that holds the data; for data on the host the current GPU if it can be
        used, otherwise the CPU. `device_` says which.
    dtype : {None, float32, float64}, default None
        What to compute in. None takes float32 for float16 and float32 input, and float64 for all other.
    verbose : bool, default False
        Write one line for each round to standard error.

    Attributes
    ----------
    edges_ : int32 array of shape (n - 1, 2)
        Rows of the ends of each edge, the smaller first.
    weights_ : array of shape (n - 1,)
        Length (or mutual reachability) of each edge in the units of the input, ascending.
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
        device: str = "auto",
        dtype: Any = None,
        verbose: bool = False,
    ) -> None:
        self.min_samples = min_samples
        self.metric = metric
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
