"""The forest's edges and core distances on their way out of the GPU. Kernels: result.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.boruvka import Forest
from emst.cuda.bvh import Bvh
from emst.cuda.compile import ctype
from emst.cuda.launch import launch
from emst.cuda.merge import scratch_of
from emst.cuda.sort import sort_pairs
from emst.frame import Frame


def sorted_edges(bvh: Bvh, forest: Forest, order: cupy.ndarray, frame: Frame) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.Backend.sorted_edges`. The forest cannot be merged further: its buffers serve the sort."""
    count, ends = bvh.n - forest.count, scratch_of(forest).ends
    forest.scratch = forest.edge_u = forest.edge_v = None
    keys, slots = _by_law(bvh, ends, forest.weight, count)
    edges, weights = cupy.empty((count, 2), np.int32), cupy.empty(count, bvh.dtype)
    launch("result", f"emit_edges<{bvh.T}>", count, keys, slots, count, ends, order, 1 / frame.scale, edges, weights)
    return edges, weights


def _by_law(bvh: Bvh, ends: cupy.ndarray, weight: cupy.ndarray, count: int) -> tuple[cupy.ndarray, cupy.ndarray]:
    """First keys and slots of the forest's edges under the law; empty slots follow after `count`."""
    n, T, mrd = bvh.n, bvh.T, bvh.core is not None
    template = f"{T}, {'true' if mrd else 'false'}"
    unsorted = cupy.empty(n, np.uint64)
    launch("result", f"first_keys<{template}>", n, ends, weight, n, bvh.rows, *bvh.shape, unsorted)
    keys, slots = sort_pairs(unsorted)
    args = (keys, slots, count, ends, bvh.rows, *bvh.shape)
    launch("result", f"order_runs<{template}>", count - 1, *args)
    in_long_run, disorder = cupy.empty(count, np.bool_), cupy.zeros(1, np.int32)
    launch("result", f"mark_long_runs<{template}>", count, *args, in_long_run, disorder)
    if int(disorder[0]):
        places = cupy.flatnonzero(in_long_run)
        slots[places] = _by_all_keys(bvh, ends, slots[places], unsorted)
    return keys, slots


def _by_all_keys(bvh: Bvh, ends: cupy.ndarray, slots: cupy.ndarray, first: cupy.ndarray) -> cupy.ndarray:
    """Slots by all of the law, the last key first, in stable sorts."""
    slots = sort_pairs(ends[slots], slots)[1]
    if bvh.core is not None and bvh.dtype.itemsize == 8:  # in float32 the first key holds the distance
        distance = cupy.empty(len(slots), np.uint64)
        launch("result", f"distance_keys<{bvh.T}>", len(slots), slots, ends, len(slots), bvh.rows, *bvh.shape, distance)
        slots = sort_pairs(distance, slots)[1]
        del distance
    return sort_pairs(first[slots], slots)[1]


def unscaled(squared: cupy.ndarray, order: cupy.ndarray, frame: Frame) -> cupy.ndarray:
    """See `emst.backend.Backend.unscaled`."""
    out, n = cupy.empty_like(squared), len(squared)
    launch("result", f"unscaled<{ctype(squared.dtype)}>", n, squared, n, order, 1 / frame.scale, out)
    return out
