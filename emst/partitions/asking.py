"""What partitions ask one another in a round, and what is known of the points that may ask."""

from __future__ import annotations

from typing import NamedTuple

from emst.backend.operations import Backend
from emst.backend.partition_records import Asking, Questions
from emst.backend.records import Array
from emst.partitions.records import Labels, Local

NO_COMPONENT = -1


class Packet(NamedTuple):
    """What one partition asks another one."""

    questions: Questions
    sampled: Array | None  # int32: components of this round of which the partition sends a sample only


class LowerBounds(NamedTuple):
    """Points of a partition, and lower bounds of their edges to other partitions."""

    places: Array  # int32[m], ascending
    weight: Array  # T[m]
    power: Array | None  # T[m]: of the distance; None if weights are powers


def near_border(ops: Backend, local: Local) -> LowerBounds:
    """The points near the border: most of those that ask are among them."""
    near = local.near
    power = None if local.partition.index.core is None else ops.take(local.power, near)
    return LowerBounds(near, ops.take(local.weight, near), power)


def groups_of(local: Local, labels: Labels) -> Array:
    """What every component of a partition is part of now, int32[count]."""
    base = labels.bases[local.place.number]
    return labels.label[base : base + local.count]


def asking_of(local: Local, labels: Labels, places: Array, weight: Array, power: Array | None) -> Asking:
    """The points of a partition that may ask, all or those near the border, by their `LowerBounds`."""
    of_components = groups_of(local, labels), labels.weight, None if power is None else labels.power, local.least
    rest = local.rest if len(weight) < len(local.weight) else float("inf")
    return Asking(places, weight, power, local.component, *of_components, rest)
