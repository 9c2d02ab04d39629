"""Trees on Dask are those of one device, bit for bit, whatever the points come in. `tests/partitions/test_trees.py`
tests the method with more points."""

import dask.array as da
import numpy as np
import pytest

import emst
from emst.dask import EMST, minimum_spanning_tree


def assert_same(found, X, **options):
    """The tree is that of one device, and so are the core distances."""
    tree = found.to_local()
    wanted = emst.minimum_spanning_tree(X, device=tree.device, **options)
    assert tree.edges.dtype == wanted.edges.dtype and np.array_equal(tree.edges, wanted.edges)
    assert tree.weights.dtype == wanted.weights.dtype and np.array_equal(tree.weights, wanted.weights)
    assert (tree.core_distances is None) == (wanted.core_distances is None)
    if wanted.core_distances is not None:
        assert tree.core_distances.dtype == wanted.core_distances.dtype
        assert np.array_equal(tree.core_distances, wanted.core_distances)
    return tree


def test_one_point(where):
    tree = minimum_spanning_tree(np.ones((1, 2)), **where)
    assert tree.edges.shape == (0, 2) and tree.weights.shape == (0,)
    assert_same(tree, np.ones((1, 2)))


def test_a_metric_with_parameters(where, rng):
    X = np.stack([rng.uniform(-60, 70, 800), rng.uniform(-180, 180, 800)], axis=1)
    options = {"metric": "haversine", "metric_params": {"degrees": True, "radius": 6371.0088}, "min_samples": 4}
    assert_same(minimum_spanning_tree(X, partitions=6, **options, **where), X, **options)


def test_a_periodic_box(where, rng):
    """Clumps lie across the sides of the box, and in several partitions."""
    X = rng.integers(-2, 3, (900, 3)) + rng.normal(scale=0.1, size=(900, 3))
    for k in (1, 4):
        options = {"metric_params": {"period": [1.0, 2.0, 0.0]}, "min_samples": k}
        tree = assert_same(minimum_spanning_tree(X, partitions=6, **options, **where), X, **options)
        assert len(np.unique(tree.cut(0.15))) > 1
    with pytest.raises(ValueError, match="period in metric_params has 2 lengths, but X has 3 columns"):
        minimum_spanning_tree(X, metric_params={"period": [1, 2]}, **where)


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


@pytest.mark.parametrize("cut", CHUNKS)
def test_chunks_of_rows(where, rng, cut):
    X = np.round(rng.random((1000, 2)), 2)
    chunks = da.from_array(X, chunks=(CHUNKS[cut], 2))
    tree = minimum_spanning_tree(chunks, min_samples=3, partitions=5, **where)
    assert_same(tree, X, min_samples=3)
    assert tree.core_distances.chunks == (chunks.chunks[0],)


def test_as_many_partitions_as_fit(where, rng):
    """None of `partitions` makes one for every thread, but none of few points."""
    X = rng.random((1000, 2))
    tree = minimum_spanning_tree(X, **where)
    workers = where["client"].scheduler_info(n_workers=-1)["workers"].values()
    assert tree.report_.workers == len(workers)
    assert tree.report_.partitions == sum(worker["nthreads"] for worker in workers)
    assert minimum_spanning_tree(X[:100], **where).report_.partitions == 1
    assert_same(tree, X)


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
