"""Errors of `emst.compat` name the parameters that the caller wrote, with his values, not those of `HDBSCANGPU`."""

import contextlib
import pickle
import re

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

import emst.compat.hdbscan as ours
from emst.compat import cuml_hdbscan
from emst.distances.sparse import TooFewDistances

X = np.random.default_rng(0).normal(size=(40, 3))
D = cdist(X, X)
OF_EXACT = re.compile("HDBSCANGPU|PeersHDBSCAN|max_distance|metric_params|min_sample`")


@contextlib.contextmanager
def told(error, *words):
    """An error in one sentence that holds all words, and no name of a parameter of `HDBSCANGPU`."""
    with pytest.raises(error) as caught:
        yield
    message = str(caught.value)
    assert all(some in message for some in words), message
    assert not OF_EXACT.search(message), message
    assert "\n" not in message


def sparse_with(stored):
    """A chain of points with distances to `stored` others each way, and nothing on the diagonal."""
    near = D * (abs(np.subtract.outer(np.arange(40), np.arange(40))) <= stored)
    return csr_matrix(near)


# Rows of sparse distances that hold too few


def test_too_few_distances_are_told_in_the_callers_numbers(ops):
    kw = {"metric": "precomputed", "device": ops.name}
    few = sparse_with(2)
    rest = "other points; of the sparse matrix X 40 rows hold fewer, first row 0: store more of them (zeros count)"
    pass_it = ", or pass max_dist, which stands for those that are not stored"
    cases = [
        (ours.HDBSCAN(min_samples=5, **kw), "min_samples=5 takes the distances to 5 ", pass_it),
        (ours.HDBSCAN(min_cluster_size=6, **kw), "min_cluster_size=6, which min_samples=None follows, takes", pass_it),
        (
            ours.HDBSCAN(min_samples=6, match_reference_implementation=True, **kw),
            "min_samples=6 takes the distances to 5 ",
            pass_it,
        ),
        (ours.HDBSCAN(min_samples=500, **kw), "min_samples=500 takes the distances to 39 ", pass_it),
        (ours.RobustSingleLinkage(k=7, **kw), "k=7 takes the distances to 7 ", "the metric its parameter max_dist"),
        (cuml_hdbscan.HDBSCAN(min_samples=5, **kw), "min_samples=5 takes the distances to 5 ", "(zeros count)"),
    ]
    for model, begin, end in cases:
        with told(ValueError, begin, rest, end):
            model.fit(few)
    enough = ours.HDBSCAN(min_samples=2, **kw).fit(few)  # the first row and the last hold just two
    assert enough.exact_.min_samples == 3
    with told(ValueError, "min_samples=3 takes", " 2 rows hold fewer, first row 0"):
        ours.HDBSCAN(min_samples=3, **kw).fit(few)
    ours.HDBSCAN(min_samples=5, max_dist=9.0, **kw).fit(few)
    ours.RobustSingleLinkage(k=5, metric_params={"max_dist": 9.0}, **kw).fit(few)


def test_the_error_beneath_survives_pickling():
    error = TooFewDistances(6, 3, 17)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert (again.k, again.rows, again.first) == (6, 3, 17)


# Parameters that are translated


@pytest.mark.parametrize(
    "words, options, data",
    [
        (["max_cluster_size must be an integer of at least 0", "got -3"], {"max_cluster_size": -3}, X),
        (["max_cluster_size must be an integer of at least 0", "got 2.5"], {"max_cluster_size": 2.5}, X),
        (["metric='euclidean' takes no parameters; got 'V'"], {"V": 3}, X),
        (["degrees of metric='haversine' must be True or False; got 1"], {"metric": "haversine", "degrees": 1}, X),
        (["takes the parameters 'degrees' and 'radius'; got 'r'"], {"metric": "haversine", "r": 1}, X),
        (["metric='pyfunc' needs the parameter func"], {"metric": "pyfunc"}, X),
        (["'canberra' does not take these parameters: 'V'"], {"metric": "canberra", "V": 1}, X),
        (["its parameter V has no inverse"], {"metric": "mahalanobis", "V": np.zeros((3, 3))}, X),
        (["p from 1 to 32, or infinity; got 0.5"], {"metric": "minkowski", "p": 0.5}, X),
        (["algorithm must be 'best' or 'generic'", "got 'prims_kdtree'"], {"algorithm": "prims_kdtree"}, csr_matrix(X)),
        (["max_dist=4.0", "X is dense"], {"metric": "precomputed", "max_dist": 4.0}, D),
        (["max_dist must be", "got -1"], {"metric": "precomputed", "max_dist": -1}, csr_matrix(D)),
        (["max_dist must be", "got 'far'"], {"metric": "precomputed", "max_dist": "far"}, csr_matrix(D)),
        (["no parameter but max_dist; got 'V'"], {"metric": "precomputed", "V": 1}, csr_matrix(D)),
        (["no parameter but max_dist; got 'V'"], {"metric": "precomputed", "V": 1}, D),
    ],
)
def test_parameters_of_hdbscan(words, options, data):
    with told(ValueError, *words):
        ours.HDBSCAN(**options).fit(data)


@pytest.mark.parametrize("limit", [0, np.inf, None, 40])
def test_no_limit_on_the_size_of_clusters(ops, limit):
    model = ours.HDBSCAN(max_cluster_size=limit, allow_single_cluster=True, device=ops.name).fit(X)
    assert model.exact_.max_cluster_size == (40 if limit == 40 else None)


@pytest.mark.parametrize(
    "words, options",
    [
        (["max_cluster_size must be an integer of at least 0", "got -3"], {"max_cluster_size": -3}),
        (["min_samples=41 must be at most", "got 40 samples"], {"min_samples": 41}),
        (["min_cluster_size=41, which min_samples=None follows, must be at most"], {"min_cluster_size": 41}),
        (["p from 1 to 32"], {"metric": "minkowski", "p": 77}),
    ],
)
def test_parameters_of_cuml(words, options):
    with told(ValueError, *words):
        cuml_hdbscan.HDBSCAN(**options).fit(X)


def test_parameters_of_robust_single_linkage(ops):
    with pytest.raises(ValueError, match=r"^metric_params must be a dictionary or None; got 'V'"):
        ours.RobustSingleLinkage(metric_params="V").fit(X)
    model = ours.RobustSingleLinkage(device=ops.name).fit(X)
    with told(ValueError, "cut must be a finite number of at least 0 or infinity; got -1"):
        model.get_clusters(-1)
    with told(ValueError, "gamma must be an integer of at least 1; got 0"):
        model.get_clusters(1, 0)
    assert model.get_clusters(np.inf).max() == 0


def test_a_given_number_of_clusters():
    flat, model = ours.flat, ours.HDBSCAN(prediction_data=True, device="cpu").fit(X)
    for wrong in (0, -1, 2.5, "two"):
        words = "n_clusters must be an integer of at least 1 or None; got"
        with told(ValueError, words):
            flat.HDBSCAN_flat(X, n_clusters=wrong)
        with told(ValueError, words):
            flat.approximate_predict_flat(model, X, n_clusters=wrong)
        with told(ValueError, words):
            flat.membership_vector_flat(model, X, n_clusters=wrong)
    for wrong in (-1, "half"):
        words = "cluster_selection_epsilon must be a finite number of at least 0"
        with told(ValueError, words):
            flat.HDBSCAN_flat(X, cluster_selection_epsilon=wrong)
        with told(ValueError, words):
            flat.all_points_membership_vectors_flat(model, cluster_selection_epsilon=wrong)


def test_names_of_columns(ops):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X[:, :2], columns=["lat", "lon"])
    with pytest.warns(UserWarning, match=r"with metric='haversine', and the metric's parameter degrees=True$"):
        ours.HDBSCAN(device=ops.name).fit(frame)


# What is called with a model


def test_functions_name_the_class_of_the_caller(ops):
    model = ours.HDBSCAN(prediction_data=True, device=ops.name).fit(X)
    with told(TypeError, "clusterer must be a fitted HDBSCAN; got numpy.ndarray"):
        ours.approximate_predict(X, model)
    with told(ValueError, "2 features, but HDBSCAN is expecting 3"):
        ours.approximate_predict(model, X[:, :2])
    for distances in (
        ours.HDBSCAN(metric="precomputed", device=ops.name).fit(D),
        cuml_hdbscan.HDBSCAN(metric="precomputed", device=ops.name).fit(D),
    ):
        distances.generate_prediction_data()
        with told(ValueError, "this HDBSCAN cannot predict: distances are"):
            ours.membership_vector(distances, X)


def test_distances_have_no_centres(ops):
    model = ours.HDBSCAN(metric="precomputed", device=ops.name).fit(D)
    with told(AttributeError, "X holds distances: exact_.exemplar_indices_ has their row numbers"):
        _ = model.exemplars_
    with told(ValueError, "weighted_cluster_medoid takes points, and X holds dist"):
        model.weighted_cluster_medoid(0)
    assert all(len(rows) for rows in model.exact_.exemplar_indices_)
