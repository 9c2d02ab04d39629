"""HDBSCAN* by its definition on small examples; and the reference that follows it, compared with SciPy."""

import numpy as np
import pytest
from definition_reference import by_definition, condense, simplify
from definition_sets import from_tree, prim, random_case, reachability
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.datasets import load_wine

from emst import HDBSCANGPU


def test_wine_has_no_cluster(ops):
    """Two at a time, the merges of its equal heights make two clusters that begin and end at one height."""
    points = load_wine().data
    model = HDBSCANGPU(min_cluster_size=25, min_samples=7, device=ops.name).fit(points)
    tree = prim(reachability(points, 7))
    assert by_definition(len(points), *tree, 25).members == []
    assert (model.labels_ == -1).all()
    assert not model.probabilities_.any()


def line(*gaps):
    """Edges and weights of points on a line."""
    i = np.arange(len(gaps))
    return np.stack([i, i + 1], axis=1), np.array(gaps, float)


def both(ops, edges, weights, min_cluster_size, **options):
    """The reference's clustering, which the backend gives too."""
    order = np.argsort(weights, kind="stable")
    edges, weights = edges[order].astype(np.int32), weights[order]
    options = {"min_cluster_size": min_cluster_size, **options}
    result = by_definition(len(weights) + 1, edges, weights, **options)
    ours = from_tree(ops, edges, weights, options)
    assert ours["labels"] == set(result.members)
    np.testing.assert_array_equal(ours["probabilities"], result.probabilities)
    np.testing.assert_array_equal(ours["outlier scores"], result.outlier_scores)
    assert ours["persistence"] == dict(zip(result.members, result.persistence))
    tree = sorted((c.birth, c.death, len(c.points), c.stability) for c in result.clusters)
    assert ours["condensed tree"] == tree
    return result


def test_three_groups_that_touch_at_one_height(ops):
    result = both(ops, *line(1, 1, 4, 1, 1, 4, 1, 1), 3)
    root, *children = result.clusters
    assert root.children == children
    assert set(result.members) == {c.points for c in children} == {frozenset(range(i, i + 3)) for i in (0, 3, 6)}
    assert [(c.birth, c.death, c.stability) for c in result.clusters] == [(0, 0.25, 2.25)] + [(0.25, 1, 2.25)] * 3
    assert (result.probabilities == 1).all() and not result.outlier_scores.any()
    assert result.persistence == [0.75] * 3 and set(result.exemplars) == set(result.members)


def test_small_parts_leave_where_the_large_ones_split(ops):
    result = both(ops, *line(1, 1, 4, 4, 1, 4, 1, 1), 3)
    assert set(result.members) == {frozenset({0, 1, 2}), frozenset({6, 7, 8})} and result.noise == {3, 4, 5}
    assert result.clusters[0].lambdas() == dict.fromkeys((3, 4, 5), 0.25)
    np.testing.assert_array_equal(result.outlier_scores[3:6], 0.75)


@pytest.mark.parametrize(
    "edges",
    [[(0, i) for i in range(1, 9)], [(i, i + 1) for i in range(8)], [(i // 3, i + 1) for i in range(8)]],
    ids=["star", "path", "tree"],
)
def test_equal_edges_leave_nothing(ops, edges):
    """A lattice: whichever of its spanning trees is taken, all points leave at the one height."""
    edges = np.array(edges)
    assert both(ops, edges, np.full(8, 0.5), 2).members == []
    result = both(ops, edges, np.full(8, 0.5), 2, allow_single_cluster=True)
    assert len(result.clusters) == 1 and result.members == [frozenset(range(9))]
    assert (result.probabilities == 1).all() and result.clusters[0].stability == 18


def test_duplicates(ops):
    """Two groups of three equal points and one of two, as far from each other: lambda is infinite within them."""
    result = both(ops, *line(0, 0, 2, 0, 0, 2, 0), 3)
    assert set(result.members) == {frozenset({0, 1, 2}), frozenset({3, 4, 5})}
    assert [c.death for c in result.clusters] == [0.5, np.inf, np.inf]
    np.testing.assert_array_equal(result.probabilities, [1] * 6 + [0] * 2)
    np.testing.assert_array_equal(result.outlier_scores, [0] * 6 + [1] * 2)


def test_infinite_heights(ops):
    result = both(ops, *line(1, np.inf, 1, np.inf, 1), 2)
    assert len(result.members) == 3 and [c.birth for c in result.clusters] == [0] * 4
    assert [c.stability for c in result.clusters] == [0, 2, 2, 2]


SIDE_BY_SIDE = line(1, 1, 8, 2, 2, 8, 4, 4)  # lambdas: split at 1/8, deaths at 1, 1/2, 1/4


@pytest.mark.parametrize(
    ("persistence", "left"),
    [(0.125, 3), (0.2, 2), (0.375, 2), (0.4, 0), (0.875, 0), (1.0, 0)],
)
def test_a_split_into_three_simplified(ops, persistence, left):
    """Children that do not last leave at the split, if two others stay; else the split is undone."""
    root, *children = both(ops, *SIDE_BY_SIDE, 3, persistence=persistence).clusters
    assert len(children) == len(root.children) == left
    expected = {3: {}, 2: dict.fromkeys((6, 7, 8), 1 / 8)}
    undone = {p: height for i, height in enumerate((1, 1 / 2, 1 / 4)) for p in range(3 * i, 3 * i + 3)}
    assert root.lambdas() == expected.get(left, undone)


def test_the_one_child_that_lasts_takes_the_place_of_its_parent(ops):
    """Points 0 to 5 split again at 4; the groups beside them do not last, and leave at 8."""
    edges, weights = line(1, 1, 4, 1, 1, 8, 7, 7, 8, 7, 7)
    root, *children = both(ops, edges, weights, 3, persistence=0.5).clusters
    assert {c.points for c in children} == {frozenset({0, 1, 2}), frozenset({3, 4, 5})} and root.death == 0.25
    assert root.lambdas() == dict.fromkeys(range(6, 12), 1 / 8)


@pytest.mark.parametrize("groups", [(4, 2, 2), (2, 4, 2), (2, 2, 4)])
def test_values_of_many_children_are_summed_exactly(ops, groups):
    """2^53 + 1 + 1 is more than the root's 2^53. Rounded after each addition, it would be only in some orders."""
    lambdas = {4: 3 * 2.0**50, 2: 2.0**50 + 0.5}
    gaps = [[1 / lambdas[size]] * (size - 1) for size in groups]
    edges, weights = line(*gaps[0], 2.0**-50, *gaps[1], 2.0**-50, *gaps[2])
    result = both(ops, edges, weights, 2, allow_single_cluster=True)
    root, *children = result.clusters
    assert root.stability == 2**53 and sorted(c.stability for c in children) == [1, 1, 2**53]
    assert len(result.members) == 3


# The reference.


def test_the_reference_has_the_flat_clusters_of_scipy():
    """At every height: the components of lighter edges that have enough points."""
    for seed in range(25):
        case = random_case(seed, greatest=60)
        matrix = reachability(case.points, case.min_samples).astype(np.float64)
        np.fill_diagonal(matrix, 0)
        edges, weights = prim(matrix)
        single = linkage(squareform(matrix), "single")
        m = case.options["min_cluster_size"]
        clusters = condense(len(matrix), edges, weights, m)
        for height in np.unique(weights):
            labels = fcluster(single, height, "distance")
            parts = {frozenset(np.flatnonzero(labels == i).tolist()) for i in np.unique(labels)}
            if height < weights.max():
                assert alive(clusters, height) == {part for part in parts if len(part) >= m}, case


def alive(clusters, height):
    """The points of every cluster that are left when the edges heavier than `height` are removed."""
    parts = set()
    for c in clusters:
        born = c.parent.split if c.parent else np.inf
        if born > height and not (c.children and c.split > height):
            parts.add(frozenset(p for p in c.points if c.left.get(p, 0) <= height))
    return parts - {frozenset()}


def test_simplifying_again_changes_nothing():
    for seed in range(25):
        case = random_case(seed)
        tree = prim(reachability(case.points, case.min_samples))
        persistence = case.options.get("persistence", 0.5)
        once, twice = condense(len(case.points), *tree, 2), condense(len(case.points), *tree, 2)
        once = simplify(once, persistence)
        twice = simplify(simplify(twice, persistence), persistence)
        described = [[(c.points, c.birth, c.death, c.stability) for c in tree] for tree in (once, twice)]
        assert sorted(described[0], key=repr) == sorted(described[1], key=repr)
