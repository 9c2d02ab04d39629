"""The graphs behind the figures: their structure, and that they are those of the published totals."""

from __future__ import annotations

import hashlib
import pathlib

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from datasets import graphs
from emst import graph_msf

FLORIDA = pathlib.Path(__file__).parents[1] / "data" / "roads" / "florida-2000.gr"
SMALL = {
    "grid2d": lambda **o: graphs.grid2d(20, **o),
    "grid3d": lambda **o: graphs.grid3d(7, **o),
    "road": lambda **o: graphs.road(40, **o),
    "gnm": lambda **o: graphs.gnm(300, 2000, **o),
    "rmat": lambda **o: graphs.rmat(9, 4000, 0.55, 0.1, 0.1, **o),
    "watts_strogatz": lambda **o: graphs.watts_strogatz(400, 6, 0.1, **o),
    "ssca2": lambda **o: graphs.ssca2(9, **o),
    "path": lambda **o: graphs.path(300, **o),
    "star": lambda **o: graphs.star(300, **o),
}
KNN = {"knn": lambda: graphs.knn(500, 3, 5)}


def matrix(made):
    indptr, indices, weights = made
    return sparse.csr_array((weights, indices, indptr), shape=(len(indptr) - 1,) * 2)


def structure(made):
    """Without weights: 1 where there is an edge."""
    return matrix((*made[:2], np.ones(len(made[1]), np.int32)))


def digest(made):
    return hashlib.sha256(b"".join(array.tobytes() for array in made)).hexdigest()[:32]


@pytest.mark.parametrize("name", [*SMALL, *KNN])
def test_symmetric_simple_and_ascending(name):
    indptr, indices, weights = made = {**SMALL, **KNN}[name]()
    assert (indptr.dtype, indices.dtype) == (np.int64, np.int32)
    assert indptr[0] == 0 and indptr[-1] == len(indices) == len(weights) > 0
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    assert (rows != indices).all()
    assert ((np.diff(indices) > 0) | (np.diff(rows) > 0)).all()  # neither descending nor repeated
    mirrored = np.lexsort((rows, indices))
    np.testing.assert_array_equal(indices[mirrored], rows)
    np.testing.assert_array_equal(rows[mirrored], indices)
    np.testing.assert_array_equal(weights[mirrored], weights)
    assert digest(made) == digest({**SMALL, **KNN}[name]())


@pytest.mark.parametrize(
    "rule, dtype",
    [("ecl", np.int32), ("integers", np.int32), ("float32", np.float32), ("float64", np.float64), ("equal", np.int32)],
)
@pytest.mark.parametrize("name", SMALL)
def test_weights_change_no_graph(name, rule, dtype):
    plain, made = SMALL[name](), SMALL[name](weights=rule)
    for ours, theirs in zip(made[:2], plain[:2]):
        np.testing.assert_array_equal(ours, theirs)
    assert made[2].dtype == dtype
    assert (abs(matrix(made) - matrix(made).T)).max() == 0


@pytest.mark.parametrize("seed", [0, 1, 2**40])
@pytest.mark.parametrize("rule", ["integers", "float32", "float64"])
def test_random_weights_are_spread_evenly(rule, seed):
    indptr, indices, _ = graphs.gnm(3000, 60_000)
    weights = graphs.weighted(indptr, indices, rule, seed)
    low, high = (1, 1000) if rule == "integers" else (0, 1)
    assert weights.min() >= low and (weights.max() <= high if rule == "integers" else weights.max() < high)
    share = np.histogram(weights, bins=10, range=(low, high))[0] / len(weights)
    assert abs(share - 0.1).max() < 0.006
    assert not np.array_equal(weights, graphs.weighted(indptr, indices, rule, seed + 1))


def test_ecl_weights_are_those_of_c():
    ends = np.array([[0, 5], [1, 2], [40_000, 50_000], [46_341, 46_341], [65_536, 65_536], [99_999, 99_998]], np.int32)
    n = 100_000
    for (u, v), weight in zip(ends.tolist(), graphs.ecl(n, ends[:, 0].copy(), ends[:, 1].copy(), 0)):
        product = (u * v + 2**31) % 2**32 - 2**31
        assert weight == abs(1 + (abs(product) % n if product >= 0 else -(abs(product) % n)))


def test_blocks_of_weights_and_draws_make_no_difference(monkeypatch):
    made = [graphs.rmat(9, 4001, 0.55, 0.1, 0.1), graphs.gnm(300, 2000, weights="float64")]
    monkeypatch.setattr(graphs, "BLOCK", 64)
    assert list(map(digest, made)) == [
        digest(graphs.rmat(9, 4001, 0.55, 0.1, 0.1)),
        digest(graphs.gnm(300, 2000, weights="float64")),
    ]


@pytest.mark.parametrize(
    "made, expected",
    [
        (lambda: graphs.grid2d(64), "80c82a6a49b88e785d9f567496aa2799"),
        (lambda: graphs.gnm(10_007, 50_000), "54e17d778333d22644e0e8cdffb81013"),
        (lambda: graphs.rmat(14, 8 << 14, 0.55, 0.1, 0.1), "3a24f0db7aa1d779a89e77e21d569aa3"),
        (lambda: graphs.rmat(18, 5 << 19, 0.57, 0.19, 0.19), "7c7ce8c6429301763ea7eba268d5e159"),
    ],
    ids=["grid", "gnm", "rmat", "several blocks"],
)
def test_the_very_graphs_that_were_measured(made, expected):
    """Checksums of what the program made that the published figures were measured with."""
    assert digest(made()) == expected


@pytest.mark.parametrize("name", ["grid1024", "road1024", "rmat16", "rmat20", "random1M", "ssca2-16", "ws20"])
def test_known_forests(name):
    graph = graphs.SETS[name]
    made = graph()
    assert len(made[0]) == graph.n + 1
    assert graph_msf(made, device="cpu").total_weight == graph.forest


def test_rmat16_is_like_that_of_ecl_mst():
    """967,866 entries, a greatest degree of 569 and 3,900 components there, from other random numbers."""
    made = graphs.SETS["rmat16"]()
    assert (len(made[1]), np.diff(made[0]).max()) == (969_780, 557)
    assert connected_components(structure(made), directed=False)[0] == 4227


def test_lattices():
    for made, sides in ((graphs.grid2d(9), (9, 9)), (graphs.grid3d(5), (5, 5, 5))):
        at = np.stack(np.unravel_index(np.arange(np.prod(sides)), sides), axis=1)
        adjacent = abs(at[:, None] - at).sum(axis=2) == 1
        np.testing.assert_array_equal(structure(made).toarray(), adjacent)


def test_roads_are_roads():
    made = graphs.road(300)
    degree = np.diff(made[0])
    assert 2.4 < degree.mean() < 2.6
    sizes = np.bincount(connected_components(structure(made), directed=False)[1])
    assert sizes.max() > 0.9 * len(degree)
    rows = np.repeat(np.arange(len(degree)), degree)
    step = abs(made[1] - rows)
    assert set(step) == {1, 300, 301}
    assert ((step == 301).sum() / 2 / 299**2) == pytest.approx(0.05, abs=0.005)


def test_a_small_world():
    ring = structure(graphs.watts_strogatz(1000, 6, 0.0))
    apart = abs(np.arange(1000)[:, None] - np.arange(1000))
    np.testing.assert_array_equal(ring.toarray(), (apart > 0) & (np.minimum(apart, 1000 - apart) <= 3))
    mixed = structure(graphs.watts_strogatz(1000, 6, 0.3))
    assert (ring - mixed).toarray().clip(min=0).sum() / ring.nnz == pytest.approx(0.3, abs=0.03)


def test_cliques():
    alone = structure(graphs.ssca2(12, p=0.0))
    count, label = connected_components(alone, directed=False)
    sizes = np.bincount(label)
    np.testing.assert_array_equal(np.diff(alone.indptr), sizes[label] - 1)  # everyone knows its whole clique
    assert sizes.max() <= 16 and set(range(1, 17)) == set(sizes)
    assert (np.diff(label) >= 0).all() and count == len(sizes)
    linked = structure(graphs.ssca2(12))
    assert (linked - alone).min() == 0
    added = (linked - alone).sum() / 2
    i = np.arange(4096)
    expected = sum((label != label[(i + d) % 4096]).sum() * 0.5 / d for d in 2 ** np.arange(12))
    assert added == pytest.approx(expected, rel=0.05)


def test_neighbours():
    n, k = 400, 4
    points = np.random.default_rng(3).random((n, 2))
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    nearest = np.argsort(apart, axis=1)[:, 1 : k + 1]
    expected = np.zeros((n, n))
    expected[np.arange(n)[:, None], nearest] = 1
    expected = np.maximum(expected, expected.T) * apart
    made = matrix(graphs.knn(n, 2, k, seed=3))
    assert made.dtype == np.float32
    np.testing.assert_array_equal(made.toarray() > 0, expected > 0)
    np.testing.assert_allclose(made.toarray(), expected, rtol=1e-6)


@pytest.mark.parametrize("rule", graphs.WEIGHTS)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_no_edges(n, rule):
    none = np.zeros(0, np.int64)
    indptr, indices, weights = graphs.from_pairs(n, none, none, rule)
    np.testing.assert_array_equal(indptr, np.zeros(n + 1))
    assert len(indices) == len(weights) == 0
    loops = graphs.from_pairs(n, np.arange(n), np.arange(n), rule)
    assert digest(loops) == digest((indptr, indices, weights))
