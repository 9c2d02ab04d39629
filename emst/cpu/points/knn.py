"""Core distances: the distance (its power) of every point to its k-th nearest, itself included.

The walk is the search's, with a sorted list of neighbours for every point. The first entries of the lists stay with the
hierarchy: in the first rounds they make most of the searches unnecessary.

A full list takes strictly nearer points only: its radius is the number just below its last distance. Where points
repeat, that is below 0 and the walk ends. With an inclusive radius, each of the equal points would be compared with all
the others.

A list has 16 places. If more neighbours are wanted, it keeps the nearest 16, and the distances of all go to a buffer,
whose radius takes the place of the list's: see `buffers`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.points.buffers import append, clear, kth_smallest, new_buffers, shrink
from emst.cpu.points.distances import point_mask
from emst.cpu.points.engine import products_of, sampled_runs
from emst.cpu.points.lists import insert_hits, keep_least
from emst.cpu.points.products import multiply, row_scratch, rows_at_once
from emst.cpu.points.scan import kth_power, scan_with
from emst.cpu.points.walk import box_around, packet_in, packet_kinds, walk_with
from emst.cpu.runtime.arrays import empties, empty, full
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import LANES, at_most_mask, just_below, lowest_bit
from emst.cpu.runtime.numbers import greatest_finite, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for, rows_that_hold

KEPT = 8  # neighbours a point that stay with the hierarchy, at most
LEAST, MOST = 192, 1 << 10  # dimensions times leaves, and leaves, of a chunk: between chunks, interrupts are served


class Weighing(NamedTuple):
    """For core distances by weight (`weighted`): they end where the weights of the listed points suffice."""

    units: np.ndarray  # int64[n]: weight of every point
    enough: int  # weight within the core distance, that of the point itself included
    suffices: np.ndarray  # bool[n], output: whether the listed points weigh enough


def core_distances(index, k, report=None):
    """See `emst.backend.operations`."""
    if k == 1:
        return np.zeros(index.n, index.dtype)
    wanted = min(k, index.n - 1)  # one more than needed: a list may lack points that are as near as its last
    core = full(index.leaves * LANES, np.inf, index.dtype)
    find_neighbours(index, wanted, core, k - 2, report)
    return keep_cores(index, core)


def scale_cores(index, factor):
    """See `emst.backend.operations`."""
    set_cores(index, index.core * index.dtype.type(factor))  # the caller keeps those that were returned
    index.core_factor = factor


def set_cores(index, core):
    """See `emst.backend.operations`."""
    padded = full(index.leaves * LANES, np.inf, index.dtype)
    padded[: index.n] = core
    keep_cores(index, padded)


def keep_cores(index, padded):
    """Store the core distances that weights are made of. They are infinite in the empty lanes of the last leaf."""
    index.core, index.padded_core = padded[: index.n], padded
    index.node_core = _node_cores(index, padded)
    return index.core


def forget_neighbours(index):
    """See `emst.backend.operations`."""
    index.lists = index.reach = index.products = None


def list_neighbours(index, count):
    """Find the lists for the first rounds if no search for core distances has left them."""
    find_neighbours(index, count, None, count - 1)


def find_neighbours(index, wanted, core, nth, report=None, weighing=None):
    """Set `lists` and `reach` of the hierarchy, and `core` to the distance of neighbour number `nth`; by weight, to
    that of the first neighbour number at most `nth` with which the weights suffice."""

    def done(point):
        report(min(point, index.n), index.n)

    size = index.leaves * LANES
    lists = full(size * min(wanted, KEPT), -1, np.int32).reshape(size, -1)
    reach = full(size, np.inf, index.dtype)
    nearest = min(wanted, LANES)
    args = (index.nodes, index.n, nth, nearest, reach if core is None else core, lists, reach, weighing, index.space)
    products = products_of(index, nth + 1, lambda: _sample(index, args, nth))
    if products is not None:
        _find_by_products(index, products, wanted, args, done if report else None)
    else:
        grain = min(grain_for(index.leaves, rows_that_hold(LEAST, index.d)), MOST)
        for_chunks(
            _search_neighbours,
            index.leaves,
            grain,
            *args,
            scratch=lambda: new_lists(index, nth + 1),
            report=(lambda leaf: done(leaf * LANES)) if report else None,
        )
    index.lists, index.reach = lists, reach


def _sample(index, args, nth):
    """Search the points of a few leaves by walks: see `products_of`."""
    leaves = sampled_runs(index.n) // LANES

    def search(scratch, begin, end):
        for leaf in leaves[begin:end]:
            _search_neighbours(scratch, *args, leaf, leaf + 1)

    for_chunks(search, len(leaves), 1, scratch=lambda: new_lists(index, nth + 1))
    ids = (leaves[:, None] * LANES + np.arange(LANES)).ravel()
    ids = ids[ids < index.n].astype(np.int32)
    power = args[4][ids]
    return ids, np.where(power > 0, np.nextafter(power, 0), -1).astype(index.dtype)


def _find_by_products(index, products, wanted, args, report=None):
    """Find the neighbours of all points by products."""
    ids = np.arange(index.n, dtype=np.int32)

    def scratch():
        row = (*row_scratch(index.n, index.d, len(products.start)), empty(wanted, np.float32))
        return row, new_lists(index, args[2] + 1)

    for_chunks(_scan_neighbours, index.n, rows_at_once(index.n), products, ids, *args, scratch=scratch, report=report)


@kernel
def _scan_neighbours(scratch, products, ids, nodes, n, nth, wanted, core, lists, reach, weighing, space, begin, end):
    (packed, values, heap), (packet, distances, neighbours, _, _, buffers) = scratch
    far = greatest_finite(nodes.blocks)
    kept = lists.shape[1]
    multiply(products, space.d, ids[begin:end], end - begin, packed, values)
    for u in range(begin, end):
        distances[:LANES] = far
        neighbours[:LANES] = -1
        clear(buffers)
        packet.radius[0] = kth_power(products, values, u - begin, u, len(heap), heap, nodes.blocks)
        scan_lists(packet, products, values, u - begin, u, space, distances, neighbours, wanted, buffers)
        core[u] = _core_distance(distances, neighbours, nth, buffers, 0, weighing, u)
        for m in range(kept):
            lists[u, m] = neighbours[m]
        if kept < n - 1:  # else all other points are listed
            reach[u] = distances[kept - 1]


@part
def _any(packet, mask, leaf, *extra):
    return mask


@part
def _offer(packet, hits, distances, neighbours, wanted, buffers):
    """Offer the points of a scan to the list of the searched one."""
    if buffers is not None:
        if append(buffers, 0, packet.distance, hits):
            packet.radius[0] = shrink(buffers, 0)
    while hits:
        j = lowest_bit(hits)
        hits &= hits - 1
        if packet.distance[j] < distances[wanted - 1]:
            only = np.int64(1) << j
            insert_hits(distances, neighbours, 0, wanted - 1, packet.distance, only, packet.ids[j] - np.int32(j))
    if buffers is None:
        packet.radius[0] = lesser(packet.radius[0], just_below(distances[wanted - 1]))


def new_lists(index, wanted):
    """A packet, the lists of its points, as rows and as columns, and buffers if more than 16 neighbours are wanted."""
    values, names = (LANES * LANES, index.dtype), (LANES * LANES, np.int32)
    *packet, distances, neighbours, columns, column_ids = empties(
        *packet_kinds(index.d, index.dtype), values, names, values, names
    )
    buffers = new_buffers(wanted, index.n, index.dtype) if wanted > LANES else None
    return packet_in(index.d, *packet), distances, neighbours, columns, column_ids, buffers


def _node_cores(index, core):
    """Least core distance below every node."""
    nodes = index.nodes
    least = full(len(nodes.label), np.inf, index.dtype)
    below = core
    for first, count in zip(nodes.first, nodes.counts, strict=True):
        level = least[first * LANES : (first + -(-count // LANES)) * LANES]
        for_chunks(_least_of_lanes, count, grain_for(count, 1 << 12), below, level)
        below = level
    return least


@kernel
def _least_of_lanes(below, least, begin, end):
    for i in range(begin, end):
        smallest = below[i * LANES]
        for lane in range(1, LANES):
            smallest = lesser(smallest, below[i * LANES + lane])
        least[i] = smallest


@kernel
def _search_neighbours(scratch, nodes, n, nth, wanted, core, lists, reach, weighing, space, begin, end):
    far = greatest_finite(nodes.blocks)
    packet, distances, neighbours, columns, column_ids, buffers = scratch
    d = space.d
    kept = lists.shape[1]
    for leaf in range(begin, end):
        size = lesser(LANES, n - leaf * LANES)
        at = leaf * d * LANES
        for i in range(d * LANES):
            packet.points[i] = nodes.blocks[at + i]
        for j in range(LANES):
            packet.radius[j] = far if j < size else -1
        distances[:] = far
        neighbours[:] = -1
        _start_lists(packet, nodes, distances, neighbours, wanted, columns, column_ids, space, leaf, size)
        _start_buffers(packet, buffers, distances, far, size)
        box_around(packet, d, size)
        walk_lists(packet, nodes, (distances, neighbours, wanted, leaf, buffers), None, None, space, leaf >> 4)
        for j in range(size):
            u = leaf * LANES + j
            core[u] = _core_distance(distances, neighbours, nth, buffers, j, weighing, u)
            for m in range(kept):
                lists[u, m] = neighbours[j * LANES + m]
            if kept < n - 1:  # else all other points are listed
                reach[u] = distances[j * LANES + kept - 1]


@part
def _start_lists(packet, nodes, distances, neighbours, wanted, columns, column_ids, space, leaf, size):
    """Start all lists from the packet's leaf: one point at a time is offered to all 16 lists, stored as columns."""
    columns[:] = distances[0]
    column_ids[:] = -1
    at = leaf * space.d * LANES
    for j in range(size):
        point_mask(space, packet.points, j, nodes.blocks, at, columns[0], packet.distance)
        packet.distance[j] = np.inf
        keep_least(columns, column_ids, wanted, packet.distance, np.int32(leaf * LANES + j))
    for q in range(size):
        for m in range(wanted):
            distances[q * LANES + m] = columns[m * LANES + q]
            neighbours[q * LANES + m] = column_ids[m * LANES + q]
        packet.radius[q] = just_below(distances[q * LANES + wanted - 1])


@part
def _start_buffers(packet, buffers, distances, far, size):
    """Start the buffers, if there are any, with the same distances. They are not full: any point can still enter."""
    if buffers is not None:
        width = len(buffers.values) // LANES
        for q in range(size):
            for m in range(size - 1):
                buffers.values[q * width + m] = distances[q * LANES + m]
            buffers.size[q] = size - 1
            packet.radius[q] = far


@part
def wanted_distance(distances, nth, buffers, q):
    """The distance of the packet's point q to its neighbour number `nth`, from 0."""
    if buffers is None:
        return distances[q * LANES + nth]
    else:
        return kth_smallest(buffers, q)


@part
def _core_distance(distances, neighbours, nth, buffers, q, weighing, u):
    """The core distance of the packet's point q, number u of all, as far as its list says."""
    if weighing is None:
        return wanted_distance(distances, nth, buffers, q)
    else:
        total, power, m = weighing.units[u], distances.dtype.type(0), 0
        while total < weighing.enough and m <= nth and neighbours[q * LANES + m] >= 0:
            total += weighing.units[neighbours[q * LANES + m]]
            power = distances[q * LANES + m]
            m += 1
        weighing.suffices[u] = total >= weighing.enough
        return power


@part
def _visit(packet, nodes, space, other, mask, distances, neighbours, wanted, leaf, buffers):
    """Offer the points of a leaf to the lists of those points of the packet that are set in the mask."""
    changed = False
    if other == leaf:
        return changed  # `_start_lists` has offered them
    while mask:
        q = lowest_bit(mask)
        mask &= mask - 1
        at = other * space.d * LANES
        hits = point_mask(space, packet.points, q, nodes.blocks, at, packet.radius[q], packet.distance)
        if hits == 0:
            continue
        near = hits
        if buffers is not None:
            if append(buffers, q, packet.distance, hits):
                packet.radius[q] = shrink(buffers, q)
                changed = True
            near &= at_most_mask(packet.distance, 0, just_below(distances[q * LANES + wanted - 1]))
            if near == 0:
                continue
        base = np.int32(other * LANES)
        last = insert_hits(distances, neighbours, q * LANES, wanted - 1, packet.distance, near, base)
        if buffers is None:
            packet.radius[q] = just_below(last)
            changed = True
    return changed


walk_lists, scan_lists = walk_with(_visit), scan_with(_any, _offer)
