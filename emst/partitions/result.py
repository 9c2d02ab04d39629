"""Edges of a partitioned tree as the caller gets them: rows and lengths, partition by partition or all at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.distances.metrics import Metric
from emst.inputs.devices import to_host
from emst.partitions.certain import Local
from emst.partitions.components import Place
from emst.partitions.edges import OpenEdges, greater, total_order
from emst.partitions.engine import Engine
from emst.partitions.spanning import PartitionedTree
from emst.spanning import heights


class Units(NamedTuple):
    """In which lengths are told: the arguments of `emst.spanning.heights`."""

    metric: Metric
    alpha: float
    dtype: np.dtype


class Edges(NamedTuple):
    """Some edges of the tree, in the total order."""

    rows: Array  # int64[m, 2]: rows of the ends, the smaller first
    weights: Array  # T[m]: in the metric's units


class Keys(NamedTuple):
    """What the total order compares, on the host."""

    weight: np.ndarray  # T[m], a power
    power: np.ndarray  # T[m]
    u: np.ndarray  # int64[m]
    v: np.ndarray  # int64[m]


def certain_edges(ops: Backend, local: Local, units: Units) -> Edges:
    """The certain edges of a partition, and those to points that are left out."""
    rows, out = local.partition.rows, local.partition.left_out
    ends = rows[local.edges]
    stars = np.stack([ops.xp.full_like(out, rows[0]), out], axis=1) if len(out) else ends[:0]
    ends = np.concatenate([stars, ends])
    weights = np.concatenate([ops.xp.zeros(len(out), local.weights.dtype), local.weights])
    return Edges(_ascending(ends), heights(weights, *units, ops))


def joined_edges(ops: Backend, local: Local, joined: OpenEdges, rows: list[Array], units: Units) -> Edges:
    """The edges that rounds have found. `rows` holds what `rows_of_joined` returned in every partition."""
    order = total_order(ops, joined.weight, joined.power, joined.u, joined.v)
    ends = ops.asarray(rows[0])
    for own in rows[1:]:
        ends = np.maximum(ends, ops.asarray(own))
    places = ops.xp.arange(len(order), dtype=np.int32)
    weights = ops.unscaled(local.partition.bvh, ops.xp.ascontiguousarray(joined.weight[order]), places)
    return Edges(_ascending(ends[order]), heights(weights, *units, ops))


def rows_of_joined(ops: Backend, local: Local, place: Place, joined: OpenEdges) -> Array:
    """Rows of the ends that lie in a partition, int64[m, 2], -1 for the others."""
    partition = local.partition
    ids = np.stack([ops.asarray(joined.u), ops.asarray(joined.v)], axis=1)
    here = (ids >= place.start) & (ids < place.start + partition.size)
    places = partition.places(place.start, ids)
    return ops.xp.where(here, partition.rows[ops.xp.where(here, places, 0)], np.int64(-1))


def _ascending(ends: Array) -> Array:
    return np.stack([ends.min(axis=1), ends.max(axis=1)], axis=1)


def keys_of_certain(ops: Backend, local: Local, place: Place) -> Keys:
    """Keys of the edges that `certain_edges` returns, in its order."""
    partition, bvh = local.partition, local.partition.bvh
    u, v = (ops.xp.ascontiguousarray(local.edges[:, end]) for end in (0, 1))
    u, v = np.minimum(u, v), np.maximum(u, v)
    power = weight = ops.edge_powers(bvh, u, v)
    if bvh.core is not None:
        weight = greater(greater(power, bvh.core[u]), bvh.core[v])
    out = len(partition.left_out)
    kinds = (weight, power)
    keys = [to_host(np.concatenate([ops.xp.zeros(out, bvh.dtype), kind])) for kind in kinds]
    first = place.start + partition.kept
    ids = [
        np.concatenate([np.full(out, place.start), to_host(partition.ids(place.start, u))]),
        np.concatenate([np.arange(first, first + out), to_host(partition.ids(place.start, v))]),
    ]
    return Keys(*keys, *ids)


def keys_of_joined(ops: Backend, joined: OpenEdges) -> Keys:
    """Keys of the edges that `joined_edges` returns, in its order."""
    order = total_order(ops, joined.weight, joined.power, joined.u, joined.v)
    return Keys(*(to_host(column[order]) for column in (joined.weight, joined.power, joined.u, joined.v)))


def core_distances(ops: Backend, local: Local, units: Units) -> tuple[Array, Array]:
    """Core distances of the points of a partition in the metric's units, T[m], and their rows, int64[m]."""
    partition = local.partition
    core = ops.unscaled(partition.bvh, local.core, ops.xp.arange(partition.bvh.n, dtype=np.int32))
    core = np.concatenate([core, ops.xp.zeros(len(partition.left_out), core.dtype)])
    rows = np.concatenate([partition.rows, partition.left_out])
    return heights(core, units.metric, 1.0, units.dtype, ops), rows


class TreeEdges:
    """The edges of a partitioned tree: one future of `Edges` a partition, and one for those that rounds have found.

    Attributes
    ----------
    futures : list of Future of Edges
    counts : list of int
        Edges of each.
    """

    def __init__(self, tree: PartitionedTree, units: Units, engine: Engine) -> None:
        self.tree, self.engine = tree, engine
        self.futures: list[Any] = [
            engine.submit(certain_edges, local, units, at=j) for j, local in enumerate(tree.locals)
        ]
        rows = [
            engine.submit(rows_of_joined, local, place, tree.joined, at=place.number)
            for local, place in zip(tree.locals, tree.places)
        ]
        self.futures.append(engine.submit(joined_edges, tree.locals[0], tree.joined, rows, units, at=0))
        self.counts: list[int] = engine.gather([engine.submit(_count, edges) for edges in self.futures])

    def in_total_order(self) -> Edges:
        """All edges on the host, as one device returns them: in the total order."""
        tree, engine = self.tree, self.engine
        keys = [
            engine.submit(keys_of_certain, local, place, at=place.number)
            for local, place in zip(tree.locals, tree.places)
        ]
        keys.append(engine.submit(keys_of_joined, tree.joined, at=0))
        key = Keys(*map(np.concatenate, zip(*engine.gather(keys))))
        order = total_order(backend_of("cpu"), *key)
        edges = engine.gather([engine.submit(_on_host, edges) for edges in self.futures])
        rows, weights = (np.concatenate(column)[order] for column in zip(*edges))
        if tree.search.norm.degree not in (1, 2):  # other roots of neighbouring numbers may descend by a last digit
            weights = np.maximum.accumulate(weights)
        return Edges(rows, weights)


def _count(ops: Backend, edges: Edges) -> int:
    return len(edges.weights)


def _on_host(ops: Backend, edges: Edges) -> Edges:
    return Edges(to_host(edges.rows), to_host(edges.weights))
