"""How far the nearest points are: what a partition finds for its own questions, what it answers others, and both
together.

Without weights, that is the distances of as many points as are wanted. With weights, it is the distances and weights of
the nearest points until their weights suffice. How many points that takes differs from question to question, so they
are in one list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.partitions.edges import bits_of
from emst.partitions.engine import Sized
from emst.partitions.records import Amount, Partition

# Which questions another partition was asked, int32, and what it has found for them, on the backend.
Answers = list[tuple[Array, Any]]


@dataclass(eq=False)
class Distances(Sized):
    """Of m questions."""

    powers: Array  # T[m, count]: of the nearest points, ascending; infinite where there are fewer

    def on(self, ops: Backend) -> Distances:
        """The same on the backend."""
        return Distances(ops.asarray(self.powers))

    def first(self, ops: Backend) -> Array:
        """Powers of the distances to the nearest points, T[m]. They may be a column of an array."""
        return self.powers[:, 0]

    def last(self, ops: Backend) -> Array:
        """Powers of the distances within which there are enough points, T[m]; infinite where there are fewer. They may
        be a column of an array."""
        return self.powers[:, -1]

    def joined(self, answers: Answers, ops: Backend) -> Distances:
        """These with those that other partitions have found."""
        return Distances(ops.join_distances(self.powers, [(chosen, found.powers) for chosen, found in answers]))


@dataclass(eq=False)
class Weighed(Sized):
    """Of m questions; by question, and then by distance."""

    m: int
    enough: int  # units of weights that are wanted
    question: Array  # int64[c]
    powers: Array  # T[c]: of the distances to nearest points
    units: Array  # int64[c]: their weights, or the sum of several at one distance

    def on(self, ops: Backend) -> Weighed:
        """The same on the backend."""
        return Weighed(self.m, self.enough, *map(ops.asarray, (self.question, self.powers, self.units)))

    def first(self, ops: Backend) -> Array:
        """As `Distances.first`; infinite where no point was found."""
        question, powers = self.question, self.powers
        begins = ops.xp.ones(len(question), bool)
        begins[1:] = question[1:] != question[:-1]
        return self._spread(question, powers, np.flatnonzero(begins), ops)

    def last(self, ops: Backend) -> Array:
        """Powers of the least distances within which the weights suffice, T[m]; infinite where they do not."""
        xp, question = ops.xp, self.question
        begins = xp.searchsorted(question, xp.arange(self.m, dtype=np.int64))
        upto = xp.zeros(len(question) + 1, np.uint64)  # sums of all questions may wrap around, differences do not
        upto[1:] = xp.cumsum(self.units.astype(np.uint64))
        suffices = np.flatnonzero(upto[1:] - upto[begins][question] >= xp.uint64(self.enough))
        first = xp.ones(len(suffices), bool)
        first[1:] = question[suffices[1:]] != question[suffices[:-1]]
        return self._spread(question, self.powers, suffices[first], ops)

    def _spread(self, question: Array, powers: Array, chosen: Array, ops: Backend) -> Array:
        values = ops.xp.full(self.m, np.inf, powers.dtype)
        values[question[chosen]] = powers[chosen]
        return values

    def joined(self, answers: Answers, ops: Backend) -> Weighed:
        """These with those that other partitions have found."""
        lists = [(self.question, self.powers, self.units)]
        for chosen, found in answers:
            lists.append((chosen[found.question], found.powers, found.units))
        return _sorted(ops, self.m, self.enough, *map(np.concatenate, zip(*lists)))


def nearest_of(ops: Backend, partition: Partition, points: Array, radius: Array, amount: Amount) -> Distances | Weighed:
    """How far the nearest points of a partition are from each of the scaled points. Points beyond `radius`, T[m], a
    power, do not count."""
    index, radius = partition.index, ops.asarray(radius)
    points = ops.asarray(points)
    queries = ops.build_queries(points, index.norm)
    return nearest_to(ops, partition, queries, radius, amount)


def nearest_to(ops: Backend, partition: Partition, queries: Any, radius: Array, amount: Amount) -> Distances | Weighed:
    """The same for queries in a hierarchy."""
    if not amount.weighed:
        return Distances(ops.nearest_distances(partition.index, queries, radius, amount.wanted))
    found = ops.weighted_nearest(partition.index, queries, partition.units, amount.wanted, radius)
    return _sorted(ops, queries.n, amount.wanted, *found)


def _sorted(ops: Backend, m: int, enough: int, question: Array, powers: Array, units: Array) -> Weighed:
    order = ops.sort_order(bits_of(powers))
    order = order[ops.sort_order(question[order].astype(np.uint64))]
    return Weighed(m, enough, question[order], powers[order], units[order])
