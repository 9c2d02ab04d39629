"""Precomputed distances, dense or sparse, and distance matrices of other metrics."""

import re

import dense_reference
import numpy as np
import pytest
import scipy.sparse as sp
from helpers import DTYPES, to_device, to_host
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

import emst.cpu
from emst import HDBSCANGPU
from emst.distances.cost import announce_matrix
from emst.distances.matrices import ON_DEVICE, by_blocks, check_distances, distance_matrix
from emst.distances.metrics import NAMES, metric_of
from emst.distances.row_by_row import dense_tree
from emst.distances.sparse import sparse_tree
from emst.progress import Progress


def random_graph(n, density, integers, dtype, seed=0):
    """A symmetric sparse matrix without its diagonal, zeros stored; and the same dense, with infinities."""
    g = np.random.default_rng([seed, n])
    d = (g.integers(0, 4, (n, n)) if integers else g.random((n, n))).astype(dtype)
    d = np.minimum(d, d.T)
    stored = np.triu(g.random((n, n)) < density, 1)
    stored |= stored.T
    i, j = np.nonzero(stored)
    dense = np.where(stored, d, np.inf).astype(dtype)
    np.fill_diagonal(dense, 0)
    return sp.csr_array((d[i, j], (i, j)), shape=(n, n)), dense


def same(tree, expected):
    for ours, theirs in zip(tree, expected):
        np.testing.assert_array_equal(to_host(ours), to_host(theirs))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("integers", [False, True])
@pytest.mark.parametrize("n, density", [(1, 0.5), (2, 1.0), (40, 0.3), (200, 0.01), (200, 0.1), (150, 1.0)])
def test_sparse_is_dense_with_infinities(ops, n, density, integers, dtype):
    graph, dense = random_graph(n, density, integers, dtype)
    for k in {1, min(2, n), min(4, n)}:
        if (np.isfinite(dense).sum(axis=1) < k).any():
            with pytest.raises(ValueError, match=f"There exists points with fewer than {k} neighbors"):
                sparse_tree(graph, k, ops)
            continue
        tree = sparse_tree(graph, k, ops, alpha=1.5)
        assert to_host(tree[1]).dtype == to_host(tree[2]).dtype == dtype
        same(tree, dense_reference.kruskal(dense, k, 1.5))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok"])
def test_any_format_one_direction_or_both_diagonal_or_not(ops, kind):
    graph, dense = random_graph(60, 0.3, False, np.float64)
    expected = dense_reference.kruskal(dense, 3)
    with_diagonal = (graph + 7 * sp.eye_array(60)).tocsr()
    for given in (graph, sp.triu(graph), sp.tril(graph), with_diagonal):
        same(sparse_tree(given.asformat(kind), 3, ops), expected)


def test_the_graph_is_not_written_to(ops):
    """Not even put in order: a CSR matrix may have its columns in any order, and twice."""
    graph = sp.csr_array((np.array([3.0, 1.0, 2.0]), np.array([2, 1, 1]), np.array([0, 3, 3, 3])), shape=(3, 3))
    before = graph.data.copy(), graph.indices.copy(), graph.indptr.copy()
    _, weights, _ = sparse_tree(graph, 1, ops)
    assert to_host(weights).tolist() == [3, 3]  # 1 + 2, as scipy adds them
    same((graph.data, graph.indices, graph.indptr), before)


def test_of_two_values_the_lesser_holds(ops):
    graph = sp.csr_array(np.array([[0, 5, 9], [2, 0, 0], [9, 4, 0]], np.float64))
    edges, weights, _ = sparse_tree(graph, 1, ops)
    assert to_host(edges).tolist() == [[0, 1], [1, 2]]
    assert to_host(weights).tolist() == [2, 4]


def test_stored_zeros_are_distances(ops):
    """Every point six times: five in six edges weigh nothing, and none of them is lost."""
    points = np.repeat(np.random.default_rng(0).random((40, 2)), 6, axis=0)
    distance = cdist(points, points)
    i, j = np.nonzero(~np.eye(len(points), dtype=bool))
    graph = sp.csr_matrix((distance[i, j], (i, j)), shape=distance.shape)
    tree = sparse_tree(graph, 4, ops)
    same(tree, dense_tree(to_device(ops, distance), 4, ops))
    assert (to_host(tree[1]) == 0).sum() == 200


@pytest.mark.parametrize("alpha", [1.0, 1.5])
@pytest.mark.parametrize("k", [1, 3])
def test_sparse_subnormal_distances(ops, k, alpha):
    """CuPy's kernels take them for zero; no two are equal. What comes from a GPU is read there."""
    graph, dense = random_graph(40, 0.4, False, np.float32)
    graph.data = (graph.data * 2**20).astype(np.int32).view(np.float32)
    dense = np.where(
        np.isfinite(dense), (np.nan_to_num(dense, posinf=0) * 2**20).astype(np.int32).view(np.float32), dense
    )
    dense = dense.astype(np.float32)
    expected = dense_reference.kruskal(dense, k, alpha)
    assert 0 < expected[1].max() < np.finfo(np.float32).tiny
    given = [graph]
    if ops.name == "cuda":
        given.append(pytest.importorskip("cupyx.scipy.sparse").csr_matrix(sp.csr_matrix(graph)))
    for matrix in given:
        same(sparse_tree(matrix, k, ops, alpha=alpha), expected)


def test_sparse_negative_subnormal_distances(ops):
    low = -np.finfo(np.float32).smallest_subnormal
    graph = sp.csr_matrix((np.array([1, low, -0.0], np.float32), ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
    if ops.name == "cuda":
        graph = pytest.importorskip("cupyx.scipy.sparse").csr_matrix(graph)
    with pytest.raises(ValueError, match="holds negative values: 1 entry, first in row 1, column 2"):
        sparse_tree(graph, 1, ops)


def test_a_disconnected_graph_is_bridged_at_infinity(ops):
    sizes = {4: 1.0, 3: 2.0, 2: 1.0}
    blocks = sp.block_diag([sp.coo_array(np.full((size, size), value)) for size, value in sizes.items()])
    edges, weights, _ = map(to_host, sparse_tree(blocks, 2, ops))
    assert weights.tolist() == [1] * 4 + [2] * 2 + [np.inf] * 2
    assert edges[-2:].tolist() == [[0, 4], [0, 7]]


def test_max_distance_stands_for_infinity(ops):
    chain = sp.csr_array(([1.0, 2.0, 1.0], ([0, 1, 3], [1, 2, 4])), shape=(6, 6))
    edges, weights, core = map(to_host, sparse_tree(chain, 3, ops, max_distance=10.0))
    assert core.tolist() == [10, 2, 10, 10, 10, 10]
    assert weights.tolist() == [10] * 5
    assert edges[-2:].tolist() == [[0, 3], [0, 5]]
    weights = to_host(sparse_tree(chain, 1, ops, max_distance=1.5)[1])
    assert weights.tolist() == [1, 1, 2, 2, 2]  # no bridge lies below an edge
    with pytest.raises(ValueError, match=r"fewer than 3 neighbors.*5 such points, the first in row 0"):
        sparse_tree(chain, 3, ops)


@pytest.mark.parametrize("value, what", [(np.nan, "NaN"), (-1.0, "negative values")])
def test_bad_sparse_values(value, what):
    graph = sp.csr_array(([1.0, value, value], ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
    with pytest.raises(ValueError, match=f"holds {what}: 2 entries, first in row 1, column 2"):
        sparse_tree(graph, 1, emst.cpu)


def test_infinite_sparse_values_are_missing_ones(ops):
    graph, dense = random_graph(50, 0.5, False, np.float64)
    dense[3, 4] = dense[4, 3] = np.inf
    graph = graph.tolil()
    graph[3, 4] = graph[4, 3] = np.inf
    same(sparse_tree(graph, 2, ops), dense_reference.kruskal(dense, 2))


def test_sparse_shape():
    with pytest.raises(ValueError, match=r"The precomputed distance matrix.*has shape \(3, 4\)"):
        sparse_tree(sp.csr_array((3, 4)), 1, emst.cpu)


def euclidean(n=60):
    return check_distances(cdist(*[np.random.default_rng(0).random((n, 3))] * 2))


def test_a_good_matrix_comes_back_itself(ops):
    given = to_device(ops, euclidean(700))
    assert check_distances(given) is given
    given[5, 600] = given[600, 5] = np.inf
    assert check_distances(given) is given


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_matrix_that_may_only_be_read(tmp_path, ops, dtype):
    """As memory maps, and what joblib hands to its workers."""
    d = euclidean().astype(dtype)
    np.save(tmp_path / "d.npy", d)
    mapped = np.load(tmp_path / "d.npy", mmap_mode="r")
    expected = HDBSCANGPU(metric="precomputed", device=ops.name).fit(d)
    for given in (mapped, np.broadcast_to(d, d.shape), np.asfortranarray(mapped)):
        model = HDBSCANGPU(metric="precomputed", device=ops.name).fit(given)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
    del mapped, given
    np.testing.assert_array_equal(np.load(tmp_path / "d.npy"), d)


@pytest.mark.parametrize("bad", [[[1, np.inf], [np.inf, 1]], [[1, 2], [2, 1]], [[0.0]]])
def test_diagonals_of_any_kind(ops, bad):
    given = to_device(ops, np.array(bad, np.float64))
    assert check_distances(given) is given


def test_up_to_rounding_the_lesser_value_holds(ops):
    d = euclidean(700)
    expected = d.copy()
    d[3, 650] *= 1 + 1e-12
    d[650, 4] *= 1 - 1e-12
    expected[4, 650] = expected[650, 4] = d[650, 4]
    given = to_device(ops, d)
    np.testing.assert_array_equal(to_host(check_distances(given)), expected)
    np.testing.assert_array_equal(to_host(given), d)
    assert check_distances(given, copy=False) is given
    np.testing.assert_array_equal(to_host(given), expected)


def test_float32_rounds_more_coarsely(ops):
    """What a matrix product leaves is up to rounding of its own type."""
    d = euclidean(50).astype(np.float32)
    d[3, 4] *= np.float32(1 + 1e-6)
    checked = to_host(check_distances(to_device(ops, d)))
    assert checked[3, 4] == checked[4, 3] == d[4, 3]
    with pytest.raises(ValueError, match="asymmetric"):
        check_distances(to_device(ops, d.astype(np.float64)))


def test_negative_zeros_are_zeros(ops):
    d = np.random.default_rng(0).integers(0, 3, (60, 60)).astype(np.float64)
    d = np.minimum(d, d.T)
    np.fill_diagonal(d, 0)
    expected = dense_reference.kruskal(d, 3)
    d[d == 0] = -0.0
    i, j = np.nonzero(~np.eye(60, dtype=bool))
    graph = sp.csr_array((d[i, j], (i, j)), shape=d.shape)
    for tree in (dense_tree(check_distances(to_device(ops, d)), 3, ops), sparse_tree(graph, 3, ops)):
        same(tree, expected)
        assert not any(np.signbit(to_host(part)).any() for part in tree[1:])


@pytest.mark.parametrize(
    "where, value, message",
    [
        ((1, 2), np.nan, "np.nan values found in precomputed-dense: 1 entry, first in row 1, column 2"),
        ((650, 2), -0.5, "holds negative values: 1 entry, first in row 650, column 2"),
        ((5, 3), 99.0, "The precomputed distance matrix is expected to be symmetric.*values appear"),
        ((600, 3), np.inf, "The precomputed distance matrix is expected to be symmetric.*values appear"),
    ],
)
def test_bad_matrices(ops, where, value, message):
    d = euclidean(700)
    d[where] = value
    with pytest.raises(ValueError, match=message):
        check_distances(to_device(ops, d))


def test_nan_comes_before_the_shape(ops):
    """As scikit-learn's tests have it."""
    with pytest.raises(ValueError, match=r"The precomputed distance matrix.*has shape \(3, 2\)"):
        check_distances(to_device(ops, np.ones((3, 2))))
    with pytest.raises(ValueError, match=r"np\.nan values found in precomputed-dense"):
        check_distances(to_device(ops, np.full((3, 2), np.nan)))


@pytest.mark.parametrize("metric", ON_DEVICE)
def test_matrices_of_the_common_metrics(ops, metric):
    x = np.random.default_rng(0).standard_normal((150, 4))
    x[7] = 0
    expected = pairwise_distances(x, metric=metric)
    np.testing.assert_allclose(to_host(by_blocks(to_device(ops, x), metric)), expected, rtol=1e-9, atol=1e-12)
    d = to_host(distance_matrix(to_device(ops, x), metric))
    np.testing.assert_allclose(d, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(d, d.T)


def test_powers_reach_the_device(ops):
    x = np.random.default_rng(0).random((50, 3))
    d = to_host(distance_matrix(to_device(ops, x), "minkowski", {"p": 3}))
    np.testing.assert_allclose(d, cdist(x, x, "minkowski", p=3), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("metric, params", [("canberra", {}), ("seuclidean", {"V": np.ones(4)}), (np.ptp, None)])
def test_other_metrics_are_scikit_learns(ops, metric, params):
    if callable(metric):
        metric, params = lambda a, b: float(np.ptp(a - b)), {}
    x = np.random.default_rng(0).random((40, 4))
    d = to_host(distance_matrix(to_device(ops, x), metric, params))
    np.testing.assert_allclose(d, pairwise_distances(x, metric=metric, **params), rtol=1e-12)


def test_sparse_features():
    x = sp.random_array((40, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    np.testing.assert_allclose(
        distance_matrix(x, "cosine"), pairwise_distances(x.toarray(), metric="cosine"), atol=1e-12
    )


@pytest.mark.parametrize("kind", [sp.bsr_array, sp.bsr_matrix])
def test_blocks_are_no_distances_but_features(kind):
    """Zeros fill the blocks: they would be distances."""
    x = sp.random_array((40, 40), density=0.2, rng=np.random.default_rng(0))
    graph = kind(x + x.T, blocksize=(2, 2))
    message = r"X is in BSR format.* would be a distance: pass csr = X\.tocsr\(\), after csr\.eliminate_zeros"
    for call in (HDBSCANGPU(metric="precomputed").fit, lambda x: sparse_tree(x, 2, emst.cpu)):
        with pytest.raises(ValueError, match=message):
            call(graph)
    ours, theirs = (HDBSCANGPU(metric="cosine", device="cpu").fit(form) for form in (graph, graph.tocsr()))
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)


SPARSE = ["euclidean", "l2", "nan_euclidean", "manhattan", "l1", "cityblock", "cosine"]


@pytest.mark.parametrize("metric", [name for name in NAMES if name not in ("haversine", "precomputed", "pyfunc")])
def test_which_metrics_take_sparse_features(metric):
    x = sp.random_array((40, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    model = HDBSCANGPU(metric=metric, metric_params={"p": 3} if metric in ("minkowski", "p") else None, device="cpu")
    if metric in SPARSE:
        assert len(model.fit(x).labels_) == 40
        return
    message = f"metric='{metric}' takes no sparse matrix X: pass X.toarray(), or one of the metrics 'cosine'"
    with pytest.raises(ValueError, match=re.escape(message)):
        model.fit(x)


@pytest.mark.parametrize("p", [1, 2])
def test_powers_1_and_2_take_sparse_features(p):
    x = sp.random_array((40, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    own = HDBSCANGPU(metric=lambda a, b: float(abs(a - b).power(p).sum()) ** (1 / p), device="cpu").fit(x)
    ours = HDBSCANGPU(metric="minkowski", metric_params={"p": p}, device="cpu").fit(x)
    np.testing.assert_allclose(ours.core_distances_, own.core_distances_)


def test_metrics_that_are_none():
    x = np.random.default_rng(0).random((5, 3))
    with pytest.raises(ValueError, match="negative values"):
        distance_matrix(x, lambda a, b: -1.0)
    x[3] = 1  # constant: no correlation with anything
    with pytest.raises(ValueError, match=r"metric='correlation' gives NaN: 8 entries, first in row 0, column 3"):
        distance_matrix(x, "correlation")


def test_a_matrix_that_does_not_fit():
    metric = metric_of("canberra", None, algorithm="auto", alpha=1.0, sparse=False)
    with pytest.raises(
        MemoryError,
        match=r"10,000,000 x 10,000,000 matrix of distances needs 800,000\.0 GB .* because canberra .* docs/guide",
    ):
        announce_matrix(np.zeros((10_000_000, 1), np.float32), metric, Progress())


def test_a_matrix_that_cannot_be_copied_is_refused_before_it_is(ops, monkeypatch):
    matrix = cdist(np.eye(30), np.eye(30)).astype(np.float32)
    monkeypatch.setattr(ops, "bytes_free", lambda: 7000)
    HDBSCANGPU(metric="precomputed", device=ops.name).fit(to_device(ops, matrix))  # nothing to copy
    with pytest.raises(MemoryError, match=r"30 x 30 matrix of distances needs 0.1 GB of memory; 0.0 GB are free"):
        HDBSCANGPU(metric="precomputed", device=ops.name, dtype=np.float64).fit(matrix)


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_sparse_distances_on_a_gpu_stay_there(kind):
    import cupy
    import cupyx.scipy.sparse

    graph = random_graph(300, 0.2, True, np.float32)[0].asformat(kind)
    expected = HDBSCANGPU(metric="precomputed", min_samples=4, device="cpu").fit(graph)
    there = getattr(cupyx.scipy.sparse, f"{kind}_matrix")(graph)
    for device in ("auto", "cpu"):
        model = HDBSCANGPU(metric="precomputed", min_samples=4, device=device).fit(there)
        assert model.device_ == ("cuda" if device == "auto" else "cpu")
        for name in ("labels_", "probabilities_", "core_distances_"):
            assert isinstance(getattr(model, name), cupy.ndarray)
            np.testing.assert_array_equal(to_host(getattr(model, name)), getattr(expected, name))
    wide = HDBSCANGPU(metric="precomputed", min_samples=4, dtype=np.float64).fit(there)
    assert wide.core_distances_.dtype == np.float64
