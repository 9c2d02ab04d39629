"""Core distances on the GPU. Kernels: knn.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Report
from emst.cuda.distances.brute import kth_distances, list_neighbours
from emst.cuda.points.bvh import SearchIndex, write_cores
from emst.cuda.points.engine import Engine
from emst.cuda.points.products import kth_by_products, nearest_by_products
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import WALK_WARPS
from emst.cuda.runtime.launch import launch

LONGEST_LIST = 32  # entries that fit into a thread's registers


def core_distances(index: SearchIndex, k: int, report: Report | None = None) -> cupy.ndarray:
    """See `emst.backend.operations`. One launch finds them all, so nothing is reported on the way."""
    searched = index.walks and k > 1  # walks write all elements
    core = (cupy.empty if searched else cupy.zeros)(index.n, index.dtype)
    if 1 < k <= LONGEST_LIST:
        list_nearest(index, k, core)
    elif k > 1:  # lists of the nearest 16 for the first round cost more than they save
        _select_distances(index, k, core)
    write_cores(index, core)
    return core


def scale_cores(index: SearchIndex, factor: float) -> None:
    """See `emst.backend.operations`."""
    write_cores(index, multiplied(index.core, factor))
    index.core_factor = factor


def set_cores(index: SearchIndex, core: cupy.ndarray) -> None:
    """See `emst.backend.operations`."""
    write_cores(index, cupy.ascontiguousarray(core))


def forget_neighbours(index: SearchIndex) -> None:
    """See `emst.backend.operations`."""
    index.neighbours = index.listed = index.products = None


def multiplied(core: cupy.ndarray, factor: float) -> cupy.ndarray:
    """Core distances times a number of their dtype, each rounded once."""
    product, n = cupy.empty_like(core), len(core)
    launch("points/bvh", f"multiply_cores<{ctype(core.dtype)}>", n, core, n, core.dtype.type(factor), product)
    return product


def list_nearest(index: SearchIndex, length: int, core: cupy.ndarray) -> None:
    """The nearest other points, and as core distances those of the last but one."""
    index.neighbours = cupy.empty((length, index.n), np.int32)
    if index.engine is Engine.PRODUCTS and nearest_by_products(index, length, core):
        return
    if not index.walks:
        index.listed = None
        list_neighbours(index.rows, index.centres, index.metric, index.neighbours, core)
        return
    args = (index.rows, index.n, index.hierarchy, index.nodes, index.metric.norm, index.neighbours, core)
    launch("points/knn", f"nearest_points<{index.template}, {length}>", index.n, *args, block=32 * WALK_WARPS)


def _select_distances(index: SearchIndex, k: int, core: cupy.ndarray) -> None:
    """The distances of rank k, without lists."""
    if index.engine is Engine.PRODUCTS and kth_by_products(index, k - 1, core):
        return
    if not index.walks:
        kth_distances(index.rows, index.metric, k - 1, core, centres=index.centres)
        return
    args = (index.rows, index.n, index.hierarchy, index.nodes, index.metric.norm, np.int32(k), core)
    launch("points/knn", f"kth_distances<{index.template}>", index.n, *args, block=32 * WALK_WARPS)
