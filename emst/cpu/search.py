"""The search: for every point that may hold its component's lightest edge, the nearest point of another component.

A leaf of 16 points is a *packet*: its active points walk the hierarchy together. The walk climbs: first the packet's own
leaf, then its siblings, then the siblings of its parent, ... descending into every node that some point of the packet
still has to see, nearest first. So radii are small before anything far away is looked at.

What spares work, none of it at the price of exactness:
- Nodes whose points all belong to the packet's component are skipped.
- A radius starts at the weight of an edge already known to leave the component, and points of one component within a
  packet share the least.
- A point keeps its last answer. While that neighbour is foreign it is exact (components only grow); otherwise its weight
  is a lower bound, and the point is searched again only when that does not exceed its component's best.

Races. Packets read and lower ``best`` of their components while others do: a lost update leaves the weight of another
edge that leaves the component, which is all that the search needs. The answers are then reduced again, exactly.

References
----------
W. B. March, P. Ram, A. G. Gray, "Fast Euclidean minimum spanning tree" (KDD'10); M. Gagolewski, quitefastmst (the
"sesqui-tree": leaves against the tree); A. Prokopenko et al., "A single-tree algorithm..." (ICPP'22).
"""

from __future__ import annotations

import numpy as np

from emst.cpu.bvh import MIXED
from emst.cpu.kernels import kernel, part
from emst.cpu.lanes import LANES, at_most_mask, lowest_bit, point_mask, unequal_mask
from emst.cpu.lightest import lightest_edges
from emst.cpu.parallel import for_chunks, grain_for
from emst.cpu.walk import box_around, new_packet, walk_with

NOBODY = np.iinfo(np.int32).max  # as an answer's id: greater than any, so that any other comes first


def nearest_outgoing(bvh, forest, answers):
    """Search, then set every component's lightest edge."""
    args = (bvh.nodes, bvh.padded_core, bvh.node_core, bvh.n, forest.best, answers.memory, answers.candidates)
    for_chunks(_search, bvh.leaves, grain_for(bvh.leaves, 64), *args, bvh.dims, bvh.d,
               scratch=lambda: new_packet(bvh.d, bvh.dtype))  # fmt: skip
    lightest_edges(bvh, forest, answers)


@kernel
def _search(packet, nodes, core, node_core, n, best, memory, candidates, dims, d, begin, end):
    for leaf in range(begin, end):
        candidates[leaf] = 0
        common = nodes.label[leaf]
        if common != MIXED and memory.least[leaf] > best[common]:
            continue
        active = _activate(packet, core, n, best, memory, candidates, leaf)
        if active:
            box_around(packet, nodes.blocks, d, leaf, active)
            _walk(packet, nodes, (core, memory.labels), node_core, memory.labels, dims, d, leaf, active)
            _remember(packet, core, best, memory, candidates, leaf, active)
        least = memory.bound[leaf * LANES]
        for u in range(leaf * LANES + 1, min(n, leaf * LANES + LANES)):
            least = min(least, memory.bound[u])
        memory.least[leaf] = least


@part
def _activate(packet, core, n, best, memory, candidates, leaf):
    """Which points of the leaf have to be searched, and their radii. Those that know better are candidates."""
    far = np.finfo(packet.radius.dtype).max
    active = 0
    for j in range(LANES):
        packet.radius[j] = packet.weight[j] = -1
        packet.found[j] = NOBODY
        u = leaf * LANES + j
        if u >= n:
            continue
        label = memory.labels[u]
        if memory.bound[u] > best[label]:
            continue
        t = memory.nearest[u]
        if t >= 0 and memory.labels[t] != label:
            candidates[leaf] |= 1 << j
            continue
        packet.radius[j] = packet.weight[j] = min(best[label], far)
        packet.near[j] = far
        active |= 1 << j
    return active


@part
def _visit(packet, nodes, dims, d, leaf, other, mask, core, labels):
    """Show the points of a leaf to those points of the packet that are set in the mask."""
    changed = False
    while mask:
        q = lowest_bit(mask)
        mask &= mask - 1
        label = labels[leaf * LANES + q]
        hits = point_mask(
            dims,
            d,
            nodes.blocks,
            leaf * d * LANES + q,
            other * d * LANES,
            packet.radius[q],
            packet.distance,
        ) & unequal_mask(labels, other * LANES, label)
        if core is not None:
            hits &= at_most_mask(core, other * LANES, packet.weight[q])
        if hits:
            changed |= _take(packet, core, leaf, other, q, hits)
            _share(packet, core, labels, leaf, q, label)
    return changed


@part
def _take(packet, core, leaf, other, q, hits):
    """The first of the hits under the law: weight, then squared distance, then id."""
    changed = False
    while hits:
        j = lowest_bit(hits)
        hits &= hits - 1
        s = packet.distance[j]
        i = np.int32(other * LANES + j)
        if core is None:
            if s < packet.radius[q] or (s == packet.radius[q] and i < packet.found[q]):
                packet.radius[q] = s
                packet.found[q] = i
                changed = True
            continue
        own = core[leaf * LANES + q]
        w = max(s, own, core[i])
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
def _share(packet, core, labels, leaf, q, label):
    """Points of the same component need not look for anything heavier than what one of them has found."""
    weights = packet.radius if core is None else packet.weight
    weight = weights[q]
    same = ~unequal_mask(labels, leaf * LANES, label) & 0xFFFF
    while same:
        j = lowest_bit(same)
        same &= same - 1
        if weights[j] > weight:
            weights[j] = weight
            packet.radius[j] = weight
            packet.found[j] = NOBODY
            packet.near[j] = np.finfo(weights.dtype).max
            if core is not None and core[leaf * LANES + j] > weight:
                packet.weight[j] = packet.radius[j] = -2  # cannot take part any more


@part
def _remember(packet, core, best, memory, candidates, leaf, active):
    """Answers, or bounds where there was none, of the points that were searched."""
    while active:
        j = lowest_bit(active)
        active &= active - 1
        u = leaf * LANES + j
        weight = packet.radius[j] if core is None else packet.weight[j]
        if packet.found[j] == NOBODY:
            memory.nearest[u] = -1
            if weight >= 0:  # nothing up to and including the radius
                memory.bound[u] = max(memory.bound[u], np.nextafter(weight, best.dtype.type(np.inf)))
            continue
        memory.nearest[u] = packet.found[j]
        memory.bound[u] = weight
        if core is not None:
            memory.near[u] = packet.near[j]
        label = memory.labels[u]
        if weight <= best[label]:
            best[label] = weight
            candidates[leaf] |= 1 << j


_walk = walk_with(_visit)
