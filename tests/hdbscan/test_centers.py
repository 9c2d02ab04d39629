"""Centres of clusters in special cases: no members, undefined distances, extreme scales."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.datasets import make_blobs

from emst import HDBSCANGPU
from emst.distances.metrics import Metric
from emst.hdbscan.centers import medoid_of


def blobs(n=150):
    return make_blobs(n, centers=3, random_state=0)[0]


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3])
def test_a_root_cluster_without_members_is_no_cluster(ops, epsilon):
    """Epsilon selects the root, and no point is dense enough for it: there are as many clusters as labels."""
    x = np.random.default_rng(0).random((200, 2))
    options = {"min_cluster_size": 150, "min_samples": 2, "allow_single_cluster": True, "store_centers": "both"}
    model = HDBSCANGPU(cluster_selection_epsilon=epsilon, device=ops.name, **options).fit(x)
    assert (model.labels_ == -1).all()
    assert not model.probabilities_.any()
    theirs = HDBSCAN(cluster_selection_epsilon=epsilon, copy=True, **options).fit(x)
    assert (theirs.labels_ == -1).all()
    for name in ("centroids_", "medoids_"):
        assert getattr(model, name).shape == getattr(theirs, name).shape == (0, 2)
    assert model.exemplars_ == model.exemplar_indices_ == []
    assert model.cluster_persistence_.shape == (0,)
    assert len(model.condensed_tree_.to_numpy()) > 0
    assert (model.predict(x) == -1).all()


SCALES = [("sqeuclidean", -480), ("sqeuclidean", 480)]  # beyond, the heights of its tree are no numbers either
SCALES += [(m, s) for m in ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine") for s in (-660, 660, 1018)]


@pytest.mark.parametrize(("metric", "power_of_two"), SCALES)
def test_centers_at_any_scale(ops, metric, power_of_two):
    """Squares of such distances, and sums of such rows, overflow."""
    x = blobs()
    params = {"p": 3} if metric == "minkowski" else None
    model = HDBSCANGPU(min_samples=2, metric=metric, metric_params=params, store_centers="both", device=ops.name)
    model.fit(x)
    means, expected, labels = model.centroids_, model.medoids_, model.labels_
    assert labels.max() > 0
    np.testing.assert_array_equal(model.fit(np.ldexp(x, power_of_two)).labels_, labels)
    np.testing.assert_array_equal(model.medoids_, np.ldexp(expected, power_of_two))
    np.testing.assert_array_equal(model.centroids_, np.ldexp(means, power_of_two))


def test_images_of_any_size_have_a_medoid():
    """The metric's image takes the rows to where squares of distances overflow."""
    far = Metric("euclidean", image=lambda rows: rows * 1e200)
    rows = np.array([[9.0], [0.0], [4.0], [5.0]])
    assert medoid_of(rows, np.ones(4), far) == medoid_of(rows, np.ones(4), Metric("euclidean")) == [4]
