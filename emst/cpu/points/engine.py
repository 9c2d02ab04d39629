"""The choice between walks and products: whichever takes less time to find the neighbours of all points.

First, walks search a sample of the points. A walk cannot avoid the leaves that are as near to its point as the
neighbour that it finds. If these are a large part of all leaves, and the bound of the products leaves few distances to
be computed, then products search the other points, and all points in later searches. Both give the same answer.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from emst.backend.records import EUCLIDEAN
from emst.cpu.points.distances import box_mask
from emst.cpu.points.products import MOST_AXES, Products, multiplied, multiply, row_scratch, rows_at_once
from emst.cpu.points.scan import count_within
from emst.cpu.points.walk import new_packet
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.lanes import LANES, lowest_bit
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks

LEAST_AXES = 24
LEAST_POINTS = 512
SAMPLED = 64  # one point of this many is in the sample,
LEAST_RUNS, MOST_RUNS = 2, 8  # which has at least and at most this many runs of 16 points
# Costs. The unit is the time that a walk takes for one coordinate of one pair in float32.
WALK = {4: 1.0, 8: 1.6}  # a walk, for one coordinate of one pair, by the bytes of a coordinate
SPREAD = 0.65  # an exponent: for core distances, a walk visits more leaves than it must, their share ** SPREAD
PRODUCT = 0.2  # the product of a pair, for one coordinate
PASSES = 8.0  # the two passes over the product of a pair
LISTING = 60_000.0  # finding the least products of a point
EXACT = 10.0  # the distance of a pair that products cannot exclude, for one coordinate


def may_multiply(n: int, d: int) -> bool:
    """Whether products of n points can be faster than walks under the Euclidean norm."""
    return LEAST_AXES <= d <= MOST_AXES and n >= LEAST_POINTS


def products_of(index, wanted, sample, labels=None) -> Products | None:
    """The products that search all points from now on; None if walks search them this time.

    Every search for `wanted` neighbours begins with this call. Once products are chosen, or rejected for good, it
    returns at once. ``sample()`` searches a sample of the points by walks. It returns their ids, and powers of the
    distances within which they had to be searched, or None if too few points are searched. With `labels`, only points
    of other components are searched."""
    possible = may_multiply(index.n, index.d) and index.norm == EUCLIDEAN and index.separable
    if index.products is None and possible:
        searched = sample()
        if searched is not None:
            index.products = _products_if_faster(index, wanted, labels, *searched)
    return index.products


def sampled_runs(count: int):
    """Where the runs of 16 begin that are the sample of `count` points."""
    runs = min(max(count // (SAMPLED * LANES), LEAST_RUNS), MOST_RUNS, -(-count // LANES))
    return np.unique(np.linspace(0, -(-count // LANES) - 1, runs, dtype=np.int64)) * LANES


def _products_if_faster(index, wanted, labels, ids, radius) -> Products | None:
    labelled = labels is not None
    labels = ids if labels is None else labels
    counts = np.empty(-(-len(ids) // LANES), np.int64)
    args = (index.nodes, ids, radius, labels, labelled, index.leaves, index.space, counts)
    for_chunks(_count_leaves, len(ids), LANES, *args, scratch=lambda: new_packet(index.d, index.dtype))
    share = (counts.sum() / len(ids) / index.leaves) ** (1 if labelled else SPREAD)
    walk = WALK[index.dtype.itemsize] * share * index.n * index.d
    multiplying = index.n * (PRODUCT * index.d + PASSES) + LISTING * (not labelled)
    if walk <= multiplying + wanted * EXACT * index.d:
        return None
    products = multiplied(index)
    grain = rows_at_once(index.n)
    counts = np.empty(-(-len(ids) // grain), np.int64)
    pairs = (products, ids, radius, labels, labelled, index.d, counts, grain)
    scratch = partial(row_scratch, index.n, index.d, len(products.start))
    for_chunks(_count_within, len(ids), grain, *pairs, scratch=scratch)
    exact = counts.sum() / len(ids) * EXACT * index.d
    index.separable = walk > exact
    return products if walk > multiplying + exact else None


@kernel
def _count_leaves(packet, nodes, ids, radius, labels, labelled, leaves, space, counts, begin, end):
    """Count the leaves within the radius of each of 16 points, and add up the counts. Leaves of the point's own
    component do not count."""
    for j in range(LANES):
        u = np.int64(ids[lesser(begin + j, end - 1)])
        packet.radius[j] = radius[begin + j] if begin + j < end else -1
        for i in range(space.d):
            packet.points[i * LANES + j] = nodes.blocks[((u >> 4) * space.d + i) * LANES + (u & 15)]
    total = 0
    for leaf in range(leaves):
        at = (leaf >> 4) * space.d * LANES + (leaf & 15)
        mask = box_mask(space, packet.points, 0, nodes.low, nodes.high, at, packet.radius)
        while mask:
            u = ids[begin + lowest_bit(mask)]
            mask &= mask - 1
            if not labelled or nodes.label[leaf] != labels[u]:
                total += 1
    counts[begin // LANES] = total


@kernel
def _count_within(scratch, products, ids, radius, labels, labelled, d, counts, grain, begin, end):
    """How many points may be within the radius of each point, in total: products cannot exclude them."""
    packed, values = scratch
    chosen = ids[begin:end]
    multiply(products, d, chosen, len(chosen), packed, values)
    total = 0
    for row in range(len(chosen)):
        u = np.int64(chosen[row])
        if radius[begin + row] >= 0:
            total += count_within(products, values, row, u, radius[begin + row], labels, labelled)
    counts[begin // grain] = total
