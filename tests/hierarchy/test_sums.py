"""The sum of the stabilities of children: rounded once, so that neither their order nor the backend decides."""

import importlib
import math

import numpy as np
import pytest
from helpers import to_device, to_host

from emst.backend.records import Condensed
from emst.cpu.hierarchy.sums import sum_of
from emst.cpu.runtime.compile import kernel
from emst.cuda.runtime.constants import FEW


@kernel
def sum_of_all(values):
    return sum_of(values, 0, len(values))


def values(kind, count, g):
    """Numbers that are not negative."""
    found = g.random(count)
    if kind == "wide":
        found *= 2.0 ** g.integers(-120, 120, count)
    elif kind == "subnormal":
        found = np.ldexp(found, g.integers(-1074, -1000, count))
    elif kind == "halves":  # many sums lie in the middle of two numbers
        found = g.integers(0, 4, count) * 2.0 ** g.integers(-110, 2, count)
    elif kind == "zeros":
        found[g.random(count) < 0.8] = 0
    elif kind == "barely":  # a little more than the middle of two numbers
        found[:] = 2.0**-150
        found[:2] = [1, 2.0**-53][:count]
    return found


KINDS = ["uniform", "wide", "subnormal", "halves", "zeros", "barely"]


@pytest.mark.parametrize("kind", KINDS)
def test_sums_are_rounded_once(kind):
    g = np.random.default_rng(0)
    for count in [1, 2, 3, 4, 7, 50] * 100 + [10_000]:
        found = values(kind, count, g)
        assert sum_of_all(found) == math.fsum(found)
        assert sum_of_all(found[::-1].copy()) == math.fsum(found)


def test_sums_at_the_ends_of_the_range():
    assert sum_of_all(np.zeros(0)) == sum_of_all(np.zeros(3)) == 0
    assert sum_of_all(np.full(3, 1e308)) == np.inf
    assert sum_of_all(np.array([1.0, np.inf, 2.0])) == np.inf
    assert sum_of_all(np.full(3, 5e-324)) == 1.5e-323


def family(ops, stabilities):
    """A root of the first stability whose children have the others."""
    count = len(stabilities)
    children = np.zeros((count, 2), np.int32)
    children[0] = 1, count
    clusters = {
        "parent": np.minimum(np.arange(count) - 1, 0).astype(np.int32),
        "children": children,
        "born_at": np.minimum(np.arange(count) - 1, 0).astype(np.int32),
        "birth": np.minimum(np.arange(count), 1).astype(np.float64),
        "death": np.full(count, 2.0),
        "size": np.full(count, 10, np.int32),
        "stability": np.asarray(stabilities),
    }
    points = dict.fromkeys(("cluster", "leaving_merge", "of_merge", "left"))
    return Condensed(None, 2, **{name: to_device(ops, array) for name, array in clusters.items()}, **points)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [2, 3, 5, 33, 1_000, FEW - 1, FEW, 40_000])  # a GPU has a way for FEW clusters
def test_a_parent_wins_ties_and_loses_by_one_bit(ops, kind, count):
    g = np.random.default_rng(count)
    for _ in range(5):
        children = values(kind, count, g)
        total = math.fsum(children)
        for own, expected in ((total, [0]), (np.nextafter(total, 0), list(range(1, count + 1)))):
            if own != total or expected == [0]:
                selection = ops.select(family(ops, [own, *children]), "eom", 0.0, 10, True)
                assert to_host(selection.chosen).tolist() == expected
        assert to_host(ops.select(family(ops, [np.inf, *children]), "eom", 0.0, 10, True).chosen).tolist() == [0]
        infinite = [total, *children[1:], np.inf]
        assert len(ops.select(family(ops, infinite), "eom", 0.0, 10, True).chosen) == count


def test_the_pieces_of_long_sums_are_shared_by_threads(monkeypatch):
    """Chunks of one piece give the same bits."""
    sums = importlib.import_module("emst.cpu.hierarchy.sums")
    terms = np.random.default_rng(0).random(300_000)
    starts = np.array([0, 1, 1_025, 200_000, 300_000])
    whole = sums.sums_of_runs(terms, starts)
    monkeypatch.setattr(sums, "grain_for", lambda size, least: 1)
    np.testing.assert_array_equal(sums.sums_of_runs(terms, starts), whole)
    np.testing.assert_allclose(whole, np.add.reduceat(terms, starts[:-1]), rtol=1e-12)
