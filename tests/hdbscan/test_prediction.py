"""Prediction and soft clustering, against brute force written from the definitions, and hdbscan where they coincide."""

import dataclasses
import pickle

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, cloud, hierarchies, scale_and_order, to_device, to_host
from joining_reference import (
    exemplar_table,
    expected_join,
    expected_membership,
    expected_prediction,
    flat_of,
    host,
    lambdas,
)
from norms_reference import BY_NAME, power_between
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances

from emst import HDBSCANGPU
from emst.hdbscan.joining import join_queries
from emst.hdbscan.membership import all_points_membership_vectors, membership_vector
from emst.hdbscan.prediction import approximate_predict, approximate_predict_scores

NAMES = {name: f"cluster_selection_{name}" for name in ("epsilon", "method", "persistence")}


def fitted(ops, x, k=5, metric="euclidean", **options):
    options = {NAMES.get(name, name): value for name, value in options.items()}
    return HDBSCANGPU(min_samples=k, metric=metric, device=ops.name, **options).fit(x)


def around(x, seed=1, far=True):
    """New points: near the old ones, between them, equal to them, and far away."""
    g = np.random.default_rng(seed)
    spread = x.std(axis=0) + x.dtype.type(1e-3)
    parts = [x[::3], x[g.integers(0, len(x), 60)] + g.standard_normal((60, x.shape[1])) * 0.1 * spread]
    parts += [x[g.integers(0, len(x), 40)] * 0.5 + x[g.integers(0, len(x), 40)] * 0.5, x.mean(0) + 10 * spread[None]]
    return np.concatenate(parts if far else parts[:-1]).astype(x.dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 2, 5, 40])
def test_the_nearest_point_under_mutual_reachability(ops, kind, d, dtype, k):
    x = cloud(300, d, dtype, kind)
    queries = np.concatenate([around(x), cloud(100, d, dtype, kind, seed=9)])
    model = fitted(ops, x, k)
    labels, probabilities, neighbors = approximate_predict(model, queries, return_connecting_points=True)
    expected = expected_prediction(model, x, queries, k)
    np.testing.assert_array_equal(neighbors, expected[2])
    np.testing.assert_array_equal(labels, expected[0])
    np.testing.assert_array_equal(probabilities, expected[1])
    assert (labels.dtype, probabilities.dtype, neighbors.dtype) == (np.int64, np.float64, np.int64)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_nearest_point_under_every_norm(ops, name):
    norm = BY_NAME[name]
    metric = norm.kind if "power" not in norm.kind else "minkowski"
    params = {"p": norm.degree} if metric == "minkowski" else None
    for d, kind, k in [(2, "uneven", 1), (3, "lattice", 5), (7, "repeated", 3), (40, "uniform", 4)]:
        x = cloud(250, d, np.float64, kind)
        queries = np.clip(around(x, far=False), x.min(axis=0), x.max(axis=0))  # within the scale
        model = fitted(ops, x, k, metric, metric_params=params)
        found = approximate_predict(model, queries, return_connecting_points=True)
        expected = expected_prediction(model, x, queries, k, expected_join(model, x, queries, k, norm))
        for ours, theirs in zip(found, expected):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(model.predict(x), model.labels_)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["manhattan", "chebyshev", "powers 3"])
def test_far_queries_join_the_nearest_point(ops, name, dtype):
    """From very far, all points are equally near: then the first on the curve is taken."""
    norm, x = BY_NAME[name], cloud(300, 3, dtype)
    metric, params = ("minkowski", {"p": 3}) if norm.kind == "powers" else (name, None)
    queries = np.array([[1e6, -9e5, 3e5], [-2e5, 1e30, -1e30]], dtype)
    model = fitted(ops, x, 5, metric, metric_params=params)
    _, _, neighbors = approximate_predict(model, queries, return_connecting_points=True)
    searched = np.float64 if norm.kind == "powers" else dtype
    between = power_between(queries[:, None].astype(searched), x[None].astype(searched), norm)
    place = np.argsort(scale_and_order(x.astype(searched), norm)[1])
    np.testing.assert_array_equal(neighbors, [np.lexsort((place, row))[0] for row in between])


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_query_whose_power_is_subnormal_is_no_training_point(ops, dtype):
    """The first new point equals a training point, so it joins at height 0. The others lie very near to that point and
    join at their distances. All leave the cluster as early as the training point does."""
    x = np.array([[0], [4], [5], [100], [104], [105]], dtype) * dtype(2.0**57)
    model = HDBSCANGPU(2, 1, device=ops.name).fit(x)
    least = 2.0 ** (-72 if dtype is np.float32 else -980)  # that of its multiples up to 1,024 is subnormal, too
    queries = np.array([[0], [least], [least * 2], [least * 1024]], dtype)
    _, probabilities = approximate_predict(model, queries)
    assert to_host(probabilities).tolist() == [0.25] * 4
    edges = join_queries(model._model, to_device(ops, queries))
    assert to_host(edges.equal).tolist() == [True, False, False, False]
    assert to_host(edges.height).tolist() == [0, *queries[1:, 0].tolist()]


@pytest.mark.parametrize("p", [1.5, 2.7, 3, 32])
def test_powers_of_float32_are_float64(ops, p):
    """Results are rounded once, and a query that equals a training point finds it; far queries do not overflow."""
    x = cloud(300, 3, np.float32, "uneven")
    model = fitted(ops, x, 4, "minkowski", metric_params={"p": p})
    assert model.core_distances_.dtype == np.float32
    labels, probabilities, neighbors = approximate_predict(model, x, return_connecting_points=True)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(probabilities, model.probabilities_)
    np.testing.assert_array_equal(x[neighbors], x)
    far = np.array([[1e3, 0, 0], [0, -1e9, 0], [np.finfo(np.float32).max / 4, 0, 0]], np.float32)
    together = approximate_predict(model, np.concatenate([far, x[:9] * np.float32(1.01)]))
    alone = approximate_predict(model, x[:9] * np.float32(1.01))
    for ours, theirs in zip(together, alone):
        np.testing.assert_array_equal(ours[3:], theirs)


@pytest.mark.parametrize("n", [2, 3, 17, 40])
def test_few_points_and_all_of_them_in_the_lists(ops, n):
    x = cloud(n, 2, np.float64)
    for k in sorted({1, 2, n}):
        model = fitted(ops, x, k, allow_single_cluster=True)
        found = approximate_predict(model, around(x), return_connecting_points=True)
        for ours, expected in zip(found, expected_prediction(model, x, around(x), k)):
            np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"epsilon": 12.0},
        {"epsilon": 2.0, "method": "leaf"},
        {"allow_single_cluster": True},
        {"allow_single_cluster": True, "epsilon": 9.0},
        {"max_cluster_size": 20},
        {"persistence": 0.02},
    ],
    ids=str,
)
def test_training_points_keep_their_labels(ops, options):
    """T10 of the peers' defects: hdbscan reproduces half of its own labels with epsilon."""
    for centers in (1, 10):
        x, _ = make_blobs(100, n_features=8, centers=centers, random_state=42)
        model = fitted(ops, x, 6, **options)
        labels, probabilities, neighbors = approximate_predict(model, x, return_connecting_points=True)
        np.testing.assert_array_equal(neighbors, np.arange(100))
        np.testing.assert_array_equal(labels, model.labels_)
        np.testing.assert_array_equal(probabilities, model.probabilities_)
        queries = around(x)
        expected = expected_prediction(model, x, queries, 6)
        for ours, wanted in zip(approximate_predict(model, queries), expected):
            np.testing.assert_array_equal(ours, wanted)


def test_labels_agree_with_hdbscan_away_from_borders(ops):
    """It looks at fewer neighbours, with core distances of other k; between clusters far apart that changes nothing."""
    hdbscan = pytest.importorskip("hdbscan")
    x, _ = make_blobs(400, 3, centers=8, cluster_std=0.3, center_box=(-20, 20), random_state=2)
    theirs = hdbscan.HDBSCAN(min_samples=4, min_cluster_size=20, prediction_data=True).fit(x)
    model = fitted(ops, x, 5, min_cluster_size=20)
    ours = model.labels_
    names = {int(a): int(b) for a, b in zip(ours, theirs.labels_)}
    assert len(names) >= 8
    queries = x[::2] + 0.02 * np.random.default_rng(0).standard_normal((200, 3))
    inside = (ours[::2] >= 0) & (theirs.labels_[::2] >= 0)
    labels = approximate_predict(model, queries)[0]
    expected = hdbscan.approximate_predict(theirs, queries)[0]
    assert inside.mean() > 0.9
    assert [names[c] for c in labels[inside].tolist()] == expected[inside].tolist()


def test_of_equal_training_points_the_first_counts(ops):
    x = np.concatenate([np.full((500, 2), 0.25), cloud(100, 2, np.float64), np.full((300, 2), 0.5)])
    x = x[np.random.default_rng(2).permutation(len(x))]
    _, _, neighbors = approximate_predict(fitted(ops, x), x, return_connecting_points=True)
    _, first, inverse = np.unique(x, axis=0, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(neighbors, first[inverse.reshape(-1)])


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_query_does_not_depend_on_the_other_queries(ops, dtype):
    """Far queries change the scale of nobody else, and do not overflow themselves."""
    x = cloud(200, 3, dtype)
    most = np.finfo(dtype).max
    far = np.array([[1e3, 0, 0], [0, -1e9, 0], [most / 4, 0, 0], [-most, most, most]], dtype)
    queries = np.concatenate([far, around(x), far])
    model = fitted(ops, x)
    together = approximate_predict(model, queries, return_connecting_points=True)
    alone = [approximate_predict(model, q[None], return_connecting_points=True) for q in queries]
    for ours, one_by_one in zip(together, zip(*alone)):
        np.testing.assert_array_equal(ours, np.concatenate(one_by_one))
    below = np.array([[0, -1e4, 0]], dtype)
    corner = approximate_predict(fitted(ops, x, 1), below, return_connecting_points=True)[2][0]
    assert x[corner, 1] < x[:, 1].min() + 0.01


def test_rows_that_are_not_finite_get_the_labels_of_fit(ops):
    x = cloud(100, 2, np.float64)
    queries = x[:6].copy()
    queries[1, 0], queries[2, 1], queries[4] = np.nan, np.inf, (np.inf, -np.inf)
    labels, probabilities, neighbors = approximate_predict(fitted(ops, x), queries, return_connecting_points=True)
    assert labels[[1, 2, 4]].tolist() == [-3, -2, -3]
    np.testing.assert_array_equal(probabilities[[1, 2, 4]], [np.nan, 0, np.nan])
    assert neighbors.tolist() == [0, -1, -1, 3, -1, 5]
    vectors = membership_vector(fitted(ops, x, method="leaf"), queries)
    assert np.isnan(vectors[[1, 4]]).all() and not vectors[2].any() and np.isfinite(vectors[[0, 3, 5]]).all()
    x[:6] = queries
    model = fitted(ops, x, method="leaf")
    vectors = all_points_membership_vectors(model, out=np.full((100, model.labels_.max() + 1), 7.0))
    assert np.isnan(vectors[[1, 4]]).all() and not vectors[2].any() and np.isfinite(vectors[[0, 3, 5]]).all()
    np.testing.assert_array_equal(all_points_membership_vectors(model), vectors)


@pytest.mark.parametrize("metric", ["cosine", "haversine", "sqeuclidean"])
def test_metrics_that_are_euclidean_in_disguise(ops, metric):
    g = np.random.default_rng(3)
    x = np.concatenate([c + 0.1 * g.standard_normal((60, 2)) for c in ([1.0, 0.2], [0.1, 1.2], [-0.9, -0.8])])
    queries = np.concatenate([x[:20], x[::7] + 0.05 * g.standard_normal((26, 2))])
    k, model = 4, fitted(ops, x, 4, metric)
    between, core = pairwise_distances(queries, x, metric), pairwise_distances(x, metric=metric)
    core = np.sort(core, axis=1)[:, k - 1]
    own = np.sort(between, axis=1)[:, k - 2]
    weight = np.maximum(np.maximum(between, core), own[:, None])
    labels, _, neighbors = approximate_predict(model, queries, return_connecting_points=True)
    assert neighbors[:20].tolist() == list(range(20))
    at = np.arange(20, len(queries))
    np.testing.assert_allclose(weight[at, neighbors[20:]], weight[20:].min(axis=1), rtol=1e-9)
    np.testing.assert_array_equal(labels[:20], model.labels_[:20])


@pytest.mark.parametrize(
    "metric, params", [("euclidean", {}), ("manhattan", {}), ("sqeuclidean", {}), ("minkowski", {"p": 3})]
)
@pytest.mark.parametrize("alpha", [0.7, 1.3])
def test_alpha_divides_distances_and_not_core_distances(ops, metric, params, alpha):
    """The last queries lie beyond the scale of the training points, next to some that are far from one another."""
    x, _ = make_blobs([60, 40, 50], 3, cluster_std=0.7, random_state=5)
    x = np.concatenate([x, [[20, 0, 0], [20, 8, 0], [20, -8, 0]]])
    queries = np.concatenate([x[:20], x + np.random.default_rng(1).normal(0, 0.3, x.shape), [[33, 0, 0], [-70, 0, 1]]])
    k, model = 4, fitted(ops, x, 4, metric, alpha=alpha, metric_params=params or None)
    between = pairwise_distances(queries, x, metric, **params)
    core = np.sort(pairwise_distances(x, metric=metric, **params), axis=1)[:, k - 1]
    weight = np.maximum(np.maximum(between / alpha, core), np.sort(between, axis=1)[:, k - 2 : k - 1])
    labels, _, neighbors = approximate_predict(model, queries, return_connecting_points=True)
    assert neighbors[:20].tolist() == list(range(20))
    np.testing.assert_array_equal(labels[:20], model.labels_[:20])
    at = np.arange(20, len(queries))
    np.testing.assert_allclose(weight[at, neighbors[20:]], weight[20:].min(axis=1), rtol=1e-9)
    heights = to_host(join_queries(model._model, to_device(ops, queries)).height)
    np.testing.assert_allclose(heights[20:], weight[20:].min(axis=1), rtol=1e-9)


@pytest.mark.parametrize("metric, alpha", [("braycurtis", 1.0), ("braycurtis", 1.3)])
def test_without_a_search_all_pairs_are_compared(ops, metric, alpha, monkeypatch):
    monkeypatch.setattr("emst.distances.pairwise.BLOCK_BYTES", 8 * 1000)
    x, _ = make_blobs([60, 40, 50], 3, cluster_std=0.7, random_state=5)
    x, k = np.concatenate([x, x[:20]]), 4
    model = fitted(ops, x, k, metric, alpha=alpha)
    queries = np.concatenate([x, np.abs(around(x))])
    between, core = (
        pairwise_distances(queries, x, metric),
        np.sort(pairwise_distances(x, metric=metric), axis=1)[:, k - 1],
    )
    weight = np.maximum(np.maximum(between / alpha, core), np.sort(between, axis=1)[:, k - 2 : k - 1])
    equal = (queries[:, None] == x[None]).all(axis=2)
    weight[equal] = 0
    rows = np.array([np.lexsort((between[i], weight[i]))[0] for i in range(len(queries))])
    join = rows, equal.any(axis=1), weight.min(axis=1)
    found = approximate_predict(model, queries, return_connecting_points=True)
    for ours, expected in zip(found, expected_prediction(model, x, queries, k, join)):
        np.testing.assert_array_equal(ours, expected)
    np.testing.assert_array_equal(found[0][:170], model.labels_[join[0][:170]])
    vectors = all_points_membership_vectors(model, 13)
    np.testing.assert_allclose(membership_vector(model, x)[:150], vectors[:150], rtol=1e-12)
    labels = model.labels_
    sure = model.probabilities_ == 1
    np.testing.assert_array_equal(vectors[sure].argmax(axis=1), labels[sure])


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_metrics_that_take_parameters_from_the_data_take_them_from_the_training_points(ops, metric):
    x, _ = make_blobs([60, 40, 50], 3, random_state=5)
    x *= [1, 10, 100]
    model = fitted(ops, x, 4, metric)
    queries = around(x, far=False)
    together = approximate_predict(model, queries, return_connecting_points=True)
    for i in (0, 60, 100):
        for all_, alone in zip(together, approximate_predict(model, queries[i : i + 1], return_connecting_points=True)):
            np.testing.assert_array_equal(alone, all_[i : i + 1])
    np.testing.assert_array_equal(approximate_predict(model, x)[0], model.labels_)
    assert np.isfinite(membership_vector(model, queries[:3])).all()


def test_scores_of_outliers(ops):
    x = np.concatenate([make_blobs(200, 2, centers=4, random_state=1)[0], np.repeat([[30.0, 30]], 9, axis=0)])
    model, queries = fitted(ops, x), np.concatenate([x, around(x), [[np.nan, 0], [np.inf, 0]]])
    scores = approximate_predict_scores(model, queries)
    known = model.outlier_scores_
    np.testing.assert_array_equal(scores[:200], known[:200])
    rows, same, heights = expected_join(model, x, queries[:-2], 5)
    condensed = host(flat_of(model).condensed)
    leaves = lambdas(to_host(flat_of(model).condensed.linkage.height))[condensed["leaving_merge"]]
    greatest = condensed["death"].copy()
    for c in range(len(greatest) - 1, 0, -1):
        greatest[condensed["parent"][c]] = max(greatest[condensed["parent"][c]], greatest[c])
    for i in np.flatnonzero(~same):
        joins, c = lambdas(heights[i]), condensed["cluster"][rows[i]]
        while joins < leaves[rows[i]] and c != 0 and condensed["birth"][c] >= joins:
            c = condensed["parent"][c]
        assert scores[i] == 1 - min(joins, leaves[rows[i]]) / greatest[c]
    np.testing.assert_array_equal(scores[-2:], [np.nan, 1])


def test_a_query_leaves_with_its_neighbour(ops):
    """A query between two outliers, closer to both than they are to each other, is an outlier as well: it was a member
    of the root with probability 1 and score 0. Inside a cluster it has the probability that a refit gives."""
    g = np.random.default_rng(0)
    x, query = np.concatenate([g.normal(0, 1, (100, 2)), [[50, 50], [50.01, 50]]]), np.array([[50.005, 50.0]])
    model = fitted(ops, x, 2, min_cluster_size=10, allow_single_cluster=True)
    again = fitted(ops, np.concatenate([x, query]), 2, min_cluster_size=10, allow_single_cluster=True)
    assert model.labels_[:100].max() == 0 and model.labels_[-1] == again.labels_[-1] == -1
    labels, probabilities = approximate_predict(model, query)
    assert labels.tolist() == [-1] and probabilities.tolist() == [0]
    assert approximate_predict_scores(model, query)[0] == model.outlier_scores_[-1] > 0.99
    x, query = np.concatenate([x, g.normal(0, 1, (100, 2)) + [0, 60]]), query + [0, 10]
    x[100:102] += [0, 10]
    model = fitted(ops, x, 2, min_cluster_size=10)
    label, probability = approximate_predict(model, query)
    assert label[0] == model.labels_[101] >= 0 and probability[0] == model.probabilities_[101] < 0.2


def test_a_row_of_zeros_has_no_cosine(ops):
    model = fitted(ops, cloud(50, 2, np.float64) + 0.1, metric="cosine")
    with pytest.raises(ValueError, match="not defined for row 1 of X"):
        approximate_predict(model, np.array([[1.0, 1.0], [0.0, 0.0]]))


def test_long_chains_of_clusters_are_climbed(ops):
    """Every cluster splits off two points at a time: a condensed tree as deep as it has splits."""
    gaps = np.repeat(np.linspace(1, 50, 300), 2)
    gaps[1::2] = 0.5
    x = np.cumsum(gaps)[:, None]
    model = fitted(ops, x, 1, min_cluster_size=2, method="leaf")
    assert flat_of(model).condensed.count > 400
    queries = np.concatenate([x + 0.1, x - 0.3, x + 20])
    for ours, expected in zip(approximate_predict(model, queries), expected_prediction(model, x, queries, 1)):
        np.testing.assert_array_equal(ours, expected)


# ---- the operations, compared with the reference -------------------------------------------------------------------


def check_joined(ops, ours, expected, k, *begins):
    """The core distance of every query, and the point that it joins, wherever the searches begin."""
    index, queries = ours
    wanted_core, wanted_radius = None, np.full(queries.n, np.inf, index.dtype)
    if k > 1:
        wanted_core, wanted_radius = reference.query_cores(*expected, k, None)
    wanted = reference.nearest_across(expected[0], None, expected[1], None, wanted_core, wanted_radius)
    for near in (to_device(ops, near) for near in begins):
        core, radius = None, to_device(ops, wanted_radius)
        if k > 1:
            core, radius = ops.query_cores(index, queries, k, near)
            np.testing.assert_array_equal(to_host(core), wanted_core)
        found = ops.nearest_across(index, None, queries, None, core, radius, near)
        for a, b in zip(found, wanted):
            np.testing.assert_array_equal(to_host(a), b)
        np.testing.assert_array_equal(to_host(radius) == 0, (wanted[1] == 0) & (wanted_radius == 0))
        assert (wanted[1] <= to_host(radius)).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [2, 7, 40])
@pytest.mark.parametrize("k", [1, 3, 30, 34, 201, 700])
def test_the_points_that_queries_join_equal_the_reference(ops, d, dtype, k):
    for n in (30, 700)[k > 30 :]:
        x, asked = cloud(n, d, dtype, "repeated"), cloud(333, d, dtype, "repeated")
        ours, expected, _ = hierarchies(ops, x, k)
        order = np.arange(333, dtype=np.int32)
        queries = ops.build_index(to_device(ops, asked), to_device(ops, order), ours.scale)
        both = expected, reference.build_index(asked, order, ours.scale)
        begins = np.zeros(333, np.int64), np.full(333, n), np.random.default_rng(0).integers(0, n + 1, 333)
        check_joined(ops, (ours, queries), both, k, *begins)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_points_that_queries_join_under_every_norm(ops, name):
    norm = BY_NAME[name]
    for d, k in [(1, 4), (3, 1), (3, 20), (40, 4)]:
        x, asked = cloud(300, d, np.float64, "repeated"), cloud(100, d, np.float64, "repeated", seed=4)
        ours, expected, _ = hierarchies(ops, x, k, norm)
        order = np.arange(100, dtype=np.int32)
        queries = ops.build_index(to_device(ops, asked), to_device(ops, order), ours.scale, norm)
        both = expected, reference.build_index(asked, order, ours.scale, norm)
        check_joined(ops, (ours, queries), both, k, np.random.default_rng(0).integers(0, 301, 100))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 3, 40])
def test_exemplar_distances_equal_the_reference(ops, d, dtype):
    points, exemplars, starts = cloud(200, d, dtype), cloud(700, d, dtype, seed=1), np.array([0, 1, 5, 600, 700])
    ours = ops.exemplar_distances(*(to_device(ops, a) for a in (points, exemplars, starts)))
    np.testing.assert_array_equal(to_host(ours), reference.exemplar_distances(points, exemplars, starts))


def test_common_ancestor_lambdas_equal_the_reference(ops):
    tree = fitted(ops, cloud(300, 2, np.float64, "uneven"), 2, min_cluster_size=3)._model.flat.condensed
    names = np.arange(tree.count, dtype=np.int32)
    at_home = dataclasses.replace(tree, parent=to_host(tree.parent), death=to_host(tree.death))
    ours = to_host(ops.common_ancestor_lambdas(tree, to_device(ops, names), to_device(ops, names[::2])))
    assert 0 < np.isnan(ours).mean() < 1
    np.testing.assert_array_equal(ours, reference.common_ancestor_lambdas(at_home, names, names[::2]))


# ---- soft clustering -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"method": "leaf"}, {"epsilon": 0.3}, {"allow_single_cluster": True}], ids=str)
@pytest.mark.parametrize("d", [2, 5])
def test_membership_by_the_definition(ops, d, options):
    x, _ = make_blobs([60, 40, 80, 30], d, cluster_std=0.5, random_state=5)
    model = fitted(ops, x, 4, **options)
    condensed = host(flat_of(model).condensed)
    heights = to_host(flat_of(model).condensed.linkage.height)
    leaves = lambdas(heights)[condensed["leaving_merge"]]
    expected = expected_membership(model, x, condensed["cluster"], leaves, exemplar_table(model, x, x))
    for size in (None, 7):
        np.testing.assert_allclose(all_points_membership_vectors(model, size), expected, rtol=1e-12)
    out = np.empty_like(expected)
    assert all_points_membership_vectors(model, out=out) is out
    np.testing.assert_allclose(out, expected, rtol=1e-12)
    np.testing.assert_allclose(membership_vector(model, x), expected, rtol=1e-12)  # a training point is that point
    queries = around(x)
    rows, same, weight = expected_join(model, x, queries, 4)
    joins = np.where(same, leaves[rows], lambdas(weight))
    cluster = condensed["cluster"][rows]
    for i in range(len(queries)):
        while joins[i] < leaves[rows[i]] and cluster[i] != 0 and condensed["birth"][cluster[i]] >= joins[i]:
            cluster[i] = condensed["parent"][cluster[i]]
    distances = exemplar_table(model, queries, x)
    expected = expected_membership(model, x, cluster, np.minimum(joins, leaves[rows]), distances)
    np.testing.assert_allclose(membership_vector(model, queries, batch_size=11), expected, rtol=1e-12)


# Without ties both condensed trees have the same clusters.
@pytest.mark.parametrize("seed, metric", [(2, "euclidean"), (10, "euclidean"), (4, "manhattan"), (3, "chebyshev")])
def test_membership_agrees_with_hdbscan(ops, seed, metric):
    hdbscan = pytest.importorskip("hdbscan")
    x, _ = make_blobs([60, 40, 80, 30], 3, cluster_std=0.6, random_state=seed)
    theirs = hdbscan.HDBSCAN(min_samples=1, metric=metric, prediction_data=True, approx_min_span_tree=False).fit(x)
    model = fitted(ops, x, 2, metric)
    labels = model.labels_
    columns = [theirs.labels_[np.flatnonzero(labels == c)[0]] for c in range(labels.max() + 1)]
    assert sorted(columns) == list(range(theirs.labels_.max() + 1))
    expected = hdbscan.all_points_membership_vectors(theirs)[:, columns]
    ours = all_points_membership_vectors(model)
    np.testing.assert_allclose(ours / ours.sum(1)[:, None], expected / expected.sum(1)[:, None], rtol=1e-6, atol=1e-99)
    # Points above all chosen clusters share as much with several; hdbscan then takes the death of the first.
    below = to_host(flat_of(model).selection.label)[to_host(flat_of(model).condensed.cluster)] >= 0
    assert below.mean() > 0.7
    np.testing.assert_allclose(ours[below], expected[below], rtol=1e-6, atol=1e-99)
    assert (ours.sum(1) >= expected.sum(1) * (1 - 1e-6)).all()


def test_membership_with_repeated_points_is_defined(ops):
    """Infinite lambdas, where hdbscan has NaN."""
    x = np.concatenate([np.repeat(cloud(6, 2, np.float64) * 50, 20, axis=0), cloud(60, 2, np.float64)])
    model = fitted(ops, x, 3)
    vectors = all_points_membership_vectors(model)
    assert vectors.shape[1] > 1
    assert (vectors >= 0).all() and (vectors.sum(axis=1) <= 1 + 1e-12).all()
    labels = model.labels_
    sure = labels >= 0
    sure &= model.probabilities_ == 1
    np.testing.assert_array_equal(vectors[sure].argmax(axis=1), labels[sure])
    np.testing.assert_allclose(membership_vector(model, x), vectors, rtol=1e-12)


def test_no_clusters_no_columns(ops):
    x = cloud(30, 2, np.float64)
    model = fitted(ops, x, 5, min_cluster_size=25)
    assert all_points_membership_vectors(model).shape == (30, 0)
    assert membership_vector(model, x[:4]).shape == (4, 0)
    with pytest.raises(TypeError, match="out must be an array; got list"):
        all_points_membership_vectors(model, out=[[0.0]])
    with pytest.raises(ValueError, match="out must have shape"):
        all_points_membership_vectors(model, out=np.empty((30, 2)))


def test_what_a_table_is_made_with_is_checked(ops):
    x = make_blobs(90, 2, centers=3, random_state=0)[0]
    model = fitted(ops, x)
    shape = all_points_membership_vectors(model).shape
    assert shape[1] > 1
    with pytest.raises(ValueError, match="out must hold floating-point numbers; got int64"):
        all_points_membership_vectors(model, out=np.zeros(shape, np.int64))
    for wrong in (0, -1, 1.5):
        for call in (
            lambda size: all_points_membership_vectors(model, size),
            lambda size: membership_vector(model, x, size),
        ):
            with pytest.raises(ValueError, match=f"batch_size must be an integer of at least 1; got {wrong}"):
                call(wrong)


@pytest.mark.filterwarnings("error")
def test_memberships_of_points_out_of_reach_are_silent(ops):
    model = fitted(ops, make_blobs(90, 2, centers=3, random_state=0)[0])
    vectors = membership_vector(model, np.array([[1e308, -1e308], [1e200, 0.0]]))
    assert np.isfinite(vectors).all() and vectors.max() < 1e-100


def test_new_points_in_one_dimension(ops):
    model = fitted(ops, cloud(50, 2, np.float64))
    for function in (approximate_predict, membership_vector, approximate_predict_scores):
        for one in (np.zeros(2), [0.0, 0.0]):
            with pytest.raises(ValueError, match="Expected 2D array"):
                function(model, one)


# ---- the estimator --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("dtype", [None, np.float32])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_estimator_predicts_what_it_has_learnt(device, dtype, metric):
    x, _ = make_blobs(300, 4, centers=5, random_state=3)
    x[7, 1], x[9, 0], x[11] = np.nan, np.inf, x[12]
    model = HDBSCANGPU(min_cluster_size=10, metric=metric, dtype=dtype, device=device, prediction_data=True).fit(x)
    labels, probabilities, neighbors = approximate_predict(model, x, return_connecting_points=True)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(probabilities, model.probabilities_)
    np.testing.assert_array_equal(model.predict(x), model.labels_)
    np.testing.assert_array_equal(approximate_predict_scores(model, x), model.outlier_scores_)
    expected = np.arange(300)
    expected[[7, 9]], expected[12] = -1, 11
    np.testing.assert_array_equal(neighbors, expected)
    vectors = all_points_membership_vectors(model)
    assert np.isnan(vectors[7]).all() and not vectors[9].any()
    np.testing.assert_allclose(membership_vector(model, x), vectors, rtol=1e-12)
    again = pickle.loads(pickle.dumps(model))
    assert "index" in model._model.__dict__ and "index" not in again._model.__dict__
    np.testing.assert_array_equal(again.predict(around(x[20:])), model.predict(around(x[20:])))


def test_the_estimator_says_when_it_cannot_predict():
    x = cloud(50, 2, np.float64)
    model = HDBSCANGPU(metric="precomputed").fit(pairwise_distances(x))
    with pytest.raises(ValueError, match="distances"):
        model.predict(x)
    with pytest.raises(NotFittedError):
        HDBSCANGPU().predict(x)
    for wrong in (approximate_predict, membership_vector):
        with pytest.raises(ValueError, match="X has 3 features, but HDBSCANGPU is expecting 2 features as input"):
            wrong(HDBSCANGPU().fit(x), np.zeros((2, 3)))


def test_too_few_points_predict_noise():
    x = np.array([[0.0, 1.0], [np.nan, 0.0]])
    model = HDBSCANGPU(min_cluster_size=2, min_samples=1).fit(x)
    labels, probabilities, neighbors = approximate_predict(model, x, return_connecting_points=True)
    assert labels.tolist() == [-1, -3] and neighbors.tolist() == [-1, -1]
    assert probabilities[0] == 0 and np.isnan(probabilities[1])
    assert membership_vector(model, x).shape == all_points_membership_vectors(model).shape == (2, 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("steps", [1, 2**20])
def test_prediction_of_subnormal_training_data(ops, dtype, metric, k, steps):
    """Multiples of the smallest number, and a query of zeros among them, whose magnitude has no exponent."""
    g = np.random.default_rng(20)
    x = np.rint(g.normal(size=(400, 2)) * 3) + np.repeat([[0, 0], [60, 0]], 200, axis=0)
    x[:9] = 0
    x = x.astype(dtype) * np.nextafter(dtype(0), dtype(1)) * dtype(steps)
    model = fitted(ops, x, k, metric, min_cluster_size=5, method="leaf")
    assert len(set(model.labels_.tolist())) > 2
    labels, probabilities, neighbors = approximate_predict(model, x, return_connecting_points=True)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(probabilities, model.probabilities_)
    np.testing.assert_array_equal(x[neighbors], x)


@pytest.mark.parametrize("scale", [1.0, 1e306])
def test_memberships_where_numpy_raises_all_errors(scale):
    """Tight clusters far apart: exponentials underflow, and at the end of the range distances are infinite."""
    g = np.random.default_rng(0)
    x = scale * np.concatenate([g.normal(0, 1e-3, (100, 30)), g.normal(100, 1e-3, (100, 30))])
    fitted = HDBSCANGPU(20, 5, device="cpu").fit(x)
    with np.errstate(all="raise"):
        found = all_points_membership_vectors(fitted)
    assert found.shape == (200, 2) and np.isfinite(found).all()


def test_rows_that_are_infinite_in_the_dtype_of_the_model(ops):
    x = make_blobs(200, 2, centers=2, random_state=0)[0].astype(np.float32)
    fitted = HDBSCANGPU(20, device=ops.name).fit(to_device(ops, x))
    assert fitted.predict(np.array([[0.0, 0.0], [1e39, 0.0], [np.inf, 0.0]])).tolist()[1:] == [-2, -2]
    assert HDBSCANGPU(20, device=ops.name).fit(to_device(ops, x.astype(np.float64))).predict([[1e39, 0.0]]) == -1
