"""Where new points would join, on the GPU. Kernels: prediction.cu, brute.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.distances.brute import kth_distances
from emst.cuda.points.bvh import Bvh
from emst.cuda.points.knn import LONGEST_LIST, multiplied
from emst.cuda.runtime.constants import BRUTE_QUERIES, WALK_WARPS
from emst.cuda.runtime.launch import launch


def nearest_reachable(bvh: Bvh, queries: Bvh, k: int, near: cupy.ndarray) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    bvh.neighbours = None  # only rounds need them
    m = queries.n
    core, nearest = _core_distances(bvh, queries, k, near)
    if bvh.core_factor != 1:
        core = multiplied(core, bvh.core_factor)
    found, weight = cupy.empty(m, np.int32), cupy.empty(m, bvh.dtype)
    if bvh.brute:
        args = (queries.rows, m, bvh.rows, bvh.n, np.int32(bvh.d), bvh.metric.norm, core, found, weight)
        name = f"brute_reachable<{bvh.T}, {bvh.metric.number}>"
        launch("distances/brute", name, m, *args, block=BRUTE_QUERIES)
    else:
        inputs = (bvh.rows, bvh.hierarchy, bvh.nodes, bvh.metric.norm, queries.rows, m, near)
        name = f"nearest_reachable<{bvh.template}>"
        launch(
            "points/prediction",
            name,
            m,
            *inputs,
            core,
            nearest if k > 1 else None,
            found,
            weight,
            block=32 * WALK_WARPS,
        )
    return found, weight


def _core_distances(bvh: Bvh, queries: Bvh, k: int, near: cupy.ndarray) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Powers of the distances of every query to its (k - 1)-th nearest point, 0 for k = 1, and to its nearest."""
    m = queries.n
    core, nearest = cupy.zeros(m, bvh.dtype), cupy.empty(m, bvh.dtype)
    if k == 1:
        return core, nearest
    if bvh.brute:
        kth_distances(queries.rows, bvh.metric, k - 1, core, among=(bvh.rows, bvh.n), centres=bvh.centres)
        return core, nearest
    inputs = (bvh.rows, bvh.hierarchy, bvh.nodes, bvh.metric.norm, queries.rows, m, near)
    if k - 1 <= LONGEST_LIST:
        name, rank = f"query_lists<{bvh.template}, {k - 1}>", []
    else:
        name, rank = f"query_kth_distances<{bvh.template}>", [np.int32(k - 1)]
    launch("points/prediction", name, m, *inputs, *rank, core, nearest, block=32 * WALK_WARPS)
    return core, nearest
