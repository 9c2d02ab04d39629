"""Spanning trees from rows of distance matrices."""

import dense_reference
import numpy as np
import pytest
import reference
from helpers import DTYPES, check_tree, forest_at_home, forest_on, random_components, to_device, to_host
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from emst.distances.row_by_row import dense_tree

SIZES = [1, 2, 3, 17, 130, 400]


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
        ops.open_rows(to_device(ops, d), 1.0),
        dense_reference.open_rows(d, 1.0),
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
