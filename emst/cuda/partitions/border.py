"""Lower bounds of edges to other partitions, and which components of a partition must not hook, on the GPU. Kernels:
border.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Forest
from emst.cuda.merge import scratch_of
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.copies import asarray, copied
from emst.cuda.runtime.launch import launch, launch_over_points
from emst.cuda.runtime.to_host import OnItsWay


def bound_weights(index: SearchIndex, forest: Forest, reach: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.partition_operations`."""
    joined = forest.count < index.n
    if index.core is None and not joined:
        return reach
    n, weight, ends = index.n, cupy.empty_like(reach), scratch_of(forest).ends if joined else None
    launch("partitions/border", f"bound_weights<{index.T}>", n, reach, index.core, ends, n, weight)
    return weight


def least_of_others(values: cupy.ndarray, places: cupy.ndarray) -> float:
    """See `emst.backend.partition_operations`. In a copy, the values at the places become infinite."""
    others, n, T = copied(values), len(values), ctype(values.dtype)
    least = asarray(np.array([np.inf], values.dtype))
    launch("partitions/border", f"leave_out<{T}>", len(places), places, len(places), others)
    launch_over_points("partitions/border", f"least_value<{T}>", n, others, n, least)
    return float(OnItsWay(least).arrived()[0])


def join_bounds(forest: Forest, roots: cupy.ndarray, weight: cupy.ndarray, power: cupy.ndarray | None) -> None:
    """See `emst.backend.partition_operations`."""
    T, old = ctype(weight.dtype), (roots, len(roots), forest.labels)
    if power is None:
        launch("partitions/border", f"lower_bounds<{T}>", len(roots), *old, weight)
        return
    components, least = (forest.components, forest.count), (cupy.empty_like(weight), cupy.empty_like(power))
    launch("partitions/border", f"begin_bounds<{T}>", forest.count, *components, weight, *least)
    launch("partitions/border", f"join_weights<{T}>", len(roots), *old, weight, least[0])
    launch("partitions/border", f"join_powers<{T}>", len(roots), *old, weight, power, *least)
    launch("partitions/border", f"end_bounds<{T}>", forest.count, *components, *least, weight, power)


def hold_back(index: SearchIndex, forest: Forest, weight: cupy.ndarray, power: cupy.ndarray | None) -> int:
    """See `emst.backend.partition_operations`."""
    count, total, merges = forest.count, cupy.zeros(1, np.int32), scratch_of(forest)
    name = f"<{index.T}, {index.metric.number}>"
    edges = (forest.components, count, forest.best, merges.edge, weight, power)
    points = (index.rows, *index.shape, index.metric.norm)
    waiting = forest.labels if merges.hooked == 0 and merges.hooks is not None and merges.runs else None
    launch("partitions/border", f"count_sure{name}", count, *edges, *points, waiting, index.n, total)
    (sure,) = OnItsWay(total).arrived()
    if merges.hooked == 0:
        merges.holds_back = True
        if not sure:
            merges.hooks = None  # the first round is not that of the tree of all points
    if sure:
        launch("partitions/border", f"take_unsure{name}", count, *edges, *points)
    return sure
