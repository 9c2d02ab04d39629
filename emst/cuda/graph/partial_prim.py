"""Prim's rule from many vertices at once. Kernels: partial_prim.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.launch import launch

MOST_WORKERS = 512 * 256  # as in the authors' code
LEAST_BLOCK = 8  # start vertices of a worker
HEAPS = 3  # entries of all heaps together, per vertex
LEAST_HEAPS = 1 << 20  # entries of all heaps together, at least
WORKERS_A_BLOCK = 64  # few, so that all multiprocessors get workers


def grow_subtrees(
    indptr: cupy.ndarray, columns: cupy.ndarray, keys: cupy.ndarray, gamma: int, ascending: bool
) -> tuple[cupy.ndarray, cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    n = len(indptr) - 1
    gamma = max(1, min(int(gamma), n))  # np.int32 would be too narrow for the kernel
    workers = _workers(n, gamma)
    owner = cupy.full(n, -1, np.int32)
    via, hook = cupy.full(n, -1, np.int64), cupy.full(n, -1, np.int64)
    heaps = [cupy.empty(workers * gamma, dtype) for dtype in (np.uint64, np.int64, np.int32)]
    graph = (indptr, columns, keys, n, gamma, int(ascending))
    launch(
        "graph/partial_prim", "grow_subtrees", workers, *graph, workers, owner, via, hook, *heaps, block=WORKERS_A_BLOCK
    )
    return owner, via, hook


def _workers(n: int, gamma: int) -> int:
    """As many workers as there is work and memory for. (The paper starts one per subtree of full size. On a current GPU
    most threads would be idle then, while a few add a hundred vertices one after the other.)"""
    return max(1, min(MOST_WORKERS, n // LEAST_BLOCK, max(HEAPS * n, LEAST_HEAPS) // gamma))
