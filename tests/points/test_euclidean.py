"""Complete trees, compared with Kruskal's algorithm, other programs and a file of known results."""

import pathlib

import numpy as np
import pytest
import reference
from helpers import CLOSE, DIMENSIONS, DTYPES, KINDS, cloud, expected_tree, mutual_reachability, spans, tree
from scipy.sparse.csgraph import minimum_spanning_tree as scipy_tree
from scipy.spatial.distance import cdist

GOLDEN = pathlib.Path(__file__).parents[1] / "data" / "arborx_golden"


def assert_is_the_tree(ops, x, k=1):
    ours = tree(ops, x, k)
    edges, weights = expected_tree(x, k)
    assert ours.edges.dtype == np.int32
    assert ours.weights.dtype == x.dtype
    assert ours.device == ops.name
    np.testing.assert_array_equal(ours.edges, edges)
    np.testing.assert_array_equal(ours.weights, weights)
    return ours


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_equal_to_kruskal(ops, kind, d, dtype, k):
    assert_is_the_tree(ops, cloud(300, d, dtype, kind, seed=k), k)


@pytest.mark.parametrize("k", [1, 16])
@pytest.mark.parametrize("d", [2, 3, 5])
def test_equal_to_kruskal_with_more_points(ops, d, k):
    assert_is_the_tree(ops, cloud(1_400, d, np.float32, "uneven"), k)  # for 2 axes few on the CPU, for more many


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 20])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 17, 33])
def test_few_points_and_every_k(ops, n, d, dtype):
    for k in {1, 2, 5, n}:
        if k <= n:
            ours = assert_is_the_tree(ops, cloud(n, d, dtype), k)
            assert ours.edges.shape == (n - 1, 2)
            assert spans(ours.edges, n)


@pytest.mark.parametrize("d", [2, 3, 7])
def test_k_of_all_points(ops, d):
    """Every core distance is the distance to the farthest point."""
    x = cloud(300, d, np.float64)
    ours = assert_is_the_tree(ops, x, len(x))
    np.testing.assert_allclose(ours.core_distances, cdist(x, x).max(axis=1), rtol=1e-14)


def test_core_distances_are_in_the_rows_of_the_caller(ops):
    x = cloud(500, 3, np.float64, "uneven")
    ours = tree(ops, x, 7)
    np.testing.assert_allclose(ours.core_distances, np.sort(cdist(x, x), axis=1)[:, 6], rtol=1e-14)
    assert tree(ops, x).core_distances is None


@pytest.mark.parametrize("k", [1, 2, 5, 30])
@pytest.mark.parametrize("d", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_equal_scipy(ops, kind, d, k):
    """SciPy drops edges of weight zero, so its distances are shifted by one, which changes no tree."""
    x = cloud(300, d, np.float64, kind)
    shifted = mutual_reachability(x, k) + 1
    np.fill_diagonal(shifted, 0)
    theirs = np.sort(scipy_tree(shifted).data) - 1
    ours = tree(ops, x, k).weights
    np.testing.assert_allclose(ours, theirs, rtol=CLOSE, atol=CLOSE)
    np.testing.assert_allclose(ours.sum(), theirs.sum(), rtol=CLOSE)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 20, 70])
@pytest.mark.parametrize("kind", KINDS)
def test_weights_equal_prim(ops, kind, d):
    x = cloud(1_400, d, np.float64, kind)
    np.testing.assert_allclose(tree(ops, x).weights, reference.prim(x), rtol=CLOSE)


def golden_points():
    return np.loadtxt(GOLDEN / "points.csv", delimiter=",")


@pytest.mark.parametrize("dtype", DTYPES)
def test_golden_tree(ops, dtype):
    golden = np.loadtxt(GOLDEN / "edges.csv", delimiter=",")  # no two weights are equal: the edges are unique
    ours = tree(ops, golden_points().astype(dtype))
    np.testing.assert_array_equal(ours.edges, np.sort(golden[:, :2].astype(int), axis=1))
    if dtype == np.float64:
        assert np.abs(ours.weights - golden[:, 2]).max() <= 0.5e-9  # the file has nine decimals


@pytest.mark.parametrize(("k", "total"), [(5, 102.68084503576422), (10, 138.0244333174116), (15, 162.51948793942978)])
def test_golden_totals_under_mutual_reachability(ops, k, total):
    """Totals that ArborX's test quotes from hdbscan (whose min_samples is one less than ours)."""
    np.testing.assert_allclose(tree(ops, golden_points(), k).total_weight, total, rtol=CLOSE)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("k", [1, 6])
def test_weights_equal_quitefastmst(ops, d, k):
    """More points than dense matrices allow. Their M does not count the point itself."""
    quitefastmst = pytest.importorskip("quitefastmst")
    x = cloud(50_000, d, np.float64, "uneven")
    theirs = quitefastmst.mst_euclid(x, M=k - 1 if k > 1 else 0)[0]
    np.testing.assert_allclose(tree(ops, x, k).weights, np.sort(theirs), rtol=CLOSE)
