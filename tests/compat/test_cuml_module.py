"""A program written for cuML's HDBSCAN gets exact results from `emst.compat.cuml_hdbscan`."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

from emst import HDBSCANGPU
from emst import approximate_predict as exact_predict
from emst.compat import cuml_hdbscan as ours

X = make_blobs([60, 90, 40], 3, cluster_std=0.6, center_box=(-8, 8), random_state=4)[0]


def test_min_samples_leaves_out_the_point_itself(ops):
    exact = HDBSCANGPU(min_cluster_size=10, min_samples=8, device=ops.name).fit(X)
    model = ours.HDBSCAN(
        min_cluster_size=10,
        min_samples=7,
        max_cluster_size=0,
        gen_min_span_tree=True,
        prediction_data=True,
        build_algo="nn_descent",
        build_kwds={"nnd_graph_degree": 32},
        device_ids="all",
        device=ops.name,
    ).fit(X)
    np.testing.assert_array_equal(model.labels_, exact.labels_)
    np.testing.assert_array_equal(model.probabilities_, exact.probabilities_)
    np.testing.assert_array_equal(model.minimum_spanning_tree_.to_numpy(), exact.minimum_spanning_tree_.to_numpy())
    assert model.n_clusters_ == len(model.cluster_persistence_) == exact.labels_.max() + 1
    labels, probabilities = ours.approximate_predict(model, X[:9])
    np.testing.assert_array_equal(labels, exact_predict(exact, X[:9])[0])
    np.testing.assert_array_equal(probabilities, exact_predict(exact, X[:9])[1])
    all_points = ours.all_points_membership_vectors(model, 16)
    assert all_points.shape == (len(X), model.n_clusters_)
    np.testing.assert_allclose(ours.membership_vector(model, X[:9], batch_size=4), all_points[:9], rtol=1e-12)
    assert clone(model).get_params() == model.get_params()


def test_as_many_neighbours_as_rows_are_all_others(ops):
    """cuML takes n neighbours with a warning, and refuses n + 1."""
    model = ours.HDBSCAN(min_samples=len(X), device=ops.name).fit(X)
    assert model.exact_.min_samples == len(X)
    with pytest.raises(ValueError, match="at most the number of samples"):
        ours.HDBSCAN(min_samples=len(X) + 1, device=ops.name).fit(X)


def test_no_clusters(ops):
    model = ours.HDBSCAN(min_cluster_size=len(X), min_samples=3, prediction_data=True, device=ops.name).fit(X)
    assert model.n_clusters_ == 0
    assert ours.all_points_membership_vectors(model).tolist() == [0] * len(X)
    assert ours.membership_vector(model, X[:5]).shape == (5, 0)
    assert ours.approximate_predict(model, X[:2])[0].tolist() == [-1, -1]


def test_output_type(ops):
    kind = type(ops.asarray(X))
    assert isinstance(ours.HDBSCAN(output_type="numpy", device=ops.name).fit(ops.asarray(X)).labels_, np.ndarray)
    assert isinstance(ours.HDBSCAN(output_type="input", device=ops.name).fit(ops.asarray(X)).labels_, kind)
    with pytest.raises(ValueError, match="output_type must be one of None, 'input', 'numpy', 'cupy'"):
        ours.HDBSCAN(output_type="cudf").fit(X)


@pytest.mark.gpu
def test_output_on_the_gpu():
    import cupy

    model = ours.HDBSCAN(output_type="cupy", prediction_data=True).fit(X)
    results = [model.labels_, model.probabilities_, *ours.approximate_predict(model, X)]
    assert all(isinstance(result, cupy.ndarray) for result in results)


@pytest.mark.parametrize(
    "words, options",
    [
        ("build_algo must be one of", {"build_algo": "kd_tree"}),
        ("min_samples must be an integer", {"min_samples": 0}),
        ("cluster_selection_method must be", {"cluster_selection_method": "best"}),
    ],
)
def test_one_sentence(words, options):
    with pytest.raises(ValueError, match=words):
        ours.HDBSCAN(**options).fit(X)
    with pytest.raises(TypeError):
        ours.HDBSCAN(5)  # keywords only, as in cuML


def test_predictions_need_prediction_data(ops):
    model = ours.HDBSCAN(device=ops.name).fit(X)
    with pytest.raises(ValueError, match="generate_prediction_data"):
        ours.approximate_predict(model, X)
    model.generate_prediction_data()
    np.testing.assert_array_equal(ours.approximate_predict(model, X)[0], model.labels_)
