"""Distances to the nodes of other partitions, from their outlines.

An outline holds the top of every partition's hierarchy. A query descends one partition after the other, and only into
nodes within its bound. The roots of most partitions are not.

A node is opened if its power, lowered a little, is within the bound. For a norm whose rounding is not monotone, the
power of a node may exceed that of a child by a few units in the last place. So results depend on the leaves alone, not
on the nodes above them.
"""

from __future__ import annotations

import numpy as np

from emst.backend.records import Outline
from emst.cpu.points.bvh import MIXED
from emst.cpu.points.distances import box_power
from emst.cpu.points.norms import BELOW, space_of
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks, grain_for


def outline_reach(low, high, outline, home, norm):
    """See `emst.backend.operations`."""
    reach = np.empty(len(low), low.dtype)
    low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
    _for_queries(_reach, outline, low, high, home, reach, space_of(norm, low.shape[1], low.dtype))
    return reach


def outline_hits(points, labels, radius, outline, home, norm):
    """See `emst.backend.operations`."""
    hits = np.zeros((len(points), len(outline.start) - 1), np.bool_)
    space = space_of(norm, points.shape[1], points.dtype)
    _for_queries(_hits, outline, np.ascontiguousarray(points), labels, radius, home, hits, space)
    return hits


def _for_queries(kernel, outline, queries, *args):
    """Run a kernel over all queries. The stack has places for all nodes of any partition."""
    outline = Outline(*map(np.ascontiguousarray, outline))
    most = int(np.diff(outline.start).max(initial=0))
    grain = grain_for(len(queries), 128)
    for_chunks(kernel, len(queries), grain, outline, queries, *args, scratch=lambda: empty(most, np.int32))


@kernel
def _reach(stack, outline, low, high, home, reach, space, begin, end):
    d = space.d
    nearest = np.int64(-1)  # the leaf nearest to the query before: its distance is a good bound for this query
    for q in range(begin, end):
        best = low.dtype.type(np.inf)
        if nearest >= 0:
            best = box_power(space, outline.low, outline.high, nearest * d, low, high, q * d)
        for partition in range(len(outline.start) - 1):
            depth = _start_at_root(stack, outline, partition, home)
            while depth > 0:
                depth -= 1
                node = np.int64(stack[depth])
                power = box_power(space, outline.low, outline.high, node * d, low, high, q * d)
                if outline.child[node] >= 0:
                    if power * BELOW < best:
                        depth = _push_children(stack, outline, node, depth)
                elif power < best:
                    best, nearest = power, node
        reach[q] = best


@kernel
def _hits(stack, outline, points, labels, radius, home, hits, space, begin, end):
    d = space.d
    for q in range(begin, end):
        for partition in range(len(outline.start) - 1):
            depth = _start_at_root(stack, outline, partition, home)
            while depth > 0:
                depth -= 1
                node = np.int64(stack[depth])
                leaf = outline.child[node] < 0
                if leaf and outline.label[node] != MIXED and outline.label[node] == labels[q]:
                    continue
                power = box_power(space, outline.low, outline.high, node * d, points, points, q * d)
                if leaf and power <= radius[q]:
                    hits[q, partition] = True
                    break
                if not leaf and power * BELOW <= radius[q]:
                    depth = _push_children(stack, outline, node, depth)


@part
def _start_at_root(stack, outline, partition, home):
    """Put the root of a partition on the empty stack, unless the partition is empty or is `home`. Returns the size of
    the stack."""
    root = outline.start[partition]
    if partition == home or root == outline.start[partition + 1]:
        return np.int64(0)
    stack[0] = root
    return np.int64(1)


@part
def _push_children(stack, outline, node, depth):
    """Put all children of a node on the stack, the first on top."""
    first = outline.child[node]
    for j in range(outline.children[node] - 1, -1, -1):
        stack[depth] = first + j
        depth += 1
    return depth
