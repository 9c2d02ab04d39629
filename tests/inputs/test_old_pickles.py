"""Pickles of another version say that a new fit is needed. Those in tests/data/pickles were made by version 0.1.0."""

import copy
import importlib
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
from helpers import ROOT, cloud

import emst
from emst import EMST, HDBSCANGPU, old_pickles

PICKLES = sorted((ROOT / "tests/data/pickles").glob("*.pkl"))
FITTED = [path for path in PICKLES if path.stem != "hdbscan_unfitted"]
SENTENCE = rf"emst 0\.1\.0: emst {emst.__version__} cannot read what another version has pickled; fit again$"


def test_there_are_pickles_of_all_kinds():
    assert len(FITTED) == 10


@pytest.mark.parametrize("path", FITTED, ids=lambda path: path.stem)
@pytest.mark.parametrize("load", [pickle.load, joblib.load])
def test_a_pickle_of_another_version_says_to_fit_again(path, load):
    with path.open("rb") as file, pytest.raises(pickle.UnpicklingError, match=SENTENCE):
        load(file)


@pytest.mark.parametrize("path", FITTED, ids=lambda path: path.stem)
def test_also_where_nothing_of_emst_is_imported_yet(path):
    code = "import pickle, sys\ntry: pickle.load(open(sys.argv[1], 'rb'))\n"
    code += "except pickle.UnpicklingError as error: print(error)"
    run = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.endswith("fit again\n")


def test_parameters_alone_are_still_read():
    """An estimator that was not fitted holds nothing else."""
    model = pickle.loads((ROOT / "tests/data/pickles/hdbscan_unfitted.pkl").read_bytes())
    assert model.get_params() == HDBSCANGPU().get_params()


@pytest.mark.parametrize("name", sorted(old_pickles.GONE))
def test_importing_such_a_module_is_an_import_error(name):
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(name)


def test_other_modules_that_are_missing_are_missed_as_ever():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'emst\.nothing'"):
        importlib.import_module("emst.nothing")


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
