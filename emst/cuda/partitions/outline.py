"""How far the points of a partition are from the outlines of others, and which points hit which, on the GPU. Kernels:
outline.cu."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from emst.backend.partition_records import Outline, Reaches
from emst.backend.records import Norm
from emst.cuda.distances.metric import metric_of
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.runtime.arguments import as_struct
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BITS_TILE, BLOCK, LEAF
from emst.cuda.runtime.copies import asarray, concatenated
from emst.cuda.runtime.launch import launch, launch_over_points, multiprocessors
from emst.cuda.runtime.to_host import OnItsWay

BLOCKS_AN_SM = 8  # of the kernel that computes reaches of near points
MOST_HITS = 2**31 - 1  # pairs of a point and a partition that one launch lists: it counts in 32 bits


def node_boxes(index: SearchIndex, level: int, node: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.partition_operations`."""
    m, d, stride = len(node), index.d, index.rows.shape[1]
    boxes = cupy.empty((m, 2, d), index.dtype)
    if level < 0:
        rows, of_box, high = index.rows, stride, 0
    else:
        rows, of_box, high = index.nodes[2 * sum(index.counts[:level]) :], 2 * stride, stride
    args = rows, *map(np.int32, (of_box, high, d)), node, m, boxes
    launch("partitions/outline", f"node_boxes<{index.T}>", m * 2 * d, *args)
    return boxes


def outline_reaches(index: SearchIndex, outline: Outline, home: int, highest: int, share: float) -> Reaches:
    """See `emst.backend.partition_operations`. The host waits once, for the numbers of points."""
    n, dtype, path, T = index.n, index.dtype, "partitions/outline", index.T
    template = f"{T}, {index.metric.number}"
    kept, others = outline_by_value(outline, home)
    space = *index.shape, index.metric.norm
    host = np.zeros(3, np.uint64)  # the least bound of far points; numbers of near leaves and points; of asking points
    host[:1].view(dtype)[0] = np.inf
    host[1:2].view(np.int32)[1] = n
    numbers = asarray(host)
    rest, found, total = numbers[:1].view(dtype), numbers[1:2].view(np.int32), numbers[2:].view(np.int32)
    nodes, near_leaves = None, None
    reach, asks = cupy.empty(n, dtype), (cupy.empty if index.walks else cupy.zeros)(-(-n // 32), np.uint32)
    if index.walks:
        nodes, leaves = index.nodes, index.counts[0]
        bound, near_leaves = cupy.empty(sum(index.counts[: highest + 1]), dtype), cupy.empty(leaves, np.int32)
        for level in range(highest, -1, -1):
            args = (index.hierarchy, level, highest, nodes, *space, others, bound, rest)
            launch(path, f"bound_nodes<{template}>", index.counts[level], *args)
        Compaction(leaves).launch(path, f"list_near<{T}>", leaves, bound, leaves, n, near_leaves, found)
        launch_over_points(path, f"spread_bounds<{T}>", n, bound, index.core, n, reach, asks)
    points = index.rows, n, nodes, index.core, dtype.type(share), *space
    threads = min(-(-n // LEAF) * LEAF, multiprocessors() * BLOCKS_AN_SM * BLOCK)
    launch(path, f"reach_near<{template}>", threads, *points, others, near_leaves, found, reach, asks)
    compaction, gather = Compaction(len(asks), BITS_TILE), f"gather_asking<{template}>"
    compaction.launch(path, gather, len(asks), asks, *points, None, None, None, total)
    host = np.array(OnItsWay(numbers).arrived(), np.uint64)
    m, count = int(host[1:2].view(np.int32)[1]), int(host[2])
    if near_leaves is None:
        near = cupy.arange(n, dtype=np.int32)
    else:
        near = cupy.empty(m, np.int32)
        launch(path, "number_near", m, near_leaves, m, near)
    lists = cupy.empty(count, np.int32), cupy.empty(count, dtype), cupy.empty((count, index.d), dtype)
    if count:
        compaction.launch(path, gather, len(asks), asks, *points, *lists, total)
    del kept
    return Reaches(reach, near, float(host[:1].view(dtype)[0]), *lists)


def outline_hits(
    points: cupy.ndarray, labels: cupy.ndarray | None, radius: cupy.ndarray, outline: Outline, home: int, norm: Norm
) -> cupy.ndarray:
    """See `emst.backend.partition_operations`."""
    (m, d), metric = points.shape, metric_of(norm, points.dtype)
    hits = cupy.empty((len(outline.start) - 1, m), np.bool_)
    kept, others = outline_by_value(outline, home)
    queries = [None if array is None else cupy.ascontiguousarray(array) for array in (points, labels, radius)]
    args = (*queries, m, np.int32(d), metric.norm, others, hits)
    launch("partitions/outline", f"outline_hits<{ctype(points.dtype)}, {metric.number}>", m, *args)
    del kept
    return hits.T


def list_hits(hits: cupy.ndarray) -> tuple[cupy.ndarray, list[int]]:
    """See `emst.backend.partition_operations`. The host waits once, for the numbers of points."""
    return _listed(cupy.ascontiguousarray(hits.T))()


def _listed(hits: cupy.ndarray) -> Callable[[], tuple[cupy.ndarray, list[int]]]:
    """The same of bool[partitions, m]: points are counted, and the function that is returned lists them."""
    partitions, m = hits.shape
    if hits.size == 0:
        return lambda: (cupy.empty(0, np.int32), [0] * (partitions + 1))
    if hits.size > MOST_HITS and partitions > 1:
        return functools.partial(_joined, *map(_listed, (hits[: partitions // 2], hits[partitions // 2 :])))
    start = cupy.empty(partitions + 1, np.int32)
    compaction, args = Compaction(hits.size), ("partitions/outline", "list_hits", hits.size, hits, m, partitions)
    compaction.launch(*args, None, start)
    on_its_way = OnItsWay(start)

    def listed() -> tuple[cupy.ndarray, list[int]]:
        starts = on_its_way.arrived()
        members = cupy.empty(starts[-1], np.int32)
        if len(members):
            compaction.launch(*args, members, start)
        return members, starts

    return listed


def _joined(first: Callable[[], Any], second: Callable[[], Any]) -> tuple[cupy.ndarray, list[int]]:
    (members, starts), (others, more) = first(), second()
    return concatenated([members, others]), starts[:-1] + [starts[-1] + start for start in more]


def outline_by_value(outline: Outline, home: int) -> tuple[list[cupy.ndarray], np.ndarray]:
    """`Outline` of outline.cu, by value, and the arrays that it points to: they must live until the launch."""
    arrays = [cupy.ascontiguousarray(array) for array in outline]
    numbers = np.array([len(outline.start) - 1, home], np.int32).view(np.uint64)
    return arrays, as_struct([*(array.data.ptr for array in arrays), numbers[0]], np.uint64)
