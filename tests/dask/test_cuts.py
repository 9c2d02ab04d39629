"""`cut` and `labels_at` of trees on Dask are those of one device, bit for bit, in the chunks of the input.
`tests/partitions/test_cuts.py` tests the method with more points."""

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from sklearn.exceptions import NotFittedError

import emst
from emst.dask import EMST, minimum_spanning_tree


@pytest.fixture
def computed(where):
    return lambda array: array.compute(scheduler=where["client"])


@pytest.mark.parametrize(("k", "least"), [(1, 1), (4, 2), (1, 20)])
def test_the_groups_of_one_device(where, computed, rng, k, least):
    X = np.round(rng.random((1000, 2)), 2)  # with ties and duplicates
    one = emst.minimum_spanning_tree(X, min_samples=k, device="cpu")
    chunks = da.from_array(X, chunks=((300, 0, 650, 50), 2))
    tree = minimum_spanning_tree(chunks, min_samples=k, partitions=5, **where)
    for height in (-1, 0, one.weights[500], np.nextafter(one.weights[500], 0), one.weights[-3], one.weights[-1], 9):
        groups = tree.cut(height, least)
        assert groups.chunks == (chunks.chunks[0],) and groups.dtype == np.int64
        np.testing.assert_array_equal(computed(groups), one.cut(height, least))


def test_several_heights(where, computed, rng):
    X = rng.random((600, 3))
    one = emst.minimum_spanning_tree(X, device="cpu")
    tree = minimum_spanning_tree(da.from_array(X, chunks=(200, 3)), partitions=4, **where)
    heights = one.weights[[5, 300, 590]]
    labels = tree.labels_at(heights)
    assert labels.shape == (3, 600) and labels.chunks[1] == (200, 200, 200)
    np.testing.assert_array_equal(computed(labels), one.labels_at(heights))
    np.testing.assert_array_equal(computed(tree.labels_at(heights[1])), one.labels_at(heights[1]))
    assert computed(tree.labels_at([])).shape == one.labels_at([]).shape == (0, 600)


def test_chunks_of_unknown_sizes(where, computed, rng):
    """The labels have unknown chunks too, so Dask can put them beside the points."""
    X = rng.random((800, 2))
    chunks = da.from_array(X, chunks=(300, 2))
    some = chunks[chunks[:, 0] > 0.3]
    tree = minimum_spanning_tree(some, partitions=3, **where)
    kept = X[X[:, 0] > 0.3]
    one = emst.minimum_spanning_tree(kept, device="cpu")
    groups = tree.cut(0.03, 5)
    np.testing.assert_array_equal(computed(groups), one.cut(0.03, 5))
    np.testing.assert_array_equal(computed(some[groups == 0]), kept[one.cut(0.03, 5) == 0])
    np.testing.assert_array_equal(computed(tree.labels_at([0.01, 0.05])), one.labels_at([0.01, 0.05]))


def test_the_estimator(where, computed, rng):
    X = rng.random((500, 2))
    mst, one = EMST(min_samples=2, partitions=3, **where).fit(X), emst.EMST(min_samples=2, device="cpu").fit(X)
    np.testing.assert_array_equal(computed(mst.cut(0.05, min_cluster_size=3)), one.cut(0.05, min_cluster_size=3))
    np.testing.assert_array_equal(computed(mst.labels_at([0.02, 0.05])), one.labels_at([0.02, 0.05]))
    for call in (EMST(**where).cut, EMST(**where).labels_at):
        with pytest.raises(NotFittedError):
            call(1.0)


def test_numbers_that_are_none(where, rng):
    """The errors are those of one device."""
    X = rng.random((50, 2))
    tree, one = minimum_spanning_tree(X, **where), emst.minimum_spanning_tree(X, device="cpu")
    for method, args in (
        ("cut", (float("nan"),)),
        ("cut", ("near",)),
        ("cut", (1.0, 0)),
        ("cut", (1.0, 2.5)),
        ("labels_at", (float("nan"),)),
        ("labels_at", ([0.1, None],)),
    ):
        with pytest.raises(ValueError) as wanted:
            getattr(one, method)(*args)
        with pytest.raises(ValueError) as found:
            getattr(tree, method)(*args)
        assert str(found.value) == str(wanted.value)


def test_nothing_of_all_points_comes_to_the_driver(where, rng, monkeypatch):
    """Not even the edges: `to_local` is not called, and what the driver gathers does not grow with the points."""
    from emst.dask.engine import DaskEngine
    from emst.partitions.engine import bytes_of

    X, gathered, gather = rng.random((3000, 2)), [], DaskEngine.gather
    tree = minimum_spanning_tree(X, partitions=4, **where)

    def measured(engine, futures, timeout=None):
        results = gather(engine, futures, timeout)
        gathered.append(bytes_of(results))
        return results

    monkeypatch.setattr(DaskEngine, "gather", measured)
    labels = tree.cut(0.01)
    assert labels.shape == (3000,) and gathered and max(gathered) < 3000


def test_a_great_least_size(where, computed):
    """More points than int64 counts make everything noise."""
    tree = minimum_spanning_tree(np.zeros((20, 2)), **where)
    assert set(computed(tree.cut(1.0, 2**80)).tolist()) == {-1}
    assert set(computed(tree.cut(1.0, 20)).tolist()) == {0}


def test_a_worker_that_dies_after_the_fit(rng):
    """What it held of the tree is computed again."""
    X = np.round(rng.random((600, 2)), 2)
    options = {"threads_per_worker": 1, "processes": False, "dashboard_address": ":0", "memory_limit": 0}
    with LocalCluster(n_workers=3, **options) as local, Client(local, set_as_default=False) as client:
        tree = minimum_spanning_tree(da.from_array(X, chunks=(100, 2)), partitions=6, client=client, device="cpu")
        worker = next(worker for worker in local.workers.values() if len(worker.data))
        local.sync(worker.close, timeout=1, executor_wait=False, nanny=False)
        found = tree.cut(0.02, 3).compute(scheduler=client)
    np.testing.assert_array_equal(found, emst.minimum_spanning_tree(X, device="cpu").cut(0.02, 3))
