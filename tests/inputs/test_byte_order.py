"""Numbers in the other byte order, as FITS files hold them, are computed as their own kind: float32 stays float32."""

import numpy as np
import pytest
from helpers import cloud
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

import emst
from emst import EMST, HDBSCANGPU, graph_msf

KINDS = [("f2", np.float32), ("f4", np.float32), ("f8", np.float64), ("i4", np.float64)]


def swapped(x, kind):
    """The same numbers in either byte order: the machine's, and the other."""
    own = x.astype(kind)
    return own, own.astype(own.dtype.newbyteorder())


@pytest.mark.parametrize(("kind", "computed"), KINDS)
def test_points(ops, kind, computed):
    own, other = swapped(cloud(200, 3, np.float64) * 100, kind)
    expected = EMST(min_samples=3, device=ops.name).fit(own)
    ours = EMST(min_samples=3, device=ops.name).fit(other)
    for name in ("edges_", "weights_", "core_distances_"):
        value = getattr(ours, name)
        assert value.dtype == getattr(expected, name).dtype
        np.testing.assert_array_equal(value, getattr(expected, name))
    assert ours.weights_.dtype == computed
    assert ours.weights_.dtype.isnative


@pytest.mark.parametrize(("kind", "computed"), KINDS)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "canberra", "cosine"])
def test_clusters(ops, kind, computed, metric):
    own, other = swapped(cloud(100, 2, np.float64) * 100 + 1, kind)
    expected, ours = (HDBSCANGPU(metric=metric, store_centers="both", device=ops.name).fit(x) for x in (own, other))
    assert ours.core_distances_.dtype == (computed if metric in ("euclidean", "manhattan") else np.float64)
    for name in ("labels_", "probabilities_", "core_distances_", "outlier_scores_", "centroids_", "medoids_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(expected, name))
    np.testing.assert_array_equal(ours.predict(other), expected.predict(own))
    np.testing.assert_array_equal(emst.membership_vector(ours, other), emst.membership_vector(expected, own))


def sparse(matrix):
    """In the byte order of the matrix, which SciPy's constructors may refuse."""
    result = csr_matrix(matrix.astype(matrix.dtype.newbyteorder("=")))
    result.data = result.data.astype(matrix.dtype)
    return result


@pytest.mark.parametrize("form", [np.asarray, sparse])
@pytest.mark.parametrize(("kind", "computed"), [("f4", np.float32), ("f8", np.float64), ("i4", np.float64)])
def test_distances(ops, form, kind, computed):
    x = cloud(60, 2, np.float64) * 100
    own, other = swapped(cdist(x, x), kind)
    expected, ours = (HDBSCANGPU(metric="precomputed", device=ops.name).fit(form(d)) for d in (own, other))
    assert ours.core_distances_.dtype == computed
    for name in ("labels_", "core_distances_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(expected, name))


@pytest.mark.parametrize("kind", ["i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"])
def test_graphs(ops, kind):
    """Weights come back as they stand in the input."""
    rng = np.random.default_rng(0)
    u, v = rng.integers(0, 60, (2, 400))
    graph = csr_matrix((rng.integers(1, 9, 400).astype(float), (np.minimum(u, v), np.maximum(u, v))), shape=(60, 60))
    own, other = swapped(graph.data, kind)
    indptr, indices = (a.astype(a.dtype.newbyteorder()) for a in (graph.indptr, graph.indices))
    expected = graph_msf((graph.indptr, graph.indices, own), device=ops.name)
    ours = graph_msf((indptr, indices, other), device=ops.name)
    assert ours.weight.dtype == other.dtype
    for name in ("source", "target", "edge_id", "weight"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(expected, name))
    assert ours.total_weight == expected.total_weight
    assert (ours.to_csr() != expected.to_csr()).nnz == 0
    assert ours.to_csr().dtype == expected.to_csr().dtype
