"""The search: for every point that may hold its component's lightest edge, the nearest point of another component.

The points of 16 neighbouring leaves that have to be searched are cut into packets of 16, which walk the hierarchy
together (`walk`). So the lanes of a packet are full in late rounds too, when few points of a leaf are searched.

What saves work without giving up exactness:
- Nodes whose points all belong to the packet's component are skipped.
- A radius starts at the weight of an edge already known to leave the component, and points of one component within a
  packet share the least.
- A point caches its nearest neighbour (`cached`). While the two are in different components it is exact. Afterwards its
  weight is a lower bound, and the point is searched again only when that does not exceed its component's best.
- If a point's lightest edge so far weighs as much as its core distance, only edges to nearer points can precede it.

In many dimensions, products of all pairs take the place of walks where these would visit much (`choice`, `scan`).

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

from emst.cpu.lightest import lightest_edges
from emst.cpu.points.bvh import MIXED
from emst.cpu.points.cached import lanes_of
from emst.cpu.points.distances import point_mask
from emst.cpu.points.engine import products_of, sampled_runs
from emst.cpu.points.products import multiply, row_scratch, rows_at_once
from emst.cpu.points.scan import outgoing_weight, scan_with
from emst.cpu.points.walk import box_around, walk_with
from emst.cpu.runtime.atomics import load, store
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import (
    LANES,
    at_most_mask,
    cached_mask,
    just_above,
    least,
    lowest_bit,
    unequal_mask,
    within_best_mask,
)
from emst.cpu.runtime.numbers import greater, greatest_finite, lesser
from emst.cpu.runtime.order import end_precedes
from emst.cpu.runtime.parallel import for_chunks, grain_for, rows_that_hold

LEAST = 24  # dimensions times groups of 256 points in a chunk
LEAST_SEARCHED = 64  # if fewer points than this or n / 32 are searched, a choice costs more than it saves
NOBODY = np.iinfo(np.int32).max  # stands for no neighbour: every id comes before it


def nearest_outgoing(index, forest, cache):
    """See `emst.backend.operations`."""
    groups = -(-index.leaves // LANES)
    args = (
        index.nodes,
        index.padded_core,
        index.node_core,
        index.n,
        forest.best,
        cache.memory,
        cache.candidates,
        index.space,
    )
    products = products_of(index, 1, lambda: _sample(index, forest, cache, args), cache.memory.labels)
    if products is not None:
        _search_by_products(index, products, forest, cache)
    else:
        for_chunks(
            search_groups, groups, grain_for(groups, rows_that_hold(LEAST, index.d)), *args, scratch=cache.scratch
        )
    lightest_edges(forest, cache.candidates, cache.memory, None if index.core is None else cache.memory.near)


def _sample(index, forest, cache, args):
    """Search a sample of the points by walks: see `products_of`. None if few points are searched in this round."""
    ids = _points_to_search(index, forest, cache.memory, NOBODY)
    if len(ids) < max(LEAST_SEARCHED, index.n // 32):
        return None
    ids = np.concatenate([ids[run : run + LANES] for run in sampled_runs(len(ids))])
    for_chunks(_search_points, len(ids), LANES, ids, *args, scratch=cache.scratch)
    return ids, _radius(index, forest, cache.memory, ids)


def _radius(index, forest, memory, ids):
    """Powers of the distances within which these points, which have been searched, had to be searched."""
    radius = memory.bound[ids]
    if index.core is not None:
        radius = np.where(radius > index.core[ids], radius, memory.near[ids])
    return np.where(memory.nearest[ids] >= 0, radius, forest.best[memory.labels[ids]])


def _search_by_products(index, products, forest, cache):
    """`nearest_outgoing` by products. The largest component does not search its edge: all others hook onto another, so
    there are no more rounds. Most points that would have to be searched are in that component."""
    memory = cache.memory
    largest = np.int32(np.bincount(forest.labels).argmax())
    ids = _points_to_search(index, forest, memory, largest)
    args = (products, ids, index.nodes, index.padded_core, forest.best, memory, index.space)
    for_chunks(
        _scan_outgoing,
        len(ids),
        rows_at_once(index.n),
        *args,
        scratch=lambda: (*row_scratch(index.n, index.d, len(products.start)), *cache.scratch()),
    )
    for_chunks(_mark_candidates, index.leaves, 1 << 14, index.n, forest.best, memory, largest, cache.candidates)
    forest.best[largest] = np.inf


def _points_to_search(index, forest, memory, largest):
    """The points that have to be searched, except those of component `largest`: int32[count]."""
    searched = np.zeros(index.leaves * LANES, np.bool_)
    for_chunks(_mark_to_search, index.leaves, 1 << 14, index.n, forest.best, memory, largest, searched)
    return np.flatnonzero(searched).astype(np.int32)


@kernel
def _mark_to_search(n, best, memory, largest, searched, begin, end):
    for leaf in range(begin, end):
        at = leaf * LANES
        mask = within_best_mask(memory.bound, memory.labels, at, best) & lanes_of(leaf, n)
        mask &= ~cached_mask(memory.nearest, memory.labels, at) & unequal_mask(memory.labels, at, largest)
        while mask:
            searched[at + lowest_bit(mask)] = True
            mask &= mask - 1


@kernel
def _mark_candidates(n, best, memory, largest, candidates, begin, end):
    for leaf in range(begin, end):
        at = leaf * LANES
        mask = within_best_mask(memory.bound, memory.labels, at, best) & lanes_of(leaf, n)
        mask &= cached_mask(memory.nearest, memory.labels, at) & unequal_mask(memory.labels, at, largest)
        candidates[leaf] = mask
        memory.least[leaf] = least(memory.bound, at)


@kernel
def _scan_outgoing(scratch, products, ids, nodes, core, best, memory, space, begin, end):
    packed, values, packet, chosen = scratch
    labels = memory.labels
    far = greatest_finite(nodes.blocks)
    count = 0
    for k in range(begin, end):  # a chunk before this one may have found something lighter
        chosen[count] = ids[k]
        count += memory.bound[ids[k]] <= load(best, labels[ids[k]])
    if count == 0:
        return
    multiply(products, space.d, chosen, count, packed, values)
    for row in range(count):
        u = np.int64(chosen[row])
        weight = lesser(load(best, labels[u]), far)
        if memory.bound[u] > weight:
            continue
        packet.labels[0], packet.neighbour[0], packet.near[0] = labels[u], NOBODY, far
        if core is not None:
            packet.core[0] = core[u]
        weight = outgoing_weight(products, values, row, u, labels, core, weight, nodes.blocks)
        packet.weight[0] = packet.radius[0] = weight
        scan_outgoing(packet, products, values, row, u, space, core, labels)
        packet.ids[0] = u
        _remember(packet, core, best, memory, None, 1)


@part
def _accept(packet, mask, leaf, core, labels):
    mask &= unequal_mask(labels, leaf * LANES, packet.labels[0])
    if core is not None:
        mask &= at_most_mask(core, leaf * LANES, packet.weight[0])
    return mask


@part
def _offer(packet, hits, core, labels):
    while hits:
        j = lowest_bit(hits)
        hits &= hits - 1
        take_one(packet, core, 0, packet.ids[j], packet.distance[j])


@kernel
def _search_points(scratch, ids, nodes, core, node_core, n, best, memory, candidates, space, begin, end):
    packet, _ = scratch
    if _fill(packet, nodes.blocks, core, best, memory, space.d, ids, begin, end - begin):
        _walk(packet, nodes, (core, memory.labels), node_core, memory.labels, space, ids[begin] >> 8)
        _remember(packet, core, best, memory, candidates, end - begin)


@kernel
def search_groups(scratch, nodes, core, node_core, n, best, memory, candidates, space, begin, end):
    packet, searched = scratch
    for group in range(begin, end):
        count = np.int64(0)  # int64 from the beginning: `_collect` is compiled for every type of it
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
    mask = within_best_mask(memory.bound, memory.labels, at, best) & lanes_of(leaf, n)
    cached = mask & cached_mask(memory.nearest, memory.labels, at)
    candidates[leaf] = cached
    mask ^= cached
    while mask:
        searched[count] = at + lowest_bit(mask)
        mask &= mask - 1
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
        packet.neighbour[j] = NOBODY
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
        changed |= take_one(packet, core, q, np.int32(leaf * LANES + j), packet.distance[j])
    return changed


@part
def take_one(packet, core, q, i, s):
    """Take point i, at the power s of its distance, if it comes before the neighbour so far."""
    if core is None:
        if end_precedes(s, s, i, packet.radius[q], packet.radius[q], packet.neighbour[q]):
            packet.radius[q] = s
            packet.neighbour[q] = i
            return True
        return False
    core_distance = packet.core[q]
    w = greater(greater(s, core_distance), core[i])
    if end_precedes(w, s, i, packet.weight[q], packet.near[q], packet.neighbour[q]):
        packet.weight[q] = w
        packet.near[q] = s
        packet.neighbour[q] = i
        packet.radius[q] = s if w == core_distance else w  # no edge of this point is lighter than its core distance
        return True
    return False


@part
def _share(packet, core, q):
    """Lower the radii of all points of the same component: they need no edge heavier than that of point q."""
    weights = packet.radius if core is None else packet.weight
    weight = weights[q]
    same = ~unequal_mask(packet.labels, 0, packet.labels[q]) & 0xFFFF
    while same:
        j = lowest_bit(same)
        same &= same - 1
        if weights[j] > weight:
            weights[j] = weight
            packet.radius[j] = weight
            packet.neighbour[j] = NOBODY
            packet.near[j] = greatest_finite(weights)
            if core is not None and packet.core[j] > weight:
                packet.weight[j] = packet.radius[j] = -1  # its edges are all heavier


@part
def _remember(packet, core, best, memory, candidates, size):
    """Cache the neighbours of the points that were searched, or lower bounds where none was found."""
    for j in range(size):
        u = packet.ids[j]
        weight = packet.radius[j] if core is None else packet.weight[j]
        if packet.neighbour[j] == NOBODY:
            memory.nearest[u] = -1
            if weight >= 0:  # no edge up to and including the radius
                memory.bound[u] = greater(memory.bound[u], just_above(weight))
            continue
        memory.nearest[u] = packet.neighbour[j]
        memory.bound[u] = weight
        if core is not None:
            memory.near[u] = packet.near[j]
        label = packet.labels[j]
        if weight <= load(best, label):
            store(best, label, weight)
            if candidates is not None:
                candidates[u >> 4] |= 1 << (u & 15)


_walk, scan_outgoing = walk_with(_visit), scan_with(_accept, _offer)
