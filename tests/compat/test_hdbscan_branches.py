"""hdbscan's names for branches: its results where they are determined, and its conventions."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import emst
import emst.compat.hdbscan as ours


def star(arms, each, centre=(0, 0), seed=0):
    """Points along lines from a centre."""
    g = np.random.default_rng([seed, arms])
    angle = np.repeat(np.arange(arms) * 2 * np.pi / arms + 0.3, each)
    rows = np.stack([np.cos(angle), np.sin(angle)], axis=1) * g.uniform(0, 9, (arms * each, 1))
    return rows + g.normal(scale=0.2, size=rows.shape) + centre


X = np.concatenate([star(3, 60), star(5, 60, (30, 0)), np.random.default_rng(1).normal((60, 0), 1, (80, 2))])
OPTIONS = {"min_cluster_size": 20, "min_samples": 5, "branch_detection_data": True}


@pytest.fixture(scope="module")
def clusterer(ops):
    return ours.HDBSCAN(**OPTIONS, prediction_data=True, device=ops.name).fit(X)


@pytest.mark.filterwarnings("ignore:Passing more than 2 positional arguments:DeprecationWarning")
@pytest.mark.parametrize("options", [{}, {"label_sides_as_branches": True}, {"cluster_selection_method": "leaf"}])
def test_branches_are_hdbscans(clusterer, options):
    """Up to the points at the centre: hdbscan merges equal heights in an order that depends on the rows."""
    hdbscan = pytest.importorskip("hdbscan")
    their_clusterer = hdbscan.HDBSCAN(**OPTIONS, approx_min_span_tree=False).fit(X)
    theirs = hdbscan.BranchDetector(**options).fit(their_clusterer)
    found = ours.BranchDetector(**options).fit(clusterer)
    assert adjusted_rand_score(theirs.cluster_labels_, found.cluster_labels_) == 1
    assert adjusted_rand_score(theirs.labels_, found.labels_) > 0.98
    for name in ("branch_persistences_", "cluster_points_"):
        assert sorted(map(len, getattr(theirs, name))) == sorted(map(len, getattr(found, name)))
    np.testing.assert_allclose(found.centralities_, theirs.centralities_, rtol=1e-9)
    graphs = [np.sort(one.approximation_graph_.to_numpy()[1]["centrality"]) for one in (theirs, found)]
    np.testing.assert_allclose(*graphs, rtol=1e-9)


@pytest.mark.parametrize("size, expected", [(0, 8), (50, 7)])
def test_in_hdbscans_clusters_there_are_as_many_branches(ops, size, expected):
    """Two more of hdbscan's tests are expected to fail: a tie decides whether two points belong to a cluster."""
    hdbscan = pytest.importorskip("hdbscan")
    tests = pytest.importorskip("hdbscan.tests.test_branches")
    theirs = hdbscan.HDBSCAN(min_cluster_size=5).fit(tests.X)
    model = ours.HDBSCAN(min_cluster_size=5, branch_detection_data=True, device=ops.name).fit(tests.X)
    detector = ours.BranchDetector(label_sides_as_branches=True, max_cluster_size=size)
    found = detector.fit(model, theirs.labels_, theirs.probabilities_)
    assert found.labels_.max() + 1 == expected
    assert detector.fit(model).labels_.max() + 1 < expected


def each_edge_once(graph):
    """The same graph without loops and repetitions. Its two columns of weights hdbscan does not read, or overwrites."""

    def once(*arguments):
        ends = np.unique(graph(*arguments)[:, :2], axis=0)
        ends = ends[ends[:, 0] < ends[:, 1]]
        return np.column_stack([ends, np.zeros((len(ends), 2))])

    return once


@pytest.mark.filterwarnings("ignore:Passing more than 2 positional arguments:DeprecationWarning")
def test_hdbscans_core_graph_repeats_edges(monkeypatch, ops):
    """Why two of hdbscan's tests are expected to fail. It looks core distances up by the numbers within the cluster, so
    the copies of an edge differ; its sparse matrix adds up the weights of the copies."""
    hdbscan = pytest.importorskip("hdbscan")
    tests = pytest.importorskip("hdbscan.tests.test_branches")
    options = {"branch_detection_method": "core", "cluster_selection_method": "leaf"}

    def branches(package, **device):
        model = package.HDBSCAN(min_cluster_size=5, branch_detection_data=True, **device).fit(tests.X)
        return package.BranchDetector(**options).fit(model).labels_.max() + 1

    assert branches(hdbscan) == 9
    monkeypatch.setattr(
        hdbscan.branches, "extract_core_cluster_graph", each_edge_once(hdbscan.branches.extract_core_cluster_graph)
    )
    assert branches(hdbscan) == branches(ours, device=ops.name) == 6


def test_the_function_returns_twelve_results(clusterer):
    found = ours.BranchDetector("core", label_sides_as_branches=True).fit(clusterer)
    results = ours.detect_branches_in_clusters(clusterer, branch_detection_method="core", label_sides_as_branches=True)
    names = ("labels_", "probabilities_", "cluster_labels_", "cluster_probabilities_", "branch_labels_")
    for name, result in zip((*names, "branch_probabilities_"), results):
        np.testing.assert_array_equal(result, getattr(found, name))
    persistences, graphs, condensed, linkages, centralities, points = results[6:]
    assert list(map(len, (persistences, graphs, condensed, linkages, points))) == [3] * 5
    edges = found.approximation_graph_.to_numpy()[1]
    for number, graph in enumerate(graphs):
        own = edges[edges["component"] == number]
        np.testing.assert_array_equal(graph[:, 1], own["child"])
        np.testing.assert_array_equal(graph[:, 3], own["mutual_reachability"])
        np.testing.assert_array_equal(condensed[number], found.condensed_trees_[number].to_numpy())
        assert linkages[number].shape == (len(points[number]) - 1, 4)
    np.testing.assert_array_equal(centralities, found.centralities_)
    apart = ours.detect_branches_in_clusters(clusterer, np.where(np.arange(len(X)) % 400 < 60, 0, -1))
    assert apart[8] == apart[9] == (None,)
    nothing = ours.HDBSCAN(min_cluster_size=500, branch_detection_data=True, device=clusterer.device).fit(X)
    assert ours.detect_branches_in_clusters(nothing)[6:10] == ((), (), (), ())


def test_rows_that_are_not_finite_are_noise(ops):
    x = X.copy()
    x[3, 0], x[7, 1] = np.nan, np.inf
    model = ours.HDBSCAN(**OPTIONS, prediction_data=True, device=ops.name).fit(x)
    found = ours.BranchDetector().fit(model)
    predicted = ours.approximate_predict_branch(found, x)
    names = ("labels_", "probabilities_", "cluster_labels_", "cluster_probabilities_")
    names += ("branch_labels_", "branch_probabilities_")
    for name, result, value in zip(names, predicted, (-1, 0, -1, 0, 0, 0)):
        assert getattr(found, name)[[3, 7]].tolist() == [value, value]
        np.testing.assert_array_equal(result, getattr(found, name))
    data = model.branch_detection_data_
    assert not data.all_finite
    assert data.finite_index.tolist() == [i for i in range(len(X)) if i not in (3, 7)]
    assert data.internal_to_raw[3] == 4
    assert len(data.core_distances) == len(X) - 2


@pytest.mark.parametrize("metric", ["euclidean", "canberra"])
def test_the_data_of_branch_detection(ops, metric):
    model = ours.HDBSCAN(**OPTIONS, metric=metric, device=ops.name).fit(X)
    data = model.branch_detection_data_
    assert data.all_finite
    assert data.finite_index is data.internal_to_raw is None
    distance = cdist(X, X, metric)
    taken = np.sort(np.take_along_axis(distance, data.neighbors, axis=1))
    np.testing.assert_allclose(taken, np.sort(distance)[:, :6], rtol=1e-12)
    np.testing.assert_allclose(data.core_distances, taken[:, -1], rtol=1e-12)


def test_zero_is_any_size(clusterer):
    assert (
        ours.BranchDetector(max_cluster_size=0).fit(clusterer).labels_.max()
        == ours.BranchDetector().fit(clusterer).labels_.max()
    )
    limited = ours.HDBSCAN(**OPTIONS, max_cluster_size=301, device=clusterer.device).fit(X)
    options = {"allow_single_cluster": True, "label_sides_as_branches": True}
    few, any_size = (ours.BranchDetector(max_cluster_size=size, **options).fit(limited) for size in (30, 0))
    assert few.labels_.max() != any_size.labels_.max()
    assert clone(few).max_cluster_size == 30


def test_a_fitted_estimator_of_emst_will_do(clusterer):
    one, other = ours.BranchDetector().fit(clusterer.exact_), emst.BranchDetector().fit(clusterer.exact_)
    np.testing.assert_array_equal(one.labels_, other.labels_)


def test_what_was_not_asked_for_is_not_there(ops):
    model = ours.HDBSCAN(min_cluster_size=20, device=ops.name).fit(X)
    assert not hasattr(model, "branch_detection_data_")
    assert not hasattr(model, "minimum_spanning_tree_")
    with pytest.raises(AttributeError, match="needs branch_detection_data=True"):
        ours.BranchDetector().fit(model)
    model.generate_branch_detection_data()
    with pytest.raises(ValueError, match="branches need an HDBSCAN with"):
        ours.BranchDetector().fit(model)
    with pytest.raises(AttributeError, match="a fitted HDBSCAN; got ndarray"):
        ours.detect_branches_in_clusters(X)
    assert ours.BranchDetector().fit(model.set_params(gen_min_span_tree=True)).labels_.max() >= 2


def test_distances_have_no_branches(ops):
    """As in hdbscan, a warning, and no branch detection data."""
    with pytest.warns(UserWarning, match="non-vector space inputs") as told:
        model = ours.HDBSCAN(**OPTIONS, metric="precomputed", device=ops.name).fit(cdist(X, X))
    assert told[0].filename == __file__
    with pytest.warns(UserWarning, match="non-vector space inputs") as told:
        model.generate_branch_detection_data()
    assert told[0].filename == __file__
    assert not hasattr(model, "branch_detection_data_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.HDBSCAN(**OPTIONS, device=ops.name).fit(X)
