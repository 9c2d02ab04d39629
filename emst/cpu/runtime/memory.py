"""The host's memory: arrays in it, and how much of it is free."""

from __future__ import annotations

import os

import numpy as np


def asarray(array, dtype=None):
    """See `emst.backend.operations`."""
    return np.ascontiguousarray(array if isinstance(array, np.ndarray) else array.get(), dtype)


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
