"""Predictions over partitions are those of one device, bit for bit."""

import numpy as np
import pytest
from helpers import around, blobs, cloud
from threads import Threads, model_of, predictions_of, results_of

import emst
from emst.hdbscan.parameters import options_of
from emst.hdbscan.prediction import approximate_predict


def fitted(engine, x, partitions=3, **params):
    """A model over partitions, and one of one device."""
    single = emst.HDBSCANGPU(device=engine.device, **params).fit(x)
    return model_of(np.array_split(x, 3), engine, partitions, single), single


def check(model, single, x, queries):
    """Labels and probabilities of new points and of the points themselves."""
    found = predictions_of(model, np.array_split(np.concatenate([queries, x]).astype(queries.dtype), 2))
    expected = approximate_predict(single, queries)
    for ours, theirs, own in zip(found, expected, results_of(model)):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours[: len(queries)], theirs)
        np.testing.assert_array_equal(ours[len(queries) :], own)
    return expected


def partitions_of(model):
    return len(model.fitted.tree.places)


CASES = [("blobs", 1), ("blobs", 5), ("3-D blobs", 5), ("lattice", 1), ("lattice", 2), ("lattice", 20), ("repeated", 5)]


@pytest.mark.parametrize(("kind", "k"), CASES)
def test_new_points(engine, kind, k):
    x = blobs(d=3 if "3-D" in kind else 2) if "blobs" in kind else cloud(400, 2, np.float64, kind)
    model, single = fitted(engine, x, min_samples=k)
    assert partitions_of(model) > 1
    labels, _ = check(model, single, x, around(x))
    assert "blobs" not in kind or len(np.unique(labels)) > 2


METRICS = {
    "manhattan": {"metric": "manhattan", "alpha": 0.7},
    "chebyshev": {"metric": "chebyshev"},
    "p = 3": {"metric": "minkowski", "metric_params": {"p": 3}},
    "p = 2.5": {"metric": "minkowski", "metric_params": {"p": 2.5}, "alpha": 1.5},
    "cosine": {"metric": "cosine", "alpha": 1.3},
    "sqeuclidean": {"metric": "sqeuclidean"},
    "haversine": {"metric": "haversine"},
    "in a box": {"metric_params": {"period": [2.5, 3.0]}, "alpha": 1.3},
    "haversine, km": {"metric": "haversine", "metric_params": {"degrees": True, "radius": 6371.0088}},
    "float32, alpha": {"dtype": np.float32, "alpha": 1.7},
}
OPTIONS = [
    {"cluster_selection_epsilon": 0.4},
    {"cluster_selection_method": "leaf", "min_cluster_size": 12},
    {"allow_single_cluster": True, "cluster_selection_epsilon": 0.3},
    {"cluster_selection_persistence": 0.1, "min_cluster_size": 3},
]


@pytest.mark.parametrize("name", METRICS)
def test_metrics(engine, name):
    x = blobs() / 4 if name.startswith("haversine") else blobs()  # radians, or degrees
    model, single = fitted(engine, x, **{"min_samples": 4} | METRICS[name])
    assert partitions_of(model) > 1
    check(model, single, x, around(x))


@pytest.mark.parametrize("k", [1, 5])
def test_points_of_two_partitions_at_the_same_distance(engine, k):
    """A query between two clusters joins the point that comes first on the curve."""
    side = np.stack(np.meshgrid(np.arange(1, 3, 0.25), np.arange(-1, 1, 0.25)), axis=-1).reshape(-1, 2)
    x = np.concatenate([side, side * [-1, 1]])
    model, single = fitted(engine, x, partitions=2, min_samples=k)
    assert partitions_of(model) == 2
    labels, _ = check(model, single, x, side[:40:8] * [0, 1])
    assert (labels >= 0).all()


FAR = [(1, np.float32, {}), (5, np.float32, {}), (5, np.float32, METRICS["p = 2.5"]), (5, float, METRICS["manhattan"])]


@pytest.mark.parametrize(("k", "dtype", "params"), FAR)
def test_far_queries(engine, k, dtype, params):
    """Far points get scales of their own: they are too large for that of the fitted points, some more than others."""
    x = blobs(dtype=dtype)
    most = np.finfo(dtype).max
    far = np.array([[9, 9], [0, 0.9 * most], [-0.3 * most, 9], [0, 0]], dtype)
    model, single = fitted(engine, x, min_samples=k, partitions=3, **params)
    check(model, single, x, np.concatenate([far, x[:5]]))


@pytest.mark.parametrize("k", [1, 3])
def test_powers_that_vanish(engine, k):
    """Some points differ, but the powers of their distances are 0: the first of them counts, wherever it is."""
    g = np.random.default_rng(2)
    tiny = g.standard_normal((200, 2)) * 1e-24
    x = np.concatenate([blobs(n=200), tiny]).astype(np.float32)[g.permutation(400)]
    queries = np.concatenate([g.standard_normal((60, 2)) * 1e-24, x[::7]]).astype(np.float32)
    model, single = fitted(engine, x, min_samples=k, partitions=6)
    assert partitions_of(model) > 1
    for ours, theirs in zip(predictions_of(model, [queries]), approximate_predict(single, queries)):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("k", [1, 4])
def test_points_that_are_left_out(engine, k):
    """A run of equal points that exceeds a partition: only its first points take part."""
    x = blobs()
    x[np.random.default_rng(3).permutation(300)[:150]] = x[7]
    model, single = fitted(engine, x, min_samples=k, partitions=6)
    assert any(len(local.partition.left_out) for local in engine.gather(model.fitted.tree.locals))
    queries = np.concatenate([around(x), x[7:8], x[7:8] + 1e-9])
    check(model, single, x, queries)


def test_in_packets(ops):
    """Only packets that are addressed to a partition travel to it."""
    x = blobs()
    with Threads(2, in_one_place=False, device=ops.name) as engine:
        model, single = fitted(engine, x)
        check(model, single, x, around(x))
        check(model, single, x, np.full((1, 2), 50.0))


@pytest.mark.parametrize("partitions", [1, 4])
def test_one_query(engine, partitions):
    x = blobs()
    model, single = fitted(engine, x, partitions)
    assert (partitions_of(model) > 1) == (partitions > 1)
    check(model, single, x, x[3:4] + 0.01)


def test_more_neighbours_than_a_partition_holds(engine):
    x = blobs(n=200)
    model, single = fitted(engine, x, 8, min_samples=60)
    assert partitions_of(model) > 4
    check(model, single, x, np.concatenate([around(x), [[70.0, 0]]]))


def test_after_recluster(engine):
    x = blobs()
    model, single = fitted(engine, x, min_cluster_size=5)
    for options in OPTIONS:
        other = single.recluster(**options)
        check(model.reclustered(options_of(other)), other, x, around(x))


def test_few_points(engine):
    for n in (2, 6):
        x = blobs(n=n)
        model, single = fitted(engine, x, min_samples=1)
        check(model, single, x, np.concatenate([x, x + 0.5, np.zeros((1, 2))]))
