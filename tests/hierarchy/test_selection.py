"""Flat clusters: which are selected, and label, probability and outlier score of every point."""

import pickle
from dataclasses import fields
from math import fsum

import numpy as np
import pytest
import reference
from dendrograms import SHAPES, WEIGHTS, assert_same, give, of_points, tree, weights
from helpers import KINDS, cloud, to_device, to_host
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score

from emst.backend.records import Condensed, Selection
from emst.spanning_forest import to_scipy

METHODS = ["eom", "leaf"]


def check(ops, edges, heights, min_cluster_size, choices, persistence=0.0):
    n = len(edges) + 1
    ours, from_reference = give(ops, edges, heights), reference.linkage(edges, heights)
    ours, from_reference = ops.condense(ours, min_cluster_size), reference.condense(from_reference, min_cluster_size)
    if persistence:
        ours, from_reference = ops.simplify(ours, persistence), reference.simplify(from_reference, persistence)
    leaving = ours.leaving()
    for found, expected in zip(leaving, from_reference.leaving()):
        np.testing.assert_array_equal(to_host(found), expected)
    scores = to_host(ops.outlier_scores(ours, *leaving))
    np.testing.assert_array_equal(scores, reference.outlier_scores(from_reference, *from_reference.leaving()))
    for method, epsilon, limit, single in choices:
        choice, expected = (
            side.select(tree, method, epsilon, limit, single)
            for side, tree in ((ops, ours), (reference, from_reference))
        )
        assert_same(choice, expected)
        theirs = reference.label_points(from_reference, expected, epsilon)
        for points in (leaving, ()):  # those of the tree, given or by default
            labels, probabilities = map(to_host, ops.label_points(ours, choice, epsilon, *points))
            assert labels.dtype == np.int64
            assert labels.shape == probabilities.shape == (n,)
            np.testing.assert_array_equal(labels, theirs[0])
            np.testing.assert_array_equal(probabilities, theirs[1])


def choices(n, heights):
    """Methods, epsilons at, between and beyond the heights, limits on the size, and the root allowed or not."""
    finite = heights[np.isfinite(heights)]
    epsilons = [0.0, 1e-9, float(np.median(finite)), float(finite[-1]) * 2]
    return [
        (method, epsilon, limit, single)
        for method in METHODS
        for epsilon in epsilons
        for limit in ([n + 1, n // 4] if method == "eom" else [n + 1])
        for single in (False, True)
    ]


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("min_cluster_size", [2, 10, 5_000])
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_choices_equal_the_reference(ops, shape, weight, min_cluster_size):
    for n, dtype in [(2, np.float64), (120, np.float32)]:
        edges, heights = tree(shape, n), weights(weight, n - 1, dtype)
        check(ops, edges, heights, min_cluster_size, choices(n, heights))


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("persistence", [0.0, 0.01])
def test_splits_into_many_far_below_one_another(ops, persistence):
    """Groups join ten at a time, some 90 times. A GPU's warps climb 32 splits at once."""
    n = 2_700
    edges, heights = tree("nested", n), weights("ties", n - 1, np.float64) + 1
    check(ops, edges, heights, 2, choices(n, heights), persistence)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("persistence", [0.0, 1e-4])
def test_a_chain_of_thousands_of_splits(ops, persistence):
    """Most into two, others into up to fifty. A warp of a GPU climbs them. It finds that some siblings have come
    before, and that others have not. A cluster far below is chosen. Single points leave in between, and each pair is
    denser than those that join before it: so outlier scores show what every split has been told."""
    n, g = 5_000, np.random.default_rng(7)
    sizes = np.append(2, g.choice([1, 2], n, p=[0.2, 0.8]))
    firsts = np.cumsum(sizes) - sizes
    sizes, firsts = (values[firsts < n - 1] for values in (sizes, firsts))
    pairs, joins = firsts[sizes == 2][::-1], firsts[1:]
    edges = np.concatenate([np.stack([pairs, pairs + 1], axis=1), np.stack([np.zeros_like(joins), joins], axis=1)])
    n = len(edges) + 1
    runs = g.choice([1, 2, 3, 49], len(joins), p=[0.9, 0.06, 0.03, 0.01])
    later = 2 * np.exp(np.repeat(np.cumsum(g.lognormal(-14, 4, len(joins))), runs)[: len(joins)])
    heights = np.concatenate([2 - 1e-9 * np.sort(g.random(len(pairs)))[::-1], later])
    edges = edges.astype(np.int32)
    check(ops, edges, heights, 2, [("eom", 0.0, n, False), ("eom", 0.0, n // 4, True)], persistence)


def chain(kind, n=1_500):
    """Edges and heights of n pairs, each of which joins all before it. A warp of a GPU guesses what 32 splits in a row
    pass up from the sum of what their children do. Here every cluster is more stable than those below it; or sums
    double every few steps; or are those of two to five numbers; or are infinite; or lie halfway between two doubles, so
    that the even one is taken."""
    split, place = np.arange(2.0 * n, 1, -1), np.arange(2.0 * n - 1)  # lambda of the splits, from the deepest up
    if kind == "several":
        split = np.repeat(split, np.resize([1, 2, 3, 4], len(split)))[: len(split)]
    lives = {
        "own": 0.5,
        "powers": np.exp2(place / 4),
        "several": 1 + np.sin(place),
        "infinite": 0.25,
        "halves": place % 3 / 4 + 0.25,
    }
    born = split + lives[kind]
    if kind == "halves":
        split, born = (values[(1 / (1 / split) == split) & (1 / (1 / born) == born)] for values in (split, born))
    split, born = split[:n], born[:n]
    if kind in ("infinite", "halves"):
        born[0] = {"infinite": np.inf, "halves": 2.0**52}[kind]
    pairs = 2 * np.arange(n)
    edges = np.concatenate([np.stack([pairs, pairs + 1], axis=1), np.stack([np.zeros(n - 1), pairs[1:]], axis=1)])
    heights = 1 / np.concatenate([born, split[1:]])
    order = np.argsort(heights, kind="stable")
    return edges[order].astype(np.int32), heights[order]


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("persistence", [0.0, 0.5])
@pytest.mark.parametrize("kind", ["own", "powers", "several", "infinite", "halves"])
def test_a_chain_of_words_that_are_hard_to_guess(ops, kind, persistence):
    edges, heights = chain(kind)
    n = len(edges) + 1
    rules = [("eom", 0.0, limit, single) for limit in (n, n // 4) for single in (False, True)]
    check(ops, edges, heights, 2, rules, persistence)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("kind", ["powers", "several", "halves"])
def test_every_bit_of_the_sums_decides(ops, kind):
    """A cluster that is as stable as those below it stays, and one that is a bit less stable does not."""
    edges, heights = chain(kind)
    ours, expected = (
        ops.condense(give(ops, edges, heights), 2),
        reference.condense(reference.linkage(edges, heights), 2),
    )
    leaves, stable = expected.children[:, 1] == 0, expected.stability
    below = np.where(leaves, stable, 0)
    for c in np.flatnonzero(~leaves)[::-1]:
        below[c] = fsum(below[slice(*expected.children[c])])
    for c in np.flatnonzero(~leaves)[1::40]:
        for stability, stays in ((below[c], True), (np.nextafter(below[c], 0), False)):
            changed = np.where(leaves, stable, 0)
            changed[c] = stability
            values = {field.name: getattr(ours, field.name) for field in fields(Condensed)}
            values["stability"] = to_device(ops, changed)
            chosen = to_host(ops.select(Condensed(**values), "eom", 0.0, len(edges) + 1, False).chosen)
            assert (c in chosen) == stays


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("persistence", [0.0, 3.0])
@pytest.mark.parametrize("kind", KINDS)
def test_choices_among_points_equal_the_reference(ops, kind, persistence):
    edges, heights = of_points(kind, 800, np.float64)
    for min_cluster_size in (2, 12):
        check(ops, edges, heights, min_cluster_size, choices(800, heights), persistence)


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("weight", ["ties", "distinct"])
def test_as_many_as_are_few_and_one_more(ops, monkeypatch, weight, more):
    """Of few merges and few clusters one block of a GPU does all steps, with several of them for each thread."""
    n = 5_000
    edges, heights = tree("nested", n), weights(weight, n - 1, np.float64) + 1
    count = reference.condense(reference.linkage(edges, heights), 2).count
    assert 1_024 < count < n
    if ops.name == "cuda":
        monkeypatch.setattr("emst.cuda.hierarchy.chains.FEW", n - more)  # as `Chains.few` compares them
        monkeypatch.setattr("emst.cuda.hierarchy.selection.FEW", count - more)
    rules = [(method, 0.0, limit, single) for method in METHODS for limit in (n, n // 4) for single in (False, True)]
    check(ops, edges, heights, 2, rules)


@pytest.mark.usefixtures("size")
def test_a_cluster_of_the_greatest_size_may_be_chosen(ops):
    edges, heights = of_points("uneven", 800, np.float64)
    sizes = np.unique(reference.condense(reference.linkage(edges, heights), 12).size)
    assert len(sizes) >= 5
    limits = [limit for size in sizes.tolist() for limit in (size, size - 1)]
    check(ops, edges, heights, 12, [("eom", 0.0, limit, True) for limit in limits])


def test_a_single_point(ops):
    """A cluster of its own if that is allowed; else noise."""
    edges, heights = np.empty((0, 2), np.int32), np.empty(0, np.float64)
    every = [(method, epsilon, 2, single) for method in METHODS for epsilon in (0.0, 1.0) for single in (False, True)]
    check(ops, edges, heights, 2, every)
    condensed = ops.condense(give(ops, edges, heights), 2)
    assert to_host(condensed.born_heights()).tolist() == [0.0]
    for single, label, probability in [(False, -1, 0.0), (True, 0, 1.0)]:
        selection = ops.select(condensed, "eom", 0.0, 2, single)
        for points in (condensed.leaving(), ()):
            found = ops.label_points(condensed, selection, 0.0, *points)
            assert [to_host(array).tolist() for array in found] == [[label], [probability]]
    assert to_host(ops.outlier_scores(condensed, *condensed.leaving())).tolist() == [0.0]


def test_scores_of_new_points(ops):
    """They leave a cluster at any height: at 0, below the least height of its points, and above the root's."""
    edges, heights = of_points("uniform", 300, np.float64)
    ours, expected = (
        ops.condense(give(ops, edges, heights), 5),
        reference.condense(reference.linkage(edges, heights), 5),
    )
    cluster = np.tile(np.arange(expected.count, dtype=np.int32), 5)
    height = np.repeat([0.0, 1e-9, *np.quantile(heights, [0.2, 0.9]), 50.0], expected.count)
    scores = to_host(ops.outlier_scores(ours, *(to_device(ops, a) for a in (cluster, height))))
    np.testing.assert_array_equal(scores, reference.outlier_scores(expected, cluster, height))


def result_of_peer(theirs, method, epsilon, limit, single):
    peer = pytest.importorskip("hdbscan._hdbscan_tree")
    stability = peer.compute_stability(theirs)
    return peer.get_clusters(theirs, stability, method, single, False, epsilon, limit)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("epsilon", [0.0, 0.03])
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_hdbscan_gives_the_same_labels(ops, method, single, epsilon, seed):
    peer = pytest.importorskip("hdbscan._hdbscan_tree")
    n = 1_000
    edges, heights = of_points("uniform", n, np.float64, k=2, seed=seed)
    linkage = give(ops, edges, heights)
    for min_cluster_size in (3, 15):
        condensed = ops.condense(linkage, min_cluster_size)
        theirs = peer.condense_tree(to_scipy(linkage), min_cluster_size)
        # To hdbscan the root's size is that of the clusters it splits into, without the points that left before.
        for limit in [n + 1, 40] if method == "eom" and not single else [n + 1]:
            selection = ops.select(condensed, method, epsilon, limit, single)
            found = ops.label_points(condensed, selection, epsilon, *condensed.leaving())
            labels, probabilities = map(to_host, found)
            their_labels, their_probabilities, _ = result_of_peer(theirs, method, epsilon, limit, single)
            assert labels.max() == their_labels.max() >= 0
            assert adjusted_rand_score(labels, their_labels) == 1
            np.testing.assert_array_equal(labels < 0, their_labels < 0)
            np.testing.assert_allclose(probabilities, their_probabilities, rtol=1e-12)
        scores = to_host(ops.outlier_scores(condensed, *condensed.leaving()))
        np.testing.assert_allclose(scores, peer.outlier_scores(theirs), atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_scikit_learn_gives_the_same_labels(ops, method):
    """Core distances of 0: with others, a point between two clusters is as far from the one as from the other."""
    edges, heights = of_points("uniform", 600, np.float64, k=1)
    condensed = ops.condense(give(ops, edges, heights), 8)
    selection = ops.select(condensed, method, 0.0, 601, False)
    labels, probabilities = map(to_host, ops.label_points(condensed, selection, 0.0, *condensed.leaving()))
    model = HDBSCAN(min_cluster_size=8, min_samples=1, cluster_selection_method=method, copy=True)
    model.fit(cloud(600, 2, np.float64))
    assert labels.max() > 0
    assert adjusted_rand_score(labels, model.labels_) == 1
    np.testing.assert_allclose(probabilities, model.probabilities_, rtol=1e-9)


def test_an_exact_tie_of_epsilon_leaves_the_upper_cluster(ops):
    """A leaf born exactly at epsilon stays; its cousins, born below it, give way to one above them all."""
    pairs = np.array([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [0, 2], [0, 4], [0, 6], [0, 8]], np.int32)
    heights = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.5, 1.0, 2.0, 4.0])
    from_reference = reference.condense(reference.linkage(pairs, heights), 2)
    assert from_reference.count == 9
    check(
        ops,
        pairs,
        heights,
        2,
        [("leaf", epsilon, 11, single) for epsilon in (0.5, 1.0, 2.0, 4.0) for single in (False, True)],
    )
    chosen = reference.select(from_reference, "leaf", 1.0, 11, False).chosen.tolist()
    assert len(chosen) == 3


@pytest.mark.gpu
@pytest.mark.parametrize("n", [300, 20_000])
def test_clusters_are_counted_when_somebody_asks(n):
    """Labels do not wait for the numbers of clusters. Of many points, the condensed tree is counted."""
    pytest.importorskip("cupy")
    import emst.cuda as ops
    from emst.cuda.hierarchy.deferred import Deferred

    edges, heights = tree("random", n), weights("distinct", n - 1, np.float32)
    condensed = ops.condense(give(ops, edges, heights), 5)
    selection = ops.select(condensed, "eom", 0.0, n, False)
    labels = to_host(ops.label_points(condensed, selection, 0.0)[0])
    assert isinstance(selection, Deferred) and isinstance(condensed, Deferred)
    assert ("parent" in condensed.__dict__) == (n != 300)
    with pytest.raises(AttributeError, match="has no attribute 'colour'"):
        selection.colour  # noqa: B018
    expected = reference.condense(reference.linkage(edges, heights), 5)
    chosen = reference.select(expected, "eom", 0.0, n, False)
    read = pickle.loads(pickle.dumps(selection))  # whoever pickles asks
    assert type(read) is type(selection) is Selection
    assert_same(read, chosen)
    np.testing.assert_array_equal(labels, reference.label_points(expected, chosen, 0.0)[0])
    assert condensed.count == expected.count and "born_at" not in condensed.__dict__  # nodes have no names yet
    assert_same(condensed, expected)
    assert type(condensed) is Condensed and "by_links" not in condensed.__dict__
