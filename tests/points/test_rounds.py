"""The rounds that are left, at once."""

import importlib

import numpy as np
import pytest
from helpers import DTYPES, KINDS, assert_same_bits, cloud, hierarchies, to_host

from emst import minimum_spanning_tree
from emst.boruvka import spanning_forest
from emst.cuda.runtime.constants import FEW_POINTS
from emst.spanning import Searches

pytestmark = pytest.mark.gpu


@pytest.fixture
def cuda():
    return pytest.importorskip("emst.cuda")


@pytest.fixture
def rounds(cuda):
    return importlib.import_module("emst.cuda.points.rounds")


def forest_and_report(ops, index, taken_from):
    """The forest, and the components after each round; from this round on they are taken at once."""
    searches, left = Searches(index, ops), []
    forest = ops.join_duplicates(index, searches.begin)

    def rest(forest):
        return searches.rest(forest) if len(left) >= taken_from else None

    report = lambda _, components: left.append(components)  # noqa: E731
    spanning_forest(forest, searches.lightest, ops, report, searches.prepare, rest=rest)
    return forest, left


@pytest.mark.parametrize("k", [1, 4, 40])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_the_forest_of_the_loop(cuda, kind, d, dtype, k):
    x = cloud(3_000, d, dtype, kind)
    loop, of_loop = forest_and_report(cuda, hierarchies(cuda, x, k)[0], 99)
    for taken_from in (0, 1, 3):
        forest, left = forest_and_report(cuda, hierarchies(cuda, x, k)[0], taken_from)
        assert left == of_loop
        assert forest.count == loop.count == 1
        assert to_host(forest.components).tolist() == to_host(loop.components).tolist()
        for field in ("source", "target"):
            np.testing.assert_array_equal(to_host(getattr(forest, field)), to_host(getattr(loop, field)), field)
        used = to_host(loop.source) >= 0
        np.testing.assert_array_equal(to_host(forest.weight)[used], to_host(loop.weight)[used])


@pytest.mark.parametrize("n, d", [(FEW_POINTS + 1, 2), (40_000, 3), (300_001, 2), (20_000, 12)])
@pytest.mark.parametrize("k", [1, 5])
def test_both_ways_make_the_same_tree(rounds, monkeypatch, n, d, k):
    x = cloud(n, d, np.float32)
    at_once = minimum_spanning_tree(x, min_samples=k, device="cuda")
    monkeypatch.setattr(rounds, "ALL_UP_TO", 0)
    some = minimum_spanning_tree(x, min_samples=k, device="cuda")
    monkeypatch.setattr(rounds, "MOST_POINTS", 0)
    assert_same_bits(at_once, minimum_spanning_tree(x, min_samples=k, device="cuda"))
    assert_same_bits(at_once, some)


@pytest.mark.parametrize("k", [1, 5])
def test_equal_points_and_a_chain_of_all_points(k):
    """Of points whose gaps grow every one hooks onto the last: a chain that no label climbs in one pass."""
    for x in (np.full((50_000, 2), 2.5), np.arange(50_000, dtype=float)[:, None] ** 2):
        on_gpu = minimum_spanning_tree(x, min_samples=k, device="cuda")
        assert_same_bits(on_gpu, minimum_spanning_tree(x, min_samples=k, device="cpu"))


def test_the_rounds_are_reported(rounds):
    reports = []
    for most in (rounds.ALL_UP_TO, 0):
        rounds_left = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rounds, "ALL_UP_TO", most)
            patch.setattr(rounds, "MOST_POINTS", most)
            minimum_spanning_tree(
                cloud(20_000, 2, np.float32), device="cuda", report=lambda *left, to=rounds_left: to.append(left)
            )
        reports.append(rounds_left)
    assert reports[0] == reports[1]
    assert reports[0][-1][1] == 1


def test_a_forest_that_is_not_finished_is_an_error(rounds, monkeypatch):
    monkeypatch.setattr(rounds, "launch_resident", lambda *_, **__: None)
    with pytest.raises(RuntimeError, match="close a cycle"):
        minimum_spanning_tree(cloud(20_000, 2, np.float32), device="cuda")
