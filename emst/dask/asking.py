"""The first task of a round: a partition asks others for the lightest edges of its components.

A point that may hold the lightest edge of its component goes to the partitions that may hold the other end. What it
learns is kept. While the nearest point that was found lies in another component, the point need not ask again: that
edge, or a lighter one between the two components, is known. Otherwise its other edges are no lighter than what was
found, or than how far it asked. So it asks a little farther than it must.

A component of which many points could ask sends some of them first, and hooks onto no other one in that round. In the
next round it asks with more, but only with those that are within the weight of the lightest edge found. By the triangle
inequality, most neighbours of points that found nothing near need not ask either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Norm, Outline
from emst.dask.certain import Local
from emst.dask.components import Labels, Place, Rounds, labels_of
from emst.dask.order import as_bits, bits_of
from emst.dask.routing import Sender, addressed_to
from emst.inputs.devices import to_host

SAMPLE = 128  # points of a component that a partition lets ask first
GROWTH = 8  # times as many in each further round
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
    """What points know that have asked."""

    places: Array  # int64[m], ascending
    component: Array  # int32[m]: of the nearest point of another component at that time; -1 if there was none
    weight: Array  # T[m]: of the edge to it; how far they asked if there was none
    power: Array  # T[m]: of the distance; infinite if there was none


@dataclass(eq=False)
class Asked(Sender):
    """What a partition has asked in a round. The packets are `Packet`."""

    memory: Memory  # before the answers
    places: Array  # int64[m]: the points, ascending
    radius: Array  # T[m]: how far they asked
    members: dict[int, Array]  # int64: which of them each packet holds


def ask(
    ops: Backend,
    local: Local,
    place: Place,
    state: Rounds | Labels,
    outline: Outline,
    before: Asked | None,
    answers: list[Any],
) -> Asked:
    """Packets of the points of a partition that may hold the lightest edge of their component.

    `before` is what this function returned in the round before, None in the first one; `answers` holds what
    `answering.answer` returned in every partition then."""
    bvh, partition, labels = local.partition.bvh, local.partition, labels_of(state)
    memory = _memory(ops, before, answers, place.number, bvh.dtype)
    nobody = Asked({}, memory, memory.places[:0], memory.weight[:0], {})
    if labels.count == 1:
        return nobody
    base = labels.bases[place.number]
    label, tries = ops.asarray(labels.label), ops.asarray(labels.tries)
    own = label[base : base + local.count]
    bound = ops.asarray(labels.weight)[own]
    power = None if bvh.core is None else ops.asarray(labels.power)[own]
    places = _hopeful(ops, local, bound, power)
    if len(memory.places):
        places = places[_uncertain(ops, memory, places, own, local, label, bound, power)]
        if bool(tries.any()):
            places = places[_in_reach(ops, local, memory, places, own, bound)]
    if len(places) == 0:
        return nobody
    component = local.component[places]
    points = ops.xp.ascontiguousarray(bvh.points()[places])
    radius = np.minimum(bound[component], np.finfo(bvh.dtype).max / 2) * bvh.dtype.type(FARTHER**bvh.norm.degree)
    boxes = outline._replace(label=ops.asarray(labels.boxes))
    hits = ops.outline_hits(points, own[component], radius, boxes, place.number, bvh.norm)
    able = np.flatnonzero(hits.any(axis=1))
    first, partly = _first_to_ask(ops, own[component[able]], tries)
    able = able[first]
    hits, points, component, radius, places = (column[able] for column in (hits, points, component, radius, places))
    ids, core = partition.ids(place.start, places), None if bvh.core is None else bvh.core[places]
    packets, members = {}, {}
    for other in np.flatnonzero(to_host(hits.any(axis=0))).tolist():
        members[other] = mine = np.flatnonzero(hits[:, other])
        packets[other] = Packet(
            points[mine],
            component[mine] + np.int32(base),
            None if core is None else core[mine],
            radius[mine],
            ids[mine],
            partly,
        )
    return Asked(packets, memory, places, radius, members)


def _memory(ops: Backend, before: Asked | None, answers: list[Any], own: int, dtype: np.dtype) -> Memory:
    """What the points of partition `own` know, with the answers of the last round."""
    if before is None:
        nothing = ops.xp.empty(0, dtype)
        return Memory(ops.xp.empty(0, np.int64), ops.xp.empty(0, np.int32), nothing, nothing)
    if len(before.places) == 0:
        return before.memory
    component = ops.xp.full(len(before.places), -1, np.int32)
    weight, power = before.radius.copy(), ops.xp.full(len(before.places), np.inf, dtype)
    for other, members in before.members.items():
        found = Found(*map(ops.asarray, addressed_to(own, answers[other])))
        closer = _comes_first(found.weight, found.power, weight[members], power[members])
        closer = np.flatnonzero(closer & (found.component >= 0))
        members = members[closer]
        component[members], weight[members], power[members] = (column[closer] for column in found)
    old = before.memory
    kept = np.flatnonzero(~_found_in(before.places, old.places)[1])
    columns = zip((column[kept] for column in old), (before.places, component, weight, power))
    memory = Memory(*(np.concatenate(pair) for pair in columns))
    order = ops.sort_order(memory.places.astype(np.uint64))
    return Memory(*(column[order] for column in memory))


def _found_in(ascending: Array, numbers: Array) -> tuple[Array, Array]:
    """Where numbers stand in an ascending array, int64[m], and whether they are there, bool[m]."""
    at = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return at, ascending[at] == numbers


def _comes_first(weight: Array, power: Array | None, than_weight: Array, than_power: Array | None) -> Array:
    """Whether (weight, power) is at most the other pair. No number is negative. Without core distances, weights are
    powers."""
    if power is None or than_power is None:
        return as_bits(weight) <= as_bits(than_weight)
    weight, power, than_weight, than_power = map(as_bits, (weight, power, than_weight, than_power))
    return (weight < than_weight) | ((weight == than_weight) & (power <= than_power))


def _hopeful(ops: Backend, local: Local, bound: Array, power: Array | None) -> Array:
    """Points that may ask by what they knew before the first round, int64[m], ascending.

    Only those near the border are looked at, up to the greatest bound of a component that has a point with a smaller
    one; as a rule these are all."""
    most = np.where(local.least <= bound, bound, bound.dtype.type(-1)).max()
    upto = np.searchsorted(local.near_weights, bits_of(np.maximum(most, 0).reshape(1)), side="right")
    greatest, count = to_host(np.concatenate([most.reshape(1).astype(np.float64), upto.astype(np.float64)])).tolist()
    if greatest < 0:
        return ops.xp.empty(0, np.int64)
    whole = greatest >= local.rest
    places = ops.xp.arange(len(local.weight)) if whole else local.near[: int(count)].astype(np.int64)
    component = local.component[places]
    most, powers = bound[component], None if power is None else power[component]
    asks = _comes_first(local.weight[places], None if power is None else local.power[places], np.abs(most), powers)
    asks &= most >= 0
    places = places[np.flatnonzero(asks)]
    return places if whole else places[ops.sort_order(places.astype(np.uint64))]


def _uncertain(
    ops: Backend,
    memory: Memory,
    places: Array,
    own: Array,
    local: Local,
    label: Array,
    bound: Array,
    power: Array | None,
) -> Array:
    """Which of the points still may hold the lightest edge by what they have learnt, int64[m]."""
    at, knows = _found_in(memory.places, places)
    target, component = memory.component[at], local.component[places]
    outside = (target >= 0) & (label[np.maximum(target, 0)] != own[component])
    powers = None if power is None else power[component]
    lighter = _comes_first(memory.weight[at], memory.power[at], bound[component], powers)
    return np.flatnonzero(~knows | (lighter & ~outside))


def _in_reach(ops: Backend, local: Local, memory: Memory, places: Array, own: Array, bound: Array) -> Array:
    """Which of the points may have an edge within the bound of their component by what their neighbours on the curve
    have learnt, int64[m]: by the triangle inequality, their own distances are less by the distance to the neighbour at
    most."""
    bvh = local.partition.bvh
    degree, slack = bvh.norm.degree, (bvh.d + 64) * float(np.finfo(bvh.dtype).eps)
    component = local.component[places]
    points = bvh.points()[places].astype(np.float64)
    most = bound[component].astype(np.float64) ** (1 / degree) * (1 + slack)
    after = np.searchsorted(memory.places, places)
    asks = ops.xp.ones(len(places), bool)
    for at in (np.maximum(after - 1, 0), np.minimum(after, len(memory.places) - 1)):
        neighbour, weight = memory.places[at], memory.weight[at]
        apart = _power(points - bvh.points()[neighbour], bvh.norm) ** (1 / degree)
        close = weight.astype(np.float64) ** (1 / degree) * (1 - slack) - apart * (1 + slack) <= most
        close |= own[local.component[neighbour]] != own[component]
        if bvh.core is not None:  # the neighbour's own core distance says nothing of other points
            close |= bvh.core[neighbour] >= weight
        asks &= close
    return np.flatnonzero(asks)


def _power(sides: Array, norm: Norm) -> Array:
    """Powers of the lengths of vectors."""
    sides = np.abs(sides)
    return sides.max(axis=1) if norm.kind == "chebyshev" else (sides**norm.degree).sum(axis=1)


def _first_to_ask(ops: Backend, groups: Array, tries: Array) -> tuple[Array, Array]:
    """Which of the points ask in this round, of components `groups`; and the components of which only some do."""
    counts = np.bincount(groups, minlength=len(tries))
    quota = SAMPLE * GROWTH ** tries.astype(np.int64)
    many = counts > quota
    keep = ~many[groups]
    crowd = np.flatnonzero(~keep)
    if len(crowd):
        crowd = crowd[ops.sort_order(groups[crowd].astype(np.uint64))]
        own = groups[crowd]
        rank = ops.xp.arange(len(own)) - np.searchsorted(own, own)
        step = (counts + quota - 1) // quota
        keep[crowd[rank % step[own] == 0]] = True
    return np.flatnonzero(keep), np.flatnonzero(many).astype(np.int32)
