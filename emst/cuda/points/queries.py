"""Searches among the points of one partition for queries of another, on the GPU. Kernels: queries.cu, brute.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.points.bvh import Bvh, in_whole_leaves
from emst.cuda.points.knn import LONGEST_LIST
from emst.cuda.runtime.constants import BRUTE_QUERIES, WALK_WARPS
from emst.cuda.runtime.launch import launch


def nearest_distances(bvh: Bvh, queries: Bvh, radius: cupy.ndarray, count: int) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    m = queries.n
    near, radius = cupy.empty((m, count), bvh.dtype), cupy.ascontiguousarray(radius)
    if bvh.brute:
        args = (queries.rows, m, bvh.rows, bvh.n, np.int32(bvh.d), bvh.metric.norm, radius, np.int32(count), near)
        launch("distances/brute", f"brute_within<{bvh.T}, {bvh.metric.number}>", m, *args, block=BRUTE_QUERIES)
        return near
    inputs = (bvh.rows, bvh.hierarchy, bvh.nodes, bvh.metric.norm, queries.rows, m, radius)
    if count <= LONGEST_LIST:
        name, wanted = f"list_within<{bvh.template}, {count}>", []
    else:
        name, wanted = f"row_within<{bvh.template}>", [np.int32(count)]
    launch("points/queries", name, m, *inputs, *wanted, near, block=32 * WALK_WARPS)
    return near


def nearest_across(
    bvh: Bvh, labels: cupy.ndarray, queries: Bvh, own: cupy.ndarray, core: cupy.ndarray | None, radius: cupy.ndarray
) -> tuple[cupy.ndarray, cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    m = queries.n
    found, weight, power = cupy.empty(m, np.int32), cupy.empty(m, bvh.dtype), cupy.empty(m, bvh.dtype)
    limits = tuple(None if array is None else cupy.ascontiguousarray(array) for array in (own, core, radius))
    results = (found, weight, power)
    if bvh.brute:
        args = (queries.rows, m, bvh.rows, cupy.ascontiguousarray(labels), bvh.n, np.int32(bvh.d), bvh.metric.norm)
        name = f"brute_across<{bvh.T}, {bvh.metric.number}>"
        launch("distances/brute", name, m, *args, *limits, *results, block=BRUTE_QUERIES)
        return results
    inputs = (bvh.rows, in_whole_leaves(labels), bvh.hierarchy, bvh.nodes, bvh.metric.norm, queries.rows, m)
    name = f"nearest_across<{bvh.template}>"
    launch("points/queries", name, m, *inputs, *limits, *results, block=32 * WALK_WARPS)
    return results
