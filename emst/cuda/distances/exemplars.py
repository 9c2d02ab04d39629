"""Distances from points to the exemplars of clusters, on the GPU. Kernel: exemplars.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.launch import launch


def exemplar_distances(points: cupy.ndarray, exemplars: cupy.ndarray, starts: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    (n, d), clusters = points.shape, len(starts) - 1
    nearest = cupy.empty((n, clusters), points.dtype)
    args = (points, n, np.int32(d), exemplars, starts, clusters, nearest)
    launch("distances/exemplars", f"exemplar_distances<{ctype(points.dtype)}>", n, *args)
    return nearest
