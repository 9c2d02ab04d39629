"""Records that several stages use: what travels between them, and what a fit keeps.

A record of one stage, or of one stage and the next, is defined in the file of the first.
"""

from __future__ import annotations

import copy
import math
import threading
import time
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from emst.backend.partition_records import ListedEdges, Numbering, OpenEdges
from emst.backend.records import LEAST_EXTENT, Array, Box, Norm, SearchIndex
from emst.distances.metrics import Metric
from emst.partitions.engine import Future, Sized

# ---- what is asked ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Request:
    """What a caller asks of a tree."""

    metric: Metric
    min_samples: Any
    partitions: int | None = None  # how many to aim at
    dtype: Any = None
    alpha: float = 1.0  # as for `emst.spanning.metric_tree`
    lists: bool = False  # whether partitions list their edges by the caller's rows, for one list of all
    first_round: bool = False  # whether they keep Borůvka's first round, for the dendrogram of all points


class Amount(NamedTuple):
    """How many of the nearest points are wanted."""

    wanted: int  # points, or units of their weights
    weighed: bool


@dataclass(frozen=True)
class Search:
    """How distances are searched and weighed, in all stages of a fit."""

    k: int  # a core distance is that of the k-th nearest point; 1 without core distances
    scale: float  # what points are multiplied by
    norm: Norm
    core_factor: float  # see `Metric.core_factor`
    bits: int | None = None  # 2^bits units are the weight 1; None without weights
    lists: bool = False  # see `Request`
    first_round: bool = False  # see there

    @property
    def per(self) -> int:
        """Units of the weight 1; 1 without weights."""
        return 1 << (self.bits or 0)

    def amount(self, points: int) -> Amount:
        """So many points. With weights and core distances, as many units as so many points of weight 1 have."""
        weighed = self.bits is not None and self.k > 1
        return Amount(points * self.per if weighed else points, weighed)

    def lowered(self, excess: int) -> float:
        """The scale for queries that are too large for that of the points."""
        return math.ldexp(self.scale, -excess)


class Units(NamedTuple):
    """The units of lengths in results: the arguments of `emst.spanning.heights`."""

    metric: Metric
    alpha: float
    dtype: np.dtype


# ---- the curve and its partitions ------------------------------------------------------------------------------------


@dataclass(eq=False)
class Cell:
    """A cell of the curve and how it is cut."""

    box: Box
    codes: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))  # ascending: where it is cut
    before: list[int] = field(default_factory=list)  # segment of the codes before each cut, and after the last one
    cells: dict[int, Cell] = field(default_factory=dict)  # number of a cut -> the cell that has its code, cut itself

    @property
    def equal(self) -> bool:
        """Whether the points of the cell are all the same point."""
        return bool((self.box[0] == self.box[1]).all())

    def divides(self, scale: float) -> bool:
        """Whether the cell has a grid."""
        return bool(((self.box[1] * scale - self.box[0] * scale) > LEAST_EXTENT).any())


@dataclass(eq=False)
class Homes:
    """Which partition holds which part of the space: where the search for a new point begins."""

    root: Cell
    partition: np.ndarray  # int32[segments]: a partition that holds points, or else the next such one


@dataclass(frozen=True, eq=False)
class Place(Sized):
    """Where a partition lies among all."""

    number: int
    start: int  # id of its first point


@dataclass(eq=False)
class Partition(Sized):
    """The points of a range of the curve.

    A partition may begin with a run of equal points. If they are more than k, the first k take part in searches, and
    edges of length 0 join the others with the first one. Points with weights all take part.

    Attributes
    ----------
    index : SearchIndex
        Of the points that take part.
    rows : int32[n] or int64[n]
        Their rows among all rows, in curve order.
    left_out : int32[m] or int64[m]
        Rows of points that equal the first one and do not take part, ascending.
    kept : int
        How many points of that run take part: the others follow them on the curve.
    units : int64[n], or None
        Their weights; None without weights.
    lock : Lock
        Held while the labels of nodes, which the hierarchy keeps, are in use.
    """

    index: SearchIndex
    rows: Array
    left_out: Array
    kept: int
    units: Array | None = None
    lock: Any = field(default_factory=threading.Lock)

    @property
    def size(self) -> int:
        """Points, those that are left out included."""
        return len(self.rows) + len(self.left_out)

    def numbering(self, start: int) -> Numbering:
        """How places become ids; `start` is the first id of the partition."""
        return Numbering(start, self.kept, len(self.left_out))

    def with_index(self) -> Partition:
        """The same points in a copy of the hierarchy, which may get other core distances: tasks do not write to their
        inputs. It shares the arrays of points and boxes, in which the GPU also keeps core distances for its searches.
        So from then on, only the copy is searched with core distances."""
        return replace(self, index=copy.copy(self.index))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, lock=threading.Lock())


# ---- the work of a partition, and components between rounds ----------------------------------------------------------


@dataclass(eq=False)
class Local(Sized):
    """A partition, and the part of the tree that it has found without the others."""

    place: Place
    partition: Partition  # with the core distances of all points, times the core factor
    core: Array | None  # T[n]: powers of the core distances
    component: Array  # int32[n]: component of every point, from 0
    size: Array  # int64[count]: points of every component
    edges: Array  # int32[n - count, 2]: places of the ends of the certain edges, in the total order; see `listed`
    weights: Array  # T[n - count]: their weights, powers
    open: OpenEdges  # its edges that are not certain; ends are ids
    weight: Array  # T[n]: lower bound of the weights of edges from every point to other partitions
    power: Array  # T[n]: lower bound of the powers of their distances
    least: Array  # T[count]: least `weight` of a component
    near: Array  # int32[m]: the points near the border, whose bounds were computed one by one, ascending
    rest: float  # least `weight` of the other points
    listed: ListedEdges | None = None  # the same edges by the caller's rows, in whose order their ends are then
    first_round: Any = None  # of its points, if the backend has kept it: see `sorted_edges`

    @property
    def count(self) -> int:
        """Number of components."""
        return len(self.size)

    @property
    def numbering(self) -> Numbering:
        """How places become ids."""
        return self.partition.numbering(self.place.start)


@dataclass(eq=False)
class Labels(Sized):
    """What partitions learn of the components before a round."""

    label: Array  # int32[components of all partitions]: their component now
    weight: Array  # T[count]: weight of the lightest edge that was found to leave a component; -1 if it does not ask
    power: Array  # T[count]: power of its distance
    tries: (
        Array | None
    )  # int8[count]: how often only some of its points have asked since this weight last grew; None: 0
    boxes: Array  # int32[nodes of the outline]: component of all points of a box, or MIXED
    count: int
    bases: list[int]  # number of the first component of every partition


# ---- what a fit keeps ------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Costs:
    """What a run took and sent.

    Attributes
    ----------
    points, partitions, workers : int
        How many there were.
    components : int
        Left when every partition had done what it does alone.
    rounds : int
        Over these components.
    asked_border, asked_rounds : int
        Points that were sent to other partitions after the sort, before the rounds and in all rounds.
    bytes_sent : int
        Their bytes, with their answers.
    seconds : dict of str to float
        Of the stages "sample", "sort", "border", and "local trees and rounds".
    """

    points: int = 0
    partitions: int = 0
    workers: int = 0
    components: int = 0
    rounds: int = 0
    asked_border: int = 0
    asked_rounds: int = 0
    bytes_sent: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def took(self, stage: str, since: float) -> float:
        """Add the seconds since a moment to a stage; returns this moment."""
        now = time.perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - since
        return now


@dataclass(eq=False)
class PartitionedTree:
    """The tree of all points, over the partitions. Futures keep it on the workers.

    Attributes
    ----------
    locals : list of Future of Local
        The partitions with their certain edges.
    places : list of Place
    joined : Future of OpenEdges
        The edges that rounds have found.
    outline : list of Future of Outline
        What all partitions publish, on the device of each.
    homes : Homes
        Where new points belong.
    search : Search
    costs : Costs
    """

    locals: list[Future]
    places: list[Place]
    joined: Future
    outline: list[Future]
    homes: Homes
    search: Search
    costs: Costs


@dataclass(eq=False)
class Fitted:
    """A tree, and the units that results of it need."""

    tree: PartitionedTree
    units: Units
