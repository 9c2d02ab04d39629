"""Borůvka's rounds with the edges divided between two sides, which work at the same time."""

from __future__ import annotations

import threading

import graph_reference as reference
import numpy as np
import pytest
from graph_helpers import assert_chosen, on, with_loops
from graph_reference import GRAPHS, KINDS, WEIGHTS, adjacency_of, weights_for
from helpers import to_device, to_host
from numba import njit
from reference import lightest_of_edges

from emst.backend import backend_of
from emst.cpu.graph import hybrid as hybrid_on_the_cpu
from emst.cpu.runtime.atomics import lower
from emst.cpu.runtime.parallel import for_chunks
from emst.graph.algorithms.hybrid import forest

PATIENCE = 120  # seconds, for a side that never comes


@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GRAPHS)
def test_the_forest_is_kruskals(ops, name, kind, dtype):
    graph = adjacency_of(GRAPHS[name], weights_for(len(GRAPHS[name][1]), dtype, kind))
    assert_chosen(forest(on(ops, graph), ops), graph)


@pytest.mark.parametrize("offload", [0, 0.3, 1])
@pytest.mark.parametrize("kind", ["equal", "ties", "rising"])
@pytest.mark.parametrize("name", GRAPHS)
def test_it_does_not_matter_who_gets_which_edges(ops, name, kind, offload):
    graph = adjacency_of(GRAPHS[name], weights_for(len(GRAPHS[name][1]), np.float32, kind), symmetric=False)
    assert_chosen(forest(on(ops, graph), ops, offload=offload), graph)


@pytest.mark.parametrize("offload", [0.0, 0.5, 1.0])
def test_larger_ones_and_the_same_on_every_run(ops, offload):
    for shape in (reference.shuffled(reference.path(30_000)), reference.random(3_000, 100_000)):
        graph = adjacency_of(shape, weights_for(len(shape[1]), np.int64, "ties"))
        for _ in range(3):
            assert_chosen(forest(on(ops, graph), ops, offload=offload), graph)


@pytest.mark.parametrize("k", [0, 1, 70_000])
@pytest.mark.parametrize("groups", [1, 40, 3000])
def test_lightest_of_edges(ops, k, groups):
    g = np.random.default_rng(k + groups)
    n = 3000
    group = g.integers(0, groups, n)
    first = np.full(groups, -1, np.int32)
    first[group] = np.arange(n)
    labels = first[group]
    u, v = g.integers(0, n, (2, k), np.int32)
    key = g.permutation(k).astype(np.uint64) << np.uint64(40)
    ours = ops.lightest_of_edges(*(to_device(ops, a) for a in (u, v, key, labels)))
    for mine, theirs in zip(ours, lightest_of_edges(u, v, key, labels)):
        np.testing.assert_array_equal(to_host(mine), theirs)
        assert mine.dtype == theirs.dtype


def counted(monkeypatch, ops, meet):
    """Calls `meet` before every search; returns the number of edges that each thread got in the first round."""
    given = {}

    def wrapped(work):
        def lightest_of_edges(u, v, key, labels):
            given.setdefault(threading.get_ident(), len(key))
            meet()
            return work(u, v, key, labels)

        return lightest_of_edges

    for module in {ops, backend_of("cpu")}:
        monkeypatch.setattr(module, "lightest_of_edges", wrapped(module.lightest_of_edges))
    return given


def test_both_sides_work_at_the_same_time(ops, monkeypatch):
    """Each side waits within its search until the other side is within its own. In sequence they would never end."""
    barrier = threading.Barrier(2, timeout=PATIENCE)
    graph = adjacency_of(GRAPHS["random"], weights_for(len(GRAPHS["random"][1]), np.int32, "ties"))
    given = counted(monkeypatch, ops, barrier.wait)
    assert_chosen(forest(on(ops, graph), ops, offload=0.3), graph)
    k = len(GRAPHS["random"][1])
    assert given[threading.get_ident()] == k - round(0.3 * k)
    assert sum(given.values()) == k and len(given) == 2


@pytest.mark.parametrize("kernel", ["_lightest", "_close_up"])
def test_kernels_let_go_of_the_interpreter(kernel):
    """Otherwise the two sides on the CPU would run one after the other."""
    assert getattr(hybrid_on_the_cpu, kernel).targetoptions["nogil"]


def test_threads_share_minima_through_lower_only(monkeypatch):
    """A plain store would lose one update in thousands, too few to find by running threads. Here it raises."""
    offers = set()
    monkeypatch.setattr(hybrid_on_the_cpu, "lower", lambda least, at, key: offers.add((int(at), int(key))))
    u, v, key = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0]), np.array([40, 30, 20, 10], np.uint64)
    least = np.full(4, hybrid_on_the_cpu.NO_KEY)
    least.flags.writeable = False
    kept = (np.empty_like(array) for array in (u, v, key))
    hybrid_on_the_cpu._lightest.py_func(least, u, v, key, np.array([0, 1, 1, 3]), *kept, np.zeros(1, int), 4, 0, 4)
    assert offers == {(0, 40), (1, 40), (1, 20), (3, 20), (3, 10), (0, 10)}


@njit(nogil=True)
def lower_all(least, at, values, begin, end):
    for i in range(begin, end):
        lower(least, at[i], values[i])


def test_lowering_is_one_step():
    g = np.random.default_rng(0)
    at, values = g.integers(0, 16, 1 << 20), g.permutation(1 << 20).astype(np.uint64)
    expected = np.full(16, 1 << 20, np.uint64)
    np.minimum.at(expected, at, values)
    for _ in range(5):  # the first compiles, and threads wait for that
        least = np.full(16, 1 << 20, np.uint64)
        for_chunks(lower_all, 1 << 20, 1 << 16, least, at, values)
        np.testing.assert_array_equal(least, expected)


@pytest.mark.parametrize("offload", [0, 1])
def test_a_side_without_edges_is_left_alone(ops, monkeypatch, offload):
    graph = adjacency_of(GRAPHS["grid"], weights_for(len(GRAPHS["grid"][1]), np.int32, "ties"))
    given = counted(monkeypatch, ops, lambda: None)
    assert_chosen(forest(on(ops, graph), ops, offload=offload), graph)
    assert [count for count in given.values() if count] == [len(GRAPHS["grid"][1])]
    assert len(given) == 1 + offload


def test_what_goes_to_the_other_side_shrinks_with_the_components(ops, monkeypatch):
    """Otherwise the labels of all vertices would be copied in every round."""
    lengths, left = [], []
    work = backend_of("cpu").lightest_of_edges

    def lightest_of_edges(u, v, key, labels):
        lengths.append(len(labels))
        return work(u, v, key, labels)

    graph = adjacency_of(GRAPHS["grid"], weights_for(len(GRAPHS["grid"][1]), np.int32, "ties"))
    monkeypatch.setattr(backend_of("cpu"), "lightest_of_edges", lightest_of_edges)
    sides = 1 + (ops is backend_of("cpu"))
    chosen = forest(on(ops, graph), ops, offload=0.5, report=lambda rounds, count: left.append(count))
    assert_chosen(chosen, graph)
    assert lengths[::sides] == [graph.n, graph.n, *left[:-2]] and len(left) > 3


@pytest.mark.parametrize("offload", [-0.1, 1.5, float("nan"), "half", None])
def test_offload_is_a_fraction(ops, offload):
    graph = on(ops, adjacency_of(GRAPHS["one edge"], np.ones(1)))
    with pytest.raises(ValueError, match="offload must be a number from 0 to 1"):
        forest(graph, ops, offload=offload)


def test_rounds_are_reported(ops):
    seen = []
    graph = adjacency_of(GRAPHS["grid"], weights_for(len(GRAPHS["grid"][1]), np.int32, "ties"))
    forest(on(ops, graph), ops, report=lambda *args: seen.append(args))
    rounds, left = zip(*seen)
    assert rounds == tuple(range(1, len(seen) + 1))
    assert left[-1] == 1 and all(2 * b <= a for a, b in zip((1600, *left), left))


def test_loops_mean_nothing(ops):
    graph = with_loops()
    assert_chosen(forest(on(ops, graph), ops), graph)
