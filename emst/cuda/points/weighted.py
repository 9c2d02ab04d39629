"""Core distances by weight on the GPU. Kernels: weighted.cu.

Every point gets a list of its nearest, as in `knn`, and most points need no more. For the others, and for new points,
the radius is found by bisection: the weights within a radius are added up, until one distance is left.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.backend.records import Report
from emst.cuda.points.bvh import SearchIndex, write_cores
from emst.cuda.points.knn import LONGEST_LIST, list_nearest, multiplied
from emst.cuda.points.result import edge_powers
from emst.cuda.runtime.constants import WALK_WARPS
from emst.cuda.runtime.launch import launch

SHORT_LIST = 16  # entries of a list, if twice as many points as are needed on average fit into it


def weighted_core_distances(
    index: SearchIndex, units: cupy.ndarray, enough: int, report: Report | None = None
) -> cupy.ndarray:
    """See `emst.backend.operations`. Nothing is reported on the way."""
    n, core = index.n, cupy.zeros(index.n, index.dtype)
    if int(units.min()) < enough:
        length = SHORT_LIST if 2 * enough * n <= SHORT_LIST * int(units.sum()) else LONGEST_LIST
        list_nearest(index, length, core)
        last = cupy.empty(n, np.int32)
        lists = (index.neighbours, n, np.int32(length), units, int(enough), last)
        launch("points/weighted", "end_lists", n, *lists)
        ids, short = cupy.arange(n, dtype=np.int32), last < 0
        core = edge_powers(index, ids, cupy.where(short, ids, last))
        left = cupy.flatnonzero(short)
        if len(left):
            core[left] = _weighed(index, index.rows[left], units, enough, left)[0]
    write_cores(index, core)
    return core


def weighted_query_cores(
    index: SearchIndex, queries: SearchIndex, units: cupy.ndarray, enough: int, near: cupy.ndarray
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`. The radius is 0 or infinite."""
    core, radius = _weighed(index, queries.rows, units, enough, near, queries.n)
    return core if index.core_factor == 1 else multiplied(core, index.core_factor), radius


def weighted_nearest(
    index: SearchIndex, queries: SearchIndex, units: cupy.ndarray, enough: int, radius: cupy.ndarray
) -> tuple[cupy.ndarray, cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`. One entry has all weights at the greatest distance of a query."""
    m = queries.n
    limit, count = cupy.ascontiguousarray(radius).copy(), cupy.empty(m, np.int64)
    _launch_within(index, "measure", m, units, int(enough), queries.rows, m, limit, count)
    ends = cupy.cumsum(count)
    total = int(ends[-1]) if m else 0
    powers, weights = cupy.empty(total, index.dtype), cupy.empty(total, np.int64)
    _launch_within(index, "list", m, units, queries.rows, m, limit, ends - count, powers, weights)
    return cupy.searchsorted(ends, cupy.arange(total), side="right"), powers, weights


def _launch_within(index: SearchIndex, what: str, m: int, units: cupy.ndarray, *args: Any) -> None:
    """Launch a kernel over the points near m queries."""
    points, norm = (index.rows, units, index.n), index.metric.norm
    if not index.walks:
        name = f"{what}_pairs<{index.T}, {index.metric.number}>"
        launch("points/weighted", name, m, *points, *index.shape, norm, *args)
        return
    name = f"{what}_points<{index.template}>"
    launch("points/weighted", name, m, *points, index.hierarchy, index.nodes, norm, *args, block=32 * WALK_WARPS)


def _weighed(
    index: SearchIndex, rows: cupy.ndarray, units: cupy.ndarray, enough: int, near: cupy.ndarray, m: int | None = None
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Core distances of the first m rows, all by default, and radii, as the operations return them."""
    m = len(rows) if m is None else m
    rows, near = cupy.ascontiguousarray(rows), cupy.ascontiguousarray(near, np.int64)
    core, radius = cupy.empty(m, index.dtype), cupy.empty(m, index.dtype)
    weighing = (index.rows, units, index.n, int(enough))
    if not index.walks:
        name = f"weigh_pairs<{index.T}, {index.metric.number}>"
        launch("points/weighted", name, m, *weighing, *index.shape, index.metric.norm, rows, m, core, radius)
        return core, radius
    nodes = (index.hierarchy, index.nodes, index.metric.norm)
    args = (*weighing, *nodes, rows, m, near, core, radius)
    launch("points/weighted", f"weigh_points<{index.template}>", m, *args, block=32 * WALK_WARPS)
    return core, radius
