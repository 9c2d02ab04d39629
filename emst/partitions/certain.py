"""What a partition does before the rounds: it asks others once what lies beyond its border, and then finds what is
certain without them.

Travels: `BorderQuestions` to each partition whose outline lies within the radius of a point, and the distances of the
nearest points there back, with their weights if points have some. The `Bounded` and the `Local` stay where the
partition lives, and other partitions and workers get what is taken from them.

The radius of a point is its core distance in its own partition: no neighbour that counts is farther. So core distances
become those of all points. Without core distances, the radius is about what edges near the point are long. The nearest
distance bounds all edges that leave the partition at this point.

Invariant: an edge is certain, that is in the tree of all points, if it is the lightest that leaves its component here,
and comes before every edge to another partition. So Borůvka's loop (`emst/boruvka.py`) holds back the others: a
component hooks only if its lightest edge (weight, power of the distance) comes before (the greater of reach and core
distance, reach) of every point in it. Other components may still hook onto one that does not hook.

When few components hook, the loop goes on without that condition. By the cut property, every edge of the tree of all
points that stays inside the partition is among the edges found here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.partition_records import Outline
from emst.backend.records import Array, Forest, Norm, SearchIndex
from emst.boruvka import spanning_forest
from emst.partitions.engine import Engine, Future, Sender, Sized, bytes_of, packets_for, routed
from emst.partitions.nearest import Answers, Distances, Weighed, nearest_of
from emst.partitions.outline import by_partition, reaches
from emst.partitions.records import Amount, Local, Partition, Place, Search
from emst.spanning import Searches

STALLED = 0.8  # of the components are left after a round: few more edges would be certain, and rounds cost as before


# ---- questions at the border -----------------------------------------------------------------------------------------


class BorderQuestions(NamedTuple):
    """Points of one partition that ask another one."""

    points: Array  # T[m, d], scaled, in curve order
    radius: Array  # T[m]: power of the distance up to which they ask
    asking: Array  # int32[m]: which of the points that ask at all


class AskedPoints(NamedTuple):
    """What is left of `BorderQuestions` when they have been answered."""

    asking: Array


@dataclass(eq=False)
class Border(Sender):
    """The points of a partition that may have neighbours in others. Its packets are `BorderQuestions`. When these have
    been answered, they are `AskedPoints`."""

    reach: Array  # T[n]: lower bound of the power of the distance to all points of other partitions
    near: Array  # int32[m]: the points near the border, whose bounds were computed one by one
    rest: float  # least bound of the other points
    asking: Array  # int32: the points that ask
    radius: Array  # T: how far they ask


@dataclass(eq=False)
class Bounded(Sized):
    """A partition that knows what others have answered. Nothing else of questions and answers is kept."""

    partition: Partition  # with the core distances of its points among all points, times the core factor
    core: Array | None  # T[n]: powers of the core distances, without the factor
    reach: Array  # T[n]: lower bound of the power of the distance to all points of other partitions
    near: Array  # as in `Border`
    rest: float  # as in `Border`


def border_of(ops: Backend, partition: Partition, outline: Outline, number: int) -> Border:
    """Find the points of partition `number` that may have neighbours in others."""
    found = reaches(partition.index, outline, number, ops)
    questions = questions_of(ops, found.points, found.radius, outline, number, partition.index.norm)
    return Border(questions, *found[:5])


def without_questions(ops: Backend, border: Border) -> Border:
    """The border when its questions have been answered: only which points have asked."""
    packets = {other: AskedPoints(questions.asking) for other, questions in border.packets.items()}
    return replace(border, packets=packets)


def border_costs(ops: Backend, border: Border, number: int, answers: list[Any]) -> tuple[int, int]:
    """Points of partition `number` that ask, and bytes of their questions and of the answers."""
    packets = border.packets.values()
    size = sum(questions.points.nbytes + questions.radius.nbytes for questions in packets)
    size += bytes_of(packets_for(number, answers))
    return sum(len(questions.radius) for questions in packets), size


def questions_of(
    ops: Backend, points: Array, radius: Array, outline: Outline, number: int, norm: Norm
) -> dict[int, BorderQuestions]:
    """The scaled points as questions to the partitions other than `number` that have a box within their radius. The
    outline is on the backend."""
    return {
        other: BorderQuestions(*columns)
        for other, columns in asked_of(ops, (points, radius), radius, outline, number, norm).items()
    }


def asked_of(
    ops: Backend, columns: tuple[Any, ...], radius: Array, outline: Outline, number: int, norm: Norm
) -> dict[int, list[Any]]:
    """Columns of points, the first their scaled coordinates, of those that have a box of another partition than
    `number` within their radius, by partition; at the end, which of the points they are. The outline is on the
    backend."""
    points = columns[0]
    if len(points) == 0:
        return {}
    hits = ops.outline_hits(points, None, radius, outline, number, norm)
    return by_partition(ops, hits, columns)


def distances_for(
    ops: Backend, partition: Partition, number: int, amount: Amount, borders: list[Any]
) -> dict[int, Distances | Weighed]:
    """Distances of the nearest points of partition `number`, for all questions, by the partition that asks.

    `borders` holds the `Sender` of the questions of every partition.
    """
    return {
        other: nearest_of(ops, partition, questions.points, questions.radius, amount)
        for other, questions in packets_for(number, borders).items()
    }


def with_answers(
    ops: Backend, partition: Partition, border: Border, number: int, search: Search, answers: list[Any]
) -> Bounded:
    """What partition `number` knows when all have answered. `answers` holds what `distances_for` returned in every
    partition."""
    partition, reach = partition.with_index(), ops.copied(border.reach)
    index = partition.index
    take_answers(ops, partition, border, reach, number, search, answers)
    core = index.core
    if core is not None and search.core_factor != 1:
        ops.scale_cores(index, search.core_factor)
    return Bounded(partition, core, reach, border.near, border.rest)


def take_answers(
    ops: Backend, partition: Partition, border: Border, reach: Array, number: int, search: Search, answers: list[Any]
) -> None:
    """Write the reaches and core distances of the points of partition `number` that have asked. `answers` holds what
    `distances_for` returned in every partition."""
    index, asking = partition.index, border.asking
    if len(asking) == 0:
        return
    found = answers_to(ops, border, number, answers)
    firsts = [(chosen, distances.first(ops)) for chosen, distances in found]
    ops.take_reaches(reach, asking, border.radius, firsts)
    if search.k > 1:
        assert index.core is not None
        points = index.points(asking)
        here = nearest_of(ops, partition, points, border.radius, search.amount(search.k))
        core = ops.copied(index.core)
        ops.put(core, asking, here.joined(found, ops).last(ops))
        ops.set_cores(index, core)


def answers_to(ops: Backend, sender: Sender, number: int, answers: list[Any]) -> Answers:
    """What other partitions have found for partition `number`, which asked by `sender`. `answers` holds what
    `distances_for` returned in every partition."""
    found = packets_for(number, answers)
    return [(sender.packets[other].asking, answer.on(ops)) for other, answer in found.items()]


def asked_borders(
    parts: list[Future], outline: list[Future], search: Search, engine: Engine
) -> tuple[list[Future], list[list[Any]]]:
    """The border of every partition, and the answers that it gets."""
    borders = [engine.submit(border_of, partition, outline[j], j, at=j) for j, partition in enumerate(parts)]
    # A point itself is one of the k. Its weight may be less than 1.
    others = search.k if search.bits is not None else max(search.k - 1, 1)
    return borders, answered(parts, borders, search.amount(others), engine)


def answered(parts: list[Future], senders: list[Future], amount: Amount, engine: Engine) -> list[list[Any]]:
    """For every partition, the answers of `distances_for` to the questions of all senders, one a partition."""
    arriving = routed(senders, len(parts), engine)
    answers = [
        engine.submit(distances_for, partition, j, amount, arriving[j], at=j) for j, partition in enumerate(parts)
    ]
    return routed(answers, len(parts), engine)


# ---- what is certain -------------------------------------------------------------------------------------------------


def local_tree(ops: Backend, place: Place, bounded: Bounded, search: Search) -> Local:
    """All that a partition does alone."""
    partition, power, near, rest = bounded.partition, bounded.reach, bounded.near, bounded.rest
    index = partition.index
    with partition.lock:
        forest, weight, certain = _grown(ops, index, power, search.first_round)
    component, size = ops.number_points(certain.labels, certain.roots)
    edges = ops.take_open(index, forest, certain.roots, component, partition.numbering(place.start))
    least = certain.least
    del certain  # the sort needs memory
    ops.forget_neighbours(index)  # the argument loses them, too; they only make rounds faster
    listed = None
    if search.lists:
        ends, listed = ops.listed_edges(index, forest, ops.asarray(partition.rows, np.int32))
        weights = listed.weight
    else:
        ends, weights = ops.sorted_edges(index, forest, None, powers=True)
    if index.core is not None and rest < np.inf:
        rest = ops.least_of_others(weight, near)
    # Points that are left out have no place in it.
    first_round = None if len(partition.left_out) else forest.first_round
    bounds = weight, weight if index.core is None else power, least, near, rest
    return Local(place, partition, bounded.core, component, size, ends, weights, edges, *bounds, listed, first_round)


class _Certain:
    """Tells `spanning_forest` which components must not hook: those for which another partition may hold a lighter
    edge. When these are nearly all components, the edges found until then are the certain ones, and are kept here.

    Attributes
    ----------
    roots : int32[count]
        Of the components.
    labels : int32[n]
        Root of every point's component.
    least : T[count]
        Least weight of an edge from each component to other partitions.
    """

    def __init__(self, ops: Backend, index: SearchIndex, forest: Forest, weight: Array, power: Array) -> None:
        self.ops, self.index = ops, index
        self.roots, self.labels = forest.components, None  # which contraction leaves alone for one more round
        self.before = forest.count * 10  # components before the last round
        # by root: the least weight of a component, and the least power of a distance that goes with it
        self.weight, self.power = ops.copied(weight), None if index.core is None else ops.copied(power)

    def keep(self, forest: Forest) -> None:
        self._join_bounds(forest)
        self.least = self.ops.take(self.weight, self.roots)
        del self.weight, self.power  # the copies need memory
        self.roots, self.labels = self.ops.copied(self.roots), self.ops.copied(forest.labels)

    def hold_back(self, forest: Forest) -> bool:
        """See `spanning_forest`."""
        self._join_bounds(forest)
        few_hook = forest.count > STALLED * self.before
        self.before = forest.count
        if few_hook or not self.ops.hold_back(self.index, forest, self.weight, self.power):
            self.keep(forest)
            return False
        return True

    def _join_bounds(self, forest: Forest) -> None:
        if len(self.roots) > forest.count:
            self.ops.join_bounds(forest, self.roots, self.weight, self.power)
            self.roots = forest.components


def _grown(ops: Backend, index: SearchIndex, power: Array, first_round: bool) -> tuple[Forest, Array, _Certain]:
    """The forest of the partition, the bounds of weights, and which of its edges are certain. The bound of a repeated
    point is infinite: the first point of its component, which it equals, asks for it."""
    searches = Searches(index, ops)
    forest = ops.join_duplicates(index, searches.begin, first_round)
    weight = ops.bound_weights(index, forest, power)
    certain = _Certain(ops, index, forest, weight, power)
    spanning_forest(forest, searches.lightest, ops, prepare=searches.prepare, hold_back=certain.hold_back)
    if certain.labels is None:  # no component was left that could be held back
        certain.keep(forest)
    return forest, weight, certain
