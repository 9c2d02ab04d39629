"""The components that are left when every partition has done what it does alone, and their state between rounds.

Travels: to the worker that joins, the `Summary` of every partition, once. From there to all partitions, the `Labels` of
every round. The other fields of `Rounds` stay in the process of that worker.

Invariant: every component has a bound, the weight of an edge that leaves it. Edges that were found are kept, and before
the first round there is at least the edge to the neighbour on the curve. The greatest component does not ask: the
lightest edges of the others suffice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.partition_records import Components, OpenEdges
from emst.backend.records import Array, Norm
from emst.inputs.devices import to_host
from emst.partitions.edges import chosen, greater, together
from emst.partitions.engine import Sized
from emst.partitions.outline import PartitionOutline, labels_of_boxes
from emst.partitions.records import Labels, Local


class RoundCosts(NamedTuple):
    """What a round left and sent."""

    left: int  # components
    asked: int  # points
    bytes: int  # of their packets; in rounds at once, what is read of the points that ask


@dataclass(eq=False)
class Rounds(Labels):
    """The state between rounds. Partitions get its `Labels`."""

    edges: OpenEdges  # found between different components; `a` and `b` are components of partitions, ends are ids
    joined: list[OpenEdges]  # edges of the tree, by the round that has found them
    size: Array  # int64[count]: points of every component
    costs: list[RoundCosts]  # before the first round, and after each one


class Samples(NamedTuple):
    """How often only some points of each component have asked."""

    tries: Array  # int8[count]
    weight: Array  # float64[count]: of the lightest edge that had been found when they asked last


@dataclass(eq=False)
class Summary(Sized):
    """What the worker that joins learns of a partition, once."""

    edges: OpenEdges  # its edges that are not certain; components from 0, ends are ids
    size: Array  # int64[count]: points of every component
    boxes: Array  # int32: labels of its outline
    ends: Array  # T[2, d]: its first and its last point, scaled
    core: Array | None  # T[2]: their core distances
    components: Array  # int32[2]: their components
    ids: np.ndarray  # int64[2]


def summary(ops: Backend, local: Local, outline: PartitionOutline) -> Summary:
    """What the first round needs of a partition."""
    partition, index = local.partition, local.partition.index

    def ends_of(column: Array) -> Array:
        return ops.concatenated([column[:1], column[-1:]])

    with partition.lock:
        ops.label_nodes(index, local.component)
        boxes = labels_of_boxes(outline, local, None, ops)
    return Summary(
        local.open,
        local.size,
        boxes,
        index.points(ops.asarray(np.array([0, index.n - 1], np.int32))),
        None if index.core is None else ends_of(index.core),
        ends_of(local.component),
        local.numbering.ids(np.array([0, index.n - 1])),
    )


def begin(ops: Backend, summaries: list[Summary], norm: Norm) -> Rounds:
    """The state before the first round: the open edges of all partitions, and one edge between neighbours on the
    curve at every border, so that every component has an edge that leaves it."""
    columns = zip(*((one.edges, one.boxes, one.size) for one in summaries))
    edges, left = ops.number_together(*map(list, columns))
    bases = np.cumsum([0, *(len(one.size) for one in summaries)]).tolist()
    edges = together(ops, [edges, _border_edges(ops, summaries, bases, norm)])
    return state_of(ops, left, bases, edges, [], None, [RoundCosts(left.count, 0, 0)])


def all_joined(ops: Backend, state: Rounds) -> OpenEdges:
    """Task: all edges of the tree that rounds have found."""
    return together(ops, [chosen(state.edges, slice(0, 0)), *state.joined])


def _border_edges(ops: Backend, summaries: list[Summary], bases: list[int], norm: Norm) -> OpenEdges:
    """The edges between the last point of every partition and the first one of the next, on the host."""

    def inner(parts: list[Array]) -> np.ndarray:
        return to_host(ops.concatenated(parts))[1:-1]

    ends = inner([one.ends for one in summaries])
    number = np.arange(len(ends), dtype=np.int32)
    last, first = slice(0, None, 2), slice(1, None, 2)
    u, v, rows = (ops.asarray(number[end]) for end in (last, first, slice(None)))
    power = to_host(ops.edge_powers(ops.build_index(ops.asarray(ends), rows, 1.0, norm), u, v))
    weight = power
    if summaries[0].core is not None:
        core = inner([one.core for one in summaries])
        weight = greater(greater(power, core[last]), core[first])
    components = inner([one.components for one in summaries]) + np.repeat(np.array(bases[:-1], np.int32), 2)[1:-1]
    ids = np.concatenate([one.ids for one in summaries])[1:-1]
    return OpenEdges.of(components[last], components[first], ids[last], ids[first], weight, power)


def state_of(
    ops: Backend,
    left: Components,
    bases: list[int],
    edges: OpenEdges,
    joined: list[OpenEdges],
    samples: Samples | None,
    costs: list[RoundCosts],
) -> Rounds:
    """The state with the lightest edge of every component as its bound. An edge may be there several times. Every
    component has one: `begin` gives it an edge, and a join keeps all that leave components."""
    if left.count == 1:
        weight = power = edges.weight[:0]
    else:
        weight, power = ops.component_bounds(edges, left)
    tries = None if samples is None else np.where(samples.weight >= weight, samples.tries, np.int8(0))
    return Rounds(left.label, weight, power, tries, left.boxes, left.count, bases, edges, joined, left.size, costs)


def labels_of(ops: Backend, state: Labels) -> Labels:
    """Task: what partitions get of the state, in arrays of the backend."""
    columns = state.label, state.weight, state.power, state.tries, state.boxes
    label, weight, power, tries, boxes = ops.asarrays(*columns)
    return Labels(label, weight, power, tries, boxes, state.count, state.bases)
