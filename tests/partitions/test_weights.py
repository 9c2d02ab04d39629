"""Weights of rows over partitions: results are those of one device with the same weights, and of copies."""

import numpy as np
import pytest
from helpers import to_host
from threads import Threads, edges_of, joined, model_of, placed, predictions_of, results_of, tree_of

import emst
from emst.backend import backend_of
from emst.backend.records import Norm
from emst.hdbscan.parameters import options_of
from emst.inputs.weights import check_weights, facts_of, joined_facts
from emst.partitions.cuts import labels_at
from emst.partitions.edges import as_bits
from emst.partitions.weights import chunk_weights

G = np.random.default_rng(5)  # for SETS


def blobs(g, n):
    return g.random((6, 2))[g.integers(0, 6, n)] * 10 + g.standard_normal((n, 2)) / 4


def with_bad_rows(X):
    X = X.copy()
    X[[3, 200]], X[5, 1] = np.nan, np.inf
    return X


SETS = {
    "blobs": (blobs(G, 400), G.integers(0, 9, 400) * G.integers(0, 2, 400)),
    "heavy rows": (blobs(G, 300), np.where(G.random(300) < 0.05, 60, G.integers(1, 3, 300))),
    "lattice of ties": (G.integers(0, 9, (300, 2)).astype(float), G.integers(0, 5, 300)),
    "equal rows": (G.permutation(np.repeat(G.random((12, 2)), [1] * 6 + [40] * 6, axis=0)), G.integers(0, 4, 246)),
    "a crowded place": (np.r_[G.random((80, 2)), 0.5 + 2.0**-45 * G.integers(0, 9, (90, 2))], G.integers(1, 7, 170)),
    "few rows of many copies": (G.random((12, 2)), G.integers(1, 12, 12)),
    "rows that are not finite": (with_bad_rows(blobs(G, 300)), G.integers(0, 4, 300)),
    "small fractions": (np.round(blobs(G, 200), 1), G.integers(0, 4, 200) / 10),
    "fractions": (np.round(blobs(G, 300), 1), G.integers(0, 40, 300) / 7),
}
OPTIONS = {
    "defaults": {},
    "large clusters": {"min_cluster_size": 70, "min_samples": 12, "cluster_selection_epsilon": 0.1},
    "single linkage": {"min_cluster_size": 15, "min_samples": 1, "max_cluster_size": 300},
    "leaf and alpha": {"min_cluster_size": 20, "min_samples": 6, "alpha": 1.3, "cluster_selection_method": "leaf"},
    "persistence": {"cluster_selection_persistence": 0.05, "allow_single_cluster": True, "min_cluster_size": 2},
}


def fitted(engine, X, weights, partitions, **options):
    """Two clusterings of rows with weights, in three chunks: over partitions and of one device. They are equal."""
    single = emst.HDBSCAN(device=engine.device, **options).fit(X, sample_weight=weights)
    model = model_of(np.array_split(X, 3), engine, partitions, single, weights)
    assert_same(model, single)
    return model, single


def assert_same(model, single):
    wanted = (single.labels_, single.probabilities_, single.cluster_persistence_)
    for ours, theirs in zip(results_of(model), map(to_host, wanted), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(joined(model.cores(), model.engine), to_host(single.core_distances_))
    ours, theirs = model.condensed_tree().to_numpy(), single.condensed_tree_.to_numpy()
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


PAIRS = [(name, list(OPTIONS)[(i + step) % len(OPTIONS)]) for i, name in enumerate(SETS) for step in (0, 2)]


@pytest.mark.parametrize(("name", "options"), PAIRS)
def test_the_clusters_of_one_device(engine, rng, name, options):
    X, weights = SETS[name]
    model, single = fitted(engine, X, weights, 5, **OPTIONS[options])
    queries = np.r_[rng.normal(5, 4, (20, 2)), [[1e9, 0]], X[:3][np.isfinite(X[:3]).all(axis=1)]]
    ours, theirs = predictions_of(model, np.array_split(queries, 2)), emst.approximate_predict(single, queries)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, to_host(b))


@pytest.mark.parametrize("begin", [0, 40, 80])
def test_small_sets(engine, begin):
    """Most distances are tied, and most rows are equal or in one cell of the curve."""
    for seed in range(begin, begin + 40):
        g = np.random.default_rng(seed)
        n = int(g.integers(4, 70))
        X = g.integers(0, g.integers(2, 6), (n, 2)) * (1.0, 2.0**-45)[seed % 2]
        X[0] = 1
        weights = g.integers(seed % 3 != 0, g.choice([3, 6, 30]), n)
        weights[:2] = 3
        options = {"min_cluster_size": int(g.choice([2, 4, 9])), "min_samples": int(g.integers(1, 7))}
        fitted(engine, X, weights, int(g.integers(1, 5)), **options, allow_single_cluster=bool(g.integers(2)))
        check_tree(engine, X, weights + 1, int(g.integers(1, 5)), options["min_samples"] + 1)


def test_equal_rows_that_others_separate_on_the_curve(engine):
    """Rows of one cell come in the order of their numbers. The last edge at a place decides the number of a cluster."""
    for seed in range(45):
        g = np.random.default_rng(seed)
        n = int(g.integers(5, 24))
        X = np.stack([g.integers(0, g.integers(2, 6), n), g.integers(0, g.integers(1, 3), n)], axis=1).astype(float)
        weights = g.integers(1, g.choice([3, 4, 6]), n)
        weights[0] = 2
        options = {"min_cluster_size": int(g.integers(2, 7)), "min_samples": int(g.integers(1, 6))}
        fitted(engine, X, weights, 1, **options, cluster_selection_method=("eom", "leaf")[seed % 2])


@pytest.mark.parametrize("partitions", [1, 3, 8])
@pytest.mark.parametrize("name", ["blobs", "equal rows", "few rows of many copies"])
def test_the_clusters_of_copies(engine, name, partitions):
    X, weights = SETS[name]
    copies = np.repeat(np.arange(len(X)), weights)
    of_copies = emst.HDBSCAN(min_cluster_size=9, min_samples=4, device=engine.device).fit(X[copies])
    model = model_of(np.array_split(X, 3), engine, partitions, of_copies, weights)
    rows = np.flatnonzero(weights)
    first = np.searchsorted(copies, rows)
    labels, probabilities, persistence = results_of(model)
    np.testing.assert_array_equal(labels[rows], to_host(of_copies.labels_)[first])
    np.testing.assert_array_equal(probabilities[rows], to_host(of_copies.probabilities_)[first])
    np.testing.assert_array_equal(persistence, of_copies.cluster_persistence_)


def test_partitions_of_other_processes(rng):
    """Questions and answers travel as packets."""
    with Threads(2, in_one_place=False) as engine:
        fitted(engine, *SETS["blobs"], 4, min_cluster_size=20, min_samples=9)


@pytest.mark.parametrize("name", ["heavy rows", "fractions"])
def test_recluster(engine, name):
    """A smaller size contracts again; larger ones use what has been contracted."""
    model, single = fitted(engine, *SETS[name], 4, min_cluster_size=25, min_samples=5)
    for size in (70, 3, 10**9):
        other = single.recluster(min_cluster_size=size)
        assert_same(model.reclustered(options_of(other)), other)


def test_closed_subtrees_travel_as_vertices(engine, rng):
    X, weights = blobs(rng, 1500), rng.integers(1, 5, 1500)
    model, _ = fitted(engine, X, weights, 4, min_cluster_size=200, min_samples=3)
    (dendrogram,) = engine.gather([model.hierarchy])
    assert dendrogram.linkage.points == weights.sum() and len(dendrogram.linkage.size) + 1 < 500


def uneven_roots(monkeypatch):
    """Roots of neighbouring powers descend."""
    roots = Norm.roots

    def uneven(norm, powers):
        return roots(norm, powers) * np.where(as_bits(powers) % 2, 0.9, 1)

    monkeypatch.setattr(Norm, "roots", uneven)


def test_roots_that_descend(engine, monkeypatch):
    """Heights ascend over all edges, those between copies included."""
    uneven_roots(monkeypatch)
    X, weights = SETS["lattice of ties"][0] / 3, SETS["lattice of ties"][1]
    cubes = {"metric": "minkowski", "metric_params": {"p": 3}}
    fitted(engine, X, weights, 3, **cubes, min_cluster_size=20, min_samples=5)
    check_tree(engine, X, weights + 1, 3, 5, **cubes)
    check_tree(engine, SETS["blobs"][0], SETS["blobs"][1] + 1, 3, 9, **cubes)


@pytest.mark.parametrize("partitions", [1, 4])
@pytest.mark.parametrize("name", ["blobs", "lattice of ties", "a crowded place", "fractions"])
def test_trees(engine, name, partitions):
    X, weights = SETS[name]
    check_tree(engine, X, weights + 1, partitions, 8)


def check_tree(engine, X, weights, partitions, k, metric="euclidean", metric_params=None):
    """The tree and its groups are those of one device."""
    given = {"metric": metric, "metric_params": metric_params}
    single = emst.minimum_spanning_tree(X, min_samples=k, sample_weight=weights, device=engine.device, **given)
    pieces = np.array_split(X, 3)
    tree, _ = tree_of(pieces, engine, partitions, k, **given, weights=weights)
    for ours, theirs in zip(tree, (single.edges, single.weights, single.core_distances), strict=True):
        np.testing.assert_array_equal(ours, to_host(theirs))
    (edges, chunks), _ = edges_of(pieces, engine, partitions, k, **given, weights=weights)
    heights = np.unique(to_host(single.weights))[:: max(1, len(X) // 6)].tolist()
    labels = joined(labels_at(edges, heights, 1, chunks, engine), engine)
    np.testing.assert_array_equal(labels.T, to_host(single.labels_at(heights)))


def test_facts_of_pieces_are_those_of_the_whole(rng):
    for kind in range(40):
        weights = rng.choice([0, 1, 2, 0.5, 1e9], 30) if kind % 2 else rng.integers(0, 3, 30).astype(float)
        weights[rng.integers(0, 30, 3)] = rng.choice([np.nan, np.inf, -1, 1], 3)
        pieces = np.split(weights, np.sort(rng.integers(0, 31, 3)))
        with np.errstate(invalid="ignore"):
            whole, together = facts_of(weights), joined_facts([facts_of(piece) for piece in pieces])
        for name in ("rows", "bad", "zeros", "ones", "whole"):
            assert getattr(whole, name) == getattr(together, name)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e9])
def test_units_are_those_of_one_device(engine, rng, scale):
    ops = backend_of(engine.device)
    for n in (2, 9, 50):
        weights = scale * rng.random(n) ** 8
        wanted = check_weights(weights, n, ops)
        pieces = [engine.submit(placed, piece, np.float64) for piece in np.array_split(weights, 4)]
        found = chunk_weights(pieces, engine)
        assert (found.bits, found.total) == (wanted.bits, wanted.total)
        np.testing.assert_array_equal(
            np.concatenate([*map(to_host, engine.gather(found.futures))]), to_host(wanted.units)
        )
