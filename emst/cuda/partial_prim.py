"""Prim's rule from many vertices at once. Kernels: partial_prim.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.launch import BLOCK, launch

MOST_WORKERS = 512 * 256  # as in the authors' code
LEAST_ROOM = 1 << 22  # entries in all heaps together, if 4 a vertex are fewer


def grow_subtrees(
    indptr: cupy.ndarray, columns: cupy.ndarray, keys: cupy.ndarray, gamma: int, ascending: bool
) -> tuple[cupy.ndarray, cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.Backend.grow_subtrees`."""
    n = len(indptr) - 1
    gamma = max(1, min(gamma, n))
    workers = _workers(n, gamma)
    owner = cupy.full(n, -1, np.int32)
    via, hook = cupy.full(n, -1, np.int64), cupy.full(n, -1, np.int64)
    heaps = [cupy.empty(workers * gamma, dtype) for dtype in (np.uint64, np.int64, np.int32)]
    graph = (indptr, columns, keys, n, gamma, int(ascending))
    launch("partial_prim", "grow_subtrees", workers, *graph, workers, owner, via, hook, *heaps)
    return owner, via, hook


def _workers(n: int, gamma: int) -> int:
    """About as many as there are subtrees of full size, in whole blocks, as in the paper; fewer if room is short."""
    wanted = min(MOST_WORKERS, (n // (BLOCK * gamma) + 1) * BLOCK)
    return max(1, min(wanted, max(4 * n, LEAST_ROOM) // gamma))
