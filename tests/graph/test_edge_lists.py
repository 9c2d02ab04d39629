"""`graph_msf` of lists of edges: three arrays, data frames, and graphs of networkx, igraph and rustworkx."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from graph_reference import WEIGHTS
from helpers import to_device, to_host

from emst import graph_msf
from emst.graph.libraries import edge_list

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def some_edges(n=200, m=900, dtype=np.float64):
    g = np.random.default_rng(3)
    source, target = g.integers(0, n, (2, m))
    return source, target, g.integers(-20, 20, m).astype(dtype)


def matrix_of(source, target, weight, n):
    return SimpleNamespace(format="coo", row=source, col=target, data=weight, shape=(n, n))


def assert_same(ours, theirs):
    for name in ("source", "target", "weight", "edge_id"):
        left, right = (to_host(getattr(forest, name)) for forest in (ours, theirs))
        np.testing.assert_array_equal(left, right, name)
        assert left.dtype == right.dtype
    assert (ours.n_vertices, ours.n_components) == (theirs.n_vertices, theirs.n_components)


def pairs(forest):
    """The edges between nodes of the input, with their weights."""
    return {(frozenset((u, v)), weight) for u, v, weight in forest.weighted_edge_list()}


# ---- arrays --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint16])
@pytest.mark.parametrize("dtype", [*WEIGHTS, np.float16, np.uint64])
def test_arrays_are_coordinates(ops, dtype, index):
    source, target, weight = some_edges(dtype=np.float64)
    weight = abs(weight).astype(dtype)
    expected = graph_msf(matrix_of(source, target, np.asarray(weight, dtype), 205), device=ops.name, symmetric="min")
    ends = (to_device(ops, ends.astype(index)) for ends in (source, target))
    ours = graph_msf(*ends, to_device(ops, weight), n_vertices=205, device=ops.name, symmetric="min")
    assert_same(ours, expected)
    assert type(ours.source) is type(to_device(ops, weight))
    assert ours.nodes is None


def test_the_greatest_number_decides_how_many_vertices_there_are(ops):
    assert graph_msf([0, 7], [3, 3], [1.0, 2.0], device=ops.name).n_vertices == 8
    assert graph_msf([], np.empty(0, np.int64), [], device=ops.name, n_vertices=3).n_components == 3
    empty = np.empty(0, np.int64)
    assert graph_msf(empty, empty, [], device=ops.name).n_vertices == 0


def test_every_edge_weighs_one(ops):
    forest = graph_msf([0, 1, 2], [1, 2, 0], None, device=ops.name)
    assert forest.weight.tolist() == [1, 1]
    assert forest.weight.dtype == np.int32


def test_arrays_are_not_copied():
    source, target, weight = some_edges()
    listed = edge_list(source, target, weight)
    assert listed.source is source and listed.target is target and listed.weight is weight


def test_two_directions_are_compared_as_in_a_matrix(ops):
    edges = [0, 1], [1, 0], [3.0, 2.0]
    with pytest.raises(ValueError, match="symmetric='min' takes the lighter one"):
        graph_msf(*edges, device=ops.name)
    assert graph_msf(*edges, device=ops.name, symmetric="min").weight.tolist() == [2.0]


def test_loops_and_parallel_edges(ops):
    forest = graph_msf([0, 0, 0, 2], [0, 1, 1, 2], [-9.0, 5.0, 4.0, -9.0], device=ops.name)
    assert forest.weighted_edge_list() == [(0, 1, 4.0)]
    assert forest.edge_id.tolist() == [2]
    assert forest.n_components == 2


@pytest.mark.parametrize("kind", ["str", "object", "bytes", "mixed"])
def test_names_of_vertices(ops, kind):
    source, target, weight = some_edges()
    call = {"str": str, "object": lambda v: ("node", int(v)), "bytes": lambda v: b"%d" % v}.get(
        kind, lambda v: str(v) if v % 2 else int(v)
    )
    ends = []
    for side in (source, target):
        named = np.empty(len(side), object)
        named[:] = [call(v) for v in side]
        ends.append(named.astype("S") if kind == "bytes" else named.astype(str) if kind == "str" else named)
    ours = graph_msf(*ends, weight, device=ops.name, symmetric="min", return_labels=True)
    theirs = graph_msf(matrix_of(source, target, weight, 200), device=ops.name, symmetric="min")
    assert ours.n_vertices == len(ours.nodes) == len(np.unique([source, target]))
    assert ours.nodes == list(dict.fromkeys([*ends[0].tolist(), *ends[1].tolist()]))
    assert ours.total_weight == theirs.total_weight
    drawn = {frozenset((ends[0].tolist()[i], ends[1].tolist()[i])) for i in to_host(ours.edge_id)}
    assert {ends for ends, _ in pairs(ours)} == drawn


LISTS_OF_NAMES = {
    "numbers and text": ([1, "1", "x"], ["a", "a", "1"]),
    "floats and text": ([1.5, "a", math.inf], ["a", "b", "1.5"]),
    "large numbers": ([2**53 + 1, 2**53, 0.5], ["a", "b", "c"]),
    "tuples": ([(0, 0), (0, 1), (1, 1)], ((0, 1), (1, 1), (2, 1))),
    "tuples of different lengths": ([(0,), (0, 1), ()], [(0, 1), (), 7]),
    "bytes and text": ([b"a", "a", "c"], ["b", "b", "a"]),
    "null characters at the end": (["a\0", "a", "c"], ["b", "b", "a"]),
}


@pytest.mark.parametrize("case", LISTS_OF_NAMES)
def test_names_in_lists_stay_as_they_are(case):
    source, target = LISTS_OF_NAMES[case]
    forest = graph_msf(source, target, [5, 1, 2], device="cpu")
    expected = list(dict.fromkeys([*source, *target]))
    assert forest.nodes == expected
    assert list(map(type, forest.nodes)) == list(map(type, expected))
    assert {(u, v) for u, v, _ in forest.weighted_edge_list()} <= {*zip(source, target), *zip(target, source)}


def ends_and_weights(weights):
    """Two parallel edges and a third one, as lists, as the graph of networkx, as compressed rows and as a matrix."""
    graph = nx.MultiGraph()
    graph.add_weighted_edges_from(zip([0, 0, 1], [1, 1, 2], weights))
    return {
        "lists": ([0, 0, 1], [1, 1, 2], weights),
        "networkx": (graph,),
        "csr": (([0, 2, 3, 3], [1, 1, 2], weights),),
    }


@pytest.mark.parametrize("kind", ["lists", "networkx", "csr"])
@pytest.mark.parametrize(
    "weights, dtype",
    [
        ([2**63 + 1, 2**63, 1], np.uint64),
        ([np.uint64(2**63 + 1), np.int64(2**53 + 1), 1], np.uint64),
        ([-(2**53), -(2**53) - 1, 1], np.int64),
        ([2**63, -1, 1], np.float64),
        ([2**53 + 2, 2**53, 0.5], np.float64),
        ([math.inf, 2, 0.5], np.float64),
    ],
)
def test_weights_in_lists_are_not_rounded(kind, weights, dtype):
    forest = graph_msf(*ends_and_weights(weights)[kind], device="cpu")
    assert forest.edge_id.tolist() == [1, 2]
    assert forest.weight.dtype == dtype
    assert forest.weight.tolist() == weights[1:]


@pytest.mark.parametrize("kind", ["lists", "networkx", "csr"])
@pytest.mark.parametrize(
    "weights, first",
    [
        ([2**53 + 1, 2**53, 0.5], 0),
        ([np.float64(0.5), np.int64(2**53), np.int64(2**53 + 1)], 2),
        ([-1, 2**63 + 1, 1], 1),
        ([1, 2, 2**64], 2),
        ([1.5, 2**70, 1], 1),
        ([1, Decimal("0.1"), 0.5], 1),
        ([Fraction(1, 3), 1, 2], 0),
    ],
)
def test_weights_that_would_be_rounded_are_refused(kind, weights, first):
    place = f"edge {[(0, 1), (0, 1), (1, 2)][first]}" if kind == "networkx" else f"row {first}"
    with pytest.raises(ValueError, match=re.escape(f"{place} has {weights[first]!r}, and no such type holds")):
        graph_msf(*ends_and_weights(weights)[kind], device="cpu")


def test_weights_in_a_square_list_are_not_rounded():
    rows = [[0, 2**63 + 1, 2**63], [2**63 + 1, 0, 1], [2**63, 1, 0]]
    assert graph_msf(rows, device="cpu").weight.tolist() == [2**63, 1]
    rows[0][1] = rows[1][0] = 0.5
    rows[0][2] = rows[2][0] = 2**53 + 1
    with pytest.raises(ValueError, match=re.escape("row 0, column 2 has 9007199254740993, and no such type")):
        graph_msf(rows, device="cpu")


@pytest.mark.gpu
def test_arrays_on_a_gpu_stay_there():
    import cupy

    source, target, _ = map(cupy.asarray, some_edges())
    forest = graph_msf(source, target, None, symmetric="min")
    assert type(forest.weight) is cupy.ndarray
    assert forest.device == "cuda"


# ---- data frames ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("source", "target", "weight"), ("from", "to", "km"), ("SRC", "Dst", "weight")])
@pytest.mark.parametrize("library", FRAMES)
def test_columns_of_a_data_frame(ops, library, names):
    source, target, weight = some_edges()
    frame = FRAMES[library]({"note": ["x"] * len(weight)} | dict(zip(names, (source, target, weight))))
    ours = graph_msf(frame, weight=names[2], device=ops.name, symmetric="min")
    assert_same(ours, graph_msf(matrix_of(source, target, weight, 200), device=ops.name, symmetric="min"))


@pytest.mark.parametrize("library", FRAMES)
def test_names_in_a_data_frame(ops, library):
    frame = FRAMES[library]({"source": ["a", "b", "c"], "target": ["b", "c", "a"], "weight": [4, 0, 3]})
    forest = graph_msf(frame, device=ops.name)
    assert forest.weighted_edge_list() == [("b", "c", 0), ("a", "c", 3)]
    assert forest.nodes == ["a", "b", "c"]
    assert graph_msf(frame, weight=None, device=ops.name).total_weight == 2


def test_columns_of_a_data_frame_as_arrays(ops):
    frame = pd.DataFrame({"tail": [0, 1], "head": [1, 2], "cost": [0.5, 2.5]})
    assert graph_msf(frame["tail"], frame["head"], frame["cost"], device=ops.name).weight.tolist() == [0.5, 2.5]
    could_be_missing = frame.astype({"tail": "Int64", "cost": "Float64"})
    assert graph_msf(*(could_be_missing[c] for c in could_be_missing), device=ops.name).weight.tolist() == [0.5, 2.5]


def test_a_square_data_frame_is_a_matrix(ops):
    matrix = pd.DataFrame([[0, 2.0], [2.0, 0]], columns=["a", "b"])
    assert graph_msf(matrix, device=ops.name).weight.tolist() == [2.0]


# ---- networkx ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_a_graph_of_networkx(ops, kind):
    g = np.random.default_rng(5)
    graph = kind()
    graph.add_nodes_from(f"city {v}" for v in range(60))
    for u, v, weight in zip(*g.integers(0, 60, (2, 150)).tolist(), g.permutation(150).tolist()):
        graph.add_edge(f"city {u}", f"city {v}", weight=weight, km=-weight)
    forest = graph_msf(graph, device=ops.name)
    expected = nx.minimum_spanning_edges(graph, keys=False)
    assert pairs(forest) == {(frozenset((u, v)), data["weight"]) for u, v, data in expected}
    assert forest.nodes == list(graph)
    assert forest.n_components == nx.number_connected_components(graph)
    edges = list(graph.edges(data="weight"))
    assert [edges[i][2] for i in to_host(forest.edge_id)] == forest.weight.tolist()
    other = graph_msf(graph, weight="km", device=ops.name)
    assert pairs(other) == {
        (frozenset((u, v)), data["km"]) for u, v, data in nx.minimum_spanning_edges(graph, weight="km", keys=False)
    }
    assert graph_msf(graph, weight=None, device=ops.name).total_weight == 60 - forest.n_components


def test_parallel_edges_of_an_undirected_graph_have_no_direction(ops):
    graph = nx.MultiGraph()
    graph.add_weighted_edges_from([(1, 0, 3.0), (0, 1, 2.0), (1, 1, -5.0)])
    assert pairs(graph_msf(graph, device=ops.name)) == {(frozenset((0, 1)), 2.0)}


def test_a_directed_graph_of_networkx_is_a_matrix(ops):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 3.0), ("b", "c", 1.0), ("b", "a", 3.0)])
    assert graph_msf(graph, device=ops.name).total_weight == 4.0
    graph["b"]["a"]["weight"] = 2.0
    with pytest.raises(ValueError, match="weights must be the same in both directions"):
        graph_msf(graph, device=ops.name)
    assert graph_msf(graph, device=ops.name, symmetric="min").total_weight == 3.0


def test_a_graph_of_networkx_without_edges(ops):
    graph = nx.Graph()
    graph.add_nodes_from([("a", 1), frozenset("b")])
    forest = graph_msf(graph, device=ops.name, return_labels=True)
    assert forest.nodes == [("a", 1), frozenset("b")]
    assert forest.component_labels.tolist() == [0, 1]


# ---- igraph and rustworkx ------------------------------------------------------------------------------------------


def test_a_graph_of_igraph(ops):
    igraph = pytest.importorskip("igraph", reason="needs igraph")
    source, target, weight = some_edges()
    graph = igraph.Graph(n=205, edges=list(zip(source, target)), edge_attrs={"weight": weight, "km": -weight})
    for name, values in (("weight", weight), ("km", -weight)):
        forest = graph_msf(graph, weight=name, device=ops.name)
        assert_same(forest, graph_msf(matrix_of(source, target, values, 205), device=ops.name, symmetric="min"))
        assert math.isclose(forest.total_weight, sum(graph.spanning_tree(name).es[name]))
        assert forest.nodes is None
    named = igraph.Graph.TupleList([("a", "b", 2), ("b", "c", 1), ("a", "c", 9)], weights=True)
    assert pairs(graph_msf(named, device=ops.name)) == {(frozenset("ab"), 2), (frozenset("bc"), 1)}
    assert graph_msf(named, weight=None, device=ops.name).total_weight == 2
    with pytest.raises(ValueError, match=re.escape("3 edges have no weight 'cost', first (0, 1)")):
        graph_msf(named, weight="cost", device=ops.name)
    assert graph_msf(igraph.Graph(n=4), device=ops.name).n_components == 4


def test_a_graph_of_rustworkx(ops):
    rustworkx = pytest.importorskip("rustworkx", reason="needs rustworkx")
    source, target, weight = some_edges()
    graph = rustworkx.PyGraph()
    graph.add_nodes_from([f"city {v}" for v in range(205)])
    graph.add_edges_from(list(zip(source.tolist(), target.tolist(), weight.tolist())))
    ours = graph_msf(graph, device=ops.name)
    assert_same(ours, graph_msf(matrix_of(source, target, weight, 205), device=ops.name, symmetric="min"))
    expected = rustworkx.minimum_spanning_edges(graph, float)
    assert ours.total_weight == sum(weight for *_, weight in expected)
    assert ours.nodes is None
    negative = graph_msf(graph, weight=lambda w: -w, device=ops.name)
    assert negative.total_weight == sum(-w for *_, w in rustworkx.minimum_spanning_edges(graph, lambda w: -w))
    graph.remove_nodes_from([0, 17])
    ours = graph_msf(graph, device=ops.name)
    assert ours.nodes == list(graph.node_indices())
    assert ours.total_weight == sum(weight for *_, weight in rustworkx.minimum_spanning_edges(graph, float))
    directed = rustworkx.PyDiGraph()
    directed.add_nodes_from("ab")
    directed.add_edges_from([(0, 1, {"weight": 2.0, "km": 5}), (1, 0, {"weight": 2.0, "km": 6})])
    assert graph_msf(directed, device=ops.name).weight.tolist() == [2.0]
    with pytest.raises(ValueError, match="weights must be the same in both directions"):
        graph_msf(directed, weight="km", device=ops.name)


# ---- what is refused -----------------------------------------------------------------------------------------------


def graph_with(*edges):
    graph = nx.Graph()
    graph.add_edges_from(edges)
    return graph


REFUSED = {
    "no weight": (ValueError, "2 edges have no weight 'weight', first (0, 1); weight= names", (nx.path_graph(3),), {}),
    "one without": (
        ValueError,
        "1 edge has no weight 'weight', first ('b', 'c')",
        (graph_with(("a", "b", {"weight": 1}), ("b", "c")),),
        {},
    ),
    "text": (ValueError, "edge (0, 1) has 'far'", (graph_with((0, 1, {"weight": "far"})),), {}),
    "huge": (ValueError, "at most 64 bits; edge (0, 1) has 118", (graph_with((0, 1, {"weight": 2**70})),), {}),
    "nan": (ValueError, "weights must not be NaN", (graph_with((0, 1, {"weight": math.nan})),), {}),
    "no weights": (TypeError, "needs the weights of the edges; weight=None", ([0], [1]), {}),
    "lengths": (ValueError, "their shapes are (2,), (2,), (1,)", ([0, 1], [1, 2], [1.0]), {}),
    "two dimensions": (ValueError, "must have one length", ([[0]], [[1]], [[1.0]]), {}),
    "negative": (
        ValueError,
        "source must hold vertices from 0 to 2; 1 row with others, first -1 in row 1; without n_vertices, ids are",
        ([0, -1], [1, 2], [1.0, 2.0]),
        {"n_vertices": 3},
    ),
    "large and counted": (ValueError, "first 5,000,000,000 in row 0", ([0], [5 * 10**9], [1.0]), {"n_vertices": 9}),
    "too few": (
        ValueError,
        "target must hold vertices from 0 to 2; 2 rows with others, first 5 in row 1",
        ([0, 1, 1], [1, 5, 3], [1.0, 2.0, 3.0]),
        {"n_vertices": 3},
    ),
    "no vertices": (ValueError, "source must hold vertices", ([0], [1], [1.0]), {"n_vertices": 0}),
    "too many": (ValueError, "ids are 32-bit", ([0], [1], [1.0]), {"n_vertices": 2**31}),
    "no number": (ValueError, "n_vertices must be an integer", ([0], [1], [1.0]), {"n_vertices": 2.5}),
    "below zero": (ValueError, "n_vertices must be an integer of at least 0", ([0], [1], [1.0]), {"n_vertices": -1}),
    "names and number": (ValueError, "these have names", (["a"], ["b"], [1.0]), {"n_vertices": 2}),
    "number of a matrix": (TypeError, "n_vertices belongs to", (np.eye(3),), {"n_vertices": 3}),
    "weight of a matrix": (TypeError, "weight belongs to", (sp.eye_array(3).tocsr(),), {"weight": "km"}),
    "halves": (
        ValueError,
        "source must hold whole numbers or names of vertices; 1 row with others, first 0.5 in row 1",
        ([7.0, 0.5], [1, 2], [1.0, 2.0]),
        {},
    ),
    "infinite": (
        ValueError,
        "target must hold whole numbers or names of vertices; 1 row with others, first inf",
        ([7.0], [math.inf], [1.0]),
        {},
    ),
    "lists as names": (TypeError, "names of vertices must be hashable", ([["a"], "b"], ["a", "c"], [1, 2]), {}),
    "rounded": (
        ValueError,
        "target holds floats, which round ids of 9,007,199,254,740,992 and more: pass integers or strings; 1 row",
        ([7], [2.0**53], [1.0]),
        {},
    ),
    "rounded float32": (
        ValueError,
        "source holds floats, which round ids of 16,777,216 and more",
        (np.float32([2**24]), [1], [1.0]),
        {},
    ),
    "no common dtype": (
        ValueError,
        "source and target hold ids below 0 and ids of 2**63 or more: pass all of them as strings",
        (np.array([2**63], np.uint64), [-1], [1.0]),
        {},
    ),
    "dates": (TypeError, "it holds datetime64", (np.array(["2020"], "M8[D]"), np.array(["2021"], "M8[D]"), [1]), {}),
    "None": (ValueError, "source must hold a vertex in every row; 1 row", (["a", None], ["b", "c"], [1, 2]), {}),
    "unhashable": (TypeError, "names of vertices must be hashable", (np.array([{}]), ["a"], [1.0]), {}),
    "no column": (
        ValueError,
        "graph has no column 'weight', but source, target, km; weight= names",
        (pd.DataFrame({"source": [0], "target": [1], "km": [2.0]}),),
        {},
    ),
    "no ends": (
        ValueError,
        "graph has columns a, b; a data frame of edges has columns source, target or",
        (pd.DataFrame({"a": [0], "b": [1]}),),
        {},
    ),
    "two pairs": (
        ValueError,
        "could all be the ends",
        (pl.DataFrame({"u": [0], "v": [1], "from": [0], "to": [1], "weight": [1.0]}),),
        {},
    ),
    "gaps": (
        ValueError,
        "source must hold a vertex in every row; 1 row without one, first row 1",
        (pd.DataFrame({"source": [0, None], "target": [1, 2], "weight": [1, 2]}),),
        {},
    ),
    "missing names": (
        ValueError,
        "target must hold a vertex in every row; 1 row without one, first row 1",
        (pd.DataFrame({"source": ["a", "b"], "target": ["b", pd.NA], "weight": [1, 2]}),),
        {},
    ),
    "lazy": (TypeError, "LazyFrame, which is not computed yet: pass graph.collect()", (pl.LazyFrame({"a": [1]}),), {}),
    "array as name": (TypeError, "weight must name an attribute", (nx.path_graph(3),), {"weight": np.ones(2)}),
    "rows": (
        ValueError,
        "its shape is (2, 3); rows of edges are graph_msf(*zip(*rows))",
        ([(0, 1, 2.0), (1, 2, 3.0)],),
        {},
    ),
    "blocks": (
        ValueError,
        "zero would be an edge: pass csr = graph.tocsr(), after csr.eliminate_zeros() if no zero is an edge",
        (sp.bsr_array(np.eye(4)[::-1], blocksize=(2, 2)),),
        {},
    ),
    "blocks of a matrix": (ValueError, "graph is in BSR format", (sp.bsr_matrix(np.eye(4), blocksize=(2, 2)),), {}),
    "a tuple": (
        ValueError,
        "indptr must begin with 0; it begins with 1; three arrays of edges are graph_msf(source, target, weight)",
        (([1, 2, 0], [2, 0, 1], [1.0, 2.0, 3.0]),),
        {},
    ),
}


def test_zeros_of_diagonals_are_no_edges():
    """They fill diagonals: SciPy's `tocsr` drops them."""
    forest = graph_msf(sp.dia_array((np.array([[0.0, 0.0, 3.0], [0.0, 0.0, 5.0]]), [1, 2]), shape=(3, 3)), device="cpu")
    np.testing.assert_array_equal(forest.edges, [[0, 2], [1, 2]])
    np.testing.assert_array_equal(forest.weights, [5, 3])


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_list_of_edges(case):
    error, sentence, graph, options = REFUSED[case]
    with pytest.raises(error, match=re.escape(sentence)):
        graph_msf(*graph, device="cpu", **options)
