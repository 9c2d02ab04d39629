"""Core distances: the squared distance of every point to its k-th nearest, itself included.

The search's walk, with a sorted list of neighbours a point instead of one answer. The first neighbours stay with the
hierarchy: they answer most of the questions of the first rounds.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from emst.cpu.lanes import LANES, lowest_bit, point_mask
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
    args = (bvh.nodes, bvh.n, k, wanted, core, lists, bvh.dims, bvh.d)
    for_chunks(_core_distances, bvh.leaves, grain_for(bvh.leaves, 64), *args)
    bvh.core, bvh.padded_core, bvh.lists = core[: bvh.n], core, lists
    bvh.node_core = _node_cores(bvh, core)
    return bvh.core


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


@njit(nogil=True, cache=True)
def _core_distances(nodes, n, k, wanted, core, lists, dims, d, begin, end):
    kind = nodes.blocks.dtype
    far = np.finfo(kind).max
    packet = new_packet(d, kind)
    distances = np.empty((LANES, wanted), kind)
    neighbours = np.empty((LANES, wanted), np.int32)
    for leaf in range(begin, end):
        size = min(LANES, n - leaf * LANES)
        active = (1 << size) - 1
        packet.radius[:] = -1
        packet.radius[:size] = far
        distances[:] = far
        neighbours[:] = -1
        box_around(packet, nodes.blocks, d, leaf, active)
        _walk(packet, nodes, (distances, neighbours), None, None, dims, d, leaf, active)
        for j in range(size):
            core[leaf * LANES + j] = distances[j, k - 2]
            for m in range(lists.shape[1]):
                lists[leaf * LANES + j, m] = neighbours[j, m]


@njit(nogil=True)
def _visit(packet, nodes, dims, d, leaf, other, mask, distances, neighbours):
    """Offer the points of a leaf to the lists of those points of the packet that are set in the mask."""
    changed = False
    while mask:
        q = lowest_bit(mask)
        mask &= mask - 1
        hits = point_mask(
            dims, d, nodes.blocks, leaf * d * LANES + q, other * d * LANES, packet.radius[q], packet.distance
        )
        if other == leaf:
            hits &= ~(1 << q)
        while hits:
            j = lowest_bit(hits)
            hits &= hits - 1
            changed |= _insert(distances[q], neighbours[q], packet.distance[j], np.int32(other * LANES + j))
        packet.radius[q] = distances[q, -1]
    return changed


@njit(nogil=True)
def _insert(distances, neighbours, distance, neighbour):
    at = len(distances) - 1
    if distance >= distances[at]:
        return False
    while at > 0 and distances[at - 1] > distance:
        distances[at] = distances[at - 1]
        neighbours[at] = neighbours[at - 1]
        at -= 1
    distances[at] = distance
    neighbours[at] = neighbour
    return True


_walk = walk_with(_visit)
