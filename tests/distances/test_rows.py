"""Spanning trees from rows of distances: of matrices, and of points under metrics without a tree search."""

import dense_reference
import numpy as np
import pytest
import reference
from helpers import DTYPES, check_tree, cloud, forest_at_home, forest_on, random_components, to_device, to_host
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist, squareform

from emst.distances.row_by_row import dense_tree, rows_tree

SIZES = [1, 2, 3, 17, 130, 400]
METRICS = [("manhattan", 1.0), ("chebyshev", np.inf), ("euclidean", 2.0), ("minkowski", 1.5), ("minkowski", 3.0)]
SCIPY = {"manhattan": "cityblock"}


def matrix(n, kind, dtype, seed=0):
    """Symmetric with a zero diagonal: all distances different, nearly all equal, all zero, or nearly all missing."""
    g = np.random.default_rng([seed, n])
    if kind == "uniform":
        d = g.random((n, n))
    elif kind == "integers":
        d = g.integers(0, 5, (n, n))
    elif kind == "zeros":
        d = np.zeros((n, n))
    elif kind == "missing":
        d = np.where(g.random((n, n)) < 1 / max(n, 2), g.integers(0, 9, (n, n)), np.inf)
    d = np.minimum(d, d.T).astype(dtype)
    np.fill_diagonal(d, 0)
    return d


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "integers", "zeros", "missing"])
@pytest.mark.parametrize("n", SIZES)
def test_the_tree_of_a_matrix(ops, n, kind, dtype):
    """Edge for edge Kruskal's, from the Euclidean case k = 1 to core distances over all of a row of distances."""
    d = matrix(n, kind, dtype)
    for k in sorted({1, min(2, n), min(5, n), n}):
        for alpha in (1.0, 1.7):
            tree = dense_tree(to_device(ops, d), k, ops, alpha=alpha)
            check_tree(tree, dense_reference.kruskal(d, k, alpha), dtype)


def test_the_matrix_is_not_written_to(ops):
    d = matrix(50, "uniform", np.float64)
    given = to_device(ops, d)
    dense_tree(given, 4, ops)
    np.testing.assert_array_equal(to_host(given), d)


def test_a_tree_by_hand(ops):
    """With k = 2 the core distances are 1, 1, 2, 9: every edge that is lighter than one of its ends' is lifted."""
    d = np.array([[0, 1, 4, 9], [1, 0, 2, 9], [4, 2, 0, 9], [9, 9, 9, 0]], np.float64)
    edges, weights, core = map(to_host, dense_tree(to_device(ops, d), 2, ops))
    assert core.tolist() == [1, 1, 2, 9]
    assert edges.tolist() == [[0, 1], [1, 2], [0, 3]]
    assert weights.tolist() == [1, 2, 9]


def test_equal_weights_go_by_distance(ops):
    """With k = 4 all edges weigh 5 but one: 3 goes to its nearest neighbour, 0 to the first of its two nearest."""
    d = np.array([[0, 4, 4, 5], [4, 0, 4, 3], [4, 4, 0, 2], [5, 3, 2, 0]], np.float64)
    edges, weights, _ = map(to_host, dense_tree(to_device(ops, d), 4, ops))
    assert weights.tolist() == [4, 5, 5]
    assert edges.tolist() == [[1, 2], [2, 3], [0, 1]]


def test_what_stays_apart_is_bridged_at_infinity(ops):
    """{0, 3}, {1, 4}, {2}: bridges go from vertex 0 to the least vertex of every other part."""
    d = np.full((5, 5), np.inf)
    np.fill_diagonal(d, 0)
    d[0, 3] = d[3, 0] = 2
    d[1, 4] = d[4, 1] = 1
    edges, weights, _ = map(to_host, dense_tree(to_device(ops, d), 1, ops))
    assert edges.tolist() == [[1, 4], [0, 3], [0, 1], [0, 2]]
    assert weights.tolist() == [1, 2, np.inf, np.inf]


def test_the_diagonal_counts_as_it_is(ops):
    """As in scikit-learn: an entry like the others when core distances are taken."""
    edges, weights, core = map(to_host, dense_tree(to_device(ops, np.array([[1, np.inf], [np.inf, 1]])), 1, ops))
    assert (edges.tolist(), weights.tolist(), core.tolist()) == ([[0, 1]], [np.inf], [1, 1])


@pytest.mark.parametrize("kind", ["uniform", "integers"])
@pytest.mark.parametrize("k", [1, 6])
def test_heights_are_those_of_single_linkage(ops, kind, k):
    d = matrix(200, kind, np.float64)
    _, weights, core = map(to_host, dense_tree(to_device(ops, d), k, ops))
    reachability = np.maximum(np.maximum(core[:, None], core[None, :]), d)
    np.fill_diagonal(reachability, 0)
    expected = linkage(squareform(reachability), "single")
    np.testing.assert_array_equal(weights, expected[:, 2])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "integers", "missing"])
def test_one_round_from_any_partition(ops, kind, dtype):
    """The lightest edge of every component, found twice: after a merge, cached neighbours are used."""
    d = matrix(150, kind, dtype)
    labels = random_components(d, 3, 40)
    rows, expected_rows = (
        ops.open_rows(to_device(ops, d), "precomputed", 1.0, 1.0),
        dense_reference.open_rows(d, "precomputed", 1, 1),
    )
    np.testing.assert_array_equal(
        to_host(ops.row_core_distances(rows, 3)), dense_reference.row_core_distances(expected_rows, 3)
    )
    forest, expected = forest_on(ops, reference.empty_forest(labels, dtype)), reference.empty_forest(labels, dtype)
    for _ in range(2):
        ops.row_nearest(rows, forest)
        expected.labels[:], expected.components = to_host(forest.labels), to_host(forest.components)
        expected.best[:] = np.inf
        dense_reference.row_nearest(expected_rows, expected)
        ours, roots = forest_at_home(forest), expected.components
        for field in ("best", "edge_u", "edge_v"):
            np.testing.assert_array_equal(getattr(ours, field)[roots], getattr(expected, field)[roots])
        ops.merge(forest)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "lattice", "repeated"])
@pytest.mark.parametrize("metric, p", METRICS)
def test_the_tree_of_points(ops, metric, p, kind, dtype):
    """Against the tree of scipy's matrix: weights agree to the last digits, since sums are rooted once."""
    for n, d in [(1, 3), (2, 1), (100, 2), (700, 5)]:
        x = cloud(n, d, dtype, kind)
        k = min(5, n)
        edges, weights, core = map(to_host, rows_tree(to_device(ops, x), metric, p, k, ops))
        wide = x.astype(np.float64)
        distance = cdist(wide, wide, SCIPY.get(metric, metric), **({"p": p} if metric == "minkowski" else {}))
        _, expected, expected_core = dense_reference.kruskal(distance, k)
        tolerance = 1e-12 if dtype == np.float64 else 2e-6
        np.testing.assert_allclose(weights, expected, rtol=tolerance)
        np.testing.assert_allclose(core, expected_core, rtol=tolerance)
        assert weights.dtype == core.dtype == dtype and edges.dtype == np.int32
        assert (np.diff(weights) >= 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("metric, p", [*METRICS[:2], ("euclidean", 2.0), ("powers", 2.5)])
@pytest.mark.parametrize("k", [13, 14, 33, 34, 200, 400])
def test_core_distances_of_any_order(ops, k, metric, p, dtype):
    """Distances of which many are equal, or 0."""
    x = np.concatenate([cloud(150, 3, dtype), cloud(150, 3, dtype, "lattice"), cloud(100, 3, dtype, "repeated")])
    core = to_host(ops.row_core_distances(ops.open_rows(to_device(ops, x), metric, p, 1.0), k))
    expected = dense_reference.row_core_distances(dense_reference.open_rows(x, metric, p, 1.0), k)
    np.testing.assert_array_equal(core, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("metric, p", [*METRICS[:2], ("euclidean", 2.0), ("powers", 2.5), ("powers", 4.0)])
def test_rows_of_points_are_exact(ops, metric, p, dtype):
    """Sums and edges equal the reference's bit for bit: coordinates in order, no fused multiply-add."""
    x = np.concatenate([cloud(150, 3, dtype), cloud(150, 3, dtype, "lattice")])
    rows = ops.open_rows(to_device(ops, x), metric, p, 1.3)
    expected_rows = dense_reference.open_rows(x, metric, p, 1.3)
    np.testing.assert_array_equal(
        to_host(ops.row_core_distances(rows, 30)), dense_reference.row_core_distances(expected_rows, 30)
    )
    forest, expected = (
        forest_on(ops, reference.empty_forest(np.arange(300), dtype)),
        reference.empty_forest(np.arange(300), dtype),
    )
    while forest.count > 1:
        ops.row_nearest(rows, forest)
        dense_reference.row_nearest(expected_rows, expected)
        ops.merge(forest)
        reference.merge(expected)
    for ours, theirs in zip(ops.row_edges(rows, forest), dense_reference.row_edges(expected_rows, expected)):
        np.testing.assert_array_equal(to_host(ours), theirs)


@pytest.mark.parametrize("p", [0.5, 1.25, 2.2])
def test_powers_of_any_kind(ops, p):
    x = cloud(200, 3, np.float64)
    weights = to_host(rows_tree(to_device(ops, x), "minkowski", p, 3, ops)[1])
    np.testing.assert_allclose(weights, dense_reference.kruskal(cdist(x, x, "minkowski", p=p), 3)[1], rtol=1e-12)


@pytest.mark.parametrize("p, same", [(1, "manhattan"), (2, "euclidean"), (np.inf, "chebyshev")])
def test_powers_that_have_a_name(ops, p, same):
    x = cloud(80, 3, np.float64)
    named = rows_tree(to_device(ops, x), same, 7.0, 3, ops)
    check_tree(rows_tree(to_device(ops, x), "minkowski", p, 3, ops), map(to_host, named), np.float64)


@pytest.mark.parametrize("metric, p", METRICS)
def test_alpha_divides_distances_but_not_core_distances(ops, metric, p):
    x = cloud(120, 3, np.float64)
    tree = rows_tree(to_device(ops, x), metric, p, 4, ops, alpha=1.5)
    distance = cdist(x, x, SCIPY.get(metric, metric), **({"p": p} if metric == "minkowski" else {}))
    _, weights, core = dense_reference.kruskal(distance, 4, 1.5)
    np.testing.assert_allclose(to_host(tree[1]), weights, rtol=1e-12)
    np.testing.assert_allclose(to_host(tree[2]), core, rtol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("metric, p", [("euclidean", 2.0), ("minkowski", 3.0)])
@pytest.mark.parametrize("power_of_two", [-100, 100])
def test_powers_neither_overflow_nor_vanish(ops, metric, p, power_of_two, dtype):
    x = cloud(100, 3, dtype)
    expected = to_host(rows_tree(to_device(ops, x), metric, p, 3, ops)[1])
    weights = to_host(rows_tree(to_device(ops, np.ldexp(x, power_of_two)), metric, p, 3, ops)[1])
    np.testing.assert_allclose(np.ldexp(weights, -power_of_two), expected, rtol=1e-12 if dtype == np.float64 else 1e-6)


@pytest.mark.parametrize("p", [20.0, 20.5, 31.75, 32.0])
@pytest.mark.parametrize("power_of_two", [-900, 0, 900])
def test_high_powers_keep_small_distances(ops, p, power_of_two):
    """Two clusters, the one a 10^-8th of the other; SciPy's powers, of distances divided by their greatest part."""
    x = np.concatenate([cloud(40, 3, np.float64), cloud(40, 3, np.float64, seed=1) * 1e-8])
    part = abs(x[:, None] - x[None, :])
    greatest = part.max(axis=2, keepdims=True)
    ratio = np.divide(part, greatest, out=np.zeros_like(part), where=greatest > 0)
    distance = greatest[:, :, 0] * (ratio**p).sum(axis=2) ** (1 / p)
    expected = dense_reference.kruskal(distance, 3)[1]
    weights = to_host(rows_tree(to_device(ops, np.ldexp(x, power_of_two)), "minkowski", p, 3, ops)[1])
    np.testing.assert_allclose(np.ldexp(weights, -power_of_two), expected, rtol=1e-12)


@pytest.mark.parametrize("alpha", [1e-5, 0.03, 1e5])
@pytest.mark.parametrize("metric, p", [("euclidean", 2.0), ("minkowski", 1.5), ("minkowski", 20.0)])
def test_powers_of_alpha_leave_room(ops, metric, p, alpha):
    """Two rows as far apart as rows can be: their distance over alpha is a number like any other."""
    x = np.array([[-1.0, 0.0], [1.0, 0.0], [1.0, 1e-3]])
    _, weights, core = map(to_host, rows_tree(to_device(ops, x), metric, p, 1, ops, alpha=alpha))
    np.testing.assert_allclose(weights, [1e-3 / alpha, 2 / alpha], rtol=1e-12)
    assert not core.any()


@pytest.mark.parametrize("alpha", [1e-20, 1e20])
def test_alphas_whose_powers_are_no_numbers(ops, alpha):
    with pytest.raises(ValueError, match=r"alpha = 1e.20 .* p = 20"):
        rows_tree(to_device(ops, cloud(9, 2, np.float64)), "minkowski", 20.0, 2, ops, alpha=alpha)


def test_rounds_are_reported(ops):
    seen = []
    dense_tree(to_device(ops, matrix(100, "uniform", np.float64)), 2, ops, report=lambda *round: seen.append(round))
    assert [number for number, _ in seen] == list(range(1, len(seen) + 1))
    assert seen[-1][1] == 1


def test_any_number_of_threads():
    import numba

    import emst.cpu as ops

    d = matrix(400, "integers", np.float64)
    many = numba.get_num_threads()
    trees = []
    for threads in {1, many}:
        numba.set_num_threads(threads)
        try:
            trees += [dense_tree(d, 5, ops) for _ in range(3)]
        finally:
            numba.set_num_threads(many)
    for tree in trees:
        check_tree(tree, trees[0], np.float64)
