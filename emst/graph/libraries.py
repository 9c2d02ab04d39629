"""Graphs of networkx, igraph and rustworkx as lists of edges.

They are recognized by their methods, so that none of these libraries is imported. Vertices are numbered in the order of
the library's nodes, and edges are in the order of its edges. Where a graph is undirected, the order of the two ends of
an edge has no meaning, so two edges between the same nodes are parallel edges.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from emst.graph.edges import ALL_ONE, EdgeList, edges_of_arrays, edges_of_frame, places_of
from emst.graph.lists import no_weight, numbers
from emst.inputs.summary import counted

WEIGHT = "weight"  # the default of `graph_msf`
MATRICES = (
    "indptr",
    "nnz",
    "__array_interface__",
    "__cuda_array_interface__",
)  # attributes of what is no list of edges


def edge_list(graph: Any, target: Any = None, weight: Any = WEIGHT, n_vertices: int | None = None) -> EdgeList | None:
    """The edges of a graph that comes as a list of edges; None for matrices, which `check_graph` reads.

    Raises
    ------
    TypeError, ValueError
        Parameters that this kind of graph does not have; edges without weights, or with something else; what
        `edges_of_arrays` raises.
    """
    if target is not None:
        return edges_of_arrays(graph, target, weight, n_vertices)
    edges = None
    if not any(hasattr(graph, name) for name in MATRICES):
        edges = _of_library(graph, weight)
        if edges is None:
            edges = edges_of_frame(graph, weight, n_vertices)
            n_vertices = n_vertices if edges is None else None
    if edges is None and not (isinstance(weight, str) and weight == WEIGHT):
        raise TypeError("weight belongs to source and target, to a data frame or to a graph with named weights")
    if n_vertices is not None:
        raise TypeError("n_vertices belongs to arrays and data frames of edges; this graph has a number of its own")
    return edges


def _of_library(graph: Any, weight: Any) -> EdgeList | None:
    """The edges of a graph of one of the libraries; None for all else."""
    if hasattr(graph, "adjacency") and hasattr(graph, "nodes"):
        return _of_networkx(graph, weight)
    if hasattr(graph, "get_edgelist") and hasattr(graph, "vcount"):
        return _of_igraph(graph, weight)
    if hasattr(graph, "weighted_edge_list") and hasattr(graph, "node_indices"):
        return _of_rustworkx(graph, weight)
    for method in ("collect", "compute"):  # polars, dask
        if hasattr(graph, method):
            raise TypeError(f"graph is a {type(graph).__name__}, which is not computed yet: pass graph.{method}()")
    return None


def _of_networkx(graph: Any, weight: Any) -> EdgeList:
    """Edges of a networkx graph of any kind; the attribute `weight` is their weight."""
    if not isinstance(weight, Hashable):
        raise TypeError(f"weight must name an attribute of the edges; got {type(weight).__name__}")
    nodes = list(graph)
    u, v, *rest = _columns(graph.edges(data=False if weight is None else weight), 2 if weight is None else 3)
    weights = _weights(len(u), rest[0] if rest else None, weight, lambda i: (u[i], v[i]))
    return EdgeList(places_of(u, nodes), places_of(v, nodes), weights, len(nodes), nodes, graph.is_directed())


def _of_igraph(graph: Any, weight: Any) -> EdgeList:
    """Edges of an igraph Graph; the attribute `weight` is their weight, and the attribute "name" names vertices."""
    ends = graph.get_edgelist()
    source, target = np.array(ends, np.int32).reshape(-1, 2).T
    stored = None
    if weight is not None:
        stored = graph.es[weight] if weight in graph.es.attributes() else [None] * len(ends)
    weights = _weights(len(ends), stored, weight, lambda i: ends[i])
    nodes = graph.vs["name"] if "name" in graph.vs.attributes() else None
    return EdgeList(source, target, weights, graph.vcount(), nodes, graph.is_directed())


def _of_rustworkx(graph: Any, weight: Any) -> EdgeList:
    """Edges of a rustworkx PyGraph or PyDiGraph: `weight` is a function of an edge's object, as rustworkx has it, or
    the key of the weight in it; objects that are numbers are weights."""
    indices = list(graph.node_indices())
    u, v, objects = _columns(graph.weighted_edge_list(), 3)
    stored = None
    if callable(weight):
        stored = [weight(found) for found in objects]
    elif weight is not None:
        stored = [found.get(weight) if isinstance(found, Mapping) else found for found in objects]
    weights = _weights(len(u), stored, weight, lambda i: (u[i], v[i]))
    source, target = places_of(u, indices), places_of(v, indices)
    removed = indices != list(range(len(indices)))  # some nodes are, so that vertices have other numbers
    directed = hasattr(graph, "predecessors")
    return EdgeList(source, target, weights, len(indices), indices if removed else None, directed)


def _columns(edges: Iterable[tuple[Any, ...]], width: int) -> list[list[Any]]:
    """The columns of a table of tuples. No tuple is kept: many of them would set off Python's garbage collection, which
    takes much longer than the reading."""
    flat = list(itertools.chain.from_iterable(edges))
    return [flat[i::width] for i in range(width)]


def _weights(m: int, stored: Sequence[Any] | None, name: Any, ends: Callable[[int], Any]) -> np.ndarray:
    """Weights of m edges as an array, all 1 for None. The error for weights that are missing names the first edge."""
    if stored is None or m == 0:
        return np.ones(m, np.int32)
    array, wrong = numbers(stored)
    if wrong is None:
        return array
    missing = [i for i, value in enumerate(stored) if value is None]
    if missing:
        raise ValueError(
            f"{counted(len(missing), 'edge has', 'edges have')} no weight {name!r}, first {ends(missing[0])}; "
            f"weight= names the weights, {ALL_ONE}"
        )
    raise no_weight(f"edge {ends(wrong)}", stored[wrong])
