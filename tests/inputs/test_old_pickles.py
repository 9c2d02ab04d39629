"""Models that another version has pickled say that a new fit is needed."""

import copy
import pickle

import numpy as np
import pytest
from helpers import cloud

from emst import EMST, HDBSCANGPU


def test_state_that_lacks_a_field():
    """A later version may add fields to a model."""
    model = HDBSCANGPU(device="cpu").fit(cloud(40, 2, np.float64))
    state = model._model.__getstate__()
    del state["alpha"]
    with pytest.raises(pickle.UnpicklingError, match=r"lacks alpha: emst .* fit again$"):
        copy.copy(model._model).__setstate__(state)


def test_a_model_that_merged_equal_heights_in_pairs():
    """Its labels are not those of the clusters that this version would make again from its spanning tree."""
    model = HDBSCANGPU(device="cpu").fit(cloud(40, 2, np.float64))
    state = model._model.__getstate__()
    del state["merges"]
    with pytest.raises(pickle.UnpicklingError, match=r"merges equal heights two at a time: emst .* fit again$"):
        copy.copy(model._model).__setstate__(state)


@pytest.mark.parametrize("estimator", [EMST(device="cpu"), HDBSCANGPU(device="cpu")], ids=lambda e: type(e).__name__)
def test_pickles_of_this_version_are_read(estimator):
    estimator.fit(cloud(40, 2, np.float64))
    again = pickle.loads(pickle.dumps(estimator))
    for name, value in vars(estimator).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(vars(again)[name], value)
