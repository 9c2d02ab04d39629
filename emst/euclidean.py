"""Exact Euclidean minimum spanning trees: the question of `boruvka.py`, asked of points.

The stages in order: survey the points, order them along a Hilbert curve, build a bounding volume hierarchy over that
order, (for mutual reachability) find core distances, join duplicates, then let Borůvka's loop ask for the lightest
edge leaving each component until one is left; sort the edges and give them back in the caller's rows and units.

References
----------
A. Prokopenko, P. Sao, D. Lebrun-Grandié, "A single-tree algorithm to compute the Euclidean minimum spanning tree on
GPUs", ICPP'22. R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering,
visualization, and outlier detection", TKDD 2015 (mutual reachability).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from emst.backend import Array, Backend, Bvh, Survey, backend_of
from emst.boruvka import Forest, Report, spanning_forest
from emst.frame import frame_of
from emst.mst import MinimumSpanningTree
from emst.points import check_finite, check_min_samples, open_points
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
        Points: numpy, pandas, lists, cupy, torch. Results come back in the same kind of array.
    min_samples : int, default 1
        1 gives the Euclidean tree. With k > 1 the weight of an edge is the greatest of its length and of the core
        distances of its ends; the core distance is the distance to the k-th nearest point, **counting the point
        itself** (as scikit-learn does; hdbscan, cuML and fast_hdbscan do not, so their k is this k - 1).
    metric : {"euclidean"}, default "euclidean"
    device : {"auto", "cpu", "cuda"}, default "auto"
        "auto" takes the GPU if the data is there or a usable one is present, else the CPU.
    dtype : {None, float32, float64}, default None
        What to compute in. None keeps float32 and float64, makes float16 float32, and integers float64.
    verbose : bool, default False
        Write one line a round to standard error.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round.

    Returns
    -------
    MinimumSpanningTree
        The unique tree under the order (weight, distance, smaller id, larger id), where the id of a point is its place
        on a Hilbert curve: the same on every device, for any number of threads, in every run.

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
    door = open_points(X, device=device, dtype=dtype)
    n = len(door.array)
    k = check_min_samples(min_samples, n)
    ops = backend_of(door.device)
    with door.scope():
        ops.require_memory(door.array, door.dtype, k)
        points = ops.asarray(door.array, door.dtype)
        printer = round_printer(n) if verbose else None
        edges, weights, core = spanning_tree(points, k, ops, both(report, printer))
        del points
        return MinimumSpanningTree(
            door.give(edges), door.give(weights), None if core is None else door.give(core), door.device
        )


def spanning_tree(
    points: Array, k: int, ops: Backend, report: Report | None = None
) -> tuple[Array, Array, Array | None]:
    """The stages over the seam: points on the backend -> edges int32[n-1, 2], weights T[n-1], core distances T[n]."""
    survey = ops.survey(points)
    check_finite(survey.bad, survey.first)
    return surveyed_tree(points, survey, k, ops, report)


def surveyed_tree(
    points: Array, survey: Survey, k: int, ops: Backend, report: Report | None = None
) -> tuple[Array, Array, Array | None]:
    """`spanning_tree` of points whose survey, which found no bad row, is at hand."""
    frame = frame_of(survey.low, survey.high, points.dtype, survey.sample)
    order = ops.sort_order(ops.curve_codes(points, frame))
    bvh = ops.build_bvh(points, order, frame)
    core = ops.core_distances(bvh, k) if k > 1 else None
    forest = ops.join_duplicates(bvh)
    _span(bvh, forest, ops, report)
    edges, weights = ops.sorted_edges(bvh, forest, order, frame)
    return edges, weights, None if core is None else ops.unscaled(core, order, frame)


def _span(bvh: Bvh, forest: Forest, ops: Backend, report: Report | None) -> None:
    """Borůvka's loop over points. What the search remembers ends with it: its memory serves the sort of the edges."""
    answers = ops.first_answers(bvh, forest)

    def prepare(forest: Forest) -> None:
        ops.label_nodes(bvh, forest)
        ops.upper_bounds(bvh, forest, answers)

    def lightest(forest: Forest) -> None:
        ops.nearest_outgoing(bvh, forest, answers)

    spanning_forest(forest, lightest, ops, report, prepare)


class EMST(BaseEstimator):
    """Exact Euclidean minimum spanning tree.

    Parameters
    ----------
    min_samples : int, default 1
        1 gives the Euclidean tree; k > 1 the tree under mutual reachability, where the core distance is the distance
        to the k-th nearest point, counting the point itself.
    metric : {"euclidean"}, default "euclidean"
    device : {"auto", "cpu", "cuda"}, default "auto"
        "auto" takes the GPU if the data is there or a usable one is present, else the CPU; `device_` says which.
    dtype : {None, float32, float64}, default None
        What to compute in. None keeps float32 and float64, makes float16 float32, and integers float64.
    verbose : bool, default False
        Write one line a round to standard error.

    Attributes
    ----------
    edges_ : int32 array of shape (n - 1, 2)
        Rows of the ends of each edge, the smaller first.
    weights_ : array of shape (n - 1,)
        Length (or mutual reachability) of each edge in the units of the input, ascending.
    core_distances_ : array of shape (n,)
        Only when ``min_samples > 1``.
    total_weight_ : float
    device_ : {"cpu", "cuda"}
        What computed the tree.
    n_features_in_ : int
    feature_names_in_ : array of shape (d,)
        Only when `X` has string column names.

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
        """Build the tree of the points `X`; `y` is ignored.

        Raises what `minimum_spanning_tree` raises.
        """
        tree = minimum_spanning_tree(
            X,
            min_samples=self.min_samples,
            metric=self.metric,
            device=self.device,
            dtype=self.dtype,
            verbose=self.verbose,
        )
        validate_data(self, X, skip_check_array=True)  # n_features_in_, feature_names_in_
        self.edges_ = tree.edges
        self.weights_ = tree.weights
        if tree.core_distances is not None:
            self.core_distances_ = tree.core_distances
        elif hasattr(self, "core_distances_"):  # fitted before with another min_samples
            del self.core_distances_
        self.total_weight_ = tree.total_weight
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
        """Draw the points and the tree's edges, coloured by weight; points must have two dimensions."""
        check_is_fitted(self)
        from emst.plots import plot_mst

        if self._fit_X is None:
            raise ValueError(f"only 2-D points can be plotted; X has {self.n_features_in_} dimensions")
        return plot_mst(self._fit_X, self._tree, ax=ax)
