"""How far the points of a partition are from the nodes of others, by their outlines, and which points hit which.

An outline holds the top of every partition's hierarchy. A query descends one partition after the other, and only into
nodes within its bound. The roots of most partitions are not.

A node is opened if its power, lowered a little, is within the bound. For a norm whose rounding is not monotone, the
power of a node may exceed that of a child by a few units in the last place. So results depend on the leaves alone, not
on the nodes above them.

The bounds of boxes are found from level to level, downwards. `NEAR` stands for that of a box that is near.
"""

from __future__ import annotations

import numpy as np

from emst.backend.partition_records import Outline, Reaches
from emst.cpu.points.bvh import MIXED
from emst.cpu.points.distances import box_power, box_width
from emst.cpu.points.norms import BELOW, space_of
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import LANES
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

NEAR = -1  # less than any bound


def node_boxes(index, level, node):
    """See `emst.backend.partition_operations`."""
    nodes, d = index.nodes, index.d
    of_points = level < 0
    corners = (nodes.blocks, nodes.blocks) if of_points else (nodes.low, nodes.high)
    group = (0 if of_points else nodes.first[level]) + node // LANES
    return np.stack([corner.reshape(-1, d, LANES)[group, :, node % LANES] for corner in corners], axis=1)


def outline_reaches(index, outline, home, highest, share):
    """See `emst.backend.partition_operations`."""
    n, d, dtype, nodes, leaves = index.n, index.d, index.dtype, index.nodes, index.leaves
    bound, width, reach = np.empty(len(nodes.label), dtype), np.empty(leaves, dtype), np.empty(n, dtype)

    def corners():
        return empty(d, dtype).reshape(1, d), empty(d, dtype).reshape(1, d)  # of two dimensions, as those of an outline

    for level in range(highest, -1, -1):
        args = (home, nodes, level, highest, bound, index.space)
        _for_queries(_bound_nodes, outline, int(nodes.counts[level]), *args, more=corners)
    _for_queries(_reach_points, outline, leaves, home, nodes, n, bound, width, reach, index.space, more=corners)
    of_leaf, lanes = bound[:leaves], np.arange(LANES, dtype=np.int32)
    near = (np.flatnonzero(of_leaf == NEAR).astype(np.int32)[:, None] * np.int32(LANES) + lanes).reshape(-1)
    near = near[: np.searchsorted(near, n)].copy()
    rest = float(of_leaf.min(where=of_leaf != NEAR, initial=np.inf))
    if index.core is not None:
        asking = np.flatnonzero(reach <= index.core).astype(np.int32)
        radius = index.core[asking]
    else:
        radius = width[near // LANES] * dtype.type(share)
        asks = reach[near] <= radius
        asking, radius = near[asks], radius[asks]
    return Reaches(reach, near, rest, asking, radius, index.points(asking))


def outline_hits(points, labels, radius, outline, home, norm):
    """See `emst.backend.partition_operations`."""
    hits = np.zeros((len(points), len(outline.start) - 1), np.bool_)
    labels = np.full(len(points), MIXED, np.int32) if labels is None else labels  # no leaf has this one
    space = space_of(norm, points.shape[1], points.dtype)
    args = (np.ascontiguousarray(points), labels, radius, home, hits, space)
    _for_queries(_hits, outline, len(points), *args)
    return hits


def list_hits(hits):
    """See `emst.backend.partition_operations`."""
    lists = [np.empty(0, np.int32)] * hits.shape[1]
    for partition in np.flatnonzero(hits.any(axis=0)).tolist():
        lists[partition] = np.flatnonzero(hits[:, partition]).astype(np.int32)
    return np.concatenate(lists), np.cumsum([0, *map(len, lists)]).tolist()


def _for_queries(kernel, outline, count, *args, more=tuple):
    """Run a kernel over all queries. The stack has places for all nodes of any partition; `more` makes more scratch."""
    outline = Outline(*map(np.ascontiguousarray, outline))
    most = int(np.diff(outline.start).max(initial=0))
    grain = grain_for(count, 128)
    for_chunks(kernel, count, grain, outline, *args, scratch=lambda: (empty(most, np.int32), *more()))


@kernel
def _bound_nodes(scratch, outline, home, nodes, level, highest, bound, space, begin, end):
    """The bounds of nodes of a level: that of the parent if the parent is far."""
    stack, low, high = scratch
    first = nodes.first[level] * LANES
    nearest = np.int64(-1)
    for node in range(begin, end):
        if level < highest:
            above = bound[nodes.first[level + 1] * LANES + node // LANES]
            if above != NEAR:
                bound[first + node] = above
                continue
        corner = (first + node - node % LANES) * space.d + node % LANES
        for i in range(space.d):
            low[0, i], high[0, i] = nodes.low[corner + i * LANES], nodes.high[corner + i * LANES]
        reach, nearest = _reach_of(stack, outline, low, high, home, space, nearest)
        bound[first + node] = reach if reach > box_width(space, low, high) else NEAR


@kernel
def _reach_points(scratch, outline, home, nodes, n, bound, width, reach, space, begin, end):
    """The reaches of all points of leaves, whose bounds come first; and the widths of near leaves."""
    stack, low, high = scratch
    d = space.d
    nearest = np.int64(-1)
    for leaf in range(begin, end):
        first = leaf * LANES
        size = lesser(LANES, n - first)
        if bound[leaf] != NEAR:
            reach[first : first + size] = bound[leaf]
            continue
        corner = leaf // LANES * d * LANES + leaf % LANES
        for i in range(d):
            low[0, i], high[0, i] = nodes.low[corner + i * LANES], nodes.high[corner + i * LANES]
        width[leaf] = box_width(space, low, high)
        for j in range(size):
            for i in range(d):
                low[0, i] = nodes.blocks[(leaf * d + i) * LANES + j]
            reach[first + j], nearest = _reach_of(stack, outline, low, low, home, space, nearest)


@part
def _reach_of(stack, outline, low, high, home, space, nearest):
    """Power of the distance of a box to the nearest leaf of another partition, and that leaf, -1 if there is none.
    `nearest` is the leaf nearest to the query before, or -1: its distance is a good bound for this query."""
    d = space.d
    best = low.dtype.type(np.inf)
    if nearest >= 0:
        best = box_power(space, outline.low, outline.high, nearest * d, low, high, 0)
    for partition in range(len(outline.start) - 1):
        depth = _start_at_root(stack, outline, partition, home)
        while depth > 0:
            depth -= 1
            node = np.int64(stack[depth])
            power = box_power(space, outline.low, outline.high, node * d, low, high, 0)
            if outline.child[node] >= 0:
                if power * BELOW < best:
                    depth = _push_children(stack, outline, node, depth)
            elif power < best:
                best, nearest = power, node
    return best, nearest


@kernel
def _hits(scratch, outline, points, labels, radius, home, hits, space, begin, end):
    (stack,) = scratch
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
