"""The first task of a round: a partition asks others for the lightest edges of its components.

Travels: a `Packet` to each partition that may hold the other end of the lightest edge of a component, with the points
that may hold this end. The answer, `Found`, comes back in the next round. The `Memory` stays where the partition lives.

Invariant: a point that does not ask knows enough. While the nearest point that it was told of lies in another
component, it need not ask again: that edge, or a lighter one between the two components, is known. Otherwise its other
edges are no lighter than what it was told, or than how far it asked. So it asks a little farther than it must.

A component of which many points could ask sends some of them first, and hooks onto no other one in that round. In the
next round it asks with more, but only with those that are within the weight of the lightest edge found. By the triangle
inequality, most neighbours of points that found nothing near need not ask either.

All this spares most questions, and costs array operations. Where GPUs share a process, nothing travels but pointers,
and Python's lock makes an operation dear: there points forget, and all ask at once (not `frugal`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Bvh, Outline
from emst.inputs.devices import to_host
from emst.partitions.certain import Local
from emst.partitions.components import Labels, Place, Rounds, labels_of
from emst.partitions.edges import as_bits, bits_of
from emst.partitions.outline import power_of
from emst.partitions.packets import Sender, addressed_to

NOBODY = -1  # in the place of a component
SAMPLE = 256  # points of a component that a partition lets ask first
GROWTH = 16  # times as many in each further round
FARTHER = 1.15  # times the length of the bound: how far points ask


class Packet(NamedTuple):
    """Points of one partition that ask another one."""

    points: Array  # T[m, d], scaled, in curve order
    component: Array  # int32[m]: among those of all partitions
    core: Array | None  # T[m]
    radius: Array  # T[m]: weight up to which they ask
    ids: Array  # int64[m]
    partly: Array  # int32: components of this round of which the partition sends some points only


class Found(NamedTuple):
    """What another partition has found for the points of a packet."""

    component: Array  # int32[m]: of the nearest point of another component, among all partitions; -1 for none
    weight: Array  # T[m]
    power: Array  # T[m]: of the distance


class Memory(NamedTuple):
    """What points know of their edges to other partitions: all of them, or those near the border."""

    places: Array  # int64[m], as `Local.near`, and then the others
    weight: Array  # T[m]: all edges that nobody has found yet are no lighter
    power: Array | None  # T[m]: nor, at this weight, are their powers; None if weights are powers
    component: Array  # int32[m]: of the nearest point that was found in another component, or `NOBODY`
    asked: Array  # bool[m]


@dataclass(eq=False)
class Asked(Sender):
    """What a partition has asked in a round. The packets are `Packet`."""

    memory: Memory  # before the answers
    rows: Array  # int64[m]: which points of the memory have asked
    radius: Array  # T[m]: how far
    members: dict[int, Array]  # int64: which of them each packet holds


def ask(
    ops: Backend,
    local: Local,
    place: Place,
    state: Rounds | Labels,
    outline: Outline,
    before: Asked | None,
    answers: list[Any],
    frugal: bool,
) -> Asked:
    """Packets of the points of a partition that may hold the lightest edge of their component.

    `before` is what this function returned in the round before, None in the first one; `answers` holds what
    `answering.answer` returned in every partition then. Without `frugal`, both are ignored."""
    bvh, partition, labels = local.partition.bvh, local.partition, labels_of(state)
    if labels.count == 1 and before:  # all is done
        return replace(before, packets={}, members={})
    memory = _learnt(ops, before, answers, place.number) if frugal and before else _near_border(ops, local)
    nobody = Asked({}, memory, ops.xp.empty(0, np.int64), memory.weight[:0], {})
    if labels.count == 1:
        return nobody
    base = labels.bases[place.number]
    label, tries = ops.asarray(labels.label), ops.asarray(labels.tries)
    own = label[base : base + local.count]
    bound = ops.asarray(labels.weight)[own]
    power = None if bvh.core is None else ops.asarray(labels.power)[own]
    memory, rows = _hopeful(ops, local, memory, label, own, bound, power)
    if frugal and len(rows) and bool(tries.any()):
        rows = rows[_in_reach(ops, local, memory, memory.places[rows], own, bound)]
    if len(rows) == 0:
        return replace(nobody, memory=memory)
    places = memory.places[rows]
    component = local.component[places]
    group = own[component]
    points = ops.xp.ascontiguousarray(bvh.points()[places])
    radius = bound[component]
    if frugal:
        radius = np.minimum(radius, np.finfo(bvh.dtype).max / 2) * bvh.dtype.type(FARTHER**bvh.norm.degree)
    boxes = outline._replace(label=ops.asarray(labels.boxes))
    hits = ops.outline_hits(points, group, radius, boxes, place.number, bvh.norm)
    partly = ops.xp.empty(0, np.int32)
    if frugal:
        able, partly = _first_to_ask(ops, hits, group, tries)
        hits &= able[:, None]
    asking = Packet(
        points,
        component + np.int32(base),
        None if bvh.core is None else bvh.core[places],
        radius,
        partition.ids(place.start, places),
        partly,
    )
    packets, members = _packed(asking, hits)
    return Asked(packets, memory, rows, radius, members)


def _packed(points: Packet, hits: Array) -> tuple[dict[int, Packet], dict[int, Array]]:
    """The points as packets to the partitions that they hit, bool[m, partitions]; and which of them each one holds."""
    packets, members = {}, {}
    for other in np.flatnonzero(to_host(hits.any(axis=0))).tolist():
        members[other] = mine = np.flatnonzero(hits[:, other])
        columns = [None if column is None else column[mine] for column in points[:-1]]
        packets[other] = Packet._make([*columns, points.partly])
    return packets, members


def _near_border(ops: Backend, local: Local) -> Memory:
    """What points with bounds of their own know before the first round."""
    places, m = local.near.astype(np.int64), len(local.near)
    power = None if local.partition.bvh.core is None else local.power[places]
    nobody = ops.xp.full(m, NOBODY, np.int32)
    return Memory(places, local.weight[places], power, nobody, ops.xp.zeros(m, bool))


def _with_others(ops: Backend, local: Local, memory: Memory) -> Memory:
    """The memory of all points of the partition."""
    other = ops.xp.ones(len(local.weight), bool)
    other[local.near] = False
    places = np.flatnonzero(other)
    more = (places, local.weight[places], local.power[places], ops.xp.full(len(places), NOBODY, np.int32))
    columns: Any = zip(memory, (*more, ops.xp.zeros(len(places), bool)))
    return Memory(*(None if own is None else np.concatenate([own, rest]) for own, rest in columns))


def _learnt(ops: Backend, before: Asked, answers: list[Any], own: int) -> Memory:
    """What the points of partition `own` know after the answers of the last round."""
    memory, rows = before.memory, before.rows
    if not before.members:
        return memory
    weight, component, asked = (
        before.radius.copy(),
        ops.xp.full(len(rows), NOBODY, np.int32),
        ops.xp.zeros(len(rows), bool),
    )
    power = None if memory.power is None else ops.xp.full(len(rows), np.inf, weight.dtype)
    for other, members in before.members.items():
        found = Found(*map(ops.asarray, addressed_to(own, answers[other])))
        asked[members] = True
        powers = None if power is None else power[members]
        first = ~_comes_first(weight[members], powers, found.weight, found.power)
        first |= component[members] == NOBODY  # of equal edges, the one to the lowest id: partitions are in order
        closer = np.flatnonzero(first & (found.component >= 0))
        members = members[closer]
        component[members], weight[members] = found.component[closer], found.weight[closer]
        if power is not None:
            power[members] = found.power[closer]
    told = np.flatnonzero(asked)
    rows = rows[told]
    new = Memory(memory.places, *(None if old is None else old.copy() for old in memory[1:]))
    new.weight[rows], new.component[rows], new.asked[rows] = weight[told], component[told], True
    if new.power is not None and power is not None:
        new.power[rows] = power[told]
    return new


def _comes_first(weight: Array, power: Array | None, than_weight: Array, than_power: Array | None) -> Array:
    """Whether (weight, power) is at most the other pair. No number is negative. Without core distances, weights are
    powers."""
    if power is None or than_power is None:
        return as_bits(weight) <= as_bits(than_weight)
    weight, power, than_weight, than_power = map(as_bits, (weight, power, than_weight, than_power))
    return (weight < than_weight) | ((weight == than_weight) & (power <= than_power))


def _hopeful(
    ops: Backend, local: Local, memory: Memory, label: Array, own: Array, bound: Array, power: Array | None
) -> tuple[Memory, Array]:
    """Which points may hold the lightest edge of their component by what they know, int64[m], as they lie on the curve.

    Only those near the border are looked at, up to the greatest bound of a component that has a point with a smaller
    one; as a rule these are all."""
    most = np.where(local.least <= bound, bound, bound.dtype.type(-1)).max()
    upto = np.searchsorted(local.near_weights, bits_of(np.maximum(most, 0).reshape(1)), side="right")
    greatest, count = to_host(np.concatenate([most.reshape(1).astype(np.float64), upto.astype(np.float64)])).tolist()
    if greatest < 0:
        return memory, ops.xp.empty(0, np.int64)
    if greatest >= local.rest and len(memory.places) < len(local.weight):
        memory = _with_others(ops, local, memory)
    first = slice(int(count) if greatest < local.rest else None)
    component, found = local.component[memory.places[first]], memory.component[first]
    most, group = bound[component], own[component]
    powers = (None, None) if memory.power is None or power is None else (memory.power[first], power[component])
    asks = _comes_first(memory.weight[first], powers[0], np.abs(most), powers[1])
    asks &= most >= 0
    asks &= (found < 0) | (label[np.maximum(found, 0)] == group)
    rows = np.flatnonzero(asks)
    return memory, rows[ops.sort_order(memory.places[rows].astype(np.uint64))]


def _in_reach(ops: Backend, local: Local, memory: Memory, places: Array, own: Array, bound: Array) -> Array:
    """Which of the points may have an edge within the bound of their component by what their neighbours on the curve
    have learnt, int64[m]: by the triangle inequality, their own distances are less by the distance to the neighbour at
    most."""
    bvh = local.partition.bvh
    rows = np.flatnonzero(memory.asked)
    if len(rows) == 0:
        return ops.xp.arange(len(places))
    rows = rows[ops.sort_order(memory.places[rows].astype(np.uint64))]
    neighbours, weights = memory.places[rows], memory.weight[rows]
    slack = (bvh.d + 64) * float(np.finfo(bvh.dtype).eps)  # more than powers and their roots are rounded by
    component = local.component[places]
    points = bvh.points()[places].astype(np.float64)
    most = _length(bound[component], bvh) * (1 + slack)
    after = np.searchsorted(neighbours, places)
    asks = ops.xp.ones(len(places), bool)
    for at in (np.maximum(after - 1, 0), np.minimum(after, len(rows) - 1)):
        neighbour, weight = neighbours[at], weights[at]
        apart = _length(power_of(np.abs(points - bvh.points()[neighbour]), bvh.norm), bvh)
        close = _length(weight, bvh) * (1 - slack) - apart * (1 + slack) <= most
        close |= own[local.component[neighbour]] != own[component]
        if bvh.core is not None:  # the neighbour's own core distance says nothing of other points
            close |= bvh.core[neighbour] >= weight
        asks &= close
    return np.flatnonzero(asks)


def _length(power: Array, bvh: Bvh) -> Array:
    """Lengths float64[m] from their powers. The least powers have lost digits, or all of them, and count as the first
    one that has not: so they spare no points."""
    limits = np.finfo(bvh.dtype)
    return np.maximum(power.astype(np.float64), float(limits.tiny / limits.eps**2)) ** (1 / bvh.norm.degree)


def _first_to_ask(ops: Backend, hits: Array, groups: Array, tries: Array) -> tuple[Array, Array]:
    """Which of the points ask in this round, bool[m], of those with a hit, in components `groups`; and the components
    of which only some do."""
    asks = hits.any(axis=1)
    able = np.flatnonzero(asks)
    groups = groups[able]
    counts = np.bincount(groups, minlength=len(tries))
    quota = SAMPLE * GROWTH ** tries.astype(np.int64)
    many = np.flatnonzero(counts > quota)
    if len(many):
        inside = np.flatnonzero((counts > quota)[groups])
        asks[able[inside]] = False
        inside = inside[ops.sort_order(groups[inside].astype(np.uint64))]
        own = groups[inside]
        rank = ops.xp.arange(len(own)) - np.searchsorted(own, own)
        step = (counts + quota - 1) // quota
        asks[able[inside[rank % step[own] == 0]]] = True
    return asks, many.astype(np.int32)
