"""Errors are one sentence that says what to do: no array poured out, no words of another library's insides."""

import contextlib
import io
import pickle
import zipfile

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import emst
from emst import EMST, HDBSCANGPU, graph_msf, minimum_spanning_tree
from emst.hierarchy.validity import validity_index
from emst.io.points import read_points

POINTS = np.random.default_rng(0).normal(size=(60, 2))


def sentence(error, call, *args, **options):
    """The message of the error that the call raises: short, and in one line."""
    with pytest.raises(error) as caught:
        call(*args, **options)
    message = str(caught.value)
    assert "\n" not in message and "[" not in message and len(message) < 300, message
    return message


# ---- parameters ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    return HDBSCANGPU(device="cpu").fit(POINTS)


def test_a_typo_is_no_parameter(model):
    message = sentence(ValueError, model.recluster, min_clustersize=5)
    assert message == "recluster has no parameter 'min_clustersize'; did you mean 'min_cluster_size'?"
    message = sentence(ValueError, model.recluster, gravity=5)
    assert message.startswith("recluster has no parameter 'gravity'; it takes min_cluster_size, ")


def test_what_the_tree_depends_on_needs_a_fit(model):
    message = sentence(ValueError, model.recluster, min_samples=3, min_cluster_size=5)
    assert message.endswith("got min_samples, for which a new fit is needed")


@pytest.mark.parametrize(
    "function",
    ["membership_vector", "approximate_predict", "approximate_predict_scores", "all_points_membership_vectors"],
)
def test_swapped_arguments(model, function):
    function = getattr(emst, function)
    args = (POINTS,) if function is emst.all_points_membership_vectors else (POINTS, model)
    message = sentence(TypeError, function, *args)
    assert message == "the first argument must be a fitted HDBSCANGPU; got numpy.ndarray"
    assert "got emst.euclidean.EMST" in sentence(TypeError, function, EMST(), *args[1:])


# ---- attributes before and after fit ---------------------------------------------------------------------------------

CLUSTERING = ["labels_", "probabilities_", "core_distances_", "device_", "centroids_", "medoids_", "n_features_in_"]
CLUSTERING += ["cluster_persistence_", "outlier_scores_", "exemplars_", "exemplar_indices_", "relative_validity_"]
CLUSTERING += ["condensed_tree_", "single_linkage_tree_", "minimum_spanning_tree_"]
TREE = ["edges_", "weights_", "core_distances_", "total_weight_", "device_", "n_features_in_"]


@pytest.mark.parametrize(
    ("kind", "name"), [*((HDBSCANGPU, name) for name in CLUSTERING), *((EMST, name) for name in TREE)]
)
def test_attributes_of_an_estimator_that_is_not_fitted(kind, name):
    estimator = kind()
    expected = f"This {kind.__name__} instance is not fitted yet. Call 'fit' "
    assert sentence(NotFittedError, getattr, estimator, name).startswith(expected)
    assert sentence(AttributeError, getattr, estimator, name).startswith(expected)
    assert not hasattr(estimator, name) and getattr(estimator, name, 7) == 7
    assert not hasattr(pickle.loads(pickle.dumps(estimator)), name)
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)


def test_attributes_that_a_fit_did_not_make(model):
    assert sentence(AttributeError, getattr, model, "medoids_") == (
        "this HDBSCANGPU has no medoids_: they are made where store_centers is 'medoid' or 'both'"
    )
    tree = EMST(device="cpu").fit(POINTS)
    assert sentence(AttributeError, getattr, tree, "core_distances_") == (
        "this EMST has no core_distances_: they are made where min_samples > 1"
    )
    assert not hasattr(tree, "core_distances_") and not hasattr(model, "medoids_")
    assert len(tree.set_params(min_samples=3).fit(POINTS).core_distances_) == len(POINTS)
    assert not hasattr(tree.set_params(min_samples=1).fit(POINTS), "core_distances_")


def test_an_attribute_that_nobody_knows():
    with pytest.raises(AttributeError, match="no attribute 'lables_'"):
        _ = HDBSCANGPU().lables_


# ---- data ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fit", [minimum_spanning_tree, lambda x: HDBSCANGPU().fit(x)])
def test_structured_arrays(fit):
    table = np.zeros(9, [("x", "f8"), ("y", "f8")])
    for x in (table, table.reshape(3, 3)):
        message = sentence(ValueError, fit, x)
        assert "fields x, y" in message and "numpy.lib.recfunctions.structured_to_unstructured(X)" in message


@pytest.mark.parametrize(
    "x", [POINTS * 1j, (POINTS * 1j).tolist(), sparse.csr_array(POINTS * 1j), (POINTS * 1j).astype(np.complex64)]
)
def test_complex_numbers(x):
    dtype = getattr(x, "dtype", np.dtype(complex))
    expected = f"X must hold real numbers; got dtype {dtype}. Complex data not supported"
    assert sentence(ValueError, HDBSCANGPU().fit, x) == expected
    if not sparse.issparse(x):
        assert sentence(ValueError, minimum_spanning_tree, x) == expected


class LazyFrame:
    """Like that of polars: its rows have not been read."""

    columns = ("x", "y")

    def __getitem__(self, name):
        raise TypeError("LazyFrame is not subscriptable")


NO_POINTS = {
    "mapping": (
        {"x": [1.0, 2.0], "y": [3.0, 4.0]},
        "X is a dict; pass its columns as a data frame: pandas.DataFrame(X)",
    ),
    "lazy": (LazyFrame(), "X is a LazyFrame, whose rows have not been read; pass X.collect()"),
    "ragged": ([[1.0, 2.0], [3.0]], "X must hold rows of equally many numbers"),
    "rows and numbers": ([[1.0], 2.0], "X must hold rows of equally many numbers"),
    "days": (np.zeros((9, 1), "M8"), "X must hold real numbers; got dtype datetime64"),
}


@pytest.mark.parametrize("fit", [minimum_spanning_tree, EMST().fit, HDBSCANGPU().fit])
@pytest.mark.parametrize("name", NO_POINTS)
def test_what_holds_no_points(name, fit):
    x, expected = NO_POINTS[name]
    assert sentence(ValueError, fit, x) == expected


@pytest.mark.parametrize("fit", [minimum_spanning_tree, EMST().fit, HDBSCANGPU().fit])
def test_an_integer_beyond_all_floats(fit):
    message = sentence(ValueError, fit, [[10**400], [1], [2]])
    assert message.startswith("X holds an integer that no float64 can hold: ")


@pytest.mark.parametrize("fit", [EMST().fit, HDBSCANGPU().fit])
def test_columns_of_one_name(fit):
    """Whether scikit-learn takes them depends on its version."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(np.random.default_rng(0).random((9, 2)), columns=["x", "x"])
    with contextlib.suppress(ValueError):
        fit(table)
        return
    message = sentence(ValueError, fit, table)
    assert message == "X has several columns called 'x'; rename them, or pass X.to_numpy()"


def test_complex_distances():
    for x in (np.eye(9) * 1j, sparse.eye_array(9, format="csr") * 1j):
        message = sentence(ValueError, HDBSCANGPU(metric="precomputed").fit, x)
        assert message == "X must hold real numbers; got dtype complex128. Complex data not supported"


def wide(matrix):
    """The same matrix with 64-bit indices."""
    csr = sparse.csr_array(matrix)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


@pytest.mark.parametrize("metric", ["manhattan", "l1", "cosine", "euclidean"])
def test_sparse_features_with_64_bit_indices(metric):
    x = np.where(np.random.default_rng(1).random((60, 9)) < 0.4, np.random.default_rng(2).random((60, 9)), 0)
    options = {"min_cluster_size": 4, "metric": metric, "device": "cpu"}
    given = wide(x)
    ours = HDBSCANGPU(**options).fit(given)
    narrow = HDBSCANGPU(**options).fit(sparse.csr_array(x))
    np.testing.assert_array_equal(ours.labels_, narrow.labels_)
    np.testing.assert_array_equal(ours.minimum_spanning_tree_.to_numpy(), narrow.minimum_spanning_tree_.to_numpy())
    assert given.indices.dtype == given.indptr.dtype == np.int64  # X stays as it was


def test_sparse_features_with_too_many_columns():
    shape = (9, 2**31 + 9)
    x = sparse.csr_array((np.ones(9), (np.arange(9), np.arange(9) + 2**31 - 1)), shape=shape)
    message = sentence(ValueError, HDBSCANGPU(metric="manhattan", min_cluster_size=2).fit, x)
    assert "metric='manhattan'" in message and "2,147,483,657 columns" in message


@pytest.mark.parametrize(
    ("alias", "name", "params"),
    [("p", "minkowski", {"p": 3}), ("l1", "manhattan", {}), ("infinity", "chebyshev", {}), ("l2", "euclidean", {})],
)
def test_validity_knows_the_names_that_a_fit_knows(alias, name, params):
    labels = (POINTS[:, 0] > 0).astype(int)
    assert validity_index(POINTS, labels, alias, **params) == validity_index(POINTS, labels, name, **params)


# ---- files -----------------------------------------------------------------------------------------------------------


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file.getvalue()


def saved(save, *args, **arrays):
    file = io.BytesIO()
    save(file, *args, **arrays)
    return file.getvalue()


OBJECTS = np.array([[1, None], [2, 3]], dtype=object)
FILES = {
    "text.npy": (b"1.0,2.0\n3.0,4.0\n", "text.npy is not a readable .npy file (it does not begin like one)"),
    "empty.npy": (b"", "empty.npy is not a readable .npy file (it is empty)"),
    "text.npz": (b"1.0,2.0\n3.0,4.0\n", "text.npz is not a readable .npz file (it does not begin like one)"),
    "pickle.npy": (
        pickle.dumps(POINTS.tolist()),
        "pickle.npy is not a readable .npy file (it does not begin like one)",
    ),
    "sheet.npz": (zipped(sheet="1,2"), "sheet.npz: 'sheet' is no numpy array"),
    "objects.npy": (saved(np.save, OBJECTS), "objects.npy: the array holds Python objects, not numbers"),
    "objects.npz": (saved(np.savez, x=OBJECTS), "objects.npz: the array holds Python objects, not numbers"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_no_arrays(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(FILES[name][0])
    message = sentence(ValueError, read_points, type(tmp_path)(name))
    assert message == FILES[name][1]


def test_graphs_refuse_complex_weights_in_a_sentence():
    assert "complex128" in sentence(ValueError, graph_msf, sparse.eye_array(5, format="csr") * 1j)
