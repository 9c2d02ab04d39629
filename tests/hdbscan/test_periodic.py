"""Clusterings in a periodic box.

Coordinates are multiples of 1/64 and lie within half the box, so every difference is exact: a clustering is the same
wherever the points are moved to, also across the sides of the box, and as in an open box.
"""

import numpy as np
import pytest
from helpers import DEVICES, to_host

import emst
from emst import HDBSCANGPU, BranchDetector
from emst.distances.metrics import metric_of
from emst.hdbscan.branches.pairs import PairSearch, nearest

SIDE = 64.0
SHIFT = np.array([50.0, -1000.0])  # across a side in the first column
PERIODIC = {"metric_params": {"period": SIDE}}


def blobs():
    """Three groups and some noise, within 20 of one another, and new points."""
    random = np.random.default_rng(3)
    x = np.concatenate([random.normal(c, 1.2, (120, 2)) for c in ((5, 5), (14, 6), (10, 15))])
    x = np.concatenate([x, random.uniform(0, 20, (40, 2))])
    new = np.concatenate([x[::9] + 0.25, random.uniform(-1, 21, (40, 2)), x[:5]])
    return [np.clip(np.round(points * 64) / 64, -5, 25) for points in (x, new)]


@pytest.fixture(scope="module", params=DEVICES)
def pair(request):
    """The model of an open box, and that of the moved points in a periodic one; their points, and new points."""
    x, new = blobs()
    given = {"min_cluster_size": 20, "min_samples": 5, "prediction_data": True, "device": request.param}
    given |= {"store_centers": "both"}
    return HDBSCANGPU(**given).fit(x), HDBSCANGPU(**given, **PERIODIC).fit(x + SHIFT), x, new


def test_labels_and_weights(pair):
    one, other, _, _ = pair
    assert one.labels_.max() == 2
    np.testing.assert_array_equal(other.labels_, one.labels_)
    np.testing.assert_array_equal(other.probabilities_, one.probabilities_)
    np.testing.assert_array_equal(other.outlier_scores_, one.outlier_scores_)
    np.testing.assert_array_equal(
        other.single_linkage_tree_.to_numpy()[:, 2], one.single_linkage_tree_.to_numpy()[:, 2]
    )
    assert other.relative_validity_ == one.relative_validity_


def test_new_points(pair):
    one, other, _, new = pair
    for ours, theirs in zip(
        emst.approximate_predict(other, new + 3 * SIDE + SHIFT), emst.approximate_predict(one, new)
    ):
        np.testing.assert_array_equal(ours, theirs)
    soft, expected = (emst.membership_vector(model, points) for model, points in ((other, new + SHIFT), (one, new)))
    np.testing.assert_allclose(soft, expected, rtol=1e-12)


def test_all_memberships(pair):
    one, other, _, _ = pair
    found = emst.all_points_membership_vectors(other)
    np.testing.assert_allclose(found, emst.all_points_membership_vectors(one), rtol=1e-12)


def test_centres(pair):
    one, other, _, _ = pair
    np.testing.assert_array_equal(other.medoids_, one.medoids_ + SHIFT)
    np.testing.assert_allclose(other.centroids_, (one.centroids_ + SHIFT) % SIDE, rtol=1e-12)


def test_the_mean_of_an_open_column_is_the_plain_one(pair):
    one, other, x, _ = pair
    model = HDBSCANGPU(**other.get_params() | {"metric_params": {"period": [0, SIDE]}}).fit(x + SHIFT)
    np.testing.assert_allclose(model.centroids_, np.stack([one.centroids_[:, 0] + 50, other.centroids_[:, 1]], axis=1))


def test_other_options(pair):
    one, other, _, _ = pair
    for options in ({"cluster_selection_method": "leaf"}, {"min_cluster_size": 50}):
        np.testing.assert_array_equal(other.recluster(**options).labels_, one.recluster(**options).labels_)


@pytest.mark.parametrize("method", ["full", "core"])
def test_branches(pair, method):
    one, other, _, _ = pair
    options = {"min_cluster_size": 5, "branch_detection_method": method}
    ours, theirs = (BranchDetector(**options).fit(model) for model in (other, one))
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.branch_probabilities_, theirs.branch_probabilities_, rtol=1e-9)


def test_pairs_within_a_radius(pair):
    """Those of branches; clusters lie across a side of the box."""
    found = []
    for model in pair[:2]:
        fitted = model._model
        every = np.arange(len(fitted.core))
        u, v, reach = PairSearch(fitted).within(every, np.full(len(every), 2.0, to_host(fitted.core).dtype))
        order = np.lexsort((v, u))
        found.append((u[order], v[order], reach[order]))
    for ours, theirs in zip(*found):
        np.testing.assert_array_equal(ours, theirs)


def test_the_nearest_points_are_those_around_the_box(pair):
    one, other, _, _ = pair
    points = [to_host(model._model.points) for model in (one, other)]
    reach = [np.abs(x[nearest(model._model)[:, -1]] - x) for x, model in zip(points, (one, other))]
    reach[1] = np.minimum(reach[1], SIDE - reach[1])
    np.testing.assert_array_equal(*(np.sqrt((r * r).sum(axis=1)) for r in reach))


@pytest.mark.parametrize("name, params", [("manhattan", {}), ("chebyshev", {}), ("minkowski", {"p": 3.5})])
def test_distances_on_the_host(name, params):
    x, new = (points + SHIFT for points in blobs())
    metric = metric_of(name, params | {"period": [SIDE, 0]}, algorithm="auto", alpha=1.0, sparse=False)
    metric = metric.of_columns(2, np.float64)
    t = np.abs(metric.image(x)[:, None] - metric.image(new)[None])
    t[..., 0] = np.minimum(t[..., 0], SIDE - t[..., 0])
    expected = {"manhattan": t.sum(-1), "chebyshev": t.max(-1)}.get(name, (t**3.5).sum(-1) ** (1 / 3.5))
    np.testing.assert_allclose(metric.distances_between(metric.image(x), metric.image(new)), expected, rtol=1e-12)


def test_sparse_features_take_no_period():
    from scipy.sparse import csr_matrix

    with pytest.raises(ValueError, match=r"takes dense columns: pass X.toarray\(\)"):
        HDBSCANGPU(**PERIODIC).fit(csr_matrix(np.eye(9)))


@pytest.mark.gpu  # on a CPU these kernels compile for half a minute; tests of trees have float32 there
def test_float32_stays_float32():
    pytest.importorskip("emst.cuda")
    x, _ = blobs()
    model = HDBSCANGPU(min_cluster_size=20, device="cuda", **PERIODIC).fit((x + SHIFT).astype(np.float32))
    assert model.single_linkage_tree_.to_numpy().dtype == np.float64
    assert model._model.weights.dtype == np.float32
    np.testing.assert_array_equal(
        model.labels_, HDBSCANGPU(min_cluster_size=20, device="cuda").fit(x.astype(np.float32)).labels_
    )
