"""Where new points would join: the nearest point under mutual reachability, as if the query had been there too.

A packet of 16 queries that are neighbours on the curve walks the hierarchy twice. The first walk finds the k - 1
nearest points; the last of these gives the query's core distance, and the best of them bounds the second walk. That
finds the nearest point under mutual reachability. Core distances prune it as they prune the search of Borůvka's rounds.

A result is the first point by (weight, distance, id). So a node need not be opened if it is no nearer than the
point found so far and all its ids come after that point's. Without this rule, every query near repeated points would be
compared with all of them.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.points.buffers import clear
from emst.cpu.points.distances import point_mask
from emst.cpu.points.knn import new_lists, walk_lists, wanted_distance
from emst.cpu.points.walk import box_around, may_come_first, walk_with
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import LANES, at_most_mask, just_below, lowest_bit
from emst.cpu.runtime.order import end_precedes
from emst.cpu.runtime.parallel import for_chunks, grain_for

NOBODY = np.iinfo(np.int32).max  # in the place of a point's id: every id comes before it


def nearest_reachable(bvh, queries, k, near):
    """See `emst.backend.operations`."""
    bvh.lists = bvh.reach = bvh.products = None  # they serve Borůvka's rounds only
    found, weight = np.empty(queries.n, np.int32), np.empty(queries.n, bvh.dtype)
    core = bvh.padded_core if k > 1 else None
    wanted = max(k - 1, 1)
    args = (bvh.nodes, core, bvh.node_core, bvh.n, queries.nodes.blocks, near)
    args = (*args, min(wanted, LANES), bvh.dtype.type(bvh.core_factor), found, weight, bvh.space)
    for_chunks(
        _search, queries.leaves, grain_for(queries.leaves, 16), *args,
        scratch=lambda: (*new_lists(bvh, wanted), empty(LANES, bvh.dtype)),
    )  # fmt: skip
    return found, weight


@kernel
def _search(scratch, nodes, core, node_core, n, queries, near, wanted, factor, found, weight, space, begin, end):
    packet, distances, neighbours, _, _, buffers, strict = scratch
    d = space.d
    far = np.finfo(nodes.blocks.dtype).max
    for leaf in range(begin, end):
        size = min(LANES, len(found) - leaf * LANES)
        for i in range(d * LANES):
            packet.points[i] = queries[leaf * d * LANES + i]
        for j in range(LANES):
            packet.radius[j] = packet.weight[j] = packet.near[j] = far if j < size else -1
            packet.found[j] = NOBODY
        box_around(packet, d, size)
        start = min(near[leaf * LANES + size // 2], n - 1) // (LANES * LANES)
        if core is not None:
            distances[:] = far
            neighbours[:] = -1
            clear(buffers)
            walk_lists(packet, nodes, (distances, neighbours, wanted, -1, buffers), None, None, space, start)
            _take_listed(packet, strict, core, distances, neighbours, wanted, factor, buffers, size)
        _walk(packet, nodes, (strict, core), node_core, None, space, start)
        for j in range(size):
            found[leaf * LANES + j] = packet.found[j]
            weight[leaf * LANES + j] = packet.weight[j] if packet.near[j] > 0 else 0


@part
def _take_listed(packet, strict, core, distances, neighbours, wanted, factor, buffers, size):
    """Set the core distances of the queries, and offer them the listed points."""
    for q in range(size):
        at = q * LANES
        packet.core[q] = wanted_distance(distances, wanted - 1, buffers, q) * factor
        packet.radius[q] = packet.weight[q]
        if distances[at] == 0:
            packet.radius[q] = 0  # only equal points count, whatever their core distances
            continue
        for m in range(wanted):
            _offer(packet, strict, core, q, neighbours[at + m], distances[at + m])


@part
def _offer(packet, strict, core, q, i, s):
    """Offer point i, s the power of its distance, to query q; returns whether it is the first so far."""
    if s == 0:  # equal points: the weight is set to 0 at the end. Until then a core distance must not exclude one
        if packet.near[q] == 0 and i > packet.found[q]:
            return False
        w = packet.weight[q]
    else:
        w = max(s, packet.core[q], core[i]) if core is not None else s
        first = end_precedes(w, s, i, packet.weight[q], packet.near[q], packet.found[q])
        if packet.near[q] == 0 or not first:
            return False
    packet.weight[q] = w
    packet.near[q] = s
    packet.found[q] = i
    least = packet.core[q] if core is not None else s
    packet.radius[q] = s if s == 0 or w == least else w  # nothing is lighter than the own core distance, only nearer
    strict[q] = just_below(packet.radius[q])
    return True


@part
def _visit(packet, nodes, space, leaf, mask, strict, core):
    """Offer the points of a leaf to those queries that are set in the mask."""
    changed = False
    while mask:
        q = lowest_bit(mask)
        mask &= mask - 1
        at = leaf * space.d * LANES
        hits = point_mask(space, packet.points, q, nodes.blocks, at, packet.radius[q], packet.distance)
        if core is not None:
            hits &= at_most_mask(core, leaf * LANES, packet.weight[q])
        while hits:
            j = lowest_bit(hits)
            hits &= hits - 1
            changed |= _offer(packet, strict, core, q, np.int32(leaf * LANES + j), packet.distance[j])
    return changed


_walk = walk_with(_visit, may_come_first)
