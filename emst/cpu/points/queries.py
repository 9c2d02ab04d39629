"""Nearest points for queries: new points, and points of another partition.

A packet of 16 queries that are neighbours on the curve walks the hierarchy, as in the searches. It begins at the place
of its queries on the curve, if the caller knows it, and the first walks take half as long. Otherwise it descends
from the root, at every node into the nearest child, and begins there. The radius of a query of another partition
follows from an edge that its component already has, so most of these walks end after a few nodes.

For up to 16 distances, a query keeps a sorted list; for more, a buffer: see `knn`. A list begins with copies of the
number after the radius, so that it takes what is within the radius and nothing else.

The point of another component is the first by (weight, distance, id). A node that is no nearer than the
neighbour so far is skipped if all its ids come after that neighbour's. Without this rule, every query near repeated
points would be compared with all of them.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.points.buffers import append, clear, new_buffers, shrink
from emst.cpu.points.bvh import MIXED
from emst.cpu.points.distances import children_mask, point_mask
from emst.cpu.points.knn import new_lists, walk_lists, wanted_distance
from emst.cpu.points.search import NOBODY, take
from emst.cpu.points.walk import box_around, may_come_first, new_packet, walk_with
from emst.cpu.runtime import gather
from emst.cpu.runtime.arrays import empty, full
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import (
    LANES,
    at_most_mask,
    greatest,
    just_above,
    just_below,
    least,
    lowest_bit,
    unequal_mask,
)
from emst.cpu.runtime.numbers import greater, greatest_finite, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for


def query_cores(index, queries, k, near):
    """See `emst.backend.operations`."""
    core, bound = empty(queries.n, index.dtype), empty(queries.n, index.dtype)
    factor = index.dtype.type(index.core_factor)
    args = (
        index.nodes,
        index.padded_core,
        queries.nodes.blocks,
        near,
        min(k - 1, LANES),
        factor,
        core,
        bound,
        index.space,
    )
    for_packets(_cores, queries.leaves, *args, scratch=lambda: new_lists(index, k - 1))
    return core, bound


def nearest_distances(index, queries, radius, count):
    """See `emst.backend.operations`."""
    powers = np.full((queries.n, count), np.inf, index.dtype)
    args = (index.nodes, queries.nodes.blocks, radius, powers, index.space)
    if count <= LANES:
        for_packets(_list, queries.leaves, *args, scratch=lambda: new_lists(index, count)[:3])
    else:
        for_packets(
            _collect, queries.leaves, *args,
            scratch=lambda: (new_packet(index.d, index.dtype), new_buffers(count, index.n, index.dtype)),
        )  # fmt: skip
        powers.sort(axis=1)
    return powers


def nearest_across(index, labels, queries, query_labels, core, radius, near=None, group=None):
    """See `emst.backend.operations`."""
    padded = None
    if labels is not None:
        padded = full(index.leaves * LANES, MIXED, np.int32)
        padded[: index.n] = labels if group is None else gather.take(group, labels)
    nearest = np.full(queries.n, -1, np.int32)
    weight, power = (np.full(queries.n, np.inf, index.dtype) for _ in range(2))
    cores = (None, None) if core is None else (index.padded_core, index.node_core)
    args = (
        index.nodes,
        padded,
        *cores,
        queries.nodes.blocks,
        near,
        query_labels,
        core,
        radius,
        nearest,
        weight,
        power,
        index.space,
    )
    for_packets(
        _search, queries.leaves, *args, scratch=lambda: (new_packet(index.d, index.dtype), empty(LANES, index.dtype))
    )
    return nearest, weight, power


def for_packets(kernel, packets, *args, scratch):
    """Run a kernel over packets of 16 queries."""
    grain = min(grain_for(packets, 16), 1 << 10)  # a call can be interrupted between chunks only
    for_chunks(kernel, packets, grain, *args, scratch=scratch)


@kernel
def _cores(scratch, nodes, core, queries, near, wanted, factor, query_core, bound, space, begin, end):
    packet, distances, neighbours, _, _, buffers = scratch
    far = greatest_finite(queries)
    for leaf in range(begin, end):
        size = lesser(LANES, len(bound) - leaf * LANES)
        fill_packet(packet, queries, None, space.d, leaf, size)
        distances[:] = far
        neighbours[:] = -1
        clear(buffers)
        start = first_node(packet, nodes, space, near, leaf, size)
        walk_lists(packet, nodes, (distances, neighbours, wanted, -1, buffers), None, None, space, start)
        for q in range(size):
            core_distance = wanted_distance(distances, wanted - 1, buffers, q) * factor
            query_core[leaf * LANES + q] = core_distance
            bound[leaf * LANES + q] = _least_weight(distances, neighbours, wanted, core, q * LANES, core_distance)


@part
def _least_weight(distances, neighbours, wanted, core, at, core_distance):
    """The least weight of a listed point, 0 if one is at distance 0."""
    least = distances.dtype.type(0)
    if distances[at] > 0:
        least = greater(greater(distances[at], core_distance), core[neighbours[at]])
        for m in range(at + 1, at + wanted):
            least = lesser(least, greater(greater(distances[m], core_distance), core[neighbours[m]]))
    return least


@kernel
def _list(scratch, nodes, queries, radius, powers, space, begin, end):
    packet, distances, neighbours = scratch
    wanted = powers.shape[1]
    for leaf in range(begin, end):
        size = lesser(LANES, len(powers) - leaf * LANES)
        if not fill_packet(packet, queries, radius, space.d, leaf, size):
            continue
        neighbours[:] = -1
        for q in range(LANES):
            after = just_above(packet.radius[q]) if packet.radius[q] >= 0 else packet.radius[q]
            for m in range(LANES):
                distances[q * LANES + m] = after
        start = first_node(packet, nodes, space, None, leaf, size)
        walk_lists(packet, nodes, (distances, neighbours, wanted, -1, None), None, None, space, start)
        for q in range(size):
            for m in range(wanted):
                if neighbours[q * LANES + m] >= 0:
                    powers[leaf * LANES + q, m] = distances[q * LANES + m]


@kernel
def _collect(scratch, nodes, queries, radius, powers, space, begin, end):
    packet, buffers = scratch
    wanted, width = powers.shape[1], len(buffers.values) // LANES
    for leaf in range(begin, end):
        size = lesser(LANES, len(powers) - leaf * LANES)
        if not fill_packet(packet, queries, radius, space.d, leaf, size):
            continue
        clear(buffers)
        _walk_buffers(packet, nodes, (buffers,), None, None, space, first_node(packet, nodes, space, None, leaf, size))
        for q in range(size):
            if buffers.size[q] > wanted:
                shrink(buffers, q)
            for m in range(buffers.size[q]):
                powers[leaf * LANES + q, m] = buffers.values[q * width + m]


@kernel
def _search(scratch, nodes, labels, core, node_core, queries, near, query_labels, query_core, radius, nearest, weight,
            power, space, begin, end):  # fmt: skip
    packet, strict = scratch
    far = greatest_finite(nodes.blocks)
    for leaf in range(begin, end):
        size = lesser(LANES, len(nearest) - leaf * LANES)
        if not fill_packet(packet, queries, radius, space.d, leaf, size):
            continue
        for j in range(LANES):
            u = leaf * LANES + lesser(j, size - 1)  # empty lanes have the last label
            if labels is not None:
                packet.labels[j] = query_labels[u]
            packet.neighbour[j] = NOBODY
            packet.near[j] = far
            packet.weight[j] = packet.radius[j]
            if core is not None:
                packet.core[j] = query_core[u]
                if packet.radius[j] == 0:
                    packet.weight[j] = far  # only the distance counts
                elif query_core[u] > packet.radius[j]:
                    packet.weight[j] = packet.radius[j] = -1  # all its edges are heavier
            strict[j] = just_below(packet.radius[j])
        start = first_node(packet, nodes, space, near, leaf, size)
        _walk_across(packet, nodes, (strict, core, labels), node_core, labels, space, start)
        for q in range(size):
            if packet.neighbour[q] != NOBODY:
                u = leaf * LANES + q
                nearest[u] = packet.neighbour[q]
                weight[u] = packet.radius[q] if core is None or radius[u] == 0 else packet.weight[q]
                power[u] = packet.radius[q] if core is None else packet.near[q]


@part
def fill_packet(packet, queries, radius, d, leaf, size):
    """Fill the packet with the queries of a leaf, whose radius is infinite if it is None; returns whether any of them
    has a radius."""
    far = greatest_finite(queries)
    at = leaf * d * LANES
    for i in range(d * LANES):
        packet.points[i] = queries[at + i]
    for j in range(LANES):
        packet.radius[j] = -1
        if j < size:
            if radius is None:
                packet.radius[j] = far
            elif radius[leaf * LANES + j] >= 0:
                packet.radius[j] = lesser(radius[leaf * LANES + j], far)
    return greatest(packet.radius, 0) >= 0


@part
def first_node(packet, nodes, space, near, leaf, size):
    """Set the box of the packet. Returns the node of 16 leaves where the walk begins: at the place of its middle query
    on the curve, if places are given; otherwise a descent leads there."""
    d = space.d
    box_around(packet, d, size)
    if near is not None:
        return lesser(near[leaf * LANES + size // 2] // (LANES * LANES), (nodes.counts[0] - 1) // LANES)
    node = np.int64(0)
    for level in range(len(nodes.counts) - 1, 0, -1):
        at = (nodes.first[level] + node) * d * LANES
        children_mask(space, nodes.low, nodes.high, at, packet.box, packet.radius[0], packet.distance)
        node = node * LANES + lowest_bit(at_most_mask(packet.distance, 0, least(packet.distance, 0)))
    return node


@part
def _append(packet, nodes, space, leaf, mask, buffers):
    """Append the points of a leaf to the buffers of those queries that are set in the mask."""
    changed = False
    while mask:
        q = lowest_bit(mask)
        mask &= mask - 1
        at = leaf * space.d * LANES
        hits = point_mask(space, packet.points, q, nodes.blocks, at, packet.radius[q], packet.distance)
        if append(buffers, q, packet.distance, hits):
            packet.radius[q] = shrink(buffers, q)
            changed = True
    return changed


@part
def _take(packet, nodes, space, leaf, mask, strict, core, labels):
    """Offer the points of a leaf to those queries that are set in the mask."""
    changed = False
    while mask:
        q = lowest_bit(mask)
        mask &= mask - 1
        at = leaf * space.d * LANES
        hits = point_mask(space, packet.points, q, nodes.blocks, at, packet.radius[q], packet.distance)
        if labels is not None:
            hits &= unequal_mask(labels, leaf * LANES, packet.labels[q])
        if core is not None:
            if packet.radius[q] == 0 and packet.weight[q] == greatest_finite(core):  # only the distance counts
                if hits and take(packet, None, leaf, q, hits):
                    packet.near[q] = 0
                    changed = True
                continue
            hits &= at_most_mask(core, leaf * LANES, packet.weight[q])
        if hits and take(packet, core, leaf, q, hits):
            strict[q] = just_below(packet.radius[q])
            changed = True
    return changed


_walk_buffers = walk_with(_append)
_walk_across = walk_with(_take, may_come_first)
