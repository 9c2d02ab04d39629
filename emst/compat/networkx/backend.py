"""Conversions and functions of the backend, under the names, and with the signatures, that NetworkX calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from emst.compat.networkx.graph import BackendGraph
from emst.compat.networkx.order import as_array, order_of, which_are_nan
from emst.graph.input import MOST_VERTICES
from emst.graph.msf import graph_msf

ALGORITHMS = ("kruskal", "prim", "boruvka", "borůvka")
WORTH_IT = 1000  # edges from which on conversion and forest take less time than NetworkX's loop, on two cores


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether this backend can do it, or the reason why not."""
    n = len(_graph_of(args, kwargs))
    return n <= MOST_VERTICES or f"the graph has {n:,} nodes, and emst takes at most {MOST_VERTICES:,}"


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether this backend is faster than NetworkX, or the reason why not. Parallel edges are not counted."""
    edges = sum(map(len, _graph_of(args, kwargs)._adj.values())) // 2
    return edges >= WORTH_IT or f"the graph has fewer than {WORTH_IT:,} edges"


def _graph_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[0] if args else kwargs["G"]


def convert_from_nx(graph: Any, **_: Any) -> BackendGraph:
    """A graph for this backend. It reads all attributes, so it does not matter which ones a function needs."""
    return BackendGraph(graph)


def convert_to_nx(result: Any, **_: Any) -> Any:
    """Results are NetworkX's own already."""
    return result.original if isinstance(result, BackendGraph) else result


def minimum_spanning_edges(
    G: BackendGraph,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
    *,
    device: str = "auto",
) -> Iterator[tuple[Any, ...]]:
    """Edges of a minimum spanning forest, lightest first."""
    _check(G, algorithm)
    return _edges(G, weight, True, keys, data, ignore_nan, device)


def maximum_spanning_edges(
    G: BackendGraph,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
    *,
    device: str = "auto",
) -> Iterator[tuple[Any, ...]]:
    """Edges of a maximum spanning forest, heaviest first."""
    _check(G, algorithm)
    return _edges(G, weight, False, keys, data, ignore_nan, device)


def minimum_spanning_tree(
    G: BackendGraph,
    weight: Any = "weight",
    algorithm: str = "kruskal",
    ignore_nan: bool = False,
    *,
    device: str = "auto",
) -> Any:
    """A minimum spanning forest as a graph of the class of `G`, with all attributes."""
    return _graph(G, minimum_spanning_edges(G, algorithm, weight, ignore_nan=ignore_nan, device=device))


def maximum_spanning_tree(
    G: BackendGraph,
    weight: Any = "weight",
    algorithm: str = "kruskal",
    ignore_nan: bool = False,
    *,
    device: str = "auto",
) -> Any:
    """A maximum spanning forest as a graph of the class of `G`, with all attributes."""
    return _graph(G, maximum_spanning_edges(G, algorithm, weight, ignore_nan=ignore_nan, device=device))


def _check(G: BackendGraph, algorithm: str) -> None:
    """Raise what NetworkX raises, in its words."""
    if G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"{algorithm} is not a valid choice for an algorithm.")
    if algorithm.startswith("bor") and G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def _edges(
    G: BackendGraph, weight: Any, minimum: bool, keys: bool, data: bool, ignore_nan: bool, device: str
) -> Iterator[tuple[Any, ...]]:
    """The edges of the forest as tuples. Nothing is computed before the first is asked for, as in NetworkX."""
    edges = G.edges
    weights = as_array([attributes.get(weight, 1) for attributes in edges.data])
    nan = which_are_nan(weights)
    if nan.any() and not ignore_nan:
        [edge] = _tuples(G, nan.nonzero()[0][:1], True, True)
        raise ValueError(f"NaN found as an edge weight. Edge {edge}")
    kept = np.flatnonzero(~nan)
    order = kept[order_of(weights[kept], minimum)]
    ranks = np.arange(len(order))  # no two are equal, so that the only minimum forest is that of Kruskal's algorithm
    forest = graph_msf(edges.source[order], edges.target[order], ranks, n_vertices=len(G.nodes), device=device)
    yield from _tuples(G, order[forest.edge_id], keys, data)


def _tuples(G: BackendGraph, chosen: np.ndarray, keys: bool, data: bool) -> Iterator[tuple[Any, ...]]:
    """Edges as NetworkX gives them: ends, the key in a multigraph, attributes."""
    edges, positions = G.edges, chosen.tolist()
    columns = [map(G.nodes.__getitem__, side[chosen].tolist()) for side in (edges.source, edges.target)]
    if keys and edges.keys is not None:
        columns.append(map(edges.keys.__getitem__, positions))
    if data:
        columns.append(map(edges.data.__getitem__, positions))
    return zip(*columns)


def _graph(G: BackendGraph, edges: Iterator[tuple[Any, ...]]) -> Any:
    original = G.original
    forest = original.__class__()
    forest.graph.update(original.graph)
    forest.add_nodes_from(original.nodes.items())
    forest.add_edges_from(edges)
    return forest
