"""The API reference is complete: public names have pages, pages are listed, docstrings say everything, examples run."""

import contextvars
import doctest
import importlib
import inspect
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from numpydoc.validate import validate

import emst
import emst.dask

DOCS = Path(__file__).resolve().parents[2] / "docs"
PUBLIC = ("emst", "emst.dask", "emst.compat.hdbscan", "emst.compat.cuml_hdbscan", "emst.hdbscan.trees", "emst.plots")
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.M | re.S)
reference = runpy.run_path(str(DOCS / "_ext" / "reference.py"))
documented = reference["documented"]

# numpydoc's checks: every parameter (PR01) that there is (PR02) has a description (PR07), and so has what comes back
# (RT01, RT03, YD01); the summary is one sentence (SS02 to SS04). Sections are known (GL06) and ordered (GL07).
CHECKS = {"GL06", "GL07", "PR01", "PR02", "PR07", "RT01", "RT03", "SS02", "SS03", "SS04", "YD01"}


def members():
    """Full names of all objects with a page, and of the methods and properties on it."""
    for name in documented():
        yield name
        if inspect.isclass(reference["found"](name)):
            kinds = ("methods", "properties")
            yield from (f"{name}.{member}" for kind in kinds for member in reference["members_of"](name, kind))


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_have_a_page(module):
    """A name may share it with another name of the same object."""
    pages = [reference["found"](name) for name in documented()]
    public = {name: getattr(importlib.import_module(module), name) for name in importlib.import_module(module).__all__}
    called = {name: one for name, one in public.items() if callable(one)}
    assert called and not [name for name, one in called.items() if one not in pages]


def test_what_results_hand_out_has_a_page():
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = emst.HDBSCANGPU(device="cpu").fit(X)
    handed = [emst.minimum_spanning_tree(X, device="cpu"), emst.graph_msf([0], [1], [1], device="cpu")]
    handed += [model.condensed_tree_, model.single_linkage_tree_, model.minimum_spanning_tree_]
    pages = {reference["found"](name) for name in documented()}
    assert not {type(one) for one in handed} - pages


@pytest.mark.parametrize("name", sorted(set(members())))
def test_docstring(name):
    found = validate(name)["errors"]
    if inspect.isclass(member := _object(name)) and "Parameters\n" not in member.__doc__:
        found = [error for error in found if error[0] != "PR01"]  # a result, which its users do not make
    assert not [error for error in found if error[0] in CHECKS]


def _object(name):
    """The object of a full name; members of classes too."""
    try:
        return reference["found"](name)
    except ModuleNotFoundError:
        return getattr(reference["found"](name.rsplit(".", 1)[0]), name.rsplit(".", 1)[1])


EXAMPLES = [name for name in sorted(set(members())) if ">>>" in (_object(name).__doc__ or "")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    messages = []
    for test in doctest.DocTestFinder(recurse=False).find(_object(name), name, globs={}):
        contextvars.Context().run(runner.run, test, out=messages.append)  # no other test's client of Dask
    assert runner.tries and not runner.failures, "".join(messages)


@pytest.mark.parametrize("module", ["emst", "emst.dask"])
def test_every_public_name_has_an_example(module):
    """But for results, which the examples of their functions show."""
    named = {f"{module}.{name}" for name in importlib.import_module(module).__all__ if name[0] != "_"}
    called = {name for name in named & set(members()) if "Parameters\n" in _object(name).__doc__}
    assert called and not called - set(EXAMPLES)


def test_logo():
    drawn = runpy.run_path(str(DOCS / "drawings" / "logo.py"))
    assert drawn["FILE"].read_text() == drawn["logo"]()


def test_every_page_is_in_a_toctree():
    listed = {DOCS / "index.md"}
    pages = [page for page in DOCS.rglob("*.md") if "_build" not in page.parts]
    for page in pages:
        for entries in TOCTREE.findall(page.read_text()):
            paths = [re.sub(r"^.*<(.*)>$", r"\1", line) for line in entries.split("\n") if line and line[0] != ":"]
            listed |= {(page.parent / path).with_suffix(".md") for path in paths}
    assert sorted(str(page.relative_to(DOCS)) for page in set(pages) - listed) == []
