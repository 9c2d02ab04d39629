"""Will it fit? Asked before anything is allocated."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.cuda.bvh import BRUTE_FROM, LEAF
from emst.cuda.knn import LONGEST_LIST


def bytes_needed(n: int, d: int, dtype: Any, k: int) -> int:
    """Device memory of one tree at its peak, the points not counted.

    The peak is in the rounds or, without neighbour lists, in the radix sort of 64-bit keys.
    """
    size = np.dtype(dtype).itemsize
    row = size * (4 if d <= 3 else d + 1)
    nodes = 0 if d >= BRUTE_FROM else 2 * row * 33 / 32 / LEAF
    ids = 4 * 10  # order, labels, components twice, source, target, parent, top, answers, worklist
    numbers = 5 * size + 8  # weight, best, bound, step and one of slack; the packed edge
    mrd = 0 if k == 1 else 4 * size + (4 * k if k <= LONGEST_LIST and d < BRUTE_FROM else 0)
    return int(n * (row + nodes + ids + numbers + mrd)) + (1 << 20)


def require_memory(n: int, d: int, dtype: Any, k: int) -> None:
    """See `emst.backend.Backend.require_memory`."""
    needed = bytes_needed(n, d, dtype, k)
    pool = cupy.get_default_memory_pool()
    free = cupy.cuda.Device().mem_info[0] + pool.free_bytes()
    limit = pool.get_limit()
    if limit:
        free = min(free, limit - pool.used_bytes())
    if needed > free:
        raise MemoryError(
            f"a minimum spanning tree of {n:,} points in {d} dimensions needs {needed:,} bytes of device memory beyond "
            f"the points; {free:,} are free"
        )
