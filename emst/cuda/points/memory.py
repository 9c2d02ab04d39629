"""Bytes that the tree of points takes on the GPU, checked before anything is allocated."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.backend.memory import LABELLING, POINTS, free_gb, needed_gb
from emst.cuda.points.engine import BRUTE_FROM, may_compare_all_pairs
from emst.cuda.points.knn import LONGEST_LIST
from emst.cuda.points.products import product_bytes
from emst.cuda.runtime.constants import BRUTE_TILE, LEAF
from emst.cuda.runtime.memory import ONE_PIECE, bytes_free
from emst.cuda.runtime.to_host import EARLY_UP_TO

LITTLE = 1 << 25  # bytes that are asked for without a look at how many are free
EARLY = 80  # bytes a point that the dendrogram takes where it begins while edges are sorted
FIRST_ROUND = 9  # bytes a point of what is kept of the first round, at most
RESERVED = 1.1  # bytes that the pool reserves, over those in use: free memory lies in pieces, some of them too small


def tree_bytes(n: int, d: int, dtype: Any, k: int) -> int:
    """See `emst.backend.operations`. Most memory is in use during the rounds or while edges are sorted."""
    size = np.dtype(dtype).itemsize
    row = size * (4 if d <= 3 else d + 1)
    all_pairs = may_compare_all_pairs(n, d)
    multiplied = product_bytes(n, d, k) if all_pairs else 0
    nodes = row / BRUTE_TILE if d >= BRUTE_FROM else 2 * row * 33 / 32 / LEAF
    ids = 4 * 7 + 8 * 2  # order, labels, components twice, parent, neighbours, worklist; edges by component and by slot
    numbers = 5 * size + 5  # weight, best, bound, step; slack for what the pool rounds up, and for sorts
    splits = 2 * size + 4 if all_pairs else 0  # all pairs: neighbours by split of the points
    listed = k if 1 < k <= LONGEST_LIST else 0  # and, of products, their distances
    mrd = 0 if k == 1 else 4 * (size + listed) + (size * listed if all_pairs else 0)
    rounds = ids + numbers + splits + mrd
    # Where many edges are tied: order, both ends by slot, rows of the result, places and slots twice, slack; weights
    # twice, keys twice, and what an edge brings along, with a core distance.
    sorting = 4 + 8 + 8 + 4 * 3 + 4 + (6 if k == 1 else 9) * size
    if 20 * n <= ONE_PIECE:  # what merges take is one piece of memory with the edges, and sorts do not write over keys
        sorting += 24 + 2 * size
    return int(n * (row + nodes + max(rounds, sorting)) * RESERVED) + multiplied + (1 << 22)


def require_memory(array: Any, dtype: Any, k: int, labels: bool = False) -> None:
    """See `emst.backend.operations`."""
    n, d = array.shape
    needed = tree_bytes(n, d, dtype, k)
    if labels:
        needed = max(needed + n * (EARLY if n <= EARLY_UP_TO else FIRST_ROUND), n * LABELLING[np.dtype(dtype).itemsize])
    if not (isinstance(array, cupy.ndarray) and array.dtype == dtype and array.flags.c_contiguous):
        needed += n * d * np.dtype(dtype).itemsize  # a copy of the points
    pool = cupy.get_default_memory_pool()
    if needed <= (0 if pool.get_limit() else LITTLE) or needed <= pool.free_bytes():
        return  # the driver, which takes longer, is not asked
    free = bytes_free()
    if free is not None and needed > free:
        raise MemoryError(
            f"a minimum spanning tree of {n:,} points in {d} dimensions needs {needed_gb(needed)} more device memory; "
            f"{free_gb(free)} are free; {POINTS}"
        )
