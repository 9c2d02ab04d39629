"""Core distances on the GPU. Kernels: knn.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.distances.brute import PAGE, list_neighbours, page_of_neighbours
from emst.cuda.points.bvh import Bvh, set_cores
from emst.cuda.runtime.constants import WALK_WARPS
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import all_ones

LONGEST_LIST = 32  # entries that fit into a thread's registers; longer lists are found in pages


def core_distances(bvh: Bvh, k: int) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    core = cupy.zeros(bvh.n, bvh.dtype)
    if 1 < k <= LONGEST_LIST:
        bvh.neighbours = cupy.empty((k, bvh.n), np.int32)
        if bvh.brute:
            list_neighbours(bvh.rows, bvh.centres, bvh.metric, bvh.neighbours, core)
        else:
            name = f"nearest_points<{bvh.template}, {k}>"
            launch(
                "points/knn",
                name,
                bvh.n,
                bvh.rows,
                bvh.n,
                bvh.hierarchy,
                bvh.nodes,
                bvh.metric.norm,
                bvh.neighbours,
                core,
                block=32 * WALK_WARPS,
            )
    else:
        _pages(bvh, k, core)
    set_cores(bvh, core)
    return core


def scale_cores(bvh: Bvh, factor: float) -> None:
    """See `emst.backend.operations`."""
    product = cupy.empty_like(bvh.core)
    launch("points/bvh", f"multiply_cores<{bvh.T}>", bvh.n, bvh.core, bvh.n, bvh.dtype.type(factor), product)
    set_cores(bvh, product)


def _pages(bvh: Bvh, k: int, core: cupy.ndarray) -> None:
    """The (k - 1)-th nearest other point by pages of neighbours, each continuing where the last one ended."""
    last = all_ones(bvh.n, np.int32)
    for first in range(0, k - 1, PAGE):
        rank = min(PAGE, k - 1 - first) - 1
        if bvh.brute:
            page_of_neighbours(bvh.rows, bvh.metric, rank, last, core)
        else:
            name, at = f"next_page<{bvh.template}, {PAGE}>", np.int32(rank)
            launch(
                "points/knn",
                name,
                bvh.n,
                bvh.rows,
                bvh.n,
                bvh.hierarchy,
                bvh.nodes,
                bvh.metric.norm,
                at,
                last,
                core,
                block=32 * WALK_WARPS,
            )
