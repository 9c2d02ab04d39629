"""What points near a border learn from other partitions before any edge is chosen: one wave of questions.

A point asks the partitions whose outlines lie within its radius for the distances of the nearest points there. The
radius is its core distance in its own partition: no neighbour that counts is farther. So core distances become those of
all points. Without core distances, the radius is about what edges near the point are long. The nearest distance bounds
all edges that leave the partition at this point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Norm, Outline
from emst.inputs.devices import to_host
from emst.partitions.outline import reaches, spacings
from emst.partitions.packets import Sender, addressed_to
from emst.partitions.partition import Partition

NO_LABEL = -2  # differs from the label of every box


class Questions(NamedTuple):
    """Points of one partition that ask another one."""

    points: Array  # T[m, d], scaled, in curve order
    radius: Array  # T[m]: power of the distance up to which they ask
    asking: Array  # int64[m]: which of the points that ask at all


@dataclass(eq=False)
class Border(Sender):
    """The points of a partition that may have neighbours in others. The packets are `Questions`."""

    reach: Array  # T[n]: lower bound of the power of the distance to all points of other partitions
    near: Array  # int[m]: points whose bound is their own
    rest: float  # least bound of the others
    asking: Array  # int32: the points that ask
    radius: Array  # T: how far they ask


def border(ops: Backend, partition: Partition, outline: Outline, own: int, k: int) -> Border:
    """Find the points of a partition that may have neighbours in others."""
    bvh = partition.bvh
    reach, near, rest = reaches(bvh, outline, own, ops)
    if k > 1:  # all points whose core distance may be smaller; sparse ones may lie far from the border
        asking = np.flatnonzero(reach <= bvh.core)
        radius = bvh.core[asking]
    else:
        radius = spacings(bvh, near, ops)
        hopeful = reach[near] <= radius
        asking, radius = near[hopeful], radius[hopeful]
    points = ops.xp.ascontiguousarray(bvh.points()[asking])
    asked = asked_of(ops, points, radius, outline, own, bvh.norm)
    questions = {other: Questions(points[mine], radius[mine], mine) for other, mine in asked.items()}
    return Border(questions, reach, near, rest, asking, radius)


def sent(ops: Backend, given: Border, count: int) -> tuple[int, int]:
    """Points that ask, and bytes of their questions and of the answers."""
    asked = [(len(own.radius), own.points.nbytes + own.radius.nbytes * (1 + count)) for own in given.packets.values()]
    return sum(points for points, _ in asked), sum(size for _, size in asked)


def asked_of(ops: Backend, points: Array, radius: Array, outline: Outline, own: int, norm: Norm) -> dict[int, Array]:
    """Which of the scaled points have a box of another partition than `own` within their radius, int64, by partition.
    The outline is on the backend."""
    if len(points) == 0:
        return {}
    hits = ops.outline_hits(points, ops.xp.full(len(points), NO_LABEL, np.int32), radius, outline, own, norm)
    return {other: np.flatnonzero(hits[:, other]) for other in np.flatnonzero(to_host(hits.any(axis=0))).tolist()}


def distances_for(ops: Backend, partition: Partition, own: int, count: int, borders: list[Any]) -> dict[int, Array]:
    """Distances T[m, count] of the nearest points of this partition, for all that ask, by their partition.

    `borders` holds what asks in every partition.
    """
    found = {}
    for other, given in enumerate(borders):
        questions = addressed_to(own, given)
        if questions is not None:
            found[other] = nearest_of(ops, partition, questions.points, questions.radius, count)
    return found


def nearest_of(ops: Backend, partition: Partition, points: Array, radius: Array, count: int) -> Array:
    """Powers of the distances of scaled points to the `count` nearest of a partition within `radius`: T[m, count]."""
    bvh = partition.bvh
    points = ops.asarray(points)
    queries = ops.build_bvh(points, ops.xp.arange(len(points), dtype=np.int32), 1.0, bvh.norm)
    return ops.nearest_distances(bvh, queries, ops.asarray(radius), count)
