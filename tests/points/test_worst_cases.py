"""Points that break careless algorithms: chains as long as the input, and outliers."""

import time

import numpy as np
import pytest
from helpers import DTYPES, cloud, hierarchies, to_host, tree

import emst
from emst.boruvka import spanning_forest


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


def test_rounds_halve_the_components(ops):
    x = cloud(5_000, 2, np.float32)
    bvh, _, _ = hierarchies(ops, x)
    forest = ops.join_duplicates(bvh)
    cache = ops.cache_neighbours(bvh, forest)
    left = [forest.count]

    def lightest(forest):
        ops.label_nodes(bvh, forest)
        ops.upper_bounds(bvh, forest, cache)
        ops.nearest_outgoing(bvh, forest, cache)

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
