"""Real point sets: duplicates, lattices, scanners. They lie outside the repository; without them these tests skip."""

import importlib.util

import numpy as np
import pytest
from helpers import CLOSE, SHARED, tree

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="needs the reference data in ../shared/data")

# name, greatest number of points, what it is for
SETS = [
    ("pla85900", None),  # a circuit board on a lattice: ties
    ("earring200k", 100_000),  # integer coordinates
    ("skin", 100_000),  # colour bytes: four of five points are duplicates
    ("abacus-n64", 100_000),  # particles: density over many orders of magnitude
    ("celestia-stars", None),  # stars: long radial spikes
    ("osm-malta-nodes", 100_000),
    ("uci-protein", 20_000),  # 9-D
]


@pytest.fixture(scope="module")
def load():
    spec = importlib.util.spec_from_file_location("shared_load", SHARED / "load.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.load


def some(x, n):
    rows = np.random.default_rng(0).permutation(len(x))[:n]
    return np.ascontiguousarray(x[rows], np.float64)


@pytest.mark.parametrize("k", [1, 6])
@pytest.mark.parametrize(("name", "n"), SETS)
def test_weights_equal_quitefastmst(ops, load, name, n, k):
    quitefastmst = pytest.importorskip("quitefastmst", reason="needs quitefastmst, which is not installed")
    x = some(load(name), n)
    theirs = quitefastmst.mst_euclid(x, M=k - 1)[0]
    np.testing.assert_allclose(tree(ops, x, k).weights, np.sort(theirs), rtol=CLOSE)


@pytest.mark.parametrize("k", [1, 5])
def test_one_row_in_three_is_the_same(ops, load, k):
    """kddcup10: one of its 38-D rows occurs 193,081 times. The tree of the distinct rows has all other weights."""
    x = some(load("kddcup10"), 8_000)
    ours = tree(ops, x, k)
    assert len(ours.edges) == len(x) - 1
    if k == 1:
        distinct = np.unique(x, axis=0)
        np.testing.assert_array_equal(ours.weights[len(x) - len(distinct) :], tree(ops, distinct).weights)


def test_a_scan_a_million_feet_away(ops, load):
    """In float32 the scan's grid of 0.01 feet merges points; in float64 its place changes no weight."""
    x = some(load("autzen-crop"), 100_000)
    corner = np.floor(x.min(axis=0))
    whole = np.rint((x - corner) * 100)  # exact integers
    near = tree(ops, whole)
    far = tree(ops, whole + 85_000_000)
    np.testing.assert_array_equal(near.weights, far.weights)
