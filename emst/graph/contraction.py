"""Borůvka's algorithm on a graph that is written anew, in compressed rows, after every round.

A round, as in the paper:

1. every vertex finds its lightest edge in its own row;
2. of two vertices that found the same edge, which is mirrored then, one forgets it and is a root;
3. every vertex takes the colour of the vertex at the other end, and colours are propagated until nothing changes: each
   tree of found edges ends in the colour of its root;
4. a prefix sum over the roots numbers the supervertices;
5. the edges between different colours are counted, a prefix sum gives every row of the new graph its place, and they
   are inserted. Parallel edges stay.

In the paper, an atomic counter gives an edge its place in the new row, so the order of a row depends on timing; ties go
to the smaller vertex at the other end; and weights are unsigned, of 32 bits. Here, every old vertex is given a part of
the new row, in the order of the old ones: one sort of vertices instead of a counter. Ties are settled by the edges'
keys, and weights may be any: see `emst.graph.edges`.

References
----------
C. da Silva Sousa, A. Mariano, A. Proença, "A generic and highly efficient parallel variant of Borůvka's algorithm"
(PDP'15).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emst.backend import Array, Backend
from emst.boruvka import Report
from emst.graph.adjacency import Adjacency, Chosen
from emst.graph.arrays import counts_of
from emst.graph.edges import Arcs, Level, arcs_of, chosen_edges, edges_of, pointer_doubling, successors

PER_EDGE, PER_VERTEX = {4: 190, 8: 200}, 36  # bytes beside the graph, as in `emst.graph.boruvka`: arcs, old and new


def forest(graph: Adjacency, ops: Backend, *, report: Report | None = None) -> Chosen:
    """The minimum spanning forest.

    Parameters
    ----------
    graph : Adjacency
        Of fewer than 2^30 edges.
    ops : Backend
        Where the graph lies.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round. There are at most log2(n).
    """
    xp = ops.xp
    edges = edges_of(graph, ops, "contraction")
    arcs = arcs_of(graph.n, edges, ops)
    taken = xp.zeros(len(edges.key), np.bool_)
    levels: list[Level] = []
    while len(arcs.key):
        colour = pointer_doubling(successors(arcs, taken, xp))
        level = numbered(colour, xp)
        arcs = contracted(arcs, level, ops)
        levels.append(level)
        if report is not None:
            report(len(levels), arcs.n)
    return chosen_edges(edges, taken, levels, arcs.n, xp)


def numbered(colour: Array, xp: Any) -> Level:
    """Supervertices in the order of their roots, by a prefix sum."""
    is_root = colour == xp.arange(len(colour), dtype=np.int32)
    number = xp.cumsum(is_root, dtype=np.int32) - np.int32(1)
    return Level(number[colour], xp.flatnonzero(is_root).astype(np.int32))


def contracted(arcs: Arcs, level: Level, ops: Backend) -> Arcs:
    """The graph of supervertices: arcs within one are gone, the others keep the order of their old rows."""
    xp = ops.xp
    row, column = level.number[arcs.row], level.number[arcs.column]
    kept = xp.flatnonzero(row != column)
    old_row = arcs.row[kept]
    place = xp.arange(len(kept)) + moved(counts_of(old_row, arcs.n, xp), level.number, ops)[old_row]

    def inserted(values: Array) -> Array:
        new = xp.empty(len(kept), values.dtype)
        new[place] = values[kept]
        return new

    return Arcs(len(level.representative), inserted(row), inserted(column), inserted(arcs.key))


def moved(count: Array, number: Array, ops: Backend) -> Array:
    """By how many places the arcs of every vertex move, when those of a supervertex come to stand together."""
    xp = ops.xp
    order = ops.sort_order(number.astype(np.uint64))
    begin = xp.empty(len(count), np.int64)
    begin[order] = xp.cumsum(count[order], dtype=np.int64) - count[order]
    return begin - (xp.cumsum(count, dtype=np.int64) - count)
