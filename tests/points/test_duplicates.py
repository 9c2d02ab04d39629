"""Equal points: they are joined before the first search, and cost no time."""

import time

import numpy as np
import pytest
from helpers import to_host, tree


@pytest.mark.parametrize("k", [1, 5])
def test_a_million_equal_points_take_a_moment(ops, k):
    x = np.full((1_000_000, 3), 0.1, np.float32)
    rounds = []
    for n in (50_000, 1_000_000):  # a quadratic algorithm fails at the first size, before the second takes hours
        tree(ops, x[:n], k)  # compiles: which kernels run depends on the size
        start = time.perf_counter()
        ours = tree(ops, x[:n], k, report=lambda *seen: rounds.append(seen))
        assert time.perf_counter() - start < 5
    assert rounds == []  # they were one component before the first search
    np.testing.assert_array_equal(ours.edges[:, 0], 0)
    np.testing.assert_array_equal(ours.edges[:, 1], np.arange(1, len(x)))
    assert not ours.weights.any()


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("d", [2, 3])
def test_a_few_places_with_many_points_each(ops, d, k):
    g = np.random.default_rng(d)
    places = g.random((200, d))
    x = places[np.minimum(g.zipf(1.3, 100_000) - 1, 199)]
    held = np.unique(x, axis=0)
    ours = tree(ops, x, k)
    assert len(ours.edges) == len(x) - 1
    if k == 1:
        assert (ours.weights > 0).sum() == len(held) - 1
        np.testing.assert_array_equal(ours.weights[-(len(held) - 1) :], tree(ops, held).weights)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_minus_zero_is_zero(ops, zero):
    x = np.array([[0.0, 1.0], [zero, 1.0], [5.0, zero], [5.0, 0.0]])
    np.testing.assert_array_equal(tree(ops, x).weights[:2], [0, 0])


@pytest.mark.parametrize("k", [1, 5])
def test_many_equal_points_of_two_kinds_in_one_cell(ops, k):
    """Their copies alternate on the curve, so they are no runs that could be joined beforehand."""
    x = np.random.default_rng(0).random((80_000, 2))
    x[::2] = np.where(np.random.default_rng(1).random((40_000, 1)) < 0.5, 0.3, 0.1 + 0.2)
    tree(ops, x, k)  # compiles: which kernels run depends on the size
    start = time.perf_counter()
    ours = tree(ops, x, k)
    assert time.perf_counter() - start < 5  # were it quadratic: half a minute
    assert (to_host(ours.weights)[:39_998] == 0).all()


def test_fewer_copies_than_neighbours(ops):
    """Then equal points have a core distance, and the edge between them is as heavy."""
    x = np.repeat(np.random.default_rng(0).random((10_000, 2)), 2, axis=0)
    ours = tree(ops, x, 5)
    weights, core, ends = (to_host(array) for array in (ours.weights, ours.core_distances, ours.edges))
    equal = (x[ends[:, 0]] == x[ends[:, 1]]).all(axis=1)
    assert equal.sum() == 10_000
    assert core.min() > 0
    np.testing.assert_array_equal(weights[equal], core[ends[equal, 0]])


@pytest.mark.parametrize("k", [1, 2])
def test_equal_points_that_are_no_neighbours_on_the_curve(ops, k):
    """So few points stay in the order of their rows."""
    x = np.tile([[0.0], [1.0], [3.0]], (5, 1))
    assert tree(ops, x, k).weights.tolist() == [0] * 12 + [1, 2]
