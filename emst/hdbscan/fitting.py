"""From data and a metric to the spanning tree of its points: which way a fit takes.

Features pass the given, rows with NaN or infinite values stand aside, and the metric says how the tree of the others is
built. Distances that are given, as a matrix or as a sparse graph, come in by themselves.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import Array, PointStatistics, Report
from emst.distances.matrices import check_distances, distance_matrix, require_matrix
from emst.distances.metrics import Metric, directions, has_zero_rows
from emst.distances.row_by_row import dense_tree, rows_tree
from emst.distances.sparse import sparse_tree
from emst.euclidean import spanning_tree
from emst.hdbscan.model import Model
from emst.hdbscan.parameters import Request
from emst.inputs.devices import choose_device, giver, gpu_of, is_cupy_sparse, on_device_of, to_host
from emst.inputs.finite import FiniteRows, finite_rows
from emst.inputs.points import check_points, check_real, float_of
from emst.inputs.scaling import SAMPLE
from emst.progress import both, round_printer, way_printed

Tree = tuple[Array, Array, Array]

INFINITE_EDGES = (
    "The minimum spanning tree contains edge weights with value infinity: there parts of the data are joined that no "
    "distance connects. Potentially, you are missing too many distances for the given min_samples."
)


def tree_model(X: Any, request: Request) -> Model:
    """The tree of `X`; the model makes dendrogram and clusters when it is asked for them."""
    given = request.metric.way == "given"
    if issparse(X) or (given and is_cupy_sparse(X)):
        model = _of_graph(X, request) if given else _of_sparse_features(X, request)
    else:
        model = _of_distances(X, request) if given else _of_features(X, request)
    with model.scope():
        if model.metric.way in ("given", "matrix") and bool(np.isinf(model.weights[-1:]).any()):
            warnings.warn(INFINITE_EDGES, UserWarning, stacklevel=3)
    return model


def _of_features(X: Any, request: Request) -> Model:
    given = check_points(X, device=request.device, dtype=request.dtype)
    if request.dtype is None and (request.metric.height or request.metric.way == "matrix"):
        given = replace(given, dtype=np.dtype(np.float64))
    _check_size(len(given.array), request.min_samples)
    with given.scope():
        ops = backend_of(given.device)
        ops.require_memory(given.array, given.dtype, request.min_samples, labels=True)
        points = ops.asarray(given.array, given.dtype)
        statistics, rows, metric = ops.point_statistics(points, SAMPLE), None, request.metric
        if statistics.bad:
            rows = finite_rows(points)
            points = points[rows.kept]
            statistics = ops.point_statistics(points, SAMPLE) if len(points) else statistics
        if metric.image is directions and has_zero_rows(points):
            metric = metric.by_matrix("rows of zeros have no direction")
        report = _announced(metric, len(points), request)
        if rows is not None and len(points) < 2:
            tree = _no_tree(points)
        elif metric.way == "tree":
            tree = _tree_by_search(points, statistics, metric, request, ops, report)
        else:
            metric = metric.settled(points)
            tree = _tree_without_search(points, metric, request, ops, report)
        return _model(request, tree, ops, len(given.array), given.give, data=given.array, rows=rows, metric=metric)


def _tree_by_search(
    points: Array, statistics: PointStatistics, metric: Metric, request: Request, ops: Backend, report: Report | None
) -> Tree:
    _check_size(len(points), request.min_samples)
    if metric.image is not None:
        points = ops.asarray(metric.image(points), points.dtype)
        statistics = ops.point_statistics(points, SAMPLE)
    edges, weights, core = spanning_tree(points, statistics, request.min_samples, ops, report)
    if core is None:  # of a single sample: the distance to itself
        core = np.zeros_like(weights, shape=len(points))
    return (edges, weights, core) if metric.height is None else (edges, metric.height(weights), metric.height(core))


def _tree_without_search(X: Any, metric: Metric, request: Request, ops: Backend, report: Report | None) -> Tree:
    """Of features, on the device or sparse, whose distances are asked row by row or all at once."""
    k = request.min_samples
    _check_size(X.shape[0], k)
    if metric.way == "rows":
        return rows_tree(X, metric.name, metric.p, k, ops, alpha=request.alpha, report=report)
    try:
        matrix = ops.asarray(distance_matrix(X, metric.name, metric.params))
    except MemoryError as error:
        raise MemoryError(f"{error}; it is needed because {metric.why}") from error
    return dense_tree(matrix, k, ops, alpha=request.alpha, report=report)


def _of_sparse_features(X: Any, request: Request) -> Model:
    if X.dtype.kind == "c":
        check_real(X.dtype)
    X = check_array(X, accept_sparse="csr", dtype=request.dtype or np.float64, ensure_all_finite=False)
    _check_size(X.shape[0], request.min_samples)
    ops = backend_of(choose_device(request.device))
    rows = None if np.isfinite(X.data).all() else finite_rows(X)
    points = X if rows is None else X[rows.kept]
    if points.shape[0] < 2:
        tree = _no_tree(ops.asarray(np.empty((points.shape[0], 1))))
    else:
        report = _announced(request.metric, points.shape[0], request)
        tree = _tree_without_search(points, request.metric, request, ops, report)
    if rows is not None:
        rows = rows.mapped(ops.asarray)
    return _model(request, tree, ops, X.shape[0], to_host, data=X, rows=rows)


def _of_distances(X: Any, request: Request) -> Model:
    given = check_points(X, device=request.device, dtype=request.dtype)
    _check_size(len(given.array), request.min_samples)
    if request.metric.params:
        raise ValueError("a dense matrix of distances takes no metric_params: mark missing distances by infinity")
    with given.scope():
        ops = backend_of(given.device)
        array, here = given.array, isinstance(given.array, np.ndarray) == (ops.name == "cpu")
        moved = not (here and array.dtype == given.dtype and array.flags.c_contiguous)
        if moved:
            require_matrix(len(array), given.dtype.itemsize, ops)
        matrix = check_distances(ops.asarray(array, given.dtype), copy=not moved)
        report = _announced(request.metric, len(matrix), request)
        tree = dense_tree(matrix, request.min_samples, ops, alpha=request.alpha, report=report)
        return _model(request, tree, ops, len(matrix), given.give)


def _of_graph(X: Any, request: Request) -> Model:
    on_device = is_cupy_sparse(X)
    dtype = float_of(X.dtype, request.dtype)
    if not on_device:
        X = check_array(X, accept_sparse="csr", dtype=dtype, ensure_all_finite=False)
    elif request.dtype is not None:
        with on_device_of(X):
            X = X.astype(request.dtype)
    _check_size(X.shape[0], request.min_samples)
    params = dict(request.metric.params)
    farthest = params.pop("max_distance", None)
    if farthest is not None and not (isinstance(farthest, Real) and float(farthest) > 0):
        raise ValueError(f"max_distance in metric_params must be a number greater than 0; got {farthest!r}")
    if params:
        raise ValueError(f"sparse distances take no metric_params but max_distance; got {', '.join(map(repr, params))}")
    report = _announced(request.metric, X.shape[0], request)
    ops = backend_of(choose_device(request.device, gpu_of(X)))
    k, alpha = request.min_samples, request.alpha
    far = None if farthest is None else float(farthest)
    with on_device_of(X):
        tree = sparse_tree(X, k, ops, alpha=alpha, max_distance=far, report=report)
        return _model(request, tree, ops, X.shape[0], giver(X))


def _model(
    request: Request,
    tree: Tree,
    ops: Backend,
    n: int,
    give: Callable[[Array], Any],
    *,
    data: Any = None,
    rows: FiniteRows | None = None,
    metric: Metric | None = None,
) -> Model:
    edges, weights, core = tree
    return Model(
        device=ops.name,
        metric=metric or request.metric,
        min_samples=request.min_samples,
        alpha=request.alpha,
        options=request.options,
        n=n,
        rows=rows,
        data=data,
        edges=edges,
        weights=weights,
        core=core,
        give=give,
    )


def _announced(metric: Metric, n: int, request: Request) -> Report | None:
    """Say which way it goes, if asked; then who is told of the rounds."""
    if not request.verbose:
        return request.report
    way_printed(metric.way, metric.why)
    return both(request.report, round_printer(n))


def _no_tree(points: Array) -> Tree:
    """Of a single point, or none."""
    m = len(points)
    edges, weights = np.zeros_like(points, np.int32, shape=(0, 2)), np.zeros_like(points, shape=(0,))
    return edges, weights, np.zeros_like(points, shape=(m,))  # CuPy takes a shape of plain 0 for none given


def _check_size(n: int, min_samples: int) -> None:
    if n == 1:
        raise ValueError("n_samples=1 while HDBSCAN requires more than one sample")
    if min_samples > n:
        raise ValueError(f"min_samples ({min_samples}) must be at most the number of samples in X ({n})")
