"""Distances divided by alpha: the tree is the one of the total order, whatever alpha, core distances and ties are."""

import itertools

import dense_reference
import numpy as np
import pytest
import reference
from helpers import DTYPES, check_tree, cloud, expected_tree, scaled_in_curve_order, to_device, to_host
from norms_reference import BY_NAME, distances_in
from scipy.sparse import csr_array

from emst import HDBSCANGPU
from emst.distances.matrices import distance_matrix
from emst.distances.metrics import metric_of
from emst.distances.row_by_row import dense_tree
from emst.distances.sparse import sparse_tree
from emst.hdbscan.joining import join_queries
from emst.spanning import metric_tree

ALPHAS = [0.3, 0.5, 0.7, 1.0, 1.3, 3.0]
NORMS = [("euclidean", None), ("manhattan", None), ("chebyshev", None)]
NORMS += [("minkowski", 1.5), ("minkowski", 3), ("minkowski", 2.7)]
METRICS = ["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "haversine"]


def metric_with(name, p, alpha=1.0):
    return metric_of(name, {} if p is None else {"p": p}, algorithm="auto", alpha=alpha, sparse=False)


def distances(n, kind, dtype, seed=0):
    """The matrix of the Manhattan distances of a cloud in the plane."""
    return distances_in(cloud(n, 2, dtype, kind, seed), BY_NAME["manhattan"])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "lattice", "repeated"])
@pytest.mark.parametrize("k", [1, 2, 20])
def test_a_matrix_gives_the_tree_of_the_total_order(ops, k, kind, dtype):
    for seed, alpha in enumerate(ALPHAS):
        d = distances(200, kind, dtype, seed)
        check_tree(dense_tree(to_device(ops, d), k, ops, alpha=alpha), dense_reference.kruskal(d, k, alpha), dtype)


@pytest.mark.parametrize("alpha", [0.3, 3.0])
def test_rows_of_which_a_thread_sees_several_entries(ops, alpha):
    d = distances(600, "uniform", np.float64)
    found = dense_tree(to_device(ops, d), 3, ops, alpha=alpha)
    check_tree(found, dense_reference.kruskal(d, 3, alpha), np.float64)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "lattice", "repeated"])
@pytest.mark.parametrize("name, p", NORMS)
def test_the_search_gives_the_tree_of_the_total_order(ops, name, p, kind, dtype):
    """Powers of core distances are multiplied by a power of alpha, and the roots are divided by alpha: bit for bit."""
    x = cloud(150, 2, dtype, kind)
    for k, alpha in itertools.product((1, 6), ALPHAS):
        metric = metric_with(name, p, alpha)
        searched = x.astype(metric.searched_in(dtype))
        factor = float(searched.dtype.type(alpha**metric.norm.degree)) if k > 1 else 1.0  # core distances are 0
        edges, weights = expected_tree(searched, k, metric.norm, factor)
        expected = [edges, (weights.astype(np.float64) / alpha).astype(dtype)]
        if k > 1:
            index, order = scaled_in_curve_order(searched, metric.norm, factor)
            expected.append(reference.unscaled(index, reference.core_distances(index, k), order).astype(dtype))
        found = metric_tree(to_device(ops, x), None, metric, k, ops, alpha=alpha)
        assert (found[2] is None) == (k == 1)
        for ours, theirs in zip(found, expected):
            np.testing.assert_array_equal(to_host(ours), theirs)
            assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("k", [1, 6])
def test_subnormal_distances_are_divided_alike_on_all_devices(ops, k):
    """Weights are a few dozen times the smallest number, which a GPU takes for 0 unless told otherwise."""
    x, alpha = cloud(150, 2, np.float32) * np.float32(1e-43), 0.7
    metric = metric_with("manhattan", None, alpha)
    edges, weights = expected_tree(x, k, metric.norm, 1.0 if k == 1 else float(np.float32(alpha)))
    found = metric_tree(to_device(ops, x), None, metric, k, ops, alpha=alpha)
    np.testing.assert_array_equal(to_host(found[0]), edges)
    np.testing.assert_array_equal(to_host(found[1]), (weights.astype(np.float64) / alpha).astype(np.float32))
    assert 0 < to_host(found[1]).max() < np.finfo(np.float32).tiny


def test_a_query_joins_at_the_height_of_the_tree_of_two(ops):
    """Both are rounded to float32 once, after the division by alpha."""
    g, alpha, params = np.random.default_rng(6), 0.7, {"p": 3}
    x = np.indices((6, 6, 6)).reshape(3, -1).T.astype(np.float32)
    queries = (x + g.uniform(-0.3, 0.3, x.shape)).astype(np.float32)
    model = HDBSCANGPU(min_samples=1, alpha=alpha, metric="minkowski", metric_params=params, device=ops.name).fit(x)
    found = join_queries(model._model, to_device(ops, queries))
    np.testing.assert_array_equal(to_host(found.neighbor), np.arange(len(x)))
    pairs = (to_device(ops, np.stack(pair)) for pair in zip(x, queries))
    metric = metric_with("minkowski", 3, alpha)
    expected = [to_host(metric_tree(pair, None, metric, 1, ops, alpha=alpha)[1])[0] for pair in pairs]
    np.testing.assert_array_equal(to_host(found.height), expected)


@pytest.mark.parametrize("alpha", [1e-5, 0.03, 1e5])
@pytest.mark.parametrize("name, p", [("euclidean", None), ("manhattan", None), ("minkowski", 1.5), ("minkowski", 20)])
def test_powers_of_alpha_leave_room(ops, name, p, alpha):
    """Two rows as far apart as rows can be: their distance over alpha is a number like any other."""
    x = to_device(ops, np.array([[-1.0, 0.0], [1.0, 0.0], [1.0, 1e-3]]))
    weights = to_host(metric_tree(x, None, metric_with(name, p, alpha), 1, ops, alpha=alpha)[1])
    np.testing.assert_allclose(weights, [1e-3 / alpha, 2 / alpha], rtol=1e-12)
    _, weights, core = map(to_host, metric_tree(x, None, metric_with(name, p, alpha), 3, ops, alpha=alpha)[:3])
    np.testing.assert_allclose(core, [2, 2, 2], rtol=1e-3)
    np.testing.assert_allclose(weights, [max(1e-3 / alpha, 2), max(2 / alpha, 2)], rtol=1e-3)


@pytest.mark.parametrize("alpha", [1e-20, 1e20])
def test_alphas_whose_powers_are_no_numbers(ops, alpha):
    x = cloud(9, 2, np.float64)
    with pytest.raises(ValueError, match=r"alpha = 1e.20 is too far from 1 .* degree 20"):
        HDBSCANGPU(metric="minkowski", metric_params={"p": 20}, alpha=alpha, device=ops.name).fit(x)
    assert len(HDBSCANGPU(alpha=alpha, device=ops.name).fit(x).labels_) == 9


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
    x = np.random.default_rng(1).normal(size=(200, 2)) / (4 if metric == "haversine" else 1)  # radians
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
