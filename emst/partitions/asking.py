"""The first task of a round: a partition asks others for the lightest edges of its components.

Travels: a `Packet` to each partition that may hold the other end of the lightest edge of a component, with the points
that may be its end here.

Invariant: a point that does not ask has no edge to another partition that is as light as the bound of its component, or
it lies in the greatest component, which asks for nothing: the lightest edges of the others suffice.

Where sending costs more than array operations, `remembering.py` takes the place of `ask`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import NamedTuple

from emst.backend.operations import Backend
from emst.backend.partition_records import Asking, Outline, Questions
from emst.backend.records import Array
from emst.partitions.components import labels_of
from emst.partitions.engine import Sender
from emst.partitions.records import Labels, Local

NO_COMPONENT = -1


class Packet(NamedTuple):
    """What one partition asks another one."""

    questions: Questions
    sampled: Array | None  # int32: components of this round of which the partition sends a sample only


class LowerBounds(NamedTuple):
    """Points of a partition, and lower bounds of their edges to other partitions."""

    places: Array | None  # int32[m], ascending; None: all points
    weight: Array  # T[m]
    power: Array | None  # T[m]: of the distance; None if weights are powers


@dataclass(eq=False)
class Asked(Sender):
    """What a partition has asked in a round. The packets are `Packet`."""

    bounds: LowerBounds  # of the points that may ask


def ask(
    ops: Backend, local: Local, labels: Labels, outline: Outline, before: Asked | None
) -> Generator[None, None, Asked]:
    """Packets of the points of a partition that may hold the lightest edge of their component. `before` is what this
    function returned in the round before, None in the first one."""
    labels, bounds = labels_of(ops, labels), before.bounds if before else near_border(ops, local)
    if labels.count == 1:
        return Asked({}, bounds)
    asked = _questions(ops, local, labels, outline, bounds)
    yield  # other partitions go on while the GPU counts
    found = asked()
    if found is None:  # points beyond those near the border may ask, too
        bounds = LowerBounds(None, local.weight, None if bounds.power is None else local.power)
        found = _questions(ops, local, labels, outline, bounds)()
        assert found is not None
    questions, start = found
    return Asked(
        {
            other: Packet(Questions(*(None if column is None else column[begin:end] for column in questions)), None)
            for other, (begin, end) in enumerate(zip(start, start[1:]))
            if begin < end
        },
        bounds,
    )


def _questions(
    ops: Backend, local: Local, labels: Labels, outline: Outline, bounds: LowerBounds
) -> Callable[[], tuple[Questions, list[int]] | None]:
    asking, number = asking_of(local, labels, *bounds), local.place.number
    boxes = outline._replace(label=labels.boxes)
    return ops.questions(local.partition.index, asking, labels.bases[number], local.numbering, boxes, number)


def near_border(ops: Backend, local: Local) -> LowerBounds:
    """The points near the border: most of those that ask are among them."""
    near = local.near
    power = None if local.partition.index.core is None else ops.take(local.power, near)
    return LowerBounds(near, ops.take(local.weight, near), power)


def groups_of(local: Local, labels: Labels) -> Array:
    """What every component of a partition is part of now, int32[count]."""
    base = labels.bases[local.place.number]
    return labels.label[base : base + local.count]


def asking_of(local: Local, labels: Labels, places: Array | None, weight: Array, power: Array | None) -> Asking:
    """The points of a partition that may ask, all or those near the border, by their `LowerBounds`."""
    of_components = groups_of(local, labels), labels.weight, None if power is None else labels.power, local.least
    rest = local.rest if len(weight) < len(local.weight) else float("inf")
    return Asking(places, weight, power, local.component, *of_components, rest)
