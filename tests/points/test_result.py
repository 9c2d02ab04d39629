"""Results: edges in the total order, in the caller's rows and units."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, cloud, forest_on, hierarchies, to_device, to_host
from norms_reference import BY_NAME

from emst.boruvka import spanning_forest

pytestmark = pytest.mark.usefixtures("size")


def finished(expected_bvh):
    forest = reference.join_duplicates(expected_bvh)
    spanning_forest(forest, lambda forest: reference.nearest_outgoing(expected_bvh, forest, None), reference)
    return forest


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [2, 3, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_edges_are_sorted_in_the_total_order(ops, kind, d, dtype, k):
    index, expected_bvh, order = hierarchies(ops, cloud(400, d, dtype, kind) * dtype(1000), k)
    forest = finished(expected_bvh)
    edges, weights = ops.sorted_edges(index, forest_on(ops, forest), to_device(ops, order))
    expected_edges, expected_weights = reference.sorted_edges(expected_bvh, forest, order)
    assert to_host(edges).dtype == np.int32
    assert to_host(weights).dtype == dtype
    np.testing.assert_array_equal(to_host(edges), expected_edges)
    np.testing.assert_array_equal(to_host(weights), expected_weights)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["all equal", "ordered first", "runs", "of one length"])
def test_many_edges_of_the_same_weight(ops, kind, dtype, k):
    """Runs that are put in order while they are written, and longer ones, some of which begin in order."""
    square = np.indices((12, 12)).reshape(2, -1).T
    if kind == "ordered first":  # a long chain, whose edges come in order, and then a square, whose edges do not
        square = np.r_[np.c_[np.arange(-200, 0), np.zeros(200)], square]
    elif kind == "runs":  # every length of an edge 12 times
        square = np.r_[square * [1, 0] * 100 + square * [0, 1] * (1 + square[:, :1] / 16)]
    elif kind == "of one length":  # 63, 64 and 65 edges: 64 are the longest run that is put in order at once
        lattices = [np.indices(sides).reshape(2, -1).T * 2.0**s for s, sides in enumerate([(8, 8), (5, 13), (6, 11)])]
        square = np.concatenate([lattice + 1_000 * i for i, lattice in enumerate(lattices)])
    index, expected_bvh, order = hierarchies(ops, square.astype(dtype), k)
    forest = finished(expected_bvh)
    found = ops.sorted_edges(index, forest_on(ops, forest), to_device(ops, order))
    for ours, theirs in zip(found, reference.sorted_edges(expected_bvh, forest, order)):
        np.testing.assert_array_equal(to_host(ours), theirs)
    rows = order.astype(np.int32)
    places, listed = ops.listed_edges(index, forest_on(ops, forest), to_device(ops, rows))
    wanted, of_rows = reference.listed_edges(expected_bvh, forest, rows)
    for ours, theirs in zip([places, *listed[: 2 + (k > 1)]], [wanted, *of_rows]):
        np.testing.assert_array_equal(to_host(ours), theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("kind", ["uniform", "repeated", "all equal"])
def test_a_dendrogram_that_begins_before_edges_are_known(ops, kind, k, dtype):
    """On a GPU. It begins anew where ties were not in order."""
    square = np.indices((12, 12)).reshape(2, -1).T.astype(dtype)
    index, expected_bvh, order = hierarchies(ops, square if kind == "all equal" else cloud(400, 3, dtype, kind), k)
    begun = []

    def ahead(edges, weights, first_round):
        begun.append(((edges, weights), ops.linkage(edges, weights, early=True, first_round=first_round)))

    edges, weights = ops.sorted_edges(index, forest_on(ops, finished(expected_bvh)), to_device(ops, order), ahead=ahead)
    assert bool(begun) == (ops.name == "cuda")
    for tree, linkage in begun[-1:]:
        assert tree[0] is edges
        expected = reference.linkage(to_host(edges), to_host(weights))
        np.testing.assert_array_equal(to_host(linkage.child), expected.child)
        np.testing.assert_array_equal(to_host(linkage.size), expected.size)


def test_a_forest_that_does_not_span_keeps_its_edges(ops):
    index, expected_bvh, order = hierarchies(ops, cloud(100, 2, np.float64))
    forest = finished(expected_bvh)
    forest.source[::3] = -1
    forest.components = np.arange(100 - (forest.source >= 0).sum())  # as many as the edges leave
    edges, _ = ops.sorted_edges(index, forest_on(ops, forest), to_device(ops, order))
    assert len(edges) == (forest.source >= 0).sum()


@pytest.mark.parametrize("n", [1, 2])
def test_hardly_any_edges(ops, n):
    index, expected_bvh, order = hierarchies(ops, cloud(n, 3, np.float64))
    edges, weights = ops.sorted_edges(index, forest_on(ops, finished(expected_bvh)), to_device(ops, order))
    assert edges.shape == (n - 1, 2)
    assert weights.shape == (n - 1,)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("unit", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("far", [False, True])
def test_unscaled_takes_one_root(ops, far, unit, dtype, monkeypatch):
    """On a GPU, also as for more values than its cache holds."""
    if far and ops.name == "cuda":
        monkeypatch.setattr("emst.cuda.runtime.gather.FAR", 100)
    x = (cloud(1_000, 2, np.float64) * unit).astype(dtype)
    index, expected_bvh, order = hierarchies(ops, x)
    squared = (expected_bvh.scaled * expected_bvh.scaled)[:, 0]
    values = to_host(ops.unscaled(index, to_device(ops, squared), to_device(ops, order)))
    assert values.dtype == dtype
    np.testing.assert_array_equal(values, reference.unscaled(expected_bvh, squared, order))


@pytest.mark.parametrize("name", BY_NAME)
def test_roots_of_every_norm(ops, name):
    """Roots that are neither square roots nor none are taken on the host: the same bits everywhere."""
    for dtype in DTYPES if BY_NAME[name].degree <= 2 and "powers" not in name else DTYPES[1:]:
        index, expected_bvh, order = hierarchies(ops, cloud(300, 3, dtype, "lattice") * dtype(1e-3), 4, BY_NAME[name])
        forest = finished(expected_bvh)
        found = ops.sorted_edges(index, forest_on(ops, forest), to_device(ops, order))
        for ours, theirs in zip(found, reference.sorted_edges(expected_bvh, forest, order)):
            np.testing.assert_array_equal(to_host(ours), theirs)
            assert ours.dtype == theirs.dtype
        core = ops.unscaled(index, to_device(ops, expected_bvh.core), to_device(ops, order))
        np.testing.assert_array_equal(to_host(core), reference.unscaled(expected_bvh, expected_bvh.core, order))
