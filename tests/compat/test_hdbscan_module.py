"""A program written for hdbscan gets hdbscan's results from `emst.compat.hdbscan`, exactly."""

import copy
import pickle

import numpy as np
import pytest
from definition_reference import by_definition
from helpers import same_partition
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist, squareform
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

import emst.compat.hdbscan as ours
from emst import HDBSCANGPU, validity_index
from emst.hdbscan import centers

X = make_blobs([60, 90, 40, 30], 3, cluster_std=0.6, center_box=(-8, 8), random_state=4)[0]


def heights(model):
    return model.single_linkage_tree_.to_numpy()[:, 2]


def mutual_reachability(x, k, alpha=1.0):
    """With the distance to the k-th nearest other point as core distance."""
    distance = cdist(x, x)
    core = np.sort(distance, axis=1)[:, k]
    return np.maximum(np.maximum(core[:, None], core), distance / alpha)


@pytest.mark.parametrize("k, counted", [(1, 1), (5, 5), (None, 7), (219, 219), (220, 219), (500, 219)])
def test_min_samples_leaves_out_the_point_itself(ops, k, counted):
    """hdbscan limits it to the number of other points."""
    model = ours.HDBSCAN(min_cluster_size=7, min_samples=k, device=ops.name).fit(X)
    matrix = squareform(mutual_reachability(X, counted), checks=False)
    np.testing.assert_allclose(heights(model), linkage(matrix, "single")[:, 2], rtol=1e-12)
    assert model.exact_.min_samples == counted + 1


@pytest.mark.parametrize(
    "k, form",
    [(1, "points"), (4, "points"), (300, "points"), (1, "distances"), (4, "distances"), (300, "distances")]
    + [(1, "sparse distances"), (4, "sparse distances")],
)
def test_heights_are_hdbscans(ops, k, form):
    hdbscan = pytest.importorskip("hdbscan")
    data, kw = X, {"min_samples": k}
    if form != "points":
        data, kw["metric"] = cdist(X, X), "precomputed"
    if form == "sparse distances":
        data = csr_matrix(data)
    theirs = hdbscan.HDBSCAN(**kw, approx_min_span_tree=False).fit(copy.deepcopy(data))
    model = ours.HDBSCAN(**kw, device=ops.name).fit(data)
    np.testing.assert_allclose(heights(model), heights(theirs), rtol=1e-12)
    if k == 1:
        assert same_partition(model.labels_, theirs.labels_)


SELECTIONS = [
    {"max_cluster_size": 35},
    {"cluster_selection_epsilon_max": 0.7},
    {"cluster_selection_epsilon_max": 1.5, "allow_single_cluster": True},
    {"cluster_selection_epsilon_max": 50.0, "allow_single_cluster": True, "cluster_selection_epsilon": 0.4},
    {"cluster_selection_epsilon_max": 0.7, "cluster_selection_method": "leaf"},
    {"cluster_selection_epsilon": 0.8, "cluster_selection_method": "leaf"},
    {"cluster_selection_persistence": 0.1},
    {"match_reference_implementation": True, "min_samples": 2},
    {"metric": "minkowski", "p": 3, "algorithm": "generic"},
    {"metric": "seuclidean", "V": np.array([1.0, 2.0, 0.5])},
]


@pytest.mark.parametrize("options", SELECTIONS)
def test_keywords_select_hdbscans_clusters(ops, options):
    """Single linkage has no ties here, so the partition is determined."""
    hdbscan = pytest.importorskip("hdbscan")
    options = {"min_samples": 1, "min_cluster_size": 8, "gen_min_span_tree": True, **options}
    theirs = hdbscan.HDBSCAN(**options, approx_min_span_tree=False).fit(X)
    model = ours.HDBSCAN(**options, core_dist_n_jobs=1, leaf_size=7, device=ops.name).fit(X)
    assert same_partition(model.labels_, theirs.labels_)
    # With a persistence, hdbscan's tree has lambdas of float32.
    rtol = 1e-6 if "cluster_selection_persistence" in options else 1e-9
    np.testing.assert_allclose(model.probabilities_, theirs.probabilities_, rtol=rtol)
    np.testing.assert_allclose(np.sort(model.cluster_persistence_), np.sort(theirs.cluster_persistence_), rtol=rtol)
    np.testing.assert_allclose(model.outlier_scores_, theirs.outlier_scores_, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_reference_implementation_merges_equal_heights_at_once(ops, seed, k):
    """Whole numbers on a line: in hdbscan's tree points leave at the height at which their cluster begins, and this
    option makes them noise. Ours never do. hdbscan's labels still differ where it splits one height twice: seed 3."""
    x = np.unique(np.random.default_rng(seed).integers(0, 36, 30)).astype(float)[:, None]
    options = {"min_cluster_size": 2, "min_samples": k, "match_reference_implementation": True}
    model = ours.HDBSCAN(**options, device=ops.name).fit(x)
    tree = model.exact_.minimum_spanning_tree_.to_numpy()
    assert len(np.unique(tree[:, 2])) < len(tree) / 3
    defined = by_definition(len(x), tree[:, :2].astype(int), tree[:, 2], min_cluster_size=3)
    assert same_partition(model.labels_, defined.labels)
    np.testing.assert_array_equal(model.probabilities_, defined.probabilities)
    assert model.exact_.min_samples == max(k, 2)


def test_the_function_returns_six_results(ops):
    labels, probabilities, persistence, condensed, single, tree = ours.hdbscan(
        X, min_cluster_size=8, gen_min_span_tree=True, device=ops.name
    )
    model = HDBSCANGPU(min_cluster_size=8, min_samples=9, device=ops.name).fit(X)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(probabilities, model.probabilities_)
    np.testing.assert_array_equal(persistence, model.cluster_persistence_)
    np.testing.assert_array_equal(condensed, model.condensed_tree_.to_numpy())
    np.testing.assert_array_equal(single, model.single_linkage_tree_.to_numpy())
    np.testing.assert_array_equal(tree, model.minimum_spanning_tree_.to_numpy())
    assert ours.hdbscan(X, device=ops.name)[5] is None


def test_rows_that_are_not_finite_are_noise(ops):
    x = X.copy()
    x[3, 0], x[7, 1] = np.nan, np.inf
    model = ours.HDBSCAN(prediction_data=True, device=ops.name).fit(x)
    assert model.labels_[[3, 7]].tolist() == [-1, -1]
    assert model.probabilities_[[3, 7]].tolist() == [0, 0]
    assert model.outlier_scores_[[3, 7]].tolist() == [1, 1]
    assert model.dbscan_clustering(1.0)[[3, 7]].tolist() == [-1, -1]
    labels, probabilities = ours.approximate_predict(model, x[:8])
    np.testing.assert_array_equal(labels, model.labels_[:8])
    np.testing.assert_array_equal(probabilities, model.probabilities_[:8])
    assert ours.approximate_predict_scores(model, x[:8])[[3, 7]].tolist() == [1, 1]
    exact = model.exact_  # keeps its own conventions
    assert exact.labels_[[3, 7]].tolist() == [-3, -2]
    np.testing.assert_array_equal(exact.probabilities_[[3, 7]], [np.nan, 0])
    np.testing.assert_array_equal(exact.outlier_scores_[[3, 7]], [np.nan, 1])
    few = np.r_[x[:9], np.full((3, 3), np.nan)]  # k is limited by the finite rows
    assert ours.HDBSCAN(min_samples=10, device=ops.name).fit(few).exact_.min_samples == 7


def test_a_program_runs_unchanged(ops):
    program = """
clusterer = hdbscan.HDBSCAN(min_cluster_size=15, gen_min_span_tree=True, prediction_data=True, core_dist_n_jobs=-1)
clusterer.fit(data)
clusterer.minimum_spanning_tree_.plot(edge_cmap="viridis", edge_alpha=0.6, node_size=80, edge_linewidth=2)
clusterer.single_linkage_tree_.plot(cmap="viridis", colorbar=True)
clusterer.condensed_tree_.plot(select_clusters=True, selection_palette=["r", "g", "b", "k"])
frame = clusterer.condensed_tree_.to_numpy()
labels, strengths = hdbscan.approximate_predict(clusterer, data[:5])
same = hdbscan.prediction.approximate_predict(clusterer, data[:5])[0]
soft = hdbscan.all_points_membership_vectors(clusterer)
new = hdbscan.prediction.membership_vector(clusterer, data[:5])
score = hdbscan.validity.validity_index(data, clusterer.labels_)
relative = clusterer.relative_validity_
threshold = np.quantile(clusterer.outlier_scores_, 0.9)
exemplars = [e.shape for e in clusterer.exemplars_]
cut = clusterer.single_linkage_tree_.get_clusters(0.8, min_cluster_size=3)
"""
    scope = {"hdbscan": ours, "data": X, "np": np}
    exec(program, scope)
    model = scope["clusterer"]
    np.testing.assert_array_equal(scope["labels"], model.labels_[:5])
    np.testing.assert_array_equal(scope["same"], scope["labels"])
    np.testing.assert_allclose(scope["new"], scope["soft"][:5], rtol=1e-12)
    assert scope["soft"].shape == (len(X), len(scope["exemplars"])) == (len(X), model.labels_.max() + 1)
    assert scope["score"] == validity_index(X, model.labels_)
    assert set(scope["cut"]) - {-1}


def test_parameters_of_the_metric_survive_clone_and_pickle(ops):
    """hdbscan loses them in `clone`."""
    model = ours.HDBSCAN(metric="seuclidean", V=np.array([1.0, 2.0, 0.5]), device=ops.name)
    assert list(model.get_params()["V"]) == [1, 2, 0.5]
    twin = clone(model)
    np.testing.assert_array_equal(twin.fit(X).labels_, model.fit(X).labels_)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.dbscan_clustering(1.0), model.dbscan_clustering(1.0))
    assert list(model.set_params(V=np.ones(3), min_samples=2).get_params()["V"]) == [1, 1, 1]


def test_what_was_not_asked_for_is_not_there(ops):
    model = ours.HDBSCAN(device=ops.name)
    for name in ("condensed_tree_", "outlier_scores_", "exemplars_", "prediction_data_"):
        with pytest.raises(NotFittedError):
            getattr(model, name)
    model.fit(X)
    for name in ("minimum_spanning_tree_", "relative_validity_", "prediction_data_"):
        assert not hasattr(model, name)
    for function in (ours.approximate_predict, ours.approximate_predict_scores, ours.membership_vector):
        with pytest.raises(ValueError, match="prediction_data=True"):
            function(model, X)
    model.generate_prediction_data()
    np.testing.assert_array_equal(ours.approximate_predict(model, X)[0], model.labels_)
    assert model.prediction_data_.raw_data.shape == X.shape
    assert len(model.prediction_data_.exemplars) == model.labels_.max() + 1
    assert len(model.prediction_data_.core_distances) == len(X)


def test_centres_are_hdbscans_averages(ops):
    model = ours.HDBSCAN(min_cluster_size=15, device=ops.name).fit(X)
    for label in range(model.labels_.max() + 1):
        members, weights = X[model.labels_ == label], model.probabilities_[model.labels_ == label]
        centroid = model.weighted_cluster_centroid(label)
        np.testing.assert_allclose(centroid, np.average(members, weights=weights, axis=0), rtol=1e-12)
        medoid = members[(cdist(members, members) @ weights).argmin()]
        np.testing.assert_array_equal(model.weighted_cluster_medoid(label), medoid)
    for wrong in (-1, model.labels_.max() + 1):
        with pytest.raises(ValueError, match="-1 is noise"):
            model.weighted_cluster_centroid(wrong)


def test_one_medoid_is_computed_for_one_cluster(ops, monkeypatch):
    model = ours.HDBSCAN(min_cluster_size=15, device=ops.name).fit(X)
    assert model.labels_.max() > 0
    searched = []
    monkeypatch.setattr(centers, "medoid", lambda rows, *_: searched.append(len(rows)) or 0)
    for _ in range(2):
        model.weighted_cluster_medoid(np.int64(1))
    assert searched == [(model.labels_ == 1).sum()]


def test_no_clusters(ops):
    model = ours.HDBSCAN(min_cluster_size=200, min_samples=5, prediction_data=True, device=ops.name).fit(X)
    with pytest.warns(UserWarning, match="does not have any defined clusters"):
        labels, probabilities, neighbors = ours.approximate_predict(model, X[:4], return_connecting_points=True)
    assert labels.tolist() == [-1] * 4
    assert probabilities.tolist() == [0] * 4
    assert neighbors.shape == (4,)
    assert ours.all_points_membership_vectors(model).tolist() == [0] * len(X)
    assert ours.membership_vector(model, X[:4]).tolist() == [0] * 4


# Robust single linkage


@pytest.mark.parametrize("k, alpha", [(5, np.sqrt(2)), (1, 1), (12, 2.5)])
def test_robust_single_linkage(ops, k, alpha):
    model = ours.RobustSingleLinkage(cut=0.9, k=k, alpha=alpha, gamma=4, device=ops.name).fit(X)
    matrix = linkage(squareform(mutual_reachability(X, k, alpha), checks=False), "single")
    np.testing.assert_allclose(model.cluster_hierarchy_.to_numpy()[:, 2], matrix[:, 2], rtol=1e-12)
    labels, tree = ours.robust_single_linkage(X, 0.9, k=k, alpha=alpha, gamma=4, device=ops.name)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(tree, model.cluster_hierarchy_.to_numpy())
    np.testing.assert_array_equal(model.get_clusters(0.9, 4), labels)
    assert np.bincount(labels[labels >= 0]).min() >= 4


@pytest.mark.parametrize(
    "name, value",
    [("k", 0), ("k", None), ("k", "many"), ("alpha", 0.5), ("alpha", "1"), ("gamma", 0), ("cut", -1)],
)
def test_robust_single_linkage_refuses(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        ours.RobustSingleLinkage(**{name: value}).fit(X)


# A given number of clusters


@pytest.mark.parametrize("method", ["eom", "leaf"])
def test_the_greatest_epsilon_with_so_many_clusters(ops, method):
    kw = {"min_cluster_size": 5, "cluster_selection_method": method, "device": ops.name}
    most = ours.HDBSCAN(**kw).fit(X).labels_.max() + 1
    for n_clusters in range(2, most + 1):
        model = ours.flat.HDBSCAN_flat(X, n_clusters=n_clusters, **kw)
        epsilon = model.cluster_selection_epsilon
        assert model.labels_.max() + 1 == n_clusters
        np.testing.assert_array_equal(
            model.labels_, ours.HDBSCAN(**kw, cluster_selection_epsilon=epsilon).fit(X).labels_
        )
        if n_clusters > 2:  # the children of the root, two here, are never replaced
            more = ours.HDBSCAN(**kw, cluster_selection_epsilon=epsilon * 1.001).fit(X)
            assert more.labels_.max() + 1 < n_clusters


def test_predictions_for_another_number_of_clusters(ops):
    model = ours.flat.HDBSCAN_flat(X, n_clusters=4, min_cluster_size=5, min_samples=1, device=ops.name)
    labels, _, data = ours.flat.approximate_predict_flat(model, X, n_clusters=2, return_prediction_data=True)
    assert labels.max() == 1
    np.testing.assert_array_equal(ours.flat.approximate_predict_flat(model, X, prediction_data=data)[0], labels)
    np.testing.assert_array_equal(ours.flat.approximate_predict_flat(model, X)[0], model.labels_)
    assert ours.flat.membership_vector_flat(model, X[:3], n_clusters=3).shape == (3, 3)
    assert ours.flat.all_points_membership_vectors_flat(model, cluster_selection_epsilon=1e9).shape[1] == 2
    assert model.labels_.max() == 3
    with pytest.warns(UserWarning, match="method 'leaf'"):
        other = ours.flat.HDBSCAN_flat(X, n_clusters=5, clusterer=model)
    assert other.cluster_selection_method == "leaf"
    assert other.labels_.max() == 4
    with pytest.warns(UserWarning, match="only 13 clusters"):
        assert ours.flat.HDBSCAN_flat(X, n_clusters=14, clusterer=other).labels_.max() == 12
    assert model.cluster_selection_method == "eom"
    assert ours.flat.HDBSCAN_flat(X, clusterer=model, inplace=True) is model
    with pytest.raises(ValueError, match="no cluster_selection_epsilon gives 1 cluster with"):
        ours.flat.HDBSCAN_flat(X, n_clusters=1, device=ops.name)


# Trees from plain arrays


def test_trees_from_arrays(ops):
    model = ours.HDBSCAN(min_cluster_size=8, gen_min_span_tree=True, device=ops.name).fit(X)
    for made, tree in (
        (ours.plots.CondensedTree(model.condensed_tree_.to_numpy(), model.labels_), model.condensed_tree_),
        (ours.plots.SingleLinkageTree(model.single_linkage_tree_.to_numpy()), model.single_linkage_tree_),
        (ours.plots.MinimumSpanningTree(model.minimum_spanning_tree_.to_numpy(), X), model.minimum_spanning_tree_),
    ):
        np.testing.assert_array_equal(made.to_numpy(), tree.to_numpy())
        assert type(tree).__name__ in repr(made) or "MinimumSpanningTree" in repr(made)
        made.plot()
    condensed = ours.plots.CondensedTree(model.condensed_tree_.to_numpy(), model.labels_)
    assert sorted(condensed._select_clusters()) == sorted(model.condensed_tree_._select_clusters())
    cut = ours.plots.SingleLinkageTree(model.single_linkage_tree_.to_numpy()).get_clusters(0.8, 3)
    np.testing.assert_array_equal(cut, model.single_linkage_tree_.get_clusters(0.8, 3))
    with pytest.raises(ValueError, match="ascending"):
        ours.plots.SingleLinkageTree(model.single_linkage_tree_.to_numpy()[::-1])


# Errors


@pytest.mark.parametrize(
    "error, words, options",
    [
        (ValueError, "min_samples must be an integer of at least 1", {"min_samples": 0}),
        (ValueError, "min_cluster_size must be an integer of at least 2", {"min_cluster_size": 1}),
        (ValueError, "min_cluster_size must be an integer of at least 2; got 'auto'", {"min_cluster_size": "auto"}),
        (ValueError, "cluster_selection_epsilon must be a finite number", {"cluster_selection_epsilon": "half"}),
        (ValueError, "cluster_selection_epsilon_max must be", {"cluster_selection_epsilon_max": None}),
        (TypeError, "'min_sample': did you mean 'min_samples'", {"min_sample": 3}),
        (ValueError, "takes no parameters; got 'V'", {"V": 3}),
        (TypeError, "needs p", {"metric": "minkowski"}),
        (TypeError, "algorithm must be one of", {"algorithm": "kd_tree"}),
        (ValueError, "KDTree", {"algorithm": "boruvka_kdtree", "metric": "canberra"}),
        (ValueError, "must be at least", {"cluster_selection_epsilon": 2, "cluster_selection_epsilon_max": 1}),
    ],
)
def test_one_sentence(error, words, options):
    with pytest.raises(error, match=words) as caught:
        ours.HDBSCAN(**options).fit(X)
    assert "\n" not in str(caught.value)


def test_validity_takes_the_dimension_of_points_from_their_columns():
    from emst.compat.hdbscan.validity import validity_index

    g = np.random.default_rng(0)
    x, labels = np.concatenate([g.normal(c, size=(60, 2)) for c in (0, 15)]), np.repeat([0, 1], 60)
    index, distances = validity_index(x, labels), np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))
    assert validity_index(x, labels, d=5) == index
    assert validity_index(distances, labels, "precomputed", d=2) == pytest.approx(index, rel=1e-9)
    assert validity_index(distances, labels, "precomputed", d=5) != pytest.approx(index, rel=1e-3)
