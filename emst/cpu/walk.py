"""The walk of a packet: a leaf of 16 points that look for something near them, together.

The walk climbs: first the packet's own leaf, then its siblings, then the siblings of its parent, ... descending into
every node that some point of the packet still has to see, nearest first. So radii are small before anything far away is
looked at. What is done with the points of a leaf is the caller's: `core_distances` and the search share the walk.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.bvh import MIXED
from emst.cpu.kernels import part
from emst.cpu.lanes import LANES, at_most_mask, box_mask, children_mask, greatest, lowest_bit, unequal_mask

STACK = 16 * 8 + 16  # eight levels of 16-fold branching hold 2^31 points


class Packet(NamedTuple):
    """Scratch of one walk."""

    radius: np.ndarray  # T[16]: squared distance up to which the point has to look; -1 if it does not take part
    weight: np.ndarray  # T[16]: least weight known for the point or its component
    near: np.ndarray  # T[16]: squared distance to the answer
    found: np.ndarray  # int32[16]: the answer
    box: np.ndarray  # T[2 d]: corners of the box around the searched points
    distance: np.ndarray  # T[16]
    stack: np.ndarray  # int64[STACK]: level << 32 | node
    gap: np.ndarray  # T[STACK]: squared distance of its box from the packet's


def new_packet(d, dtype):
    return Packet(
        radius=np.empty(LANES, dtype),
        weight=np.empty(LANES, dtype),
        near=np.empty(LANES, dtype),
        found=np.empty(LANES, np.int32),
        box=np.empty(2 * d, dtype),
        distance=np.empty(LANES, dtype),
        stack=np.empty(STACK, np.int64),
        gap=np.empty(STACK, dtype),
    )


@part
def box_around(packet, blocks, d, leaf, active):
    """Box of the searched points."""
    for i in range(d):
        low, high = blocks.dtype.type(np.inf), blocks.dtype.type(-np.inf)
        for j in range(LANES):
            if active >> j & 1:
                x = blocks[(leaf * d + i) * LANES + j]
                low, high = min(low, x), max(high, x)
        packet.box[i], packet.box[i + d] = low, high


def walk_with(visit):
    """The walk that shows every leaf it comes by to ``visit(packet, nodes, dims, d, leaf, other, mask, *extra)``: that
    compares the masked points of the packet with all of leaf `other` and says whether a radius shrank.

    `labels` is None where points of the same component are sought too.
    """

    @part
    def walk(packet, nodes, extra, node_core, labels, dims, d, leaf, active):
        common = _common_label(labels, leaf, active)
        depth = _plan_climb(packet, len(nodes.count), leaf)
        reach = greatest(packet.radius, 0)
        while depth > 0:
            depth -= 1
            gap = packet.gap[depth]
            if gap > reach:
                continue
            level, node = packet.stack[depth] >> 32, packet.stack[depth] & 0xFFFFFFFF
            if gap >= 0:
                mask = _needed(packet, nodes, labels, dims, d, leaf, level, node)
                if mask == 0:
                    continue
                if level == 0:
                    if visit(packet, nodes, dims, d, leaf, node, mask, *extra):
                        reach = greatest(packet.radius, 0)
                    continue
            depth = _push(packet, nodes, node_core, dims, d, level - 1, node, reach, labels, common, depth, leaf)

    return walk


@part
def _common_label(labels, leaf, active):
    """The label of all searched points of the leaf, or one that no node has."""
    if labels is None:
        return np.int32(MIXED - 1)
    own = labels[leaf * LANES + lowest_bit(active)]
    return own if unequal_mask(labels, leaf * LANES, own) & active == 0 else np.int32(MIXED - 1)


@part
def _plan_climb(packet, levels, leaf):
    """Put the leaf on the stack and below it its ancestors, which are opened whatever the reach."""
    for k in range(levels):
        packet.stack[k] = (levels - k) << 32 | (leaf >> (4 * (levels - k)))
        packet.gap[k] = -1
    packet.stack[levels] = leaf
    packet.gap[levels] = 0
    return levels + 1


@part
def _needed(packet, nodes, labels, dims, d, leaf, level, node):
    """Points of the packet that have to see the node: foreign to it and near enough."""
    group = nodes.first[level] + (node >> 4)
    mask = box_mask(
        dims, d, nodes.blocks, leaf * d * LANES, nodes.low, nodes.high, group * d * LANES + (node & 15), packet.radius
    )
    if labels is not None:
        mask &= unequal_mask(labels, leaf * LANES, nodes.label[group * LANES + (node & 15)])
    return mask


@part
def _push(packet, nodes, node_core, dims, d, level, group, reach, labels, common, depth, leaf):
    """Put the children worth visiting on the stack, the nearest on top; an ancestor has had its turn."""
    at = nodes.first[level] + group
    mask = children_mask(dims, d, nodes.low, nodes.high, at * d * LANES, packet.box, reach, packet.distance)
    if labels is not None:
        mask &= unequal_mask(nodes.label, at * LANES, common)
    if node_core is not None:
        mask &= at_most_mask(node_core, at * LANES, greatest(packet.weight, 0))
    own = leaf >> (4 * level)
    if own >> 4 == group:
        mask &= ~(1 << (own & 15))
    base = depth
    while mask:
        j = lowest_bit(mask)
        mask &= mask - 1
        gap = packet.distance[j]
        k = depth
        while k > base and packet.gap[k - 1] < gap:
            packet.gap[k] = packet.gap[k - 1]
            packet.stack[k] = packet.stack[k - 1]
            k -= 1
        packet.gap[k] = gap
        packet.stack[k] = level << 32 | (group * LANES + j)
        depth += 1
    return depth
