"""HDBSCANGPU as its users see it: parameters, attributes, kinds of input and output, errors, methods."""

import ast
import copy
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from helpers import DTYPES, ROOT, cloud
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import BallTree, KDTree
from sklearn.utils.estimator_checks import parametrize_with_checks

import emst
from emst import HDBSCAN, HDBSCANGPU
from emst.distances.metrics import NAMES
from emst.progress import Progress


@parametrize_with_checks(
    [HDBSCANGPU(), HDBSCANGPU(min_samples=1, store_centers="both"), HDBSCANGPU(metric="minkowski")],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_sparse_data": "sample_weight with sparse features is an error"
    },
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def blobs(n=300, d=2, seed=0, **options):
    return make_blobs(n, centers=5, n_features=d, random_state=seed, **options)[0]


@pytest.fixture
def model(ops):
    return HDBSCANGPU(min_samples=2, min_cluster_size=10, device=ops.name)


def test_the_short_name_is_the_class():
    assert HDBSCAN is HDBSCANGPU


def test_scikit_learns_parameters_in_their_order():
    from inspect import signature

    from sklearn.cluster import HDBSCAN as Theirs

    ours, theirs = signature(HDBSCANGPU).parameters, signature(Theirs).parameters
    assert list(ours)[: len(theirs)] == list(theirs)
    defaults = {name: p.default for name, p in theirs.items()} | {"copy": False}
    assert {name: ours[name].default for name in theirs} == defaults
    assert all(ours[name].kind is ours[name].KEYWORD_ONLY for name in list(ours)[len(theirs) :])


@pytest.mark.parametrize("dtype", DTYPES)
def test_results(ops, model, dtype):
    x = blobs().astype(dtype)
    before = x.copy()
    assert model.fit(x) is model
    np.testing.assert_array_equal(x, before)
    assert model.labels_.dtype == np.int64
    assert model.probabilities_.dtype == model.outlier_scores_.dtype == np.float64
    assert model.core_distances_.dtype == dtype
    assert model.labels_.shape == model.probabilities_.shape == model.outlier_scores_.shape == (300,)
    assert model.device_ == ops.name
    assert model.n_features_in_ == 2
    clusters = model.labels_.max() + 1
    assert clusters >= 2
    assert model.cluster_persistence_.shape == (clusters,)
    assert len(model.exemplars_) == clusters
    assert isinstance(model.relative_validity_, float)
    np.testing.assert_array_equal(model.fit_predict(x), model.labels_)
    assert not ((model.labels_ == -1) & (model.probabilities_ > 0)).any()


@pytest.mark.parametrize("options", [{}, {"cluster_selection_method": "leaf"}, {"allow_single_cluster": True}])
@pytest.mark.parametrize("kind", ["blobs", "uneven"])
def test_attributes_are_hdbscans(ops, kind, options):
    """With k = 2 no two edges weigh the same, so every number is theirs."""
    hdbscan = pytest.importorskip("hdbscan", reason="needs hdbscan, which is not installed")
    x = blobs(400) if kind == "blobs" else cloud(400, 3, np.float64, "uneven")
    ours = HDBSCANGPU(min_samples=2, device=ops.name, **options).fit(x)
    theirs = hdbscan.HDBSCAN(min_samples=1, approx_min_span_tree=False, gen_min_span_tree=True, **options).fit(x)
    to_theirs = [theirs.labels_[np.flatnonzero(ours.labels_ == label)[0]] for label in range(ours.labels_.max() + 1)]
    assert sorted(to_theirs) == list(range(theirs.labels_.max() + 1))
    np.testing.assert_allclose(ours.cluster_persistence_, theirs.cluster_persistence_[to_theirs], rtol=1e-7)
    np.testing.assert_allclose(ours.outlier_scores_, theirs.outlier_scores_, rtol=1e-7, atol=1e-12)
    assert ours.relative_validity_ == pytest.approx(theirs.relative_validity_, rel=1e-9)
    for mine, label in zip(ours.exemplars_, to_theirs):
        assert {tuple(row) for row in mine} == {tuple(row) for row in theirs.exemplars_[label]}
    for mine, rows in zip(ours.exemplars_, ours.exemplar_indices_):
        np.testing.assert_array_equal(mine, x[rows])


def test_the_persistence_of_a_root_counts_all_its_points(ops):
    """Its members are the dense points, or those that epsilon leaves it, but its stability counts all points: divided
    by the members it exceeds 1."""
    x = np.random.default_rng(0).random((200, 2)) ** 3
    options = {"min_cluster_size": 150, "min_samples": 2, "allow_single_cluster": True}
    for epsilon in (0, 0.07, 0.08, 0.1):
        model = HDBSCANGPU(cluster_selection_epsilon=epsilon, device=ops.name, **options).fit(x)
        assert 0 < (model.labels_ == 0).sum() < 200
        rows = model.condensed_tree_.to_numpy()
        whole, lost = 200 * rows["lambda_val"].max(), rows[rows["parent"] == 200]
        expected = (lost["lambda_val"] * lost["child_size"]).sum() / whole
        assert expected < 1
        np.testing.assert_allclose(model.cluster_persistence_, [expected], rtol=1e-12)


def test_an_epsilon_of_a_whole_number_is_the_distance(ops):
    """Two runs of five points, `gap` apart, twice. 1 / (1 / gap) is greater than gap for 49 and 103, and less for
    93, so that clusters born at epsilon counted as born above or below it."""
    for gap in (48.0, 49.0, 93.0, 98.0, 99.0, 103.0):
        runs = np.concatenate([np.arange(5.0), 4 + gap + np.arange(5.0)])[:, None]
        options = {"min_cluster_size": 3, "min_samples": 1, "device": ops.name}
        assert HDBSCANGPU(cluster_selection_epsilon_max=gap, **options).fit(runs).labels_.max() == 1
        below = np.nextafter(gap, 0)
        assert HDBSCANGPU(cluster_selection_epsilon_max=below, **options).fit(runs).labels_.max() == -1
        twice, options = np.concatenate([runs, runs + 1000]), options | {"cluster_selection_method": "leaf"}
        for epsilon, clusters in [(below, 4), (gap, 4), (np.nextafter(gap, np.inf), 2)]:
            model = HDBSCANGPU(cluster_selection_epsilon=epsilon, **options).fit(twice)
            assert model.labels_.max() == clusters - 1
        # A single root has the points that leave it at a distance of at most epsilon.
        apart = np.array([[0.0], [gap], [2 * gap]])
        for epsilon, label in [(below, -1), (gap, 0)]:
            one = HDBSCANGPU(2, 1, allow_single_cluster=True, cluster_selection_epsilon=epsilon, device=ops.name)
            assert one.fit(apart).labels_.tolist() == [label] * 3


def test_validity_of_islands_and_of_none(ops):
    """No edge of the tree runs between two clusters, or there is no cluster: defined, and between -1 and 1."""
    far = np.r_[np.zeros((10, 2)), np.full((10, 2), 9.0)]
    assert HDBSCANGPU(min_samples=1, device=ops.name).fit(far).relative_validity_ == 1
    none = HDBSCANGPU(min_cluster_size=20, device=ops.name).fit(cloud(30, 2, np.float64))
    assert none.labels_.max() == -1
    assert none.relative_validity_ == 0
    apart = np.full((12, 12), np.inf)
    apart[:6, :6] = apart[6:, 6:] = 1.0
    np.fill_diagonal(apart, 0)
    with pytest.warns(UserWarning, match="infinity"):
        islands = HDBSCANGPU(metric="precomputed", device=ops.name).fit(apart)
    assert set(islands.labels_) == {0, 1}
    assert islands.relative_validity_ == 1


def test_trees_are_made_once_and_again_after_another_fit(model):
    model.fit(blobs())
    first = model.condensed_tree_
    assert model.condensed_tree_ is first
    assert first.to_numpy()["child_size"].max() <= 300
    assert model.single_linkage_tree_.to_numpy().shape == (299, 4)
    assert model.minimum_spanning_tree_.to_numpy().shape == (299, 3)
    model.fit(blobs(200))
    assert model.condensed_tree_ is not first
    assert model.single_linkage_tree_.to_numpy().shape == (199, 4)


def test_persistence_leaves_fewer_clusters(ops):
    x = cloud(500, 2, np.float64)
    counts = [
        HDBSCANGPU(min_samples=2, cluster_selection_persistence=least, cluster_selection_method="leaf", device=ops.name)
        .fit(x)
        .labels_.max()
        + 1
        for least in (0, 5, 20, 1e9)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[1] > counts[-1]


# Kinds of input and output


def test_kinds_of_arrays(ops, model):
    pandas = pytest.importorskip("pandas")
    x = blobs(100)
    expected = model.fit(x).labels_
    scaling = pandas.DataFrame(x, columns=["a", "b"])
    assert list(model.fit(scaling).feature_names_in_) == ["a", "b"]
    for given in (scaling, x.tolist(), np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]):
        labels = model.fit(given).labels_
        assert isinstance(labels, np.ndarray)
        np.testing.assert_array_equal(labels, expected)
    whole = (x * 100).astype(np.int32)
    np.testing.assert_array_equal(model.fit(whole).labels_, model.fit(whole.astype(np.float64)).labels_)


@pytest.mark.gpu
def test_data_on_the_device_stays_there():
    import cupy

    x = blobs(500)
    x[3, 0], x[4, 1] = np.nan, np.inf
    for metric in ("euclidean", "cosine", "manhattan"):
        model = HDBSCANGPU(min_samples=2, metric=metric, store_centers="both", device="cpu").fit(x)
        ours = HDBSCANGPU(min_samples=2, metric=metric, store_centers="both").fit(cupy.asarray(x))
        assert ours.device_ == "cuda"
        for name in ("labels_", "probabilities_", "outlier_scores_", "centroids_", "medoids_", "core_distances_"):
            value = getattr(ours, name)
            assert isinstance(value, cupy.ndarray)
            digits = 1e-12 if metric == "cosine" or name in ("centroids_", "medoids_") else 0
            np.testing.assert_allclose(value.get(), getattr(model, name), rtol=digits, err_msg=name)
        assert isinstance(ours.dbscan_clustering(0.5), cupy.ndarray)
        for mine, theirs in zip(ours.exemplars_, model.exemplars_):
            np.testing.assert_array_equal(mine.get(), theirs)
        assert isinstance(HDBSCANGPU(metric=metric, device="cpu").fit(cupy.asarray(x)).labels_, cupy.ndarray)
        again = pickle.loads(pickle.dumps(ours))
        assert isinstance(again.labels_, np.ndarray)
        np.testing.assert_array_equal(
            again.recluster(min_cluster_size=9).labels_, ours.recluster(min_cluster_size=9).labels_.get()
        )


@pytest.mark.parametrize("dtype", [None, np.float32, np.float64])
def test_dtype_is_what_is_computed_in(ops, dtype):
    for given in DTYPES:
        model = HDBSCANGPU(dtype=dtype, device=ops.name).fit(blobs(50).astype(given))
        assert model.core_distances_.dtype == (given if dtype is None else dtype)


@pytest.mark.parametrize("scale", [1e-25, 1e20])
def test_squares_of_float32_distances(ops, scale):
    """They are no float32 here; None computes them in float64, as whatever is not a distance between the rows."""
    x = (blobs(60) * scale).astype(np.float32)
    model = HDBSCANGPU(min_samples=2, metric="sqeuclidean", device=ops.name).fit(x)
    expected = HDBSCANGPU(min_samples=2, device=ops.name).fit(x.astype(np.float64)).single_linkage_tree_.to_numpy()
    heights = model.single_linkage_tree_.to_numpy()[:, 2]
    np.testing.assert_allclose(heights, expected[:, 2] ** 2, rtol=1e-12)
    assert model.core_distances_.dtype == np.float64
    narrow = HDBSCANGPU(min_samples=2, metric="sqeuclidean", dtype=np.float32, device=ops.name)
    assert narrow.fit(blobs(60).astype(np.float32)).core_distances_.dtype == np.float32


@pytest.mark.parametrize("k", [1, 2, 7])
def test_core_distances_count_the_point(ops, k):
    x = blobs(100)
    model = HDBSCANGPU(min_samples=k, device=ops.name).fit(x)
    np.testing.assert_allclose(model.core_distances_, np.sort(cdist(x, x), axis=1)[:, k - 1], rtol=1e-12)


def test_rows_that_are_not_finite_stand_aside(ops):
    x = blobs(200)
    x[[3, 50]], x[7, 0], x[8] = np.nan, np.inf, [np.inf, -np.inf]
    x[9] = [-np.inf, 3]
    aside = [3, 50, 7, 8, 9]
    rest = np.delete(np.arange(200), aside)
    model = HDBSCANGPU(min_samples=2, device=ops.name).fit(x)
    clean = HDBSCANGPU(min_samples=2, device=ops.name).fit(x[rest])
    assert model.labels_[aside].tolist() == [-3, -3, -2, -3, -2]
    np.testing.assert_array_equal(model.probabilities_[aside], [np.nan, np.nan, 0, np.nan, 0])
    np.testing.assert_array_equal(model.outlier_scores_[aside], [np.nan, np.nan, 1, np.nan, 1])
    for name in ("labels_", "probabilities_", "outlier_scores_", "core_distances_"):
        np.testing.assert_array_equal(getattr(model, name)[rest], getattr(clean, name))
    np.testing.assert_array_equal(model.dbscan_clustering(1.0)[rest], clean.dbscan_clustering(1.0))
    assert model.dbscan_clustering(1.0)[aside].tolist() == [-3, -3, -2, -3, -2]
    for mine, theirs in zip(model.exemplars_, clean.exemplars_):
        np.testing.assert_array_equal(mine, theirs)
    assert model.single_linkage_tree_.to_numpy().shape == (199, 4)
    edges = model.minimum_spanning_tree_.to_numpy()
    assert not np.isin(edges[:, :2], aside).any()
    assert (np.diff(edges[:, 2]) >= 0).all()


def test_a_finite_row_whose_sum_overflows_is_clustered(ops):
    x = blobs(100) * 1e300
    x[0] = [1.2e308, 1.2e308]
    x[1, 1] = np.nan
    model = HDBSCANGPU(device=ops.name).fit(x)
    assert model.labels_[0] == -1
    assert model.labels_[1] == -3


@pytest.mark.parametrize("metric", ["euclidean", "haversine", "manhattan", "canberra"])
def test_rows_aside_whatever_the_metric(ops, metric):
    x = blobs(60) / 10
    x[5, 0], x[6, 1] = np.nan, np.inf
    for given in (x, csr_matrix(x)) if metric in ("euclidean", "manhattan") else (x,):
        model = HDBSCANGPU(metric=metric, device=ops.name).fit(given)
        assert model.labels_[[5, 6]].tolist() == [-3, -2]
        rest = np.delete(np.arange(60), [5, 6])
        clean = HDBSCANGPU(metric=metric, device=ops.name).fit(given[rest])
        assert clean.labels_.max() > 0
        for name in ("labels_", "probabilities_", "core_distances_"):
            np.testing.assert_array_equal(getattr(model, name)[rest], getattr(clean, name))


# Sizes


@pytest.mark.parametrize("left", [0, 1])
def test_hardly_a_finite_row(ops, left):
    """All noise: labels say which kind."""
    x = np.full((6, 2), np.nan)
    x[1:3] = np.inf
    x[:left] = 0
    model = HDBSCANGPU(device=ops.name, store_centers="both").fit(x)
    labels = [-1 if left else -3, -2, -2, -3, -3, -3]
    assert model.labels_.tolist() == labels
    np.testing.assert_array_equal(model.probabilities_, [0 if left else np.nan, 0, 0, np.nan, np.nan, np.nan])
    assert model.dbscan_clustering(1.0).tolist() == labels
    assert model.exemplars_ == []
    assert model.relative_validity_ == 0
    assert model.cluster_persistence_.shape == (0,)
    assert model.centroids_.shape == model.medoids_.shape == (0, 2)
    assert model.recluster(min_cluster_size=2).labels_.tolist() == labels
    assert len(model.outlier_scores_) == 6
    for name in ("condensed_tree_", "single_linkage_tree_", "minimum_spanning_tree_"):
        assert not hasattr(model, name)


def test_sizes_beyond_any_integer(ops):
    """More points than there are, however many that is."""
    model = HDBSCANGPU(min_cluster_size=2**64, min_samples=2, max_cluster_size=2**64, device=ops.name).fit(blobs(50))
    assert (model.labels_ == -1).all()
    assert (model.dbscan_clustering(1.0, 2**64) == -1).all()
    assert (model.single_linkage_tree_.get_clusters(1.0, 2**64) == -1).all()
    assert len(model.condensed_tree_.to_numpy()) == 50


def test_no_points(ops):
    with pytest.raises(ValueError, match="0 sample"):
        HDBSCANGPU(device=ops.name).fit(np.empty((0, 2)))


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_one_point(ops, metric):
    with pytest.raises(ValueError, match="n_samples=1 while HDBSCAN requires more than one sample"):
        HDBSCANGPU(metric=metric, device=ops.name).fit([[0.0]])


def test_two_points(ops):
    model = HDBSCANGPU(min_samples=1, device=ops.name).fit([[0.0], [1.0]])
    assert model.labels_.tolist() == [-1, -1]
    alone = HDBSCANGPU(min_samples=1, min_cluster_size=2, allow_single_cluster=True, device=ops.name)
    assert alone.fit([[0.0], [1.0]]).labels_.tolist() == [0, 0]


def test_fewer_points_than_a_cluster_takes(ops):
    model = HDBSCANGPU(min_cluster_size=20, min_samples=2, device=ops.name).fit(blobs(10))
    assert model.labels_.tolist() == [-1] * 10
    with pytest.raises(ValueError, match=r"X has 10 samples, which is fewer than min_cluster_size \(20\)"):
        HDBSCANGPU(min_cluster_size=20, device=ops.name).fit(blobs(10))
    with pytest.raises(ValueError, match=r"min_samples \(20\) must be at most the number of samples in X \(10\)"):
        HDBSCANGPU(min_samples=20, device=ops.name).fit(blobs(10))


def test_min_samples_is_held_against_the_rows_that_are_left(ops):
    x = blobs(10)
    x[:4] = np.nan
    with pytest.raises(ValueError, match=r"min_samples \(7\) must be at most the number of finite rows in X \(6\)"):
        HDBSCANGPU(min_samples=7, device=ops.name).fit(x)
    with pytest.raises(ValueError, match=r"X has 6 finite rows, which is fewer than min_cluster_size \(8\)"):
        HDBSCANGPU(min_cluster_size=8, device=ops.name).fit(x)


@pytest.mark.parametrize("single", [False, True])
def test_all_points_equal(ops, single):
    """No cluster, or all in one, as in every peer."""
    model = HDBSCANGPU(allow_single_cluster=single, device=ops.name).fit(np.ones((30, 3)))
    assert set(model.labels_) == {0 if single else -1}
    assert set(model.probabilities_) == {1.0 if single else 0.0}
    assert not model.outlier_scores_.any()
    assert np.isfinite(model.relative_validity_)
    assert np.isfinite(model.cluster_persistence_).all()


@pytest.mark.filterwarnings("error")
def test_heights_too_small_to_have_a_density(ops):
    """1 / height overflows: such points are as good as equal, and nothing is said about it."""
    model = HDBSCANGPU(min_samples=3, device=ops.name).fit(blobs(100) * 1e-310)
    assert model.labels_.max() > 0
    assert set(model.probabilities_) <= {0.0, 1.0}
    assert np.isinf(model.condensed_tree_.to_numpy()["lambda_val"]).any()
    assert np.isfinite(model.outlier_scores_).all() and np.isfinite(model.cluster_persistence_).all()
    assert all(len(rows) for rows in model.exemplars_)
    np.testing.assert_array_equal(model.predict(blobs(100) * 1e-310), model.labels_)


# Errors


BAD = [
    ("min_cluster_size", 1),
    ("min_cluster_size", 2.5),
    ("min_samples", 0),
    ("cluster_selection_epsilon", -1.0),
    ("max_cluster_size", 0),
    ("metric", "euklid"),
    ("metric_params", [2]),
    ("alpha", 0.0),
    ("algorithm", "boruvka"),
    ("leaf_size", 0),
    ("n_jobs", 1.5),
    ("cluster_selection_method", "excess"),
    ("allow_single_cluster", 3),
    ("store_centers", "mean"),
    ("copy", "never"),
    ("cluster_selection_persistence", -0.1),
    ("cluster_selection_epsilon_max", -np.inf),
    ("semi_supervised", "yes"),
    ("constraint_weight", 1.5),
    ("prediction_data", "yes"),
    ("device", "gpu"),
    ("device_ids", "0,1"),
    ("dtype", np.int32),
    ("verbose", -1),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_parameters_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=rf"^{name} must be .*; got {re.escape(repr(value))}$"):
        HDBSCANGPU(**{name: value}).fit(blobs(20))


def test_bad_values_of_all_kinds():
    for name, _ in BAD:
        if name != "dtype":
            with pytest.raises(ValueError, match=f"^{name} must be "):
                HDBSCANGPU(**{name: object()}).fit(blobs(20))
    for name in ("cluster_selection_epsilon", "cluster_selection_persistence", "alpha"):
        for value in (np.nan, np.inf, 10**400, "1", True):
            with pytest.raises(ValueError, match=f"^{name} must be a finite number"):
                HDBSCANGPU(**{name: value}).fit(blobs(20))
    with pytest.raises(ValueError, match=r"^min_samples must be an integer of at least 1 or None; got True$"):
        HDBSCANGPU(min_samples=True).fit(blobs(20))


def test_an_unknown_metric_lists_the_others_in_order():
    with pytest.raises(ValueError, match=r"^metric must be one of .* or a function; got 'foo'$") as raised:
        HDBSCANGPU(metric="foo").fit(blobs(20))
    names = re.findall(r"'(\w+)'", str(raised.value))[:-1]
    assert names == sorted(NAMES)
    assert {"euclidean", "cosine", "haversine", "precomputed"} <= set(names)


def test_every_name_of_scikit_learns_trees_is_known():
    assert {*KDTree.valid_metrics, *BallTree.valid_metrics} <= set(NAMES)


def test_no_private_name_of_scikit_learn_is_imported():
    """They may change with any version."""
    for path in (ROOT / "emst").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "sklearn":
                names = [*node.module.split("."), *(alias.name for alias in node.names)]
                assert not any(name.startswith("_") for name in names), (path, names)


@pytest.mark.parametrize("name", ["min_cluster_size", "cluster_selection_epsilon"])
def test_numbers_of_numpy_are_numbers(name):
    value = {"min_cluster_size": np.int16(7), "cluster_selection_epsilon": np.float32(0.5)}[name]
    model = HDBSCANGPU(allow_single_cluster=np.True_, verbose=np.False_, **{name: value}).fit(blobs(60))
    plain = HDBSCANGPU(allow_single_cluster=True, **{name: value.item()}).fit(blobs(60))
    np.testing.assert_array_equal(model.labels_, plain.labels_)


def test_every_parameter_has_a_bad_value_above():
    assert {name for name, _ in BAD} == set(HDBSCANGPU().get_params())


@pytest.mark.parametrize(
    ("options", "pattern"),
    [
        ({"metric": "euclidean", "metric_params": {"p": 3}}, "metric='euclidean' takes no parameters; got 'p'"),
        ({"metric": "cosine", "metric_params": {"eps": 3}}, "metric='cosine' takes no parameters; got 'eps'"),
        ({"metric": "minkowski", "metric_params": {"p": 0.99}}, "p from 1 to 32, or infinity; got 0.99"),
        ({"metric": "minkowski", "metric_params": {"p": 32.5}}, "p from 1 to 32.*got 32.5.* metric='chebyshev'"),
        ({"metric": "minkowski", "metric_params": {"p": 1e9, "w": np.ones(3)}}, "p from 1 to 32, .*chebyshev"),
        ({"metric": "minkowski", "metric_params": {"p": None}}, "p from 1 to 32, or infinity; got None"),
        ({"metric": "minkowski", "metric_params": {"p": np.nan}}, "p from 1 to 32, or infinity; got nan"),
        ({"metric": "minkowski", "metric_params": {"p": "2"}}, "p from 1 to 32, or infinity; got '2'"),
        (
            {"metric": "canberra", "metric_params": {"q": 1}},
            "^metric='canberra' does not take these parameters: 'q'$",
        ),
        ({"metric": "seuclidean", "metric_params": {"V": np.ones(2)}}, r"V has shape \(2,\), but X has 3 columns"),
        # SciPy takes a matrix that is too small or too large, and reads whatever lies behind it
        ({"metric": "mahalanobis", "metric_params": {"VI": np.eye(2)}}, r"VI has shape \(2, 2\), but X has 3 columns"),
        ({"metric": "mahalanobis", "metric_params": {"VI": np.eye(4)}}, r"VI has shape \(4, 4\), but X has 3 columns"),
        ({"metric": "mahalanobis", "metric_params": {"V": np.eye(2)}}, r"VI has shape \(2, 2\), but X has 3 columns"),
        ({"metric": "mahalanobis", "metric_params": {"V": np.ones((3, 3))}}, "its parameter V has no inverse"),
        ({"metric": "pyfunc"}, "func"),
        ({"metric": "haversine"}, "latitude"),
        ({"metric": "cosine", "algorithm": "kd_tree"}, "cosine is not a valid metric for a KDTree-based algorithm"),
        ({"metric": "precomputed", "algorithm": "ball_tree"}, "precomputed is not a valid metric for a BallTree"),
        ({"metric": "precomputed", "store_centers": "medoid"}, "Cannot store centers"),
        ({"metric": "precomputed"}, "has shape"),
    ],
    ids=str,
)
def test_metrics_that_cannot_be_honoured(ops, options, pattern):
    with pytest.raises(ValueError, match=pattern):
        HDBSCANGPU(device=ops.name, **options).fit(blobs(50, 3))


def test_parameters_of_given_distances(ops):
    distance = cdist(blobs(30), blobs(30))
    for given, params in ((distance, {"max_distance": 3}), (csr_matrix(distance), {"p": 3})):
        with pytest.raises(ValueError, match="metric_params"):
            HDBSCANGPU(metric="precomputed", metric_params=params, device=ops.name).fit(given)


@pytest.mark.parametrize("farthest", [0, -1.0, np.nan, "far"])
def test_a_max_distance_that_is_none(ops, farthest):
    graph = csr_matrix(np.ones((6, 6)))
    with pytest.raises(ValueError, match=f"max_distance in metric_params.*got {farthest!r}"):
        HDBSCANGPU(metric="precomputed", metric_params={"max_distance": farthest}, device=ops.name).fit(graph)


def test_a_covariance_that_has_no_inverse(ops):
    x = np.concatenate([blobs(50), np.ones((50, 1))], axis=1)
    with pytest.raises(ValueError, match="the covariance of X has no inverse"):
        HDBSCANGPU(metric="mahalanobis", device=ops.name).fit(x)


def test_sparse_features_and_trees():
    with pytest.raises(ValueError, match="Sparse data matrices only support algorithm `brute`"):
        HDBSCANGPU(algorithm="kd_tree").fit(csr_matrix(blobs(20)))


def test_what_is_no_table_of_numbers(ops):
    for given, pattern in (
        (np.zeros(5), "Reshape your data"),
        (np.zeros((2, 2, 2)), "3D"),
        (np.array([["a", "b"], ["c", "d"]]), "convert|numeric|dtype"),
        (np.zeros((5, 2), complex), "[Cc]omplex"),
        (np.zeros((5, 0)), "0 feature"),
    ):
        with pytest.raises(ValueError, match=pattern):
            HDBSCANGPU(device=ops.name).fit(given)


def test_too_much_is_refused_before_anything_is_allocated(ops):
    huge = np.broadcast_to(np.float64(1), (2**30, 100))
    with pytest.raises(MemoryError, match=r"needs [\d,]+\.\d GB more .* emst\.dask"):
        HDBSCANGPU(device=ops.name).fit(huge)


def test_before_fit(model):
    x = blobs(20)
    for use in (
        lambda: model.predict(x),
        lambda: model.dbscan_clustering(1.0),
        lambda: model.recluster(min_cluster_size=3),
        lambda: model.condensed_tree_,
        lambda: model.outlier_scores_,
        lambda: model.exemplars_,
    ):
        with pytest.raises(NotFittedError):
            use()
    assert not hasattr(model, "relative_validity_")


def test_an_interrupted_fit_leaves_the_model_as_it_was(ops, model, monkeypatch):
    x = blobs()
    labels = model.fit(x).labels_
    tree = model.condensed_tree_

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ops, "select", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(blobs(100, seed=3))
    assert model.labels_ is labels
    assert model.condensed_tree_ is tree
    assert len(model.outlier_scores_) == 300
    np.testing.assert_array_equal(model.fit(x).labels_, labels)


def test_a_fit_that_fails_late_leaves_the_model_as_it_was(model):
    pandas = pytest.importorskip("pandas")
    labels = model.fit(blobs()).labels_
    with pytest.raises(TypeError, match="names"):
        model.fit(pandas.DataFrame(blobs(100, 3), columns=["a", 1, 2]))
    assert model.labels_ is labels
    assert model.n_features_in_ == 2
    assert len(model.outlier_scores_) == 300


# Methods


def test_dbscan_clustering_is_dbscan_without_border_points(ops):
    from sklearn.cluster import DBSCAN

    x = cloud(400, 2, np.float64)
    model = HDBSCANGPU(min_samples=4, device=ops.name).fit(x)
    for cut in (0.02, 0.05, 0.1):
        ours = model.dbscan_clustering(cut, min_cluster_size=1)
        theirs = DBSCAN(eps=cut, min_samples=4).fit(x)
        core = np.zeros(400, bool)
        core[theirs.core_sample_indices_] = True
        np.testing.assert_array_equal(core, model.core_distances_ <= cut)
        firsts = {
            label: ours[np.flatnonzero(core & (theirs.labels_ == label))[0]] for label in set(theirs.labels_[core])
        }
        assert len(set(firsts.values())) == len(firsts)
        np.testing.assert_array_equal(ours[core], [firsts[label] for label in theirs.labels_[core]])


def test_dbscan_clustering_leaves_out_small_clusters(ops):
    model = HDBSCANGPU(min_samples=1, device=ops.name).fit([[0.0], [0.1], [5.0], [5.1], [5.2], [9.0]])
    assert model.dbscan_clustering(1.0, 3).tolist() == [-1, -1, 0, 0, 0, -1]
    assert model.dbscan_clustering(1.0, 2).tolist() == [0, 0, 1, 1, 1, -1]


@pytest.mark.parametrize(
    ("cut", "least", "pattern"),
    [(-1.0, 5, "cut_distance"), (np.nan, 5, "cut_distance"), ("far", 5, "cut_distance"), (1.0, 0, "min_cluster_size")],
)
def test_cuts_that_are_none(model, cut, least, pattern):
    with pytest.raises(ValueError, match=f"{pattern} must be"):
        model.fit(blobs(50)).dbscan_clustering(cut, least)


@pytest.mark.parametrize(
    "changes",
    [
        {"min_cluster_size": 5},
        {"cluster_selection_method": "leaf"},
        {"cluster_selection_epsilon": 0.3},
        {"cluster_selection_persistence": 0.5},
        {"max_cluster_size": 40},
        {"allow_single_cluster": True, "min_cluster_size": 100},
        {"store_centers": "both"},
    ],
    ids=str,
)
def test_recluster_is_a_fit_without_a_new_tree(ops, model, changes, monkeypatch):
    x = blobs()
    x[3, 1] = np.nan
    model.fit(x)
    labels, parameters = model.labels_.copy(), model.get_params()
    fresh = clone(model).set_params(**changes).fit(x)
    monkeypatch.setattr(ops, "build_index", None)
    monkeypatch.setattr(ops, "linkage", None)
    other = model.recluster(**changes)
    for name in ("labels_", "probabilities_", "outlier_scores_", "cluster_persistence_"):
        np.testing.assert_array_equal(getattr(other, name), getattr(fresh, name))
    assert other.get_params() == fresh.get_params()
    assert other.n_features_in_ == 2
    assert other.condensed_tree_.to_numpy().tolist() == fresh.condensed_tree_.to_numpy().tolist()
    np.testing.assert_array_equal(model.labels_, labels)
    assert model.get_params() == parameters


def test_recluster_keeps_the_trees_min_samples(ops):
    """Its default follows min_cluster_size; the tree does not."""
    model = HDBSCANGPU(min_cluster_size=6, device=ops.name).fit(blobs()).recluster(min_cluster_size=15)
    assert model.min_samples == 6
    fresh = HDBSCANGPU(min_cluster_size=15, min_samples=6, device=ops.name).fit(blobs())
    np.testing.assert_array_equal(model.labels_, fresh.labels_)


def test_recluster_keeps_what_the_tree_was_made_with(ops):
    """Whatever has been set since, even if it were an error in a fit."""
    model = HDBSCANGPU(min_samples=3, device=ops.name).fit(blobs())
    again = model.set_params(metric="manhattan", alpha=-3.0).recluster(min_cluster_size=4)
    assert (again.metric, again.alpha, again.min_samples) == ("euclidean", 1.0, 3)
    assert again.recluster(min_cluster_size=6).metric == "euclidean"


@pytest.mark.parametrize("height", [True, np.True_, "1", None, -1, np.nan])
def test_what_is_no_height(height):
    with pytest.raises(ValueError, match="cut_distance must be a number of at least 0"):
        HDBSCANGPU(device="cpu").fit(blobs()).dbscan_clustering(height)


def test_a_height_beyond_all_floats():
    model = HDBSCANGPU(device="cpu").fit(blobs())
    assert set(model.dbscan_clustering(10**400).tolist()) == {0}


def test_a_frame_of_sparse_columns():
    """A data frame of which all columns are sparse."""
    x = np.where(blobs() > 1, blobs(), 0.0)
    frame = pd.DataFrame(x, columns=["a", "b"]).astype(pd.SparseDtype(float, 0.0))
    labels = HDBSCANGPU(device="cpu").fit(frame).labels_
    np.testing.assert_array_equal(labels, HDBSCANGPU(device="cpu").fit(x).labels_)


def test_recluster_has_no_centers_of_given_distances(ops):
    x = blobs(50)
    model = HDBSCANGPU(metric="precomputed", device=ops.name).fit(cdist(x, x))
    with pytest.raises(ValueError, match="Cannot store centers when using a precomputed distance matrix"):
        model.recluster(store_centers="both")


@pytest.mark.parametrize("name", ["min_samples", "metric", "alpha", "device", "min_points"])
def test_recluster_refuses_what_the_tree_depends_on(model, name):
    model.fit(blobs(50))
    with pytest.raises(ValueError, match=name):
        model.recluster(**{name: 3})
    with pytest.raises(ValueError, match="min_cluster_size"):
        model.recluster(min_cluster_size=1)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("how", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_copies_predict_as_the_model_does(ops, how, metric):
    x = blobs()
    x[3, 1] = np.nan
    model = HDBSCANGPU(min_samples=2, metric=metric, device=ops.name).fit(x)
    before, after = how(model), None
    for name in ("condensed_tree_", "outlier_scores_", "exemplars_"):
        getattr(model, name)
    after = how(model)
    for other in (before, after):
        np.testing.assert_array_equal(other.labels_, model.labels_)
        np.testing.assert_array_equal(other.outlier_scores_, model.outlier_scores_)
        np.testing.assert_array_equal(
            other.recluster(min_cluster_size=7).labels_, model.recluster(min_cluster_size=7).labels_
        )
        assert other.condensed_tree_.to_numpy().tolist() == model.condensed_tree_.to_numpy().tolist()
        np.testing.assert_array_equal(other.predict(x[10:20]), model.predict(x[10:20]))


def test_predict_where_it_cannot(ops):
    x = blobs(50)
    for metric, given in (("precomputed", cdist(x, x)), ("euclidean", csr_matrix(x))):
        model = HDBSCANGPU(metric=metric, device=ops.name).fit(given)
        with pytest.raises(ValueError, match=r"cannot predict.*dense features"):
            model.predict(given)
        with pytest.warns(UserWarning, match="prediction_data"):
            model.set_params(prediction_data=True).fit(given)


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "manhattan"},
        {"metric": "minkowski", "metric_params": {"p": 2.7}},
        {"metric": "canberra"},
        {"alpha": 2.0},
        {"metric": "cosine"},
        {"metric": "cosine", "alpha": 0.7},
    ],
    ids=str,
)
def test_predict_under_any_metric(ops, options):
    """The training points' own labels."""
    x = blobs(100) + 20
    model = HDBSCANGPU(min_samples=3, prediction_data=True, device=ops.name, **options).fit(x)
    assert model.labels_.max() > 0
    np.testing.assert_array_equal(model.predict(x), model.labels_)


@pytest.mark.parametrize("at_once", [True, False])
def test_prediction_data_is_prepared_at_once(ops, model, at_once, monkeypatch):
    """The hierarchy of boxes and its core distances, which no prediction makes again."""
    x = blobs()
    labels = model.set_params(prediction_data=at_once).fit(x).labels_
    if not at_once:
        model.predict(x[:1])
    monkeypatch.setattr(ops, "core_distances", None)
    np.testing.assert_array_equal(model.predict(x), labels)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "haversine", "manhattan", "canberra", "seuclidean"])
def test_medoids_under_the_metric(ops, metric):
    from sklearn.metrics import pairwise_distances

    x = blobs(150) / 8 + (2 if metric == "canberra" else 0)
    params = {"V": np.array([1.0, 3.0])} if metric == "seuclidean" else {}
    model = HDBSCANGPU(min_samples=2, metric=metric, metric_params=params, store_centers="both", device=ops.name)
    model.fit(x)
    assert model.labels_.max() > 0
    for label, medoid in enumerate(model.medoids_):
        members = model.labels_ == label
        sums = pairwise_distances(x[members], metric=metric, **params) @ model.probabilities_[members]
        at = np.flatnonzero((x[members] == medoid).all(axis=1))[0]
        assert sums[at] == pytest.approx(sums.min(), rel=1e-7)
        weights = model.probabilities_[members]
        if metric != "haversine":  # see test_places.py
            np.testing.assert_allclose(model.centroids_[label], np.average(x[members], axis=0, weights=weights))
    model.set_params(store_centers=None).fit(x)
    assert not hasattr(model, "medoids_")


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_a_metric_takes_its_parameters_from_all_points(ops, metric, monkeypatch):
    """Not from a cluster's points, or a block of them, when it comes to medoids: there the widths are others."""
    from emst.hdbscan import medoids

    monkeypatch.setattr(medoids, "ENTRIES", 100)
    x = blobs(150) * [1, 30]
    params = {"V": x.var(axis=0, ddof=1)} if metric == "seuclidean" else {"VI": np.linalg.inv(np.cov(x.T))}
    options = {"min_samples": 3, "metric": metric, "store_centers": "medoid", "device": ops.name}
    taken, given = HDBSCANGPU(**options).fit(x), HDBSCANGPU(metric_params=params, **options).fit(x)
    assert taken.labels_.max() > 0
    np.testing.assert_array_equal(taken.labels_, given.labels_)
    np.testing.assert_array_equal(taken.medoids_, given.medoids_)
    np.testing.assert_array_equal(taken.predict(x + 0.01), given.predict(x + 0.01))


def test_medoids_in_blocks(ops, monkeypatch):
    from emst.hdbscan import medoids

    model = HDBSCANGPU(min_samples=2, store_centers="medoid", device=ops.name)
    whole = model.fit(blobs()).medoids_
    monkeypatch.setattr(medoids, "ENTRIES", 100)
    np.testing.assert_array_equal(model.fit(blobs()).medoids_, whole)


def test_verbose_says_which_way_and_how_long(ops, capsys):
    for metric, way in (
        ("euclidean", "tree search"),
        ("manhattan", "tree search"),
        ("canberra", "full distance matrix"),
    ):
        HDBSCANGPU(metric=metric, device=ops.name, verbose=True).fit(blobs(60))
        lines = capsys.readouterr().err
        assert way in lines.splitlines()[0], lines
        for stage in ("spanning tree", "dendrogram", "clusters and labels"):
            assert f"[emst] {stage}: " in lines
    HDBSCANGPU(device=ops.name).fit(blobs(60))
    assert capsys.readouterr() == ("", "")


def test_every_round_is_reported(ops, model, monkeypatch):
    monkeypatch.setattr(Progress, "shown", True)  # otherwise nobody asks for the rounds
    for metric in ("euclidean", "manhattan", "canberra"):
        seen = []
        monkeypatch.setattr(Progress, "round", lambda self, rounds, left, seen=seen: seen.append((rounds, left)))
        model.set_params(metric=metric).fit(blobs())
        assert [rounds for rounds, _ in seen] == list(range(1, len(seen) + 1))
        assert seen[-1][1] == 1


def test_public_names():
    for name in emst.__all__:
        assert getattr(emst, name) is not None
