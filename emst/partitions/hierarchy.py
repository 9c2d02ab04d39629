"""From the tree over partitions to clusters: partitions contract subtrees, one worker makes the dendrogram and selects
clusters, and labels go back to the points.

Travels: the `Vertices` of each partition to the worker of the dendrogram, and the labels of its vertices back.

Invariant: contraction keeps all merges in which a cluster takes part, with their sizes and in their order. So clusters,
their numbers and their stabilities are those of one device, bit for bit.

A subtree is closed if all edges of the tree that leave it come later in the total order than those inside. On one
device it is a merge of the dendrogram. If it has fewer than `min_cluster_size` points, these points leave their cluster
together, so they travel as one vertex with a weight.

Edges that rounds have found leave the partition. Each gets a phantom at its end here, a vertex that stands for all that
lies beyond. The dendrogram of the partition then shows what is closed: merges without a phantom below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Condensed, Linkage, Selection
from emst.hierarchy import scores
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.selection import FlatClustering, Options, flat_clustering
from emst.inputs.devices import to_host
from emst.partitions.edges import (
    ascending,
    bits_of,
    columns_of,
    edges_between_components,
    keys_of_certain,
    places_here,
    renumbered,
    together,
    total_order,
)
from emst.partitions.engine import Sized
from emst.partitions.records import Local, OpenEdges, Units
from emst.spanning import heights


@dataclass(eq=False)
class Contracted(Sized):
    """A partition as a clustering sees it."""

    vertex: Array  # int32[n]: vertex of every point, from 0; those of points that are left out come last
    vertices: Vertices


@dataclass(eq=False)
class Vertices(Sized):
    """The vertices of a contracted partition, for the worker of the dendrogram."""

    weight: Array  # int32[vertices]: points of every vertex
    edges: OpenEdges  # the certain edges between vertices `a` and `b`; ends are ids
    u: Array  # int32: vertices of the ends here of the edges that rounds have found, -1 for other ends
    v: Array  # int32


@dataclass(eq=False)
class Hierarchy(Sized):
    """The dendrogram of the contracted points, on one worker."""

    linkage: Linkage
    bases: list[int]  # the first vertex of every partition
    sizes: Array  # int32[vertices]: points of every vertex


# ---- contraction, in every partition -------------------------------------------------------------------------------


def contracted(ops: Backend, local: Local, joined: OpenEdges, least: int) -> Contracted:
    """Contract the closed subtrees of fewer than `least` points. `joined` are the edges that rounds have found."""
    xp, partition = ops.xp, local.partition
    n, out = len(partition.rows), len(partition.left_out)
    here = [places_here(ops, local, ops.asarray(end)) for end in (joined.u, joined.v)]
    m = len(local.weights)
    keys = [ops.asarray(key)[out:] for key in keys_of_certain(ops, local)]
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
        edges = _with_stars(ops, edges, int(vertex[0]), count, local.place.start, partition.kept, out)
        vertex = xp.concatenate([vertex, xp.arange(count, count + out, dtype=np.int32)])
    of_ends = [xp.where(end < 0, np.int32(-1), vertex[xp.maximum(end, 0)]) for end in here]
    return Contracted(vertex, Vertices(weight, edges, *of_ends))


def _with_stars(ops: Backend, edges: OpenEdges, head: int, count: int, start: int, kept: int, out: int) -> OpenEdges:
    """The edges, and those of length 0 from the first point to all points that are left out."""
    xp, dtype = ops.xp, edges.weight.dtype
    ids = xp.arange(start + kept, start + kept + out, dtype=np.int64)
    stars = OpenEdges(
        xp.full(out, head, np.int32),
        xp.arange(count, count + out, dtype=np.int32),
        xp.full(out, start, np.int64),
        ids,
        xp.zeros(out, dtype),
        xp.zeros(out, dtype),
    )
    return together([stars, edges])


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
    """A tree of the points and phantoms. A phantom comes before all certain edges that weigh as much. So fewer subtrees
    count as closed than are, and none that is not.

    Returns
    -------
    edges : int32[n + q - 1, 2]
    weights : T[n + q - 1]
    is_certain : bool[m + q]
        Which of the first edges are certain ones, in their order.
    """
    xp, n, m, q = ops.xp, len(local.partition.rows), len(local.weights), len(phantoms)
    order = ops.sort_order(bits_of(leaving))
    phantoms, leaving = phantoms[order].astype(np.int32), leaving[order]
    places = xp.searchsorted(bits_of(weight), bits_of(leaving)) + xp.arange(q)
    is_certain = xp.ones(m + q, bool)
    is_certain[places] = False
    edges, weights = xp.empty((n + q - 1, 2), np.int32), xp.full(n + q - 1, np.inf, weight.dtype)
    upto = slice(0, m + q)
    ends = ascending(local.edges)
    edges[upto][is_certain], weights[upto][is_certain] = ends, weight
    edges[places] = xp.stack([phantoms, xp.arange(n, n + q, dtype=np.int32)], axis=1)
    weights[places] = leaving
    edges[m + q :] = edges_between_components(ops, local)
    return edges, weights, is_certain


def _parents(ops: Backend, child: Array, n: int) -> tuple[Array, Array]:
    """The merge above every merge, that of the last being itself, and the merge above every vertex."""
    xp, m = ops.xp, len(child)
    above = xp.empty(n + m, np.int32)  # by name plus n
    above[n + m - 1] = m - 1
    merges = xp.arange(m, dtype=np.int32)
    above[child[:, 0] + n] = merges
    above[child[:, 1] + n] = merges
    return above[n:], above[:n]


# ---- the dendrogram, on one worker ---------------------------------------------------------------------------------


def hierarchy(ops: Backend, local: Local, parts: list[Vertices], joined: OpenEdges, units: Units) -> Hierarchy:
    """The dendrogram of all points, from the contracted partitions. `local` is any partition."""
    xp = ops.xp
    counts = [len(part.weight) for part in parts]
    bases = np.cumsum([0, *counts]).tolist()
    a, b = (_vertices(ops, parts, bases, end) for end in ("u", "v"))
    groups = [renumbered(ops, part.edges, base) for part, base in zip(parts, bases)]
    groups.append(OpenEdges(a, b, *map(ops.asarray, columns_of(joined)[2:])))
    a, b, u, v, weight, power = columns_of(together(groups))
    del groups
    order = total_order(ops, weight, power, u, v)
    del u, v, power
    a, b = a[order], b[order]
    edges = xp.stack([xp.minimum(a, b), xp.maximum(a, b)], axis=1)
    places = xp.arange(len(order), dtype=np.int32)
    weights = ops.unscaled(local.partition.index, xp.ascontiguousarray(weight[order]), places)
    if units.metric.norm.degree not in (1, 2):  # as in `emst.spanning.spanning_tree`
        weights = ops.asarray(np.maximum.accumulate(to_host(weights)))
    weights = heights(weights, *units, ops)
    sizes = xp.concatenate([ops.asarray(part.weight) for part in parts])
    contracted = bool((sizes > 1).any())
    linkage = ops.linkage(edges, weights, sizes if contracted else None)
    return Hierarchy(linkage, bases, sizes)


def _vertices(ops: Backend, parts: list[Vertices], bases: list[int], end: str) -> Array:
    """Vertices of the ends of the edges that rounds have found; every end lies in one partition."""
    vertices = None
    for part, base in zip(parts, bases):
        inside = ops.asarray(getattr(part, end))
        inside = ops.xp.where(inside < 0, np.int32(-1), inside + np.int32(base))
        vertices = inside if vertices is None else ops.xp.maximum(vertices, inside)
    return vertices


def clusters(ops: Backend, hierarchy: Hierarchy, options: Options) -> FlatClustering:
    """Select clusters, and label the vertices."""
    condensed = condensed_tree(hierarchy.linkage, options.min_cluster_size, options.persistence, ops)
    return flat_clustering(condensed, options, ops)


def of_partition(ops: Backend, flat: FlatClustering, hierarchy: Hierarchy, j: int) -> tuple[Array, ...]:
    """Label, probability, cluster that is left, and height at which it is left, of the vertices of a partition."""
    vertices = _vertices_of(hierarchy, j)
    return flat.labels[vertices], flat.probabilities[vertices], *flat.condensed.leaving(vertices)


def leaving_of_partition(ops: Backend, flat: FlatClustering, hierarchy: Hierarchy, j: int) -> tuple[Array, Array]:
    """Cluster that is left, and height at which it is left, of the vertices of a partition."""
    return flat.condensed.leaving(_vertices_of(hierarchy, j))


def _vertices_of(hierarchy: Hierarchy, j: int) -> slice:
    return slice(hierarchy.bases[j], hierarchy.bases[j + 1])


def of_points(ops: Backend, values: tuple[Array, ...], which: int, contracted: Contracted) -> Array:
    """One of the values of every point of a partition, those that are left out last."""
    return ops.asarray(values[which])[contracted.vertex]


def tree_on_host(ops: Backend, flat: FlatClustering) -> tuple[Condensed, Selection]:
    """The condensed tree without its points, and the selection, on the host."""
    points = dict.fromkeys(("linkage", "cluster", "leaving_merge", "of_merge", "left"))
    tree: dict[str, Any] = {
        name: to_host(value) for name, value in vars(flat.condensed).items() if hasattr(value, "dtype")
    }
    return replace(flat.condensed, **(tree | points)), Selection(
        to_host(flat.selection.chosen), to_host(flat.selection.label)
    )


def on_backend(ops: Backend, condensed: Condensed, selection: Selection) -> tuple[Condensed, Selection]:
    """The result of `tree_on_host` in arrays of the backend."""
    tree = {name: ops.asarray(value) for name, value in vars(condensed).items() if hasattr(value, "dtype")}
    return replace(condensed, **tree), Selection(ops.asarray(selection.chosen), ops.asarray(selection.label))


def persistence(ops: Backend, flat: FlatClustering, hierarchy: Hierarchy) -> np.ndarray:
    """How persistent each cluster is, on the host."""
    return scores.persistence(flat, hierarchy.sizes)
