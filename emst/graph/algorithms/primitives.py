"""Borůvka's algorithm, recursive, built from three primitives: segmented minimum, scan and split (a sort).

A round, as in the paper, with its primitives:

1. the lightest edge of every vertex: a *segmented minimum* over the edge list, whose segments are the vertices;
2. cycles, which are pairs of vertices that found the same edge, are removed;
3. every vertex finds its representative, the root of its tree;
4. vertices are *split* by representative, the beginnings of the parts are flagged, and a *scan* of the flags numbers
   the parts: these are the supervertices;
5. edges within one supervertex are removed;
6. the others are *split* by the pair of their new ends, so parallel edges become neighbours. Only the lightest of them
   is kept: again a *segmented minimum*, whose segments are the pairs;
7. the recursion on the graph of supervertices. It is the last step, so it is a loop here.

Steps 2 and 3 are `merge`, the step that points and graphs share. The paper uses pointer doubling for step 3; the result
is the same. For step 1 the paper packs weight and vertex into words of 32 bits (8 to 10 for the weight, 22 for the
vertex), and for step 6 both ends and the weight into 64 bits, so that the lightest edge comes first. Keys of 64 bits
lift the first limit: see `emst.graph.algorithms.edges`. In step 6 the pair takes the whole word, so a second segmented
minimum finds the lightest edge.

References
----------
V. Vineet, P. Harish, S. Patidar, P. J. Narayanan, "Fast minimum spanning tree for large graphs on the GPU" (HPG'09);
the same authors' "Fast minimum spanning tree computation" in "GPU Computing Gems, Jade Edition" (2011), chapter 7.
"""

from __future__ import annotations

import numpy as np

from emst.backend.keys import pair_codes
from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array, ForestEdges, Report
from emst.graph.algorithms.edges import Arcs, Level, contract_until_done, segment_minima
from emst.graph.arrays import run_numbers

# Bytes beside the graph, as in `emst.graph.algorithms.boruvka`: arcs and their sorts; a `Forest`.
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
    return contract_until_done(graph, ops, "primitives", split, report)


def split(arcs: Arcs, representative: Array, ops: Backend) -> tuple[Level, Arcs]:
    """Supervertices and the graph of them."""
    level = split_vertices(representative, ops)
    return level, split_edges(without_loops(arcs, level, ops), ops)


def split_vertices(representative: Array, ops: Backend) -> Level:
    """Supervertices in the order of their representatives."""
    xp = ops.xp
    order = ops.sort_order(representative.astype(np.uint64))
    run = run_numbers(representative[order], xp)
    number = xp.empty_like(representative)
    number[order] = run
    of_run = xp.empty(int(run[-1]) + 1, np.int32)
    of_run[run] = representative[order]  # all elements of a run write the same value
    return Level(number, of_run)


def without_loops(arcs: Arcs, level: Level, ops: Backend) -> Arcs:
    """The arcs between different supervertices, unsorted."""
    row, column = level.number[arcs.row], level.number[arcs.column]
    kept = ops.xp.flatnonzero(row != column)
    return Arcs(len(level.representative), row[kept], column[kept], arcs.key[kept])


def split_edges(arcs: Arcs, ops: Backend) -> Arcs:
    """The arcs sorted by rows and columns; of parallel arcs only the lightest."""
    if len(arcs.key) == 0:
        return arcs
    xp = ops.xp
    pair = pair_codes(arcs.row, arcs.column, arcs.n)
    order = ops.sort_order(pair)
    run, key = run_numbers(pair[order], xp), arcs.key[order]
    kept = order[key == segment_minima(key, run, int(run[-1]) + 1, xp)[run]]
    return Arcs(arcs.n, arcs.row[kept], arcs.column[kept], arcs.key[kept])
