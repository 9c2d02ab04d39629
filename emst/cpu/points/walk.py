"""The walk of a packet: 16 neighbours on the curve that search the hierarchy together.

The walk climbs: first it visits the 16 leaves around the packet, then the siblings of their parent, and so on. It
descends into every node that a point of the packet still needs, nearest first. So radii are small before distant
nodes are tested. The caller says what happens at a leaf: core distances, the search and the prediction share the walk.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.points.bvh import MIXED
from emst.cpu.points.distances import box_mask, children_mask
from emst.cpu.runtime.arrays import empties
from emst.cpu.runtime.compile import part
from emst.cpu.runtime.lanes import LANES, at_most_mask, below_mask, greatest, less_mask, lowest_bit, unequal_mask
from emst.cpu.runtime.numbers import greater, lesser

STACK = 16 * 8 + 16  # eight levels of 16-fold branching hold 2^31 points


class Packet(NamedTuple):
    """Scratch of one walk."""

    points: np.ndarray  # T[d * 16]: coordinates of the points, stored like a leaf
    labels: np.ndarray  # int32[16]: their components
    ids: np.ndarray  # int32[16]: their ids
    radius: np.ndarray  # T[16]: power of the distance up to which the point searches; -1 if it does not take part
    weight: np.ndarray  # T[16]: least weight known for the point or its component
    near: np.ndarray  # T[16]: power of the distance to `neighbour`
    neighbour: np.ndarray  # int32[16]: the first point so far in the total order
    core: np.ndarray  # T[16]: core distances
    box: np.ndarray  # T[2 d]: corners of the box around the searched points
    distance: np.ndarray  # T[16]
    stack: np.ndarray  # int64[STACK]: level << 32 | node
    gap: np.ndarray  # T[STACK]: power of the distance of its box from the packet's


def new_packet(d, dtype):
    return packet_in(d, *empties(*packet_kinds(d, dtype)))


def packet_kinds(d, dtype):
    """Sizes and types of the three pieces of memory that a packet of points of dimension d lies in."""
    return ((d + 5) * LANES + STACK + 2 * d, dtype), (3 * LANES, np.int32), (STACK, np.int64)


def packet_in(d, numbers, names, stack):
    """A packet in such pieces."""
    lanes, gap = numbers[d * LANES :], numbers[(d + 5) * LANES :]
    return Packet(
        points=numbers[: d * LANES],
        labels=names[:LANES],
        ids=names[LANES : 2 * LANES],
        radius=lanes[:LANES],
        weight=lanes[LANES : 2 * LANES],
        near=lanes[2 * LANES : 3 * LANES],
        neighbour=names[2 * LANES : 3 * LANES],
        core=lanes[3 * LANES : 4 * LANES],
        box=gap[STACK : STACK + 2 * d],
        distance=lanes[4 * LANES : 5 * LANES],
        stack=stack,
        gap=gap[:STACK],
    )


@part
def box_around(packet, d, size):
    """Box of the first points of the packet."""
    for i in range(d):
        low = high = packet.points[i * LANES]
        for j in range(1, size):
            x = packet.points[i * LANES + j]
            low, high = lesser(low, x), greater(high, x)
        packet.box[i], packet.box[i + d] = low, high


@part
def _all_near(packet, nodes, space, level, node, mask, *extra):
    return mask


def walk_with(visit, narrow=_all_near):
    """A walk that calls ``visit(packet, nodes, space, leaf, mask, *extra)`` at every leaf it reaches.

    `visit` compares the masked points of the packet with all points of the leaf and returns whether a radius shrank. At
    every node, ``narrow(packet, nodes, space, level, node, mask, *extra)`` may take points out of the mask of those
    near enough. The walk skips nodes of a point's own component; with None for `labels` it visits them too.
    """

    @part
    def walk(packet, nodes, extra, node_core, labels, space, start):
        common = MIXED - 1 if labels is None else _common_label(packet)
        depth = _plan_climb(packet, len(nodes.counts), start)
        reach = greatest(packet.radius, 0)
        while depth > 0:
            depth -= 1
            gap = packet.gap[depth]
            if gap > reach:
                continue
            level, node = packet.stack[depth] >> 32, packet.stack[depth] & 0xFFFFFFFF
            if gap >= 0:
                mask = _needed(packet, nodes, labels, space, level, node)
                if mask != 0:
                    mask = narrow(packet, nodes, space, level, node, mask, *extra)
                if mask == 0:
                    continue
                if level == 0:
                    if visit(packet, nodes, space, node, mask, *extra):
                        reach = greatest(packet.radius, 0)
                    continue
            depth = _push(packet, nodes, node_core, labels, space, level - 1, node, reach, common, depth, start)

    return walk


@part
def _common_label(packet):
    """The label that all points of the packet share, or a label that no node has."""
    label = packet.labels[0]
    return np.int64(label) if unequal_mask(packet.labels, 0, label) == 0 else MIXED - 1


@part
def may_come_first(packet, nodes, space, level, node, mask, strict, *others):
    """For `walk_with`: leave out queries for which all points of the node come after the neighbour so far, in the order
    of (weight, distance, id). Such a node needs to be nearer than the radius: within `strict`, the number before it."""
    first = np.int64(node) << (4 * level + 4)
    late = below_mask(packet.neighbour, 0, first) | less_mask(packet.near, packet.radius)
    if mask & late:
        group = nodes.first[level] + (node >> 4)
        at = group * space.d * LANES + (node & 15)
        mask &= ~late | box_mask(space, packet.points, 0, nodes.low, nodes.high, at, strict)
    return mask


@part
def _plan_climb(packet, levels, start):
    """Put the node of 16 leaves that holds the packet on the stack, and its ancestors below it. They are opened at any
    distance."""
    for k in range(levels):
        packet.stack[k] = (levels - k) << 32 | (start >> (4 * (levels - 1 - k)))
        packet.gap[k] = -1
    return levels


@part
def _needed(packet, nodes, labels, space, level, node):
    """Points of the packet that need the node: it is near enough, and not all of their own component."""
    group = nodes.first[level] + (node >> 4)
    at = group * space.d * LANES + (node & 15)
    mask = box_mask(space, packet.points, 0, nodes.low, nodes.high, at, packet.radius)
    if labels is not None:
        mask &= unequal_mask(packet.labels, 0, nodes.label[group * LANES + (node & 15)])
        if level > 0:
            mask &= ~_settled(packet, np.int64(node) << (4 * level + 4))
    return mask


@part
def _settled(packet, first):
    """Points that have found an equal one with a smaller id than any from `first` on: they do not need the node.

    Equal points that share a cell of the curve's grid with other points may not have been joined beforehand. Without
    this rule, each of them would be compared with all the others.
    """
    return at_most_mask(packet.radius, 0, 0) & below_mask(packet.neighbour, 0, first)


@part
def _push(packet, nodes, node_core, labels, space, level, group, reach, common, depth, start):
    """Put the children within reach on the stack, the nearest on top, but not those that the climb has visited."""
    at = nodes.first[level] + group
    mask = children_mask(space, nodes.low, nodes.high, at * space.d * LANES, packet.box, reach, packet.distance)
    if labels is not None:
        mask &= unequal_mask(nodes.label, at * LANES, np.int32(common))
    if node_core is not None:
        mask &= at_most_mask(node_core, at * LANES, greatest(packet.weight, 0))
    if level > 0:
        visited = start >> (4 * (level - 1))
        if visited >> 4 == group:
            mask &= ~(1 << (visited & 15))
    base = depth
    while mask:
        j = lowest_bit(mask)
        mask &= mask - 1
        gap = packet.distance[j]
        k = depth
        while k > base and packet.gap[k - 1] <= gap:  # of equally near ones the first on the curve
            packet.gap[k] = packet.gap[k - 1]
            packet.stack[k] = packet.stack[k - 1]
            k -= 1
        packet.gap[k] = gap
        packet.stack[k] = level << 32 | (group * LANES + j)
        depth += 1
    return depth
