"""Forests of graphs on the CPU: code that depends on sizes or threads, on graphs small enough for the reference."""

from __future__ import annotations

import graph_reference as reference
import numpy as np
import pytest
from graph_reference import WEIGHTS, adjacency_of, weights_for

from emst.cpu import contract, graph_forest, graph_statistics
from emst.cpu.graph import forest as graph
from emst.cpu.graph import offers, worklist
from emst.cpu.graph import statistics as counted
from emst.cpu.runtime import parallel


def assert_kruskals(given):
    ours, theirs = graph_forest(given), reference.graph_forest(given)
    np.testing.assert_array_equal(ours.entries, theirs.entries)
    np.testing.assert_array_equal(reference.number_components(ours.roots), reference.number_components(theirs.roots))


def given(name="random", dtype=np.int32, kind="ties", symmetric=True):
    n, rows, columns = reference.GRAPHS[name] if isinstance(name, str) else name
    return adjacency_of((n, rows, columns), weights_for(len(rows), dtype, kind), symmetric)


@pytest.fixture
def eager(monkeypatch):
    """Lists light edges first and marks the giant component by bits, in small graphs as well."""
    monkeypatch.setattr(graph, "SAMPLE", 64)
    monkeypatch.setattr(graph, "SHARE", 1 << 20)
    monkeypatch.setattr(worklist, "MANY", 1024)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("kind", ["equal", "two", "ties", "distinct", "special"])
@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
def test_light_edges_first(eager, dtype, kind, symmetric):
    assert_kruskals(given(reference.random(2000, 40_000), dtype, kind, symmetric))


def test_light_edges_come_first_in_several_steps(eager, monkeypatch):
    """The tests above cover these cases: thresholds are computed, and there is a giant component."""
    steps, giants = [], []
    threshold, giant = graph._threshold, worklist._giant
    monkeypatch.setattr(graph, "_threshold", lambda *args: steps.append(threshold(*args)) or steps[-1])
    monkeypatch.setattr(worklist, "_giant", lambda *args: giants.append(len(giant(*args))) or giant(*args))
    graph_forest(given(reference.random(2000, 40_000), kind="distinct"))
    assert len(steps) > 1
    assert steps[0] is not worklist.LAST
    assert giants[-1] > 0


def test_edges_that_leave_the_giant_component_stay(monkeypatch):
    """Among short rows, of 8 entries on average at most, which are listed block by block."""
    monkeypatch.setattr(worklist, "MANY", 1000)
    graph = given(reference.random(20_000, 79_000), kind="distinct")
    assert graph.m <= worklist.LONG * graph.n
    assert_kruskals(graph)


@pytest.mark.parametrize("symmetric", [True, False])
def test_no_edges_at_all(symmetric):
    empty = np.empty(0, np.int64)
    assert_kruskals(given((200_000, empty, empty), symmetric=symmetric))


def test_a_star_whose_leaves_find_their_edges_in_one_row():
    """Not all leaves choose the centre, so the search for the next one continues over a long distance."""
    g = np.random.default_rng(0)
    n = 5000
    leaves = np.arange(1, n)
    rows, columns = np.r_[0 * leaves, leaves[:-1]], np.r_[leaves, leaves[1:]]
    weights = g.integers(0, 3, len(rows)).astype(np.float32)
    weights[: n // 2] = 2
    assert_kruskals(adjacency_of((n, rows, columns), weights))


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
def test_more_entries_than_32_bits_can_count(monkeypatch, dtype, symmetric):
    monkeypatch.setattr(worklist, "WIDE", 0)
    assert_kruskals(given(dtype=dtype, kind="special", symmetric=symmetric))


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_rows_of_several_chunks(monkeypatch, dtype):
    """Chunks of 16 entries: rows begin and end anywhere in a chunk, and some rows span a hundred chunks."""
    monkeypatch.setattr(graph, "grain_for", lambda size, least: 16)
    for name in ("star", "star of the last", "parallel", "random", "isolated vertices", "complete"):
        for kind in ("equal", "ties", "special"):
            assert_kruskals(given(name, dtype, kind))


def test_columns_descend_wherever_a_row_is_cut(monkeypatch):
    """Into blocks, and into chunks of two blocks. Where a row ends, columns may descend."""
    monkeypatch.setattr(counted, "grain_for", lambda size, least: 2 * counted.BLOCK)
    n = 5 * counted.BLOCK
    for place in (1, *range(counted.BLOCK, n, counted.BLOCK), n - 1):
        columns = np.roll(np.arange(n, dtype=np.int32), place)
        for row_end in (n, place):
            indptr = np.full(n + 1, n)
            indptr[:2] = 0, row_end
            assert graph_statistics(indptr, columns, columns).ascending == (row_end == place)


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
def test_offers_of_one_thread_or_of_several(monkeypatch, dtype, copies):
    monkeypatch.setattr(offers, "FEW_THREADS", copies)
    monkeypatch.setattr(offers, "PER_EDGE", 0)
    for module in (parallel, offers):
        monkeypatch.setattr(module, "thread_count", lambda: 3)
    for kind in ("ties", "distinct"):
        assert_kruskals(given(reference.random(2000, 100_000), dtype, kind))


def test_any_number_of_threads_gives_the_same_arrays(monkeypatch):
    """Even the roots are the same, although any vertex of a component may be its root."""
    one = given(reference.random(50_000, 200_000), kind="ties")
    found = []
    for threads in (1, 2, 7):
        for module in (parallel, offers):  # they must agree: threads that offers do not know of would share theirs
            monkeypatch.setattr(module, "thread_count", lambda threads=threads: threads)
        found.append((graph_statistics(one.indptr, one.indices, one.weights), graph_forest(one)))
    for statistics, forest in found[1:]:
        assert statistics == found[0][0]
        for ours, first in zip(forest, found[0][1], strict=True):
            np.testing.assert_array_equal(ours, first)


def test_numbers_come_from_roots_however_far_they_are():
    """When another thread halves a path, the parent of a node may not be a root."""
    parent = np.array([0, 0, 1, 2, 4], np.int32)
    numbers = np.array([7, -1, -1, -1, 9], np.int32)
    contract._number_others(parent, numbers, 0, 5)
    assert numbers.tolist() == [7, 7, 7, 7, 9]
