"""Labels of nodes, upper bounds and the search, compared with the reference in every round."""

import numpy as np
import pytest
import reference
from helpers import DIMENSIONS, DTYPES, KINDS, clone, cloud, forest_on, hierarchies, random_components
from norms_reference import BY_NAME, in_box
from rounds_reference import assert_same_lightest_edges, follow, search


@pytest.mark.parametrize("k", [1, 2, 6])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_round_equals_the_reference(ops, d, kind, dtype, k):
    assert follow(ops, cloud(250, d, dtype, kind), k) >= 1


@pytest.mark.parametrize("name", BY_NAME)
def test_every_round_under_every_norm(ops, name):
    for d, kind in [(1, "uneven"), (2, "lattice"), (3, "uniform"), (5, "repeated"), (7, "uneven"), (40, "lattice")]:
        x = cloud(200, d, np.float64, kind)
        for k, factor in [(1, 1.0), (4, 1.0), (4, 0.25), (4, 1.7)]:
            assert follow(ops, x, k, BY_NAME[name], factor) >= 1


@pytest.mark.parametrize("name", ["euclidean", "any power 2.7"])
def test_every_round_in_a_periodic_box(ops, name):
    for d, kind, k in [(1, "uneven", 1), (2, "lattice", 4), (3, "repeated", 1), (7, "uneven", 4), (40, "uniform", 1)]:
        x = cloud(200, d, np.float64, kind)
        assert follow(ops, x, k, in_box(BY_NAME[name], x)) >= 1


@pytest.mark.parametrize("name", ["manhattan", "chebyshev"])
def test_norms_of_degree_one_in_float32(ops, name):
    for d, kind in [(2, "lattice"), (3, "uneven"), (40, "uniform")]:
        for k in (1, 4):
            assert follow(ops, cloud(200, d, np.float32, kind), k, BY_NAME[name]) >= 1


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("d", [2, 3])
def test_many_rounds(ops, d, k):
    assert follow(ops, cloud(1_500, d, np.float32), k) >= 3


def test_core_distances_far_above_distances(ops):
    """Most weights are core distances: of the ends of such edges, nearer ones come first."""
    for d, side in ((1, 250), (2, 15)):
        x = np.random.default_rng(0).integers(0, side, (1_000, d)).astype(np.float64)
        assert follow(ops, x, 25) >= 2


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("d", [2, 3, 7])
@pytest.mark.parametrize("count", [2, 10, 100])
def test_components_that_lie_anywhere(ops, count, d, k):
    """The search must be correct for any components, not only those that Borůvka produces."""
    x = cloud(300, d, np.float64, "lattice")
    index, expected_bvh, _ = hierarchies(ops, x, k)
    theirs = reference.empty_forest(random_components(x, d, count), x.dtype)
    ours = forest_on(ops, clone(theirs))
    search(ops, index, ours, ops.cache_neighbours(index, ours))
    reference.nearest_outgoing(expected_bvh, theirs, None)
    assert_same_lightest_edges(ours, theirs)


@pytest.mark.parametrize("d", [2, 3])
def test_one_far_point_against_all_others(ops, d):
    """Two components, one of them a single point in a corner: everything else must be searched or excluded."""
    x = cloud(400, d, np.float32)
    index, expected_bvh, _ = hierarchies(ops, x)
    corner = int(expected_bvh.scaled.sum(axis=1).argmax())
    labels = np.full(len(x), 0 if corner else 1, np.int32)
    labels[corner] = corner
    theirs = reference.empty_forest(labels, x.dtype)
    ours = forest_on(ops, clone(theirs))
    search(ops, index, ours, ops.cache_neighbours(index, ours))
    reference.nearest_outgoing(expected_bvh, theirs, None)
    assert_same_lightest_edges(ours, theirs)
