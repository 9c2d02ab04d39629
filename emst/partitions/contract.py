"""What a clustering needs of a partition: its certain edges, without the subtrees that are smaller than any cluster.

A subtree is closed if all edges of the tree that leave it come later in the total order than those inside. On one
device it is a merge of the dendrogram. If it has fewer than `min_cluster_size` points, these points leave their cluster
together, so they travel as one vertex with a weight.

Edges that rounds have found leave the partition. Each gets a phantom at its end here, a vertex that stands for all that
lies beyond. The dendrogram of the partition then shows what is closed: merges without a phantom below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.partitions.certain import Local
from emst.partitions.components import Place
from emst.partitions.edges import OpenEdges, bits_of
from emst.partitions.packets import Sized
from emst.partitions.result import keys_of_certain


@dataclass(eq=False)
class Contracted(Sized):
    """A partition as a clustering sees it."""

    vertex: Array  # int32[n]: vertex of every point, from 0; those of points that are left out come last
    weight: Array  # int32[vertices]: points of every vertex
    edges: OpenEdges  # the certain edges between vertices `a` and `b`; ends are ids
    u: Array  # int32: vertices of the ends here of the edges that rounds have found, -1 for other ends
    v: Array  # int32


def contracted(ops: Backend, local: Local, place: Place, joined: OpenEdges, least: int) -> Contracted:
    """Contract the closed subtrees of fewer than `least` points. `joined` are the edges that rounds have found."""
    xp, partition = ops.xp, local.partition
    n, out = len(partition.rows), len(partition.left_out)
    here = [_places_here(ops, partition, place, ops.asarray(end)) for end in (joined.u, joined.v)]
    m = len(local.weights)
    keys = [ops.asarray(key)[out:] for key in keys_of_certain(ops, local, place)]
    if least > 2 and m:
        vertex, kept = _grouped(ops, local, joined, here, keys[0], least)
    else:
        vertex, kept = xp.arange(n, dtype=np.int32), xp.ones(m, bool)
    count = int(vertex.max()) + 1
    weight = xp.concatenate([np.bincount(vertex, minlength=count).astype(np.int32), xp.ones(out, np.int32)])
    weight_key, power, u, v = (key[kept] for key in keys)
    ends = local.edges[kept]
    edges = OpenEdges(vertex[ends[:, 0]], vertex[ends[:, 1]], u, v, weight_key, power)
    if out:
        edges = _with_stars(ops, edges, int(vertex[0]), count, place.start, partition.kept, out)
        vertex = xp.concatenate([vertex, xp.arange(count, count + out, dtype=np.int32)])
    of_ends = [xp.where(end < 0, np.int32(-1), vertex[xp.maximum(end, 0)]) for end in here]
    return Contracted(vertex, weight, edges, *of_ends)


def _places_here(ops: Backend, partition: Any, place: Place, ids: Array) -> Array:
    """Places of the ids that lie in this partition, -1 for the others."""
    here = (ids >= place.start) & (ids < place.start + partition.size)
    return ops.xp.where(here, partition.places(place.start, ids), np.int64(-1))


def _with_stars(ops: Backend, edges: OpenEdges, head: int, count: int, start: int, kept: int, out: int) -> OpenEdges:
    """The edges, and those of length 0 from the first point to all points that are left out."""
    xp, dtype = ops.xp, edges.weight.dtype
    ids = xp.arange(start + kept, start + kept + out, dtype=np.int64)
    stars = (
        xp.full(out, head, np.int32),
        xp.arange(count, count + out, dtype=np.int32),
        xp.full(out, start, np.int64),
        ids,
        xp.zeros(out, dtype),
        xp.zeros(out, dtype),
    )
    columns = (edges.a, edges.b, edges.u, edges.v, edges.weight, edges.power)
    return OpenEdges(*(xp.concatenate(pair) for pair in zip(stars, columns)))


def _grouped(
    ops: Backend, local: Local, joined: OpenEdges, here: list[Array], weight: Array, least: int
) -> tuple[Array, Array]:
    """The vertex of every point, and which certain edges lie between different vertices."""
    xp, n, m = ops.xp, len(local.partition.rows), len(local.weights)
    phantoms = xp.concatenate([end[end >= 0] for end in here])
    leaving = [ops.asarray(joined.weight)[end >= 0] for end in here]
    if len(local.partition.left_out):  # the points that are left out lie beyond the first one
        phantoms, leaving = xp.concatenate([phantoms, xp.zeros(1, phantoms.dtype)]), [*leaving, weight[:1] * 0]
    edges, heights, is_certain = _with_phantoms(ops, local, weight, phantoms, xp.concatenate(leaving))
    linkage = ops.linkage(edges, heights)
    q = len(phantoms)
    small = linkage.size < least
    small[m + q :] = False  # these only hold components together
    parent, above = _parents(ops, linkage.child, n + q)
    above_phantoms = above[n:]
    while len(above_phantoms):
        above_phantoms = xp.unique(above_phantoms[small[above_phantoms]])
        small[above_phantoms] = False
        above_phantoms = parent[above_phantoms]
    top = xp.where(small[parent] & small, parent, xp.arange(len(parent), dtype=np.int32))
    while bool((top[top] != top).any()):
        top = top[top]
    inside = small[above[:n]]
    name = xp.where(inside, top[above[:n]], len(parent) + xp.arange(n, dtype=np.int32))
    used = xp.zeros(len(parent) + n, bool)
    used[name] = True
    number = (xp.cumsum(used) - 1).astype(np.int32)
    return number[name], ~small[: m + q][is_certain]


def _with_phantoms(
    ops: Backend, local: Local, weight: Array, phantoms: Array, leaving: Array
) -> tuple[Array, Array, Array]:
    """A tree of the points and phantoms. A phantom comes before all certain edges that weigh as much: then less is
    closed, and nothing wrongly.

    Returns
    -------
    edges : int32[n + q - 1, 2]
    heights : T[n + q - 1]
    is_certain : bool[m + q]
        Which of the first edges are certain ones, in their order.
    """
    xp, n, m, q = ops.xp, len(local.partition.rows), len(local.weights), len(phantoms)
    order = ops.sort_order(bits_of(leaving))
    phantoms, leaving = phantoms[order].astype(np.int32), leaving[order]
    places = xp.searchsorted(bits_of(weight), bits_of(leaving)) + xp.arange(q)
    is_certain = xp.ones(m + q, bool)
    is_certain[places] = False
    edges, heights = xp.empty((n + q - 1, 2), np.int32), xp.full(n + q - 1, np.inf, weight.dtype)
    upto = slice(0, m + q)
    own = xp.stack([local.edges.min(axis=1), local.edges.max(axis=1)], axis=1)
    edges[upto][is_certain], heights[upto][is_certain] = own, weight
    edges[places] = xp.stack([phantoms, xp.arange(n, n + q, dtype=np.int32)], axis=1)
    heights[places] = leaving
    first = xp.full(local.count, n, np.int32)
    first[local.component[::-1]] = xp.arange(n - 1, -1, -1, dtype=np.int32)  # some point of every component
    edges[m + q :] = xp.stack([xp.minimum(first[:-1], first[1:]), xp.maximum(first[:-1], first[1:])], axis=1)
    return edges, heights, is_certain


def _parents(ops: Backend, child: Array, n: int) -> tuple[Array, Array]:
    """The merge above every merge, that of the last being itself, and the merge above every vertex."""
    xp, m = ops.xp, len(child)
    above = xp.empty(n + m, np.int32)  # by name plus n
    above[n + m - 1] = m - 1
    merges = xp.arange(m, dtype=np.int32)
    above[child[:, 0] + n] = merges
    above[child[:, 1] + n] = merges
    return above[n:], above[:n]
