"""Core distances on the GPU. Kernels: knn.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Report
from emst.cuda.distances.brute import kth_distances, list_neighbours
from emst.cuda.points.bvh import Bvh, write_cores
from emst.cuda.points.engine import Engine
from emst.cuda.points.products import kth_by_products, nearest_by_products
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import WALK_WARPS
from emst.cuda.runtime.launch import launch

LONGEST_LIST = 32  # entries that fit into a thread's registers


def core_distances(bvh: Bvh, k: int, report: Report | None = None) -> cupy.ndarray:
    """See `emst.backend.operations`. One launch finds them all, so nothing is reported on the way."""
    core = cupy.zeros(bvh.n, bvh.dtype)
    if 1 < k <= LONGEST_LIST:
        _list_nearest(bvh, k, core)
    elif k > 1:  # lists of the nearest 16 for the first round cost more than they save
        _select_distances(bvh, k, core)
    write_cores(bvh, core)
    return core


def scale_cores(bvh: Bvh, factor: float) -> None:
    """See `emst.backend.operations`."""
    write_cores(bvh, multiplied(bvh.core, factor))
    bvh.core_factor = factor


def set_cores(bvh: Bvh, core: cupy.ndarray) -> None:
    """See `emst.backend.operations`."""
    write_cores(bvh, cupy.ascontiguousarray(core))


def multiplied(core: cupy.ndarray, factor: float) -> cupy.ndarray:
    """Core distances times a number of their dtype, each rounded once."""
    product, n = cupy.empty_like(core), len(core)
    launch("points/bvh", f"multiply_cores<{ctype(core.dtype)}>", n, core, n, core.dtype.type(factor), product)
    return product


def _list_nearest(bvh: Bvh, length: int, core: cupy.ndarray) -> None:
    """The nearest other points, and as core distances those of the last but one."""
    bvh.neighbours = cupy.empty((length, bvh.n), np.int32)
    if bvh.engine is Engine.PRODUCTS and nearest_by_products(bvh, length, core):
        return
    if not bvh.walks:
        bvh.listed = None
        list_neighbours(bvh.rows, bvh.centres, bvh.metric, bvh.neighbours, core)
        return
    args = (bvh.rows, bvh.n, bvh.hierarchy, bvh.nodes, bvh.metric.norm, bvh.neighbours, core)
    launch("points/knn", f"nearest_points<{bvh.template}, {length}>", bvh.n, *args, block=32 * WALK_WARPS)


def _select_distances(bvh: Bvh, k: int, core: cupy.ndarray) -> None:
    """The distances of rank k, without lists."""
    if bvh.engine is Engine.PRODUCTS and kth_by_products(bvh, k - 1, core):
        return
    if not bvh.walks:
        kth_distances(bvh.rows, bvh.metric, k - 1, core, centres=bvh.centres)
        return
    args = (bvh.rows, bvh.n, bvh.hierarchy, bvh.nodes, bvh.metric.norm, np.int32(k), core)
    launch("points/knn", f"kth_distances<{bvh.template}>", bvh.n, *args, block=32 * WALK_WARPS)
