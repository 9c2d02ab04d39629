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

from typing import NamedTuple

import numpy as np
from numba import njit

from emst.cpu.bvh import MIXED
from emst.cpu.lanes import LANES, at_most_mask, lowest_bit, point_mask, unequal_mask
from emst.cpu.parallel import for_chunks, grain_for
from emst.cpu.walk import box_around, new_packet, walk_with

NOBODY = np.iinfo(np.int32).max  # as an answer's id: greater than any, so that any other comes first


class Memory(NamedTuple):
    """What every point knows, with the empty lanes of the last leaf."""

    nearest: np.ndarray  # int32: nearest foreign point when last searched, -1 if none was found
    bound: np.ndarray  # T: weight of the edge to it, or a lower bound of the weight of any edge
    near: np.ndarray  # T: squared distance to it (the weight's second key)
    labels: np.ndarray  # int32: component, copied from the forest every round


class Answers:
    """The memory of the search."""

    def __init__(self, n: int, memory: Memory):
        self.memory = memory
        self.nearest, self.bound = memory.nearest[:n], memory.bound[:n]


def first_answers(bvh, forest):
    """What points know before the first round: nothing yet, or their nearest neighbours from `core_distances`."""
    size = bvh.leaves * LANES
    memory = Memory(
        nearest=np.full(size, -1, np.int32),
        bound=np.zeros(size, bvh.dtype),
        near=np.zeros(size if bvh.core is not None else 0, bvh.dtype),
        labels=np.full(size, MIXED, np.int32),
    )
    if bvh.core is not None:
        memory.bound[:] = bvh.padded_core
    return Answers(bvh.n, memory)


def upper_bounds(bvh, forest, answers):
    """Bound every component by its answers that are still foreign and by neighbours on the curve."""
    forest.best[forest.components] = np.inf
    answers.memory.labels[: bvh.n] = forest.labels
    args = (bvh.nodes.blocks, bvh.padded_core, bvh.n, forest.best, answers.memory, bvh.d)
    for_chunks(_upper_bounds, bvh.n, grain_for(bvh.n, 4096), *args)


@njit(nogil=True, cache=True)
def _upper_bounds(blocks, core, n, best, memory, d, begin, end):
    labels = memory.labels
    for i in range(begin, end):
        label = labels[i]
        t = memory.nearest[i]
        if t >= 0 and labels[t] != label and memory.bound[i] < best[label]:
            best[label] = memory.bound[i]
        if i + 1 < n and labels[i + 1] != label:
            weight = squared_distance(blocks, d, i, i + 1)
            if core is not None:
                weight = max(weight, core[i], core[i + 1])
            if weight < best[label]:
                best[label] = weight
            if weight < best[labels[i + 1]]:
                best[labels[i + 1]] = weight


@njit(nogil=True, forceinline=True)
def squared_distance(blocks, d, i, j):
    """Squared distance of two points."""
    a, b = i // LANES * d * LANES + i % LANES, j // LANES * d * LANES + j % LANES
    t = blocks[a] - blocks[b]
    s = t * t
    for k in range(1, d):
        t = blocks[a + k * LANES] - blocks[b + k * LANES]
        s += t * t
    return s


def nearest_outgoing(bvh, forest, answers):
    """Search, then set every component's lightest edge."""
    args = (bvh.nodes, bvh.padded_core, bvh.node_core, bvh.n, forest.best, answers.memory, bvh.dims, bvh.d)
    for_chunks(_search, bvh.leaves, grain_for(bvh.leaves, 64), *args)
    _lightest(answers.memory, bvh.core, bvh.n, forest.components, forest.best, forest.edge_u, forest.edge_v)


@njit(nogil=True, cache=True)
def _search(nodes, core, node_core, n, best, memory, dims, d, begin, end):
    packet = new_packet(d, nodes.blocks.dtype)
    for leaf in range(begin, end):
        active = _activate(packet, nodes, core, n, best, memory, d, leaf)
        if active:
            _walk(packet, nodes, (core, memory.labels), node_core, memory.labels, dims, d, leaf, active)
            _remember(packet, core, best, memory, leaf, active)


@njit(nogil=True, forceinline=True)
def _activate(packet, nodes, core, n, best, memory, d, leaf):
    """Which points of the leaf have to be searched, their radii and the box around them."""
    far = np.finfo(nodes.blocks.dtype).max
    active = 0
    for j in range(LANES):
        u = leaf * LANES + j
        packet.weight[j] = packet.radius[j] = -1
        packet.found[j] = NOBODY
        if u >= n:
            continue
        label = memory.labels[u]
        if memory.bound[u] > best[label]:
            continue
        t = memory.nearest[u]
        if t >= 0 and memory.labels[t] != label:
            continue
        packet.weight[j] = packet.radius[j] = min(best[label], far)
        packet.near[j] = far
        active |= 1 << j
    if active:
        box_around(packet, nodes.blocks, d, leaf, active)
    return active


@njit(nogil=True, forceinline=True)
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


@njit(nogil=True, forceinline=True)
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


@njit(nogil=True, forceinline=True)
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


@njit(nogil=True, forceinline=True)
def _remember(packet, core, best, memory, leaf, active):
    while active:
        j = lowest_bit(active)
        active &= active - 1
        u = leaf * LANES + j
        label = memory.labels[u]
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
        if weight < best[label]:
            best[label] = weight


@njit(nogil=True, cache=True)
def _lightest(memory, core, n, components, best, edge_u, edge_v):
    """Every component's first edge under the law."""
    for c in components:
        best[c] = np.inf
        edge_u[c] = edge_v[c] = -1
    for i in range(n):
        t = memory.nearest[i]
        label = memory.labels[i]
        if t < 0 or memory.labels[t] == label or memory.bound[i] > best[label]:
            continue
        u, v = min(np.int32(i), t), max(np.int32(i), t)
        first = memory.bound[i] < best[label] or edge_u[label] < 0
        if not first and core is not None:
            p, q = edge_u[label], edge_v[label]
            kept = memory.near[p] if memory.nearest[p] == q and memory.labels[p] == label else memory.near[q]
            if memory.near[i] != kept:
                if memory.near[i] > kept:
                    continue
                first = True
        if first or u < edge_u[label] or (u == edge_u[label] and v < edge_v[label]):
            best[label] = memory.bound[i]
            edge_u[label] = u
            edge_v[label] = v


_walk = walk_with(_visit)
