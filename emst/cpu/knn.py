"""Core distances: the squared distance of every point to its k-th nearest, itself included.

The search's walk, with a sorted list of neighbours a point instead of one answer. The first neighbours stay with the
hierarchy: they answer most of the questions of the first rounds.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.kernels import kernel, part
from emst.cpu.lanes import LANES, insert_hits, keep_least, lowest_bit, point_mask
from emst.cpu.parallel import for_chunks, grain_for
from emst.cpu.walk import box_around, new_packet, walk_with

KEPT = 8  # neighbours a point that stay with the hierarchy, at most


def core_distances(bvh, k):
    """Squared core distances: T[n]."""
    if k == 1:
        return np.zeros(bvh.n, bvh.dtype)
    size = bvh.leaves * LANES
    wanted = min(k, bvh.n - 1)  # one more than needed: among equals with the last some may be missing
    lists = np.full((size, min(wanted, KEPT)), -1, np.int32)
    core = np.full(size, np.inf, bvh.dtype)
    reach = np.full(size, np.inf, bvh.dtype)
    args = (bvh.nodes, bvh.n, k, wanted, core, lists, reach, bvh.dims, bvh.d)
    for_chunks(_core_distances, bvh.leaves, grain_for(bvh.leaves, 64), *args, scratch=lambda: _new_lists(bvh, wanted))
    bvh.core, bvh.padded_core, bvh.lists, bvh.reach = core[: bvh.n], core, lists, reach
    bvh.node_core = _node_cores(bvh, core)
    return bvh.core


def _new_lists(bvh, wanted):
    """A packet, the lists of its points as rows of whole vectors, and as columns where one vector suffices."""
    width = -(-wanted // LANES) * LANES
    return (
        new_packet(bvh.d, bvh.dtype),
        np.empty(LANES * width, bvh.dtype),
        np.empty(LANES * width, np.int32),
        np.empty(LANES * LANES, bvh.dtype),
        np.empty(LANES * LANES, np.int32),
    )


def _node_cores(bvh, core):
    """Least core distance below every node."""
    nodes = bvh.nodes
    least = np.full(len(nodes.label), np.inf, bvh.dtype)
    below = core
    for first, count in zip(nodes.first, nodes.count, strict=True):
        level = least[first * LANES : (first + -(-count // LANES)) * LANES]
        level[:count] = below.reshape(-1, LANES).min(1)
        below = level
    return least


@kernel
def _core_distances(scratch, nodes, n, k, wanted, core, lists, reach, dims, d, begin, end):
    kind = nodes.blocks.dtype
    far = np.finfo(kind).max
    packet, distances, neighbours, columns, column_ids = scratch
    width = len(distances) // LANES
    kept = lists.shape[1]
    for leaf in range(begin, end):
        size = min(LANES, n - leaf * LANES)
        active = (1 << size) - 1
        for j in range(LANES):
            packet.radius[j] = far if j < size else -1
        distances[:] = far
        neighbours[:] = -1
        if width == LANES:
            _own_leaf(packet, nodes, distances, neighbours, wanted, columns, column_ids, dims, d, leaf, size)
        box_around(packet, nodes.blocks, d, leaf, active)
        _walk(packet, nodes, (distances, neighbours, wanted), None, None, dims, d, leaf, active)
        for j in range(size):
            u = leaf * LANES + j
            core[u] = distances[j * width + k - 2]
            for m in range(kept):
                lists[u, m] = neighbours[j * width + m]
            if kept < n - 1:  # else there is nobody but those listed
                reach[u] = distances[j * width + kept - 1]


@part
def _own_leaf(packet, nodes, distances, neighbours, wanted, columns, column_ids, dims, d, leaf, size):
    """Start all lists from the packet's own leaf: one point at a time is offered to all 16 lists, stored as columns."""
    columns[:] = distances[0]
    column_ids[:] = -1
    at = leaf * d * LANES
    for j in range(size):
        point_mask(dims, d, nodes.blocks, at + j, at, columns[0], packet.distance)
        packet.distance[j] = np.inf
        keep_least(columns, column_ids, wanted, packet.distance, np.int32(leaf * LANES + j))
    for q in range(size):
        for m in range(wanted):
            distances[q * LANES + m] = columns[m * LANES + q]
            neighbours[q * LANES + m] = column_ids[m * LANES + q]
        packet.radius[q] = distances[q * LANES + wanted - 1]


@part
def _visit(packet, nodes, dims, d, leaf, other, mask, distances, neighbours, wanted):
    """Offer the points of a leaf to the lists of those points of the packet that are set in the mask."""
    width = len(distances) // LANES
    changed = False
    if other == leaf and width == LANES:
        return changed  # `_own_leaf` was there
    while mask:
        q = lowest_bit(mask)
        mask &= mask - 1
        hits = point_mask(
            dims, d, nodes.blocks, leaf * d * LANES + q, other * d * LANES, packet.radius[q], packet.distance
        )
        if other == leaf:
            hits &= ~(1 << q)
        if hits == 0:
            continue
        changed = True
        if width == LANES:
            packet.radius[q] = insert_hits(
                distances, neighbours, q * LANES, wanted - 1, packet.distance, hits, np.int32(other * LANES)
            )
            continue
        while hits:
            j = lowest_bit(hits)
            hits &= hits - 1
            _insert_long(distances, neighbours, q * width, wanted, packet.distance[j], np.int32(other * LANES + j))
        packet.radius[q] = distances[q * width + wanted - 1]
    return changed


@part
def _insert_long(distances, neighbours, row, wanted, distance, neighbour):
    """The same for rows longer than a vector."""
    at = row + wanted - 1
    if distance >= distances[at]:
        return
    while at > row and distances[at - 1] > distance:
        distances[at] = distances[at - 1]
        neighbours[at] = neighbours[at - 1]
        at -= 1
    distances[at] = distance
    neighbours[at] = neighbour


_walk = walk_with(_visit)
