"""Where `HDBSCANGPU` and the peers decide otherwise, `emst.compat` follows the peers."""

import pickle

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN as OfScikitLearn

import emst.compat.hdbscan as ours
from emst import HDBSCANGPU
from emst.compat import cuml_hdbscan

BLOB = np.random.default_rng(0).normal(size=(60, 2))


# A root that never splits


def lone_root(**options):
    """No two clusters of 40 points fit into 60."""
    return {
        "min_cluster_size": 40,
        "min_samples": 3,
        "cluster_selection_method": "leaf",
        "allow_single_cluster": True,
        **options,
    }


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 50.0])
def test_an_unsplit_root_is_no_leaf(ops, epsilon):
    hdbscan = pytest.importorskip("hdbscan")
    options = lone_root(cluster_selection_epsilon=epsilon)
    theirs = [hdbscan.HDBSCAN(**options).fit(BLOB), OfScikitLearn(**options, copy=True).fit(BLOB)]
    models = [module.HDBSCAN(**options, device=ops.name).fit(BLOB) for module in (ours, cuml_hdbscan)]
    for model in theirs + models:
        assert (model.labels_ == -1).all()
        assert not model.probabilities_.any()
    exact = HDBSCANGPU(**options, device=ops.name).fit(BLOB)
    assert exact.labels_.max() == (-1 if epsilon == 0.5 else 0)  # epsilon leaves no members at 0.5


def test_everything_follows_from_an_unsplit_root_that_is_no_cluster(ops):
    model = ours.HDBSCAN(**lone_root(), gen_min_span_tree=True, prediction_data=True, device=ops.name).fit(BLOB)
    assert model.cluster_persistence_.shape == (0,)
    assert model.exemplars_ == []
    assert model.relative_validity_ == 0
    assert len(model.condensed_tree_._select_clusters()) == 0
    assert ours.all_points_membership_vectors(model).tolist() == [0] * 60
    assert ours.membership_vector(model, BLOB[:4] + 0.1).tolist() == [0] * 4
    with pytest.warns(UserWarning, match="does not have any defined clusters"):
        labels, probabilities = ours.approximate_predict(model, BLOB[:4] + 0.1)
    assert labels.tolist() == [-1] * 4
    assert probabilities.tolist() == [0] * 4
    np.testing.assert_array_equal(ours.approximate_predict_scores(model, BLOB), model.outlier_scores_)
    assert ours.hdbscan(BLOB, **lone_root(), device=ops.name)[0].max() == -1
    assert cuml_hdbscan.HDBSCAN(**lone_root(), device=ops.name).fit(BLOB).n_clusters_ == 0


def test_what_is_made_of_a_model_keeps_to_its_conventions(ops):
    """Another selection, a copy in another process, and a given number of clusters."""
    model = ours.HDBSCAN(**lone_root(cluster_selection_method="eom"), device=ops.name).fit(BLOB)
    assert model.labels_.max() == 0  # "eom" takes the root, as hdbscan does
    assert isinstance(model.exact_, HDBSCANGPU)
    leaf = {"cluster_selection_method": "leaf"}
    assert model.exact_.recluster(**leaf).labels_.max() == -1
    assert pickle.loads(pickle.dumps(model)).exact_.recluster(**leaf).labels_.max() == -1
    assert ours.flat.HDBSCAN_flat(BLOB, **lone_root(), device=ops.name).labels_.max() == -1


def test_leaf_can_select_a_root_that_splits(ops):
    """With a great epsilon, as in hdbscan."""
    hdbscan = pytest.importorskip("hdbscan")
    options = lone_root(min_cluster_size=5, min_samples=1, cluster_selection_epsilon=1.0)
    model = ours.HDBSCAN(**options, device=ops.name).fit(BLOB)
    assert model.exact_._model.flat.selection.chosen.tolist() == [0]
    np.testing.assert_array_equal(model.labels_, hdbscan.HDBSCAN(**options).fit(BLOB).labels_)
