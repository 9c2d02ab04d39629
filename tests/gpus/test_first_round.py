"""The dendrogram of a tree over several GPUs begins with the first rounds of all partitions."""

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, cloud, to_host
from threads import Threads, chunks_of

import emst
from emst.distances.metrics import tree_metric_of
from emst.gpus import tree
from emst.partitions.records import Request
from emst.partitions.spanning import fitted_tree
from emst.progress import Progress

SETS = [*KINDS, "grid", "many axes", "some equal", "equal apart", "tiny"]


def points_of(kind, dtype):
    points = cloud(1_600, 2, dtype, kind if kind in KINDS else "uniform")
    if kind == "many axes":  # most points are held back
        return cloud(1_600, 13, dtype, "uniform")
    if kind == "grid":  # most edges are equally long
        return np.indices((40, 40)).reshape(2, -1).T.astype(dtype)
    if kind == "some equal":  # runs of two to five equal points, some of them neighbours, in every partition
        for at, length in zip(range(0, len(points), 50), [2, 3, 4, 5] * len(points)):
            points[at : at + length] = points[at]
    if kind in ("equal apart", "tiny"):  # cells of the curve with equal points that are no neighbours there
        g, x = np.random.default_rng(0), dtype(1e-3)
        places = [[0, x, 0, 0, 0], [0, 0, x, 0, 0, 2 * x, 0], [0, x, 0, x, x, 0, 0], [0, np.finfo(dtype).tiny, 0]]
        near = np.concatenate([np.stack([row, np.full(len(row), i)], axis=1) for i, row in enumerate(places[:-1])])
        if kind == "tiny":  # the square of a tiny distance is 0
            near = np.concatenate([near, np.stack([places[-1], np.full(3, 9)], axis=1)])
        return np.concatenate([g.uniform(1, 1e9, (1_600, 2)), near]).astype(dtype)
    return points


def over_partitions(ops, points, k, partitions, metric="euclidean", chunks=None, first_round=True):
    """The tree of points in so many partitions, and which of these have kept their first round."""
    chunks = partitions if chunks is None else chunks
    with Threads(chunks, device=ops.name) as engine:
        request = Request(tree_metric_of(metric, None), k, partitions, lists=True, first_round=first_round)
        fitted = fitted_tree(chunks_of(np.array_split(points, chunks), engine), request, engine, Progress())
        kept = [local.first_round is not None for local in engine.gather(fitted.tree.locals)]
        return tree.gathered(fitted, engine, ops), kept


def assert_same(ours, theirs):
    for name in ("child", "size"):
        np.testing.assert_array_equal(to_host(getattr(ours, name)), to_host(getattr(theirs, name)))


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("partitions", [2, 3, 5])
@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", SETS)
def test_the_dendrogram_is_the_same(ops, request, kind, dtype, k, partitions):
    found, kept = over_partitions(ops, points_of(kind, dtype), k, partitions)
    expected = reference.linkage(to_host(found.edges), to_host(found.weights))
    linkage, plain = ops.linkage(*found[:2], first_round=found.first_round), ops.linkage(*found[:2])
    assert_same(linkage, expected)
    for least in (2, 5):  # these read what the rounds leave for them
        condensed, want = ops.condense(linkage, least), ops.condense(plain, least)
        for name in ("cluster", "leaving_merge", "of_merge", "stability"):
            np.testing.assert_array_equal(to_host(getattr(condensed, name)), to_host(getattr(want, name)))
    many = ops.name == "cuda" and "many" in request.node.callspec.id
    if kind == "uniform" or not many:
        assert kept == [many] * len(kept)
        assert (found.first_round is not None) == many


@pytest.mark.parametrize("size", ["many"], indirect=True)
@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "sqeuclidean"])
def test_other_metrics(ops, size, metric):
    found, kept = over_partitions(ops, points_of("some equal", np.float32), 5, 3, metric)
    assert kept == [ops.name == "cuda"] * len(kept)
    assert (found.first_round is not None) == all(kept)
    linkage = ops.linkage(*found[:2], first_round=found.first_round)
    assert_same(linkage, reference.linkage(to_host(found.edges), to_host(found.weights)))


@pytest.mark.parametrize("size", ["many"], indirect=True)
def test_no_point_is_sure_of_its_edge(ops, size):
    """In one of these partitions, every point has a neighbour in another one that is as near as all others."""
    points = np.indices((3,) * 6).reshape(6, -1).T.astype(float)
    found, kept = over_partitions(ops, points, 2, 4, chunks=2)
    assert kept.count(True) == (3 if ops.name == "cuda" else 0)
    assert found.first_round is None
    assert_same(ops.linkage(*found[:2]), reference.linkage(to_host(found.edges), to_host(found.weights)))


@pytest.mark.parametrize("size", ["many"], indirect=True)
def test_only_runs_are_sure_of_their_edge(ops, size):
    """The same, but for two pairs of equal points, of which each has the other pair as its nearest neighbour. Pairs
    wait in a round that is kept."""
    points = np.indices((3,) * 6).reshape(6, -1).T.astype(float)
    cell, d = np.array([0.5, 0.5, 0.5, 0.5, 1.5, 0.5]), np.array([0.05, 0, 0, 0, 0, 0])
    points = np.concatenate([points, np.stack([cell - d, cell - d, cell + d, cell + d])])
    found, _ = over_partitions(ops, points, 2, 4, chunks=2)
    wanted, _ = over_partitions(ops, points, 2, 4, chunks=2, first_round=False)
    for name in ("edges", "weights"):
        np.testing.assert_array_equal(to_host(getattr(found, name)), to_host(getattr(wanted, name)))


WAYS = {
    "lists of leaves": {"points.search.BLOCKS_AN_SM": 1, "points.search.multiprocessors": lambda: 1},
    "sorts pass by pass": {"runtime.sort.SORT_RESIDENT": 0},
    "wide keys": {"hierarchy.linkage.KEY_BITS": 0},
    "values that are put in two passes": {"runtime.gather.FAR": 0},
}


@pytest.mark.gpu
@pytest.mark.parametrize("size", ["many"], indirect=True)
@pytest.mark.parametrize("ops", ["cuda"], indirect=True)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["uneven", "some equal"])
@pytest.mark.parametrize("way", WAYS)
def test_ways_of_many_more_points(ops, monkeypatch, size, way, kind, dtype):
    for name, value in WAYS[way].items():
        monkeypatch.setattr(f"emst.cuda.{name}", value)
    found, kept = over_partitions(ops, points_of(kind, dtype), 4, 3)
    assert any(kept)
    linkage = ops.linkage(*found[:2], first_round=found.first_round)
    assert_same(linkage, reference.linkage(to_host(found.edges), to_host(found.weights)))


@pytest.mark.gpu
@pytest.mark.parametrize("size", ["many"], indirect=True)
@pytest.mark.parametrize("ops", ["cuda"], indirect=True)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [13, 40])
def test_partitions_of_which_only_large_ones_multiply(ops, size, d, dtype):
    """Products of tensor cores are for 1,024 points or more; some partitions have fewer, and compare pairs."""
    g = np.random.default_rng(d)
    sizes = [1_500, 600, 500]
    points = np.concatenate([g.normal(4 * i, 1, (n, d)) for i, n in enumerate(sizes)]).astype(dtype)
    found, _ = over_partitions(ops, points, 4, 3)
    theirs = emst.EMST(min_samples=4, device="cpu").fit(points)
    np.testing.assert_array_equal(to_host(found.edges), theirs.edges_)
    np.testing.assert_array_equal(to_host(found.weights), theirs.weights_)
    linkage = ops.linkage(*found[:2], first_round=found.first_round)
    assert_same(linkage, reference.linkage(theirs.edges_, theirs.weights_))


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("equal", [False, True])
def test_fits_are_those_of_one_device(ops, gpus, equal):
    points = points_of("some equal" if equal else "uneven", np.float32)
    ours = emst.HDBSCANGPU(5, 4, device_ids=gpus).fit(points)
    theirs = emst.HDBSCANGPU(5, 4, device=ops.name).fit(points)
    assert_same(ours._model.linkage, theirs._model.linkage)
    for name in ("labels_", "probabilities_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
