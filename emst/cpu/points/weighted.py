"""Core distances by weight: the least radius within which the weights of the points, its own included, suffice.

How many points that takes has no bound. First every point gets a sorted list of its nearest, as in `knn`, and most
points need no more: a list holds all points that are nearer than its last entry, so equal distances do not matter. For
the others, and for new points, a walk keeps a heap of (distance, weight). As long as the weights suffice without the
farthest entry, that is removed; so the farthest that is left is the result so far, and only nearer points change it.
Points whose heap becomes full are searched again with a larger one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.points.distances import point_mask
from emst.cpu.points.knn import Weighing, find_neighbours, keep_cores
from emst.cpu.points.queries import fill_packet, first_node, for_packets
from emst.cpu.points.walk import new_packet, walk_with
from emst.cpu.runtime.arrays import empty, full
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import LANES, just_below, lowest_bit
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

LEAST_LISTED = 8  # neighbours: as many as stay for the rounds
LEAST_HEAP = 64  # entries
GROWTH = 4  # of a heap that was too small
AT_ONCE = 1 << 20  # entries of lists that are copied from the heaps at once


class Heaps(NamedTuple):
    """A heap of every query of a packet, whose root is the farthest entry."""

    powers: np.ndarray  # T[16 * capacity]
    units: np.ndarray  # int64[16 * capacity]: weights
    size: np.ndarray  # int64[16]
    total: np.ndarray  # int64[16]: the sum of the weights; -1 if the heap has become too small


def weighted_core_distances(index, units, enough, report=None):
    """See `emst.backend.operations`."""
    n, core = index.n, full(index.leaves * LANES, np.inf, index.dtype)
    core[:n] = 0
    if int(units.min()) < enough:
        mean = max(int(units.sum()) / n, 1)
        listed = int(min(max(LEAST_LISTED, 2 * enough / mean), LANES, n - 1))
        weighing = Weighing(units, enough, np.empty(n, np.bool_))
        find_neighbours(index, listed, core, listed - 1, report, weighing)
        ids = np.flatnonzero(~weighing.suffices)
        _search_heaps(index, units, enough, _points_of(index, ids), ids, core, ids)
    return keep_cores(index, core)


def weighted_query_cores(index, queries, units, enough, near):
    """See `emst.backend.operations`."""
    core, all_queries = empty(queries.n, index.dtype), np.arange(queries.n)
    radius = _search_heaps(index, units, enough, queries.nodes.blocks, near, core, all_queries)
    return core * index.dtype.type(index.core_factor), radius


def weighted_nearest(index, queries, units, enough, radius):
    """See `emst.backend.operations`."""
    blocks, left = queries.nodes.blocks, np.arange(queries.n)
    found = [(left[:0], np.empty(0, index.dtype), np.empty(0, np.int64))]
    capacity = int(min(max(LEAST_HEAP, 2 * enough * index.n / int(units.sum())), index.n))
    while len(left):
        short = []
        step = max(AT_ONCE // (capacity * LANES), 1) * LANES  # queries, in whole leaves
        for begin in range(0, len(left), step):
            some = left[begin : begin + step]
            powers, weights = np.empty((len(some), capacity), index.dtype), np.empty((len(some), capacity), np.int64)
            size = np.empty(len(some), np.int64)
            args = (index.nodes, units, enough, _leaves(blocks, index.d, begin), radius[some], powers, weights, size)
            for_packets(
                _list_heaps, -(-len(some) // LANES), *args, index.space,
                scratch=lambda capacity=capacity: (new_packet(index.d, index.dtype), _new_heaps(capacity, index.dtype)),
            )  # fmt: skip
            filled = np.arange(capacity) < size[:, None]
            found.append((np.repeat(some, np.maximum(size, 0)), powers[filled], weights[filled]))
            short.append(begin + np.flatnonzero(size < 0))
        rest = np.concatenate(short)
        blocks, left = _gathered(blocks, index.d, rest), left[rest]
        capacity = min(capacity * GROWTH, index.n)
    return tuple(map(np.concatenate, zip(*found)))


def _leaves(blocks, d, begin):
    """The leaves of the queries from number `begin` on, a multiple of 16."""
    return blocks[begin * d :]


def _points_of(index, ids):
    """Leaves of these points, as `Nodes.blocks` has them."""
    return _gathered(index.nodes.blocks, index.d, ids)


def _gathered(blocks, d, ids):
    leaves = -(-len(ids) // LANES)
    found = full(leaves * d * LANES, np.inf, blocks.dtype)
    for_chunks(_gather, len(ids), grain_for(len(ids), 1 << 12), blocks, d, ids, found)
    return found


@kernel
def _gather(blocks, d, ids, found, begin, end):
    for i in range(begin, end):
        for k in range(d):
            found[((i >> 4) * d + k) * LANES + (i & 15)] = blocks[((ids[i] >> 4) * d + k) * LANES + (ids[i] & 15)]


def _search_heaps(index, units, enough, blocks, near, core, names):
    """Set ``core[names[i]]`` to the core distance of query i, which lies in `blocks`, near the place ``near[i]`` on the
    curve. Returns for every query 0 if a point is at distance 0, otherwise infinity."""
    count = len(names)
    radius = np.full(count, np.inf, index.dtype)
    capacity = int(min(max(LEAST_HEAP, 2 * enough * index.n / int(units.sum())), index.n))
    left, near = np.arange(count), np.ascontiguousarray(near, np.int64)
    while len(left):
        power, nearest, found = empty(len(left), index.dtype), radius[left], np.empty(len(left), np.bool_)
        args = (index.nodes, units, enough, blocks, near, power, nearest, found, index.space)
        for_packets(
            _fill_heaps, -(-len(left) // LANES), *args,
            scratch=lambda capacity=capacity: (new_packet(index.d, index.dtype), _new_heaps(capacity, index.dtype)),
        )  # fmt: skip
        core[names[left[found]]] = power[found]
        radius[left[found]] = nearest[found]
        rest = np.flatnonzero(~found)
        blocks, near, left = _gathered(blocks, index.d, rest), near[rest], left[rest]
        capacity = min(capacity * GROWTH, index.n)
    return radius


def _new_heaps(capacity, dtype):
    size = LANES * capacity
    return Heaps(empty(size, dtype), empty(size, np.int64), empty(LANES, np.int64), empty(LANES, np.int64))


@kernel
def _fill_heaps(scratch, nodes, units, enough, queries, near, power, radius, found, space, begin, end):
    packet, heaps = scratch
    capacity = len(heaps.powers) // LANES
    for leaf in range(begin, end):
        size = lesser(LANES, len(power) - leaf * LANES)
        fill_packet(packet, queries, None, space.d, leaf, size)
        heaps.size[:] = 0
        heaps.total[:] = 0
        at = first_node(packet, nodes, space, near, leaf, size)
        _walk_heaps(packet, nodes, (heaps, units, enough), None, None, space, at)
        for q in range(size):
            u = leaf * LANES + q
            found[u] = heaps.total[q] >= enough
            if found[u]:
                power[u] = heaps.powers[q * capacity]
                for i in range(heaps.size[q]):
                    if heaps.powers[q * capacity + i] == 0:
                        radius[u] = 0


@kernel
def _list_heaps(scratch, nodes, units, enough, queries, radius, powers, weights, size_of, space, begin, end):
    packet, heaps = scratch
    capacity = len(heaps.powers) // LANES
    for leaf in range(begin, end):
        size = lesser(LANES, len(size_of) - leaf * LANES)
        heaps.size[:] = 0
        heaps.total[:] = 0
        if fill_packet(packet, queries, radius, space.d, leaf, size):
            at = first_node(packet, nodes, space, None, leaf, size)
            _walk_heaps(packet, nodes, (heaps, units, enough), None, None, space, at)
        for q in range(size):
            u = leaf * LANES + q
            size_of[u] = heaps.size[q] if heaps.total[q] >= 0 else -1
            for i in range(size_of[u]):
                powers[u, i] = heaps.powers[q * capacity + i]
                weights[u, i] = heaps.units[q * capacity + i]


@part
def _weigh(packet, nodes, space, leaf, mask, heaps, units, enough):
    """Offer the points of a leaf to the heaps of those queries that are set in the mask."""
    changed = False
    while mask:
        q = lowest_bit(mask)
        mask &= mask - 1
        hits = point_mask(
            space, packet.points, q, nodes.blocks, leaf * space.d * LANES, packet.radius[q], packet.distance
        )
        while hits:
            j = lowest_bit(hits)
            hits &= hits - 1
            if packet.distance[j] <= packet.radius[q] and units[leaf * LANES + j] > 0:
                packet.radius[q] = _push(
                    heaps, q, packet.distance[j], units[leaf * LANES + j], enough, packet.radius[q]
                )
                changed = True
    return changed


@part
def _push(heaps, q, power, weight, enough, radius):
    """Put a point into heap q. Returns the radius within which further points change the result."""
    capacity = len(heaps.powers) // LANES
    base, i = q * capacity, heaps.size[q]
    if i == capacity:
        heaps.total[q] = -1
        return heaps.powers.dtype.type(-1)
    while i > 0 and heaps.powers[base + (i - 1) // 2] < power:
        above = base + (i - 1) // 2
        heaps.powers[base + i], heaps.units[base + i] = heaps.powers[above], heaps.units[above]
        i = (i - 1) // 2
    heaps.powers[base + i], heaps.units[base + i] = power, weight
    heaps.size[q] += 1
    heaps.total[q] += weight
    while heaps.total[q] - heaps.units[base] >= enough:
        heaps.total[q] -= heaps.units[base]
        _remove_farthest(heaps, q, base)
    return just_below(heaps.powers[base]) if heaps.total[q] >= enough else radius


@part
def _remove_farthest(heaps, q, base):
    last = heaps.size[q] - 1
    power, weight = heaps.powers[base + last], heaps.units[base + last]
    i, child = 0, 1
    while child < last:
        if child + 1 < last and heaps.powers[base + child + 1] > heaps.powers[base + child]:
            child += 1
        if heaps.powers[base + child] <= power:
            break
        heaps.powers[base + i], heaps.units[base + i] = heaps.powers[base + child], heaps.units[base + child]
        i, child = child, 2 * child + 1
    heaps.powers[base + i], heaps.units[base + i] = power, weight
    heaps.size[q] = last


_walk_heaps = walk_with(_weigh)
