"""The second task of a round: a partition finds the nearest point of another component for each point it was sent.

Travels: `Found` to each partition that has asked, and the `Answer`'s edges to the worker that joins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.partitions.asking import Found, Packet
from emst.partitions.certain import Local
from emst.partitions.components import Labels, Place, Rounds, labels_of
from emst.partitions.edges import OpenEdges, as_bits, chosen, first_of_groups, least
from emst.partitions.outline import OwnOutline, labels_of_boxes
from emst.partitions.packets import Sender, addressed_to, bytes_of


@dataclass(eq=False)
class Answer(Sender):
    """What a partition has found. The packets are `Found`."""

    edges: OpenEdges  # if frugal, the lightest between any two components; otherwise of any component
    partly: Array  # int32: components of this round of which it was sent some points only
    boxes: Array  # int32: labels of its outline
    asked: int  # points that it was sent
    bytes: int  # of their packets, and of those with which it answers


def answer(
    ops: Backend,
    local: Local,
    place: Place,
    state: Rounds | Labels,
    outline: OwnOutline,
    asked: list[Any],
    frugal: bool,
) -> Answer:
    """The nearest points of this partition in other components for all points that it was sent. `asked` holds what
    `asking.ask` returned in every partition; `frugal` as there."""
    bvh, partition, labels = local.partition.bvh, local.partition, labels_of(state)
    if labels.count == 1:
        nothing = ops.xp.empty(0, np.int32)
        return Answer({}, _no_edges(ops, bvh.dtype), nothing, nothing, 0, 0)
    label, base = ops.asarray(labels.label), labels.bases[place.number]
    of_points = label[base : base + local.count][local.component]
    packets = {other: packet for other, given in enumerate(asked) if (packet := addressed_to(place.number, given))}
    if not packets:
        with partition.lock:
            ops.label_nodes(bvh, of_points)
            boxes = labels_of_boxes(outline, bvh, of_points, ops)
        return Answer({}, _no_edges(ops, bvh.dtype), ops.xp.empty(0, np.int32), boxes, 0, 0)
    points, component, core, radius, ids, partly = _joined(ops, list(packets.values()))
    queries = ops.build_bvh(points, ops.xp.arange(len(points), dtype=np.int32), 1.0, bvh.norm)
    with partition.lock:
        ops.label_nodes(bvh, of_points)
        boxes = labels_of_boxes(outline, bvh, of_points, ops)
        found, weight, power = ops.nearest_across(bvh, of_points, queries, label[component], core, radius)
    hit = np.flatnonzero(found >= 0)
    own, there = ids[hit], partition.ids(place.start, found[hit])
    u, v = np.minimum(own, there), np.maximum(own, there)
    ends = local.component[found[hit]] + np.int32(base)
    edges = OpenEdges(component[hit], ends, u, v, weight[hit], power[hit])
    told, start = {}, 0
    if frugal:
        target = ops.xp.full(len(ids), -1, np.int32)
        target[hit] = ends
        for other, packet in packets.items():
            part = slice(start, start := start + len(packet.ids))
            told[other] = Found(target[part], weight[part], power[part])
    edges = (_lightest_of_pairs if frugal else _lightest)(ops, edges, label, labels.count)
    size = bytes_of(list(packets.values())) + bytes_of(told)
    return Answer(told, edges, partly, boxes, len(points), size)


def _joined(ops: Backend, packets: list[Packet]) -> Packet:
    """The points of all packets."""
    if len(packets) == 1:
        return Packet(*(None if item is None else ops.asarray(item) for item in packets[0]))
    columns: Any = zip(*packets)
    return Packet(*(None if own[0] is None else np.concatenate([*map(ops.asarray, own)]) for own in columns))


def _lightest(ops: Backend, edges: OpenEdges, label: Array, count: int) -> OpenEdges:
    """The edges that are as light as the lightest of the component that has asked."""
    asked, weight = label[edges.a], as_bits(edges.weight)
    return chosen(edges, np.flatnonzero(weight == least(ops, weight, asked, count)[asked]))


def _lightest_of_pairs(ops: Backend, edges: OpenEdges, label: Array, count: int) -> OpenEdges:
    """The first edge in the total order between any two components of this round."""
    if len(edges.u) == 0:
        return edges
    pair = label[edges.a].astype(np.uint64) * np.uint64(count) + label[edges.b].astype(np.uint64)
    order = ops.sort_order(pair)
    edges, pair = chosen(edges, order), pair[order]
    begins = ops.xp.ones(len(pair), bool)
    begins[1:] = pair[1:] != pair[:-1]
    number = (np.cumsum(begins) - 1).astype(np.int32)
    return chosen(edges, first_of_groups(ops, edges, number, int(number[-1]) + 1))


def _no_edges(ops: Backend, dtype: np.dtype) -> OpenEdges:
    kinds = (np.int32, np.int32, np.int64, np.int64, dtype, dtype)
    return OpenEdges(*(ops.xp.empty(0, kind) for kind in kinds))
