"""Data on the second of two GPUs, while the first is the current one: work and results belong on the second."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers import cloud, to_host
from scipy.sparse import coo_matrix, csr_matrix
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

import emst
from emst import EMST, HDBSCANGPU, graph_msf

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def cupy():
    """CuPy, with GPU 0 as the current one; a test must leave it so."""
    module = pytest.importorskip("cupy")
    if module.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two GPUs, and there is one")
    with module.cuda.Device(0):
        yield module
        assert module.cuda.runtime.getDevice() == 0


class Capsule:
    """An array that knows DLPack alone."""

    def __init__(self, array):
        self._array = array

    @property
    def ndim(self):
        return self._array.ndim

    @property
    def shape(self):
        return self._array.shape

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)


class Interface:
    """An array of another library, which CuPy reads by its pointer."""

    def __init__(self, array):
        self._array = array
        self.shape, self.ndim = array.shape, array.ndim
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def put(x, gpu, kind="cupy"):
    """The numpy array as an array of that kind on that GPU."""
    import cupy

    if kind == "torch":
        torch = pytest.importorskip("torch", reason="needs torch, which is not installed")
        if not torch.cuda.is_available():
            pytest.skip("needs torch with CUDA")
        torch.zeros(1, device="cuda:0")  # torch makes the GPU of its first tensor the process's current one
        return torch.from_numpy(np.array(x)).to(f"cuda:{gpu}")
    with cupy.cuda.Device(gpu):
        array = cupy.asarray(x)
        cupy.cuda.get_current_stream().synchronize()
    return {"cupy": lambda a: a, "dlpack": Capsule, "interface": Interface}[kind](array)


def number_of(array):
    """Number of the GPU that holds a result, -1 for the host."""
    if isinstance(array, np.ndarray):
        return -1
    return array.device.index if type(array).__module__ == "torch" else array.device.id


def host(array):
    return array.cpu().numpy() if type(array).__module__ == "torch" else to_host(array)


def same(ours, expected, gpu=1):
    """The same numbers, on that GPU."""
    assert number_of(ours) == gpu
    np.testing.assert_array_equal(host(ours), host(expected))


def used(cupy, gpu):
    with cupy.cuda.Device(gpu):
        return cupy.get_default_memory_pool().total_bytes()


def blobs(n=400, d=2, seed=0):
    return make_blobs(n, centers=5, n_features=d, random_state=seed)[0]


KINDS = ["cupy", "torch", "dlpack", "interface"]


# Trees


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 4])
def test_tree(kind, dtype, k):
    x = cloud(2_000, 3, dtype)
    ours = emst.minimum_spanning_tree(put(x, 1, kind), min_samples=k)
    assert ours.device == "cuda"
    expected = emst.minimum_spanning_tree(x, min_samples=k, device="cpu")
    first = emst.minimum_spanning_tree(put(x, 0, kind), min_samples=k)
    for name in ("edges", "weights", *(["core_distances"] if k > 1 else [])):
        same(getattr(ours, name), getattr(expected, name))
        same(getattr(first, name), getattr(expected, name), gpu=0)
    assert ours.total_weight == first.total_weight
    np.testing.assert_array_equal(ours.linkage(), expected.linkage())
    matrix = ours.to_csr()
    assert matrix.data.device.id == 1
    assert (matrix.get() != expected.to_csr()).nnz == 0


def test_the_first_gpu_is_not_worked_on(cupy):
    """Nothing is allocated there: a pool that has given all back stays empty."""
    x = put(cloud(50_000, 3, np.float32), 1)
    cupy.get_default_memory_pool().free_all_blocks()
    before = used(cupy, 0)
    EMST(min_samples=3).fit(x)
    HDBSCANGPU(store_centers="both").fit(x)
    assert used(cupy, 0) == before


@pytest.mark.parametrize("kind", ["strided", "fortran", "float16", "int32"])
def test_tree_of_any_layout_and_type(cupy, kind):
    x = np.random.default_rng(0).integers(0, 100, (300, 3)).astype(np.float64)
    with cupy.cuda.Device(1):
        y = {
            "strided": lambda: cupy.asarray(np.repeat(x, 2, axis=0))[::2],
            "fortran": lambda: cupy.asfortranarray(cupy.asarray(x)),
            "float16": lambda: cupy.asarray(x.astype(np.float16)),
            "int32": lambda: cupy.asarray(x.astype(np.int32)),
        }[kind]()
    ours = emst.minimum_spanning_tree(y)
    expected = emst.minimum_spanning_tree(host(y), device="cpu")
    same(ours.edges, expected.edges)
    same(ours.weights, expected.weights)
    same(emst.minimum_spanning_tree(y, device="cpu").edges, expected.edges)  # computed on the host, and given back


def test_estimator_of_trees():
    x = cloud(500, 2, np.float64)
    ours, expected = EMST(min_samples=3).fit(put(x, 1)), EMST(min_samples=3, device="cpu").fit(x)
    for name in ("edges_", "weights_", "core_distances_"):
        same(getattr(ours, name), getattr(expected, name))
    assert ours.total_weight_ == pytest.approx(expected.total_weight_, rel=1e-14)
    assert ours.to_csr().data.device.id == 1
    np.testing.assert_array_equal(ours.linkage(), expected.linkage())
    ours.plot()


def test_bad_rows_are_found_there():
    x = cloud(1_000, 3, np.float32)
    x[17, 2] = np.nan
    with pytest.raises(ValueError, match=r"row 17\b"):
        emst.minimum_spanning_tree(put(x, 1))


def test_host_data_goes_to_the_current_gpu(cupy):
    x = cloud(20_000, 3, np.float32)
    expected = emst.minimum_spanning_tree(x, device="cpu").edges
    for gpu in (0, 1):
        with cupy.cuda.Device(gpu):
            model = HDBSCANGPU(device="cuda").fit(x)
            same(emst.minimum_spanning_tree(x, device="cuda").edges, expected, gpu=-1)
        assert model._model.weights.device.id == gpu
        np.testing.assert_array_equal(model.predict(x[:100]), model.labels_[:100])
        assert isinstance(model.outlier_scores_, np.ndarray)


def test_a_thread_for_each_gpu(cupy, monkeypatch):
    """Both work at once, and load their kernels at once."""
    from emst.cuda.runtime import launch

    sets = [cloud(30_000, 3, np.float32), cloud(20_000, 2, np.float64), blobs(5_000, 40)]
    expected = [emst.minimum_spanning_tree(x, min_samples=3, device="cpu") for x in sets]
    monkeypatch.setattr(launch, "_thread", launch._Thread())
    start = threading.Barrier(4)

    def work(gpu):
        start.wait()
        with cupy.cuda.Device(gpu):
            return [emst.minimum_spanning_tree(cupy.asarray(x), min_samples=3) for x in sets]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(work, (0, 1, 0, 1)))
    for gpu, trees in zip((0, 1, 0, 1), found):
        for ours, theirs in zip(trees, expected):
            same(ours.edges, theirs.edges, gpu)
            same(ours.weights, theirs.weights, gpu)


# Clusters


METRICS = ["euclidean", "sqeuclidean", "cosine", "haversine", "manhattan", "minkowski", "canberra"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", METRICS)
def test_clusters(kind, metric):
    if kind != "cupy" and metric not in ("euclidean", "canberra"):
        pytest.skip("how arrays come in does not depend on the metric")
    x = blobs() / 10
    x[3, 0], x[4, 1] = np.nan, np.inf
    options = {"min_samples": 2, "metric": metric, "store_centers": "both"}
    if metric == "minkowski":
        options["metric_params"] = {"p": 3}
    first = HDBSCANGPU(**options).fit(put(x, 0, kind))
    ours = HDBSCANGPU(**options).fit(put(x, 1, kind))
    expected = HDBSCANGPU(device="cpu", **options).fit(x)
    assert ours.device_ == "cuda"
    for name in ("labels_", "probabilities_", "outlier_scores_", "core_distances_", "centroids_", "medoids_"):
        same(getattr(ours, name), getattr(first, name))
    if metric not in ("cosine", "haversine"):  # the last digits of angles differ
        same(ours.labels_, expected.labels_)
    np.testing.assert_array_equal(ours.cluster_persistence_, first.cluster_persistence_)
    assert ours.relative_validity_ == first.relative_validity_
    for mine, theirs in zip(ours.exemplars_, first.exemplars_):
        same(mine, theirs)
    for name in ("condensed_tree_", "single_linkage_tree_", "minimum_spanning_tree_"):
        np.testing.assert_array_equal(getattr(ours, name).to_numpy(), getattr(first, name).to_numpy())
    same(ours.dbscan_clustering(0.5), first.dbscan_clustering(0.5))
    again, theirs = (m.recluster(min_cluster_size=9, cluster_selection_method="leaf") for m in (ours, first))
    same(again.labels_, theirs.labels_)
    same(again.outlier_scores_, theirs.outlier_scores_)


@pytest.mark.parametrize("option", [{"alpha": 0.7}, {"cluster_selection_persistence": 0.1}, {"prediction_data": True}])
def test_clusters_by_other_options(option):
    x = blobs()
    ours = HDBSCANGPU(min_samples=2, **option).fit(put(x, 1))
    expected = HDBSCANGPU(min_samples=2, device="cpu", **option).fit(x)
    same(ours.labels_, expected.labels_)
    same(ours.outlier_scores_, expected.outlier_scores_)


def test_a_model_on_the_cpu_of_data_on_the_second_gpu():
    x = blobs()
    ours = HDBSCANGPU(device="cpu", store_centers="both").fit(put(x, 1))
    expected = HDBSCANGPU(device="cpu", store_centers="both").fit(x)
    assert ours.device_ == "cpu"
    for name in ("labels_", "outlier_scores_", "centroids_", "medoids_"):
        same(getattr(ours, name), getattr(expected, name))
    for mine, theirs in zip(ours.exemplars_, expected.exemplars_):
        same(mine, theirs)
    same(ours.predict(put(x, 0)), expected.labels_, gpu=0)
    np.testing.assert_array_equal(ours.minimum_spanning_tree_.to_numpy(), expected.minimum_spanning_tree_.to_numpy())


@pytest.mark.parametrize("kind", ["cupy", "torch"])
def test_distances(kind):
    x = blobs(200)
    distance = cdist(x, x)
    ours = HDBSCANGPU(metric="precomputed").fit(put(distance, 1, kind))
    expected = HDBSCANGPU(metric="precomputed", device="cpu").fit(distance)
    same(ours.labels_, expected.labels_)
    same(ours.core_distances_, expected.core_distances_)


@pytest.mark.parametrize("dtype", [None, np.float32])
def test_sparse_distances(cupy, dtype):
    from cupyx.scipy import sparse

    x = blobs(200)
    matrix = csr_matrix(np.where(cdist(x, x) < 8, cdist(x, x), 0))
    with cupy.cuda.Device(1):
        given = sparse.csr_matrix(matrix)
    options = {"metric": "precomputed", "metric_params": {"max_distance": 50.0}, "dtype": dtype}
    ours = HDBSCANGPU(**options).fit(given)
    expected = HDBSCANGPU(device="cpu", **options).fit(matrix)
    same(ours.labels_, expected.labels_)
    same(ours.core_distances_, expected.core_distances_)


def test_pickles_hold_host_arrays():
    x = blobs()
    ours = HDBSCANGPU().fit(put(x, 1))
    again = pickle.loads(pickle.dumps(ours))
    same(again.labels_, ours.labels_, gpu=-1)
    same(again.recluster(min_cluster_size=9).labels_, ours.recluster(min_cluster_size=9).labels_, gpu=-1)
    tree = pickle.loads(pickle.dumps(ours.condensed_tree_))
    np.testing.assert_array_equal(tree.to_numpy(), ours.condensed_tree_.to_numpy())


# New points


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("home", [0, 1, -1])
@pytest.mark.parametrize("of_queries", [0, 1, -1])
def test_new_points_wherever_they_and_the_model_are(metric, home, of_queries):
    """The model works where it is; results go to where the queries are."""
    x, new = blobs(), blobs(300, seed=1)
    new[5, 0], new[6, 1] = np.nan, np.inf
    expected = HDBSCANGPU(min_samples=3, metric=metric, device="cpu").fit(x)
    model = HDBSCANGPU(min_samples=3, metric=metric, device="cuda").fit(x if home < 0 else put(x, home))
    queries = new if of_queries < 0 else put(new, of_queries)
    same(model.predict(queries), expected.predict(new), gpu=of_queries)
    found = emst.approximate_predict(model, queries, return_connecting_points=True)
    for mine, theirs in zip(found, emst.approximate_predict(expected, new, return_connecting_points=True)):
        assert number_of(mine) == of_queries
        np.testing.assert_allclose(host(mine), theirs, rtol=1e-12)
    scores = emst.approximate_predict_scores(model, queries)
    assert number_of(scores) == of_queries
    np.testing.assert_allclose(host(scores), emst.approximate_predict_scores(expected, new), rtol=1e-12, atol=1e-12)
    vectors = emst.membership_vector(model, queries)
    assert number_of(vectors) == of_queries
    np.testing.assert_allclose(host(vectors), emst.membership_vector(expected, new), rtol=1e-9, atol=1e-12)
    assert model._model.weights.device.id == max(home, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_new_points_of_any_kind(kind):
    x = blobs()
    model = HDBSCANGPU().fit(put(x, 0))
    same(model.predict(put(x, 1, kind)), host(model.labels_))
    assert number_of(emst.membership_vector(model, put(x, 1, kind))) == 1


def test_memberships_of_the_training_points():
    x = blobs()
    ours, expected = HDBSCANGPU().fit(put(x, 1)), HDBSCANGPU().fit(put(x, 0))
    same(emst.all_points_membership_vectors(ours), emst.all_points_membership_vectors(expected))
    out = np.empty(emst.all_points_membership_vectors(ours).shape)
    emst.all_points_membership_vectors(ours, out=out)
    same(emst.all_points_membership_vectors(ours), out)


def test_a_query_that_is_far_away():
    """Its squares overflow in the scaling of the points: another hierarchy of boxes is built for it, there as well."""
    x = blobs().astype(np.float32)
    model = HDBSCANGPU().fit(put(x, 1))
    far = np.array([[1e30, 1e30], x[0]], np.float32)
    same(model.predict(put(far, 0)), HDBSCANGPU(device="cpu").fit(x).predict(far), gpu=0)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("gpu", [0, 1])
def test_validity(metric, gpu):
    """The labels may lie on another GPU than the points."""
    x = blobs()
    labels = HDBSCANGPU(device="cpu").fit_predict(x)
    ours = emst.validity_index(put(x, 1), put(labels, gpu), metric=metric, per_cluster_scores=True)
    expected = emst.validity_index(put(x, 0), labels, metric=metric, per_cluster_scores=True)
    assert ours[0] == expected[0]
    np.testing.assert_array_equal(ours[1], expected[1])


# Graphs


def random_graph(n=500, m=4_000, dtype=np.float64):
    rng = np.random.default_rng(0)
    u, v = rng.integers(0, n, (2, m))
    weights = rng.integers(0, 50, m).astype(dtype)
    return coo_matrix((weights, (np.minimum(u, v), np.maximum(u, v))), shape=(n, n))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dense", "tuple"])
@pytest.mark.parametrize("algorithm", ["boruvka", "contraction", "primitives", "partial-prim", "hybrid"])
def test_graphs(cupy, form, algorithm):
    from cupyx.scipy import sparse

    graph = random_graph()
    with cupy.cuda.Device(1):
        csr = graph.tocsr()
        coo = csr.tocoo()
        given = {
            "csr": lambda: sparse.csr_matrix(csr),
            "csc": lambda: sparse.csc_matrix(csr.tocsc()),
            "coo": lambda: sparse.coo_matrix(
                (cupy.asarray(coo.data), tuple(map(cupy.asarray, (coo.row, coo.col)))), csr.shape
            ),
            "dense": lambda: cupy.asarray(csr.toarray()),
            "tuple": lambda: tuple(map(cupy.asarray, (csr.indptr, csr.indices, csr.data))),
        }[form]()
    expected = {"csc": csr.tocsc(), "coo": coo, "dense": csr.toarray()}.get(form, csr)
    forest = graph_msf(given, algorithm=algorithm, return_labels=True, symmetric="min")
    theirs = graph_msf(expected, device="cpu", return_labels=True, symmetric="min")
    assert forest.device == "cuda"
    for name in ("source", "target", "weight", "edge_id", "component_labels"):
        same(getattr(forest, name), getattr(theirs, name))
    assert forest.total_weight == theirs.total_weight
    matrix = forest.to_csr()
    assert matrix.data.device.id == 1
    assert (matrix.get() != theirs.to_csr()).nnz == 0
    same(graph_msf(given, device="cpu", symmetric="min").edge_id, theirs.edge_id)  # worked on by the CPU, given back


def test_arrays_of_a_graph_on_different_devices():
    """All belong where the weights are."""
    csr = random_graph().tocsr()
    expected = graph_msf(csr, device="cpu", symmetric="min")
    for homes in ((0, 0, 1), (1, 0, 1), (-1, 0, 1), (0, 1, -1), (0, -1, 0)):
        given = tuple(
            array if gpu < 0 else put(array, gpu) for array, gpu in zip((csr.indptr, csr.indices, csr.data), homes)
        )
        forest = graph_msf(given, symmetric="min")
        for name in ("source", "target", "weight", "edge_id"):
            same(getattr(forest, name), getattr(expected, name), gpu=homes[2])


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_forests_of_other_weights(dtype):
    csr = random_graph(dtype=dtype).tocsr()
    forest = graph_msf(tuple(put(a, 1) for a in (csr.indptr, csr.indices, csr.data)), symmetric="min")
    expected = graph_msf(csr, device="cpu", symmetric="min")
    same(forest.weight, expected.weight)
    assert forest.total_weight == expected.total_weight
    assert forest.to_csr().data.device.id == 1


def test_a_graph_on_the_second_gpu_in_blocks():
    csr = random_graph(2_000, 100_000).tocsr()
    given = tuple(put(a, 1) for a in (csr.indptr, csr.indices, csr.data))
    forest = graph_msf(given, symmetric="min", max_device_bytes=4_000_000)
    same(forest.edge_id, graph_msf(csr, device="cpu", symmetric="min").edge_id)


def test_faults_of_a_graph_there():
    csr = random_graph().tocsr()
    csr.indices[17] = 10_000
    with pytest.raises(ValueError, match=r"10,000"):
        graph_msf(tuple(put(a, 1) for a in (csr.indptr, csr.indices, csr.data)))
