"""Weights of rows: a row of weight w counts as w rows."""

import pickle

import numpy as np
import pytest
from helpers import DEVICES, blobs, same_partition, to_host
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from emst import (
    EMST,
    HDBSCANGPU,
    BranchDetector,
    all_points_membership_vectors,
    approximate_predict,
    approximate_predict_scores,
    membership_vector,
    minimum_spanning_tree,
)

PARAMETERS = {
    "plain": {},
    "leaf": {"cluster_selection_method": "leaf", "cluster_selection_epsilon": 0.5},
    "single": {"allow_single_cluster": True, "max_cluster_size": 40},
    "persistence": {"cluster_selection_persistence": 0.1, "alpha": 0.7},
    "manhattan": {"metric": "manhattan", "min_samples": 1},
    "auto": {"min_cluster_size": "auto"},
}


def check_copies(X, w, device, queries=None, **params):
    """A fit with weights is that of the copies, bit for bit."""
    ours = HDBSCANGPU(device=device, **params).fit(X, sample_weight=w)
    copies = np.repeat(np.arange(len(X)), w)
    theirs = HDBSCANGPU(device=device, **params).fit(X[copies])
    rows = np.flatnonzero(w)
    first = np.searchsorted(copies, rows)
    for name in ("labels_", "probabilities_", "core_distances_", "outlier_scores_"):
        np.testing.assert_array_equal(to_host(getattr(ours, name))[rows], to_host(getattr(theirs, name))[first], name)
    for name in ("cluster_persistence_", "relative_validity_", "min_cluster_size_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    for a, b in zip(ours.exemplar_indices_, theirs.exemplar_indices_, strict=True):
        np.testing.assert_array_equal(a, list(dict.fromkeys(copies[b].tolist())))
    np.testing.assert_array_equal(*(clusters_of(model) for model in (ours, theirs)))
    silent = np.flatnonzero(w == 0)
    if len(silent):
        labels, probabilities = approximate_predict(ours, X[silent])
        np.testing.assert_array_equal(ours.labels_[silent], labels)
        np.testing.assert_array_equal(ours.probabilities_[silent], probabilities)
        np.testing.assert_array_equal(ours.outlier_scores_[silent], approximate_predict_scores(ours, X[silent]))
    if queries is not None:
        for a, b in zip(approximate_predict(ours, queries), approximate_predict(theirs, queries), strict=True):
            np.testing.assert_array_equal(a, b)
    return ours, theirs, rows, first


def clusters_of(model):
    """The clusters in the table of the condensed tree, with their stabilities."""
    table, n = model.condensed_tree_.to_numpy(), model._model.n
    clusters = table[table["child"] > n]
    columns = [clusters["parent"] - n, clusters["child"] - n, clusters["child_size"], clusters["lambda_val"]]
    return np.stack([*columns, to_host(model._model.flat.condensed.stability)[1:][clusters["child"] - n - 1]])


def random_case(seed):
    """Few points with many ties, and few or large weights."""
    g = np.random.default_rng(seed)
    n, d = int(g.integers(2, 40)), 2
    X = (g.integers(0, g.integers(2, 6), (n, d)), np.round(g.normal(size=(n, d)), 1), g.normal(size=(n, d)))[seed % 3]
    w = g.integers(seed % 4 != 0, g.choice([2, 4, 9, 30]), n)
    w[0] = max(w[0], 2)
    params = {"min_samples": int(g.integers(1, min(12, w.sum()) + 1)), "min_cluster_size": int(g.integers(2, 14))}
    return X.astype(float), w, g.normal(size=(5, d)) * 2, params


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", PARAMETERS)
def test_weights_are_copies(device, name):
    for seed in range(25):
        X, w, queries, params = random_case(seed)
        if name == "auto":
            params["min_samples"] = min(params["min_samples"], 3)
        check_copies(X, w, device, queries, **params | PARAMETERS[name])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("seed", [38, 322, 394, 473, 518, 539, 796])  # in one of a hundred the numbers of clusters tell
def test_equal_rows_that_others_separate_on_the_curve(device, seed):
    """The last edge at a place decides the number of a cluster, and edges between copies of a row are among them."""
    g = np.random.default_rng(seed)
    n = int(g.integers(3, 24))
    X = np.stack([g.integers(0, g.integers(2, 6), n), g.integers(0, g.integers(1, 3), n)], axis=1).astype(float)
    w = g.integers(1, g.choice([3, 4, 6]), n)
    params = {"min_cluster_size": int(g.integers(2, 7)), "min_samples": int(g.integers(1, 6))}
    check_copies(X, w, device, cluster_selection_method=("eom", "leaf")[seed % 2], **params)


@pytest.mark.parametrize("device", DEVICES)
def test_weights_of_more_points(device):
    X, g = blobs(600), np.random.default_rng(0)
    w = g.integers(0, 9, 600) * g.integers(0, 2, 600)
    ours, theirs, rows, first = check_copies(X, w, device, X[:50] + 0.01, min_samples=12, min_cluster_size=15)
    assert ours.labels_.max() > 0
    for size in (2, 8, 40):
        a, b = (model.recluster(min_cluster_size=size) for model in (ours, theirs))
        np.testing.assert_array_equal(to_host(a.labels_)[rows], to_host(b.labels_)[first])
    for cut in (0.05, 0.2, 0.6):
        for size in (2, 5, 30):
            a, b = (to_host(model.dbscan_clustering(cut, size)) for model in (ours, theirs))
            np.testing.assert_array_equal(a[rows], b[first])
            np.testing.assert_array_equal(ours.single_linkage_tree_.get_clusters(cut, size)[rows], a[rows])
    a, b = ours.layers(), theirs.layers()
    np.testing.assert_array_equal(a.min_cluster_sizes, b.min_cluster_sizes)
    for x, y in zip(a.labels, b.labels, strict=True):
        np.testing.assert_array_equal(to_host(x)[rows], to_host(y)[first])


@pytest.mark.parametrize("device", DEVICES)
def test_cuts_compare_numbers_of_both_dtypes_exactly(device):
    """The float32 nearest to 0.7 is below it. Row 3 weighs nothing, and is that far from row 0, whose core distance is
    0.7, too."""
    x = np.array([[0], [0.7], [-0.7], [-0.7]], np.float32)
    model = HDBSCANGPU(2, 4, device=device).fit(x, sample_weight=[2, 1, 1, 0])
    assert to_host(model.core_distances_)[:3].tolist() == [np.float32(0.7), np.float32(1.4), np.float32(1.4)]
    assert model.single_linkage_tree_.get_clusters(0.7, 2)[:3].tolist() == [0, -1, -1]
    apart = HDBSCANGPU(2, 1, device=device).fit(x[:3], sample_weight=[1, 1, 0])
    for cut, labels in ((0.7, [0, 0, 0]), (0.69, [-1, -1, -1])):
        assert to_host(apart.dbscan_clustering(cut, 2)).tolist() == labels


@pytest.mark.parametrize("device", DEVICES)
def test_a_heavy_row_is_a_cluster(device):
    X = np.array([[0.0], [1], [2], [10], [50]])
    model, *_ = check_copies(X, np.array([1, 1, 1, 9, 8]), device, min_samples=8, min_cluster_size=5)
    assert model.labels_[3] >= 0 and model.labels_[4] >= 0 and model.labels_[3] != model.labels_[4]


@pytest.mark.parametrize("device", DEVICES)
def test_more_vertices_than_ids(device, monkeypatch):
    monkeypatch.setattr("emst.weighted.MAX_POINTS", 40)
    model = HDBSCANGPU(3, 2, device=device)
    with pytest.raises(
        ValueError, match="30 rows, of which 20 have second vertices because of their weights, are more"
    ):
        model.fit(np.arange(30.0)[:, None], sample_weight=np.repeat([5, 1], [20, 10]))


@pytest.mark.parametrize("device", DEVICES)
def test_copies_of_one_row(device):
    for w in ([3, 0], [9, 0], [0, 1]):
        params = {"min_samples": 1, "min_cluster_size": 5, "allow_single_cluster": True}
        ours = HDBSCANGPU(device=device, **params).fit([[1.0], [2.0]], sample_weight=w)
        row, copies = int(np.argmax(w)), np.ones((max(w), 1))
        wanted = -1 if max(w) == 1 else to_host(HDBSCANGPU(device=device, **params).fit(copies).labels_)[0]
        assert to_host(ours.labels_)[row] == wanted


@pytest.mark.parametrize("device", DEVICES)
def test_rows_of_weight_zero_influence_nothing(device):
    X, w = blobs(300), np.ones(300)
    w[100:] = 2
    far = np.array([[1e3, 1e3], [0.0, 0.0]])
    alone = HDBSCANGPU(min_cluster_size=10, device=device).fit(X, sample_weight=w)
    model = HDBSCANGPU(min_cluster_size=10, device=device).fit(np.r_[far, X], sample_weight=np.r_[0, 0, w])
    np.testing.assert_array_equal(to_host(model.labels_)[2:], to_host(alone.labels_))
    np.testing.assert_array_equal(to_host(model.labels_)[:2], to_host(alone.predict(far)))
    assert np.isnan(to_host(model.core_distances_)[:2]).all()
    vectors = to_host(all_points_membership_vectors(model))
    np.testing.assert_array_equal(vectors[:2], to_host(membership_vector(model, far)))


@pytest.mark.parametrize("device", DEVICES)
def test_weights_scaled_by_a_power_of_two_with_the_sizes(device):
    """Halves of whole numbers are exact in units, so all sizes can be halved as well."""
    X, g = blobs(300), np.random.default_rng(1)
    w = 1 + 2 * g.integers(0, 8, 300)
    whole = HDBSCANGPU(min_samples=10, min_cluster_size=20, max_cluster_size=500, device=device).fit(X, sample_weight=w)
    halves = HDBSCANGPU(min_samples=5, min_cluster_size=10, max_cluster_size=250, device=device).fit(
        X, sample_weight=w / 2
    )
    assert halves._model.row_weights.bits > 1
    for name in ("labels_", "probabilities_", "core_distances_", "cluster_persistence_", "relative_validity_"):
        np.testing.assert_array_equal(to_host(getattr(halves, name)), to_host(getattr(whole, name)), name)
    a, b = (model.condensed_tree_.to_pandas() for model in (halves, whole))
    np.testing.assert_array_equal(2 * a["child_size"], b["child_size"])
    with pytest.raises(ValueError, match="whole numbers"):
        halves.layers()


@pytest.mark.parametrize("device", DEVICES)
def test_weights_outlive_a_pickle(device):
    X, w = blobs(200), np.r_[np.full(100, 3), np.zeros(20, int), np.full(80, 7)]
    model = HDBSCANGPU(min_samples=9, min_cluster_size=7, device=device).fit(X, sample_weight=w)
    again = pickle.loads(pickle.dumps(model))
    for name in ("labels_", "probabilities_", "outlier_scores_", "cluster_persistence_"):
        np.testing.assert_array_equal(to_host(getattr(again, name)), to_host(getattr(model, name)))
    np.testing.assert_array_equal(again.predict(X), to_host(model.predict(X)))
    np.testing.assert_array_equal(
        again.recluster(min_cluster_size=3).labels_, to_host(model.recluster(min_cluster_size=3).labels_)
    )


def test_centres_count_weights():
    X = np.array([[0.0], [1], [2], [30], [31], [32]])
    w = np.array([1, 1, 4, 2, 3, 1])
    ours, theirs, *_ = check_copies(X, w, "cpu", min_samples=2, min_cluster_size=3, store_centers="both")
    np.testing.assert_allclose(ours.centroids_, theirs.centroids_)
    np.testing.assert_array_equal(ours.medoids_, theirs.medoids_)


def test_sizes_in_the_trees_are_weights():
    X, w = np.array([[0.0], [1], [5], [7], [9]]), np.array([2, 0, 3, 4, 1])
    model = HDBSCANGPU(min_samples=2, min_cluster_size=3, device="cpu").fit(X, sample_weight=w)
    table = model.condensed_tree_.to_numpy()
    assert table["child_size"][np.argsort(table["child"])][:5].tolist() == w.tolist()
    assert model.condensed_tree_.to_networkx().nodes[5]["size"] == 10
    linkage = model.single_linkage_tree_.to_numpy()
    assert linkage[:, 3].tolist() == [7, 8, 10, 10]
    assert [size for _, size in model.single_linkage_tree_.to_networkx().nodes(data="size")][:5] == w.tolist()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_tree_with_weights(device, metric):
    """With the edges between copies it is a tree of the copies."""
    X, w = blobs(150), np.random.default_rng(0).integers(1, 5, 150)
    ours = minimum_spanning_tree(X, min_samples=6, metric=metric, sample_weight=w, device=device)
    theirs = minimum_spanning_tree(np.repeat(X, w, axis=0), min_samples=6, metric=metric, device=device)
    first = np.cumsum(w) - w
    core = to_host(ours.core_distances)
    np.testing.assert_array_equal(core, to_host(theirs.core_distances)[first])
    both = np.sort(np.concatenate([to_host(ours.weights), np.repeat(core, w - 1)]))
    np.testing.assert_array_equal(both, to_host(theirs.weights))
    fitted = EMST(min_samples=6, metric=metric, device=device).fit(X, sample_weight=w)
    np.testing.assert_array_equal(to_host(fitted.weights_), to_host(ours.weights))
    plain, same = (EMST(device=device, metric=metric).fit(X, **kw).weights_ for kw in ({}, {"sample_weight": w}))
    np.testing.assert_array_equal(to_host(plain), to_host(same))


def test_what_takes_no_weights_says_so():
    X, w = blobs(40), np.full(40, 2)
    for params, data in (
        ({"metric": "canberra"}, X),
        ({"metric": "precomputed"}, np.zeros((40, 40))),
        ({"device_ids": "all"}, X),
        ({"metric": "cosine"}, np.zeros((40, 2))),
    ):
        with pytest.raises(ValueError, match=r"^sample_weight"):
            HDBSCANGPU(**params, device="auto" if "device_ids" in params else "cpu").fit(data, sample_weight=w)
    with pytest.raises(ValueError, match=r"^min_samples .90. must be at most the sum of sample_weight"):
        HDBSCANGPU(min_samples=90, device="cpu").fit(X, sample_weight=w)
    with pytest.raises(ValueError, match=r"^min_samples must be between 1 and the sum of sample_weight .80.; got 90"):
        EMST(min_samples=90, device="cpu").fit(X, sample_weight=w)
    model = HDBSCANGPU(min_samples=3, device="cpu").fit(X, sample_weight=w)
    with pytest.raises(ValueError, match="without sample_weight"):
        BranchDetector().fit(model)
    with pytest.raises(ValueError, match="min_cluster_size='auto' counts"):
        HDBSCANGPU(min_cluster_size="auto", device="cpu").fit(X, sample_weight=w / 3)
    with pytest.raises(ValueError, match="min_cluster_size='auto' counts"):
        HDBSCANGPU(device="cpu", min_samples=2).fit(X, sample_weight=w / 3).recluster(min_cluster_size="auto")


def test_scikit_learn_routes_weights():
    X, w = blobs(120), np.random.default_rng(0).integers(1, 4, 120)
    with config_context(enable_metadata_routing=True):
        model = HDBSCANGPU(min_samples=5, device="cpu").set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model).fit(X, sample_weight=w)
    expected = HDBSCANGPU(min_samples=5, device="cpu").fit_predict(StandardScaler().fit_transform(X), sample_weight=w)
    assert same_partition(pipeline[-1].labels_, expected)
