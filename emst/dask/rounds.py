"""Borůvka's rounds over what is left when every partition has done its own work: a graph of components.

A round has three kinds of tasks. `ask`: every partition sends those of its points that may hold the lightest edge of
their component to the partitions that may hold the other end. `answer`: every partition finds the nearest point of
another component for each point it was sent, and returns the lightest edges of every component. `join`: one worker
takes the lightest edge of every component, contracts these edges, and relabels. Edges that were found stay known, so a
component always has a bound, from the local trees or from the neighbour on the curve.

The greatest component does not ask: the lightest edges of the others suffice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Norm, Outline
from emst.dask.certain import Local, OpenEdges
from emst.dask.order import as_bits, bits_of, greater
from emst.dask.outline import OwnOutline, labels_of_boxes
from emst.dask.sizes import Sized, bytes_of
from emst.inputs.devices import to_host


@dataclass(frozen=True, eq=False)
class Place(Sized):
    """Where a partition lies among all."""

    number: int
    start: int  # id of its first point


@dataclass(eq=False)
class Labels(Sized):
    """What partitions have to know of a round."""

    label: Array  # int32[components of all partitions]: their component now
    weight: Array  # T[count]: weight of the lightest edge known to leave a component; -1 for one that does not ask
    power: Array  # T[count]: power of its distance
    boxes: Array  # int32[nodes of the outline]: component of all points of a box, or MIXED
    count: int
    bases: list[int]  # number of the first component of every partition


class RoundCosts(NamedTuple):
    """What a round left and sent."""

    left: int  # components
    asked: int  # points
    bytes: int  # of their packets


@dataclass(eq=False)
class Rounds(Sized):
    """The state between rounds."""

    labels: Labels
    edges: OpenEdges  # known edges between different components; `a` and `b` are components of partitions, ends are ids
    joined: OpenEdges  # edges of the tree that rounds have found
    size: Array  # int64[count]: points of every component
    costs: list[RoundCosts]  # of every round, and at the beginning of what there was before the first one


class Packet(NamedTuple):
    """Points of one partition that ask another one."""

    points: Array  # T[m, d], scaled
    component: Array  # int32[m]: among those of all partitions
    core: Array | None  # T[m]
    radius: Array  # T[m]: weight up to which they ask
    ids: Array  # int64[m]


class Answer(NamedTuple):
    """Edges that a partition has found."""

    edges: OpenEdges
    boxes: Array  # int32: labels of its outline
    asked: int  # points that it was sent
    bytes: int  # of their packets


@dataclass(eq=False)
class Summary(Sized):
    """What a partition tells the worker that joins, once."""

    edges: OpenEdges  # its open edges; components from 0, ends are ids
    size: Array  # int64[count]: points of every component
    boxes: Array  # int32: labels of its outline
    ends: Array  # T[2, d]: its first and its last point, scaled
    core: Array | None  # T[2]: their core distances
    components: Array  # int32[2]: their components
    ids: Array  # int64[2]


def summary(ops: Backend, local: Local, place: Place, outline: OwnOutline) -> Summary:
    """What the first round needs of a partition."""
    partition, bvh = local.partition, local.partition.bvh
    a, b, u, v, weight, power = columns_of(local.open)
    u, v = partition.ids(place.start, u), partition.ids(place.start, v)
    two = ops.asarray(np.array([0, bvh.n - 1], np.int32))
    with partition.lock:
        ops.label_nodes(bvh, local.component)
        boxes = labels_of_boxes(outline, bvh, local.component, ops)
    return Summary(
        OpenEdges(a, b, u, v, weight, power),
        np.bincount(local.component, minlength=local.count).astype(np.int64),
        boxes,
        bvh.points()[two],
        None if bvh.core is None else bvh.core[two],
        local.component[two],
        partition.ids(place.start, two),
    )


def begin(ops: Backend, summaries: list[Summary], norm: Norm) -> Rounds:
    """The state before the first round: the open edges of all partitions, and one edge between neighbours on the
    curve at every border, so that every component has an edge that leaves it."""
    bases = np.cumsum([0, *(len(own.size) for own in summaries)]).tolist()
    columns = []
    for own, base in zip(summaries, bases):
        a, b, *rest = map(ops.asarray, columns_of(own.edges))
        columns.append((a + np.int32(base), b + np.int32(base), *rest))
    columns.append(columns_of(_border_edges(ops, summaries, bases, norm)))
    edges = OpenEdges(*(np.concatenate(column) for column in zip(*columns)))
    of_boxes = [ops.asarray(own.boxes) for own in summaries]
    boxes = np.concatenate([np.where(own < 0, own, own + np.int32(base)) for own, base in zip(of_boxes, bases)])
    size = np.concatenate([ops.asarray(own.size) for own in summaries])
    label = ops.xp.arange(len(size), dtype=np.int32)
    costs = [RoundCosts(len(size), 0, 0)]
    return _with_bounds(ops, label, len(size), boxes, bases, edges, _chosen(edges, slice(0, 0)), size, costs)


def _border_edges(ops: Backend, summaries: list[Summary], bases: list[int], norm: Norm) -> OpenEdges:
    """The edges between the last point of every partition and the first one of the next."""

    def inner(parts: list[Array]) -> Array:
        return np.concatenate([ops.asarray(part) for part in parts])[1:-1]

    ends = inner([own.ends for own in summaries])
    number = ops.xp.arange(len(ends), dtype=np.int32)
    last, first = slice(0, None, 2), slice(1, None, 2)
    u, v = (ops.xp.ascontiguousarray(number[end]) for end in (last, first))
    power = ops.edge_powers(ops.build_bvh(ends, number, 1.0, norm), u, v)
    weight = power
    if summaries[0].core is not None:
        core = inner([own.core for own in summaries])
        weight = greater(greater(power, core[last]), core[first])
    components = inner([ops.asarray(own.components) + np.int32(base) for own, base in zip(summaries, bases)])
    ids = inner([own.ids for own in summaries])
    return OpenEdges(components[last], components[first], ids[last], ids[first], weight, power)


def columns_of(edges: OpenEdges) -> tuple[Array, ...]:
    """The arrays of edges, in the order of the fields."""
    return edges.a, edges.b, edges.u, edges.v, edges.weight, edges.power


def _chosen(edges: OpenEdges, places: Any) -> OpenEdges:
    return OpenEdges(*(column[places] for column in columns_of(edges)))


def _with_bounds(
    ops: Backend,
    label: Array,
    count: int,
    boxes: Array,
    bases: list[int],
    edges: OpenEdges,
    joined: OpenEdges,
    size: Array,
    costs: list[RoundCosts],
) -> Rounds:
    lightest = _lightest(ops, edges, label, count)
    weight, power = edges.weight[lightest], edges.power[lightest]
    if count > 1:
        weight[size.argmax()] = -1
    return Rounds(Labels(label, weight, power, boxes, count, bases), edges, joined, size, costs)


def _lightest(ops: Backend, edges: OpenEdges, label: Array, count: int) -> Array:
    """The place of the first edge in the total order that leaves each component. An edge may be there several times."""
    if count == 1:
        return ops.xp.empty(0, np.int64)
    m = len(edges.u)
    sides = np.concatenate([label[edges.a], label[edges.b]])
    place = ops.xp.arange(2 * m, dtype=np.int32)
    place %= max(m, 1)
    for key in (as_bits(edges.weight), as_bits(edges.power), as_bits(edges.u), as_bits(edges.v)):
        own = key[place]
        first = np.flatnonzero(own == _least(ops, own, sides, count)[sides])
        sides, place = sides[first], place[first]
    chosen = ops.xp.empty(count, np.int64)
    chosen[sides] = place
    return chosen


def _least(ops: Backend, keys: Array, groups: Array, count: int) -> Array:
    """The least key of each group."""
    least = ops.xp.full(count, np.iinfo(keys.dtype).max, keys.dtype)
    ops.xp.minimum.at(least, groups, keys)
    return least


def labels_of(state: Rounds | Labels) -> Labels:
    """What partitions have to know of the state, of which they may get no more than that."""
    return state.labels if isinstance(state, Rounds) else state


def ask(ops: Backend, local: Local, place: Place, state: Rounds | Labels, outline: Outline) -> dict[int, Packet]:
    """Packets of the points of a partition that may hold the lightest edge of their component, by partition."""
    bvh, partition, labels = local.partition.bvh, local.partition, labels_of(state)
    if labels.count == 1:
        return {}
    base = labels.bases[place.number]
    label = ops.asarray(labels.label[base : base + local.count])
    bound = ops.asarray(labels.weight)[label]
    places = _hopeful(ops, local, bound)
    if len(places) == 0:
        return {}
    component = local.component[places]
    weight, radius = local.weight[places], bound[component]
    asking = weight <= radius
    if bvh.core is not None:
        powers = ops.asarray(labels.power)[label]
        asking &= (weight < radius) | (local.power[places] <= powers[component])
    asking = np.flatnonzero(asking)
    places, component, radius = places[asking], component[asking], radius[asking]
    points = ops.xp.ascontiguousarray(bvh.points()[places])
    boxes = outline._replace(label=ops.asarray(labels.boxes))
    hits = ops.outline_hits(points, label[component], radius, boxes, place.number, bvh.norm)
    packets = {}
    for other in np.flatnonzero(to_host(hits.any(axis=0))).tolist():
        mine = np.flatnonzero(hits[:, other])
        packets[other] = Packet(
            points[mine],
            component[mine] + np.int32(base),
            None if bvh.core is None else bvh.core[places[mine]],
            radius[mine],
            partition.ids(place.start, places[mine]),
        )
    return packets


def _hopeful(ops: Backend, local: Local, bound: Array) -> Array:
    """Points that may ask: those near the border up to the greatest bound of a component that has a point with a
    smaller one, as a rule."""
    most = np.where(local.least <= bound, bound, bound.dtype.type(-1)).max()
    upto = np.searchsorted(local.near_weights, bits_of(np.maximum(most, 0).reshape(1)), side="right")
    greatest, count = to_host(np.concatenate([most.reshape(1).astype(np.float64), upto.astype(np.float64)])).tolist()
    if greatest < 0:
        return local.near[:0]
    return local.near[: int(count)] if greatest < local.rest else ops.xp.arange(len(local.weight), dtype=np.int32)


def answer(
    ops: Backend, local: Local, place: Place, state: Rounds | Labels, outline: OwnOutline, asked: list[Any]
) -> Answer:
    """For every component that has asked, the lightest edges to points of other components in this partition.

    `asked` holds what `ask` returned in every partition, or the packet for this one, or None."""
    bvh, partition, labels = local.partition.bvh, local.partition, labels_of(state)
    if labels.count == 1:
        return Answer(_no_edges(ops, bvh.dtype), ops.xp.empty(0, np.int32), 0, 0)
    label, base = ops.asarray(labels.label), labels.bases[place.number]
    of_points = label[base : base + local.count][local.component]
    packets = [given.get(place.number) if isinstance(given, dict) else given for given in asked]
    packets = [Packet(*(None if item is None else ops.asarray(item) for item in given)) for given in packets if given]
    if not packets:
        with partition.lock:
            ops.label_nodes(bvh, of_points)
            return Answer(_no_edges(ops, bvh.dtype), labels_of_boxes(outline, bvh, of_points, ops), 0, 0)
    points, component, core, radius, ids = (
        column[0] if column[0] is None or len(column) == 1 else np.concatenate(column) for column in zip(*packets)
    )
    queries = ops.build_bvh(points, ops.xp.arange(len(points), dtype=np.int32), 1.0, bvh.norm)
    with partition.lock:
        ops.label_nodes(bvh, of_points)
        boxes = labels_of_boxes(outline, bvh, of_points, ops)
        found, weight, power = ops.nearest_across(bvh, of_points, queries, label[component], core, radius)
    hit = np.flatnonzero(found >= 0)
    found, weight, power, component = found[hit], weight[hit], power[hit], component[hit]
    own, there = ids[hit], partition.ids(place.start, found)
    u, v = np.minimum(own, there), np.maximum(own, there)
    edges = OpenEdges(component, local.component[found] + np.int32(base), u, v, weight, power)
    own = label[component]
    lightest = np.flatnonzero(as_bits(weight) == _least(ops, as_bits(weight), own, labels.count)[own])
    return Answer(_chosen(edges, lightest), boxes, len(points), sum(map(bytes_of, packets)))


def _no_edges(ops: Backend, dtype: np.dtype) -> OpenEdges:
    kinds = (np.int32, np.int32, np.int64, np.int64, dtype, dtype)
    return OpenEdges(*(ops.xp.empty(0, kind) for kind in kinds))


def join(ops: Backend, state: Rounds, answers: list[Answer]) -> Rounds:
    """Contract the lightest edges of all components that have asked."""
    labels = state.labels
    if labels.count == 1:
        return state
    found = [OpenEdges(*map(ops.asarray, columns_of(given.edges))) for given in answers]
    columns = zip(*(columns_of(edges) for edges in [state.edges, *found]))
    edges = OpenEdges(*(np.concatenate(column) for column in columns))
    label, count = labels.label, labels.count
    lightest = _lightest(ops, edges, label, count)
    a, b = label[edges.a[lightest]], label[edges.b[lightest]]
    own = ops.xp.arange(count, dtype=np.int32)
    parent = ops.xp.where(a == own, b, a)
    waits = labels.weight < 0
    parent[waits] = own[waits]
    u, v = edges.u[lightest], edges.v[lightest]
    mutual = (u[parent] == u) & (v[parent] == v) & (own < parent) & ~waits[parent]
    parent[mutual] = own[mutual]
    hooked = np.flatnonzero(parent != own)
    taken = _chosen(edges, lightest[hooked])
    while bool((parent[parent] != parent).any()):
        parent = parent[parent]
    root = parent == own
    number = (np.cumsum(root) - 1).astype(np.int32)
    new = number[parent]
    left = int(root.sum())
    boxes = np.concatenate([ops.asarray(given.boxes) for given in answers])
    boxes = np.where(boxes < 0, boxes, new[np.maximum(boxes, 0)])
    label = new[label]
    size = np.bincount(new, weights=state.size, minlength=left).astype(np.int64)
    edges = _chosen(edges, np.flatnonzero(label[edges.a] != label[edges.b]))
    joined = OpenEdges(*map(np.concatenate, zip(columns_of(state.joined), columns_of(taken))))
    costs = RoundCosts(left, sum(given.asked for given in answers), sum(given.bytes for given in answers))
    return _with_bounds(ops, label, left, boxes, labels.bases, edges, joined, size, [*state.costs, costs])
