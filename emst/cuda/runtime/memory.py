"""The GPU's memory: arrays in it, and how much of it is free."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np


def asarray(array: Any, dtype: Any = None) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    if isinstance(array, np.ndarray):  # what travels is what will be used
        array = np.ascontiguousarray(array, dtype)
    return cupy.ascontiguousarray(cupy.asarray(array), dtype)


def bytes_free() -> int | None:
    """See `emst.backend.operations`: what CuPy's own pool can give; of another allocator nothing is known."""
    pool = cupy.get_default_memory_pool()
    owner: Any = getattr(cupy.cuda.get_allocator(), "__self__", None)
    if owner is not pool:
        return None
    free = int(cupy.cuda.Device().mem_info[0] + pool.free_bytes())
    limit = pool.get_limit()
    return min(free, limit - pool.used_bytes()) if limit else free
