"""The search: for every point that may hold its component's lightest edge, the nearest point of another component.

The points of 16 neighbouring leaves that have to be searched are cut into packets of 16, which walk the hierarchy
together (`walk`). So the lanes of a packet are full in late rounds too, when few points of a leaf are searched.

What saves work without giving up exactness:
- Nodes whose points all belong to the packet's component are skipped.
- A radius starts at the weight of an edge already known to leave the component, and points of one component within a
  packet share the least.
- A point caches its nearest neighbour (`cached`). While the two are in different components it is exact. Afterwards its
  weight is a lower bound, and the point is searched again only when that does not exceed its component's best.
- Where a point has found an edge as light as its core distance, only nearer ends of such edges can come before it.

There is no brute force for many dimensions: on one core, float64 and 40,000 points, tiles without any box took 0.76 of
the time of this walk on uniform points in 24 dimensions and 0.95 in 64; on blobs 12 and 16 times as much.

Races. Several packets may read and lower ``best`` of one component at once. If an update gets lost, the weight of
another edge that leaves the component remains, which is an upper bound, too. The exact minimum is found afterwards
(`lightest`).

References
----------
W. B. March, P. Ram, A. G. Gray, "Fast Euclidean minimum spanning tree" (KDD'10); M. Gagolewski, quitefastmst (the
"sesqui-tree": leaves against the tree); A. Prokopenko et al., "A single-tree algorithm..." (ICPP'22).
"""

from __future__ import annotations

import numpy as np

from emst.cpu.points.bvh import MIXED
from emst.cpu.points.cached import lanes_of
from emst.cpu.points.distances import point_mask
from emst.cpu.points.lightest import lightest_edges
from emst.cpu.points.walk import box_around, walk_with
from emst.cpu.runtime.atomics import load, store
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import (
    LANES,
    at_most_mask,
    cached_mask,
    hopeful_mask,
    just_above,
    least,
    lowest_bit,
    unequal_mask,
)
from emst.cpu.runtime.numbers import greater, greatest_finite, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

NOBODY = np.iinfo(np.int32).max  # in the place of a neighbour's id: every id comes before it


def nearest_outgoing(bvh, forest, cache):
    """See `emst.backend.operations`."""
    groups = -(-bvh.leaves // LANES)
    args = (bvh.nodes, bvh.padded_core, bvh.node_core, bvh.n, forest.best, cache.memory, cache.candidates)
    for_chunks(_search, groups, grain_for(groups, 8), *args, bvh.space, scratch=cache.scratch)
    lightest_edges(bvh, forest, cache)


@kernel
def _search(scratch, nodes, core, node_core, n, best, memory, candidates, space, begin, end):
    packet, searched = scratch
    for group in range(begin, end):
        count = np.int64(0)  # of one type from the beginning: `_collect` is compiled for every type
        leaves = range(group * LANES, lesser(group * LANES + LANES, len(candidates)))
        for leaf in leaves:
            candidates[leaf] = 0
            common = nodes.label[leaf]
            if common == MIXED or memory.least[leaf] <= load(best, common):
                count = _collect(searched, count, n, best, memory, candidates, leaf)
        for first in range(0, count, LANES):
            size = lesser(LANES, count - first)
            if _fill(packet, nodes.blocks, core, best, memory, space.d, searched, first, size):
                _walk(packet, nodes, (core, memory.labels), node_core, memory.labels, space, group)
                _remember(packet, core, best, memory, candidates, size)
        for leaf in leaves:
            memory.least[leaf] = least(memory.bound, leaf * LANES)


@part
def _collect(searched, count, n, best, memory, candidates, leaf):
    """Collect the points of the leaf that have to be searched. Those with an exact neighbour are candidates already."""
    at = leaf * LANES
    hopeful = hopeful_mask(memory.bound, memory.labels, at, best) & lanes_of(leaf, n)
    cached = hopeful & cached_mask(memory.nearest, memory.labels, at)
    candidates[leaf] = cached
    hopeful ^= cached
    while hopeful:
        searched[count] = at + lowest_bit(hopeful)
        hopeful &= hopeful - 1
        count += 1
    return count


@part
def _fill(packet, blocks, core, best, memory, d, searched, first, size):
    """Fill the packet with 16 points to search; returns whether any of them still has to be searched."""
    far = greatest_finite(packet.radius)
    left = False
    for j in range(LANES):
        u = searched[first + lesser(j, size - 1)]  # empty lanes repeat the last point
        at = (u >> 4) * d * LANES + (u & 15)
        for i in range(d):
            packet.points[i * LANES + j] = blocks[at + i * LANES]
        packet.ids[j] = u
        packet.labels[j] = memory.labels[u]
        packet.found[j] = NOBODY
        packet.near[j] = far
        weight = lesser(load(best, packet.labels[j]), far)
        if core is not None:
            packet.core[j] = core[u]
        if j >= size or memory.bound[u] > weight:  # a packet before this one has found something lighter
            weight = -1
        left |= weight >= 0
        packet.weight[j] = packet.radius[j] = weight
    if left:
        box_around(packet, d, size)
    return left


@part
def _visit(packet, nodes, space, leaf, mask, core, labels):
    """Compare the points of a leaf with those points of the packet that are set in the mask."""
    changed = False
    while mask:
        q = lowest_bit(mask)
        mask &= mask - 1
        at = leaf * space.d * LANES
        hits = point_mask(space, packet.points, q, nodes.blocks, at, packet.radius[q], packet.distance)
        hits &= unequal_mask(labels, leaf * LANES, packet.labels[q])
        if core is not None:
            hits &= at_most_mask(core, leaf * LANES, packet.weight[q])
        if hits and take(packet, core, leaf, q, hits):
            changed = True
            _share(packet, core, q)
    return changed


@part
def take(packet, core, leaf, q, hits):
    """Take the first of the hits in the total order: by weight, then distance, then id."""
    changed = False
    while hits:
        j = lowest_bit(hits)
        hits &= hits - 1
        s = packet.distance[j]
        i = np.int32(leaf * LANES + j)
        if core is None:
            if s < packet.radius[q] or (s == packet.radius[q] and i < packet.found[q]):
                packet.radius[q] = s
                packet.found[q] = i
                changed = True
            continue
        own = packet.core[q]
        w = greater(greater(s, own), core[i])
        if w > packet.weight[q]:
            continue
        if w < packet.weight[q] or s < packet.near[q] or (s == packet.near[q] and i < packet.found[q]):
            packet.weight[q] = w
            packet.near[q] = s
            packet.found[q] = i
            packet.radius[q] = s if w == own else w  # no edge of this point is lighter than its core distance
            changed = True
    return changed


@part
def _share(packet, core, q):
    """Points of one component need no edge heavier than what one of them has found."""
    weights = packet.radius if core is None else packet.weight
    weight = weights[q]
    same = ~unequal_mask(packet.labels, 0, packet.labels[q]) & 0xFFFF
    while same:
        j = lowest_bit(same)
        same &= same - 1
        if weights[j] > weight:
            weights[j] = weight
            packet.radius[j] = weight
            packet.found[j] = NOBODY
            packet.near[j] = greatest_finite(weights)
            if core is not None and packet.core[j] > weight:
                packet.weight[j] = packet.radius[j] = -1  # its edges are all heavier


@part
def _remember(packet, core, best, memory, candidates, size):
    """Cache the neighbours of the points that were searched, or lower bounds where none was found."""
    for j in range(size):
        u = packet.ids[j]
        weight = packet.radius[j] if core is None else packet.weight[j]
        if packet.found[j] == NOBODY:
            memory.nearest[u] = -1
            if weight >= 0:  # no edge up to and including the radius
                memory.bound[u] = greater(memory.bound[u], just_above(weight))
            continue
        memory.nearest[u] = packet.found[j]
        memory.bound[u] = weight
        if core is not None:
            memory.near[u] = packet.near[j]
        label = packet.labels[j]
        if weight <= load(best, label):
            store(best, label, weight)
            candidates[u >> 4] |= 1 << (u & 15)


_walk = walk_with(_visit)
