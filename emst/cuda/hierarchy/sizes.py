"""Sizes of merges by weight, of 64 bits, on the GPU. Kernels: sizes.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.cuda.runtime.launch import launch


def weighted_sizes(chains: Any, child: cupy.ndarray, vertices: cupy.ndarray, weights: cupy.ndarray) -> cupy.ndarray:
    """The weight of every merge, int64[m], from the number of vertices in it, int32[m], and the weights of the
    vertices, int64[m + 1]."""
    m = len(vertices)
    first, order = cupy.empty(m, np.int32), cupy.empty(m + 1, np.int32)
    chains.descend("hierarchy/sizes", "find_first", child, vertices, m, first)
    launch("hierarchy/sizes", "place_vertices", m, child, vertices, first, m, order)
    sums = cupy.zeros(m + 2, np.int64)
    cupy.cumsum(weights[order], out=sums[1:])
    return sums[first + vertices] - sums[first]
