"""A keyword of another library raises a TypeError that names its equivalent; scikit-learn sees no ``**kwargs``."""

import copy
import inspect
import pickle

import pytest
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from emst import HDBSCAN, HDBSCANGPU
from emst.dask import EMST as DaskEMST
from emst.dask import HDBSCAN as DaskHDBSCAN
from emst.hdbscan.keywords import INSTEAD

OF_HDBSCAN = ["approx_min_span_tree", "branch_detection_data", "core_dist_n_jobs", "gen_min_span_tree"]
OF_HDBSCAN += ["match_reference_implementation", "memory", "p"]
OF_CUML = ["build_algo", "build_kwds", "output_type"]
OF_FAST_HDBSCAN = ["knn_k", "metric_kwds", "reproducible", "ss_algorithm"]
TAKEN = {"prediction_data", "semi_supervised"}  # by `HDBSCANGPU`, not by the one over workers


@pytest.mark.parametrize("name", sorted({*OF_HDBSCAN, *OF_CUML, *OF_FAST_HDBSCAN, *INSTEAD} - TAKEN))
def test_a_peers_keyword_is_told_its_equivalent(name):
    with pytest.raises(TypeError) as caught:
        HDBSCANGPU(min_cluster_size=7, **{name: 3})
    assert str(caught.value) == f"HDBSCANGPU has no parameter {name!r}: {INSTEAD[name]}"


def test_workers_say_it_too():
    with pytest.raises(TypeError, match=r"HDBSCAN has no parameter 'prediction_data': leave it out"):
        DaskHDBSCAN(prediction_data=True)
    with pytest.raises(TypeError, match=r"HDBSCAN has no parameter 'semi_supervised': use emst.HDBSCANGPU"):
        DaskHDBSCAN(semi_supervised=True)


def test_weights_of_rows_are_for_fit():
    """Of the workers as well; scikit-learn sees the keyword."""
    for estimator in (HDBSCANGPU, DaskHDBSCAN):
        with pytest.raises(TypeError, match=r"has no parameter 'sample_weight': pass it to the fit of HDBSCANGPU or"):
            estimator(sample_weight=[1, 2])
    assert has_fit_parameter(DaskHDBSCAN(), "sample_weight") and has_fit_parameter(DaskEMST(), "sample_weight")


def test_every_keyword_of_the_installed_hdbscan_is_known():
    hdbscan = pytest.importorskip("hdbscan")
    theirs = set(inspect.signature(hdbscan.HDBSCAN.__init__).parameters) - {"self", "kwargs"}
    assert theirs <= {*INSTEAD, *HDBSCANGPU().get_params()}


def test_a_misspelt_parameter():
    with pytest.raises(TypeError, match="did you mean 'min_cluster_size'"):
        HDBSCANGPU(min_cluster_sise=3)
    with pytest.raises(TypeError, match="it has min_cluster_size, min_samples"):
        HDBSCANGPU(xyz=3)


def test_the_signature_is_that_of_init():
    parameters = inspect.signature(HDBSCANGPU).parameters
    assert not any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    assert list(parameters) == list(inspect.signature(HDBSCANGPU.__init__).parameters)[1:]
    assert set(parameters) == set(HDBSCANGPU().get_params())
    model = HDBSCAN(7, min_samples=3)
    for twin in (clone(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin.get_params() == model.get_params()
    assert model.set_params(min_samples=4).min_samples == 4


def test_a_subclass_can_take_more_parameters():
    class Named(HDBSCANGPU):
        def __init__(self, p=2, **others):
            super().__init__(**others)
            self.p = p

    assert Named(p=3, min_samples=4).min_samples == 4
