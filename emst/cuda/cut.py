"""Flat clusters at one height on the GPU. Kernels: cut.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.launch import Compaction, launch
from emst.cuda.linkage import Chains
from emst.hierarchy.linkage import Linkage


def cut(linkage: Linkage, height: float, min_cluster_size: int) -> cupy.ndarray:
    """See `emst.backend.Backend.cut`."""
    m, n = len(linkage.size), linkage.n
    labels = cupy.full(n, 0 if min_cluster_size <= 1 else -1, np.int64)
    if m == 0:
        return labels
    chains: Chains = linkage.scratch
    below = int(cupy.searchsorted(linkage.height.astype(np.float64), cupy.float64(height)))
    top, first = cupy.empty(m, np.int32), cupy.full(m, np.iinfo(np.int32).max, np.int32)
    chains.descend("cut", "find_tops", below, top)
    component, number, total = cupy.empty(n, np.int32), cupy.empty(m, np.int32), cupy.zeros(1, np.int32)
    launch("cut", "find_components", m, linkage.child, m, below, top, component, first)
    sized = (component, n, linkage.size, int(min_cluster_size))
    Compaction(n).launch("cut", "number_components", n, *sized, first, number, labels, total)
    launch("cut", "label_components", n, *sized, number, labels)
    return labels
