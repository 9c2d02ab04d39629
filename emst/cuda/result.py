"""The forest's edges and core distances on their way out of the GPU. Kernels: result.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.boruvka import Forest
from emst.cuda.bvh import Bvh
from emst.cuda.compile import ctype
from emst.cuda.launch import launch
from emst.frame import Frame


def sorted_edges(bvh: Bvh, forest: Forest, order: cupy.ndarray, frame: Frame) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.Backend.sorted_edges`."""
    T, count = bvh.T, bvh.n - forest.count
    by_law = _by_law(bvh, forest)
    edges, weights = cupy.empty((count, 2), np.int32), cupy.empty(count, bvh.dtype)
    launch(
        "result", f"emit_edges<{T}>", count, by_law, count, forest.source, forest.target, forest.weight, order, 1 / frame.scale, edges,
        weights,
    )  # fmt: skip
    return edges, weights


def _by_law(bvh: Bvh, forest: Forest) -> cupy.ndarray:
    """Slots in the order of their edges, empty ones last: stable sorts from the last key to the first."""
    n, T, mrd, wide = bvh.n, bvh.T, bvh.core is not None, bvh.dtype.itemsize == 8
    first = cupy.empty(n, np.uint64)
    middle = cupy.empty(n, np.uint64) if wide and mrd else None
    last = cupy.empty(n, np.uint64 if wide or mrd else np.uint32)
    name = f"edge_keys<{T}, {'true' if mrd else 'false'}>"
    launch("result", name, n, forest.source, forest.target, forest.weight, n, bvh.rows, *bvh.shape, first, middle, last)
    slots = cupy.argsort(last)
    del last
    for key in (middle, first):
        if key is not None:
            slots = slots[cupy.argsort(key[slots])]
    return slots


def unscaled(squared: cupy.ndarray, order: cupy.ndarray, frame: Frame) -> cupy.ndarray:
    """See `emst.backend.Backend.unscaled`."""
    out = cupy.empty_like(squared)
    launch("result", f"unscaled<{ctype(squared.dtype)}>", len(squared), squared, len(squared), order, 1 / frame.scale, out)
    return out
