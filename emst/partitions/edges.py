"""Edges as array code for both backends: between components, in the total order, and in the caller's rows and units.

The ends of edges are ids: places on the curve through all points. Numbers that are not negative compare like their
bits; the GPU's float comparisons would take subnormal ones for 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emst.backend import backend_of
from emst.backend.operations import Backend
from emst.backend.partition_records import OpenEdges
from emst.backend.records import Array, SearchIndex
from emst.inputs.devices import to_host
from emst.partitions.chunks import Chunks, scatter_rows
from emst.partitions.engine import Engine, Future, part
from emst.partitions.records import Fitted, Local, PartitionedTree, Units
from emst.spanning import heights

# ---- between components ----------------------------------------------------------------------------------------------


def renumbered(ops: Backend, edges: OpenEdges, base: int) -> OpenEdges:
    """A copy of the edges on the backend, with components that are counted from `base`."""
    moved = OpenEdges(ops.xp.array(ops.asarray(edges.words)))
    for end in (moved.a, moved.b):
        end += np.int32(base)
    return moved


def together(ops: Backend, groups: list[OpenEdges]) -> OpenEdges:
    """The edges of all groups, one after the other, on the backend."""
    return OpenEdges(ops.concatenated([group.words for group in groups]))


def chosen(edges: OpenEdges, places: Any) -> OpenEdges:
    """The edges at some places."""
    return OpenEdges(edges.words[places])


def bits_of(numbers: Array) -> Array:
    """Bits of numbers that are not negative, uint64[m], in the order of the numbers."""
    if numbers.dtype == np.float32:
        return numbers.view(np.uint32).astype(np.uint64)
    return numbers.view(np.uint64)


def as_bits(numbers: Array) -> Array:
    """Numbers that are not negative as unsigned integers of the same size and order, in the same memory."""
    return numbers.view(f"u{numbers.dtype.itemsize}")


def greater(a: Array, b: Array) -> Array:
    """The greater of numbers that are not negative, compared by their bits."""
    return np.maximum(as_bits(a), as_bits(b)).view(a.dtype)


def lesser(a: Array, b: Array) -> Array:
    """The lesser of numbers that are not negative, compared by their bits."""
    return np.minimum(as_bits(a), as_bits(b)).view(a.dtype)


def total_order(ops: Backend, weight: Array, power: Array, u: Array, v: Array) -> Array:
    """Places of edges in the total order by (weight, power of the distance, smaller end, larger end): int32[m]."""
    order = ops.sort_order(v.astype(np.uint64))
    for key in (u.astype(np.uint64), bits_of(power), bits_of(weight)):
        order = order[ops.sort_order(key[order])]
    return order


# ---- in the caller's rows and units ----------------------------------------------------------------------------------


class Edges(NamedTuple):
    """Some edges of the tree, in the total order."""

    rows: Array  # int64[m, 2]: rows of the ends, the smaller first
    weights: Array  # T[m]: in the metric's units


class Keys(NamedTuple):
    """What the total order compares."""

    weight: Array  # T[m], a power
    power: Array  # T[m], of the distance
    u: Array  # int64[m]: smaller id
    v: Array  # int64[m]: larger id


def certain_edges(ops: Backend, local: Local, units: Units) -> Edges:
    """The certain edges of a partition, and those to points that are left out."""
    out = local.partition.left_out
    ends = ops.take(local.partition.rows, local.edges.reshape(-1)).reshape(-1, 2)
    if len(out):
        ends = np.concatenate([rows_of_stars(ops, local), ends])
    lengths = lengths_of(ops, local.partition.index, local.weights)
    weights = np.concatenate([ops.xp.zeros(len(out), lengths.dtype), lengths])
    return Edges(ascending(ends, np.int64), heights(weights, *units, ops))


def lengths_of(ops: Backend, index: SearchIndex, weights: Array) -> Array:
    """Weights, powers, as lengths in the units of the points, in the same order."""
    return ops.unscaled(index, weights, None)


def joined_edges(ops: Backend, local: Local, joined: OpenEdges, rows: list[Array], units: Units) -> Edges:
    """The edges that rounds have found. `rows` holds what `rows_of_joined` returned in every partition."""
    order = ops.edge_order(joined)
    ends = ops.asarray(rows[0])
    for more in rows[1:]:
        ends = np.maximum(ends, ops.asarray(more))
    weights = lengths_of(ops, local.partition.index, ops.xp.ascontiguousarray(joined.weight[order]))
    return Edges(ascending(ends[order], np.int64), heights(weights, *units, ops))


def rows_of_joined(ops: Backend, local: Local, joined: OpenEdges) -> Array:
    """Task: rows of the ends that lie in a partition, [m, 2] in the type of its rows, -1 for the others."""
    return ops.rows_here(OpenEdges(ops.readable(joined.words)), local.numbering, local.partition.rows)


def places_here(ops: Backend, local: Local, ids: Array) -> Array:
    """Places of the ids that lie in this partition, -1 for the others."""
    places = local.numbering.places(ids)
    return ops.xp.where((places >= 0) & (places < len(local.partition.rows)), places, np.int64(-1))


def rows_of(ops: Backend, local: Local) -> Array:
    """The rows of the points of a partition, those that are left out last."""
    return ops.concatenated([local.partition.rows, local.partition.left_out])


def rows_of_stars(ops: Backend, local: Local) -> Array:
    """Pairs of rows, [m, 2]: the first point of a partition, and a point that is left out."""
    rows, out = local.partition.rows, local.partition.left_out
    return ops.xp.stack([ops.xp.full_like(out, rows[0]), out], axis=1)


def stars_of(ops: Backend, local: Local, a: Any, b: Any) -> OpenEdges:
    """The edges of length 0 from the first point of a partition to every point that is left out. `a` and `b` are what
    the caller calls the two ends: int32[m], or one number for all."""
    start, kept, out = local.numbering
    ids, zeros = start + kept + ops.xp.arange(out, dtype=np.int64), ops.xp.zeros(out, local.partition.index.dtype)
    return OpenEdges.of(a, b, start, ids, zeros, zeros)


def edges_between_components(ops: Backend, local: Local) -> Array:
    """Edges that are not in the tree and hold the components of a partition together: int32[count - 1, 2]. They join
    some point of each to one of the next."""
    n, xp = len(local.component), ops.xp
    some = xp.full(local.count, n, np.int32)
    some[local.component[::-1]] = xp.arange(n - 1, -1, -1, dtype=np.int32)
    return ascending(xp.stack([some[:-1], some[1:]], axis=1))


def ascending(ends: Array, dtype: Any = None) -> Array:
    """Both ends of every edge, the lesser first, in a new array: of this integer type, or of that of the ends."""
    u, v, both = ends[:, 0], ends[:, 1], np.empty_like(ends, dtype=dtype)
    np.minimum(u, v, out=both[:, 0])
    np.maximum(u, v, out=both[:, 1])
    return both


def certain_keys(ops: Backend, local: Local) -> Keys:
    """Keys of the certain edges of a partition, without those to points that are left out."""
    index, numbering, weight = local.partition.index, local.numbering, local.weights
    u, v = (ops.xp.ascontiguousarray(local.edges[:, end]) for end in (0, 1))
    power = weight if index.core is None else ops.edge_powers(index, u, v)
    return Keys(weight, power, numbering.ids(u), numbering.ids(v))


def keys_of_certain(ops: Backend, local: Local) -> Keys:
    """Keys of the edges that `certain_edges` returns, in its order, on the host."""
    keys = certain_keys(ops, local)
    if len(local.partition.left_out):
        stars = stars_of(ops, local, 0, 0)
        of_stars = stars.weight, stars.power, stars.u, stars.v
        keys = Keys(*map(np.concatenate, zip(of_stars, keys)))
    return Keys(*map(to_host, keys))


class OwnEdges(NamedTuple):
    """The edges between copies of a point, of all points of weight 2 or more, one a point; see `emst/weighted.py`."""

    places: Array  # int32[s]: of the points, ascending
    keys: Keys  # core distance, 0, and twice the first point of the run of equal points


def own_edges(ops: Backend, local: Local, per: int) -> OwnEdges:
    """The edges between copies of the points of a partition; `per` units are the weight 1."""
    xp, partition, index = ops.xp, local.partition, local.partition.index
    assert partition.units is not None
    places = xp.flatnonzero(partition.units >= 2 * per).astype(np.int32)
    zero = xp.zeros(len(places), index.dtype)
    core = zero if index.core is None else index.core[places]
    head = local.numbering.ids(heads_of_runs(index.points(), ops)[places])
    return OwnEdges(places, Keys(core, zero, head, head))


def own_on_host(ops: Backend, local: Local, per: int, units: Units) -> tuple[Keys, Edges]:
    """Keys and lengths of the edges between copies, of which both ends are -1, on the host."""
    own = own_edges(ops, local, per)
    lengths = heights(lengths_of(ops, local.partition.index, own.keys.weight), *units, ops)
    nowhere = np.full((len(own.places), 2), -1, np.int64)
    return Keys(*map(to_host, own.keys)), Edges(nowhere, to_host(lengths))


def heads_of_runs(points: Array, ops: Backend) -> Array:
    """The first point of the run of equal points, on the curve, that each point lies in: int32[n]."""
    xp = ops.xp
    begins = xp.ones(len(points), bool)
    begins[1:] = (points[1:] != points[:-1]).any(axis=1)
    return xp.flatnonzero(begins).astype(np.int32)[xp.cumsum(begins) - 1]


def keys_of_joined(ops: Backend, joined: OpenEdges) -> Keys:
    """Keys of the edges that `joined_edges` returns, in its order, on the host."""
    in_order = OpenEdges(to_host(ops.edges_at(joined, ops.edge_order(joined)).words))
    return Keys(in_order.weight, in_order.power, in_order.u, in_order.v)


def core_distances(ops: Backend, local: Local, units: Units) -> tuple[Array, Array]:
    """Core distances of the points of a partition in the metric's units, T[m], and their rows, in the type of these."""
    partition = local.partition
    core = lengths_of(ops, partition.index, local.core)
    core = ops.concatenated([core, ops.xp.zeros(len(partition.left_out), core.dtype)])
    return heights(core, units.metric, 1.0, units.dtype, ops), rows_of(ops, local)


def cores_in_chunks(fitted: Fitted, chunks: Chunks, engine: Engine) -> list[Future] | None:
    """Core distances of all points, T[m] for every chunk on the host; None if `min_samples` is 1."""
    tree, numbers = fitted.tree, range(len(fitted.tree.locals))
    if tree.search.k == 1:
        return None
    made = [engine.submit(core_distances, tree.locals[j], fitted.units, at=j) for j in numbers]
    values, rows = ([engine.submit(part, made[j], i, at=j) for j in numbers] for i in (0, 1))
    return scatter_rows(engine, values, rows, chunks)


class TreeEdges:
    """The edges of a partitioned tree: one future of `Edges` a partition, and one for those that rounds have found.

    Attributes
    ----------
    futures : list of Future of Edges
    counts : list of int
        Edges of each.
    """

    def __init__(self, tree: PartitionedTree, units: Units, engine: Engine) -> None:
        self.tree, self.units, self.engine = tree, units, engine
        self.futures: list[Any] = [
            engine.submit(certain_edges, local, units, at=j) for j, local in enumerate(tree.locals)
        ]
        rows = [engine.submit(rows_of_joined, local, tree.joined, at=j) for j, local in enumerate(tree.locals)]
        self.futures.append(engine.submit(joined_edges, tree.locals[0], tree.joined, rows, units, at=0))
        self.counts: list[int] = engine.gather([engine.submit(_count, edges) for edges in self.futures])

    def in_total_order(self) -> Edges:
        """All edges on the host, as one device returns them: in the total order."""
        tree, engine = self.tree, self.engine
        keys = [engine.submit(keys_of_certain, local, at=j) for j, local in enumerate(tree.locals)]
        keys.append(engine.submit(keys_of_joined, tree.joined, at=0))
        edges = [engine.submit(_on_host, edges) for edges in self.futures]
        listed = [*zip(engine.gather(keys), engine.gather(edges))]
        # Other roots of neighbouring numbers may descend by a last digit.
        uneven = tree.search.norm.degree not in (1, 2)
        if uneven:
            listed = [*self._between_copies(), *listed]
        key = Keys(*map(np.concatenate, zip(*(one for one, _ in listed))))
        order = total_order(backend_of("cpu"), *key)
        rows, weights = (np.concatenate(column)[order] for column in zip(*(one for _, one in listed)))
        if uneven:
            weights, of_rows = np.maximum.accumulate(weights), rows[:, 0] >= 0
            rows, weights = rows[of_rows], weights[of_rows]
        return Edges(rows, weights)

    def _between_copies(self) -> list[tuple[Keys, Edges]]:
        """The edges between copies of points, with which the weights ascend; none without weights."""
        search, engine = self.tree.search, self.engine
        if search.bits is None:
            return []
        own = [engine.submit(own_on_host, local, search.per, self.units) for local in self.tree.locals]
        return engine.gather(own)


def _count(ops: Backend, edges: Edges) -> int:
    return len(edges.weights)


def _on_host(ops: Backend, edges: Edges) -> Edges:
    return Edges(to_host(edges.rows), to_host(edges.weights))
