"""The default algorithm, the statistics of a graph, and the numbers of components, on both backends."""

from __future__ import annotations

import graph_reference as reference
import numpy as np
import pytest
from graph_helpers import assert_chosen, on, with_loops
from graph_reference import GRAPHS, KINDS, WEIGHTS, adjacency_of, csr_of, weights_for
from helpers import to_device, to_host


def assert_forest(ops, graph):
    assert_chosen(ops.graph_forest(on(ops, graph)), graph)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GRAPHS)
def test_the_forest_is_kruskals(ops, name, kind, dtype, symmetric):
    weights = weights_for(len(GRAPHS[name][1]), dtype, kind)
    assert_forest(ops, adjacency_of(GRAPHS[name], weights, symmetric))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("symmetric", [True, False])
def test_loops_mean_nothing(ops, symmetric, index):
    assert_forest(ops, with_loops(symmetric, index))


@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", ["path", "shuffled path", "star", "grid", "random", "complete"])
@pytest.mark.parametrize("kind", ["equal", "ties", "distinct", "rising"])
def test_larger_ones(ops, name, kind, dtype):
    """Enough entries for several blocks, light and heavy edges, and chains longer than any bound on hops."""
    make = {
        "path": lambda: reference.path(30_000),
        "shuffled path": lambda: reference.shuffled(reference.path(30_000)),
        "star": lambda: reference.star(30_000, centre=777),
        "grid": lambda: reference.grid(150),
        "random": lambda: reference.random(3_000, 60_000),
        "complete": lambda: reference.complete(250),
    }
    graph = make[name]()
    assert_forest(ops, adjacency_of(graph, weights_for(len(graph[1]), dtype, kind)))


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_look_tells(ops, name, dtype, index, symmetric):
    graph = csr_of(*GRAPHS[name], weights_for(len(GRAPHS[name][1]), dtype, "special"), symmetric, index)[:3]
    assert ops.graph_statistics(*(to_device(ops, a) for a in (graph[0], graph[1].astype(np.int32), graph[2]))) == (
        reference.graph_statistics(*graph)
    )


def spoiled(what):
    """The arrays of a valid graph with one fault."""
    indptr, indices, weights, _ = csr_of(*GRAPHS["random"], weights_for(len(GRAPHS["random"][1]), np.float64, "ties"))
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    if what == "outside":
        indices[[100, 4000]] = len(indptr) - 1, -7
    if what == "NaN":
        weights[[99, 17, 5000]] = np.nan
    if what == "descending":
        indptr[[500, 900]] = 0
    if what == "wild":
        indptr[[500, 900]] = 2**31 - 1, -(2**31)
    if what == "start":
        indptr[0] = 1
    if what == "end":
        indptr[-1] -= 1
    if what == "asymmetric":
        weights[np.flatnonzero(row > indices)[50]] += 1
    if what == "unsorted":
        at = indptr[700]
        indices[at : at + 2], weights[at : at + 2] = (
            indices[at : at + 2][::-1].copy(),
            weights[at : at + 2][::-1].copy(),
        )
    return indptr, indices, weights


@pytest.mark.parametrize("what", ["outside", "NaN", "descending", "wild", "start", "end", "asymmetric", "unsorted"])
def test_statistics_of_faulty_graphs(ops, what):
    arrays = spoiled(what)
    ours, theirs = ops.graph_statistics(*(to_device(ops, a) for a in arrays)), reference.graph_statistics(*arrays)
    meant = meaningful_fields(theirs, len(arrays[1]))
    assert {f: getattr(ours, f) for f in meant} == {f: getattr(theirs, f) for f in meant}
    assert theirs != reference.graph_statistics(*spoiled("nothing"))


def meaningful_fields(statistics, m):
    if statistics.descents or (statistics.first_start, statistics.last_end) != (0, m):
        return statistics._fields[:4]
    return statistics._fields if statistics.outside == 0 else ("outside", "first_outside", "nans", "first_nan")


@pytest.mark.parametrize("n", [0, 1, 5000, 100_000])
def test_components_are_numbered_by_their_first_vertices(ops, n):
    g = np.random.default_rng(0)
    group = g.integers(0, max(n // 7, 1), n)
    first = np.full(len(group) + 1, -1)
    for v in g.permutation(n):
        first[group[v]] = v  # any one of the group is its root
    roots = first[group].astype(np.int32)
    ours = ops.number_components(to_device(ops, roots))
    np.testing.assert_array_equal(to_host(ours), reference.number_components(roots))
    assert ours.dtype == np.int32
