"""Flat clusters at one height on the GPU. Kernels: cut.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.keys import key_above, ordered
from emst.backend.records import Linkage
from emst.cuda.hierarchy.chains import Chains
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.launch import launch


def cut(linkage: Linkage, height: float, min_cluster_size: int) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    n = linkage.n
    labels = cupy.full(n, 0 if min_cluster_size <= 1 else -1, np.int64)
    if n == 1:
        return labels
    chains: Chains = linkage.scratch
    m, size = len(chains.ranks), chains.size
    below = int(cupy.searchsorted(ordered(linkage.height), cupy.asarray(key_above(height, linkage.height.dtype))))
    top, first = cupy.empty(m, np.int32), cupy.full(m, np.iinfo(np.int32).max, np.int32)
    chains.descend("hierarchy/cut", "find_tops", chains.ranks, m, below, top)
    component, number, total = cupy.empty(n, np.int32), cupy.empty(m, np.int32), cupy.zeros(1, np.int32)
    launch("hierarchy/cut", "find_components", m, chains.children, chains.ranks, m, below, top, component, first)
    of_sizes, sized = number_type(size.dtype), (component, n, size, int(min_cluster_size))
    Compaction(n).launch("hierarchy/cut", f"number_components<{of_sizes}>", n, *sized, first, number, labels, total)
    launch("hierarchy/cut", f"label_components<{of_sizes}>", n, *sized, number, labels)
    return labels
