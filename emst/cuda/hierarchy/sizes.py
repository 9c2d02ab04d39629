"""Sizes of merges by weight, of 64 bits, on the GPU. Kernels: sizes.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.hierarchy.chains import Chains
from emst.cuda.runtime.launch import launch


def weighted_sizes(chains: Chains, weights: cupy.ndarray) -> cupy.ndarray:
    """The weight of every merge by link, int64[m], from the weights of the vertices, int64[m + 1]. The sizes of the
    chains are numbers of vertices."""
    children, vertices, m = chains.children, chains.size, len(chains.size)
    first, order = cupy.empty(m, np.int32), cupy.empty(m + 1, np.int32)
    chains.descend("hierarchy/sizes", "find_first", children, vertices, m, first)
    launch("hierarchy/sizes", "place_vertices", m, children, vertices, first, m, order)
    sums = cupy.zeros(m + 2, np.int64)
    cupy.cumsum(weights[order], out=sums[1:])
    return sums[first + vertices] - sums[first]
