"""From contracted partitions to clusters: one worker makes the dendrogram and selects clusters, and labels go back to
the points.

Travels: the `Vertices` of each partition (`contraction.py`) to the worker of the dendrogram, and the labels of its
vertices back.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.partition_records import OpenEdges
from emst.backend.records import Array, Condensed, Linkage, Selection
from emst.hierarchy import scores
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.selection import FlatClustering, Options, flat_clustering
from emst.inputs.devices import to_host
from emst.inputs.points import MAX_POINTS
from emst.partitions.contraction import Contracted, Vertices
from emst.partitions.edges import ascending, renumbered, together
from emst.partitions.engine import Sized
from emst.partitions.records import Local, Units
from emst.spanning import heights

# What a condensed tree says of points and merges.
OF_POINTS = ("linkage", "cluster", "leaving_merge", "of_merge", "left")


@dataclass(eq=False)
class Hierarchy(Sized):
    """The dendrogram of the contracted points, on one worker."""

    linkage: Linkage
    bases: list[int]  # the first vertex of every partition
    per: int  # units that a point of weight 1 is


def hierarchy(
    ops: Backend, local: Local, parts: list[Vertices], joined: OpenEdges, units: Units, per: int | None
) -> Hierarchy:
    """The dendrogram of all points, from the contracted partitions. `local` is any partition; `per` units are the
    weight 1, None without weights."""
    xp = ops.xp
    counts = [len(part.weight) for part in parts]
    bases = np.cumsum([0, *counts]).tolist()
    if bases[-1] > MAX_POINTS:
        raise ValueError(
            f"{bases[-1]:,} groups of fewer points than a cluster has are left, and at most {MAX_POINTS:,} are "
            "possible; raise min_cluster_size"
        )
    a, b = (_vertices(ops, parts, bases, end) for end in ("u", "v"))
    groups = [renumbered(ops, part.edges, base) for part, base in zip(parts, bases)]
    groups.append(OpenEdges.of(a, b, *(ops.asarray(column) for column in joined.columns()[2:])))
    joint = together(ops, groups)
    del groups
    joint = ops.edges_at(joint, ops.edge_order(joint))
    edges = ascending(xp.stack([joint.a, joint.b], axis=1))
    weights = ops.unscaled(local.partition.index, xp.ascontiguousarray(joint.weight), None)
    del joint
    if units.metric.norm.degree not in (1, 2):  # as in `emst.spanning.spanning_tree`
        weights = ops.asarray(np.maximum.accumulate(to_host(weights)))
    weights = heights(weights, *units, ops)
    sizes = xp.concatenate([ops.asarray(part.weight) for part in parts])
    contracted = per is not None or bool((sizes > 1).any())
    if contracted and int(sizes.sum(dtype=np.int64)) > MAX_POINTS:
        sizes = ops.asarray(sizes, np.int64)
    linkage = ops.linkage(edges, weights, sizes if contracted else None)
    return Hierarchy(linkage, bases, per or 1)


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
    per, most = hierarchy.per, options.max_cluster_size
    condensed = condensed_tree(hierarchy.linkage, options.min_cluster_size * per, options.persistence, ops)
    options = replace(options, max_cluster_size=None if most is None else most * per)
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
    return ops.asarray(values[which])[contracted.vertex[: contracted.size]]


def tree_on_host(ops: Backend, flat: FlatClustering) -> tuple[Condensed, Selection]:
    """The condensed tree without its points, and the selection, on the host."""
    tree: dict[str, Any] = {name: to_host(array) for name, array in _arrays_of(flat.condensed).items()}
    tree |= dict.fromkeys(OF_POINTS)
    condensed = Condensed(**tree, min_cluster_size=flat.condensed.min_cluster_size)
    return condensed, Selection(to_host(flat.selection.chosen), to_host(flat.selection.label))


def on_backend(ops: Backend, condensed: Condensed, selection: Selection) -> tuple[Condensed, Selection]:
    """The result of `tree_on_host` in arrays of the backend."""
    tree = {name: ops.asarray(array) for name, array in _arrays_of(condensed).items()}
    return replace(condensed, **tree), Selection(ops.asarray(selection.chosen), ops.asarray(selection.label))


def _arrays_of(condensed: Condensed) -> dict[str, Array]:
    """Of clusters, by name; a backend may make them when they are asked for."""
    names = [field.name for field in fields(condensed) if field.name not in (*OF_POINTS, "min_cluster_size")]
    return {name: getattr(condensed, name) for name in names}


def persistence(ops: Backend, flat: FlatClustering) -> np.ndarray:
    """How persistent each cluster is, on the host."""
    return scores.persistence(flat)
