"""What the published algorithms share: edges with keys, and the rounds of those that rebuild the graph.

The key of an edge is one word of 64 bits: 32 bits that have the order of the weights, then the number of the edge. So
the lightest edge has the least key, and no two keys are equal. Weights of 64 bits are first replaced by the dense ranks
of their distinct values, which takes one sort. Edges are numbered in the order of the graph's entries, so keys follow
the total order on edges. The number of edges is limited because both directions of all edges are sorted, and places in
a sorted order are int32.

"contraction" and "primitives" rebuild the graph after every round: every vertex finds its lightest edge, `merge`
contracts these edges, and every tree of vertices becomes one supervertex. The two algorithms differ in how they make
the graph of the supervertices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from emst.backend.keys import ordered
from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array, ForestEdges, Report
from emst.boruvka import singletons
from emst.graph.arrays import run_numbers

MOST_EDGES = 2**30 - 1
NO_KEY = np.uint64(2**64 - 1)  # greater than the key of any edge
NUMBER = np.uint64(2**32 - 1)  # the bits of a key that are the edge's number
TILE = 1024  # keys of one segment that are first reduced to their minimum


class KeyedEdges(NamedTuple):
    """The k edges of a graph in the order of its entries."""

    entry: Array  # int64[k]: position in the graph
    source: Array  # int32[k]: smaller end
    target: Array  # int32[k]: larger end
    key: Array  # uint64[k]: ordered weight, then number


class Arcs(NamedTuple):
    """A graph with every edge in both directions and no loops, sorted by rows; every entry states its row."""

    n: int
    row: Array  # int32[2k], ascending
    column: Array  # int32[2k]
    key: Array  # uint64[2k], the same for both directions of an edge


class Level(NamedTuple):
    """One contraction of a graph."""

    number: Array  # int32[n]: every vertex's supervertex
    representative: Array  # int32[count]: one vertex of every supervertex


def edges_of(graph: Adjacency, ops: Backend, algorithm: str) -> KeyedEdges:
    """The edges of a graph: its entries above the diagonal.

    Raises
    ------
    ValueError
        If there are more than `MOST_EDGES`.
    """
    xp = ops.xp
    row = ops.entry_rows(graph.indptr, graph.m)
    entry = xp.flatnonzero(graph.indices > row)
    if len(entry) > MOST_EDGES:
        raise ValueError(
            f"algorithm={algorithm!r} takes at most {MOST_EDGES:,} edges, because it sorts both directions of them; "
            f"the graph has {len(entry):,}. algorithm='boruvka' has no such limit"
        )
    weight = ordered(graph.weights[entry])
    if graph.weights.dtype.itemsize == 8:
        weight = dense_ranks(weight, ops)
    key = (weight << np.uint64(32)) | xp.arange(len(entry), dtype=np.uint64)
    return KeyedEdges(entry, row[entry], graph.indices[entry], key)


def dense_ranks(values: Array, ops: Backend) -> Array:
    """How many distinct values are less than each: uint64[k], from uint64[k]."""
    order = ops.sort_order(values)
    ranks = ops.xp.empty_like(values)
    ranks[order] = run_numbers(values[order], ops.xp)
    return ranks


def arcs_of(n: int, source: Array, target: Array, key: Array, ops: Backend) -> Arcs:
    """Both directions of every edge; the edges of a row keep their order."""
    ends = ops.xp.stack([source, target], axis=1).ravel()  # positions 2 i and 2 i + 1 hold the ends of edge i
    order = ops.sort_order(ends.astype(np.uint64))
    return Arcs(n, ends[order], ends[order ^ np.int32(1)], key[order // np.int32(2)])


def contract_until_done(
    graph: Adjacency,
    ops: Backend,
    algorithm: str,
    rebuild: Callable[[Arcs, Array, Backend], tuple[Level, Arcs]],
    report: Report | None,
) -> ForestEdges:
    """Borůvka's rounds: contract the lightest edge of every vertex, then ``rebuild(arcs, root, ops)`` makes the graph
    of the supervertices, one for all vertices with the same root."""
    edges = edges_of(graph, ops, algorithm)
    arcs = arcs_of(graph.n, edges.source, edges.target, edges.key, ops)
    taken = ops.xp.zeros(len(edges.key), np.bool_)
    levels: list[Level] = []
    while len(arcs.key):
        level, arcs = rebuild(arcs, _lightest_contracted(arcs, taken, ops), ops)
        levels.append(level)
        if report is not None:
            report(len(levels), arcs.n)
    return chosen_edges(edges, taken, levels, arcs.n, ops.xp)


def _lightest_contracted(arcs: Arcs, taken: Array, ops: Backend) -> Array:
    """Contract the lightest edge of every vertex, mark these edges in `taken`, and return the roots, int32[n]."""
    lightest = segment_minima(arcs.key, arcs.row, arcs.n, ops.xp)
    chosen = ops.xp.flatnonzero(arcs.key == lightest[arcs.row])
    taken[(arcs.key[chosen] & NUMBER).astype(np.int64)] = True
    vertices, row = ops.xp.arange(arcs.n, dtype=np.int32), arcs.row[chosen]
    return merged(vertices.copy(), vertices, row, row, arcs.column[chosen], ops)


def merged(labels: Array, components: Array, component: Array, u: Array, v: Array, ops: Backend) -> Array:
    """Contract edge (u[i], v[i]) of component[i], in the step that points and graphs share.

    `labels`, int32[n], holds the root of every vertex's component and is overwritten; `components`, int32[count], holds
    the roots. Returns the root of every vertex's component afterwards, int32[n].
    """
    xp = ops.xp
    forest = singletons(len(labels), np.float32, ops)  # weights stay unset: the callers mark the edges themselves
    forest.labels, forest.components = labels, components
    forest.edge_u[component], forest.edge_v[component] = xp.minimum(u, v), xp.maximum(u, v)
    ops.merge(forest)
    return forest.labels


def segment_minima(key: Array, segment: Array, count: int, xp: Any) -> Array:
    """The least key of every segment, uint64[count]; `NO_KEY` for an empty segment. `segment` ascends."""
    least = xp.full(count, NO_KEY, np.uint64)
    tiles = key[: len(key) // TILE * TILE].reshape(-1, TILE)
    first = segment[: tiles.size : TILE]
    inner = xp.flatnonzero(first == segment[TILE - 1 :: TILE])  # tiles that lie within one segment
    if len(inner):  # long segments: all threads of a GPU would wait for the same minimum
        xp.minimum.at(least, first[inner], tiles.min(axis=1)[inner])
        left = xp.ones(len(key), np.bool_)
        left[: tiles.size].reshape(-1, TILE)[inner] = False
        key, segment = key[left], segment[left]
    xp.minimum.at(least, segment, key)
    return least


def numbered(root: Array, xp: Any) -> Level:
    """Supervertices, numbered in the order of their roots by a prefix sum."""
    is_root = root == xp.arange(len(root), dtype=np.int32)
    number = xp.cumsum(is_root, dtype=np.int32) - np.int32(1)
    return Level(number[root], xp.flatnonzero(is_root).astype(np.int32))


def chosen_edges(edges: KeyedEdges, taken: Array, levels: list[Level], n: int, xp: Any) -> ForestEdges:
    """The edges marked in `taken`, and the root of every vertex after all contractions, which left n vertices."""
    roots = xp.arange(n, dtype=np.int32)
    for level in reversed(levels):
        roots = level.representative[roots[level.number]]
    number = xp.flatnonzero(taken)
    return ForestEdges(edges.entry[number], edges.source[number], edges.target[number], roots)
