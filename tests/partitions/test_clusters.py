"""Clusterings over partitions are those of one device, bit for bit."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from threads import joined, model_of, results_of

import emst
from emst.backend.records import Norm
from emst.hdbscan.parameters import options_of
from emst.partitions import contraction, hierarchy
from emst.partitions.edges import as_bits

RNG = np.random.default_rng(12)  # for SETS; tests take `rng`


def blobs(rng, n, d, dtype):
    centers = rng.random((8, d)) * 10
    return (centers[rng.integers(0, 8, n)] + rng.standard_normal((n, d)) / 5).astype(dtype)


def with_bad_rows(X):
    X = X.copy()
    X[[3, 400]], X[5, 1], X[-1, 0] = np.nan, np.inf, -np.inf
    X[7] = np.inf, np.nan
    return X


SETS = {
    "blobs": blobs(RNG, 1000, 2, np.float64),
    "blobs, float32": blobs(RNG, 1000, 2, np.float32),
    "lattice of ties": RNG.integers(0, 15, (700, 2)).astype(float),
    "heavy tails": RNG.lognormal(0, 3, (800, 2)),
    "runs of duplicates": RNG.permutation(np.repeat(RNG.random((20, 2)), [1] * 15 + [200] * 5, axis=0)),
    "rows that are not finite": with_bad_rows(blobs(RNG, 800, 2, np.float64)),
    "few points": RNG.random((20, 2)),
}
OPTIONS = {
    "defaults": {},
    "large clusters": {"min_cluster_size": 40, "min_samples": 3},
    "single linkage": {"min_cluster_size": 10, "min_samples": 1},
    "leaf and alpha": {"min_cluster_size": 8, "min_samples": 4, "alpha": 1.3, "cluster_selection_method": "leaf"},
    "smallest": {"min_cluster_size": 2, "min_samples": 2, "allow_single_cluster": True},
    "epsilon and persistence": {"cluster_selection_epsilon": 0.3, "cluster_selection_persistence": 0.05},
    "at most 100 points": {"min_cluster_size": 6, "max_cluster_size": 100},
}


def fitted(engine, X, partitions, **options):
    """Two clusterings of points in three chunks: over partitions and of one device. They are equal."""
    single = emst.HDBSCAN(device=engine.device, **options).fit(X)
    model = model_of(np.array_split(X, 3), engine, partitions, single)
    assert_same(model, single)
    return model, single


def assert_same(model, single):
    for ours, theirs in zip(results_of(model), (single.labels_, single.probabilities_, single.cluster_persistence_)):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


# Three of the options for every set, so that every option meets three sets; all pairs would take minutes.
PAIRS = [(name, list(OPTIONS)[(i + step) % len(OPTIONS)]) for i, name in enumerate(SETS) for step in (0, 2, 3)]


@pytest.mark.parametrize(("name", "options"), PAIRS)
def test_the_clusters_of_one_device(engine, name, options):
    X, options = SETS[name], OPTIONS[options]
    if options.get("min_cluster_size", 5) > len(X):
        pytest.skip("clusters would need more points than there are, here and on one device")
    model, single = fitted(engine, X, 5, **options)
    np.testing.assert_array_equal(joined(model.cores(), engine), single.core_distances_)
    np.testing.assert_array_equal(model.condensed_tree().to_numpy(), single.condensed_tree_.to_numpy())


@pytest.mark.parametrize("partitions", [1, 2, 9])
def test_any_number_of_partitions(engine, partitions):
    model, _ = fitted(engine, SETS["blobs"], partitions, min_cluster_size=12)
    assert model.fitted.tree.costs.partitions == partitions


@pytest.mark.parametrize("name", ["blobs", "runs of duplicates", "rows that are not finite"])
def test_recluster(engine, name):
    """A smaller size contracts again; larger ones use what has been contracted."""
    model, single = fitted(engine, SETS[name], 4, min_cluster_size=20, min_samples=4)
    for options in (
        {"min_cluster_size": 60},
        {"min_cluster_size": 3},
        {"cluster_selection_method": "leaf", "cluster_selection_epsilon": 0.2},
        {"allow_single_cluster": True, "max_cluster_size": 300},
    ):
        other = single.recluster(**options)
        assert_same(model.reclustered(options_of(other)), other)
    again = model
    for size in (3, 30):
        other = single.recluster(min_cluster_size=size)
        again = again.reclustered(options_of(other))
    assert_same(again, other)


def test_closed_subtrees_travel_as_vertices(engine, rng):
    """The worker that makes the dendrogram holds far less than all points."""
    model, _ = fitted(engine, blobs(rng, 3000, 2, np.float64), 4, min_cluster_size=100, min_samples=2)
    (dendrogram,) = engine.gather([model.hierarchy])
    assert dendrogram.linkage.points == 3000 > 3 * (len(dendrogram.linkage.size) + 1)


@pytest.mark.parametrize(
    ("metric", "params"), [("manhattan", None), ("chebyshev", None), ("minkowski", {"p": 3}), ("cosine", None)]
)
def test_metrics(engine, rng, metric, params):
    X = np.round(blobs(rng, 600, 3, float), 1)
    fitted(engine, X, 4, metric=metric, metric_params=params, min_cluster_size=7, alpha=0.8)


def test_roots_that_descend(engine, rng, monkeypatch):
    """Heights are made ascending over the edges of all points: none of them may have been contracted before."""
    roots = Norm.roots

    def uneven(norm, powers):
        return roots(norm, powers) * np.where(as_bits(powers) % 2, 0.9, 1)

    monkeypatch.setattr(Norm, "roots", uneven)
    X = np.round(blobs(rng, 600, 3, float), 1)
    fitted(engine, X, 4, metric="minkowski", metric_params={"p": 3}, min_cluster_size=20, min_samples=1)


def test_places(engine, rng):
    X = np.radians(np.stack([rng.normal(50, 2, 600), rng.normal(10, 5, 600)], axis=1))
    for x, params in ((X, None), (np.degrees(X), {"degrees": True, "radius": 6371.0088})):
        fitted(engine, x, 3, metric="haversine", metric_params=params, min_cluster_size=10)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    X=arrays(np.float64, st.tuples(st.integers(5, 80), st.just(2)), elements=st.integers(0, 6).map(float)),
    least=st.integers(2, 8),
    k=st.integers(1, 4),
    partitions=st.integers(1, 5),
)
def test_small_sets(engine, X, least, k, partitions):
    """Most distances are tied, most points are equal."""
    options = {"min_cluster_size": least, "min_samples": k, "allow_single_cluster": bool(least % 2)}
    model, single = fitted(engine, X, partitions, **options)
    np.testing.assert_array_equal(model.condensed_tree().to_numpy(), single.condensed_tree_.to_numpy())


@pytest.mark.parametrize("copies", [1 << 21, 1 << 22])
def test_sizes_beyond_32_bits(engine, monkeypatch, copies):
    """Every point stands for millions: the sizes of vertices fit into 32 bits, and those of merges do not."""
    X = blobs(RNG, 1200, 2, np.float64)
    single = emst.HDBSCAN(min_cluster_size=50, min_samples=5, device=engine.device).fit(X)
    contracted, hierarchy_of = contraction.contracted, hierarchy.hierarchy

    def of_many(*given):
        found = contracted(*given)
        found.vertices.weight = found.vertices.weight * np.int32(copies)
        return found

    def per_copies(*given):
        found = hierarchy_of(*given)
        found.per = copies
        assert int(found.linkage.size[-1]) == len(X) * copies
        return found

    monkeypatch.setattr(contraction, "contracted", of_many)
    monkeypatch.setattr(hierarchy, "hierarchy", per_copies)
    model = model_of(np.array_split(X, 3), engine, 4, single)
    np.testing.assert_array_equal(results_of(model)[0], single.labels_)


def test_more_vertices_than_ids(engine, monkeypatch):
    monkeypatch.setattr(hierarchy, "MAX_POINTS", 100)
    single = emst.HDBSCAN(min_cluster_size=2, min_samples=2, device=engine.device).fit(SETS["few points"])
    X = SETS["blobs"]
    with pytest.raises(ValueError, match="groups of fewer points than a cluster has are left, and at most 100"):
        results_of(model_of(np.array_split(X, 3), engine, 4, single))
