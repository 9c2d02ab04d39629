"""Where predictions and memberships differ from hdbscan's, both are computed by their rules, one point at a time."""

import numpy as np
import pytest
from new_points_reference import Tree, glosh, hdbscans_rule, hdbscans_scores, mixture, our_rule, predicted

import emst.compat.hdbscan as ours

hdbscan = pytest.importorskip("hdbscan")

SEEDS = range(3)


def number_of_neighbours(seed):
    return (5, 10, 20)[seed % 3]


@pytest.fixture(scope="module")
def theirs():
    """hdbscan's models of three sets, and their trees; the clusters are those that its predictions take."""
    made = []
    for seed in SEEDS:
        x, _ = mixture(seed)
        options = {"min_cluster_size": 20, "min_samples": number_of_neighbours(seed), "prediction_data": True}
        model = hdbscan.HDBSCAN(**options, approx_min_span_tree=False).fit(x)
        made.append((model, Tree(model.condensed_tree_.to_numpy(), sorted(model.condensed_tree_._select_clusters()))))
    return made


def fitted(ops, seed):
    x, new = mixture(seed)
    k = number_of_neighbours(seed)
    model = ours.HDBSCAN(min_cluster_size=20, min_samples=k, prediction_data=True, device=ops.name).fit(x)
    return model, Tree(model.condensed_tree_.to_numpy(), model.condensed_tree_._select_clusters()), x, new, k


@pytest.mark.parametrize("seed", SEEDS)
def test_labels_of_new_points(ops, theirs, seed):
    """hdbscan takes k - 1 other points for the core distance of a training point, and k + 1 for that of a new one."""
    model, tree, x, new, k = fitted(ops, seed)
    labels, probabilities = ours.approximate_predict(model, new)
    expected = predicted(tree, our_rule(k), x, new)
    np.testing.assert_array_equal(labels, expected[0])
    np.testing.assert_allclose(probabilities, expected[1], rtol=1e-12)
    by_their_rule = predicted(tree, hdbscans_rule(k), x, new)
    assert (labels != by_their_rule[0]).any()
    both = (labels >= 0) & (labels == by_their_rule[0])
    alike = predicted(tree, our_rule(k)._replace(together=False), x, new)[1]
    assert (alike >= by_their_rule[1])[both].mean() > 0.97 and (probabilities < alike).any() == (k < 20)
    peer, of_peer = theirs[seed]
    labels, probabilities = hdbscan.approximate_predict(peer, new)
    expected = predicted(of_peer, hdbscans_rule(k), x, new)
    np.testing.assert_array_equal(labels, expected[0])
    np.testing.assert_allclose(probabilities, expected[1], rtol=1e-12)
    near = np.sort(np.hypot(*(x[:, None] - x[None]).transpose(2, 0, 1)), axis=1)
    np.testing.assert_allclose(peer.prediction_data_.core_distances, near[:, k - 1], rtol=1e-9)
    np.testing.assert_allclose(model.prediction_data_.core_distances, near[:, k], rtol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_outlier_scores_of_new_points(ops, theirs, seed):
    """hdbscan's are negative where a query joins at a greater lambda than any of the cluster that its neighbour leaves,
    and beyond the definition where it joins before that cluster begins."""
    model, tree, x, new, k = fitted(ops, seed)
    scores = ours.approximate_predict_scores(model, new)
    np.testing.assert_allclose(scores, glosh(tree, our_rule(k), x, new), rtol=1e-12, atol=1e-12)
    assert 0 <= scores.min() <= scores.max() <= 1
    np.testing.assert_array_equal(ours.approximate_predict_scores(model, x), model.outlier_scores_)
    peer, of_peer = theirs[seed]
    found = hdbscan.approximate_predict_scores(peer, new)
    np.testing.assert_allclose(found, hdbscans_scores(of_peer, hdbscans_rule(k), x, new), rtol=1e-9, atol=1e-12)
    assert found.min() < 0


# Memberships of the training points. With k = 1 there are no ties: both condensed trees are equal.


def memberships(ops, x, **options):
    """hdbscan's model and ours, and the membership vectors of both, with the columns in hdbscan's order."""
    options = {"min_samples": 1, "min_cluster_size": 15, "prediction_data": True, **options}
    peer = hdbscan.HDBSCAN(**options, approx_min_span_tree=False).fit(x)
    model = ours.HDBSCAN(**options, device=ops.name).fit(x)
    columns = [model.labels_[peer.labels_ == label][0] for label in range(peer.labels_.max() + 1)]
    assert sorted(columns) == list(range(model.labels_.max() + 1))
    vectors = ours.all_points_membership_vectors(model)[:, columns]
    return peer, model, hdbscan.all_points_membership_vectors(peer), vectors


def test_points_above_several_clusters_belong_to_the_one_that_ends_first(ops):
    """They share as much with each cluster below. hdbscan divides by the greatest lambda of the one with the least
    number, whichever it is; ours takes the least of these lambdas, which does not depend on the numbers."""
    x, _ = mixture(5)
    peer, model, expected, found = memberships(ops, x)
    tree = Tree(peer.condensed_tree_.to_numpy(), sorted(peer.condensed_tree_._select_clusters()))
    np.testing.assert_array_equal(peer.labels_ < 0, model.labels_ < 0)
    noise = peer.labels_ < 0
    np.testing.assert_allclose(found[~noise], expected[~noise], rtol=1e-6, atol=1e-99)
    shares = (table / table.sum(axis=1, keepdims=True) for table in (found, expected))
    np.testing.assert_allclose(*shares, rtol=1e-6, atol=1e-99)
    above_all = [row for row in np.flatnonzero(noise) if tree.above[row][0] == tree.root]
    assert len(above_all) > 10
    deaths = [tree.death[tree.chosen[label]] for label in range(len(tree.chosen))]
    leaves = np.array([tree.above[row][1] for row in above_all])
    for table, death in ((expected, deaths[0]), (found, min(deaths))):
        np.testing.assert_allclose(table[above_all].sum(axis=1), leaves / np.maximum(leaves, death), rtol=1e-6)
    assert (found.sum(axis=1) >= expected.sum(axis=1) * (1 - 1e-6)).all()
    assert abs(found - expected).max() > 0.01


def test_a_selected_root_is_the_cluster_of_its_members(ops):
    """hdbscan looks for a selected cluster among those that its members leave. Members of the root leave its children,
    so hdbscan takes one of them for the cluster."""
    g = np.random.default_rng(0)
    x = np.concatenate(
        [g.normal(c, s, (80, 2)) for c, s in (((0.5, -0.9), 0.8), ((-1.8, -1.9), 1.2), ((1.3, 1.6), 0.7))]
    )
    x = np.concatenate([x, g.uniform(-12, 12, (60, 2))])
    peer, model, expected, found = memberships(ops, x, allow_single_cluster=True)
    assert model.condensed_tree_._select_clusters() == [len(x)]
    assert peer.condensed_tree_._select_clusters() != [len(x)]
    np.testing.assert_array_equal(peer.labels_, model.labels_)
    members = model.labels_ == 0
    assert members.sum() > 150
    np.testing.assert_allclose(found[members, 0], 1, rtol=1e-12)  # as probabilities_
    np.testing.assert_array_equal(model.probabilities_[members], 1)
    np.testing.assert_array_equal(peer.probabilities_[members], 1)
    assert expected[members].min() < 0.9
    np.testing.assert_array_equal(ours.approximate_predict(model, x)[0], model.labels_)
    assert (hdbscan.approximate_predict(peer, x)[0] != peer.labels_).sum() > 10
