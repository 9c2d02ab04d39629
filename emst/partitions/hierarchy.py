"""From the contracted partitions to clusters, on one worker, and back to the points.

Contraction keeps all merges in which a cluster takes part, with their sizes and in their order. So clusters, their
numbers and their stabilities are those of one device, bit for bit.
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
from emst.partitions.certain import Local
from emst.partitions.contract import Contracted
from emst.partitions.edges import OpenEdges, columns_of, total_order
from emst.partitions.packets import Sized
from emst.partitions.result import Units
from emst.spanning import heights


@dataclass(eq=False)
class Hierarchy(Sized):
    """The dendrogram of the contracted points, on one worker."""

    linkage: Linkage
    bases: list[int]  # the first vertex of every partition
    sizes: Array  # int32[vertices]: points of every vertex


@dataclass(eq=False)
class Part(Sized):
    """What one worker needs of a partition for the dendrogram."""

    edges: OpenEdges
    weight: Array
    u: Array
    v: Array


def part_of(ops: Backend, own: Contracted) -> Part:
    """A contracted partition without its points."""
    return Part(own.edges, own.weight, own.u, own.v)


def hierarchy(
    ops: Backend, local: Local, parts: list[Part], joined: OpenEdges, units: Units, degree: float
) -> Hierarchy:
    """The dendrogram of all points, from what is left of the partitions. `local` is any of them."""
    xp = ops.xp
    counts = [len(part.weight) for part in parts]
    bases = np.cumsum([0, *counts]).tolist()
    columns = []
    for part, base in zip(parts, bases):
        a, b, *rest = map(ops.asarray, columns_of(part.edges))
        columns.append((a + np.int32(base), b + np.int32(base), *rest))
    a, b = (_vertices(ops, parts, bases, end) for end in ("u", "v"))
    columns.append((a, b, *map(ops.asarray, columns_of(joined)[2:])))
    a, b, u, v, weight, power = (xp.concatenate(column) for column in zip(*columns))
    del columns
    order = total_order(ops, weight, power, u, v)
    del u, v, power
    a, b = a[order], b[order]
    edges = xp.stack([xp.minimum(a, b), xp.maximum(a, b)], axis=1)
    places = xp.arange(len(order), dtype=np.int32)
    weights = ops.unscaled(local.partition.bvh, xp.ascontiguousarray(weight[order]), places)
    if degree not in (1, 2):  # as in `emst.spanning.spanning_tree`
        weights = ops.asarray(np.maximum.accumulate(to_host(weights)))
    weights = heights(weights, *units, ops)
    sizes = xp.concatenate([ops.asarray(part.weight) for part in parts])
    contracted = bool((sizes > 1).any())
    linkage = ops.linkage(edges, weights, sizes if contracted else None)
    return Hierarchy(linkage, bases, sizes)


def _vertices(ops: Backend, parts: list[Part], bases: list[int], end: str) -> Array:
    """Vertices of the ends of the edges that rounds have found; every end lies in one partition."""
    found = None
    for part, base in zip(parts, bases):
        own = ops.asarray(getattr(part, end))
        mine = ops.xp.where(own < 0, np.int32(-1), own + np.int32(base))
        found = mine if found is None else ops.xp.maximum(found, mine)
    return found


def clusters(ops: Backend, hierarchy: Hierarchy, options: Options) -> FlatClustering:
    """Select clusters, and label the vertices."""
    condensed = condensed_tree(hierarchy.linkage, options.min_cluster_size, options.persistence, ops)
    return flat_clustering(condensed, options, ops)


def of_partition(ops: Backend, flat: FlatClustering, hierarchy: Hierarchy, j: int) -> tuple[Array, ...]:
    """Label, probability, cluster that is left, and height at which it is left, of the vertices of a partition."""
    mine = _vertices_of(hierarchy, j)
    return flat.labels[mine], flat.probabilities[mine], *flat.condensed.leaving(mine)


def leaving_of_partition(ops: Backend, flat: FlatClustering, hierarchy: Hierarchy, j: int) -> tuple[Array, Array]:
    """Cluster that is left, and height at which it is left, of the vertices of a partition."""
    return flat.condensed.leaving(_vertices_of(hierarchy, j))


def _vertices_of(hierarchy: Hierarchy, j: int) -> slice:
    return slice(hierarchy.bases[j], hierarchy.bases[j + 1])


def of_points(ops: Backend, values: tuple[Array, ...], which: int, own: Contracted) -> Array:
    """One of the values of every point of a partition, those that are left out last."""
    return ops.asarray(values[which])[own.vertex]


def rows_of(ops: Backend, local: Local) -> Array:
    """The rows of the points of a partition, those that are left out last."""
    partition = local.partition
    return ops.xp.concatenate([partition.rows, partition.left_out])


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
    """What `tree_on_host` returned in arrays of the backend."""
    tree = {name: ops.asarray(value) for name, value in vars(condensed).items() if hasattr(value, "dtype")}
    return replace(condensed, **tree), Selection(ops.asarray(selection.chosen), ops.asarray(selection.label))


def persistence(ops: Backend, flat: FlatClustering, hierarchy: Hierarchy) -> np.ndarray:
    """How persistent each cluster is, on the host."""
    return scores.persistence(flat, hierarchy.sizes)
