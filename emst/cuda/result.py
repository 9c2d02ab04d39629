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
    disorder = cupy.zeros(1, np.int32)
    args = (keys, slots, count, ends, bvh.rows, *bvh.shape)
    launch("result", f"order_runs<{template}>", count - 1, *args)
    launch("result", f"check_runs<{template}>", count - 1, *args, disorder)
    if not int(disorder[0]):
        return keys, slots
    del keys, slots, args
    slots = sort_pairs(ends)[1]  # many ties: by all of the law, the last key first
    if mrd:
        distance = cupy.full(n, np.iinfo(np.uint64).max, np.uint64)
        launch("result", f"distance_keys<{T}>", count, slots, ends, count, bvh.rows, *bvh.shape, distance)
        slots = sort_pairs(distance, slots)[1]
        del distance
    return sort_pairs(unsorted[slots], slots)


def unscaled(squared: cupy.ndarray, order: cupy.ndarray, frame: Frame) -> cupy.ndarray:
    """See `emst.backend.Backend.unscaled`."""
    out, n = cupy.empty_like(squared), len(squared)
    launch("result", f"unscaled<{ctype(squared.dtype)}>", n, squared, n, order, 1 / frame.scale, out)
    return out
