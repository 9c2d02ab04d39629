"""Clusters selected by labels and constraints: gains, the choice, and the optimum over all selections."""

import math

import numpy as np
import pytest
import reference
from constraints_reference import (
    allowed_of,
    best_labels,
    best_selection,
    exact_sum,
    gains,
    number_of_selections,
    pairs_of,
    satisfied,
    selection_of,
)
from dendrograms import assert_same, give, of_points, tree, weights
from helpers import to_device, to_host

from emst.backend.records import Condensed
from emst.hierarchy import constraints as stage
from emst.hierarchy.constraints import Constraints
from emst.hierarchy.selection import Options, flat_clustering

PRICES = [math.inf, 0.0, 0.5, 3.0]
FEW_SELECTIONS = 2_000


def random_constraints(g, n, most=8):
    """Labels of some points, -1 for the others, and pairs; they contradict one another now and then."""
    labels = np.where(g.random(n) < g.choice([0, 0.1, 0.5, 1.0]), g.integers(0, g.integers(1, 5), n), -1)
    must, cannot = (g.integers(0, n, (int(g.integers(0, most)), 2)) for _ in range(2))
    return labels, must, cannot[cannot[:, 0] != cannot[:, 1]]


def on(ops, labels, must, cannot):
    """The constraints on the backend."""
    points = np.flatnonzero(labels >= 0)
    kinds = np.unique(labels[points], return_inverse=True)[1].reshape(-1)
    return Constraints(*(to_device(ops, np.asarray(array, np.int64)) for array in (points, kinds, must, cannot)))


def random_tree(g, ops, n, least=2):
    """Condensed trees of points whose lambdas are powers of two, so that sums of stabilities are exact."""
    shape = str(g.choice(["random", "path", "balanced", "nested", "caterpillar"]))
    heights = np.sort(2.0 ** g.integers(-4, 5, n - 1))
    edges = tree(shape, n, seed=int(g.integers(1 << 30)))
    ours, expected = (
        ops.condense(give(ops, edges, heights), least),
        reference.condense(reference.linkage(edges, heights), least),
    )
    persistence = float(g.choice([0.0, 0.0, 0.5]))
    if persistence:
        ours, expected = ops.simplify(ours, persistence), reference.simplify(expected, persistence)
    return ours, expected


def of_parents(ops, parent, stability, size=None):
    """A condensed tree without points, from the parents of clusters 1, 2, ...; siblings come together."""
    count = len(parent) + 1
    parent = np.concatenate([[-1], parent]).astype(np.int32)
    children = np.zeros((count, 2), np.int32)
    first = np.flatnonzero(np.diff(parent, prepend=-2))
    children[parent[first[1:]], 0] = first[1:]
    children[parent[first[1:]], 1] = np.append(first[2:], count)
    size = np.arange(count, 0, -1) if size is None else size
    clusters = {
        "parent": parent,
        "children": children,
        "born_at": parent,
        "birth": np.ones(count),
        "death": np.full(count, 2.0),
        "size": np.asarray(size, np.int32),
        "stability": np.asarray(stability, np.float64),
    }
    points = dict.fromkeys(("cluster", "leaving_merge", "of_merge", "left"))
    return Condensed(None, 2, **{name: to_device(ops, array) for name, array in clusters.items()}, **points)


def random_parents(g, count, deep):
    """Parents of clusters 1, 2, ...: each split has two children or more, and comes after those before it."""
    parent, above = [], 0
    while len(parent) < count - 1:
        fan = int(g.choice([2, 2, 2, 3, 7, 40], p=[0.3, 0.3, 0.2, 0.1, 0.08, 0.02]))
        parent += [above] * fan
        above = max(above + 1, len(parent) - int(g.integers(0, 3))) if deep else above + 1
    return np.array(parent)


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("count", [1, 2, 5, 40, 300, 3_000])
def test_common_clusters_equal_the_reference(ops, count, deep):
    g = np.random.default_rng(count)
    parent = random_parents(g, count, deep)
    size = g.integers(0, 2, len(parent) + 1).astype(np.int32)  # that leave before the last split
    for c in range(len(parent), 0, -1):
        size[c] = max(size[c], 1)
        size[parent[c - 1]] += size[c]
    size[0] = max(size[0], 1)
    ours, expected = (of_parents(side, parent, size * 1.0, size) for side in (ops, reference))
    found, expected = ops.nesting(ours), reference.nesting(expected)
    assert_same(found, expected)
    ends = g.integers(0, len(size), (2, 300)).astype(np.int32)
    common = to_host(ops.common_clusters(found, *(to_device(ops, end) for end in ends)))
    assert common.dtype == np.int32
    assert common.tolist() == reference.common_clusters(expected, *ends).tolist()


@pytest.mark.parametrize("price", PRICES)
def test_choices_equal_the_reference(ops, price):
    g = np.random.default_rng(1)
    for deep in (False, True):
        for count in (1, 2, *[5, 40] * 10, 2_000):
            parent = random_parents(g, count, deep)
            n = len(parent) + 1
            stability = np.where(g.random(n) < 0.02, np.inf, g.integers(0, 9, n) / 4) if count < 2_000 else g.random(n)
            gain = g.integers(-4, 5, n) if count < 2_000 else g.integers(-(2**40), 2**40, n)
            ours, expected = (of_parents(side, parent, stability) for side in (ops, reference))
            for largest in (n, n // 2):
                for single in (False, True):
                    found = ops.select_constrained(ours, to_device(ops, gain), price, largest, single)
                    assert_same(found, reference.select_constrained(expected, gain, price, largest, single))


def test_without_gains_the_choice_is_the_most_stable(ops):
    g = np.random.default_rng(2)
    for count in (3, 300, 3_000):
        parent = random_parents(g, count, True)
        condensed = of_parents(ops, parent, g.random(len(parent) + 1))
        nothing = to_device(ops, np.zeros(condensed.count, np.int64))
        for price in PRICES:
            for single in (False, True):
                found = ops.select_constrained(condensed, nothing, price, count // 2, single)
                assert_same(found, ops.select(condensed, "eom", 0.0, count // 2, single))


def test_the_reference_finds_the_optimum_over_all_selections():
    g, seen = np.random.default_rng(3), 0
    while seen < 150:
        parent = random_parents(g, int(g.integers(1, 20)), bool(g.integers(2)))
        n = len(parent) + 1
        condensed = of_parents(reference, parent, g.integers(0, 6, n) / 2)
        gain, largest, single = g.integers(-3, 4, n), int(g.integers(1, n + 1)), bool(g.integers(2))
        allowed = allowed_of(condensed, largest, single)
        if number_of_selections(condensed, allowed.__getitem__) > FEW_SELECTIONS:
            continue
        seen += 1
        for price in PRICES:

            def worth(chosen, price=price, gain=gain, condensed=condensed):
                stability = exact_sum(condensed.stability[list(chosen)].tolist())
                total = int(gain[list(chosen)].sum())
                return (total, stability) if price == math.inf else stability + price * total

            best = best_selection(condensed, worth, allowed.__getitem__)
            found = reference.select_constrained(condensed, gain, price, largest, single)
            assert_same(found, selection_of(condensed, best))


def test_a_chain_of_a_hundred_thousand_clusters(ops):
    """Two children each, of which one splits again. The last one gains more than all above it."""
    depth = 50_000
    parent = np.repeat(np.concatenate([[0], np.arange(1, 2 * depth - 2, 2)]), 2)
    count = 2 * depth + 1
    gain = np.zeros(count, np.int64)
    gain[1::2], gain[-1], gain[-2] = 5, 3, 3
    condensed = of_parents(ops, parent, np.ones(count))
    selection = ops.select_constrained(condensed, to_device(ops, gain), math.inf, count, False)
    assert to_host(selection.chosen).tolist() == [*range(2, count, 2)][:-1] + [count - 2, count - 1]


@pytest.mark.parametrize("kind", ["random", "points"])
def test_gains_are_those_of_all_pairs(ops, kind):
    g = np.random.default_rng(4)
    for n in (2, 3, 10, 60, 150):
        for _ in range(4):
            if kind == "random":
                ours, expected = random_tree(g, ops, n)
            else:
                edges, heights = of_points("uneven", n, np.float32, k=2, seed=int(g.integers(99)))
                ours = ops.condense(give(ops, edges, heights), 3)
                expected = reference.condense(reference.linkage(edges, heights), 3)
            labels, must, cannot = random_constraints(g, n)
            found = to_host(stage.gains(ours, on(ops, labels, must, cannot), True, ops))
            assert found.dtype == np.int64
            assert found.tolist() == gains(expected, pairs_of(labels.tolist(), must.tolist(), cannot.tolist()))


def test_the_optimum_over_all_selections_of_small_trees(ops):
    """Labels are counted pair by pair, of every selection."""
    g, seen = np.random.default_rng(5), 0
    while seen < 60:
        n = int(g.integers(2, 30))
        ours, expected = random_tree(g, ops, n)
        largest, single = int(g.choice([n, max(2, n // 2)])), bool(g.integers(2))
        if number_of_selections(expected, allowed_of(expected, largest, single).__getitem__) > FEW_SELECTIONS:
            continue
        seen += 1
        labels, must, cannot = random_constraints(g, n)
        known, pairs = on(ops, labels, must, cannot), pairs_of(labels.tolist(), must.tolist(), cannot.tolist())
        options = Options(2, allow_single_cluster=single, max_cluster_size=largest)
        found = flat_clustering(ours, options, ops, known)
        best, count = best_labels(expected, pairs, largest, single)
        assert_same(found.selection, best)
        assert known.total == len(pairs)
        assert known.satisfied(found.labels) == satisfied(to_host(found.labels).tolist(), pairs) == count


def test_the_greatest_mixture_of_two_shares(ops):
    """Of all selections of small trees, up to rounding; with weights down to 0, which takes the most stable."""
    g, seen = np.random.default_rng(6), 0
    while seen < 30:
        n = int(g.integers(6, 30))
        ours, expected = random_tree(g, ops, n)
        if number_of_selections(expected, allowed_of(expected, n, False).__getitem__) > FEW_SELECTIONS:
            continue
        labels, must, cannot = random_constraints(g, n)
        known = on(ops, labels, must, cannot)
        if known.total == 0 or expected.count == 1:
            continue
        seen += 1
        gain = np.array(gains(expected, pairs_of(labels.tolist(), must.tolist(), cannot.tolist())))
        most = expected.stability[reference.select(expected, "eom", 0.0, n, False).chosen].sum()
        for weight in (0.0, 0.3, 0.9):

            def worth(chosen, weight=weight, gain=gain, expected=expected, most=most, known=known):
                own = list(chosen)
                return weight * gain[own].sum() / known.total + (1 - weight) * expected.stability[own].sum() / most

            flat = flat_clustering(ours, Options(2, constraint_weight=weight), ops, known)
            chosen = to_host(flat.selection.chosen).tolist()
            best = best_selection(expected, worth, allowed_of(expected, n, False).__getitem__)
            assert worth(chosen) >= worth(best) - 1e-12
        assert_same(
            flat_clustering(ours, Options(2, constraint_weight=0.0), ops, known).selection,
            ops.select(ours, "eom", 0.0, n, False),
        )


def test_a_constraint_has_no_price_beside_an_infinite_stability(ops):
    """Two groups of equal points: then constraints come first, and a warning says so."""
    edges = np.array([[0, 1], [1, 2], [3, 4], [4, 5], [6, 7], [0, 3], [0, 6]], np.int32)
    condensed = ops.condense(give(ops, edges, np.array([0.0, 0.0, 0.0, 0.0, 2.0, 3.0, 4.0])), 2)
    known = on(ops, np.full(8, -1), [[0, 5]], [[1, 7]])
    first = flat_clustering(condensed, Options(2), ops, known)
    with pytest.warns(UserWarning, match=r"^constraint_weight=0.5 has the effect of 1"):
        mixed = flat_clustering(condensed, Options(2, constraint_weight=0.5), ops, known)
    assert np.isinf(to_host(condensed.stability)[1:]).any()
    assert_same(mixed.selection, first.selection)
    assert known.satisfied(first.labels) == 2


def test_labels_of_many_points_are_counted_without_their_pairs(ops):
    """Two hundred thousand labelled points have twenty thousand million pairs."""
    n = 200_000
    edges, heights = tree("random", n), weights("distinct", n - 1, np.float64)
    condensed = ops.condense(give(ops, edges, heights), 50)
    labels = np.random.default_rng(7).integers(0, 3, n)
    known = on(ops, labels, np.empty((0, 2)), np.empty((0, 2)))
    gain = to_host(stage.gains(condensed, known, False, ops))
    parent, cluster = to_host(condensed.parent), to_host(condensed.cluster)
    counts = np.zeros((len(parent), 3), np.int64)
    np.add.at(counts, (cluster, labels), 1)
    for c in range(len(parent) - 1, 0, -1):
        counts[parent[c]] += counts[c]
    pairs = (counts * (counts - 1) // 2).sum(1)
    every = counts.sum(1)
    assert gain.tolist() == (2 * pairs - every * (every - 1) // 2).tolist()
