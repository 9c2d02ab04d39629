"""The first task of a round: a partition asks others for the lightest edges of its components.

Travels: a `Packet` to each partition that may hold the other end of the lightest edge of a component, with the points
that may be its end here.

Invariant: a point that does not ask has no edge to another partition that is as light as the bound of its component, or
it lies in the greatest component, which asks for nothing: the lightest edges of the others suffice.

Where sending costs more than array operations, `remembering.py` takes the place of `ask`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from emst.backend.operations import Backend
from emst.backend.partition_records import Outline, Questions
from emst.backend.records import Array
from emst.partitions.components import labels_of
from emst.partitions.engine import Sender
from emst.partitions.records import Labels, Local

NO_COMPONENT = -1


class Packet(NamedTuple):
    """What one partition asks another one."""

    questions: Questions
    sampled: Array | None  # int32: components of this round of which the partition sends a sample only


class Border(NamedTuple):
    """The points of a partition that may ask, and lower bounds of the weights of their edges to other partitions."""

    places: Array | None  # int32[m], ascending; None: all points
    weight: Array  # T[m]
    power: Array | None  # T[m]: of the distance; None if weights are powers


@dataclass(eq=False)
class Asked(Sender):
    """What a partition has asked in a round. The packets are `Packet`."""

    border: Border


def ask(ops: Backend, local: Local, labels: Labels, outline: Outline, before: Asked | None) -> Asked:
    """Packets of the points of a partition that may hold the lightest edge of their component. `before` is what this
    function returned in the round before, None in the first one."""
    partition, index, number = local.partition, local.partition.index, local.place.number
    labels, border = labels_of(ops, labels), before.border if before else _near_border(ops, local)
    if labels.count == 1:
        return Asked({}, border)
    rows, near_suffice = asking_of(ops, local, labels, (*border, None, local.component), border.places is not None)
    if not near_suffice:
        border = Border(None, local.weight, None if border.power is None else local.power)
        rows, _ = asking_of(ops, local, labels, (*border, None, local.component), False)
    if len(rows) == 0:
        return Asked({}, border)
    places = rows if border.places is None else ops.take(border.places, rows)
    group, base = groups_of(local, labels), labels.bases[number]
    of_points = places, local.component, group, base, labels.weight, partition.numbering(local.place.start)
    asked, start = ops.questions(index, *of_points, outline._replace(label=labels.boxes), number)
    return Asked(
        {
            other: Packet(Questions(*(None if column is None else column[begin:end] for column in asked)), None)
            for other, (begin, end) in enumerate(zip(start, start[1:]))
            if begin < end
        },
        border,
    )


def groups_of(local: Local, labels: Labels) -> Array:
    """What every component of a partition is part of now, int32[count]."""
    base = labels.bases[local.place.number]
    return labels.label[base : base + local.count]


def asking_of(
    ops: Backend, local: Local, labels: Labels, points: tuple[Any, Any, Any, Any, Any], near: bool
) -> tuple[Array, bool]:
    """Which of these points may hold the lightest edge of their component, int32[m]; and whether no others may, if they
    are those near the border. `points` are the first five arguments of ``ops.asking_points``."""
    power = None if points[2] is None else labels.power
    bounds = groups_of(local, labels), labels.weight, power, labels.label
    return ops.asking_points(*points, *bounds, local.least, local.rest if near else float("inf"))


def _near_border(ops: Backend, local: Local) -> Border:
    near = local.near
    power = None if local.partition.index.core is None else ops.take(local.power, near)
    return Border(near, ops.take(local.weight, near), power)
