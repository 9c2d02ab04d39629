"""The first task of a round: points ask others, and remember what they were told.

Travels: a `Packet` to each partition that may hold the other end of the lightest edge of a component. The `Reply` comes
back in the next round. The `Memory` stays where the partition lives.

Invariant: a point that does not ask has no edge lighter than those that the rounds know already. If the nearest point
of its last reply lies in another component now, the rounds know that edge, or a lighter one between the two components.
Otherwise, all its other edges are at least as heavy as that reply, or as the radius within which it found nothing.
Points ask within a little more than they must, so that this holds for longer.

A component of which many points could ask sends a sample of them first, and hooks onto no other one in that round. In
the next round more of its points ask, but only those that may have an edge within the weight of the lightest one that
the sample has found. By the triangle inequality, most neighbours of points whose search found nothing need not ask.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.partition_records import Outline, Questions
from emst.backend.records import Array, Norm, SearchIndex
from emst.partitions.asking import NO_COMPONENT, LowerBounds, Packet, asking_of, groups_of, near_border
from emst.partitions.components import labels_of
from emst.partitions.edges import as_bits
from emst.partitions.engine import Sender, packets_for
from emst.partitions.outline import by_partition
from emst.partitions.records import Labels, Local

SAMPLE = 256  # points of a component that a partition lets ask first
GROWTH = 16  # times as many in each further round
FARTHER = 1.15  # times the length of the bound: how far points ask


class Reply(NamedTuple):
    """The nearest points of another component in another partition, for the points of a packet."""

    component: Array  # int32[m]: of the nearest point, among all partitions; `NO_COMPONENT` if there is none
    weight: Array  # T[m]
    power: Array  # T[m]: of the distance


class Memory(NamedTuple):
    """What replies said of the edges to other partitions, for all points or those near the border."""

    places: Array  # int32[m], ascending
    weight: Array  # T[m]: all edges that have not been found are at least as heavy
    power: Array | None  # T[m]: and at equal weight, their powers are at least as great; None if weights are powers
    component: Array  # int32[m]: of the nearest point in another component that was found, or `NO_COMPONENT`
    asked: Array  # bool[m]


@dataclass(eq=False)
class Remembered(Sender):
    """What a partition has asked in a round. The packets are `Packet`."""

    memory: Memory  # before the replies
    rows: Array  # int32[m]: which points of the memory have asked
    radius: Array  # T[m]: within which weight
    members: dict[int, Array]  # int32: which of them each packet holds


class Bounds(NamedTuple):
    """The components of a partition in a round, and the lightest edges that were found to leave them."""

    group: Array  # int32[components of this partition]: their component now
    weight: Array  # T[components of this partition]; -1 if they do not ask


def ask(
    ops: Backend,
    local: Local,
    labels: Labels,
    outline: Outline,
    before: Remembered | None,
    replies: list[Any],
) -> Remembered:
    """Packets of the points of a partition that may hold the lightest edge of their component.

    `before` is what this function returned in the round before, None in the first one; `replies` holds what
    `rounds.answer` returned in every partition then."""
    index, number, labels = local.partition.index, local.place.number, labels_of(ops, labels)
    memory = before.memory if before else _without_replies(ops, near_border(ops, local))
    if before:
        memory = _with_replies(ops, before, replies, number)
    nothing = Remembered({}, memory, ops.xp.empty(0, np.int32), memory.weight[:0], {})
    if labels.count == 1:
        return nothing
    group = groups_of(local, labels)
    bounds = Bounds(group, labels.weight[group])
    memory, rows = _candidates(ops, local, memory, labels)
    tries = labels.tries
    if tries is not None and len(rows) and len(np.flatnonzero(tries)):  # CuPy compiles `any` with CUB, for seconds
        rows = rows[_in_reach(ops, local, memory, memory.places[rows], bounds)]
    if len(rows) == 0:
        return replace(nothing, memory=memory)
    places = memory.places[rows]
    component = local.component[places]
    group, radius = bounds.group[component], bounds.weight[component]
    points = index.points(places)
    radius = np.minimum(radius, np.finfo(index.dtype).max / 2) * index.dtype.type(FARTHER**index.norm.degree)
    boxes = outline._replace(label=labels.boxes)
    hits = ops.outline_hits(points, group, radius, boxes, number, index.norm)
    tries = ops.xp.zeros(labels.count, np.int8) if tries is None else tries
    first, sampled = _first_to_ask(ops, hits, group, tries)
    hits &= first[:, None]
    asking = Questions(
        points,
        component + np.int32(labels.bases[number]),
        None if index.core is None else index.core[places],
        radius,
        local.numbering.ids(places),
    )
    packets, members = _packed(ops, asking, sampled, hits)
    return Remembered(packets, memory, rows, radius, members)


def _packed(ops: Backend, asking: Questions, sampled: Array, hits: Array) -> tuple[dict[int, Packet], dict[int, Array]]:
    """The points as packets to the partitions that they hit, bool[m, partitions]; and which of them each one holds."""
    packets, members = {}, {}
    for other, (*columns, chosen) in by_partition(ops, hits, asking).items():
        packets[other], members[other] = Packet(Questions(*columns), sampled), chosen
    return packets, members


# ---- what points remember ------------------------------------------------------------------------------------------


def _without_replies(ops: Backend, bounds: LowerBounds) -> Memory:
    """The memory of points that have not asked."""
    m = len(bounds.weight)
    return Memory(*bounds, ops.xp.full(m, NO_COMPONENT, np.int32), ops.xp.zeros(m, bool))


def _of_all(ops: Backend, local: Local, memory: Memory) -> Memory:
    """The memory of all points of the partition, as they lie on the curve, with that of the points near the border."""
    places, power = ops.xp.arange(len(local.weight), dtype=np.int32), None if memory.power is None else local.power
    bounds = LowerBounds(places, local.weight.copy(), None if power is None else power.copy())
    of_all = _without_replies(ops, bounds)
    for column, known in zip(of_all[1:], memory[1:]):
        if column is not None:
            column[memory.places] = known
    return of_all


def _with_replies(ops: Backend, before: Remembered, replies: list[Any], number: int) -> Memory:
    """The memory of partition `number` after the replies to its packets of the last round."""
    memory, rows = before.memory, before.rows
    if not before.members:
        return memory
    weight, component = before.radius.copy(), ops.xp.full(len(rows), NO_COMPONENT, np.int32)
    power = None if memory.power is None else ops.xp.full(len(rows), np.inf, weight.dtype)
    replied, arrived = ops.xp.zeros(len(rows), bool), packets_for(number, replies)
    for other, members in before.members.items():
        reply = Reply(*map(ops.asarray, arrived[other]))
        replied[members] = True
        powers = None if power is None else power[members]
        first = ~_comes_first(weight[members], powers, reply.weight, reply.power)
        first |= component[members] == NO_COMPONENT  # of equal edges, the one to the lowest id: partitions are in order
        closer = np.flatnonzero(first & (reply.component >= 0))
        members = members[closer]
        component[members], weight[members] = reply.component[closer], reply.weight[closer]
        if power is not None:
            power[members] = reply.power[closer]
    replied = np.flatnonzero(replied)
    rows = rows[replied]
    new = Memory(memory.places, *(None if old is None else old.copy() for old in memory[1:]))
    new.weight[rows], new.component[rows], new.asked[rows] = weight[replied], component[replied], True
    if new.power is not None and power is not None:
        new.power[rows] = power[replied]
    return new


# ---- which points ask ----------------------------------------------------------------------------------------------


def _comes_first(weight: Array, power: Array | None, than_weight: Array, than_power: Array | None) -> Array:
    """Whether (weight, power) is at most the other pair. No number is negative. Without core distances, weights are
    powers."""
    if power is None or than_power is None:
        return as_bits(weight) <= as_bits(than_weight)
    weight, power, than_weight, than_power = map(as_bits, (weight, power, than_weight, than_power))
    return (weight < than_weight) | ((weight == than_weight) & (power <= than_power))


def _candidates(ops: Backend, local: Local, memory: Memory, labels: Labels) -> tuple[Memory, Array]:
    """Which points may hold the lightest edge of their component by their memory, int32[m], as they lie on the curve;
    and the memory, of all points if those near the border do not suffice."""
    rows, suffice = ops.asking_points(asking_of(local, labels, *memory[:3]), memory.component, labels.label)
    if not suffice:
        memory = _of_all(ops, local, memory)
        rows, _ = ops.asking_points(asking_of(local, labels, *memory[:3]), memory.component, labels.label)
    return memory, rows


def _in_reach(ops: Backend, local: Local, memory: Memory, places: Array, bounds: Bounds) -> Array:
    """Which of the points may have an edge within the bound of their component by the replies to their neighbours on
    the curve, int64[m]. By the triangle inequality, the distances of a point are less than those of a neighbour by the
    distance between the two at most."""
    index, norm = local.partition.index, local.partition.index.norm
    rows = np.flatnonzero(memory.asked)
    if len(rows) == 0:
        return ops.xp.arange(len(places))
    neighbours, weights = memory.places[rows], memory.weight[rows]
    slack = (index.d + 64) * float(np.finfo(index.dtype).eps)  # more than powers and their roots are rounded by
    component = local.component[places]
    points = index.points(places).astype(np.float64)
    most = _length(bounds.weight[component], index) * (1 + slack) + 4 * norm.blur(index.dtype)
    after = np.searchsorted(neighbours, places)
    asks = ops.xp.ones(len(places), bool)
    for at in (np.maximum(after - 1, 0), np.minimum(after, len(rows) - 1)):
        neighbour, weight = neighbours[at], weights[at]
        apart = _length(_power_of(norm.wrapped(np.abs(points - index.points(neighbour))), norm), index)
        close = _length(weight, index) * (1 - slack) - apart * (1 + slack) <= most
        close |= bounds.group[local.component[neighbour]] != bounds.group[component]
        if index.core is not None:  # a weight that is the neighbour's core distance says nothing of other points
            close |= index.core[neighbour] >= weight
        asks &= close
    return np.flatnonzero(asks)


def _length(power: Array, index: SearchIndex) -> Array:
    """Lengths float64[m] from their powers. The least powers have lost digits, or all of them. They count as the first
    power that has all its digits, so that no point is kept from asking by them."""
    limits = np.finfo(index.dtype)
    return np.maximum(power.astype(np.float64), float(limits.tiny / limits.eps**2)) ** (1 / index.norm.degree)


def _first_to_ask(ops: Backend, hits: Array, groups: Array, tries: Array) -> tuple[Array, Array]:
    """Which of the points ask in this round, bool[m], of those with a hit, in components `groups`; and the components
    of which only a sample asks."""
    asks = hits.any(axis=1)
    able = np.flatnonzero(asks)
    groups = groups[able]
    counts = ops.xp.zeros(len(tries), np.int64)
    ops.xp.add.at(counts, groups, 1)  # CuPy's `bincount` needs `any`
    quota = SAMPLE * GROWTH ** tries.astype(np.int64)
    many = np.flatnonzero(counts > quota)
    if len(many):
        inside = np.flatnonzero((counts > quota)[groups])
        asks[able[inside]] = False
        inside = inside[ops.sort_order(groups[inside].astype(np.uint64))]
        groups = groups[inside]
        rank = ops.xp.arange(len(groups)) - np.searchsorted(groups, groups)
        step = (counts + quota - 1) // quota
        asks[able[inside[rank % step[groups] == 0]]] = True
    return asks, many.astype(np.int32)


def _power_of(sides: Array, norm: Norm) -> Array:
    """About the powers of the lengths of vectors whose coordinates are not negative."""
    columns = list(sides.T)
    if norm.kind == "chebyshev":
        return functools.reduce(np.maximum, columns)
    return sum(side**norm.degree for side in columns[1:]) + columns[0] ** norm.degree
