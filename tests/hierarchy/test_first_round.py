"""The dendrogram begins with what Borůvka's first round over the points has found, if the device keeps it."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, cloud, to_device, to_host

from emst.spanning import spanning_tree

pytestmark = pytest.mark.usefixtures("size")

SETS = [*KINDS, "grid", "star", "some equal"]


def points_of(kind, n, d, dtype):
    if kind == "grid":  # most edges are equally long
        side = round(n ** (1 / d))
        return np.indices((side,) * d).reshape(d, -1).T.astype(dtype)
    if kind == "star":  # rays whose points are ever farther apart: a long chain, and few components after the round
        angles = np.arange(n) % 5 + np.linspace(0, 0.01, n)
        radius = 1.5 ** (np.arange(n) // 5 % 60)
        return (np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius[:, None]).astype(dtype)
    if kind == "some equal":  # runs of two to five equal points, some of them neighbours
        points = cloud(n, d, dtype, "uniform")
        for at, length in zip(range(0, n, 40), [2, 3, 4, 5] * n):
            points[at : at + length] = points[at]
        points[1:8:3] = points[0] + dtype(1e-3)
        return points
    return cloud(n, d, dtype, kind)


def found(ops, points, k):
    """The tree, and the calls of `ahead`."""
    calls, points = [], to_device(ops, points)
    statistics = ops.point_statistics(points)
    return spanning_tree(points, statistics, k, ops, ahead=lambda *call: calls.append(call)), calls


@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", SETS)
def test_the_dendrogram_is_the_same(ops, kind, dtype, k):
    points = points_of(kind, 700, 2, dtype)
    tree, calls = found(ops, points, k)
    plain = ops.linkage(tree.edges, tree.weights)
    expected = reference.linkage(to_host(tree.edges), to_host(tree.weights))
    for first_round in [tree.first_round, *(call[2] for call in calls)]:
        linkage = ops.linkage(tree.edges, tree.weights, first_round=first_round)
        for name in ("child", "size"):
            np.testing.assert_array_equal(to_host(getattr(linkage, name)), getattr(expected, name))
        for least in (2, 5):  # these read what the rounds leave for them
            condensed, want = ops.condense(linkage, least), ops.condense(plain, least)
            for name in ("cluster", "leaving_merge", "of_merge", "stability"):
                np.testing.assert_array_equal(to_host(getattr(condensed, name)), to_host(getattr(want, name)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "places",
    [[0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 2, 0], [0, 1, 0, 1, 1, 0, 0], [1, 0, 0, 1, 1, 0, 2, 0, 0], ["tiny", 0, 0, 0]],
)
def test_equal_points_that_lie_apart_on_the_curve(ops, request, places, dtype):
    """The last points share a cell of the curve, where they stay in the order of their rows. Equal ones have others
    between them, and some are runs. The square of a tiny distance is 0."""
    g = np.random.default_rng(0)
    at = [np.finfo(dtype).tiny if place == "tiny" else place * 1e-3 for place in places]
    near = np.stack([at, np.zeros(len(at))], axis=1)
    tree, _ = found(ops, np.concatenate([g.uniform(1, 1e9, (600, 2)), near]).astype(dtype), 6)
    linkage = ops.linkage(tree.edges, tree.weights, first_round=tree.first_round)
    expected = reference.linkage(to_host(tree.edges), to_host(tree.weights))
    np.testing.assert_array_equal(to_host(linkage.child), expected.child)
    np.testing.assert_array_equal(to_host(linkage.size), expected.size)
    kept = ops.name == "cuda" and "many" in request.node.callspec.id and "tiny" not in places
    assert (tree.first_round is not None) == kept


@pytest.mark.parametrize("n", [2, 3, 33, 64, 65, 4097])
def test_any_number_of_points(ops, n):
    tree, _ = found(ops, cloud(n, 3, np.float32), 2)
    linkage = ops.linkage(tree.edges, tree.weights, first_round=tree.first_round)
    expected = reference.linkage(to_host(tree.edges), to_host(tree.weights))
    np.testing.assert_array_equal(to_host(linkage.child), expected.child)
    np.testing.assert_array_equal(to_host(linkage.size), expected.size)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("equal", [0, 20, 300])
def test_when_the_round_is_kept(ops, request, equal, k):
    """On a GPU, of points of which few are equal, under mutual reachability, unless one launch takes all rounds."""
    points = cloud(600, 3, np.float32)
    points[600 - equal :] = points[:equal]
    tree, _ = found(ops, points, k)
    many = "many" in request.node.callspec.id
    assert (tree.first_round is not None) == (ops.name == "cuda" and many and equal < 300 and k > 1)


def test_a_tree_without_clusters_keeps_no_round(ops):
    points = to_device(ops, cloud(600, 3, np.float32))
    assert spanning_tree(points, ops.point_statistics(points), 5, ops).first_round is None
