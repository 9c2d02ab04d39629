"""Friends of friends over partitions: the groups that edges of at most some weight connect, as labels of the rows.

The edges of a partition join its own points, so the groups of these need nobody else. The edges that rounds have found
join groups of several partitions; one worker finds the components of the groups that they touch, which are few. The
head of a group is its least row. Groups are numbered by their heads: partitions send these to the one that has their
range of rows, and get their places among all heads back. So nobody holds something of all points.

Travels: the `Touched` groups of every partition to one worker, and the heads and sizes of their components back; the
heads of all groups that are no noise, and their numbers back; at the end, the labels to the chunks.

Invariant: an edge connects if it comes before the first edge, in the total order of the whole tree, whose weight in
the metric's units is greater than the height. Roots of neighbouring powers may round to the same weight, or descend by
a last digit; powers decide, as on one device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.partition_records import OpenEdges
from emst.backend.records import Array, Linkage
from emst.inputs.devices import to_host
from emst.partitions.chunks import Chunks, scatter_rows
from emst.partitions.edges import (
    Edges,
    TreeEdges,
    ascending,
    bits_of,
    edges_between_components,
    lengths_of,
    own_edges,
    places_here,
    rows_of,
)
from emst.partitions.engine import Engine, Future, Sender, Sized, packets_for, part, routed
from emst.partitions.records import Local, Units
from emst.spanning import heights
from emst.spanning_forest import Height, count_up_to

MORE = 2**64 - 1  # bits of no power


@dataclass(eq=False)
class Groups(Sized):
    """The groups of a partition, by its own edges alone."""

    group: Array  # int64[n]: group of every point, those that are left out last
    first: Array  # int64[groups]: least row
    size: Array  # int64[groups]: points
    u: Array  # int64: groups of the ends here of the edges between partitions that connect, -1 for other ends
    v: Array  # int64


class Touched(NamedTuple):
    """The groups of a partition at which edges to other partitions end, on the host."""

    groups: np.ndarray  # int64[m]
    first: np.ndarray  # int64[m]
    size: np.ndarray  # int64[m]
    u: np.ndarray  # int64: which of them the ends are, -1 for other ends
    v: np.ndarray  # int64


@dataclass(eq=False)
class Heads(Sender):
    """The heads of a partition's groups. The packets are ascending rows, for the partition that has their range."""

    head: Array  # int64[groups]: -1 for noise
    known: Array  # int64[m]: all different heads, ascending


@dataclass(eq=False)
class Ranks(Sender):
    """The places of heads among all heads in a range of rows. Packets are int64, in the order of the heads."""

    count: int  # heads in the range


def labels_at(
    edges: TreeEdges, heights: Sequence[Height], min_cluster_size: int, chunks: Chunks, engine: Engine
) -> list[Future]:
    """Labels of all rows at each height, int64[size, heights] on the host for every chunk of the input: what
    `emst.MinimumSpanningTree.cut` returns on one device.

    Parameters
    ----------
    edges : TreeEdges
    heights : sequence of int, float or Fraction
        Greatest weights that connect.
    min_cluster_size : int
        Smaller groups are noise, -1.
    chunks : Chunks
    engine : Engine
    """
    locals_ = edges.tree.locals
    numbers = range(len(locals_))
    dendrograms = [engine.submit(dendrogram, locals_[j], at=j) for j in numbers]
    found = [
        _numbered_groups(edges, dendrograms, height, min(min_cluster_size, chunks.n + 1), chunks.n, engine)
        for height in heights
    ]
    columns = [engine.submit(_columns, locals_[j], [labels[j] for labels in found], at=j) for j in numbers]
    rows = [engine.submit(rows_of, locals_[j], at=j) for j in numbers]
    return scatter_rows(engine, columns, rows, chunks)


def _numbered_groups(
    edges: TreeEdges, dendrograms: list[Future], height: Height, least: int, n: int, engine: Engine
) -> list[Future]:
    """Labels of the points of every partition at one height."""
    tree, numbers = edges.tree, range(len(dendrograms))
    degree = tree.search.norm.degree
    beyond = [engine.submit(beyond_of_certain, tree.locals[j], edges.futures[j], height, degree, at=j) for j in numbers]
    beyond.append(engine.submit(beyond_of_joined, tree.joined, edges.futures[-1], height, degree, at=0))
    if tree.search.bits is not None:
        own = (tree.search.per, edges.units, height, degree)
        beyond += [engine.submit(beyond_of_own, tree.locals[j], *own, at=j) for j in numbers]
    found = [engine.submit(groups, tree.locals[j], dendrograms[j], tree.joined, beyond, at=j) for j in numbers]
    whole = engine.submit(united, [engine.submit(touched, found[j], at=j) for j in numbers], at=0)
    arriving = routed([whole], len(numbers), engine, by_partitions=False)
    ranges = np.linspace(0, n, len(numbers) + 1).astype(np.int64)
    sent = [engine.submit(heads, found[j], j, arriving[j][0], least, ranges, at=j) for j in numbers]
    arriving = routed(sent, len(numbers), engine)
    ranked = [engine.submit(ranks, j, arriving[j], at=j) for j in numbers]
    counts = [engine.submit(part, ranked[j], "count", at=j) for j in numbers]
    arriving = routed(ranked, len(numbers), engine)
    return [engine.submit(numbered, found[j], sent[j], j, arriving[j], counts, at=j) for j in numbers]


# ---- which edges connect --------------------------------------------------------------------------------------------


def beyond_of_certain(ops: Backend, local: Local, edges: Edges, height: Height, degree: float) -> int:
    """Bits of the power of the first edge of a partition that does not connect. `edges` are its `certain_edges`."""
    return _beyond(ops, _bits_of_certain(ops, local), edges.weights, height, degree)


def beyond_of_joined(ops: Backend, joined: OpenEdges, edges: Edges, height: Height, degree: float) -> int:
    """Bits of the power of the first edge that does not connect, of the edges that rounds have found. `edges` are
    their `joined_edges`."""
    return _beyond(ops, np.sort(bits_of(ops.asarray(joined.weight))), edges.weights, height, degree)


def beyond_of_own(ops: Backend, local: Local, per: int, units: Units, height: Height, degree: float) -> int:
    """The same of the edges between copies of the points of a partition: other weights ascend over them as well."""
    own = own_edges(ops, local, per).keys.weight
    own = own[ops.sort_order(bits_of(own))]
    weights = heights(lengths_of(ops, local.partition.index, own), *units, ops)
    return _beyond(ops, bits_of(own), weights, height, degree)


def _beyond(ops: Backend, bits: Array, weights: Array, height: Height, degree: float) -> int:
    if degree not in (1, 2):  # as in `TreeEdges.in_total_order`
        weights = np.maximum.accumulate(to_host(weights))
    count = count_up_to(weights, height)
    return MORE if count == len(bits) else int(bits[count])


def _bits_of_certain(ops: Backend, local: Local) -> Array:
    """Bits of the powers of the edges that `certain_edges` returns, in its order."""
    stars = ops.xp.zeros(len(local.partition.left_out), np.uint64)
    return np.concatenate([stars, bits_of(local.weights)])


# ---- groups of a partition ------------------------------------------------------------------------------------------


def dendrogram(ops: Backend, local: Local) -> Linkage:
    """Single linkage of the points of a partition by its certain edges, those that are left out last. The last merges
    only hold components together. Heights are the numbers of the merges."""
    xp, n, out = ops.xp, len(local.partition.rows), len(local.partition.left_out)
    stars = xp.stack([xp.zeros(out, np.int32), xp.arange(n, n + out, dtype=np.int32)], axis=1)
    edges = np.concatenate([stars, ascending(local.edges), edges_between_components(ops, local)])
    return ops.linkage(edges, xp.arange(len(edges), dtype=np.int32))


def groups(ops: Backend, local: Local, linkage: Linkage, joined: OpenEdges, beyond: list[int]) -> Groups:
    """The groups of a partition by the edges whose power comes before all of `beyond`."""
    limit = ops.asarray(np.array([min(beyond)], np.uint64))
    merges = int(ops.xp.searchsorted(_bits_of_certain(ops, local), limit)[0])
    group = ops.cut(linkage, merges, 1)[: local.partition.size]
    rows = rows_of(ops, local)
    order = ops.sort_order(rows.astype(np.uint64))
    order = order[ops.sort_order(group[order].astype(np.uint64))]
    size = np.bincount(group).astype(np.int64)
    first = rows[order[np.cumsum(size) - size]].astype(np.int64)
    connects = bits_of(ops.asarray(joined.weight)) < limit
    places = [places_here(ops, local, ops.asarray(end)[connects]) for end in (joined.u, joined.v)]
    ends = [ops.xp.where(place < 0, np.int64(-1), group[ops.xp.maximum(place, 0)]) for place in places]
    return Groups(group, first, size, *ends)


def touched(ops: Backend, groups: Groups) -> Touched:
    """The groups at which edges between partitions end."""
    u, v = to_host(groups.u), to_host(groups.v)
    ends = np.concatenate([u, v])
    there = np.unique(ends[ends >= 0])
    u, v = (np.where(end < 0, -1, np.searchsorted(there, end)) for end in (u, v))
    here = ops.asarray(there)
    return Touched(there, to_host(groups.first[here]), to_host(groups.size[here]), u, v)


# ---- groups of several partitions -----------------------------------------------------------------------------------


def united(ops: Backend, parts: list[Touched]) -> dict[int, Touched]:
    """The touched groups of every partition, with the head and the size of the component of each."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    bases = np.cumsum([0, *(len(one.groups) for one in parts)]).tolist()
    if bases[-1] == 0:
        return {}
    u, v = (
        np.max([np.where(one[end] < 0, -1, one[end] + base) for one, base in zip(parts, bases)], axis=0)
        for end in (3, 4)
    )
    links = coo_array((np.ones(len(u), np.int8), (u, v)), shape=(bases[-1], bases[-1]))
    count, component = connected_components(links, directed=False)
    first, size = np.full(count, np.iinfo(np.int64).max), np.zeros(count, np.int64)
    np.minimum.at(first, component, np.concatenate([one.first for one in parts]))
    np.add.at(size, component, np.concatenate([one.size for one in parts]))
    pieces = [component[a:b] for a, b in zip(bases, bases[1:])]
    return {j: one._replace(first=first[piece], size=size[piece]) for j, (one, piece) in enumerate(zip(parts, pieces))}


# ---- numbers --------------------------------------------------------------------------------------------------------


def heads(ops: Backend, groups: Groups, j: int, whole: dict[int, Touched], least: int, ranges: np.ndarray) -> Heads:
    """The heads of the groups of partition `j`, for the partitions that have their ranges of rows: the i-th has those
    from ``ranges[i]`` up to ``ranges[i + 1]``. Groups of fewer than `least` points are noise."""
    first, size = groups.first, groups.size
    found = packets_for(j, [whole]).get(0)
    if found is not None:
        first, size, here = first.copy(), size.copy(), ops.asarray(found.groups)
        first[here], size[here] = ops.asarray(found.first), ops.asarray(found.size)
    head = ops.xp.where(size >= least, first, np.int64(-1))
    known = ops.xp.unique(head[head >= 0])
    cuts = to_host(ops.xp.searchsorted(known, ops.asarray(ranges))).tolist()
    return Heads({i: known[a:b] for i, (a, b) in enumerate(zip(cuts, cuts[1:])) if a < b}, head, known)


def ranks(ops: Backend, j: int, arriving: list[Heads]) -> Ranks:
    """The places of all heads in the range of partition `j`."""
    packets = {i: ops.asarray(rows) for i, rows in packets_for(j, arriving).items()}
    if not packets:
        return Ranks({}, 0)
    known = ops.xp.unique(np.concatenate(list(packets.values())))
    return Ranks({i: ops.xp.searchsorted(known, rows) for i, rows in packets.items()}, len(known))


def numbered(ops: Backend, groups: Groups, heads: Heads, j: int, arriving: list[Ranks], counts: list[int]) -> Array:
    """Labels of the points of partition `j`, int64[n]. `counts` are the heads in every range of rows."""
    before = np.cumsum([0, *counts]).tolist()
    found = [ops.asarray(rank) + before[i] for i, rank in packets_for(j, arriving).items()]
    noise = ops.xp.full(1, -1, np.int64)
    number = np.concatenate([*found, noise])  # the places of -1 are not read
    place = ops.xp.searchsorted(heads.known, heads.head)
    return ops.xp.where(heads.head < 0, noise, number[place])[groups.group]


def _columns(ops: Backend, local: Local, labels: list[Array]) -> Array:
    """Labels at several heights side by side: int64[n, heights]."""
    columns = ops.xp.empty((local.partition.size, len(labels)), np.int64)
    for i, column in enumerate(labels):
        columns[:, i] = column
    return columns
