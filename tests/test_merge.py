"""The merge step: joining duplicates, and contracting the lightest edges."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, clone, cloud, forest_at_home, forest_on, hierarchies, to_host

from emst.cpu.merge import relabel


def assert_same_forest(ours, theirs):
    ours = forest_at_home(ours)
    for field in ("labels", "components", "source", "target"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field), field)
        assert getattr(ours, field).dtype == np.int32
    used = theirs.source >= 0
    np.testing.assert_array_equal(ours.weight[used], theirs.weight[used])
    assert ours.weight.dtype == theirs.weight.dtype


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("kind", ["uniform", "lattice", "repeated"])
@pytest.mark.parametrize("k", [1, 3])
def test_runs_of_equal_points_become_stars(ops, k, kind, d, dtype):
    index, expected_bvh, _ = hierarchies(ops, cloud(500, d, dtype, kind), k)
    assert_same_forest(ops.join_duplicates(index), reference.join_duplicates(expected_bvh))


@pytest.mark.parametrize("n", [1, 2, 1_000, 100_000])
def test_equal_points_are_one_component(ops, n):
    index, _, _ = hierarchies_of_equal_points(ops, n)
    forest = forest_at_home(ops.join_duplicates(index))
    assert forest.components.tolist() == [0]
    assert not forest.labels.any()
    np.testing.assert_array_equal(forest.source, [-1] + [0] * (n - 1))
    np.testing.assert_array_equal(forest.target[1:], np.arange(1, n))
    assert not forest.weight[1:].any()


def hierarchies_of_equal_points(ops, n):
    return hierarchies(ops, np.full((n, 3), 2.5))


def random_lightest(forest, seed, leave_alone=0.0):
    """Give every component its lightest edge among random ones of a total order; some components get none."""
    g = np.random.default_rng(seed)
    n = len(forest.labels)
    u, v = np.sort(g.integers(0, n, (2, 4 * n)), axis=0)
    kept = (forest.labels[u] != forest.labels[v]) & (g.random(4 * n) > leave_alone)
    u, v = u[kept], v[kept]
    weight = g.integers(0, 10, len(u)).astype(forest.weight.dtype)  # few values: ties, broken by id
    order = np.lexsort((v, u, weight))
    forest.best[:], forest.edge_u[:], forest.edge_v[:] = np.inf, -1, -1
    for i in order[::-1].tolist():  # the lightest is written last
        for root in (forest.labels[u[i]], forest.labels[v[i]]):
            forest.best[root], forest.edge_u[root], forest.edge_v[root] = weight[i], u[i], v[i]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("leave_alone", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 1_000])
def test_rounds_of_random_edges(ops, n, leave_alone, dtype):
    theirs = reference.empty_forest(np.arange(n), dtype)
    ours = forest_on(ops, clone(theirs))
    for seed in range(4):
        random_lightest(theirs, seed, leave_alone)
        given = forest_on(ops, theirs)
        ours.best[:], ours.edge_u[:], ours.edge_v[:] = given.best, given.edge_u, given.edge_v
        before, expected = ours.components, theirs.components.copy()
        assert ops.merge(ours) == reference.merge(theirs) == ours.count
        assert_same_forest(ours, theirs)
        np.testing.assert_array_equal(to_host(before), expected)  # until the next call


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("n", [2, 3, 1_000, 300_000])
def test_a_chain_of_all_components(ops, n, direction):
    """Every component hooks onto the next: the chain is n long, and only its end is a mutual pair."""
    forest = reference.empty_forest(np.arange(n), np.float64)
    ids = np.arange(n, dtype=np.int32)
    other = np.clip(ids + direction, 0, n - 1)
    end = n - 1 if direction == 1 else 0
    other[end] = end - direction  # the last one's only edge leads back
    forest.edge_u[:], forest.edge_v[:] = np.minimum(ids, other), np.maximum(ids, other)
    forest.best[:] = forest.edge_u if direction == -1 else n - forest.edge_u
    for _ in range(10):  # threads that shorten the same path must not undo each other's work, ever
        ours = forest_on(ops, forest)
        assert ops.merge(ours) == 1
        assert len(np.unique(forest_at_home(ours).labels)) == 1
    ours = forest_at_home(ours)
    root = n - 2 if direction == 1 else 0
    assert ours.components.tolist() == [root]
    assert (ours.labels == root).all()
    slots = np.delete(ids, root)
    assert ours.source[root] == -1
    np.testing.assert_array_equal(ours.source[slots], forest.edge_u[slots])
    np.testing.assert_array_equal(ours.target[slots], forest.edge_v[slots])
    np.testing.assert_array_equal(ours.weight[slots], forest.best[slots])


def test_only_mutual_pairs(ops):
    n = 10_000
    forest = reference.empty_forest(np.arange(n), np.float32)
    forest.edge_u[:] = np.arange(n) // 2 * 2
    forest.edge_v[:] = forest.edge_u + 1
    forest.best[:] = 1
    ours = forest_on(ops, forest)
    assert ops.merge(ours) == n // 2
    ours = forest_at_home(ours)
    np.testing.assert_array_equal(ours.components, np.arange(0, n, 2))
    np.testing.assert_array_equal(ours.labels, forest.edge_u)
    np.testing.assert_array_equal(np.flatnonzero(ours.source >= 0), np.arange(1, n, 2))


def test_labels_reach_the_root_of_a_path_that_another_thread_has_lengthened():
    parent, labels = np.array([0, 0, 1, 2], np.int32), np.arange(4, dtype=np.int32)
    relabel(parent, labels, 0, 4)
    assert not labels.any()
