"""The dendrogram begins with what Borůvka's first round over the points has found, if the device keeps it."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, cloud, to_device, to_host

from emst import HDBSCANGPU
from emst.spanning import spanning_tree

SETS = [*KINDS, "grid", "star", "some equal"]


def points_of(kind, n, d, dtype):
    if kind == "grid":  # most edges are equally long
        side = round(n ** (1 / d))
        return np.indices((side,) * d).reshape(d, -1).T.astype(dtype)
    if kind == "star":  # rays whose points are ever farther apart: chains longer than one climb, and few components
        angles = np.arange(n) % 5 + np.linspace(0, 0.01, n)
        radius = 1.05 ** (np.arange(n) // 5)
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


def assert_same(ours, theirs):
    for name in ("child", "size"):
        np.testing.assert_array_equal(to_host(getattr(ours, name)), to_host(getattr(theirs, name)))


def assert_begins_well(ops, tree, calls):
    """The dendrogram is the reference's, also where it has begun early."""
    expected = reference.linkage(to_host(tree.edges), to_host(tree.weights))
    linkage = ops.linkage(tree.edges, tree.weights, first_round=tree.first_round)
    assert_same(linkage, expected)
    for edges, weights, first_round in calls[-1:]:
        assert first_round is tree.first_round
        assert_same(ops.linkage(edges, weights, first_round=first_round), expected)
    return linkage


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", SETS)
def test_the_dendrogram_is_the_same(ops, kind, dtype, k):
    tree, calls = found(ops, points_of(kind, 700, 2, dtype), k)
    linkage, plain = assert_begins_well(ops, tree, calls), ops.linkage(tree.edges, tree.weights)
    for least in (2, 5):  # these read what the rounds leave for them
        condensed, want = ops.condense(linkage, least), ops.condense(plain, least)
        for name in ("cluster", "leaving_merge", "of_merge", "stability"):
            np.testing.assert_array_equal(to_host(getattr(condensed, name)), to_host(getattr(want, name)))


@pytest.mark.usefixtures("size")
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
    tree, calls = found(ops, np.concatenate([g.uniform(1, 1e9, (600, 2)), near]).astype(dtype), 6)
    assert_begins_well(ops, tree, calls)
    kept = ops.name == "cuda" and "many" in request.node.callspec.id and "tiny" not in places
    assert (tree.first_round is not None) == kept


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("n", [2, 3, 33, 64, 65, 4097])
def test_any_number_of_points(ops, n):
    assert_begins_well(ops, *found(ops, cloud(n, 3, np.float32), 2))


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("repeated", [0, 66, 67])
def test_when_the_round_is_kept(ops, request, repeated, k):
    """On a GPU, if no more than a ninth of the points repeat another one, under mutual reachability, unless one launch
    takes all rounds."""
    points = cloud(600, 3, np.float32)
    points[600 - repeated :] = points[:repeated]
    tree, calls = found(ops, points, k)
    many = "many" in request.node.callspec.id
    assert (tree.first_round is not None) == (ops.name == "cuda" and many and repeated < 67 and k > 1)
    assert_begins_well(ops, tree, calls)


@pytest.mark.usefixtures("size")
def test_a_tree_without_clusters_keeps_no_round(ops):
    points = to_device(ops, cloud(600, 3, np.float32))
    assert spanning_tree(points, ops.point_statistics(points), 5, ops).first_round is None


@pytest.fixture
def none_are_few(monkeypatch):
    """Points go round by round on the GPU, and nothing begins early."""
    pytest.importorskip("cupy")
    for name in ("bvh.FEW_POINTS", "rounds.ALL_UP_TO", "rounds.MOST_POINTS", "result.EARLY_UP_TO"):
        monkeypatch.setattr(f"emst.cuda.points.{name}", 0)
    for module in ("runtime.sort", "hierarchy.chains", "hierarchy.condensed", "hierarchy.selection"):
        monkeypatch.setattr(f"emst.cuda.{module}.FEW", 0)


@pytest.mark.gpu
@pytest.mark.usefixtures("none_are_few")
@pytest.mark.parametrize("kind", ["uniform", "grid", "some equal"])
def test_wide_keys(monkeypatch, kind):
    import emst.cuda as ops

    monkeypatch.setattr("emst.cuda.hierarchy.linkage.KEY_BITS", 0)
    tree, calls = found(ops, points_of(kind, 700, 2, np.float32), 5)
    assert tree.first_round is not None
    assert_begins_well(ops, tree, calls)


@pytest.mark.gpu
@pytest.mark.usefixtures("none_are_few")
@pytest.mark.parametrize("share", [2, 4, 16])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "uneven", "grid", "some equal"])
def test_one_launch_takes_the_rounds_after_those_that_are_kept(monkeypatch, kind, dtype, share):
    """As with half a million to four million points, of which each component has so many."""
    import emst.cuda as ops

    monkeypatch.setattr("emst.cuda.points.rounds.MOST_POINTS", 1 << 22)
    monkeypatch.setattr("emst.cuda.points.rounds.SHARE", share)
    for k in (2, 6):
        tree, calls = found(ops, points_of(kind, 1_500, 2, dtype), k)
        assert tree.first_round is not None
        assert_begins_well(ops, tree, calls)


@pytest.mark.gpu
@pytest.mark.usefixtures("none_are_few")
@pytest.mark.parametrize("early", [0, 1 << 22])
@pytest.mark.parametrize("k", [2, 6])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uniform", "uneven", "some equal"])
def test_searches_from_lists_of_leaves(monkeypatch, kind, dtype, k, early):
    """As with millions of points: 256 queries are enough for lists, as in tests/points/test_cuda_leaves.py."""
    import emst.cuda as ops

    monkeypatch.setattr("emst.cuda.points.search.multiprocessors", lambda: 1)
    monkeypatch.setattr("emst.cuda.points.search.BLOCKS_AN_SM", 1)
    monkeypatch.setattr("emst.cuda.points.result.EARLY_UP_TO", early)
    tree, calls = found(ops, points_of(kind, 2_400, 2, dtype), k)
    assert tree.first_round is not None and bool(calls) == bool(early)
    assert_begins_well(ops, tree, calls)


WAYS = {
    "plain": {},
    "verbose": {"verbose": True},
    "alpha": {"alpha": 1.3},
    "manhattan": {"metric": "manhattan"},
    "minkowski": {"metric": "minkowski", "metric_params": {"p": 3}},
    "box": {"metric_params": {"period": 1.0}},
    "pairs": {"d": 40, "metric": "manhattan"},
    "products": {"d": 40},
}


@pytest.mark.gpu
@pytest.mark.usefixtures("none_are_few")
@pytest.mark.parametrize("equal", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_fits_are_those_of_the_cpu(way, equal):
    """With the round, if it is kept: the dendrogram of a box with equal points at both of its ends begins without."""
    options = dict(WAYS[way])
    points = cloud(1100, options.pop("d", 3), np.float32) % 1  # products are for 1,024 points or more
    if equal:
        points[60:120] = points[:60]
        points[200:203, 0], points[203:206, 0] = 0, 1
        points[200:206, 1:] = points[200, 1:]
    ours, theirs = (HDBSCANGPU(5, 6, device=device, **options).fit(points) for device in ("cuda", "cpu"))
    assert_same(ours._model.linkage, theirs._model.linkage)
    for name in ("labels_", "probabilities_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
