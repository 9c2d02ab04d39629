"""Clusterings over several GPUs are those of one device, bit for bit, with all that follows from a fit."""

import pickle

import numpy as np
import pandas as pd
import pytest
from helpers import to_device, to_host

import emst

RNG = np.random.default_rng(6)
X = np.concatenate([RNG.normal(c, 1, (400, 2)) for c in (0, 9, 18)]).astype(np.float32)


def with_bad_rows():
    bad = X.copy()
    bad[[3, 900]], bad[5, 1], bad[-1, 0] = np.nan, np.inf, -np.inf
    return bad


def pair(ops, gpus, X, **options):
    return emst.HDBSCANGPU(device_ids=gpus, **options).fit(X), emst.HDBSCANGPU(device=ops.name, **options).fit(X)


def assert_same(found, wanted):
    for name in ("labels_", "probabilities_", "core_distances_", "cluster_persistence_", "outlier_scores_"):
        ours, theirs = to_host(getattr(found, name)), to_host(getattr(wanted, name))
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


@pytest.mark.parametrize("k", [1, 4, 40])
@pytest.mark.parametrize("points", [X, with_bad_rows(), RNG.integers(0, 15, (700, 2)).astype(float)])
def test_the_bits_of_one_device(ops, gpus, points, k):
    assert_same(*pair(ops, gpus, points, min_samples=k, min_cluster_size=10, alpha=1.2))


def test_all_that_follows_from_a_fit(ops, gpus):
    found, wanted = pair(ops, gpus, with_bad_rows(), min_samples=5, min_cluster_size=20, store_centers="both")
    new = RNG.normal(9, 6, (50, 2)).astype(np.float32)
    np.testing.assert_array_equal(found.predict(new), wanted.predict(new))
    for function in (emst.membership_vector, emst.approximate_predict_scores):
        np.testing.assert_array_equal(function(found, new), function(wanted, new))
    np.testing.assert_array_equal(emst.all_points_membership_vectors(found), emst.all_points_membership_vectors(wanted))
    assert_same(found.recluster(min_cluster_size=7), wanted.recluster(min_cluster_size=7))
    np.testing.assert_array_equal(found.dbscan_clustering(1.0), wanted.dbscan_clustering(1.0))
    for name in ("condensed_tree_", "single_linkage_tree_", "minimum_spanning_tree_"):
        np.testing.assert_array_equal(getattr(found, name).to_numpy(), getattr(wanted, name).to_numpy())
    np.testing.assert_array_equal(found.medoids_, wanted.medoids_)
    np.testing.assert_array_equal(found.centroids_, wanted.centroids_)
    assert found.relative_validity_ == wanted.relative_validity_
    assert_same(pickle.loads(pickle.dumps(found)), wanted)


def test_a_list_of_arrays(ops, gpus):
    """Values of rows are lists, others are arrays."""
    pieces = [to_device(ops, piece) for piece in np.array_split(with_bad_rows(), 3)]
    found = emst.HDBSCANGPU(min_samples=5, device_ids=gpus).fit(pieces)
    wanted = emst.HDBSCANGPU(min_samples=5, device=ops.name).fit(with_bad_rows())
    assert [len(part) for part in found.labels_] == [400, 400, 400]
    np.testing.assert_array_equal(np.concatenate(list(map(to_host, found.labels_))), wanted.labels_)
    np.testing.assert_array_equal(to_host(found.cluster_persistence_), wanted.cluster_persistence_)
    np.testing.assert_array_equal(to_host(found.predict(pieces[1])), to_host(wanted.predict(pieces[1])))
    assert found.n_features_in_ == 2


def test_values_of_all_rows_are_not_told_by_their_number(ops, gpus):
    """All rows are exemplars here: these are an array, and not values of the rows."""
    pieces = [to_device(ops, np.ones((30, 2))) for _ in range(2)]
    found = emst.HDBSCANGPU(allow_single_cluster=True, device_ids=gpus).fit(pieces)
    assert [len(part) for part in found.labels_] == [30, 30]
    assert to_host(found.exemplars_[0]).shape == (60, 2)


def test_columns_of_a_list_are_places(gpus):
    frames = [pd.DataFrame(X[:50], columns=["longitude", "latitude"])] * 2
    with pytest.raises(ValueError, match="latitude"):
        emst.HDBSCANGPU(metric="haversine", device_ids=gpus).fit(frames)


def test_data_that_needs_a_matrix_takes_one_gpu(ops, gpus, monkeypatch):
    from emst.gpus import inputs
    from emst.hdbscan import fitting

    monkeypatch.setattr(inputs.GivenPoints, "on_home", lambda self: fitting.check_points(self.whole(), device=ops.name))
    found, wanted = pair(ops, gpus, X[:200], metric="canberra")
    assert_same(found, wanted)


def test_fewer_than_two_rows_are_finite(ops, gpus, monkeypatch):
    from emst.gpus import inputs
    from emst.hdbscan import fitting

    monkeypatch.setattr(inputs.GivenPoints, "on_home", lambda self: fitting.check_points(self.whole(), device=ops.name))
    points = np.full((30, 2), np.nan)
    points[7] = 1
    assert_same(*pair(ops, gpus, points))


@pytest.mark.parametrize("wanted", ["sparse", "precomputed"])
def test_sparse_features_and_distances_take_the_first_gpu(ops, gpus, monkeypatch, wanted):
    from scipy.sparse import csr_array

    from emst.hdbscan import fitting

    monkeypatch.setattr(fitting, "checked_gpus", lambda device_ids, device: [0])
    data = csr_array(X[:100]) if wanted == "sparse" else np.abs(X[:100, :1] - X[:100, 0])
    options = {"metric": "euclidean" if wanted == "sparse" else "precomputed", "device": ops.name}
    found = emst.HDBSCANGPU(device_ids=gpus, **options).fit(data)
    assert_same(found, emst.HDBSCANGPU(**options).fit(data))
