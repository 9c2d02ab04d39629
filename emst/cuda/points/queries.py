"""Nearest points for new points and for points of other partitions, on the GPU. Kernels: queries.cu, brute.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.distances.brute import kth_distances
from emst.cuda.points.bvh import SearchIndex, in_whole_leaves
from emst.cuda.points.knn import LONGEST_LIST, multiplied
from emst.cuda.runtime.constants import BRUTE_QUERIES, WALK_WARPS
from emst.cuda.runtime.gather import take
from emst.cuda.runtime.launch import launch


def query_cores(
    index: SearchIndex, queries: SearchIndex, k: int, near: cupy.ndarray
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`. The radius is 0 or infinite."""
    m = queries.n
    core, radius = cupy.empty(m, index.dtype), cupy.empty(m, index.dtype)
    if not index.walks:
        among = (index.rows, index.n)
        kth_distances(queries.rows, index.metric, k - 1, core, among=among, centres=index.centres, radius=radius)
    else:
        inputs = (index.rows, index.hierarchy, index.nodes, index.metric.norm, queries.rows, m, near)
        if k - 1 <= LONGEST_LIST:
            name, rank = f"query_lists<{index.template}, {k - 1}>", []
        else:
            name, rank = f"query_kth_distances<{index.template}>", [np.int32(k - 1)]
        launch("points/queries", name, m, *inputs, *rank, core, radius, block=32 * WALK_WARPS)
    return core if index.core_factor == 1 else multiplied(core, index.core_factor), radius


def nearest_distances(index: SearchIndex, queries: SearchIndex, radius: cupy.ndarray, count: int) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    m = queries.n
    near, radius = cupy.empty((m, count), index.dtype), cupy.ascontiguousarray(radius)
    if not index.walks:
        args = (
            queries.rows,
            m,
            index.rows,
            index.n,
            np.int32(index.d),
            index.metric.norm,
            radius,
            np.int32(count),
            near,
        )
        launch("distances/brute", f"brute_within<{index.T}, {index.metric.number}>", m, *args, block=BRUTE_QUERIES)
        return near
    inputs = (index.rows, index.hierarchy, index.nodes, index.metric.norm, queries.rows, m, radius)
    if count <= LONGEST_LIST:
        name, wanted = f"list_within<{index.template}, {count}>", []
    else:
        name, wanted = f"row_within<{index.template}>", [np.int32(count)]
    launch("points/queries", name, m, *inputs, *wanted, near, block=32 * WALK_WARPS)
    return near


def nearest_across(
    index: SearchIndex,
    labels: cupy.ndarray | None,
    queries: SearchIndex,
    query_labels: cupy.ndarray | None,
    core: cupy.ndarray | None,
    radius: cupy.ndarray,
    near: cupy.ndarray | None = None,
    group: cupy.ndarray | None = None,
) -> tuple[cupy.ndarray, cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    m = queries.n
    nearest, weight, power = cupy.empty(m, np.int32), cupy.empty(m, index.dtype), cupy.empty(m, index.dtype)
    limits = tuple(None if array is None else cupy.ascontiguousarray(array) for array in (query_labels, core, radius))
    results = (nearest, weight, power)
    if not index.walks:
        if labels is not None:
            labels = cupy.ascontiguousarray(labels) if group is None else take(group, labels)
        args = (queries.rows, m, index.rows, labels, index.n, np.int32(index.d), index.metric.norm)
        name = f"brute_across<{index.T}, {index.metric.number}>"
        launch("distances/brute", name, m, *args, *limits, *results, block=BRUTE_QUERIES)
        return results
    if labels is not None:
        labels = in_whole_leaves(labels)
    names = (labels, group, np.int32(0 if group is None else len(group)))
    inputs = (index.rows, *names, index.hierarchy, index.nodes, index.metric.norm, queries.rows, m, near)
    flags = ", ".join("false" if array is None else "true" for array in (core, labels))
    name = f"nearest_across<{index.template}, {flags}>"
    launch("points/queries", name, m, *inputs, *limits, *results, block=32 * WALK_WARPS)
    return results
