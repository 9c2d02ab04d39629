"""Borůvka's algorithm on a graph that is rebuilt in compressed rows after every round.

A round, as in the paper:

1. every vertex finds its lightest edge in its own row;
2. of two vertices that found the same edge, one drops it and becomes a root;
3. every vertex takes the colour of its root;
4. a prefix sum over the roots numbers the supervertices;
5. the edges between different colours are counted, a prefix sum gives every row of the new graph its place, and the
   edges are inserted. Parallel edges are kept.

Steps 2 and 3 are `merge`, the step that points and graphs share. The paper propagates colours from vertex to vertex
until nothing changes; the result is the same. In the paper, an atomic counter gives an edge its place in the new row,
so the order of a row depends on timing. Ties go to the smaller vertex at the other end, and weights are unsigned
integers of 32 bits. Here, every old vertex gets a part of the new row, in the order of the old vertices: one sort of
vertices instead of a counter. Keys break ties, and weights may have any type: see `emst.graph.algorithms.edges`.

References
----------
C. da Silva Sousa, A. Mariano, A. Proença, "A generic and highly efficient parallel variant of Borůvka's algorithm"
(PDP'15).
"""

from __future__ import annotations

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array, ForestEdges, Report
from emst.graph.algorithms.edges import Arcs, Level, contract_until_done, numbered

# Bytes beside the graph, as in `emst.graph.algorithms.boruvka`: arcs of the old and the new graph; a `Forest`.
PER_EDGE, PER_VERTEX = {4: 230, 8: 240}, 110


def forest(graph: Adjacency, ops: Backend, *, report: Report | None = None) -> ForestEdges:
    """The minimum spanning forest.

    Parameters
    ----------
    graph : Adjacency
        Of fewer than 2^30 edges.
    ops : Backend
        The backend that holds the graph.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round. There are at most log2(n).
    """
    return contract_until_done(graph, ops, "contraction", contracted, report)


def contracted(arcs: Arcs, colour: Array, ops: Backend) -> tuple[Level, Arcs]:
    """Supervertices and the graph of them."""
    level = numbered(colour, ops.xp)
    return level, inserted(arcs, level, ops)


def inserted(arcs: Arcs, level: Level, ops: Backend) -> Arcs:
    """The graph of supervertices: arcs within one are dropped, the others keep the order of their old rows."""
    xp = ops.xp
    row, column = level.number[arcs.row], level.number[arcs.column]
    kept = xp.flatnonzero(row != column)
    old_row = arcs.row[kept]
    place = xp.arange(len(kept)) + moved(ops.row_starts(old_row, arcs.n), level.number, ops)[old_row]
    order = xp.empty_like(kept)
    order[place] = kept
    return Arcs(len(level.representative), row[order], column[order], arcs.key[order])


def moved(indptr: Array, number: Array, ops: Backend) -> Array:
    """By how many places the arcs of every vertex move when the arcs of a supervertex are brought together."""
    xp = ops.xp
    order = ops.sort_order(number.astype(np.uint64))
    count = (indptr[1:] - indptr[:-1])[order]
    begin = xp.empty(len(number), np.int64)
    begin[order] = xp.cumsum(count) - count
    return begin - indptr[:-1]
