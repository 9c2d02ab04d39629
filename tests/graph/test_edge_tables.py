"""Trees and forests as tables of edges: `to_pandas`, `to_networkx`, and edges with the nodes of the input."""

from __future__ import annotations

import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from helpers import to_device, to_host
from sklearn.exceptions import NotFittedError

from emst import EMST, graph_msf, minimum_spanning_tree


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_tree_of_points(ops, dtype):
    X = np.random.default_rng(1).random((60, 2)).astype(dtype)
    tree = minimum_spanning_tree(to_device(ops, X), device=ops.name)
    frame, (source, target), weight = tree.to_pandas(), to_host(tree.edges).T, to_host(tree.weights)
    expected = pd.DataFrame({"source": source, "target": target, "weight": weight})
    pd.testing.assert_frame_equal(frame, expected)
    assert frame["weight"].is_monotonic_increasing and frame["weight"].dtype == dtype
    graph = tree.to_networkx()
    assert list(graph) == list(range(60)) and nx.is_tree(graph)
    assert {(*sorted(ends), w) for *ends, w in graph.edges(data="weight")} == set(
        zip(*map(np.ndarray.tolist, (source, target, weight)))
    )
    estimator = EMST(device=ops.name).fit(to_device(ops, X))
    pd.testing.assert_frame_equal(estimator.to_pandas(), expected)
    assert nx.utils.graphs_equal(estimator.to_networkx(), graph)


def test_one_point(ops):
    tree = minimum_spanning_tree(to_device(ops, np.zeros((1, 2))), device=ops.name)
    assert list(tree.to_networkx()) == [0]
    assert list(tree.to_pandas().columns) == ["source", "target", "weight"] and len(tree.to_pandas()) == 0


def test_a_forest_of_numbers(ops):
    arrays = (to_device(ops, np.array(values)) for values in ([5, 1, 0], [4, 0, 1], [2**60 + 1, 3, 2]))
    forest = graph_msf(*arrays, n_vertices=7, symmetric="min", device=ops.name)
    assert forest.to_pandas().to_dict("list") == {
        "source": [4, 0], "target": [5, 1], "weight": [2**60 + 1, 2], "edge_id": [0, 2],
    }  # fmt: skip
    graph = forest.to_networkx()
    assert list(graph) == list(range(7)) and list(graph.edges(data="weight")) == [(0, 1, 2), (4, 5, 2**60 + 1)]


def test_a_forest_of_nodes(ops):
    graph = nx.Graph()
    graph.add_nodes_from([("a", 1), "alone", 7])
    graph.add_edge(("a", 1), 7, weight=0.5)
    forest = graph_msf(graph, device=ops.name)
    assert nx.utils.graphs_equal(forest.to_networkx(), graph)
    assert forest.to_pandas().to_dict("list") == {"source": [("a", 1)], "target": [7], "weight": [0.5], "edge_id": [0]}


def test_vertices_of_one_name_are_no_graph_of_networkx():
    igraph = pytest.importorskip("igraph", reason="needs igraph")
    graph = igraph.Graph(3, [(0, 1)], vertex_attrs={"name": ["a", "b", "a"]}, edge_attrs={"weight": [1]})
    with pytest.raises(ValueError, match="1 vertex has the name of another one"):
        graph_msf(graph, device="cpu").to_networkx()


def test_an_estimator_that_is_not_fitted():
    for method in (EMST().to_pandas, EMST().to_networkx):
        with pytest.raises(NotFittedError):
            method()


@pytest.mark.parametrize("library", ["pandas", "networkx"])
def test_what_is_not_installed_is_named(monkeypatch, library):
    forest = graph_msf([0], [1], [1], device="cpu")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"this needs {library}: pip install 'emst\[{library}\]'"):
        getattr(forest, f"to_{library}")()
