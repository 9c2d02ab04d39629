"""The published algorithms that rebuild the graph, compared with Kruskal's algorithm, on both backends."""

from __future__ import annotations

import itertools
from importlib import import_module

import graph_reference as reference
import numpy as np
import pytest
from graph_helpers import assert_chosen, graph_and_forest, on, with_loops
from graph_reference import GRAPHS, KINDS, WEIGHTS, adjacency_of, csr_of, weights_for

from emst.backend.records import Adjacency
from emst.graph.algorithms import edges

pytestmark = pytest.mark.parametrize("algorithm", ["contraction", "primitives"])


def run(algorithm, ops, graph):
    """The forest, and the number of components after every round."""
    left = []

    def report(rounds, components):
        left.append(components)
        assert rounds == len(left)

    forest = import_module(f"emst.graph.algorithms.{algorithm}").forest(on(ops, graph), ops, report=report)
    return forest, left


def assert_forest(algorithm, ops, graph, theirs=None):
    ours, left = run(algorithm, ops, graph)
    assert_chosen(ours, graph, theirs)
    assert_rounds(graph, left, len(ours.entries))


def assert_rounds(graph, left, taken):
    """The number of components falls in every round, and every component with edges merges: at most log2(n) rounds."""
    assert [graph.n, *left][-1] == graph.n - taken
    assert all(after < before for before, after in itertools.pairwise([graph.n, *left]))
    assert 2 ** len(left) <= max(graph.n, 1)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GRAPHS)
def test_the_forest_is_kruskals(algorithm, ops, name, kind, dtype, symmetric):
    assert_forest(algorithm, ops, *graph_and_forest(name, kind, dtype, symmetric))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("symmetric", [True, False])
def test_loops_mean_nothing(algorithm, ops, symmetric, index):
    assert_forest(algorithm, ops, with_loops(symmetric, index))


def test_loops_alone_leave_every_vertex_alone(algorithm, ops):
    loops = np.arange(10)
    indptr, indices, values, _ = csr_of(10, loops, loops, np.ones(10), symmetric=False)
    assert_forest(algorithm, ops, Adjacency(indptr, indices, values, False))


def test_mirrored_parallel_edges_may_stand_in_another_order_below_the_diagonal(algorithm, ops):
    indptr, indices = np.array([0, 2, 5, 6]), np.array([1, 1, 0, 0, 2, 1], np.int32)
    weights = np.array([2.0, 1.0, 1.0, 2.0, 5.0, 5.0])
    assert_forest(algorithm, ops, Adjacency(indptr, indices, weights, True))


WORST = {
    "path": lambda: reference.path(100_000),  # with equal weights one chain of successors
    "shuffled path": lambda: reference.shuffled(reference.path(100_000)),
    "star": lambda: reference.star(100_000, centre=777),  # one row holds half of all entries
    "complete": lambda: reference.complete(400),
    "parallel": lambda: reference.random(100, 100_000),
    "comb": lambda: reference.comb(20_000),
}


@pytest.mark.parametrize("kind", ["equal", "rising", "distinct"])
@pytest.mark.parametrize("name", WORST)
def test_worst_cases(algorithm, ops, name, kind):
    graph = WORST[name]()
    assert_forest(algorithm, ops, adjacency_of(graph, weights_for(len(graph[1]), np.int64, kind)))


def test_components_that_merge_in_pairs_take_log2_rounds(algorithm, ops):
    steps = np.arange(1, 1 << 10)
    weights = steps & -steps  # of the edge before that vertex: 1, 2, 1, 4, 1, 2, 1, 8, ...
    _, left = run(algorithm, ops, adjacency_of(reference.path(1 << 10), weights.astype(np.int32)))
    assert left == [1 << k for k in range(9, -1, -1)]


def test_every_round_is_one_merge(algorithm, ops, monkeypatch):
    """The step that points and graphs share, on the graph of that round."""
    sizes, merge = [], ops.merge
    monkeypatch.setattr(ops, "merge", lambda forest: sizes.append(len(forest.labels)) or merge(forest))
    graph = adjacency_of(GRAPHS["grid"], weights_for(len(GRAPHS["grid"][1]), np.int32, "ties"))
    _, left = run(algorithm, ops, graph)
    assert sizes == [graph.n, *left[:-1]]


def test_too_many_edges_are_refused(algorithm, ops, monkeypatch):
    count = len(GRAPHS["grid"][1])
    graph = adjacency_of(GRAPHS["grid"], weights_for(count, np.int32, "ties"))
    monkeypatch.setattr(edges, "MOST_EDGES", count)
    assert_forest(algorithm, ops, graph)
    monkeypatch.setattr(edges, "MOST_EDGES", count - 1)
    with pytest.raises(ValueError, match=rf"'{algorithm}' takes at most {count - 1:,} edges.*algorithm='boruvka'"):
        run(algorithm, ops, graph)
