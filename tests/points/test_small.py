"""Few points: all rounds at once."""

import importlib
import sys

import numpy as np
import pytest
import reference
from helpers import DTYPES, KINDS, LIMITS, assert_same_bits, cloud, hierarchies, to_host

from emst import HDBSCANGPU, minimum_spanning_tree
from emst.backend import backend_of
from emst.backend.records import Norm
from emst.boruvka import spanning_forest
from emst.cpu.points import small
from emst.cuda.runtime.constants import FEW_POINTS

ON_GPU = pytest.mark.gpu


@pytest.fixture
def cuda():
    return pytest.importorskip("emst.cuda")


def expected_forest(expected_bvh):
    """The forest that the loop makes, and the components after each round."""
    left, forest = [], reference.join_duplicates(expected_bvh)
    lightest = lambda forest: reference.nearest_outgoing(expected_bvh, forest, None)  # noqa: E731
    spanning_forest(forest, lightest, reference, lambda _, components: left.append(components))
    return forest, left


def assert_same_forest(index, expected_bvh, ops):
    ours, taken = ops.join_all(index)
    theirs, rounds = expected_forest(expected_bvh)
    assert taken() == rounds
    assert ours.count == theirs.count == 1
    for field in ("labels", "source", "target"):
        np.testing.assert_array_equal(to_host(getattr(ours, field)), getattr(theirs, field), field)
    used = theirs.source >= 0
    np.testing.assert_array_equal(to_host(ours.weight)[used], theirs.weight[used])


@pytest.mark.parametrize("n, d, few", [(2_048, 2, True), (2_049, 2, False), (102, 40, True), (103, 40, False)])
def test_the_cpu_goes_round_by_round_where_threads_are_faster(n, d, few):
    ops = backend_of("cpu")
    index, _, _ = hierarchies(ops, cloud(n, d, np.float64))
    assert (ops.join_all(index) is not None) == few


def test_edges_that_close_a_cycle_are_an_error(monkeypatch):
    ops = backend_of("cpu")
    index, _, _ = hierarchies(ops, cloud(100, 2, np.float64))
    monkeypatch.setattr(small, "_join", lambda *_: small.BROKEN)
    with pytest.raises(RuntimeError, match="close a cycle"):
        ops.join_all(index)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("n, d", [(300, 2), (1_365, 3)])
def test_one_call_reports_the_rounds_and_makes_the_tree_of_the_loop(monkeypatch, n, d, k):
    """On the CPU."""
    x, trees, reports = cloud(n, d, np.float32), [], []
    for few in (small.FEW, 0):
        monkeypatch.setattr(small, "FEW", few)
        reports.append([])
        trees.append(
            minimum_spanning_tree(x, min_samples=k, device="cpu", report=lambda *left: reports[-1].append(left))
        )
    assert reports[0] == reports[1]
    assert_same_bits(*trees)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [1, 5, "n"])
@pytest.mark.parametrize("kind", [*KINDS, "equal"])
@pytest.mark.parametrize(
    "n, d",
    [(1, 2), (2, 2), (3, 2), (17, 1), (300, 3), (200, 20), (2_048, 2), (2_049, 2), (4_095, 1), (4_096, 1), (4_097, 1)],
)
def test_few_points_have_the_tree_of_many(monkeypatch, n, d, kind, k, dtype):
    """On the CPU, on both sides of the limits."""
    x = np.full((n, d), 2.5, dtype) if kind == "equal" else cloud(n, d, dtype, kind)
    k = min(n, 300) if k == "n" else min(k, n)
    at_once = minimum_spanning_tree(x, min_samples=k, device="cpu")
    for limit in LIMITS:
        monkeypatch.setattr(limit, 0)
    assert_same_bits(at_once, minimum_spanning_tree(x, min_samples=k, device="cpu"))


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("kind", KINDS)
def test_the_forest_of_the_loop(ops, monkeypatch, kind, d, dtype, k):
    monkeypatch.setattr(small, "FEW", 400 * d)  # in few dimensions these points are few in any case
    index, expected_bvh, _ = hierarchies(ops, cloud(400, d, dtype, kind), k)
    assert_same_forest(index, expected_bvh, ops)


@pytest.mark.parametrize("n", [1, 2, 3, 31, 32, 33, 257])
@pytest.mark.parametrize("kind", ["uniform", "lattice"])
def test_any_number_of_points(ops, n, kind):
    index, expected_bvh, _ = hierarchies(ops, cloud(n, 2, np.float32, kind))
    assert_same_forest(index, expected_bvh, ops)


@ON_GPU
@pytest.mark.parametrize("n", [1_000, FEW_POINTS])
@pytest.mark.parametrize("k", [1, 5])
def test_equal_points_and_a_chain_of_all_points(cuda, n, k):
    """Of points whose gaps grow every one hooks onto the last: a chain as long as there are points."""
    for x in (np.full((n, 2), 2.5), np.arange(n, dtype=float)[:, None] ** 2):
        at_once = minimum_spanning_tree(x, min_samples=k, device="cuda")
        assert_same_bits(at_once, minimum_spanning_tree(x, min_samples=k, device="cpu"))


@ON_GPU
@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("n, d", [(300, 2), (FEW_POINTS, 2), (FEW_POINTS + 1, 2), (2_000, 33)])
def test_both_ways_report_the_same_rounds_and_make_the_same_tree(cuda, monkeypatch, n, d, k):
    # By products the largest component has no edge in a round, so other numbers of components are left.
    engine = importlib.import_module("emst.cuda.points.engine")
    monkeypatch.setattr(engine, "all_pairs_engine", lambda n, d, norm: engine.Engine.PAIRS)
    x = cloud(n, d, np.float32)
    trees, reports = [], []
    for few in (FEW_POINTS, 0):
        monkeypatch.setattr("emst.cuda.points.bvh.FEW_POINTS", few)
        rounds = []
        report = lambda number, left, to=rounds: to.append((number, left))  # noqa: E731
        trees.append(minimum_spanning_tree(x, min_samples=k, device="cuda", report=report))
        reports.append(rounds)
    assert reports[0] == reports[1]
    assert_same_bits(*trees)


@ON_GPU
def test_points_are_few_if_their_pairs_are(cuda):
    from emst.cuda.points.bvh import SearchIndex
    from emst.cuda.points.engine import Engine

    def few(n, d, norm, core=None):
        index = SearchIndex(cuda.xp.empty((8, 4)), n, d, 1.0, norm, Engine.WALKS)
        index.core = core
        return index.few

    euclidean = Norm("euclidean", 2.0)
    core = cuda.xp.zeros(8)
    assert few(FEW_POINTS, 6, euclidean)
    assert not few(FEW_POINTS + 1, 2, euclidean)
    assert not few(FEW_POINTS + 1, 2, euclidean, core)
    assert not few(FEW_POINTS, 7, euclidean)
    assert few(FEW_POINTS, 7, euclidean, core)
    assert few(1_000, 200, euclidean)
    assert not few(4_096, 2, Norm("any power", 2.2))


@pytest.mark.parametrize("what", ["tree", "labels"])
def test_numpy_reduces_nothing_that_one_chunk_knows(what):
    """A reduction takes as long as a pass over a thousand points. Two are left: the greatest coordinates."""
    points, reductions = np.random.default_rng(0).random((1000, 2)), []

    def hear(frame, event, called):
        if event == "c_call" and called.__name__ == "reduce":
            reductions.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")

    def fit():
        if what == "tree":
            minimum_spanning_tree(points, device="cpu")
        else:
            HDBSCANGPU(5, 5, device="cpu").fit(points)

    fit()  # kernels are compiled
    before = sys.getprofile()
    sys.setprofile(hear)
    try:
        fit()
    finally:
        sys.setprofile(before)
    assert len(reductions) <= 2, reductions
