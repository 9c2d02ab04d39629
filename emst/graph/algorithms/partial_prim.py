"""Partial Prim: many workers grow subtrees by Prim's rule at the same time, then every subtree becomes one vertex.

A worker takes the next of its vertices that is not claimed yet. It adds the lightest edge that leaves its subtree until
the subtree has `gamma` vertices or that edge leads to a vertex of another subtree. Then that edge, the stopping edge,
joins its subtree to another one. Subtrees are unified into supervertices, edges within them are dropped, and the others
form the graph of the next round, until no edge is left. gamma = 1 is Borůvka's algorithm; gamma = n with one worker is
Prim's.

The unification is `merge`, the step that points and graphs share: the components are the subtrees, and the edge of each
component is its stopping edge.

Why no race can close a cycle. A worker only takes the lightest edge that leaves the set of vertices it has claimed, and
it reads all edges of that set. Under a strict order such an edge belongs to the unique minimum spanning forest (the cut
property), whatever other workers do at the same time. So all edges ever taken are edges of this forest. Which worker
takes an edge, and in which round, may differ from run to run; the set of edges does not. For the same reason the only
cycles that stopping edges form among subtrees are pairs with the same stopping edge, the mutual pairs of `merge`.

Why a round at least halves the number of vertices that have edges left: every subtree with an outgoing edge has a
stopping edge or at least two vertices. (A worker gives up with two or more vertices if the next edge would take
thousands of steps to find: there can be millions of parallel edges between two large supervertices.)

Variants differ in how a vertex finds its lightest edge that leaves the subtree:

- "min" reads all edges of a vertex again whenever the edge that it found lies within the subtree;
- "sort" sorts every vertex's edges by weight, so a cursor reads them once;
- "hybrid" is "min" in the first round, which has the most edges to sort and the fewest per vertex, and "sort" from then
  on. It is "sort" at once if some vertex has more than `LONG_ROW` edges.

The published code has limits that do not apply here: weights are unsigned integers of 32 bits, and the greatest means
no edge; graphs are connected; weights are all different, otherwise it may close cycles; gamma is at least 2, since a
full subtree stops without joining another one. There, every step reads all vertices of the subtree; here they are in a
heap, and a large gamma costs gamma log gamma steps instead of gamma squared. Keys: see `emst.graph.algorithms.edges`.

References
----------
S. Nobari, T.-T. Cao, P. Karras, S. Bressan, "Scalable parallel minimum spanning forest computation" (PPoPP'12), called
PMA; the variants are those of the authors' published code, whose gamma is 100. R. C. Prim (1957).
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array, ForestEdges, Report
from emst.graph.algorithms.edges import (
    NUMBER,
    Arcs,
    Level,
    arcs_of,
    chosen_edges,
    edges_of,
    merged,
    numbered,
)
from emst.graph.arrays import counts_of

VARIANTS = ("min", "sort", "hybrid")
GAMMA = 32  # vertices of a full subtree; with as many workers as a GPU has, few subtrees get so large
LONG_ROW = 1000  # edges of a vertex
# Bytes beside the graph, as in `emst.graph.algorithms.boruvka`: arcs and their sorts, and heaps.
PER_EDGE, PER_VERTEX = {4: 180, 8: 190}, 150


class Left(NamedTuple):
    """The k edges that are left, between supervertices."""

    u: Array  # int32[k]
    v: Array  # int32[k]
    key: Array  # uint64[k]

    def at(self, where: Array) -> Left:
        """The edges at these indices."""
        return Left(self.u[where], self.v[where], self.key[where])


def forest(
    graph: Adjacency, ops: Backend, *, gamma: int = GAMMA, variant: str = "hybrid", report: Report | None = None
) -> ForestEdges:
    """The minimum spanning forest.

    Parameters
    ----------
    graph : Adjacency
        Of fewer than 2^30 edges.
    ops : Backend
        The backend that holds the graph.
    gamma : int
        Greatest number of vertices of a subtree that a worker grows in one round, 1 or more.
    variant : {"min", "sort", "hybrid"}
        How a vertex finds its lightest edge.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round. There are at most log2(n).

    Raises
    ------
    ValueError
        If `gamma` or `variant` is none of these.
    """
    if not isinstance(gamma, Integral) or isinstance(gamma, bool) or gamma < 1:
        raise ValueError(f"gamma must be an integer of at least 1; got {gamma!r}")
    if variant not in VARIANTS:
        raise ValueError(f"variant must be one of {', '.join(map(repr, VARIANTS))}; got {variant!r}")
    xp = ops.xp
    edges = edges_of(graph, ops, "partial-prim")
    left, n, ascending = Left(edges.source, edges.target, edges.key), graph.n, False
    taken = xp.zeros(len(edges.key), np.bool_)
    levels: list[Level] = []
    while len(left.key):
        if not ascending and _sorts(variant, len(levels), left, n, xp):
            left, ascending = left.at(ops.sort_order(left.key)), True
        arcs = arcs_of(n, left.u, left.v, left.key, ops)
        indptr = ops.row_starts(arcs.row, n)
        owner, via, hook = ops.grow_subtrees(indptr, arcs.column, arcs.key, int(gamma), ascending)
        arc = xp.maximum(via, hook)  # no vertex has both
        taken[(arcs.key[arc[arc >= 0]] & NUMBER).astype(np.int64)] = True
        level = _unified(arcs, owner, hook, ops)
        levels.append(level)
        n = len(level.representative)
        left = Left(level.number[left.u], level.number[left.v], left.key)
        left = left.at(xp.flatnonzero(left.u != left.v))
        if report is not None:
            report(len(levels), n)
    return chosen_edges(edges, taken, levels, n, xp)


def _sorts(variant: str, rounds: int, left: Left, n: int, xp: Any) -> bool:
    """Whether rows are to be sorted from now on."""
    if variant != "hybrid" or rounds > 0:
        return variant != "min"
    return int((counts_of(left.u, n, xp) + counts_of(left.v, n, xp)).max()) > LONG_ROW


def _unified(arcs: Arcs, owner: Array, hook: Array, ops: Backend) -> Level:
    """Join every subtree to the one that its stopping edge leads to."""
    xp = ops.xp
    roots = xp.flatnonzero(owner == xp.arange(len(owner), dtype=np.int32)).astype(np.int32)
    stopped = xp.flatnonzero(hook >= 0)  # roots of subtrees with a stopping edge
    arc = hook[stopped]
    return numbered(merged(owner, roots, stopped, arcs.row[arc], arcs.column[arc], ops), xp)
