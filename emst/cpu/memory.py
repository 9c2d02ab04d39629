"""Room for a tree: what it takes, and what the machine has."""

from __future__ import annotations

import os

import numpy as np

from emst.cpu.answers import LISTED
from emst.cpu.knn import KEPT

LABELLING = 130  # bytes a point that the stages after the tree take at their peak, a little more than measured


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
    """Memory this process can still get, None where the machine does not say."""
    known = [free for free in (_machine_free(), _group_free()) if free is not None]
    return min(known) if known else None


def _machine_free() -> int | None:
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


def _group_free() -> int | None:
    """What a container's limit leaves (control groups, version 2)."""
    try:
        with open("/sys/fs/cgroup/memory.max") as limit, open("/sys/fs/cgroup/memory.current") as used:
            return int(limit.read()) - int(used.read())
    except (OSError, ValueError):  # no such group, or "max": no limit
        return None


def require_memory(array, dtype, k: int, labels: bool = False) -> None:
    """Raise MemoryError where the tree of these points cannot fit."""
    n, d = array.shape
    needed, free = max(bytes_needed(n, d, dtype, k), n * LABELLING if labels else 0), bytes_free()
    if not (isinstance(array, np.ndarray) and array.dtype == dtype and array.flags.c_contiguous):
        needed += n * d * np.dtype(dtype).itemsize  # a copy of the points
    if free is not None and needed > free:
        raise MemoryError(
            f"a minimum spanning tree of {n:,} points in {d} dimensions needs {needed:,} more bytes of memory; "
            f"{free:,} are free"
        )
