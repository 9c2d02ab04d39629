"""The forest's edges and core distances for the caller, on the GPU. Kernels: result.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Forest
from emst.cuda.merge import scratch_of
from emst.cuda.points.bvh import Bvh
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.sort import sort_pairs


def sorted_edges(bvh: Bvh, forest: Forest, order: cupy.ndarray) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`. The forest cannot be merged further: its buffers are freed."""
    count, ends = bvh.n - forest.count, scratch_of(forest).ends
    forest.scratch = forest.edge_u = forest.edge_v = None
    ranked = None if bvh.few else _in_total_order(bvh, ends, forest.weight, count)  # the sort needs the memory first
    edges, weights = cupy.empty((count, 2), np.int32), cupy.empty(count, bvh.dtype)
    out = (order, _unscale(bvh), edges, weights)
    if ranked is None:
        name, points = f"emit_ranked<{_edge_template(bvh)}, {_squared(bvh)}>", (bvh.rows, *bvh.shape, bvh.metric.norm)
        launch("points/result", name, 32 * bvh.n, ends, forest.weight, bvh.n, *points, *out)
    else:
        launch("points/result", f"emit_edges<{bvh.T}, {_squared(bvh)}>", count, *ranked, count, ends, *out)
    return edges, _rooted(bvh, weights)


def _in_total_order(
    bvh: Bvh, ends: cupy.ndarray, weight: cupy.ndarray, count: int
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """First keys and slots of the forest's edges in the total order; the empty slots come after `count`."""
    n, points = bvh.n, (bvh.rows, *bvh.shape, bvh.metric.norm)
    template = _edge_template(bvh)
    unsorted = cupy.empty(n, np.uint64)
    launch("points/result", f"first_keys<{template}>", n, ends, weight, n, *points, unsorted)
    keys, slots = sort_pairs(unsorted)
    args = (keys, slots, count, ends, *points)
    launch("points/result", f"order_runs<{template}>", count - 1, *args)
    in_long_run, disorder = cupy.empty(count, np.bool_), cupy.zeros(1, np.int32)
    launch("points/result", f"mark_long_runs<{template}>", count, *args, in_long_run, disorder)
    if int(disorder[0]):
        places = cupy.flatnonzero(in_long_run)
        slots[places] = _by_all_keys(bvh, ends, slots[places], unsorted)
    return keys, slots


def _by_all_keys(bvh: Bvh, ends: cupy.ndarray, slots: cupy.ndarray, first: cupy.ndarray) -> cupy.ndarray:
    """Slots in the total order, by stable sorts from its last key to its first."""
    slots = sort_pairs(ends[slots], slots)[1]
    if bvh.core is not None and bvh.dtype.itemsize == 8:  # in float32 the first key holds the distance
        powers, points = cupy.empty(len(slots), np.uint64), (bvh.rows, *bvh.shape, bvh.metric.norm)
        name = f"power_keys<{bvh.T}, {bvh.metric.number}>"
        launch("points/result", name, len(slots), slots, ends, len(slots), *points, powers)
        slots = sort_pairs(powers, slots)[1]
        del powers
    return sort_pairs(first[slots], slots)[1]


def edge_powers(bvh: Bvh, u: cupy.ndarray, v: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`. The ends may be views of a forest's packed edges."""
    m = len(u)
    powers, ends = cupy.empty(m, bvh.dtype), (cupy.ascontiguousarray(u), cupy.ascontiguousarray(v))
    name = f"edge_powers<{bvh.T}, {bvh.metric.number}>"
    launch("points/result", name, m, *ends, m, bvh.rows, *bvh.shape, bvh.metric.norm, powers)
    return powers


def unscaled(bvh: Bvh, powers: cupy.ndarray, order: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    out, n = cupy.empty_like(powers), len(powers)
    launch("points/result", f"unscaled<{bvh.T}, {_squared(bvh)}>", n, powers, n, order, _unscale(bvh), out)
    return _rooted(bvh, out)


def _edge_template(bvh: Bvh) -> str:
    return f"{bvh.T}, {bvh.metric.number}, {'false' if bvh.core is None else 'true'}"


def _squared(bvh: Bvh) -> str:
    return "true" if bvh.norm.degree == 2 else "false"


def _unscale(bvh: Bvh) -> float:
    """What a kernel multiplies distances by; 1 if it leaves powers."""
    return 1 / bvh.scale if bvh.norm.degree in (1, 2) else 1.0


def _rooted(bvh: Bvh, powers: cupy.ndarray) -> cupy.ndarray:
    """Distances in the caller's units, where a kernel left powers. The host takes their roots as for the CPU's results,
    since powers of two libraries round differently."""
    if bvh.norm.degree not in (1, 2):
        powers.set(bvh.norm.roots(powers.get()) * (1 / bvh.scale))
    return powers
