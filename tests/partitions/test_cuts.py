"""Groups over partitions are those of one device, bit for bit, however the points are cut."""

import numpy as np
import pytest
from threads import Threads, chunks_of, joined

import emst
from emst.backend.partition_records import OpenEdges
from emst.distances.metrics import tree_metric_of
from emst.partitions.cuts import MORE, beyond_of_joined, labels_at
from emst.partitions.edges import Edges, TreeEdges
from emst.partitions.records import Request
from emst.partitions.spanning import fitted_tree
from emst.progress import Progress

RNG = np.random.default_rng(11)  # for SETS; tests take `rng`
SETS = {
    "uniform": RNG.random((1500, 3)),
    "lattice of ties": RNG.integers(0, 12, (1500, 2)).astype(float),
    "runs of duplicates": RNG.permutation(np.repeat(RNG.random((20, 2)), [1] * 15 + [300] * 5, axis=0)),
    "all equal": np.ones((300, 2)),
    "subnormal": RNG.random((600, 2)) * 1e-310,
    "blobs, float32": (RNG.integers(0, 10, (1500, 1)) + RNG.standard_normal((1500, 2)) / 10).astype(np.float32),
}
CASES = [(name, 1) for name in ("uniform", "lattice of ties", "runs of duplicates", "all equal", "subnormal")]
CASES += [("lattice of ties", 2), ("runs of duplicates", 2), ("blobs, float32", 5)]


def labels_of(X, engine, partitions, heights, least=1, pieces=3, **options):
    """Labels at each height, by partitions and by one device."""
    chunks = chunks_of(np.array_split(X, pieces), engine)
    metric = tree_metric_of(options.pop("metric", "euclidean"), options.pop("metric_params", None))
    fitted = fitted_tree(chunks, Request(metric, options.get("min_samples", 1), partitions), engine, Progress())
    edges = TreeEdges(fitted.tree, fitted.units, engine)
    return joined(labels_at(edges, heights, least, chunks, engine), engine).T


def heights_of(weights):
    """Below, at, and above all weights; at some of them, and one step below those."""
    chosen = sorted(set(weights[[0, len(weights) // 3, len(weights) // 2, -5, -1]].tolist()))
    below = [float(np.nextafter(weights.dtype.type(height), weights.dtype.type(-np.inf))) for height in chosen]
    return [-1.0, 0, *chosen, *below, float("inf")]


@pytest.mark.parametrize(("name", "k"), CASES)
def test_the_groups_of_one_device(engine, name, k):
    X = SETS[name]
    one = emst.minimum_spanning_tree(X, min_samples=k, device="cpu")
    heights = heights_of(one.weights)
    for partitions in (1, 6):
        for least in (1, 2, 10, len(X), len(X) + 1):
            found = labels_of(X, engine, partitions, heights, least, min_samples=k)
            wanted = [one.cut(height, least) for height in heights]
            assert found.dtype == np.int64
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("in_one_place", [True, False])
def test_packets_between_places(in_one_place):
    """Groups that lie in several partitions, whose points come in the order of the curve or against it."""
    X = np.linspace(0, 1, 2000)[:, None] ** 2
    with Threads(3, in_one_place) as engine:
        for order in (X, X[::-1], np.random.default_rng(2).permutation(X)):
            one = emst.minimum_spanning_tree(order, device="cpu")
            heights = heights_of(one.weights)
            np.testing.assert_array_equal(labels_of(order, engine, 7, heights), one.labels_at(heights))


def test_a_group_of_few_points_in_each_of_several_partitions(engine):
    """Its size is that of all parts."""
    X = np.linspace(0, 1, 400)[:, None]
    one = emst.minimum_spanning_tree(X, device="cpu")
    height = one.weights[-1].item()
    np.testing.assert_array_equal(labels_of(X, engine, 8, [height], 400), np.zeros((1, 400)))
    np.testing.assert_array_equal(labels_of(X, engine, 8, [height], 401), np.full((1, 400), -1))


def test_roots(engine, rng):
    """Minkowski distances are roots of powers, and weights of one device are made ascending."""
    X = rng.integers(0, 30, (1500, 2)) / 7
    given = {"metric": "minkowski", "metric_params": {"p": 3}}
    one = emst.minimum_spanning_tree(X, device="cpu", **given)
    heights = sorted(set(one.weights.tolist()))[:40]
    np.testing.assert_array_equal(labels_of(X, engine, 6, heights, **given), one.labels_at(heights))


def test_weights_that_descend_by_a_last_digit(ops):
    """All edges after the first that is too heavy are cut, as on one device."""
    powers = np.array([1.0, 8.0, 8.5, 27.0])
    weights = np.array([1.0, np.nextafter(2.0, 3), 2.0, 3.0])
    none = ops.asarray(np.zeros(4, np.int32))
    joined = OpenEdges.of(none, none, none, none, ops.asarray(powers[::-1].copy()), ops.asarray(powers))
    edges = Edges(none, ops.asarray(weights))
    beyond = [beyond_of_joined(ops, joined, edges, height, 3.0) for height in (2.0, 1.0, 0.5, 3.0)]
    assert beyond == [*powers[[1, 1, 0]].view(np.uint64), MORE]


@pytest.mark.parametrize("n", [1, 2, 3, 17, 33])
def test_few_points(engine, rng, n):
    X = rng.integers(0, 6, (n, 2)) * 0.1
    heights = [-1, 0, 0.1, 0.15, 1]
    one = emst.minimum_spanning_tree(X, device="cpu")
    np.testing.assert_array_equal(labels_of(X, engine, 8, heights, pieces=1), one.labels_at(heights))


def test_heights_are_compared_exactly(engine, rng):
    """A float32 weight is compared with the float64 that the caller gives, and with integers of any size."""
    X = rng.random((300, 2)).astype(np.float32)
    one = emst.minimum_spanning_tree(X, device="cpu")
    weight = float(one.weights[150])
    heights = [weight, np.nextafter(weight, 0), 2**70, -(2**70)]
    found = labels_of(X, engine, 4, heights)
    np.testing.assert_array_equal(found, one.labels_at(heights))
    assert found[0].max() < found[1].max()
