"""From data and a metric to the spanning tree under mutual reachability: the first stage of `HDBSCANGPU.fit`.

There are four kinds of data, with one function each:

    data                                   function                 tree
    points (dense features)                `_of_points`             as the metric says: by search over boxes, or from
                                                                    the matrix of distances
    sparse features                        `_of_sparse_features`    from the matrix of distances
    distances (``metric="precomputed"``)   `_of_distances`          from the matrix that is given
    sparse distances                       `_of_sparse_distances`   from the graph that is given

Each checks its data, keeps the rows (of features) that are finite, builds the tree and returns the model. The memory
and time that a matrix of distances takes are in `emst/distances/cost.py`.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import Array, Linkage, PointStatistics
from emst.distances.cost import announce_given, announce_matrix, require_matrix
from emst.distances.matrices import check_distances, distance_matrix
from emst.distances.metrics import Metric, directions, zero_rows
from emst.distances.row_by_row import dense_tree
from emst.distances.sparse import sparse_tree
from emst.gpus.devices import checked_gpus
from emst.gpus.inputs import GivenPoints, given_points
from emst.gpus.memory import require_memory, worth_several
from emst.gpus.tree import tree_over_gpus
from emst.graph.input import refuse_blocks
from emst.hdbscan.model import Model, always
from emst.hdbscan.parameters import Request
from emst.inputs.devices import choose_device, giver, gpu_of, is_cupy_sparse, on_device_of, on_gpu, to_host
from emst.inputs.finite import FiniteRows, all_rows, finite_rows
from emst.inputs.numbers import real_number
from emst.inputs.places import levels_of_the_package
from emst.inputs.points import CheckedPoints, check_points, check_real, float_of, in_range
from emst.inputs.summary import counted
from emst.inputs.weights import Weights, check_weights, require_whole_weights
from emst.partitions import records as partitions
from emst.progress import Progress
from emst.spanning import TreeOfPoints, metric_tree
from emst.weighted import no_tree, weighted_tree

Tree = tuple[Array, Array, Array | None]  # edges int32[m - 1, 2], weights T[m - 1] ascending, core T[m]; None: zeros

INFINITE_EDGES = (
    "The minimum spanning tree contains edge weights with value infinity: components that no distance connects were "
    "joined at infinite height. Potentially, you are missing too many distances for the given neighborhood size."
)

NO_WEIGHTS = (
    "sample_weight needs dense features and a metric of the tree search: euclidean, sqeuclidean, manhattan, chebyshev, "
    "minkowski, cosine or haversine; {0}"
)


def tree_model(X: Any, request: Request) -> Model:
    """The spanning tree of `X`, in a model without dendrogram and clusters."""
    if request.sample_weight is not None and request.metric.way == "given":
        raise ValueError(NO_WEIGHTS.format("X holds distances"))
    if request.sample_weight is not None and issparse(X):
        raise ValueError(NO_WEIGHTS.format("X is a sparse matrix"))
    if request.metric.way != "given" and not issparse(X):
        return _of_points(X, request)
    with on_gpu(None if request.device_ids is None else checked_gpus(request.device_ids, request.device)[0]):
        if request.metric.way == "given":
            return (_of_sparse_distances if issparse(X) or is_cupy_sparse(X) else _of_distances)(X, request)
        return _of_sparse_features(X, request)


def _of_points(X: Any, request: Request) -> Model:
    if request.device_ids is None:
        return _of_checked_points(check_points(X, device=request.device, dtype=request.dtype), request)
    if request.sample_weight is not None:
        raise ValueError("sample_weight takes one GPU: leave device_ids out")
    given = given_points(X, request.device_ids, device=request.device, dtype=request.dtype)
    by_search, k = request.metric.way == "tree", request.min_samples
    several = by_search and worth_several(given, request.metric, request.dtype, k, request.progress)
    model = _over_gpus(given, request) if several else None
    return _of_checked_points(given.on_home(), request) if model is None else model


def _over_gpus(given: GivenPoints, request: Request) -> Model | None:
    """The model of points over several GPUs, on the first of them; None if too few rows are finite."""
    k, ops = request.min_samples, _backend("cuda", request)
    metric = request.metric.of_columns(given.d, request.metric.computed_in(given.dtype, request.dtype))
    _check_size(given.n, request)
    require_memory(given, metric, request.dtype, k, labels=True)
    request.progress.way("the tree search (bounding volume hierarchy) over several GPUs")
    wanted = partitions.Request(metric, k, len(given.gpus), request.dtype, request.alpha, first_round=True)
    with on_gpu(given.gpus[0]):
        heights = metric.computed_in(given.dtype, request.dtype)
        found = tree_over_gpus(given, wanted, request.progress, gaps=True, labels=heights)
        if found is None:
            return None
        model = _model(request, metric, found.tree[:3], ops, given.n, given.give)
        model.source, model.rows, model.give_rows = functools.cache(given.whole), found.rows, given.give_rows
        model.first_round = found.tree.first_round
        return model


def _of_checked_points(data: CheckedPoints, request: Request) -> Model:
    n, k = len(data.array), request.min_samples
    dtype = request.metric.computed_in(data.dtype, request.dtype)
    metric = request.metric.of_columns(data.array.shape[1], dtype)
    with data.scope():
        ops = _backend(data.device, request)
        weights = check_weights(request.sample_weight, n, ops)
        if weights is None:
            _check_size(n, request)
        else:
            _require_tree_search(metric)
            _check_total(n, weights, request)
            if request.options.auto:
                require_whole_weights(weights, "min_cluster_size='auto'")
        ops.require_memory(data.array, metric.searched_in(dtype), k, labels=True)
        if metric.way == "tree":
            d = metric.searched_columns(data.array.shape[1])
            weighted = weights is not None
            ops.load_ahead(n, d, metric.searched_in(dtype), metric.norm, k, labels=dtype, weighted=weighted)
        points = in_range(data.array, dtype, ops)
        statistics = ops.point_statistics(points, ordered=weights is None and metric.orders(dtype))
        rows = finite_rows(points) if statistics.bad else None
        if rows is not None:
            points = points[rows.kept]
        if metric.sphere is not None:
            metric.sphere.check(points, None if rows is None else rows.kept)
        if metric.image is directions and bool(zero_rows(points).any()):
            metric = metric.by_matrix("rows of zeros have no direction")
            if weights is not None:
                _require_tree_search(metric)
        if weights is not None:
            return _weighted_model(data, points, rows, statistics, weights, metric, request, ops)
        if len(points) > 1:
            _check_size(len(points), request, rows is None)
        linkage = first_round = None
        if len(points) < 2:
            tree = _no_tree(points)
        elif metric.way == "tree":
            found, linkage = _by_search(points, statistics if rows is None else None, metric, request, ops)
            tree, first_round = found[:3], found.first_round
        else:
            metric = metric.settled(points)
            tree = _by_matrix(points, metric, request, ops)
        model = _model(request, metric, tree, ops, n, data.give)
        model.source, model.rows, model.give_rows = always(data.array), rows, data.give_rows
        model.linkage, model.first_round = linkage, first_round
        return model


def _by_search(
    points: Array, statistics: PointStatistics | None, metric: Metric, request: Request, ops: Backend
) -> tuple[TreeOfPoints, Linkage | None]:
    """The tree of finite points, and the dendrogram if the device has begun with it; not where times of stages are
    shown."""
    progress, linkage = _announce_search(points, request), None

    def ahead(edges: Array, weights: Array, first_round: Any) -> None:
        nonlocal linkage
        linkage = None  # one of edges that were not in order is freed
        if not progress.shown:
            linkage = ops.linkage(edges, weights, early=True, first_round=first_round)

    k, alpha = request.min_samples, request.alpha
    tree = metric_tree(points, statistics, metric, k, ops, progress.rounds, alpha, progress.cores, ahead)
    if linkage is None:
        return tree, None
    linkage.height = tree.weights
    return tree._replace(first_round=None), linkage


def _weighted_model(
    data: CheckedPoints,
    points: Array,
    rows: FiniteRows | None,
    statistics: PointStatistics,
    weights: Weights,
    metric: Metric,
    request: Request,
    ops: Backend,
) -> Model:
    """The model of finite points with weights."""
    k, total = request.min_samples, weights.total
    points, rows, weights = _weighing_points(points, rows, weights)
    if len(points) > 1 or weights.total > weights.per:
        _check_total(len(data.array), weights, request)
    if len(points) < 2:
        tree = no_tree(weights, np.zeros_like(points, shape=(len(points),)), ops)
    else:
        progress, unchanged = _announce_search(points, request), statistics if rows is None else None
        reports = {"report": progress.rounds, "cores": progress.cores}
        tree = weighted_tree(points, unchanged, metric, k, weights, ops, alpha=request.alpha, **reports)
    model = _model(request, metric, tree[:3], ops, len(data.array), data.give)
    model.source, model.rows, model.give_rows = always(data.array), rows, data.give_rows
    model.row_weights, model.total, model.copies = weights, total, tree.copies
    return model


def _weighing_points(
    points: Array, rows: FiniteRows | None, weights: Weights
) -> tuple[Array, FiniteRows | None, Weights]:
    """Finite points without those of weight 0, their rows, None for all, and their weights."""
    if rows is not None:
        weights = weights.taken(rows.kept)
    nothing = weights.units == 0
    if not bool(nothing.any()):
        return points, rows, weights
    kept = np.flatnonzero(~nothing)
    rows = (all_rows(points) if rows is None else rows).without(nothing)
    return points[kept], rows, weights.taken(kept)


def _announce_search(points: Array, request: Request) -> Progress:
    request.progress.way("the tree search (bounding volume hierarchy)")
    request.progress.points(len(points))
    return request.progress


def _require_tree_search(metric: Metric) -> None:
    """Raise ValueError for weights where the tree takes a matrix of distances."""
    if metric.way != "tree":
        raise ValueError(NO_WEIGHTS.format(f"{metric.name!r} takes all distances here: {metric.why}"))


def _check_total(n: int, weights: Weights, request: Request) -> None:
    check_total(n, weights.total, weights.bits, request.min_samples, request.given)


def _of_sparse_features(X: Any, request: Request) -> Model:
    check_real(X.dtype)
    X = check_array(X, accept_sparse="csr", dtype=request.dtype or np.float64, ensure_all_finite=False)
    _check_size(X.shape[0], request)
    ops = _backend(choose_device(request.device), request)
    rows = None if np.isfinite(X.data).all() else finite_rows(X)
    points = X if rows is None else X[rows.kept]
    if points.shape[0] < 2:
        tree = _no_tree(ops.asarray(np.empty((points.shape[0], 1))))
    else:
        _check_size(points.shape[0], request, rows is None)
        tree = _by_matrix(points, request.metric, request, ops)
    model = _model(request, request.metric, tree, ops, X.shape[0], to_host)
    model.source, model.rows = always(X), None if rows is None else rows.mapped(ops.asarray)
    return model


def _of_distances(X: Any, request: Request) -> Model:
    if getattr(X, "ndim", 2) == 1:
        raise ValueError(
            f"metric='precomputed' takes a matrix of shape (n, n); X has shape {X.shape}. Of a vector that "
            "scipy.spatial.distance.pdist has made, scipy.spatial.distance.squareform(X) makes one"
        )
    data = check_points(X, device=request.device, dtype=request.dtype)
    _check_size(len(data.array), request)
    if request.metric.params:
        raise ValueError("a dense matrix of distances takes no metric_params: mark missing distances by infinity")
    with data.scope():
        ops = _backend(data.device, request)
        copied = not _is_ready(data)
        if copied:
            require_matrix(len(data.array), data.dtype.itemsize, ops)
        matrix = check_distances(ops.asarray(data.array, data.dtype), copy=not copied)
        announce_given(len(matrix), matrix.dtype.itemsize, request.progress)
        tree = dense_tree(matrix, request.min_samples, ops, alpha=request.alpha, report=request.progress.rounds)
        return _model(request, request.metric, tree, ops, len(matrix), data.give)


def _of_sparse_distances(X: Any, request: Request) -> Model:
    dtype, k = float_of(X.dtype, request.dtype), request.min_samples
    refuse_blocks(X, "X", "a distance")  # before they are converted
    if issparse(X):
        X = check_array(X, accept_sparse="csr", dtype=dtype, ensure_all_finite=False)
    _check_size(X.shape[0], request)
    farthest, progress = _max_distance(request.metric.params), request.progress
    with on_device_of(X):
        ops = _backend(choose_device(request.device, gpu_of(X)), request)
        progress.way("the given distances")
        progress.points(X.shape[0])
        distances = X if X.dtype == dtype else X.astype(dtype)
        tree = sparse_tree(distances, k, ops, alpha=request.alpha, max_distance=farthest, report=progress.rounds)
        return _model(request, request.metric, tree, ops, X.shape[0], giver(X))


# Trees and models


def _by_matrix(X: Any, metric: Metric, request: Request, ops: Backend) -> Tree:
    """The tree from the matrix of the distances between points on the backend, or between the rows of a CSR matrix."""
    announce_matrix(X, metric, request.progress)
    matrix = ops.asarray(distance_matrix(X, metric.name, metric.params))
    request.progress.points(len(matrix))
    return dense_tree(matrix, request.min_samples, ops, alpha=request.alpha, report=request.progress.rounds)


def _no_tree(points: Array) -> Tree:
    """The tree of a single point, or of none."""
    m = len(points)
    edges, weights = np.zeros_like(points, np.int32, shape=(0, 2)), np.zeros_like(points, shape=(0,))
    return edges, weights, np.zeros_like(points, shape=(m,))  # CuPy ignores a shape that is the number 0


def _model(request: Request, metric: Metric, tree: Tree, ops: Backend, n: int, give: Callable[[Array], Any]) -> Model:
    """The model of a tree over the caller's n rows. `source` and `rows` stay None: callers with features set them."""
    edges, weights, core = tree
    if core is None:  # min_samples is 1: the distance of a point to itself
        core = np.zeros_like(weights, shape=(len(weights) + 1,))
    if metric.way != "tree" and bool(np.isinf(weights[-1:]).any()):
        warnings.warn(INFINITE_EDGES, UserWarning, stacklevel=levels_of_the_package())
    return Model(
        device=ops.name,
        metric=metric,
        min_samples=request.min_samples,
        alpha=request.alpha,
        options=request.options,
        n=n,
        edges=edges,
        weights=weights,
        core=core,
        give=give,
    )


def _backend(device: str, request: Request) -> Backend:
    """The backend of a device; what it compiles is shown."""
    ops = backend_of(device)
    request.progress.watch(ops)
    return ops


# Checks


def check_size(n: int, min_samples: int, given: bool = True, what: str = "sample") -> None:
    """Raise ValueError for a single point, or for fewer than `min_samples`. `given`: whether the user has set it.
    `what` is counted: samples, or finite rows if X has others."""
    if n == 1:
        raise ValueError("n_samples=1 while HDBSCAN requires more than one sample")
    if min_samples > n and given:
        raise ValueError(f"min_samples ({min_samples}) must be at most the number of {what}s in X ({n})")
    if min_samples > n:
        raise ValueError(
            f"X has {counted(n, what)}, which is fewer than min_cluster_size ({min_samples}): no cluster is "
            "possible; lower min_cluster_size, or set min_samples, which follows it"
        )


def check_total(n: int, total: int, bits: int, min_samples: int, given: bool) -> None:
    """Raise ValueError for a single row, or for weights that sum to less than `min_samples`. They sum to `total` units,
    and 2^bits units are the weight 1; `given` is as for `check_size`."""
    check_size(n, min(n, min_samples))
    if total < min_samples << bits:
        what = "min_samples" if given else "min_samples, which follows min_cluster_size,"
        least = f"at most the sum of sample_weight over finite rows ({total * 2.0**-bits:g})"
        raise ValueError(f"{what} ({min_samples}) must be {least}")


def _check_size(n: int, request: Request, all_rows: bool = True) -> None:
    check_size(n, request.min_samples, request.given, "sample" if all_rows else "finite row")


def _is_ready(data: CheckedPoints) -> bool:
    """Whether `asarray` takes the caller's matrix as it is, without a copy."""
    array = data.array
    here = isinstance(array, np.ndarray) == (data.device == "cpu")
    return bool(here and array.dtype == data.dtype and array.flags.c_contiguous)


def _max_distance(metric_params: dict[str, Any]) -> float | None:
    """The one parameter that sparse distances take; ValueError for any other, or for a value that is no distance."""
    farthest = metric_params.get("max_distance")
    if farthest is not None and not real_number(farthest) > 0:
        raise ValueError(f"max_distance in metric_params must be a number greater than 0; got {farthest!r}")
    others = [repr(name) for name in metric_params if name != "max_distance"]
    if others:
        raise ValueError(f"sparse distances take no metric_params but max_distance; got {', '.join(others)}")
    return None if farthest is None else real_number(farthest)
