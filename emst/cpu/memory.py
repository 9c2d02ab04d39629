"""Room for a tree: what it takes, and what the machine has."""

from __future__ import annotations

import os

import numpy as np

from emst.cpu.answers import LISTED
from emst.cpu.knn import KEPT


def bytes_needed(n: int, d: int, dtype, k: int) -> int:
    """Peak memory of one tree beside the input. It is reached in the rounds; the sorts before and after take less."""
    size = np.dtype(dtype).itemsize
    points = d * size * 8 // 7 + 4  # blocks and boxes; the order
    forest = 7 * 4 + 2 * size
    answers = 10 + 2 * size + 4 * (min(k, KEPT) if k > 1 else LISTED)
    cores = 2 * size if k > 1 else 0
    passing = 24  # the next round's components and the like
    return n * (points + forest + answers + cores + passing)


def bytes_free() -> int | None:
    """Memory the machine can still give, None where it does not say."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def require_memory(array, dtype, k: int) -> None:
    """Raise MemoryError where the tree of these points cannot fit."""
    n, d = array.shape
    needed, free = bytes_needed(n, d, dtype, k), bytes_free()
    if not (isinstance(array, np.ndarray) and array.dtype == dtype and array.flags.c_contiguous):
        needed += n * d * np.dtype(dtype).itemsize  # a copy of the points
    if free is not None and needed > free:
        raise MemoryError(
            f"a minimum spanning tree of {n:,} points in {d} dimensions needs {needed:,} more bytes of memory; "
            f"{free:,} are free"
        )
