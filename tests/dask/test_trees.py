"""Trees over partitions are those of one device, bit for bit, however the points are cut."""

import dask.array as da
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import emst
from emst.dask import EMST, minimum_spanning_tree
from emst.partitions import asking

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
    "blobs, float32": blobs(RNG, 1500, 3, np.float32),
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


def assert_same(found, X, wanted=None, **options):
    """The tree is that of one device, and so are the core distances."""
    tree = found.to_local()
    wanted = emst.minimum_spanning_tree(X, device=tree.device, **options) if wanted is None else wanted
    assert tree.edges.dtype == wanted.edges.dtype and np.array_equal(tree.edges, wanted.edges)
    assert tree.weights.dtype == wanted.weights.dtype and np.array_equal(tree.weights, wanted.weights)
    assert (tree.core_distances is None) == (wanted.core_distances is None)
    if wanted.core_distances is not None:
        assert tree.core_distances.dtype == wanted.core_distances.dtype
        assert np.array_equal(tree.core_distances, wanted.core_distances)
    return tree


COUNTS = {1: (2, 8), 2: (5,), 5: (1, 8), 80: (20,)}  # of partitions, by k; the greatest k exceeds what most of 20 hold
LONG = ("uniform", "heavy tails", "runs of duplicates")  # sets for the greatest k, whose kernels take long to compile
WIDE = ("40 dimensions", "noise")
CASES = [(name, k) for name in SETS for k in COUNTS if (k == 1 or name not in WIDE) and (k < 80 or name in LONG)]
CASES.append(("noise", 5))


@pytest.mark.parametrize(("name", "k"), CASES)
def test_the_tree_of_one_device(where, name, k):
    X = SETS[name]
    wanted = emst.minimum_spanning_tree(X, min_samples=k, device="cpu")
    for partitions in COUNTS[k]:
        assert_same(minimum_spanning_tree(X, min_samples=k, partitions=partitions, **where), X, wanted)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("n", [2, 3, 16, 17, 18, 33, 40])
def test_few_points(where, rng, n, k):
    """A cell of the curve is cut only if it holds more than 16 points."""
    X = rng.integers(0, 6, (n, 2)) * 0.1
    assert_same(minimum_spanning_tree(X, min_samples=k, partitions=8, **where), X, min_samples=k)


def test_one_point(where):
    tree = minimum_spanning_tree(np.ones((1, 2)), **where)
    assert tree.edges.shape == (0, 2) and tree.weights.shape == (0,)
    assert_same(tree, np.ones((1, 2)))


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
    "haversine, km": {"metric_params": {"degrees": True, "radius": 6371.0088}},
}


@pytest.mark.parametrize(("name", "k"), [*((name, 4) for name in METRICS), ("manhattan", 1), ("cosine", 1)])
def test_metrics(where, rng, name, k):
    X = np.round(rng.standard_normal((800, 3)), 1) + 0.01
    if name.startswith("haversine"):
        X = places(rng, 800) if "metric_params" in METRICS[name] else np.radians(places(rng, 800))
    options = {"metric": name.partition(",")[0], "min_samples": k} | METRICS[name]
    assert_same(minimum_spanning_tree(X, partitions=6, **options, **where), X, **options)


def test_powers_that_have_lost_digits(where, monkeypatch):
    """One point is so far away that 32nd powers of small distances vanish. They do not count where the triangle
    inequality spares points."""
    monkeypatch.setattr(asking, "SAMPLE", 1)
    monkeypatch.setattr(asking, "GROWTH", 2)
    X = np.random.default_rng(62).random((1500, 3)) * 11
    X[0] = 2.0**62
    options = {"metric": "minkowski", "metric_params": {"p": 32}}
    assert_same(minimum_spanning_tree(X, partitions=20, **options, **where), X, **options)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_dtypes(where, rng, dtype):
    X = (rng.random((700, 2)) * 1000).astype(dtype)
    for wanted in (None, np.float32, np.float64):
        tree = minimum_spanning_tree(X, min_samples=3, dtype=wanted, partitions=4, **where)
        assert_same(tree, X, min_samples=3, dtype=wanted)


CHUNKS = {
    "equal": 250,
    "one": 1000,
    "single rows": (1, 1, 997, 1),
    "unequal": (500, 3, 17, 480),
    "empty ones": (0, 400, 0, 0, 600, 0),
}


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("cut", CHUNKS)
def test_chunks_of_rows(where, rng, cut, k):
    X = np.round(rng.random((1000, 2)), 2)
    wanted = emst.minimum_spanning_tree(X, min_samples=k, device="cpu")
    chunks = da.from_array(X, chunks=(CHUNKS[cut], 2))
    tree = minimum_spanning_tree(chunks, min_samples=k, partitions=5, **where)
    assert_same(tree, X, wanted)
    if k > 1:
        assert tree.core_distances.chunks == (chunks.chunks[0],)


def test_chunks_in_any_order(where, rng):
    """The rows of a chunk lie anywhere: rows of ties decide between edges, so each order has its own tree."""
    X = rng.integers(0, 9, (900, 2)).astype(float)
    for rows in (np.argsort(X[:, 0], kind="stable"), np.argsort(-X[:, 1], kind="stable"), rng.permutation(900)):
        chunks = da.from_array(X[rows], chunks=(100, 2))
        assert_same(minimum_spanning_tree(chunks, min_samples=2, partitions=7, **where), X[rows], min_samples=2)


def test_as_many_partitions_as_fit(where, rng):
    """None of `partitions` makes one for every thread, but none of few points."""
    X = rng.random((1000, 2))
    tree = minimum_spanning_tree(X, **where)
    workers = len(where["client"].scheduler_info(n_workers=-1)["workers"])
    assert tree.report_.partitions == tree.report_.workers == workers
    assert minimum_spanning_tree(X[:100], **where).report_.partitions == 1
    assert_same(tree, X)


def test_repeated_points_of_more_than_a_partition(where, rng):
    """A run of equal points begins a partition, and all but k of them hang from its first point."""
    X = np.concatenate([rng.random((500, 2)), np.full((2000, 2), 0.5), rng.random((500, 2))])[rng.permutation(3000)]
    for k in (1, 4):
        tree = minimum_spanning_tree(X, min_samples=k, partitions=10, **where)
        assert_same(tree, X, min_samples=k)
        assert tree.report_.asked_border + tree.report_.asked_rounds < 2000


def test_what_it_cost(where, rng):
    X, seen = rng.random((3000, 2)), []
    tree = minimum_spanning_tree(X, partitions=6, report=lambda number, left: seen.append((number, left)), **where)
    costs = tree.report_
    assert (costs.points, costs.partitions) == (3000, 6)
    assert [number for number, _ in seen] == list(range(1, costs.rounds + 1))
    left = [costs.components, *(left for _, left in seen)]
    assert left == sorted(left, reverse=True) and left[-1] == 1
    assert 0 < costs.asked_border < 3000 and 0 < costs.asked_rounds < 3000
    assert costs.bytes_sent >= (costs.asked_border + costs.asked_rounds) * 2 * 8
    assert min(costs.seconds.values()) >= 0
    one = minimum_spanning_tree(X, partitions=1, **where).report_
    assert (one.partitions, one.rounds, one.components, one.bytes_sent) == (1, 0, 1, 0)


def test_the_result(where, rng):
    X = rng.random((800, 2))
    tree = minimum_spanning_tree(X, min_samples=3, partitions=4, **where)
    local = assert_same(tree, X, min_samples=3)
    assert tree.device == where["device"]
    assert tree.edges.shape == (799, 2) and tree.edges.dtype == np.int64
    assert "799 edges" in repr(tree) and "800 points" in repr(tree)
    edges, weights = (array.compute(scheduler=where["client"]) for array in (tree.edges, tree.weights))
    assert (edges[:, 0] < edges[:, 1]).all()
    assert sorted(zip(weights, *edges.T)) == sorted(zip(local.weights, *local.edges.T.tolist()))
    assert tree.total_weight == pytest.approx(local.weights.sum(), rel=1e-12)


def test_progress(where, rng, capfd):
    minimum_spanning_tree(rng.random((600, 2)), partitions=3, verbose=True, **where)
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("[emst] ")]
    assert lines[0] == "[emst] 600 points" and any("round 1: " in line for line in lines)
    for stage in ("sample", "sort", "border", "local trees and rounds"):
        assert any(line.startswith(f"[emst] {stage}: ") for line in lines)


def test_a_bar_is_refused(where, rng):
    for fit in (minimum_spanning_tree, EMST(verbose="bar", **where).fit):
        with pytest.raises(ValueError, match="write lines but no bar; got 'bar'"):
            fit(rng.random((60, 2)), **({} if fit is not minimum_spanning_tree else {"verbose": "bar", **where}))


def test_the_estimator(where, rng):
    X = rng.random((500, 2))
    mst = EMST(min_samples=2, partitions=3, **where).fit(X)
    wanted = emst.EMST(min_samples=2, device="cpu").fit(X)
    assert np.array_equal(mst.to_local().edges, wanted.edges_)
    assert np.array_equal(mst.core_distances_.compute(scheduler=where["client"]), wanted.core_distances_)
    assert mst.total_weight_ == pytest.approx(wanted.total_weight_, rel=1e-12)
    assert (mst.n_features_in_, mst.device_, mst.report_.partitions) == (2, where["device"], 3)
    mst.set_params(min_samples=1).fit(X)
    assert not hasattr(mst, "core_distances_")


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    X=arrays(np.float64, st.tuples(st.integers(2, 60), st.integers(1, 3)), elements=st.integers(-3, 3).map(float)),
    k=st.integers(1, 4),
    partitions=st.integers(1, 6),
    size=st.integers(1, 60),
)
def test_small_sets(where, X, k, partitions, size):
    """Most distances are tied, most points are equal."""
    k = min(k, len(X))
    chunks = da.from_array(X, chunks=(size, -1))
    assert_same(minimum_spanning_tree(chunks, min_samples=k, partitions=partitions, **where), X, min_samples=k)


def test_rows_that_are_not_finite_are_named(where, rng):
    """By their rows among all, and by chunk."""
    X = rng.random((100, 2))
    X[[57, 90], 1] = np.nan, np.inf
    with pytest.raises(ValueError, match=r"NaN or infinity in 2 rows, first in row 57 \(chunk 2, row 7 of it\)"):
        minimum_spanning_tree(da.from_array(X, chunks=(25, 2)), **where)
    with pytest.raises(ValueError, match=r"NaN or infinity in 2 rows, first in row 57$"):
        minimum_spanning_tree(X, **where)


def test_rows_of_zeros_have_no_direction(where, rng):
    X = rng.random((100, 2))
    X[31] = 0
    with pytest.raises(ValueError, match=r"rows of zeros: X has 1 such row, first in row 31 \(chunk 3, row 1 of it\)"):
        minimum_spanning_tree(da.from_array(X, chunks=(10, 2)), metric="cosine", **where)


@pytest.mark.parametrize("partitions", [0, -1, 1.5, True, "2"])
def test_bad_numbers_of_partitions(where, partitions):
    with pytest.raises(ValueError, match="partitions must be a positive integer or None"):
        minimum_spanning_tree(np.ones((5, 2)), partitions=partitions, **where)


def test_small_memories_make_more_partitions(where, rng, monkeypatch):
    """A worker holds other results beside the partition it works on: a partition gets a quarter of its memory."""
    X = rng.random((3000, 2))
    monkeypatch.setattr("emst.dask.engine.DaskEngine.bytes_a_thread", lambda cluster: 800_000)
    tree = minimum_spanning_tree(X, **where)
    assert 4 <= tree.report_.partitions <= 6
    assert_same(tree, X)
