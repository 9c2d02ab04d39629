"""Trees over partitions are those of one device, bit for bit, however the points are cut."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from threads import tree_of

import emst
from emst.partitions import remembering

RNG = np.random.default_rng(11)  # for SETS; tests take `rng`


def blobs(rng, n, d, dtype):
    centers = rng.random((10, d)) * 10
    return (centers[rng.integers(0, 10, n)] + rng.standard_normal((n, d)) / 10).astype(dtype)


def tracks(rng, n):
    """Metres beside seconds: one axis is a million times as wide as the other."""
    return np.stack([rng.random(n) * 1e6, rng.random(n)], axis=1)


SETS = {
    "uniform": RNG.random((1500, 3)),
    "lattice of ties": RNG.integers(0, 12, (1500, 2)).astype(float),
    "blobs, float32": blobs(RNG, 1500, 2, np.float32),
    "heavy tails": RNG.lognormal(0, 5, (1500, 2)),
    "runs of duplicates": RNG.permutation(np.repeat(RNG.random((20, 2)), [1] * 15 + [300] * 5, axis=0)),
    "all equal": np.ones((300, 2)),
    "an axis of length 0": np.stack([RNG.random(1000), np.full(1000, 0.1)], axis=1),
    "40 dimensions": blobs(RNG, 600, 40, np.float64),
    "metres beside seconds": tracks(RNG, 1500),
    "one dimension": RNG.standard_normal((1000, 1)),
    "subnormal": RNG.random((600, 2)) * 1e-310,
    "far from 0": RNG.random((800, 2)) + 1e9,
    "noise": RNG.standard_normal((2400, 40)),  # by products, where the largest component does not search
}


def assert_same(pieces, engine, partitions, wanted=None, **options):
    """The tree is that of one device, and so are the core distances; returns what it cost."""
    found, costs = tree_of(pieces, engine, partitions, **options)
    if wanted is None:
        wanted = emst.minimum_spanning_tree(np.concatenate(pieces), device=engine.device, **options)
    for ours, theirs in zip(found, (wanted.edges.astype(np.int64), wanted.weights, wanted.core_distances)):
        assert getattr(ours, "dtype", None) == getattr(theirs, "dtype", None)
        np.testing.assert_array_equal(ours, theirs)
    return costs


COUNTS = {1: (2, 8), 2: (5,), 5: (1, 8), 80: (20,)}  # of partitions, by k; the greatest k exceeds what most of 20 hold
LONG = ("lattice of ties", "heavy tails", "runs of duplicates")  # sets for the greatest k: its kernels compile long
WIDE = ("40 dimensions", "noise")
CASES = [(name, k) for name in SETS for k in COUNTS if (k == 1 or name not in WIDE) and (k < 80 or name in LONG)]
CASES.append(("noise", 5))


@pytest.mark.parametrize(("name", "k"), CASES)
def test_the_tree_of_one_device(engine, name, k):
    X = SETS[name]
    wanted = emst.minimum_spanning_tree(X, min_samples=k, device="cpu")
    for partitions in COUNTS[k]:
        assert_same(np.array_split(X, 3), engine, partitions, wanted, min_samples=k)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("n", [2, 3, 16, 17, 18, 33, 40])
def test_few_points(engine, rng, n, k):
    """A cell of the curve is cut only if it holds more than 16 points."""
    assert_same([rng.integers(0, 6, (n, 2)) * 0.1], engine, 8, min_samples=k)


def places(rng, n):
    """Latitudes and longitudes in degrees."""
    return np.stack([rng.uniform(-60, 70, n), rng.uniform(-180, 180, n)], axis=1)


METRICS = {
    "manhattan": {},
    "chebyshev": {},
    "minkowski": {"metric_params": {"p": 3}},
    "minkowski, half a power": {"metric_params": {"p": 2.5}},
    "minkowski, any power": {"metric_params": {"p": 1.7}},
    "cosine": {},
    "haversine": {},
    "euclidean, in a box": {"metric_params": {"period": [1.7, 0, 0.9]}},
    "haversine, km": {"metric_params": {"degrees": True, "radius": 6371.0088}},
}


@pytest.mark.parametrize(
    ("name", "k"), [*((name, 4) for name in METRICS), ("manhattan", 1), ("cosine", 1), ("euclidean, in a box", 1)]
)
def test_metrics(engine, rng, name, k):
    X = np.round(rng.standard_normal((800, 3)), 1) + 0.01
    if name.startswith("haversine"):
        X = places(rng, 800) if "metric_params" in METRICS[name] else np.radians(places(rng, 800))
    assert_same(np.array_split(X, 3), engine, 6, metric=name.partition(",")[0], min_samples=k, **METRICS[name])


def test_powers_that_have_lost_digits(engine, monkeypatch):
    """One point is so far away that 32nd powers of small distances vanish. They do not count where the triangle
    inequality spares points."""
    monkeypatch.setattr(remembering, "SAMPLE", 1)
    monkeypatch.setattr(remembering, "GROWTH", 2)
    X = np.random.default_rng(62).random((1500, 3)) * 11
    X[0] = 2.0**62
    assert_same(np.array_split(X, 3), engine, 20, metric="minkowski", metric_params={"p": 32})


def test_chunks_in_any_order(engine, rng):
    """The rows of a chunk lie anywhere: rows of ties decide between edges, so each order has its own tree."""
    X = rng.integers(0, 9, (900, 2)).astype(float)
    for rows in (np.argsort(X[:, 0], kind="stable"), np.argsort(-X[:, 1], kind="stable"), rng.permutation(900)):
        assert_same(np.array_split(X[rows], 9), engine, 7, min_samples=2)


def test_repeated_points_of_more_than_a_partition(engine, rng):
    """A run of equal points begins a partition, and all but k of them hang from its first point."""
    X = np.concatenate([rng.random((500, 2)), np.full((2000, 2), 0.5), rng.random((500, 2))])[rng.permutation(3000)]
    for k in (1, 4):
        costs = assert_same(np.array_split(X, 3), engine, 10, min_samples=k)
        assert costs.asked_border + costs.asked_rounds < 2000


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    X=arrays(np.float64, st.tuples(st.integers(2, 60), st.integers(1, 3)), elements=st.integers(-3, 3).map(float)),
    k=st.integers(1, 4),
    partitions=st.integers(1, 6),
    cuts=st.lists(st.integers(0, 60), max_size=6).map(sorted),
)
def test_small_sets(engine, X, k, partitions, cuts):
    """Most distances are tied, most points are equal, and some chunks are empty."""
    assert_same(np.split(X, cuts), engine, partitions, min_samples=min(k, len(X)))
