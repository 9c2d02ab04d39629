"""What tests of algorithms on graphs need: a graph on either device, and the forest to compare with."""

from __future__ import annotations

import functools

import graph_reference as reference
import numpy as np
from graph_reference import GRAPHS, adjacency_of, csr_of, weights_for
from helpers import to_device, to_host

from emst.backend.records import Adjacency


def on(ops, graph):
    """The graph on the backend's device."""
    arrays = (to_device(ops, a) for a in (graph.indptr, graph.indices, graph.weights))
    return Adjacency(*arrays, graph.symmetric)


def with_loops(symmetric=True, index=np.int32):
    """The graph "random" with an entry on the diagonal of every third row that is lighter than all others."""
    n, rows, columns = GRAPHS["random"]
    loops = np.arange(0, n, 3)
    weights = weights_for(len(rows) + len(loops), np.float32, "ties")
    weights[len(rows) :] = -100
    indptr, indices, values, _ = csr_of(n, np.r_[rows, loops], np.r_[columns, loops], weights, symmetric, index)
    return Adjacency(indptr, indices.astype(np.int32), values, symmetric)


@functools.cache
def graph_and_forest(name, kind, dtype, symmetric=True):
    """A graph of GRAPHS, and the forest that Kruskal's algorithm chooses: once for all tests, which only read them."""
    graph = adjacency_of(GRAPHS[name], weights_for(len(GRAPHS[name][1]), dtype, kind), symmetric)
    return graph, reference.graph_forest(graph)


def assert_chosen(ours, graph, theirs=None):
    """An algorithm, on either device, has chosen the edges that Kruskal's algorithm chooses: `theirs`, if known."""
    theirs = reference.graph_forest(graph) if theirs is None else theirs
    for field, dtype in (("entries", np.int64), ("source", np.int32), ("target", np.int32)):
        np.testing.assert_array_equal(to_host(getattr(ours, field)), getattr(theirs, field), field)
        assert getattr(ours, field).dtype == dtype
    roots = to_host(ours.roots)
    assert roots.dtype == np.int32
    np.testing.assert_array_equal(roots[roots], roots)
    np.testing.assert_array_equal(reference.number_components(roots), reference.number_components(theirs.roots))
