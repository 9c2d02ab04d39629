"""The cached nearest neighbours of the points, and the bounds that follow for components.

A point keeps the nearest point of another component that its last search found. While the two are in different
components this neighbour is exact, because components only grow. Afterwards its weight is a lower bound.

Under mutual reachability every point also has the list of neighbours that `core_distances` left. Every point that is
not listed is at least as far as the last one listed. So if the lightest listed edge that leaves the component is
lighter than that, it is exact as well.

Races. Several threads may lower ``best`` of one component at once. If an update gets lost, the weight of another edge
that leaves the component remains, which is an upper bound, too.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from emst.cpu.contract import root_above
from emst.cpu.points.bvh import MIXED, SearchIndex
from emst.cpu.points.distances import distance_power
from emst.cpu.points.knn import list_neighbours
from emst.cpu.points.labels import label_nodes
from emst.cpu.points.walk import new_packet
from emst.cpu.runtime.arrays import empty, full
from emst.cpu.runtime.atomics import load, lower_bound
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import LANES, cached_mask, changes_mask, lowest_bit, within_best_mask
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import PerThread, for_chunks, grain_for, rows_that_hold

LIST_FROM = 1 << 13  # components; with fewer, lists save less time than it takes to load their kernel
LISTED = 6  # neighbours a point


class Memory(NamedTuple):
    """Arrays of the cache by point, the empty lanes of the last leaf included."""

    labels: np.ndarray  # int32: component, copied from the forest every round; one entry more, to read beyond the last
    nearest: np.ndarray  # int32: nearest point of another component at the last search, -1 for none within its radius
    bound: np.ndarray  # T: lower bound of all edges that leave the component; exact while `nearest` is in another one
    near: np.ndarray  # T: power of the distance to `nearest`, the second key; empty where it is the weight
    least: np.ndarray  # T[leaves]: least `bound` of the leaf's points
    lists: np.ndarray  # int32[:, m]: nearest points, -1 at the end; m is 0 without lists
    read: np.ndarray  # int8: number of leading list entries that are in the point's own component
    reach: np.ndarray  # T: lower bound of the powers of distances to all points that are not listed


class NeighbourCache:
    """What points remember between rounds, and which of them may hold their component's lightest edge."""

    def __init__(self, index: SearchIndex, memory: Memory):
        self.memory, n = memory, index.n
        self.scratch = PerThread(partial(search_scratch, index))
        self.candidates = np.zeros(len(memory.least), np.int64)  # one bit a point
        self.nearest, self.bound = memory.nearest[:n], memory.bound[:n]


def search_scratch(index):
    """A packet, and the points of a group that are searched."""
    return new_packet(index.d, index.dtype), empty(LANES * LANES, np.int32)


def cache_neighbours(index, forest):
    """See `emst.backend.operations`."""
    size = index.leaves * LANES
    nothing = np.empty(0, index.dtype)
    mutual = index.core is not None
    if not mutual and forest.count >= LIST_FROM:
        list_neighbours(index, LISTED)
    listed = index.lists is not None
    bound, nearest = empty(size, index.dtype), empty(size, np.int32)
    for_chunks(begin_cache, size, grain_for(size, 1 << 16), forest.labels, index.padded_core, bound, nearest)
    return NeighbourCache(
        index,
        Memory(
            labels=full(size + 1, MIXED, np.int32),
            nearest=nearest,
            bound=bound,
            near=np.zeros(size, index.dtype) if mutual else nothing,
            least=np.zeros(index.leaves, index.dtype),
            lists=index.lists if listed else np.empty((size, 0), np.int32),
            read=np.zeros(size if listed else 0, np.int8),
            reach=index.reach if listed else nothing,
        ),
    )


@kernel
def begin_cache(labels, core, bound, nearest, begin, end):
    """Empty lanes are never searched. A point that is joined, mostly to the first point that equals it, has that one as
    its nearest, so `begin_round` leaves it out: see `_repeated`."""
    for i in range(begin, end):
        if i < len(labels):
            bound[i] = 0 if core is None else core[i]
            nearest[i] = labels[i] if labels[i] < i else -1
        else:
            bound[i], nearest[i] = np.inf, -1


def begin_round(index, forest, cache):
    """See `emst.backend.operations`."""
    parent = forest.labels if forest.scratch is None else forest.scratch  # nothing has been merged yet: roots
    args = (parent, forest.labels, cache.memory.labels, forest.best, forest.edge_u, forest.edge_v)
    for_chunks(begin_points, index.n, grain_for(index.n, 1 << 15), *args)
    label_nodes(index, forest.labels)
    args = (index.nodes, index.padded_core, index.n, forest.best, cache.memory, index.space)
    for_chunks(bound_leaves, index.leaves, grain_for(index.leaves, rows_that_hold(1 << 16, index.d * LANES)), *args)


@kernel
def begin_points(parent, labels, copy, best, edge_u, edge_v, begin, end):
    """Labels become roots, and are copied; no component has a bound or an edge yet."""
    for i in range(begin, end):
        labels[i] = root_above(parent, parent[labels[i]])
        copy[i] = labels[i]
        if labels[i] == i:
            best[i] = np.inf
            edge_u[i] = edge_v[i] = -1


@kernel
def bound_leaves(nodes, core, n, best, memory, space, begin, end):
    labels = memory.labels
    for leaf in range(begin, end):
        at = leaf * LANES
        common = nodes.label[leaf]
        borders = changes_mask(labels, at) & lanes_of(leaf, n - 1)
        while borders:
            i = at + lowest_bit(borders)
            borders &= borders - 1
            weight = distance_power(nodes.blocks, space, i, i + 1)
            if core is not None:
                weight = greater(greater(weight, core[i]), core[i + 1])
            lower_bound(best, labels[i], weight)
            lower_bound(best, labels[i + 1], weight)
        if common != MIXED and memory.least[leaf] > load(best, common):
            continue
        mask = within_best_mask(memory.bound, labels, at, best) & lanes_of(leaf, n)
        cached = mask & cached_mask(memory.nearest, labels, at)
        mask ^= cached
        while cached:
            i = at + lowest_bit(cached)
            cached &= cached - 1
            lower_bound(best, labels[i], memory.bound[i])
        while mask:
            i = at + lowest_bit(mask)
            mask &= mask - 1
            if _repeated(nodes.blocks, memory, space.d, i):
                memory.bound[i] = np.inf
            elif memory.lists.shape[1] and memory.bound[i] <= lesser(load(best, labels[i]), _floor(core, memory, i)):
                lower_bound(best, labels[i], _consult(nodes.blocks, core, memory, space, i))


@part
def _repeated(blocks, memory, d, i):
    """Whether an equal point with a smaller id is in the same component: the edges of that point come first."""
    t = memory.nearest[i]
    near = memory.near[i] if len(memory.near) else memory.bound[i]
    return 0 <= t < i and near == 0 and memory.labels[t] == memory.labels[i] and _equal(blocks, d, i, t)


@part
def _equal(blocks, d, i, t):
    a, b = (i >> 4) * d * LANES + (i & 15), (t >> 4) * d * LANES + (t & 15)
    for k in range(0, d * LANES, LANES):
        if blocks[a + k] != blocks[b + k]:
            return False
    return True


@part
def lanes_of(leaf, n):
    """Mask of the lanes of a leaf that hold one of the first n points."""
    return (1 << greater(0, lesser(LANES, n - leaf * LANES))) - 1


@part
def _floor(core, memory, i):
    """Lower bound of the weights of all edges to points that are not listed."""
    return memory.reach[i] if core is None else greater(core[i], memory.reach[i])


@part
def _consult(blocks, core, memory, space, i):
    """Find the point's nearest neighbour of another component on its list, and cache it if it is exact. Returns the
    least weight of a listed edge that leaves the component."""
    label = memory.labels[i]
    weight = near = blocks.dtype.type(np.inf)
    nearest = np.int64(-1)
    for m in range(memory.read[i], memory.lists.shape[1]):
        t = np.int64(memory.lists[i, m])
        if t < 0:
            break
        if memory.labels[t] == label:
            if nearest < 0:
                memory.read[i] = m + 1  # it will stay in this component
            continue
        w = s = distance_power(blocks, space, i, t)
        if core is not None:
            w = greater(w, core[i])
        if s > near and weight <= w:
            break  # those that follow are no nearer
        if core is not None:
            w = greater(w, core[t])
        if w < weight or (w == weight and (s < near or (s == near and t < nearest))):
            weight, near, nearest = w, s, t
    floor = _floor(core, memory, i)
    if weight < floor or (weight == floor and near < memory.reach[i]):
        memory.nearest[i], memory.bound[i] = nearest, weight
        if core is not None:
            memory.near[i] = near
    else:
        memory.nearest[i] = -1
        memory.bound[i] = greater(memory.bound[i], floor)
    return weight
