"""Borůvka's rounds on the edges of a spanning tree, which are compared by their ranks: the places in ascending order.

The components of the first round are the points. Together, the components of all rounds are a tree. Its depth is the
number of rounds. The greatest rank on the path between two points in the spanning tree is also the greatest on the path
between them in this tree, of the ranks of the lightest edges that leave its components (V. King, "A simpler minimum
spanning tree verification algorithm", 1997).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.contract import contract, stays_root
from emst.cpu.runtime.arrays import empty, full
from emst.cpu.runtime.atomics import lower
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for
from emst.cpu.runtime.prefetch import prefetch

NO_EDGE = np.uint32(2**32 - 1)
GRAIN = 1 << 14  # components or edges
AHEAD = 8  # components whose edges are fetched before they are read, and again those whose other ends are


class Components(NamedTuple):
    """The components of all rounds, those of a round after those of the round before it; k in all."""

    begins: list[int]  # the first component of every round
    # int32[2 * k], of each component: the one of the next round that holds it, and the rank of the lightest edge that
    # leaves it. The last holds all points: it is held by itself, and m stands for its lightest edge.
    above: np.ndarray
    leaving: np.ndarray  # int32[2 * m]: the component at the end 0 or 1 of each edge that it is the lightest of; or -1


class Left(NamedTuple):
    """Edges between different components of a round, ascending."""

    ends: np.ndarray  # int32[2 * k]: numbers of the components in their round
    rank: np.ndarray  # int32[k]; empty if edge j has rank j


def components_of(ends):
    """The components of a spanning tree. Its edges, ascending, join the points ``ends[2 * e]`` and ``ends[2 * e + 1]``,
    int32[2 * m]. None if they are no spanning tree."""
    m = len(ends) // 2
    count, begin = m + 1, 0
    components = Components([], empty(4 * count, np.int32), full(2 * m, -1, np.int32))
    left = Left(ends, ends[:0])
    while count > 1:
        components.begins.append(begin)
        least = full(count, NO_EDGE, np.uint32)
        for_chunks(_offer, len(left.ends) // 2, grain_for(len(left.ends) // 2, GRAIN), left, least)
        hooked, grain = empty(count, np.int32), grain_for(count, GRAIN)
        for_chunks(_hook, count, grain, left, least, begin, components.above, components.leaving, hooked)
        number, roots = contract(hooked)
        if 2 * len(roots) > count:  # a component without an edge: only the component that holds all may have none
            return None
        for_chunks(_rise, count, grain, number, begin, begin + count, components.above)
        left = _contracted(left, number)
        count, begin = len(roots), begin + count
    components.begins.append(begin)
    components.above[2 * begin], components.above[2 * begin + 1] = begin, m
    return components


@part
def _rank(left, j):
    return left.rank[j] if len(left.rank) else np.int32(j)


@kernel
def _offer(left, least, begin, end):
    """Offer every edge to both components. The first in the list is the lightest."""
    for j in range(begin, end):
        a, b = left.ends[2 * j], left.ends[2 * j + 1]
        if a != b:
            lower(least, np.int64(a), np.uint32(j))
            lower(least, np.int64(b), np.uint32(j))


@kernel
def _hook(left, least, first, above, leaving, hooked, begin, end):
    """Hook every component onto the other end of its lightest edge: see `emst.cpu.contract`."""
    for c in range(begin, end):
        far, near = np.int64(least[min(c + 2 * AHEAD, end - 1)]), np.int64(least[min(c + AHEAD, end - 1)])
        prefetch(left.ends, 2 * far)
        if near < len(left.ends) // 2:
            prefetch(least, np.int64(left.ends[2 * near]))
            prefetch(least, np.int64(left.ends[2 * near + 1]))
            prefetch(leaving, 2 * np.int64(_rank(left, near)))
        j = np.int64(least[c])
        if least[c] == NO_EDGE:
            hooked[c] = c
            continue
        side = 0 if left.ends[2 * j] == c else 1
        other = left.ends[2 * j + 1 - side]
        hooked[c] = c if stays_root(c, other, least[other] == least[c]) else other
        rank = _rank(left, j)
        above[2 * (first + c) + 1] = rank
        leaving[2 * np.int64(rank) + side] = first + c


@kernel
def _rise(number, first, next_first, above, begin, end):
    for c in range(begin, end):
        above[2 * (first + c)] = next_first + number[c]


def _contracted(left, number):
    """The edges between different components of the next round."""
    k = len(left.ends) // 2
    grain = grain_for(k, GRAIN)
    counts = np.empty(-(-k // grain), np.int64)
    for_chunks(_count, k, grain, left.ends, number, counts, grain)
    size = int(counts.sum())
    kept = Left(empty(2 * size, np.int32), empty(size, np.int32))
    for_chunks(_keep, k, grain, left, number, np.cumsum(counts) - counts, kept, grain)
    return kept


@kernel
def _count(ends, number, counts, grain, begin, end):
    count = 0
    for j in range(begin, end):
        count += number[ends[2 * j]] != number[ends[2 * j + 1]]
    counts[begin // grain] = count


@kernel
def _keep(left, number, starts, kept, grain, begin, end):
    at = starts[begin // grain]
    for j in range(begin, end):
        a, b = number[left.ends[2 * j]], number[left.ends[2 * j + 1]]
        if a != b:
            kept.ends[2 * at], kept.ends[2 * at + 1], kept.rank[at] = a, b, _rank(left, j)
            at += 1
