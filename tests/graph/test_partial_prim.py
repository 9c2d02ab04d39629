"""Partial Prim: the subtrees that workers grow, and the forest, which does not depend on their timing."""

from __future__ import annotations

import graph_reference as reference
import numpy as np
import pytest
from graph_helpers import assert_chosen, graph_and_forest, on, with_loops
from graph_reference import GRAPHS, KINDS, WEIGHTS, adjacency_of, weights_for
from helpers import to_device, to_host
from numba import njit
from reference import grow_subtrees

from emst.backend import backend_of
from emst.cpu.runtime.atomics import compare_and_swap
from emst.cpu.runtime.parallel import for_chunks
from emst.graph.algorithms.partial_prim import LONG_ROW, VARIANTS, forest


@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GRAPHS)
def test_the_forest_is_kruskals(ops, name, kind, dtype):
    graph, theirs = graph_and_forest(name, kind, dtype)
    assert_chosen(forest(on(ops, graph), ops), graph, theirs)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("gamma", [1, 2, np.int32(7), 100, 10**6])
@pytest.mark.parametrize("kind", ["equal", "ties", "rising"])
@pytest.mark.parametrize("name", GRAPHS)
def test_neither_gamma_nor_the_variant_changes_it(ops, name, kind, gamma, variant):
    graph, theirs = graph_and_forest(name, kind, np.float32, symmetric=False)
    assert_chosen(forest(on(ops, graph), ops, gamma=gamma, variant=variant), graph, theirs)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("gamma", [3, 100])
def test_many_workers_at_once(ops, gamma, variant):
    """Several blocks of workers whose subtrees meet everywhere: the set of edges does not depend on who takes them."""
    graphs = [reference.shuffled(reference.path(30_000)), reference.grid(150), reference.random(20_000, 60_000)]
    for shape in graphs:
        graph = adjacency_of(shape, weights_for(len(shape[1]), np.int32, "ties"))
        theirs = reference.graph_forest(graph)
        for _ in range(5):
            assert_chosen(forest(on(ops, graph), ops, gamma=gamma, variant=variant), graph, theirs)


def arcs(name, kind, ascending):
    """A graph in compressed rows with distinct keys."""
    n, rows, columns = GRAPHS[name]
    order = np.argsort(weights_for(len(rows), np.int64, kind), kind="stable")
    rank = np.empty(len(rows), np.uint64)
    rank[order] = np.arange(len(rows))
    if ascending:
        rows, columns, rank = rows[order], columns[order], rank[order]
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    row, column = np.stack([low, high], 1).ravel(), np.stack([high, low], 1).ravel().astype(np.int32)
    by_row = np.argsort(row, kind="stable")
    indptr = np.r_[0, np.cumsum(np.bincount(row, minlength=n))]
    return indptr, column[by_row], np.repeat(rank, 2)[by_row]


def assert_subtrees(graph, gamma, owner, via, hook):
    indptr, columns, keys = graph
    n = len(indptr) - 1
    row = np.repeat(np.arange(n), np.diff(indptr))
    roots = np.flatnonzero(owner == np.arange(n))
    assert (owner[owner] == owner).all()
    assert np.bincount(owner, minlength=1).max(initial=0) <= gamma
    joined = np.flatnonzero(via >= 0)
    np.testing.assert_array_equal(joined, np.flatnonzero(owner != np.arange(n)))
    np.testing.assert_array_equal(columns[via[joined]], joined)
    np.testing.assert_array_equal(owner[row[via[joined]]], owner[joined])
    expected = np.full(n, -1)
    leaving = np.flatnonzero(owner[row] != owner[columns])
    by_key = leaving[np.argsort(keys[leaving])][::-1]
    expected[owner[row[by_key]]] = by_key  # the lightest is written last
    np.testing.assert_array_equal(hook, expected)
    taken = np.r_[via[joined], hook[hook >= 0]]
    upper = row < columns
    chosen, _ = reference.kruskal(n, row[upper], columns[upper], keys[upper].astype(np.int64))
    assert set(keys[taken].tolist()) <= set(keys[upper][chosen].tolist())
    assert (hook[np.setdiff1d(np.arange(n), roots)] == -1).all()


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("gamma", [1, 2, np.int32(7), 100, 10**6])
@pytest.mark.parametrize("kind", ["ties", "distinct"])
@pytest.mark.parametrize("name", GRAPHS)
def test_subtrees_are_pieces_of_the_forest(ops, name, kind, gamma, ascending):
    graph = arcs(name, kind, ascending)
    owner, via, hook = ops.grow_subtrees(*(to_device(ops, a) for a in graph), gamma, ascending)
    assert (owner.dtype, via.dtype, hook.dtype) == (np.int32, np.int64, np.int64)
    assert_subtrees(graph, gamma, *(to_host(a) for a in (owner, via, hook)))


@pytest.mark.parametrize("name", ["grid", "comb", "parallel", "sparse random"])
@pytest.mark.parametrize("gamma", [1, 7, 10**6])
def test_the_reference_grows_such_subtrees_too(name, gamma):
    graph = arcs(name, "ties", False)
    assert_subtrees(graph, gamma, *grow_subtrees(*graph, gamma, False))


@pytest.mark.parametrize("name", ["complete", "grid", "path"])
def test_one_worker_is_prim(name, monkeypatch):
    """With one worker and gamma = n, the subtree that grows from vertex 0 is the whole tree."""
    graph = arcs(name, "distinct", False)
    n = GRAPHS[name][0]
    monkeypatch.setattr("emst.cpu.graph.partial_prim.grain_for", lambda size, least: size)
    owner, via, hook = backend_of("cpu").grow_subtrees(*graph, n, False)
    assert not owner.any() and (via[1:] >= 0).all() and (hook == -1).all()


@njit(nogil=True)
def count_up(counter, begin, end):
    seen = counter[0]
    for _ in range(begin, end):
        while True:
            stood = compare_and_swap(counter, 0, seen, seen + 1)
            if stood == seen:
                break
            seen = stood
        seen += 1


def test_comparing_and_swapping_is_one_step():
    for _ in range(5):  # the first compiles, and threads wait for that
        counter = np.zeros(1, np.int64)
        for_chunks(count_up, 1 << 20, 1 << 16, counter)
        assert counter[0] == 1 << 20


def sorting(monkeypatch, ops, graph, **options):
    """Whether rows were sorted, for every round."""
    seen = []
    grow = ops.grow_subtrees

    def spied(*args):
        seen.append(args[-1])
        return grow(*args)

    with monkeypatch.context() as patch:
        patch.setattr(ops, "grow_subtrees", spied)
        assert_chosen(forest(on(ops, graph), ops, **options), graph)
    return seen


def test_the_variants_are_what_they_say(ops, monkeypatch):
    shape = reference.random(5000, 15_000)
    graph = adjacency_of(shape, weights_for(len(shape[1]), np.int32, "distinct"))
    seen = {variant: sorting(monkeypatch, ops, graph, gamma=2, variant=variant) for variant in VARIANTS}
    assert min(map(len, seen.values())) > 1
    assert not any(seen["min"])
    assert all(seen["sort"])
    assert not seen["hybrid"][0] and all(seen["hybrid"][1:])


def test_the_hybrid_sorts_long_rows_at_once(ops, monkeypatch):
    for leaves, sorts in ((LONG_ROW, False), (LONG_ROW + 1, True)):
        shape = reference.star(leaves + 1)
        graph = adjacency_of(shape, weights_for(leaves, np.int32, "distinct"))
        assert sorting(monkeypatch, ops, graph)[0] == sorts


@pytest.mark.parametrize("ascending", [False, True])
def test_a_worker_does_not_look_through_thousands_of_parallel_edges(ascending):
    """Vertices 0 and 1 have 20,000 edges between them; edges that leave the two are left to another worker or round."""
    many = 20_000
    indptr = np.array([0, many, 2 * many + 1, 2 * many + 2])
    columns = np.r_[np.ones(many), np.zeros(many), 2, 1].astype(np.int32)
    keys = np.r_[np.arange(many), np.arange(many), many, many].astype(np.uint64)
    owner, via, hook = backend_of("cpu").grow_subtrees(indptr, columns, keys, 100, ascending)
    assert owner.tolist() == [0, 0, 2]
    assert via.tolist() == [-1, 0, -1] and hook.tolist() == [-1, -1, 2 * many + 1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_parallel_edges_by_the_thousands(ops, variant):
    n, rows, columns = 4, np.r_[np.zeros(20_000, int), 0, 2], np.r_[np.ones(20_000, int), 3, 3]
    graph = adjacency_of((n, rows, columns), np.r_[np.arange(20_000), 10**6, 2].astype(np.int64))
    assert_chosen(forest(on(ops, graph), ops, variant=variant), graph)


def test_rounds_are_reported(ops):
    seen = []
    graph = adjacency_of(GRAPHS["grid"], weights_for(len(GRAPHS["grid"][1]), np.int32, "ties"))
    forest(on(ops, graph), ops, gamma=1, report=lambda *args: seen.append(args))
    rounds, left = zip(*seen)
    assert rounds == tuple(range(1, len(seen) + 1)) and len(seen) <= 11
    assert left[-1] == 1 and all(2 * b <= a for a, b in zip((1600, *left), left))


def test_every_unification_is_one_merge(ops, monkeypatch):
    """The step that points and graphs share, once a round."""
    calls, seen, merge = [], [], ops.merge
    monkeypatch.setattr(ops, "merge", lambda forest: calls.append(len(forest.labels)) or merge(forest))
    graph = adjacency_of(GRAPHS["grid"], weights_for(len(GRAPHS["grid"][1]), np.int32, "ties"))
    forest(on(ops, graph), ops, gamma=3, report=lambda rounds, left: seen.append(left))
    assert calls == [graph.n, *seen[:-1]]


@pytest.mark.parametrize("gamma", [0, -1, True, 2.0, "many", None])
def test_gamma_is_a_number_of_vertices(ops, gamma):
    graph = on(ops, adjacency_of(GRAPHS["one edge"], np.ones(1)))
    with pytest.raises(ValueError, match="gamma must be an integer of at least 1"):
        forest(graph, ops, gamma=gamma)


def test_unknown_variants_are_named(ops):
    graph = on(ops, adjacency_of(GRAPHS["one edge"], np.ones(1)))
    with pytest.raises(ValueError, match="variant must be one of 'min', 'sort', 'hybrid'; got 'max'"):
        forest(graph, ops, variant="max")


def test_loops_mean_nothing(ops):
    graph = with_loops()
    assert_chosen(forest(on(ops, graph), ops), graph)
