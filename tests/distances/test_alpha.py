"""Distances divided by alpha: the tree is the one of the total order, whatever alpha, core distances and ties are."""

import itertools

import dense_reference
import numpy as np
import pytest
import reference
from helpers import DTYPES, check_tree, cloud, forest_on, to_device, to_host
from scipy.sparse import csr_array

from emst import HDBSCANGPU
from emst.boruvka import spanning_forest
from emst.distances.matrices import distance_matrix
from emst.distances.row_by_row import dense_tree, rows_tree
from emst.distances.sparse import sparse_tree

ALPHAS = [0.3, 0.5, 0.7, 1.0, 1.3, 3.0]
SUMS = [("manhattan", 1.0), ("chebyshev", 1.0), ("euclidean", 2.0), ("powers", 1.5), ("powers", 3.0)]
METRICS = ["euclidean", "manhattan", "chebyshev", "cosine", "haversine"]


def distances(n, kind, dtype, seed=0):
    """The matrix of the Manhattan distances of a cloud in the plane."""
    return dense_reference.distances(cloud(n, 2, dtype, kind, seed), "manhattan", 1.0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "lattice", "repeated"])
@pytest.mark.parametrize("k", [1, 2, 20])
def test_a_matrix_gives_the_tree_of_the_total_order(ops, k, kind, dtype):
    for seed, alpha in enumerate(ALPHAS):
        d = distances(200, kind, dtype, seed)
        check_tree(dense_tree(to_device(ops, d), k, ops, alpha=alpha), dense_reference.kruskal(d, k, alpha), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "lattice", "repeated"])
@pytest.mark.parametrize("metric, degree", SUMS)
def test_rows_of_points_give_the_tree_of_the_total_order(ops, metric, degree, kind, dtype):
    """Sums of powers stand for distances, and a power of alpha for alpha: bit for bit those of the reference."""
    x = cloud(200, 2, dtype, kind)
    d = dense_reference.distances(x, metric, degree)
    for k, alpha in itertools.product((1, 2, 20), ALPHAS):
        divisor = alpha**degree
        rows = ops.open_rows(to_device(ops, x), metric, degree, divisor)
        core = to_host(ops.row_core_distances(rows, k))
        forest = forest_on(ops, reference.empty_forest(np.arange(len(x)), dtype))
        spanning_forest(forest, lambda forest, rows=rows: ops.row_nearest(rows, forest), ops)
        check_tree((*ops.row_edges(rows, forest), core), dense_reference.kruskal(d, k, divisor), dtype)


@pytest.mark.parametrize("kind", ["uniform", "repeated"])
@pytest.mark.parametrize("k", [1, 2, 20])
def test_powers_of_any_kind(ops, k, kind):
    """`pow` rounds differently in numpy, numba and CUDA, so weights are compared, to the last digits."""
    x = cloud(200, 2, np.float64, kind)
    d = dense_reference.distances(x, "any power", 2.7) ** (1 / 2.7)
    for alpha in ALPHAS:
        _, weights, core = map(to_host, rows_tree(to_device(ops, x), "minkowski", 2.7, k, ops, alpha=alpha))
        _, expected, expected_core = dense_reference.kruskal(d, k, alpha)
        np.testing.assert_allclose(weights, expected, rtol=1e-12, atol=0)
        np.testing.assert_allclose(core, expected_core, rtol=1e-12, atol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "lattice", "repeated"])
@pytest.mark.parametrize("k", [1, 2, 20])
def test_a_sparse_matrix_gives_the_tree_of_the_total_order(ops, k, kind, dtype):
    d = distances(200, kind, dtype)
    u, v = np.nonzero(~np.eye(len(d), dtype=bool))  # zeros between equal points are distances
    graph = csr_array((d[u, v], (u, v)), shape=d.shape)
    assert graph.nnz == len(d) * (len(d) - 1)
    for alpha in ALPHAS:
        check_tree(sparse_tree(graph, k, ops, alpha=alpha), dense_reference.kruskal(d, k, alpha), dtype)


def function(a, b):
    return float(abs(a - b).sum())


@pytest.mark.parametrize("metric", [*METRICS, "minkowski 1.5", "minkowski 2.7", "precomputed", "function", "sparse"])
def test_a_fit_with_any_metric(ops, metric):
    x = np.random.default_rng(1).normal(size=(200, 2))
    data, params = x, None
    name = {"function": function, "sparse": "euclidean"}.get(metric, metric)
    if metric.startswith("minkowski"):
        name, params = "minkowski", {"p": float(metric.split()[1])}
    if metric == "precomputed":
        d = data = distance_matrix(x, "euclidean")
    else:
        d = distance_matrix(x, name, params)
    if metric == "sparse":
        data = csr_array(x)
    for k, alpha in itertools.product((2, 20), (0.3, 0.5, 1.0, 3.0)):
        model = HDBSCANGPU(min_samples=k, alpha=alpha, metric=name, metric_params=params, device=ops.name).fit(data)
        heights = model.single_linkage_tree_.to_numpy()[:, 2]
        np.testing.assert_allclose(heights, dense_reference.kruskal(d, k, alpha)[1], rtol=1e-12, atol=1e-15)


def test_a_fit_with_a_small_alpha_ends(ops):
    """Borůvka's loop closed a cycle here, and the dendrogram looked for its root for ever."""
    x = np.random.default_rng(1).normal(size=(200, 2))
    labels = HDBSCANGPU(min_samples=20, alpha=0.5, device=ops.name).fit(x).labels_
    assert len(to_host(labels)) == 200
