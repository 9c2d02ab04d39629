"""Room for a tree: what it takes, and what the machine has."""

from __future__ import annotations

import os

import numpy as np


def bytes_needed(n: int, d: int, dtype, k: int) -> int:
    """Peak memory of one tree beside the input."""
    size = np.dtype(dtype).itemsize
    points = d * size * 9 // 8 + 4  # blocks, boxes, order
    rounds = 9 * 4 + 4 * size  # forest and answers
    lists = (2 * size + 4 * min(k, 8)) if k > 1 else 0
    return n * (points + rounds + lists + 12)


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


def require_memory(n: int, d: int, dtype, k: int) -> None:
    """Raise MemoryError where a tree of this size cannot fit."""
    needed, free = bytes_needed(n, d, dtype, k), bytes_free()
    if free is not None and needed > free:
        raise MemoryError(f"the tree of {n} points needs {needed} bytes of memory, {free} are free")
