"""The lightest edge that leaves each component, from a list of edges. Kernels: hybrid.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.to_host import OnItsWay

NO_KEY = np.iinfo(np.uint64).max


def lightest_of_edges(
    u: cupy.ndarray, v: cupy.ndarray, key: cupy.ndarray, labels: cupy.ndarray
) -> tuple[cupy.ndarray, cupy.ndarray, cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    k = len(key)
    least = cupy.full(len(labels), NO_KEY, np.uint64)
    left = tuple(cupy.empty_like(array) for array in (u, v, key))
    total = cupy.zeros(1, np.int32)
    Compaction(k).launch("graph/hybrid", "lightest_of_edges", k, u, v, key, k, labels, least, *left, total)
    (count,) = OnItsWay(total).arrived()
    return least, left[0][:count], left[1][:count], left[2][:count]
