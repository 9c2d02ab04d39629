"""Points that break careless algorithms: chains as long as the input, and outliers."""

import importlib
import time

import numpy as np
import pytest
from helpers import DTYPES, cloud, hierarchies, scale_and_order, to_device, to_host, tree
from rounds_reference import tree_by_rounds

import emst
from emst import HDBSCANGPU
from emst.backend.records import EUCLIDEAN
from emst.boruvka import spanning_forest
from emst.spanning import Searches


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_chain_with_growing_gaps(ops, dtype):
    """The nearest neighbour of every point is the one before it: one round joins a chain as long as the input."""
    n = 4_000 if dtype == np.float32 else 200_000  # whole numbers that the type holds exactly
    x = np.cumsum(np.arange(n)).astype(dtype)[:, None]
    rounds = []
    x_shuffled = x[np.random.default_rng(0).permutation(n)]
    ours = emst.minimum_spanning_tree(x_shuffled, device=ops.name, report=lambda *seen: rounds.append(seen))
    np.testing.assert_array_equal(ours.weights, np.arange(1, n))
    assert rounds == [(1, 1)]


def watched_launches(monkeypatch):
    """The names of the kernels that `merge` launches from now on."""
    module, names = importlib.import_module("emst.cuda.merge"), []
    launch = module.launch
    monkeypatch.setattr(module, "launch", lambda room, name, *args: names.append(name) or launch(room, name, *args))
    return names


@pytest.mark.parametrize("k", [1, 2])
def test_many_chains_too_long_to_climb_at_once(ops, k, monkeypatch):
    """Their points hook onto the one before, and labels of the next round are needed. On the GPU, components whose
    parents are not yet roots make the pass over the points wait for another one over the components."""
    chains, length = 20, 4_000
    gaps = 1.001 ** np.arange(length)
    x = (1e6 * np.arange(chains)[:, None] + np.cumsum(gaps)).reshape(-1, 1)
    x = x[np.random.default_rng(0).permutation(len(x))]
    scale, order = scale_and_order(x)
    index = ops.build_index(to_device(ops, x), to_device(ops, order), scale, EUCLIDEAN)
    if k > 1:
        ops.core_distances(index, k)
    launched = watched_launches(monkeypatch) if ops.name == "cuda" else ["double_hops"]
    searches = Searches(index, ops)
    forest = ops.join_duplicates(index, searches.begin)
    assert spanning_forest(forest, searches.lightest, ops, prepare=searches.prepare) > 1
    edges, weights = map(to_host, ops.sorted_edges(index, forest, to_device(ops, order)))
    places = np.argsort(x[:, 0])
    expected = {tuple(sorted(pair)) for pair in zip(places[:-1].tolist(), places[1:].tolist())}
    assert set(map(tuple, edges.tolist())) == expected
    assert len(np.unique(to_host(forest.labels))) == 1
    assert np.isclose(weights.max(), np.diff(np.sort(x[:, 0])).max())
    assert "double_hops" in launched


def test_rounds_halve_the_components(ops):
    x = cloud(5_000, 2, np.float32)
    index, _, _ = hierarchies(ops, x)
    forest = ops.join_duplicates(index)
    cache = ops.cache_neighbours(index, forest)
    left = [forest.count]

    def lightest(forest):
        ops.begin_round(index, forest, cache)
        ops.nearest_outgoing(index, forest, cache)

    spanning_forest(forest, lightest, ops, lambda _, components: left.append(components))
    assert left[-1] == 1
    assert all(after <= before // 2 for before, after in zip(left, left[1:]))


def test_far_points_cost_nothing_and_change_nothing(ops):
    """Three outliers would leave 200,000 points in one cell of the curve's grid, and every search with all of them."""
    x = cloud(200_000, 3, np.float64)
    x[:3] = [[1e12, 0, 0], [-1e12, 1e12, 0], [0, 0, -1e12]]
    tree(ops, x[:20_000])  # compiles
    start = time.perf_counter()
    ours = tree(ops, x)
    assert time.perf_counter() - start < 10  # minutes if the grid of the curve included the outliers
    near = tree(ops, x[3:])
    np.testing.assert_array_equal(np.sort(to_host(near.weights)), to_host(ours.weights)[:-3])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 2])
def test_coordinates_of_many_orders_of_magnitude(ops, k, dtype):
    """A point far out has almost the same distance to thousands of others. The test takes the rounds one by one."""
    x = np.random.default_rng(0).lognormal(0, 9, (20_000, 2)).astype(dtype)
    edges, weights = tree_by_rounds(ops, x, k)
    expected = tree(ops, x, k)
    np.testing.assert_array_equal(edges, to_host(expected.edges))
    np.testing.assert_array_equal(weights, to_host(expected.weights))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [40, 200])
def test_core_distances_of_points_far_around_a_cluster(ops, k, dtype):
    """All points of the circle are about equally far from the cluster. On the GPU, a pass may stop before it has
    counted the whole cluster. The queries of a packet lie on half of the circle and share one order of visits."""
    g, turn = np.random.default_rng(0), np.linspace(0, 2 * np.pi, 64, endpoint=False)
    circle = 100 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    x = np.concatenate([g.normal(size=(7_000, 2)), circle]).astype(dtype)
    ours, expected_bvh, _ = hierarchies(ops, x, k)
    np.testing.assert_array_equal(to_host(ours.core), expected_bvh.core)


def test_axes_in_different_units_with_outliers(ops):
    """Metres, degrees and seconds: the order of the axes changes nothing but the rounding of sums."""
    g, n = np.random.default_rng(3), 60_000
    metres, degrees = np.round(g.normal(0, 2000, n), 1), np.round(g.normal(0, 1e-3, n), 6)
    x = np.stack([metres, degrees, np.floor(g.uniform(0, 1e7, n))], axis=1)
    x[:4] = [[1e9, 0, 0], [0, 500, 0], [0, 0, -1e12], [-1e9, 90, 1e12]]

    def total(x):
        model = HDBSCANGPU(min_cluster_size=200, device=ops.name).fit(x)
        return model.single_linkage_tree_.to_numpy()[:, 2].sum()

    total(x[:20_000])  # compiles
    start = time.perf_counter()
    found = total(x)
    assert time.perf_counter() - start < 10
    np.testing.assert_allclose(total(x[:, [2, 0, 1]]), found, rtol=1e-12)


def test_piles_among_points_under_any_power(ops):
    """No pile is searched point by point: neither by its own points, nor by other points or the other pile."""
    places, points = np.array([[0.5] * 3, [0.25] * 3]), np.random.default_rng(4).random((5_000, 3))
    options = {"metric": "minkowski", "metric_params": {"p": 2.7}}
    tree(ops, np.r_[places.repeat(500, axis=0), points], 5, **options)  # compiles
    for n in (30_000, 500_000):  # as in `test_duplicates.py`: a quadratic algorithm fails before it takes hours
        x = np.r_[places.repeat(n, axis=0), points]
        start = time.perf_counter()
        weights = to_host(tree(ops, x, 5, **options).weights)
        assert time.perf_counter() - start < 5
        assert not weights[: 2 * (n - 1)].any() and weights[2 * (n - 1) :].all()
