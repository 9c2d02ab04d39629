"""Branches inside clusters: by their definition, on shapes with known branches, and under hdbscan's kinds of input."""

import pickle

import numpy as np
import pytest
from branches_reference import branches, centre, combined
from helpers import cloud, same_partition, to_host
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from emst import HDBSCANGPU, BranchDetector, approximate_predict_branch
from emst.distances.metrics import Metric
from emst.hdbscan.branches import pairs
from emst.hdbscan.branches.centrality import eccentricities, exact_mean


def star(arms, each, seed=0, d=2, noise=0.2, length=9.0):
    """Points along lines from the origin."""
    g = np.random.default_rng([seed, arms, each])
    angle = np.repeat(np.arange(arms) * 2 * np.pi / arms + 0.3, each)
    rows = np.stack([np.cos(angle), np.sin(angle)], axis=1) * g.uniform(0, length, (arms * each, 1))
    return np.hstack([rows, np.zeros((len(rows), d - 2))]) + g.normal(scale=noise, size=(len(rows), d))


def two_stars_and_a_blob():
    blob = np.random.default_rng(2).normal([60, 0], 1, (80, 2))
    return np.concatenate([star(3, 60), star(5, 60) + [30, 0], blob])


def whole(ops, x, **options):
    """A clustering whose only cluster is the root."""
    options = {"min_cluster_size": 10, "min_samples": 5, "allow_single_cluster": True, "device": ops.name, **options}
    return HDBSCANGPU(**options).fit(x)


def detected(model, *args, labels=None, probabilities=None, **options):
    return BranchDetector(*args, **{"allow_single_cluster": False, **options}).fit(model, labels, probabilities)


# The definition.


def expected(model, detector, x):
    """The branches by the definition; centralities are those of the detector, which another test checks."""
    labels, core = to_host(detector.cluster_labels_), to_host(model.core_distances_)
    tree = model._model.edges, model._model.weights
    reach = np.maximum(np.maximum(core[:, None], core), cdist(x, x) / model.alpha)
    size = detector.min_cluster_size or model.min_cluster_size
    options = {
        "min_cluster_size": size,
        "method": detector.cluster_selection_method or "eom",
        "persistence": detector.cluster_selection_persistence,
        "epsilon": detector.cluster_selection_epsilon,
        "max_cluster_size": detector.max_cluster_size,
        "allow_single_cluster": detector.allow_single_cluster,
    }
    centrality = to_host(detector.centralities_)
    return branches(
        labels, reach, core, tuple(map(to_host, tree)), centrality, detector.branch_detection_method, options
    )


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "haversine"])
@pytest.mark.parametrize("method", ["full", "core"])
def test_graphs_under_metrics_that_are_searched_by_images(ops, metric, method):
    """Random points have no ties: which pairs are near does not depend on the last digits."""
    x = np.random.default_rng(7).uniform(0.1, 1.5, (60, 2))
    model = whole(ops, x, metric=metric)
    detector = detected(model, method, labels=np.zeros(60, int))
    images = x if metric == "sqeuclidean" else to_host(model._model.points)
    distance, core = model._model.metric.distances_between(images, images), to_host(model.core_distances_)
    either = np.maximum(core[:, None], core)
    reach = np.maximum(distance, either)
    slack = 1 + 1e-9
    near = reach <= (to_host(model._model.weights).max() if method == "full" else either) * slack
    edges = detector.approximation_graph_.to_numpy()[1]
    found = np.eye(60, dtype=bool)
    found[edges["parent"], edges["child"]] = found[edges["child"], edges["parent"]] = True
    tree = to_host(model._model.edges)
    near[tree[:, 0], tree[:, 1]] = near[tree[:, 1], tree[:, 0]] = True
    np.testing.assert_array_equal(found, near | np.eye(60, dtype=bool))


def check(model, detector, x):
    clusters = expected(model, detector, x)
    _, edges = detector.approximation_graph_.to_numpy()
    assert len(clusters) == len(detector.cluster_points_)
    for number, (cluster, points) in enumerate(zip(clusters, detector.cluster_points_)):
        np.testing.assert_array_equal(points, cluster.points)
        own = edges[edges["component"] == number]
        assert set(zip(own["parent"].tolist(), own["child"].tolist())) == cluster.edges
        found = np.sort(detector.branch_persistences_[number])
        np.testing.assert_array_equal(found, np.sort(cluster.persistence))
    divided, parts, probabilities = combined(
        clusters, to_host(detector.cluster_probabilities_), detector.label_sides_as_branches
    )
    names = {None: -1, **{part: i for i, part in enumerate(set(parts) - {None})}}
    labels = to_host(detector.labels_)
    assert same_partition(labels, np.array([names[part] for part in parts]))
    if all(len(cluster.points) for cluster in clusters):
        assert set(labels[labels >= 0]) == set(range(labels.max() + 1))
    assert (labels == -1).tolist() == [part is None for part in parts]
    np.testing.assert_array_equal(to_host(detector.probabilities_), probabilities)
    for cluster, splits in zip(clusters, divided):
        branch = to_host(detector.branch_labels_)[cluster.points]
        assert same_partition(branch, cluster.labels) if splits else not branch.any()
        assert ((branch == -1) == (cluster.labels == -1)).all() or not splits
    return clusters


SELECTIONS = [
    {},
    {"cluster_selection_method": "leaf", "label_sides_as_branches": True},
    {"min_cluster_size": 4, "max_cluster_size": 30, "label_sides_as_branches": True},
    {"min_cluster_size": 3, "cluster_selection_persistence": 0.5, "cluster_selection_method": "leaf"},
    {"min_cluster_size": 3, "cluster_selection_epsilon": 0.4, "label_sides_as_branches": True},
    {"allow_single_cluster": True, "label_sides_as_branches": True},
]


@pytest.mark.parametrize("method", ["full", "core"])
@pytest.mark.parametrize("options", SELECTIONS)
def test_branches_by_the_definition(ops, method, options):
    x = two_stars_and_a_blob()
    model = HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(x)
    clusters = check(model, detected(model, method, **options), x)
    assert sorted(len(cluster.points) for cluster in clusters) == [80, 180, 300]


@pytest.mark.parametrize("method", ["full", "core"])
@pytest.mark.parametrize("kind", ["lattice", "repeated", "uneven"])
@pytest.mark.parametrize("k", [1, 4])
def test_equal_distances_and_equal_points(ops, method, kind, k):
    x = cloud(120, 2, np.float64, kind)
    for single in (True, False):
        model = HDBSCANGPU(min_cluster_size=5, min_samples=k, allow_single_cluster=single, device=ops.name).fit(x)
        check(model, detected(model, method, min_cluster_size=3, label_sides_as_branches=True), x)


def test_distances_are_divided_by_alpha(ops):
    x = star(3, 40)
    model = whole(ops, x, alpha=1.25)
    for method in ("full", "core"):
        check(model, detected(model, method), x)


@pytest.mark.parametrize("method", ["full", "core"])
def test_labels_that_are_given(ops, method):
    """They need not be connected, nor in use, and a cluster can be a single point."""
    x = two_stars_and_a_blob()
    model = HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(x)
    labels = np.full(len(x), -1)
    labels[:150], labels[200:240], labels[480:], labels[300] = 0, 1, 0, 3
    detector = detected(model, method, labels=labels)
    clusters = check(model, detector, x)
    assert [len(cluster.points) for cluster in clusters] == [230, 40, 0, 1]
    assert clusters[0].apart
    assert detector.condensed_trees_[0] is detector.linkage_trees_[0] is None
    branch = detector.branch_labels_[detector.cluster_points_[0]]
    assert branch[0] == 0, "components are numbered in the order of their first points"
    np.testing.assert_array_equal(detector.cluster_labels_, labels)
    np.testing.assert_array_equal(detector.cluster_probabilities_, labels >= 0)


def test_the_centre_is_a_mean_that_is_rounded_once():
    g = np.random.default_rng(0)
    rows = g.normal(size=(500, 3)) * 10.0 ** g.integers(-8, 8, (500, 1))
    weights = g.random(500)
    found = exact_mean(rows, weights)
    np.testing.assert_array_equal(found, centre(rows, weights))
    np.testing.assert_array_equal(exact_mean(rows[::-1], weights[::-1]), found)


@pytest.mark.parametrize("scale", [1, 1e-200, 1e200])
def test_centralities_are_inverse_distances_to_the_centre(ops, scale):
    x = star(3, 50)
    model = HDBSCANGPU(min_cluster_size=10, min_samples=5, device=ops.name).fit(x * scale)
    weights = np.random.default_rng(1).random(150)
    labels = np.repeat([0, 0, -1], 50)
    detector = detected(model, labels=labels, probabilities=weights)
    mean = np.average(x[:100], axis=0, weights=weights[:100])
    np.testing.assert_allclose(detector.centralities_[:100] * scale, 1 / cdist(mean[None], x[:100])[0], rtol=1e-12)
    assert not detector.centralities_[100:].any()


# Shapes.


@pytest.mark.parametrize("method", ["full", "core"])
@pytest.mark.parametrize("arms, d", [(3, 2), (5, 2), (4, 5)])
def test_arms_are_branches(ops, method, arms, d):
    x = star(arms, 120, d=d)
    detector = detected(whole(ops, x, min_cluster_size=30), method)
    assert [len(persistence) for persistence in detector.branch_persistences_] == [arms]
    outer = np.linalg.norm(x, axis=1) > 3
    assert same_partition(detector.labels_[outer], np.repeat(np.arange(arms), 120)[outer])
    assert set(detector.labels_[outer]) == set(range(1, arms + 1))
    assert (detector.labels_ == 0).sum() == (detector.branch_labels_ == -1).sum() > 0, "the centre"


def test_blobs_have_no_branches(ops):
    x = np.concatenate([np.random.default_rng(i).normal(c, 1, (150, 3)) for i, c in enumerate((0, 12, 24))])
    model = HDBSCANGPU(min_cluster_size=40, min_samples=5, device=ops.name).fit(x)
    for method in ("full", "core"):
        detector = detected(model, method, label_sides_as_branches=True)
        np.testing.assert_array_equal(detector.labels_, model.labels_)
        np.testing.assert_array_equal(detector.probabilities_, model.probabilities_)
        assert (detector.branch_probabilities_ == 1).all()
        assert not detector.branch_labels_.any()


def test_a_line_has_two_sides(ops):
    x = np.random.default_rng(0).uniform(0, [20, 0.1], (200, 2))
    model = whole(ops, x)
    assert set(detected(model).labels_) == {0}
    sides = detected(model, label_sides_as_branches=True)
    ends = np.abs(x[:, 0] - 10) > 3
    assert same_partition(sides.branch_labels_[ends], x[ends, 0] > 10)


def test_the_root_keeps_all_its_points(ops):
    """HDBSCAN* leaves the tips of the arms as noise; with an epsilon those outside of it are noise."""
    x = np.concatenate([star(3, 80), [[30.0, 0.0]]])
    model = whole(ops, x)
    assert (model.labels_ == -1).sum() > 5
    detector = detected(model)
    assert (detector.cluster_labels_ == 0).all()
    assert (detector.cluster_probabilities_ == 1).all()
    detector = detected(whole(ops, x, cluster_selection_epsilon=2.0))
    assert np.flatnonzero(detector.cluster_labels_ == -1).tolist() == [240]
    assert (detector.cluster_probabilities_[:240] == 1).all()


def test_the_size_of_a_clustering_that_chose_it(ops):
    """`min_cluster_size="auto"` was no number; and what is set after the fit counts for the next one."""
    g = np.random.default_rng(0)
    x = np.concatenate([g.normal(centre, 0.6, (60, 2)) for centre in [(0, 0), (6, 0), (0, 6)]])
    model = HDBSCANGPU(min_cluster_size="auto", device=ops.name).fit(x)
    known = BranchDetector(min_cluster_size=model.min_cluster_size_).fit(model)
    np.testing.assert_array_equal(BranchDetector().fit(model).labels_, known.labels_)
    model.set_params(min_cluster_size=2, cluster_selection_method="leaf")
    np.testing.assert_array_equal(BranchDetector().fit(model).labels_, known.labels_)


def test_parameters_are_those_of_the_clustering(ops):
    x = star(3, 60)
    model = whole(ops, x, min_cluster_size=40, cluster_selection_method="leaf", max_cluster_size=170)
    options = {"min_cluster_size": 40, "cluster_selection_method": "leaf", "max_cluster_size": 170}
    one, other = BranchDetector().fit(model), BranchDetector(**options, allow_single_cluster=True).fit(model)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert len(detected(model, min_cluster_size=90).branch_persistences_[0]) == 0
    small = HDBSCANGPU(min_cluster_size=10, min_samples=5, max_cluster_size=30, device=ops.name).fit(x)
    found = [
        detected(small, labels=np.zeros(180, int), max_cluster_size=most).branch_labels_ for most in (None, 30, 90)
    ]
    np.testing.assert_array_equal(found[0], found[1])
    assert not same_partition(found[0], found[2])


@pytest.mark.parametrize(
    "metric, params",
    [("manhattan", None), ("chebyshev", None), ("minkowski", {"p": 3}), ("sqeuclidean", None), ("canberra", None)]
    + [("seuclidean", None), (lambda a, b: np.abs(a - b).sum(), None)],
)
@pytest.mark.parametrize("method", ["full", "core"])
def test_metrics(ops, metric, params, method):
    x = star(3, 40, noise=0.1) + 20
    model = whole(ops, x, min_cluster_size=25, metric=metric, metric_params=params)
    detector = detected(model, method, labels=np.zeros(len(x), int))
    assert len(detector.branch_persistences_[0]) == 3
    found = model._model.metric
    np.testing.assert_allclose(
        detector.centralities_, 1 / found.distances_between(x, x.mean(axis=0)[None])[:, 0], rtol=1e-9
    )
    distance = found.distances_between(x, x)
    edges = detector.approximation_graph_.to_numpy()[1]
    within = distance[edges["parent"], edges["child"]]
    np.testing.assert_array_less(within, edges["mutual_reachability"] * (1 + 1e-12) + 1e-300)


@pytest.mark.parametrize("degrees", [True, False])
def test_places_on_both_sides_of_the_dateline(ops, degrees):
    arms = star(3, 60) / 4
    places = np.stack([arms[:, 1], (arms[:, 0] + 180 + 180) % 360 - 180], axis=1)
    planar = detected(whole(ops, arms, min_cluster_size=30))
    x = places if degrees else np.radians(places)
    params = {"degrees": True, "radius": 6371.0} if degrees else None
    model = whole(ops, x, min_cluster_size=30, metric="haversine", metric_params=params)
    found = detected(model)
    assert len(found.branch_persistences_[0]) == len(planar.branch_persistences_[0]) == 3
    far = np.linalg.norm(arms, axis=1) > 0.8
    assert same_partition(found.labels_[far], planar.labels_[far])
    slow = detected(whole(ops, x, min_cluster_size=30, metric="haversine", metric_params=params, alpha=1.0000001))
    np.testing.assert_allclose(slow.centralities_, found.centralities_, rtol=1e-9)


def test_directions(ops):
    x = np.hstack([star(3, 60) / 40, np.ones((180, 1))])
    detector = detected(whole(ops, x, min_cluster_size=30, metric="cosine"), labels=np.zeros(180, int))
    assert len(detector.branch_persistences_[0]) == 3
    both = np.concatenate([x, -x])  # the centre is the origin, which has no direction
    model = whole(ops, both, metric="cosine")
    assert (detected(model, labels=np.zeros(360, int)).centralities_ == 1).all()


def test_only_directions_need_a_centre_that_is_not_the_origin():
    rows = np.array([[-3.0], [1.0], [2.0]])
    cubes = Metric("euclidean", image=lambda points: points**3)
    np.testing.assert_array_equal(eccentricities(rows, np.ones(3), cubes), [27, 1, 8])


# What must not change a result.


@pytest.mark.parametrize("method", ["full", "core"])
@pytest.mark.parametrize("k", [1, 5])
def test_the_order_of_the_rows_is_of_no_effect(ops, method, k):
    x = two_stars_and_a_blob()
    order = np.random.default_rng(3).permutation(len(x))
    found = []
    for rows in (np.arange(len(x)), order):
        model = HDBSCANGPU(min_cluster_size=20, min_samples=k, device=ops.name).fit(x[rows])
        detector = detected(model, method)
        places = np.argsort(rows)
        names = ("labels_", "probabilities_", "centralities_", "branch_probabilities_")
        found.append([getattr(detector, name)[places] for name in names])
    assert same_partition(found[0][0], found[1][0])
    assert len(set(found[0][0])) > 8
    for one, other in zip(found[0][1:], found[1][1:]):
        np.testing.assert_array_equal(one, other)


def test_every_run_gives_the_same_bits(ops):
    x = two_stars_and_a_blob()
    model = HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(x)
    one, other = detected(model), detected(model)
    for name in ("labels_", "probabilities_", "centralities_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for a, b in zip(one.linkage_trees_, other.linkage_trees_):
        np.testing.assert_array_equal(a.to_numpy(), b.to_numpy())


@pytest.mark.gpu
def test_both_devices_give_the_same_bits():
    x = two_stars_and_a_blob()
    one, other = (
        detected(HDBSCANGPU(min_cluster_size=20, min_samples=5, device=device).fit(x)) for device in ("cpu", "cuda")
    )
    for name in ("labels_", "probabilities_", "centralities_", "branch_probabilities_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for a, b in zip(one.approximation_graph_.to_numpy(), other.approximation_graph_.to_numpy()):
        np.testing.assert_array_equal(a, b)


@pytest.mark.gpu
def test_results_are_where_the_data_is():
    import cupy

    x = two_stars_and_a_blob()
    model = HDBSCANGPU(min_cluster_size=20, min_samples=5).fit(cupy.asarray(x))
    detector = detected(model)
    assert isinstance(detector.labels_, cupy.ndarray)
    assert isinstance(detector.exemplars_[to_host(detector._divided).tolist().index(True)][0], cupy.ndarray)
    assert all(isinstance(one, cupy.ndarray) for one in approximate_predict_branch(detector, cupy.asarray(x)))
    again = pickle.loads(pickle.dumps(detector))
    np.testing.assert_array_equal(again.labels_, to_host(detector.labels_))


def test_pairs_are_searched_in_blocks(ops, monkeypatch):
    model = whole(ops, star(3, 50), min_samples=5)
    found = []
    for rows in (pairs.ROWS, 37):
        monkeypatch.setattr(pairs, "ROWS", rows)
        found.append(detected(model, "core").approximation_graph_.to_numpy()[1])
    assert len(found[0]) > 300
    np.testing.assert_array_equal(*found)


def test_single_precision(ops):
    x = two_stars_and_a_blob().astype(np.float32)
    model = HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(x)
    assert model.core_distances_.dtype == np.float32
    detector = detected(model)
    twice = detected(HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(x.astype(np.float64)))
    assert same_partition(detector.labels_, twice.labels_)
    edges = detector.approximation_graph_.to_numpy()[1]
    for points in detector.cluster_points_:  # the greatest tree edge is in the graph, and none is longer
        own = edges[np.isin(edges["parent"], points)]
        inside = np.isin(to_host(model._model.edges), points).all(axis=1)
        assert own["mutual_reachability"].max() == to_host(model._model.weights)[inside].max()


# Input.


def with_bad_rows(x):
    x = x.copy()
    x[3, 0], x[70, 1], x[200, 0] = np.nan, np.inf, -np.inf
    return x


def test_rows_that_are_not_finite(ops):
    x = two_stars_and_a_blob()
    bad = with_bad_rows(x)
    kept = np.isfinite(bad).all(axis=1)
    options = {"min_cluster_size": 20, "min_samples": 5, "device": ops.name}
    found, clean = (detected(HDBSCANGPU(**options).fit(rows)) for rows in (bad, x[kept]))
    names = ("labels_", "probabilities_", "cluster_labels_", "branch_labels_", "branch_probabilities_", "centralities_")
    for name in names:
        np.testing.assert_array_equal(getattr(found, name)[kept], getattr(clean, name))
    assert found.labels_[~kept].tolist() == found.cluster_labels_[~kept].tolist() == [-3, -2, -2]
    for name in ("probabilities_", "cluster_probabilities_", "branch_probabilities_"):
        np.testing.assert_array_equal(getattr(found, name)[~kept], [np.nan, 0, 0])
    assert not found.centralities_[~kept].any()
    rows = np.flatnonzero(kept)
    for one, other in zip(found.cluster_points_, clean.cluster_points_):
        np.testing.assert_array_equal(one, rows[other])
    for one, other in zip(found.exemplar_indices_, clean.exemplar_indices_):
        assert (one is None) == (other is None)
        for a, b in zip(one or [], other or []):
            np.testing.assert_array_equal(a, rows[b])
    points, edges = found.approximation_graph_.to_numpy()
    theirs = clean.approximation_graph_.to_numpy()
    np.testing.assert_array_equal(points["id"], rows[theirs[0]["id"]])
    np.testing.assert_array_equal(edges["child"], rows[theirs[1]["child"]])
    labels = np.where(kept, 0, 5)
    assert detected(HDBSCANGPU(**options).fit(bad), labels=labels).cluster_labels_[~kept].tolist() == [-3, -2, -2]


@pytest.mark.parametrize("rows", [2, 3, 40])
def test_equal_points(ops, rows):
    """All of them are the centre: no eccentricity is greater than the others."""
    model = whole(ops, np.ones((rows, 2)), min_cluster_size=2, min_samples=2)
    for method in ("full", "core"):
        detector = detected(model, method)
        assert (detector.labels_ == 0).all()
        assert np.isinf(detector.centralities_).all()


def test_no_clusters(ops):
    x = np.random.default_rng(0).random((30, 2))
    none = np.full((3, 2), np.nan)
    for rows in (x, np.concatenate([x[:1], none]), none):
        model = HDBSCANGPU(min_cluster_size=30, min_samples=1, device=ops.name).fit(rows)
        detector = detected(model)
        np.testing.assert_array_equal(detector.labels_, model.labels_)
        assert detector.cluster_points_ == detector.branch_persistences_ == detector.condensed_trees_ == []
        assert [len(table) for table in detector.approximation_graph_.to_numpy()] == [0, 0]
        labels, probabilities, *_ = approximate_predict_branch(detector, rows)
        np.testing.assert_array_equal(labels, model.labels_)
        np.testing.assert_array_equal(probabilities, model.probabilities_)


X = star(3, 30)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"branch_detection_method": "half"}, "branch_detection_method must be one of 'core', 'full'; got 'half'"),
        ({"label_sides_as_branches": 1}, "label_sides_as_branches must be True or False"),
        ({"min_cluster_size": 1}, "min_cluster_size must be an integer of at least 2 or None; got 1"),
        ({"max_cluster_size": 0}, "max_cluster_size must be an integer of at least 1 or None; got 0"),
        ({"allow_single_cluster": "no"}, "allow_single_cluster must be True or False or None"),
        ({"cluster_selection_method": "all"}, "cluster_selection_method must be one of 'eom', 'leaf' or None"),
        ({"cluster_selection_epsilon": -1}, "cluster_selection_epsilon must be a finite number of at least 0"),
        ({"cluster_selection_persistence": np.inf}, "cluster_selection_persistence must be a finite number"),
    ],
)
def test_parameters_out_of_range(options, words):
    with pytest.raises(ValueError, match=words):
        BranchDetector(**options).fit(HDBSCANGPU(device="cpu").fit(X))


@pytest.mark.parametrize(
    "labels, probabilities, words",
    [
        (np.zeros(5, int), None, r"labels must be 90 integers; got int64 of shape \(5,\)"),
        (np.zeros(90), None, "labels must be 90 integers; got float64"),
        (np.full(90, 2**40), None, r"labels must be numbers of clusters from 0; got 1,099,511,627,776: np\.unique"),
        (None, np.zeros(5), r"probabilities must be 90 numbers; got float64 of shape \(5,\)"),
        (None, np.full(90, 1.5), "probabilities must be from 0 to 1; got 1.5 in row 0, one of 90 bad entries"),
        (np.zeros(90, int), np.full(90, np.nan), "probabilities must be from 0 to 1; got nan"),
        (np.zeros(90, int), np.zeros(90), "the members of cluster 0 all have probability 0: it has no centre"),
    ],
)
def test_labels_and_probabilities_that_do_not_fit(labels, probabilities, words):
    with pytest.raises(ValueError, match=words):
        BranchDetector().fit(HDBSCANGPU(device="cpu").fit(X), labels, probabilities)


def test_what_has_no_branches():
    options = {"device": "cpu", "min_cluster_size": 5}
    for data, metric in ((cdist(X, X), "precomputed"), (csr_array(np.abs(X)), "euclidean")):
        with pytest.raises(ValueError, match=r"has no branches: .*Fit it to dense features"):
            BranchDetector().fit(HDBSCANGPU(metric=metric, **options).fit(data))
    with pytest.raises(TypeError, match=r"must be a fitted HDBSCANGPU; got numpy\.ndarray"):
        BranchDetector().fit(X)
    with pytest.raises(NotFittedError):
        BranchDetector().fit(HDBSCANGPU())
    with pytest.raises(NotFittedError):
        _ = BranchDetector().labels_
    with pytest.raises(TypeError, match=r"must be a fitted BranchDetector; got emst\.\S*HDBSCANGPU"):
        approximate_predict_branch(HDBSCANGPU(**options).fit(X), X)
    with pytest.raises(NotFittedError):
        approximate_predict_branch(BranchDetector(), X)


@pytest.mark.parametrize("method", ["full", "core"])
def test_a_graph_that_does_not_fit(monkeypatch, method):
    monkeypatch.setattr(pairs, "PAIR_BYTES", 1 << 50)
    with pytest.raises(
        MemoryError,
        match=r"the graph of a cluster of \d+ points has about [\d,]+ edges, which need [\d,.]+ GB .* docs/guide",
    ):
        BranchDetector(method).fit(HDBSCANGPU(device="cpu").fit(X))


# New points.


@pytest.mark.parametrize("method", ["full", "core"])
@pytest.mark.parametrize("single", [True, False])
def test_predictions_of_the_training_data_are_its_labels(ops, method, single):
    x = with_bad_rows(star(3, 80) if single else two_stars_and_a_blob())
    for epsilon in (0.0, 1.0):
        model = HDBSCANGPU(
            min_cluster_size=20,
            min_samples=5,
            allow_single_cluster=single,
            cluster_selection_epsilon=epsilon,
            device=ops.name,
        ).fit(x)
        detector = detected(model, method)
        assert detector._divided.any() or epsilon
        found = approximate_predict_branch(detector, x)
        names = ("labels_", "probabilities_", "cluster_labels_", "cluster_probabilities_")
        names += ("branch_labels_", "branch_probabilities_")
        for name, one in zip(names, found):
            np.testing.assert_array_equal(one, getattr(detector, name), err_msg=name)


def test_new_points(ops):
    x = star(3, 80)
    detector = detected(whole(ops, x, min_cluster_size=30))
    tips = np.array([x[80 * arm + np.linalg.norm(x[80 * arm : 80 * arm + 80], axis=1).argmax()] for arm in range(3)])
    labels, probabilities, clusters, _, branch, of_branch = approximate_predict_branch(detector, tips * 0.97)
    assert sorted(labels) == [1, 2, 3]
    assert clusters.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(labels, branch + 1)
    np.testing.assert_array_equal(probabilities, (1 + of_branch) / 2)


def test_a_new_point_far_away_is_noise(ops):
    detector = detected(HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(two_stars_and_a_blob()))
    found = approximate_predict_branch(detector, [[0.0, 500.0], [60.0, 0.0]])
    assert [one[0] for one in found] == [-1, 0, -1, 0, 0, 1]
    blob = to_host(detector.labels_)[-1]
    assert found[0][1] == blob
    assert found[4][1] == 0


def test_a_new_point_that_joins_noise_is_noise(ops):
    """A few points beside a cluster that is the root are noise by epsilon, and so is a new point that joins them."""
    g = np.random.default_rng(0)
    x = np.concatenate([g.random((60, 2)), g.random((4, 2)) / 10 + 8])
    model = whole(ops, x, min_samples=2, cluster_selection_epsilon=1.0)
    detector = detected(model)
    assert (detector.cluster_labels_[60:] == -1).all()
    new = [[8.05, 8.05]]
    assert model.predict(new).tolist() == [-1]
    assert [one[0] for one in approximate_predict_branch(detector, new)] == [-1, 0, -1, 0, 0, 1]


def test_new_points_take_given_labels_from_their_neighbours(ops):
    x = two_stars_and_a_blob()
    labels = np.repeat([0, -1, 1], [180, 300, 80])
    model = HDBSCANGPU(min_cluster_size=20, min_samples=1, device=ops.name).fit(x)
    detector = detected(model, labels=labels)
    assert detector._divided.any()
    found = approximate_predict_branch(detector, x + 1e-9)
    np.testing.assert_array_equal(found[2], labels)
    np.testing.assert_array_equal(found[0], detector.labels_)


def test_a_later_fit_of_the_clustering_changes_nothing(ops):
    x = star(3, 60)
    model = whole(ops, x)
    detector = detected(model)
    before = detector.labels_.copy()
    model.fit(x[:50])
    np.testing.assert_array_equal(approximate_predict_branch(detector, x)[0], before)


# Results as objects.


def test_trees_are_numbered_within_the_cluster(ops):
    x = two_stars_and_a_blob()
    detector = detected(HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(x))
    for points, condensed, linkage in zip(detector.cluster_points_, detector.condensed_trees_, detector.linkage_trees_):
        table, matrix = condensed.to_numpy(), linkage.to_numpy()
        assert table["parent"].min() == len(points)
        heights = np.full(len(points), np.inf)
        for a, b, height, _ in matrix:
            for end in (a, b):
                if end < len(points):
                    heights[int(end)] = min(heights[int(end)], height)
        assert (heights >= to_host(detector.centralities_)[points]).all()
        assert condensed.plot(select_clusters=True) is not None


def test_exemplars_and_centres(ops):
    x = two_stars_and_a_blob()
    detector = detected(HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(x))
    assert [len(of or []) for of in detector.exemplar_indices_] == [
        len(p) if len(p) > 2 else 0 for p in detector.branch_persistences_
    ]
    for points, indices, rows in zip(detector.cluster_points_, detector.exemplar_indices_, detector.exemplars_):
        for branch, (some, own) in enumerate(zip(indices or [], rows or [])):
            np.testing.assert_array_equal(own, x[some])
            assert (detector.branch_labels_[some] == branch).all()
            assert set(some) <= set(points)
    for label in range(detector.labels_.max() + 1):
        members, weights = x[detector.labels_ == label], detector.probabilities_[detector.labels_ == label]
        mean = np.average(members, axis=0, weights=weights)
        np.testing.assert_allclose(detector.weighted_centroid(label), mean, rtol=1e-12)
        medoid = members[(cdist(members, members) @ weights).argmin()]
        np.testing.assert_array_equal(detector.weighted_medoid(label), medoid)
        np.testing.assert_allclose(detector.weighted_centroid(label, data=x + 1), mean + 1, rtol=1e-12)
    with pytest.raises(ValueError, match="-1 is noise; got label_id=-1"):
        detector.weighted_centroid(-1)


def test_the_graph_as_tables(ops):
    x = with_bad_rows(two_stars_and_a_blob())
    detector = detected(HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(x))
    graph = detector.approximation_graph_
    assert graph is detector.approximation_graph_
    points, edges = graph.to_numpy()
    assert repr(graph) == f"<ApproximationGraph: {len(points):,} points, {len(edges):,} edges, 3 clusters>"
    np.testing.assert_array_equal(points["label"], detector.labels_[points["id"]])
    np.testing.assert_array_equal(points["id"], np.flatnonzero(detector.cluster_labels_ >= 0))
    greater = np.maximum(*(detector.centralities_[edges[end]] for end in ("parent", "child")))
    np.testing.assert_array_equal(edges["centrality"], greater)
    for frames in (graph.to_pandas(), graph.to_polars()):
        for frame, table in zip(frames, (points, edges)):
            assert tuple(frame.columns) == table.dtype.names
            assert frame.shape == (len(table), len(table.dtype))
    network = graph.to_networkx(["x", "y"])
    assert (network.number_of_nodes(), network.number_of_edges()) == (len(points), len(edges))
    u, v, values = next(iter(network.edges(data=True)))
    first = edges[(edges["parent"] == min(u, v)) & (edges["child"] == max(u, v))][0]
    assert values["weight"] == 1 / (1 + first["mutual_reachability"])
    assert network.nodes[u]["x"] == x[u, 0]
    assert network.nodes[u]["label"] == detector.labels_[u]
    assert "feature 1" in graph.to_networkx().nodes[u]


def test_pickle_and_clone(ops):
    x = two_stars_and_a_blob()
    detector = detected(HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(x), "core")
    again = pickle.loads(pickle.dumps(detector))
    np.testing.assert_array_equal(again.labels_, detector.labels_)
    np.testing.assert_array_equal(
        again.exemplars_[again._divided.argmax()][0], detector.exemplars_[again._divided.argmax()][0]
    )
    for one, other in zip(approximate_predict_branch(again, x), approximate_predict_branch(detector, x)):
        np.testing.assert_array_equal(one, other)
    twin = clone(detector)
    assert twin.branch_detection_method == "core"
    np.testing.assert_array_equal(twin.fit_predict(detector.model_), detector.labels_)
