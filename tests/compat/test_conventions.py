"""Where `HDBSCANGPU` and the peers decide otherwise, `emst.compat` follows the peers."""

import pickle
import warnings

import numpy as np
import pytest
from helpers import same_partition
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist, squareform
from sklearn.cluster import HDBSCAN as OfScikitLearn

import emst.compat.hdbscan as ours
from emst import HDBSCANGPU, approximate_predict
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
    with pytest.warns(UserWarning, match="does not have any defined clusters, outlier scores of new data compare"):
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


# Places beyond the poles


def wrapped(places, turn):
    """The same places with latitudes up to a quarter of a circle, step by step: over a pole the latitude falls again,
    on the other side of the earth."""
    latitude, longitude = ((angles + turn / 2) % turn - turn / 2 for angles in places.T)
    over = abs(latitude) > turn / 4
    latitude[over] = np.copysign(turn / 2, latitude[over]) - latitude[over]
    longitude[over] += turn / 2
    return np.stack([latitude, (longitude + turn / 2) % turn - turn / 2], axis=1)


def places_beyond(turn):
    g = np.random.default_rng(1)
    centres = np.array([[0.2, 0.1], [0.3, -0.4], [-0.6, 1.7], [1.4, 0.3]]) * turn
    return np.concatenate([g.normal(centre, turn / 60, (40, 2)) for centre in centres])


def heights(model):
    return model.single_linkage_tree_.to_numpy()[:, 2]


def test_places_beyond_the_poles_are_hdbscans_and_scikit_learns(ops):
    hdbscan = pytest.importorskip("hdbscan")
    x = places_beyond(2 * np.pi)
    options = {"min_cluster_size": 10, "metric": "haversine"}
    theirs = hdbscan.HDBSCAN(**options, min_samples=4, approx_min_span_tree=False).fit(x)
    of_sklearn = OfScikitLearn(**options, min_samples=5, copy=True).fit(x)
    with pytest.warns(UserWarning, match="rows beyond") as caught:
        model = ours.HDBSCAN(**options, min_samples=4, device=ops.name).fit(x)
    assert [warning.filename for warning in caught] == [__file__]
    np.testing.assert_allclose(heights(model), heights(theirs), rtol=1e-9)
    np.testing.assert_allclose(heights(model), of_sklearn._single_linkage_tree_["value"], rtol=1e-9)
    assert same_partition(model.labels_, theirs.labels_)
    assert same_partition(model.labels_, of_sklearn.labels_)
    assert model.labels_.max() > 1


@pytest.mark.parametrize("degrees", [False, True])
def test_places_beyond_the_poles_are_those_where_their_angles_lead(ops, degrees):
    turn = 360.0 if degrees else 2 * np.pi
    x, new = places_beyond(turn), places_beyond(turn)[::7] + turn / 500
    kw = {"metric": "haversine", "min_samples": 4, "device": ops.name}
    with pytest.warns(UserWarning, match="rows beyond"):
        model = ours.HDBSCAN(**kw, degrees=degrees, prediction_data=True).fit(x)
    exact = HDBSCANGPU(**{**kw, "min_samples": 5}, metric_params={"degrees": degrees}).fit(wrapped(x, turn))
    np.testing.assert_allclose(heights(model), heights(exact), rtol=1e-9)
    np.testing.assert_array_equal(model.labels_, exact.labels_)
    with pytest.warns(UserWarning, match="rows beyond"):
        labels, probabilities = ours.approximate_predict(model, new)
    expected = approximate_predict(exact, wrapped(new, turn))
    np.testing.assert_array_equal(labels, expected[0])
    np.testing.assert_allclose(probabilities, expected[1], rtol=1e-9)
    np.testing.assert_array_equal(model.exemplars_[0], x[exact.exemplar_indices_[0]])  # the caller's rows
    with pytest.warns(UserWarning, match="rows beyond"):
        params = {"degrees": degrees}
        single = ours.RobustSingleLinkage(k=4, alpha=1, metric="haversine", metric_params=params, device=ops.name)
        np.testing.assert_allclose(single.fit(x).cluster_hierarchy_.to_numpy()[:, 2], heights(exact), rtol=1e-9)


def test_the_warning_says_how_many_rows_and_the_first(ops):
    x = np.array([[0.1, 0.2], [np.nan, 9.0], [2.0, 1.0], [0.1, 0.2], [0.1, -7.0]])
    words = (
        r"takes radians, .*; X has 2 rows beyond, first \(2, 1\) in row 2\. Each stands for the place where its angles "
        r"lead, this one for \(1.14159, -2.14159\)\. For places in degrees pass the metric's parameter degrees=True$"
    )
    with pytest.warns(UserWarning, match=words) as caught:
        cuml_hdbscan.HDBSCAN(min_samples=2, metric="haversine", device=ops.name).fit(x)
    assert len(caught) == 1
    with pytest.raises(ValueError, match=r"X has 2 rows beyond, first \(2, 1\) in row 2\. For places in degrees pass"):
        HDBSCANGPU(metric="haversine", device=ops.name).fit(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.HDBSCAN(metric="haversine", device=ops.name).fit(x[[0, 1, 3]])


# Sparse distances, with and without a stored diagonal


@pytest.mark.parametrize("diagonal", [False, True])
def test_what_the_peers_count_in_sparse_distances(ops, diagonal):
    """They take the k-th stored value of a row. Ours count the diagonal, stored or not: once in `HDBSCANGPU`, not in k
    of `emst.compat`."""
    hdbscan = pytest.importorskip("hdbscan")
    k, between = 4, cdist(BLOB, BLOB)
    stored = np.nonzero(np.ones_like(between) if diagonal else ~np.eye(len(between), dtype=bool))
    sparse = csr_matrix((between[stored], stored), shape=between.shape)
    assert sparse.nnz == 60 * (59 + diagonal)

    def of_others(count):
        core = np.sort(between, axis=1)[:, count]
        reach = np.maximum(np.maximum(core[:, None], core), between)
        return linkage(squareform(reach * ~np.eye(60, dtype=bool)), "single")[:, 2]

    options = {"metric": "precomputed", "min_samples": k}
    theirs = hdbscan.HDBSCAN(**options).fit(sparse.copy())
    of_sklearn = OfScikitLearn(**options, copy=True).fit(sparse)
    for found in (heights(theirs), of_sklearn._single_linkage_tree_["value"]):
        np.testing.assert_allclose(found, of_others(k - diagonal), rtol=1e-12)
    np.testing.assert_allclose(heights(ours.HDBSCAN(**options, device=ops.name).fit(sparse)), of_others(k), rtol=1e-12)
    exact = HDBSCANGPU(**options, device=ops.name).fit(sparse)
    np.testing.assert_allclose(heights(exact), of_others(k - 1), rtol=1e-12)
