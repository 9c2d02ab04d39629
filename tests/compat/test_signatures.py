"""The names, the order and the defaults of parameters are hdbscan's."""

import inspect

import pytest

import emst.compat.hdbscan as ours
from emst.compat.hdbscan import flat

NONE = {"memory", "metric_params"}  # None by default; in hdbscan a cache that keeps nothing, and one dictionary for all
CALLED = [(None, name) for name in ours.__all__ if not inspect.ismodule(getattr(ours, name))]
CALLED += [("flat", name) for name in vars(flat) if name.endswith("_flat")]


def defaults(function):
    """The parameters in their order, except for keyword arguments that take any name."""
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.kind != one.VAR_KEYWORD}


@pytest.mark.parametrize("module, name", CALLED)
def test_signatures_are_hdbscans(module, name):
    hdbscan = pytest.importorskip("hdbscan" if module is None else f"hdbscan.{module}")
    theirs = defaults(getattr(hdbscan, name))
    theirs |= dict.fromkeys(NONE & theirs.keys())
    own = defaults(getattr(ours if module is None else flat, name))
    assert [(key, value) for key, value in own.items() if key in theirs] == list(theirs.items())
