"""What cluster validity asks of all pairs of points, on the GPU. Kernels: validity.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.launch import launch

TREE_THREADS = 256  # of validity.cu


def core_distance_sums(
    columns: cupy.ndarray, cluster: cupy.ndarray, starts: cupy.ndarray, dimension: int
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    n = len(cluster)
    nearest, total = cupy.empty(n, np.float64), cupy.empty(n, np.float64)
    launch("distances/validity", "core_distance_sums", n, *_shape(columns), cluster, starts, dimension, nearest, total)
    return nearest, total


def cluster_trees(columns: cupy.ndarray, starts: cupy.ndarray, core: cupy.ndarray) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    n, clusters = len(core), len(starts) - 1
    parent, weight, inside = cupy.empty(n, np.int32), cupy.full(n, np.inf), cupy.zeros(n, np.bool_)
    args = (*_shape(columns), starts, core, inside, parent, weight)
    launch("distances/validity", "cluster_trees", clusters * TREE_THREADS, *args, block=TREE_THREADS)
    return parent, weight


def separations(columns: cupy.ndarray, cluster: cupy.ndarray, starts: cupy.ndarray, core: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    least = cupy.empty(len(core), np.float64)
    launch("distances/validity", "separations", len(core), *_shape(columns), cluster, starts, core, least)
    return least


def _shape(columns: cupy.ndarray) -> tuple[cupy.ndarray, int, np.int32]:
    return columns, columns.shape[1], np.int32(columns.shape[0])
