"""Partial Prim: many workers grow subtrees by Prim's rule at once, then every subtree becomes one vertex.

A worker takes the next of its vertices that nobody has claimed and adds the lightest edge that leaves its subtree,
again and again, until the subtree has `gamma` vertices or that edge leads to a vertex of another worker's. Either way
the edge it stops at joins its subtree to another one. Subtrees are unified into supervertices, edges within them go,
and the rest is the graph of the next round, until no edge is left. gamma = 1 is Borůvka's algorithm; gamma = n with one
worker, Prim's.

Why no race can close a cycle. A worker only takes the lightest edge that leaves a set of vertices: those it has
claimed, of which it knows all edges and for which nobody else can answer. Under a strict order such an edge belongs to
the one minimum spanning forest (the cut property), whatever the others do in the meantime. So all edges ever taken are
edges of one forest. It is different from run to run which worker takes them, and in which round; which edges are taken
is not. For the same reason the only cycles that stopping edges make among subtrees are pairs that stopped at the same
edge, which `without_pairs` undoes. And since every subtree with an edge that leaves it takes one when it stops, or has
two vertices at least, a round at least halves the number of those that are left. (The latter is enough where the next
edge would take thousands of steps to find: between two large supervertices lie millions of parallel edges.)

Variants, on how a vertex knows its lightest edge out of the subtree:

- "min" looks through all its edges, each time the one it knew has become an edge within the subtree;
- "sort" keeps every vertex's edges sorted by weight, so a cursor moves over them once;
- "hybrid" looks through them in the first round, when there are most edges to sort and least to each vertex, and sorts
  what is left; at once if some vertex has more than `LONG_ROW` edges.

Limits of the published code that are lifted: unsigned weights of 32 bits, the greatest of which is no edge; connected
graphs; weights that are all different, without which it may close cycles; gamma of 2 or more, since it stops without
joining its subtree to another when that is full. There, every step goes through all vertices of the subtree; here they
stand in a heap, and a large gamma costs gamma log gamma instead of its square. On keys see `emst.graph.algorithms.edges`.

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
from emst.graph.arrays import counts_of, starts

VARIANTS = ("min", "sort", "hybrid")
GAMMA = 32  # the more workers the smaller their subtrees: with as many as a GPU takes, few get that large
LONG_ROW = 1000
PER_EDGE, PER_VERTEX = (
    {4: 180, 8: 190},
    150,
)  # bytes beside the graph, as in `emst.graph.algorithms.boruvka`: arcs, sorts, heaps


class Left(NamedTuple):
    """The k edges that are left, between supervertices."""

    u: Array  # int32[k]
    v: Array  # int32[k]
    key: Array  # uint64[k]

    def at(self, where: Array) -> Left:
        """Some of them."""
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
        Where the graph lies.
    gamma : int
        Greatest number of vertices of a subtree that a worker grows in one round, 1 or more.
    variant : {"min", "sort", "hybrid"}
        How a vertex knows its lightest edge.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round. There are at most log2(n).

    Raises
    ------
    ValueError
        A `gamma` or a `variant` that is none of these.
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
        indptr = starts(arcs.row, n, xp)
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
    """Every subtree joined to the one that its stopping edge leads to."""
    stopped = ops.xp.flatnonzero(hook >= 0)  # start vertices: the roots of their subtrees
    arc = hook[stopped]
    return numbered(merged(owner, stopped, arcs.row[arc], arcs.column[arc], ops), ops.xp)
