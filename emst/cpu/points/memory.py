"""Bytes that the tree of points takes, checked before anything is allocated."""

from __future__ import annotations

import numpy as np

from emst.backend.memory import POINTS, free_gb, needed_gb
from emst.cpu.points.cached import LISTED
from emst.cpu.points.engine import may_multiply
from emst.cpu.points.knn import KEPT
from emst.cpu.points.products import product_bytes
from emst.cpu.runtime.memory import bytes_free
from emst.cpu.runtime.parallel import thread_count

ASKED_FROM = 1 << 24  # bytes: to find out how much is free takes longer than a tree that needs less
LABELLING = 130  # bytes a point that the stages after the tree take at their peak, a little more than measured


def tree_bytes(n: int, d: int, dtype, k: int) -> int:
    """See `emst.backend.operations`. Most memory is in use during the rounds, or while edges are sorted, if many
    have equal weights. From 24 dimensions on, it includes what matrix products need, whether they will be used or not.
    """
    size = np.dtype(dtype).itemsize
    points = d * size * 8 // 7 + 4  # blocks and boxes; the order
    forest = 7 * 4 + 2 * size
    cache = 10 + 2 * size + 4 * (min(k, KEPT) if k > 1 else LISTED)
    cores = 2 * size if k > 1 else 0
    passing = 24  # the next round's components and the like
    sorting = 70 + (size if k > 1 else 0)  # keys, edges and places, twice; what says which edges are tied
    tree = n * (points + forest + cores + max(cache + passing, sorting))
    return tree + (product_bytes(n, d, dtype, thread_count()) if may_multiply(n, d) else 0)


def require_memory(array, dtype, k: int, labels: bool = False) -> None:
    """Raise MemoryError where the tree of these points cannot fit."""
    n, d = array.shape
    needed = max(tree_bytes(n, d, dtype, k), n * LABELLING if labels else 0)
    if not (isinstance(array, np.ndarray) and array.dtype == dtype and array.flags.c_contiguous):
        needed += n * d * np.dtype(dtype).itemsize  # a copy of the points
    free = bytes_free() if needed >= ASKED_FROM else None
    if free is not None and needed > free:
        raise MemoryError(
            f"a minimum spanning tree of {n:,} points in {d} dimensions needs {needed_gb(needed)} more memory; "
            f"{free_gb(free)} are free; {POINTS}"
        )
