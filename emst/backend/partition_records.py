"""The records of partitions that cross the border between the stages and the two backends; see `records.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from emst.backend.records import Array, SearchIndex


class Outline(NamedTuple):
    """What partitions know of one another: the top of every partition's hierarchy, as boxes around its scaled points.

    The nodes of partition j lie between ``start[j]`` and ``start[j + 1]``, and the first of them is its root; a
    partition without points has none. Children lie one after the other. The leaves of a partition hold each of its
    points once.
    """

    low: Array  # T[nodes, d]
    high: Array  # T[nodes, d]
    child: Array  # int32[nodes]: the first child, -1 for a leaf
    children: Array  # int32[nodes]: how many
    label: Array  # int32[nodes]: component of all points below a leaf, or MIXED = -1; for other nodes no meaning
    start: Array  # int32[partitions + 1]


class Reaches(NamedTuple):
    """How far the points of a partition are from what other partitions hold, and which of them ask."""

    reach: Array  # T[n]: lower bound of the power of the distance to all points of other partitions
    near: Array  # int32[m], ascending: the points near the border, whose bounds were computed one by one
    rest: float  # the least bound of the other points, infinite without any
    asking: Array  # int32[a], ascending: the points that have others within their radius by these bounds
    radius: Array  # T[a]: how far they ask, a power
    points: Array  # T[a, d]: their scaled coordinates


class Numbering(NamedTuple):
    """The ids of the points of a partition, by their places in its hierarchy: place + start, and from the place `kept`
    on, place + start + left_out."""

    start: int
    kept: int
    left_out: int

    def ids(self, places: Array) -> Array:
        """The ids of points, int64."""
        ids: Array = places.astype(np.int64)
        if self.left_out:
            ids[ids >= self.kept] += self.left_out
        ids += self.start
        return ids

    def places(self, ids: Array) -> Array:
        """The inverse of `ids`. Points that are left out get `kept`, the place that follows them. Places that are less
        than 0, or not less than the number of points, are those of other partitions."""
        places = ids - self.start
        return places - np.clip(places - self.kept, 0, self.left_out)


class Asking(NamedTuple):
    """Points of a partition that may ask others, and what is known of their components."""

    places: Array | None  # int32[m], ascending; None: all points of the partition
    weight: Array  # T[m]: lower bounds of the weights of their edges to other partitions
    power: Array | None  # T[m]: lower bounds of the powers of distances that go with them; None: weights are powers
    component: Array  # int32[n]: the component of every point of the partition
    group: Array  # int32[components of the partition]: what each of them is part of now
    bound: Array  # T[components now]: weight of an edge that leaves each; negative where it asks for nothing
    bound_power: Array | None  # T[components now]: the power of that edge's distance; None where weights are powers
    least: Array  # T[components of the partition]: lower bounds of the weights of all of its points
    rest: float  # lower bound of the weights of other points; infinite if these have no edges to other partitions


class Questions(NamedTuple):
    """Points of a partition that ask another one for the nearest points of other components."""

    points: Array  # T[m, d], scaled
    component: Array  # int32[m]: among those of all partitions
    core: Array | None  # T[m]
    radius: Array  # T[m]: weight up to which they ask
    ids: Array  # int64[m]


class GatheredQuestions(NamedTuple):
    """The questions that one partition has got from others, and what their components are part of now."""

    queries: SearchIndex  # the points, see `build_queries`
    now: Array  # int32[m]
    component: Array  # the columns of `Questions`
    core: Array | None
    radius: Array
    ids: Array


@dataclass(eq=False)
class OpenEdges:
    """Edges between components that were found and are not certain.

    A row of words is an edge, so that edges are put together, chosen and sent at once: (a, b) in one word, u, v, and
    (weight, power), which share a word in float32. The attributes are views of these.

    Attributes
    ----------
    words : uint64[m, 4], or uint64[m, 5] for float64
    dtype : dtype
        T, the type of weights: float32 or float64.
    a, b : int32[m]
        Components of the two ends.
    u, v : int64[m]
        Ids of the smaller and of the larger end.
    weight, power : T[m]
        The weight, a power, and the power of the distance. Neither is negative.
    """

    words: Array

    @classmethod
    def of(cls, a: Array, b: Array, u: Array, v: Array, weight: Array, power: Array) -> OpenEdges:
        """The edges with these columns."""
        width = 3 + weight.dtype.itemsize // 4
        edges = cls(np.empty_like(weight, shape=(len(weight), width), dtype=np.uint64))
        for column, values in zip(edges.columns(), (a, b, u, v, weight, power)):
            column[:] = values
        return edges

    dtype = property(lambda self: np.dtype(np.float32 if self.words.shape[1] == 4 else np.float64))
    a = property(lambda self: self.words.view(np.int32)[:, 0])
    b = property(lambda self: self.words.view(np.int32)[:, 1])
    u = property(lambda self: self.words.view(np.int64)[:, 1])
    v = property(lambda self: self.words.view(np.int64)[:, 2])
    power = property(lambda self: self.words.view(self.dtype)[:, 6 if self.words.shape[1] == 4 else 4])
    weight = property(lambda self: self.words.view(self.dtype)[:, 7 if self.words.shape[1] == 4 else 3])

    def columns(self) -> tuple[Array, ...]:
        """All columns, in the order of `of`."""
        return self.a, self.b, self.u, self.v, self.weight, self.power

    def key_words(self) -> list[int]:
        """Columns of the words that the total order compares, the last one first. No number is negative, so they
        compare like the words."""
        return [2, 1, *range(self.words.shape[1] - 1, 2, -1)]

    def __len__(self) -> int:
        return len(self.words)

    def __sizeof__(self) -> int:
        return int(self.words.nbytes)


@dataclass(frozen=True, eq=False)
class Components:
    """Components over partitions, between rounds.

    A partition has components of its own, which never change; all partitions have numbered theirs together. `label`
    says what each of these is part of now.
    """

    label: Array  # int32[components of all partitions]
    count: int  # how many are left
    size: Array  # int64[count]: points of every component
    boxes: Array  # int32[nodes of the outline]: component of all points of a box, or MIXED


class JoinedComponents(NamedTuple):
    """What `join_components` returns."""

    left: Components
    number: Array  # int32[count before]: what every component is part of now
    first: Array  # int32[count before]: place of its first edge in the total order
    taken: OpenEdges  # the edges that were contracted, in the order of the components that hooked by them
    rest: OpenEdges  # the edges between different components, in their order


class ListedEdges(NamedTuple):
    """Edges of points in the caller's rows. They ascend by (weight, power of the distance)."""

    rows: Array  # int32[m, 2]: the smaller row first
    weight: Array  # T[m], a power
    power: Array | None = None  # T[m]: of the distance; None where weights are powers of distances
    seen: Array | None = None  # what `linkage` can begin with: see `insert_edges`


class Member(NamedTuple):
    """A partition as `join_partitions` takes it. Its arrays lie where it lives, but for those of the host."""

    bvh: SearchIndex  # of its points
    component: Array  # int32[n]: the component of every point, from 0
    near: Array  # int32[m], ascending: the points near the border
    weight: Array  # T[n]: lower bounds of the weights of edges from every point to other partitions
    power: Array | None  # T[n]: lower bounds of the powers of distances that go with them; None: weights are powers
    least: Array  # T[count]: the least `weight` of each component
    rest: float  # the least `weight` of points that are not near the border
    numbering: Numbering
    outline: Outline  # of all partitions
    level: np.ndarray  # int32[boxes]: where the boxes of its own outline lie in its hierarchy, see `box_labels`
    node: np.ndarray  # int32[boxes]


class JoinedRounds(NamedTuple):
    """What `join_partitions` returns."""

    left: Components
    weight: Array  # T[count]: see `component_bounds`; of no meaning if one component is left
    power: Array  # T[count]
    taken: OpenEdges  # the edges that were contracted
    rest: OpenEdges  # those that were found between the components that are left
    costs: list[tuple[int, int, int]]  # of every round: components that it left, questions, and bytes read for them
