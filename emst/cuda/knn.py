"""Core distances on the GPU. Kernels: knn.cu, brute.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.bvh import Bvh, set_cores
from emst.cuda.launch import launch

LONGEST_LIST = 32  # entries that fit into a thread's registers
PAGE = 12  # beyond that neighbours come in pages; larger ones cost more in insertions than they save in walks


def core_distances(bvh: Bvh, k: int) -> cupy.ndarray:
    """See `emst.backend.Backend.core_distances`."""
    core = cupy.zeros(bvh.n, bvh.dtype)
    if bvh.brute:
        _pages(bvh, k, core)
    elif 1 < k <= LONGEST_LIST:
        bvh.neighbours = cupy.empty((k, bvh.n), np.int32)
        name = f"nearest_points<{bvh.template}, {k}>"
        launch("knn", name, bvh.n, bvh.rows, bvh.n, bvh.hierarchy, bvh.nodes, bvh.neighbours, core, block=128)
    else:
        _pages(bvh, k, core)
    set_cores(bvh, core)
    return core


def _pages(bvh: Bvh, k: int, core: cupy.ndarray) -> None:
    """The (k - 1)-th nearest other point by pages of neighbours, each continuing where the last one ended."""
    last = cupy.full(bvh.n, -1, np.int32)
    for first in range(0, k - 1, PAGE):
        rank = np.int32(min(PAGE, k - 1 - first) - 1)
        if bvh.brute:
            name = f"brute_page<{bvh.T}, {PAGE}>"
            launch("brute", name, bvh.n, bvh.rows, bvh.n, np.int32(bvh.d), rank, last, core, block=128)
        else:
            name = f"next_page<{bvh.template}, {PAGE}>"
            launch("knn", name, bvh.n, bvh.rows, bvh.n, bvh.hierarchy, bvh.nodes, rank, last, core, block=128)
