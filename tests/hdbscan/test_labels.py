"""Labels against the peers', over data sets and a grid of parameters; dendrograms against SciPy's.

Where two edges of the tree weigh the same, scikit-learn merges one after the other, and what comes of that depends on
which comes first. Under mutual reachability with k > 2 that is ordinary even among random points: every edge from a
point to one nearer than its core distance weighs as much as that. So labels must equal scikit-learn's where no weights
are equal. Elsewhere they must equal those of the definition, which merges equal heights at once, and every pair of
points must merge at the same height as in scikit-learn's dendrogram: the order of equal weights does not change that.
"""

import pathlib
import pickle

import numpy as np
import pytest
from definition_reference import by_definition, condense
from helpers import KINDS, cloud, mutual_reachability, same_partition, to_host
from scipy.cluster.hierarchy import cophenet
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import pdist, squareform
from sklearn import datasets
from sklearn.base import clone
from sklearn.cluster import HDBSCAN
from sklearn.cluster._hdbscan._tree import HIERARCHY_dtype, tree_to_labels
from sklearn.metrics import pairwise_distances

from emst import HDBSCANGPU

CLUSTERABLE = pathlib.Path(__file__).parents[1] / "data" / "hdbscan" / "clusterable_data.npy"
SETS = {
    "iris": lambda: datasets.load_iris().data,
    "wine": lambda: datasets.load_wine().data,
    "digits": lambda: datasets.load_digits().data[:900],
    "moons": lambda: datasets.make_moons(400, noise=0.08, random_state=0)[0],
    "circles": lambda: datasets.make_circles(400, noise=0.05, factor=0.5, random_state=0)[0],
    "blobs": lambda: datasets.make_blobs(600, centers=6, n_features=3, random_state=0)[0],
    "clusterable": lambda: np.load(CLUSTERABLE),
}
ROUNDED = {"iris", "digits"}  # measured on a grid: distances tie
CHOICES = [
    dict(min_cluster_size=size, cluster_selection_method=method, allow_single_cluster=single)
    for size in (5, 15)
    for method in ("eom", "leaf")
    for single in (False, True)
]


@pytest.fixture(scope="module", params=SETS)
def named(request):
    return request.param, SETS[request.param]()


def renamed(choice):
    """The same options by the names of the reference."""
    return {name.replace("cluster_selection_method", "method"): value for name, value in choice.items()}


def structured(model):
    """Single linkage as scikit-learn's code takes it."""
    table = model.single_linkage_tree_.to_numpy()
    columns = [table[:, 0].astype(np.intp), table[:, 1].astype(np.intp), table[:, 2], table[:, 3].astype(np.intp)]
    return np.rec.fromarrays(columns, dtype=HIERARCHY_dtype)


def heights_of_pairs(merges):
    """The height at which two points merge, for every pair: the cophenetic distances of scikit-learn's records."""
    table = np.stack([merges[name].astype(float) for name in HIERARCHY_dtype.names], axis=1)
    table[:, :2].sort(axis=1)
    return cophenet(table)


@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_labels_are_scikit_learns(ops, named, k):
    name, x = named
    first = HDBSCANGPU(min_samples=k, device=ops.name).fit(x)
    merges = structured(first)
    ties = k > 2 or name in ROUNDED
    assert ties == (len(np.unique(merges["value"])) < len(merges))
    peer = HDBSCAN(min_samples=k, copy=True).fit(x)
    np.testing.assert_allclose(heights_of_pairs(merges), heights_of_pairs(peer._single_linkage_tree_), rtol=1e-9)
    edges = first.minimum_spanning_tree_.to_numpy()
    tree = (len(x), edges[:, :2].astype(int).tolist(), edges[:, 2].tolist())
    condensed = {size: condense(*tree, size) for size in {choice["min_cluster_size"] for choice in CHOICES}}
    for choice in CHOICES:
        ours = first.recluster(**choice)
        defined = by_definition(*tree, **renamed(choice), condensed=condensed[choice["min_cluster_size"]])
        assert same_partition(ours.labels_, defined.labels), choice
        np.testing.assert_array_equal(ours.probabilities_, defined.probabilities)
        if not ties:
            labels, probabilities = tree_to_labels(merges, *choice.values(), 0.0, None)
            assert same_partition(ours.labels_, labels), choice
            np.testing.assert_allclose(ours.probabilities_, probabilities, rtol=1e-14)
            theirs = clone(peer).set_params(**choice).fit(x)
            assert same_partition(ours.labels_, theirs.labels_), choice
            np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1])
@pytest.mark.parametrize("name", ["moons", "clusterable"])
def test_epsilon_and_limits_are_hdbscans(ops, name, epsilon):
    """scikit-learn raises TypeError for many of these. hdbscan's k does not count the point."""
    hdbscan = pytest.importorskip("hdbscan", reason="needs hdbscan, which is not installed")
    x = SETS[name]()
    for choice in CHOICES:
        options = dict(cluster_selection_epsilon=float(epsilon), max_cluster_size=len(x) // 3, **choice)
        ours = HDBSCANGPU(min_samples=2, device=ops.name, **options).fit(x)
        theirs = hdbscan.HDBSCAN(min_samples=1, approx_min_span_tree=False, **options).fit(x)
        assert same_partition(ours.labels_, theirs.labels_), choice
        np.testing.assert_allclose(ours.probabilities_, theirs.probabilities_, rtol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 5, 16])
def test_heights_are_scipys(ops, named, k):
    x = named[1][:500]
    ours = HDBSCANGPU(min_samples=k, device=ops.name).fit(x).single_linkage_tree_.to_numpy()
    distance = mutual_reachability(x, k)
    np.fill_diagonal(distance, 0)
    theirs = scipy_linkage(squareform(distance, checks=False), "single")
    np.testing.assert_allclose(ours[:, 2], theirs[:, 2], rtol=1e-11)


METRICS = [
    ("l2", None),
    ("sqeuclidean", None),
    ("nan_euclidean", None),
    ("cosine", None),
    ("manhattan", None),
    ("cityblock", None),
    ("chebyshev", None),
    ("infinity", None),
    ("minkowski", {"p": 1}),
    ("minkowski", {"p": 2}),
    ("minkowski", {"p": 3}),
    ("p", {"p": 1.5}),
    ("minkowski", {"p": 2, "w": [1.0, 2.0, 3.0]}),
    ("canberra", None),
    ("braycurtis", None),
    ("correlation", None),
    ("seuclidean", {"V": np.array([1.0, 2.0, 3.0])}),
    ("mahalanobis", {"V": np.diag([1.0, 2.0, 3.0])}),
]


@pytest.mark.parametrize(("metric", "params"), METRICS, ids=str)
@pytest.mark.parametrize("k", [1, 6])
def test_metrics_are_scikit_learns(ops, metric, params, k):
    x = datasets.make_blobs(250, centers=4, n_features=3, random_state=2)[0]
    ours = HDBSCANGPU(min_samples=k, metric=metric, metric_params=params, device=ops.name).fit(x)
    name = {"infinity": "chebyshev", "p": "minkowski"}.get(metric, metric)
    keywords = dict(params or {})
    if metric == "mahalanobis":
        keywords = {"VI": np.linalg.inv(keywords["V"])}
    assert_single_linkage(ours, pairwise_distances(x, metric=name, **keywords), k)


@pytest.mark.filterwarnings("ignore:Data was converted to boolean")
@pytest.mark.parametrize("metric", ["hamming", "jaccard", "rogerstanimoto", "sokalmichener", "yule"])
def test_metrics_of_truth_values(ops, metric):
    x = np.random.default_rng(0).random((150, 9)) < 0.4
    ours = HDBSCANGPU(min_samples=3, metric=metric, device=ops.name).fit(x.astype(float))
    name = {"sokalmichener": "rogerstanimoto"}.get(metric, metric)
    assert_single_linkage(ours, pairwise_distances(x, metric=name), 3)


def test_haversine_is_scikit_learns(ops):
    g = np.random.default_rng(0)
    x = np.stack([g.uniform(-np.pi / 2, np.pi / 2, 300), g.uniform(-np.pi, np.pi, 300)], axis=1)  # poles and date line
    for k in (1, 6):
        ours = HDBSCANGPU(min_samples=k, metric="haversine", device=ops.name).fit(x)
        assert_single_linkage(ours, pairwise_distances(x, metric="haversine"), k)


def test_haversine_tells_metres_apart(ops):
    """In the plane of a city, a millionth of a degree (10 cm) is not lost in the embedding."""
    x = np.radians([48.0, 11.0] + 1e-6 * np.random.default_rng(0).random((200, 2)))
    ours = HDBSCANGPU(min_samples=3, metric="haversine", device=ops.name).fit(x)
    assert_single_linkage(ours, pairwise_distances(x, metric="haversine"), 3, rtol=1e-4)


def assert_single_linkage(model, distance, k, rtol=1e-9):
    core = np.sort(distance, axis=1)[:, k - 1]
    reach = np.maximum(distance, np.maximum.outer(core, core))
    np.fill_diagonal(reach, 0)
    theirs = scipy_linkage(squareform(reach, checks=False), "single")
    np.testing.assert_allclose(model.single_linkage_tree_.to_numpy()[:, 2], theirs[:, 2], rtol=rtol, atol=1e-14)
    np.testing.assert_allclose(model.core_distances_, core, rtol=rtol, atol=1e-14)
    edges = model.minimum_spanning_tree_.to_numpy()
    at = edges[:, :2].astype(int)
    np.testing.assert_allclose(reach[at[:, 0], at[:, 1]], edges[:, 2], rtol=rtol, atol=1e-14)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_alpha_divides_distances_but_not_core_distances(ops, metric):
    x = datasets.make_blobs(200, centers=4, n_features=3, random_state=2)[0]
    ours = HDBSCANGPU(min_samples=4, metric=metric, alpha=1.7, device=ops.name).fit(x)
    distance = pairwise_distances(x, metric=metric)
    core = np.sort(distance, axis=1)[:, 3]
    reach = np.maximum(distance / 1.7, np.maximum.outer(core, core))
    np.fill_diagonal(reach, 0)
    theirs = scipy_linkage(squareform(reach, checks=False), "single")
    np.testing.assert_allclose(ours.single_linkage_tree_.to_numpy()[:, 2], theirs[:, 2], rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("zeros", [1, 7])
def test_cosine_of_rows_of_zeros(ops, zeros):
    """Distance 1 to everything else, as in scikit-learn."""
    x = np.random.default_rng(0).normal(size=(120, 3))
    x[5 : 5 + zeros] = 0
    ours = HDBSCANGPU(min_samples=2, metric="cosine", device=ops.name).fit(x)
    assert_single_linkage(ours, pairwise_distances(x, metric="cosine"), 2)


@pytest.mark.parametrize("exponent", [-900, -100, 100, 900])
def test_lengths_do_not_count_in_cosine_distances(ops, exponent):
    """Nor beside rows of zeros, which take the matrix of distances."""
    x = np.r_[np.random.default_rng(0).standard_normal((40, 3)), np.zeros((2, 3))]
    ours, plain = (
        HDBSCANGPU(min_samples=2, metric="cosine", device=ops.name).fit(rows) for rows in (np.ldexp(x, exponent), x)
    )
    np.testing.assert_array_equal(to_host(ours._model.weights), to_host(plain._model.weights))
    np.testing.assert_array_equal(to_host(ours.labels_), to_host(plain.labels_))


def test_a_function_as_metric(ops):
    x = datasets.make_blobs(80, centers=3, random_state=0)[0]

    def metric(a, b):
        return abs(a - b).sum()

    for name, params in ((metric, None), ("pyfunc", {"func": metric})):
        ours = HDBSCANGPU(min_samples=3, metric=name, metric_params=params, device=ops.name).fit(x)
        assert_single_linkage(ours, squareform(pdist(x, "cityblock")), 3)


def test_sparse_features_are_the_dense_ones(ops):
    from scipy.sparse import csr_matrix

    x = datasets.make_blobs(200, centers=4, n_features=5, random_state=0)[0]
    x[abs(x) < 2] = 0
    for metric in ("euclidean", "manhattan", "cosine"):
        dense = HDBSCANGPU(min_samples=1, metric=metric, device=ops.name).fit(x)
        sparse = HDBSCANGPU(min_samples=1, metric=metric, device=ops.name).fit(csr_matrix(x))
        np.testing.assert_array_equal(sparse.labels_, dense.labels_)
        np.testing.assert_allclose(sparse.probabilities_, dense.probabilities_, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 2, 5, 16])
def test_the_order_of_the_rows_and_the_unit_do_not_matter(ops, kind, k):
    """Labels follow their rows. A power of two as unit changes no bit of anything."""
    x = cloud(500, 3, np.float64, kind)
    model = HDBSCANGPU(min_samples=k, device=ops.name)
    first = model.fit(x)
    labels, probabilities, scores = first.labels_, first.probabilities_, first.outlier_scores_
    order = np.random.default_rng(1).permutation(500)
    shuffled = model.fit(x[order])
    assert same_partition(shuffled.labels_, labels[order])
    np.testing.assert_array_equal(shuffled.probabilities_, probabilities[order])
    np.testing.assert_array_equal(shuffled.outlier_scores_, scores[order])
    scaled = model.fit(x * 2.0**-40)
    np.testing.assert_array_equal(scaled.labels_, labels)
    np.testing.assert_array_equal(scaled.probabilities_, probabilities)
    np.testing.assert_array_equal(scaled.outlier_scores_, scores)


@pytest.mark.gpu
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 5])
def test_both_devices_give_the_same_bits(kind, k):
    options = [{}, {"cluster_selection_method": "leaf"}, {"cluster_selection_epsilon": 0.1}]
    options += [{"allow_single_cluster": True}, {"cluster_selection_persistence": 1.0}, {"max_cluster_size": 50}]
    for dtype in (np.float32, np.float64):
        x = cloud(3_000, 3, dtype, kind)
        x[7, 1], x[8, 0] = np.nan, np.inf
        cpu, gpu = (HDBSCANGPU(min_samples=k, device=device).fit(x) for device in ("cpu", "cuda"))
        for choice in options:
            ours, theirs = gpu.recluster(**choice), cpu.recluster(**choice)
            for name in ("labels_", "probabilities_", "outlier_scores_", "cluster_persistence_", "core_distances_"):
                np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=f"{name} {choice}")
            for mine, other in zip(ours.exemplars_, theirs.exemplars_):
                np.testing.assert_array_equal(mine, other)
            assert ours.relative_validity_ == theirs.relative_validity_
        np.testing.assert_array_equal(gpu.dbscan_clustering(0.05), cpu.dbscan_clustering(0.05))


def test_a_member_can_have_probability_zero(ops):
    """Equal points make the greatest lambda of their cluster infinite; the other members leave it at finite ones."""
    g = np.random.default_rng(0)
    x = np.concatenate([np.zeros((25, 2)), g.normal(0, 1, (100, 2)), g.normal(20, 1, (100, 2))])
    model = HDBSCANGPU(min_cluster_size=20, min_samples=5, device=ops.name).fit(x)
    members = model.labels_ == model.labels_[0]
    assert members.sum() > 25
    assert model.probabilities_[:25].tolist() == [1] * 25
    assert not model.probabilities_[members][25:].any()


def test_clusters_that_begin_too_high_are_not_selected(ops):
    """Two pairs of blobs: the pairs begin at about 38, the blobs at less than 1, and the longest edge is the former."""
    pair = np.random.default_rng(0).normal(0, 0.2, (200, 2)) + np.repeat([[0, 0], [0.8, 0]], 100, axis=0)
    x = np.concatenate([pair, pair + [40, 0]])
    model = HDBSCANGPU(min_cluster_size=60, min_samples=3, allow_single_cluster=True, device=ops.name).fit(x)
    assert (model.labels_[:200] != model.labels_[200:]).all()
    assert model.labels_.max() == 1
    for most, clusters in ((0.01, 0), (5, 4), (30, 4), (50, 2)):
        other = model.recluster(cluster_selection_epsilon_max=most)
        assert other.labels_.max() + 1 == clusters
        np.testing.assert_array_equal(clone(other).fit(x).labels_, other.labels_)
        again = pickle.loads(pickle.dumps(other))
        assert again.condensed_tree_._select_clusters() == other.condensed_tree_._select_clusters()
    joined = model.recluster(cluster_selection_epsilon_max=5, cluster_selection_epsilon=10)
    assert joined.labels_.max() == 1
    leaves = model.recluster(cluster_selection_method="leaf", cluster_selection_epsilon_max=0.01)
    assert leaves.labels_.max() == 3
    line = np.add.outer([0.0, 12, 48, 60], range(5)).reshape(-1, 1)  # four clusters that begin at exactly 8
    for most, clusters in ((7.99, 0), (8, 4)):
        options = {"cluster_selection_epsilon_max": most, "device": ops.name}
        assert HDBSCANGPU(min_samples=1, **options).fit(line).labels_.max() + 1 == clusters


def test_a_root_without_members_is_no_cluster(ops):
    """The root is the most stable cluster, but all points leave it above epsilon."""
    x = np.random.default_rng(0).normal(size=(60, 2))
    options = {"min_cluster_size": 20, "allow_single_cluster": True, "device": ops.name}
    assert set(HDBSCANGPU(**options).fit(x).labels_) == {-1, 0}
    model = HDBSCANGPU(cluster_selection_epsilon=1e-9, **options).fit(x)
    assert (model.labels_ == -1).all()
    assert len(model.cluster_persistence_) == len(model.exemplars_) == 0
    assert model.condensed_tree_._select_clusters() == []
