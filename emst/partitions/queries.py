"""New points (queries) among the partitions: which training point each joins, and where that point leaves its cluster.

Every query is sent to one partition, its home. The home finds the k - 1 nearest points, or as many as have the weight
k - 1, and asks the partitions whose outlines lie within the last of these distances for theirs. So it has the query's
core distance. Then it finds the
first point by (weight, power of the distance, id) that it holds itself, and asks the partitions that may hold one which
comes before. All is exact: a poor home costs time only.

A query at distance 0 of some point joins the first such point, whatever the core distances: it asks with a bound of 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.partition_records import Outline
from emst.backend.records import Array, Condensed, SearchIndex, Selection
from emst.distances.sphere import Beyond
from emst.hierarchy.joining import ancestors_of, excess_of, leaving_of
from emst.inputs.devices import to_host
from emst.partitions import hierarchy
from emst.partitions.certain import answers_to, asked_of, questions_of
from emst.partitions.chunks import Zeros
from emst.partitions.contraction import Contracted
from emst.partitions.edges import as_bits, lesser
from emst.partitions.engine import Sender, packets_for
from emst.partitions.nearest import Distances, Weighed, nearest_to
from emst.partitions.partition import with_core_distances
from emst.partitions.records import Homes, Local, Partition, Place, Search, Units
from emst.partitions.segments import homes_of
from emst.spanning import heights

NOBODY = np.iinfo(np.int64).max  # in the place of an id: every id comes before it


class SentQueries(NamedTuple):
    """Queries of one chunk on their way to one partition."""

    points: Array  # T[m, d], not scaled
    rows: Array  # int64[m]: among all queries


@dataclass(eq=False)
class HomeQueries(Sender):
    """The queries whose home is one partition, in the order of a curve; without any, `index` is None. Their questions
    are how far others have to look for nearer points."""

    index: SearchIndex | None
    rows: Array  # int64[m]: among all queries
    nearest: Distances | Weighed | None  # how far the nearest points there are; None if k is 1


class Wanted(NamedTuple):
    """Queries of one partition that ask another one for the point that they join."""

    points: Array  # T[m, d], scaled
    core: Array | None  # T[m]
    bound: Array  # T[m]: weight of a point that is known
    asking: Array  # int32[m]: which of the queries at home there


class Joined(NamedTuple):
    """The point that each of some queries joins, the first by (weight, power of the distance, id). Where there is none,
    the weight is infinite and the id `NOBODY`."""

    weight: Array  # T[m], a power
    power: Array  # T[m]: of the distance
    id: Array  # int64[m]
    cluster: Array  # int32[m]: that the point leaves
    height: Array  # floating[m]: at which it leaves


@dataclass(eq=False)
class Nearest(Sender):
    """The points of a home that its queries join, and what these want to know of other partitions: `Wanted`."""

    joined: Joined | None


class Results(NamedTuple):
    """Of the queries of one home."""

    labels: Array  # int64[m]
    probabilities: Array  # float64[m]
    rows: Array  # int64[m]: among all queries


class Leaving(NamedTuple):
    """Where the points of a partition leave their clusters."""

    vertex: Array  # int32[n]
    cluster: Array  # int32[vertices]
    height: Array  # floating[vertices]


def excesses(ops: Backend, image: Any, search: Search) -> Any:
    """By how many powers of two queries of a chunk are too large for the scale, each number once; or its `Zeros` or
    `Beyond`, which the metric cannot take."""
    if isinstance(image, Zeros | Beyond) or len(image) == 0:
        return image if isinstance(image, Zeros | Beyond) else []
    return np.unique(excess_of(image, search.scale, search.norm, search.core_factor)).tolist()


def sent(ops: Backend, image: Array, first: int, excess: int, homes: Homes, search: Search) -> dict[int, SentQueries]:
    """The queries of a chunk with this excess, by home. `first` is the row of the first among all queries."""
    if len(image) == 0:
        return {}
    chosen = ops.asarray(np.flatnonzero(excess_of(image, search.scale, search.norm, search.core_factor) == excess))
    points = ops.xp.ascontiguousarray(image[chosen])
    home = homes_of(points, search.scale, homes, ops)
    by_home = {}
    for number in np.unique(to_host(home)).tolist():
        there = np.flatnonzero(home == number)
        by_home[number] = SentQueries(points[there], chosen[there].astype(np.int64) + first)
    return by_home


def received(
    ops: Backend,
    partition: Partition,
    outline: Outline,
    number: int,
    excess: int,
    search: Search,
    by_chunk: list[Any],
) -> HomeQueries:
    """The queries of all chunks whose home is partition `number`, and their nearest points there.

    `by_chunk` holds what `sent` returned for every chunk, or its part for this partition, or None.
    """
    arrived = packets_for(number, by_chunk).values()
    if not arrived:
        return HomeQueries({}, None, ops.xp.empty(0, np.int64), None)
    points, rows = (np.concatenate([ops.asarray(item) for item in column]) for column in zip(*arrived))
    scale = search.lowered(excess)
    order = ops.curve_order(points, scale).rows
    index, rows = ops.build_index(points, order, scale, search.norm), rows[order]
    if search.k == 1:
        return HomeQueries({}, index, rows, None)
    everywhere = ops.xp.full(index.n, np.inf, index.dtype)
    nearest = nearest_to(ops, partition, index, everywhere, search.amount(search.k - 1))
    scaled, radius = ops.xp.ascontiguousarray(index.points()), ops.asarray(nearest.last(ops))
    questions = questions_of(ops, scaled, radius, outline, number, index.norm)
    return HomeQueries(questions, index, rows, nearest)


def nearest(
    ops: Backend,
    partition: Partition,
    place: Place,
    leaving: Leaving,
    outline: Outline,
    queries: HomeQueries,
    search: Search,
    answers: list[Any],
) -> Nearest:
    """The points of a home that its queries join, under the core distances of all points. `answers` holds what
    `certain.distances_for` returned in every partition, or the part for this one."""
    if queries.index is None:
        return Nearest({}, None)
    index = queries.index
    points = ops.xp.ascontiguousarray(index.points())
    bound, core = ops.xp.full(index.n, np.inf, index.dtype), None
    if queries.nearest is not None:
        of_all = queries.nearest.joined(answers_to(ops, queries, place.number, answers), ops)
        bound[as_bits(ops.asarray(of_all.first(ops))) == 0] = 0
        core = _multiplied(ops, index, ops.asarray(of_all.last(ops)), search)
    joined = _first(ops, partition, place, leaving, points, core, bound)
    bound = lesser(bound, joined.weight)
    radius = bound  # no point is lighter than the query's core distance, only nearer
    if core is not None:
        radius = ops.xp.where(as_bits(bound) == as_bits(core), lesser(bound, joined.power), bound)
    asked = asked_of(ops, (points, core, bound), radius, outline, place.number, index.norm)
    return Nearest({other: Wanted(*columns) for other, columns in asked.items()}, joined)


def _multiplied(ops: Backend, index: SearchIndex, core: Array, search: Search) -> Array:
    """Core distances of queries, times the factor with which weights take them."""
    if search.core_factor == 1:
        return core
    points = ops.xp.ascontiguousarray(index.points())
    queries = ops.build_index(points, ops.xp.arange(index.n, dtype=np.int32), 1.0, index.norm)
    ops.set_cores(queries, core)
    ops.scale_cores(queries, search.core_factor)
    return queries.core


def _first(
    ops: Backend, partition: Partition, place: Place, leaving: Leaving, points: Array, core: Array | None, bound: Array
) -> Joined:
    """The first point of a partition for every query, among those of weight at most `bound`."""
    queries = ops.build_queries(points, partition.index.norm)
    nearest, weight, power = ops.nearest_across(partition.index, None, queries, None, core, bound)
    at = np.maximum(nearest, 0)
    vertex = leaving.vertex[at]
    ids = ops.xp.where(nearest < 0, np.int64(NOBODY), partition.numbering(place.start).ids(at))
    return Joined(weight, power, ids, leaving.cluster[vertex], leaving.height[vertex])


def firsts(ops: Backend, partition: Partition, place: Place, leaving: Leaving, asked: list[Any]) -> dict[int, Joined]:
    """The points of this partition that queries of others join, by their home. `asked` holds what `nearest` returned in
    every partition, or the part for this one, or None."""
    by_home = {}
    for home, wanted in packets_for(place.number, asked).items():
        core = None if wanted.core is None else ops.asarray(wanted.core)
        points, bound = ops.asarray(wanted.points), ops.asarray(wanted.bound)
        by_home[home] = _first(ops, partition, place, leaving, points, core, bound)
    return by_home


def labelled(
    ops: Backend,
    number: int,
    queries: HomeQueries,
    near: Nearest,
    answers: list[Any],
    clusters: tuple[Condensed, Selection],
    epsilon: float,
    units: Units,
) -> Results:
    """Labels and probabilities of the queries of home `number`. `answers` holds what `firsts` returned in every
    partition, or the part for this one; `clusters` is what `hierarchy.tree_on_host` returned."""
    if queries.index is None:
        return Results(ops.xp.empty(0, np.int64), ops.xp.empty(0, np.float64), queries.rows)
    joined = _joined(ops, number, near, answers)
    equal = as_bits(joined.weight) == 0
    order = ops.xp.arange(queries.index.n, dtype=np.int32)
    with np.errstate(over="ignore"):  # a distance beyond the range of its dtype becomes infinite
        height = heights(ops.unscaled(queries.index, joined.weight, order), *units, ops)
    tree, selection = hierarchy.on_backend(ops, *clusters)
    cluster, height = leaving_of(tree, ancestors_of(tree), joined.cluster, joined.height, equal, height)
    return Results(*ops.label_points(tree, selection, epsilon, cluster, height), queries.rows)


def _joined(ops: Backend, number: int, near: Nearest, answers: list[Any]) -> Joined:
    """The points that the queries of a home join, among all points."""
    assert near.joined is not None
    best = Joined(*(column.copy() for column in near.joined))
    for other, first_there in packets_for(number, answers).items():
        new, asking = Joined(*map(ops.asarray, first_there)), near.packets[other].asking
        old = Joined(*(column[asking] for column in best))
        first = new.id < old.id
        for key in ("power", "weight"):
            a, b = as_bits(getattr(new, key)), as_bits(getattr(old, key))
            first = (a < b) | ((a == b) & first)
        for column, value in zip(best, new):
            column[asking[first]] = value[first]
    return best


def leaving_of_points(ops: Backend, contracted: Contracted, values: tuple[Array, Array]) -> Leaving:
    """Where the points of a partition leave their clusters; `values` are those of the vertices."""
    return Leaving(contracted.vertex, *map(ops.asarray, values))


def rescaled(ops: Backend, local: Local, excess: int, search: Search) -> Partition:
    """The partition with points that are multiplied by 2^-excess, and the core distances of its points among
    themselves."""
    index = local.partition.index
    points = ops.xp.ascontiguousarray(index.points())
    order = ops.xp.arange(index.n, dtype=np.int32)
    norm = local.partition.index.norm
    lower = replace(local.partition, index=ops.build_index(points, order, math.ldexp(1.0, -excess), norm))
    return lower if search.k == 1 else with_core_distances(ops, lower, search)
