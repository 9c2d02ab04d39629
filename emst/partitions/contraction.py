"""A partition as a clustering sees it: closed subtrees are contracted, so that few vertices are left.

Travels: the `Vertices` of each partition to the worker of the dendrogram (`hierarchy.py`).

Invariant: contraction keeps all merges in which a cluster takes part, with their sizes and in their order. So clusters,
their numbers and their stabilities are those of one device, bit for bit.

A subtree is closed if all edges of the tree that leave it come later in the total order than those inside. On one
device it is a merge of the dendrogram. If it has fewer than `min_cluster_size` points, these points leave their cluster
together, so they travel as one vertex with a weight.

Edges that rounds have found leave the partition. Each gets a phantom at its end here, a vertex that stands for all that
lies beyond. The dendrogram of the partition then shows what is closed: merges without a phantom below.

Where points have weights, sizes are sums of them, in units, and some points have second vertices (`emst/weighted.py`).
The edges to these are edges of the partition, and are contracted with the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.partition_records import OpenEdges
from emst.backend.records import Array
from emst.partitions.edges import (
    Keys,
    ascending,
    bits_of,
    certain_keys,
    edges_between_components,
    own_edges,
    places_here,
    stars_of,
    together,
    total_order,
)
from emst.partitions.engine import Sized
from emst.partitions.records import Local


@dataclass(eq=False)
class Contracted(Sized):
    """A partition as a clustering sees it."""

    vertex: Array  # int32[n + s]: vertex of every point, from 0. Last come those of points that are left out or,
    # with weights, of the second vertices
    size: int  # points, those that are left out included
    vertices: Vertices


@dataclass(eq=False)
class Vertices(Sized):
    """The vertices of a contracted partition, for the worker of the dendrogram."""

    weight: Array  # int32[vertices]: points of every vertex; or int64, their units
    edges: OpenEdges  # the certain edges between vertices `a` and `b`; ends are ids
    u: Array  # int32: vertices of the ends here of the edges that rounds have found, -1 for other ends
    v: Array  # int32


class Tree(NamedTuple):
    """The edges that a partition has for certain, in the total order. The first n vertices are its points, those after
    them second vertices of points."""

    ends: Array  # int32[m, 2]: vertices
    keys: Keys
    units: Array | None  # int64[n + s]: weights of the vertices; None without weights


def contracted(ops: Backend, local: Local, joined: OpenEdges, least: int, per: int) -> Contracted:
    """Contract the closed subtrees of fewer than `least` points. With weights, `least` is a number of units, and `per`
    units are the weight 1. `joined` holds the edges that rounds have found."""
    xp, partition = ops.xp, local.partition
    out = len(partition.left_out)
    here = [places_here(ops, local, ops.asarray(end)) for end in (joined.u, joined.v)]
    tree = Tree(local.edges, certain_keys(ops, local), None)
    if partition.units is not None:
        tree = _with_copies(ops, local, tree, joined, here, least, per)
    n, m = len(partition.rows) if tree.units is None else len(tree.units), len(tree.ends)
    if least > 2 and m:
        vertex, kept = _grouped(ops, local, tree, joined, here, least)
    else:
        vertex, kept = xp.arange(n, dtype=np.int32), xp.ones(m, bool)
    count = int(vertex.max()) + 1
    # Sums of units are less than 2^52: floats hold them.
    weight = np.bincount(vertex, tree.units, minlength=count).astype(np.int32 if tree.units is None else np.int64)
    weight = xp.concatenate([weight, xp.ones(out, weight.dtype)])
    weight_key, power, u, v = (key[kept] for key in tree.keys)
    ends = tree.ends[kept]
    edges = OpenEdges.of(vertex[ends[:, 0]], vertex[ends[:, 1]], u, v, weight_key, power)
    if out:
        others = xp.arange(count, count + out, dtype=np.int32)
        edges = together(ops, [stars_of(ops, local, vertex[0], others), edges])
        vertex = xp.concatenate([vertex, others])
    of_ends = [xp.where(end < 0, np.int32(-1), vertex[xp.maximum(end, 0)]) for end in here]
    return Contracted(vertex, partition.size, Vertices(weight, edges, *of_ends))


def _with_copies(
    ops: Backend, local: Local, tree: Tree, joined: OpenEdges, here: list[Array], least: int, per: int
) -> Tree:
    """The tree with second vertices for those points of weight 2 or more that are `least` units, or have other points
    at their place.

    The edge to a second vertex has the weight of its point's core distance, and the distance 0. Both of its ids are
    that of the first point of the run of equal points. So it comes before the edges of that run, and at equal keys
    they come as the points do on the curve: as `emst.weighted` has it."""
    xp, partition = ops.xp, local.partition
    assert partition.units is not None
    shared = xp.zeros(len(partition.rows), bool)
    shared[tree.ends[bits_of(tree.keys.power) == 0]] = True
    touching = bits_of(ops.asarray(joined.power)) == 0
    for end in here:
        shared[end[touching & (end >= 0)]] = True
    own = own_edges(ops, local, per)
    chosen = (partition.units[own.places] >= least) | shared[own.places]
    rows, n, s = own.places[chosen], len(partition.rows), int(chosen.sum())
    keys = Keys(*(xp.concatenate([key[chosen], other]) for key, other in zip(own.keys, tree.keys)))
    second = xp.stack([rows, xp.arange(n, n + s, dtype=np.int32)], axis=1)
    order = total_order(ops, *keys)
    units = xp.concatenate([partition.units, xp.ones(s, np.int64)])
    units[rows] -= 1
    return Tree(xp.concatenate([second, tree.ends])[order], Keys(*(key[order] for key in keys)), units)


def _grouped(
    ops: Backend, local: Local, tree: Tree, joined: OpenEdges, here: list[Array], least: int
) -> tuple[Array, Array]:
    """The vertex of every point and second vertex, and which edges lie between different vertices."""
    xp, m, weight = ops.xp, len(tree.ends), tree.keys.weight
    n = len(local.partition.rows) if tree.units is None else len(tree.units)
    phantoms = xp.concatenate([end[end >= 0] for end in here])
    leaving = [ops.asarray(joined.weight)[end >= 0] for end in here]
    if len(local.partition.left_out):  # the points that are left out lie beyond the first one
        phantoms, leaving = xp.concatenate([phantoms, xp.zeros(1, phantoms.dtype)]), [*leaving, weight[:1] * 0]
    edges, heights, is_certain = _with_phantoms(ops, local, tree, n, phantoms, xp.concatenate(leaving))
    q = len(phantoms)
    sizes = None if tree.units is None else xp.concatenate([tree.units, xp.ones(q, np.int64)])
    # Merges after the first m + q only hold components together.
    vertex, closed = ops.closed_groups(ops.linkage(edges, heights, sizes), n, m + q, least)
    return vertex, ~closed[is_certain]


def _with_phantoms(
    ops: Backend, local: Local, tree: Tree, n: int, phantoms: Array, leaving: Array
) -> tuple[Array, Array, Array]:
    """A tree of the n vertices and phantoms. A phantom comes before all certain edges that weigh as much. So fewer
    subtrees count as closed than are, and none that is not.

    Returns
    -------
    edges : int32[n + q - 1, 2]
    weights : T[n + q - 1]
    is_certain : bool[m + q]
        Which of the first edges are certain ones, in their order.
    """
    xp, weight, m, q = ops.xp, tree.keys.weight, len(tree.ends), len(phantoms)
    order = ops.sort_order(bits_of(leaving))
    phantoms, leaving = phantoms[order].astype(np.int32), leaving[order]
    places = xp.searchsorted(bits_of(weight), bits_of(leaving)) + xp.arange(q)
    is_certain = xp.ones(m + q, bool)
    is_certain[places] = False
    edges, weights = xp.empty((n + q - 1, 2), np.int32), xp.full(n + q - 1, np.inf, weight.dtype)
    upto = slice(0, m + q)
    ends = ascending(tree.ends)
    edges[upto][is_certain], weights[upto][is_certain] = ends, weight
    edges[places] = xp.stack([phantoms, xp.arange(n, n + q, dtype=np.int32)], axis=1)
    weights[places] = leaving
    edges[m + q :] = edges_between_components(ops, local)
    return edges, weights, is_certain
