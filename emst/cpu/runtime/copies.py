"""Arrays that come to the host from a GPU, and several that become one."""

from __future__ import annotations

import contextlib

import numpy as np


def settled():
    """See `emst.backend.operations`."""
    return contextlib.nullcontext()


def forget_peers():
    """See `emst.backend.operations`."""


def asarray(array, dtype=None):
    """See `emst.backend.operations`."""
    if not isinstance(array, np.ndarray):
        with array.device:
            array = array.get()
    if dtype is None or array.dtype == dtype:
        return np.ascontiguousarray(array)
    with np.errstate(over="ignore"):  # beyond the range of `dtype`: infinite, as on the GPU
        return np.ascontiguousarray(array, dtype)


def asarrays(*arrays):
    """See `emst.backend.operations`."""
    return [None if array is None else asarray(array) for array in arrays]


def readable(array):
    """See `emst.backend.operations`."""
    return asarray(array)


def concatenated(parts):
    """See `emst.backend.operations`."""
    filled = [part for part in parts if len(part)] or parts[:1]
    return asarray(filled[0]) if len(filled) == 1 else np.concatenate([asarray(part) for part in filled])


def concatenated_columns(columns):
    """See `emst.backend.operations`."""
    return [concatenated(parts) for parts in columns]


def copied(array):
    """See `emst.backend.operations`."""
    return array.copy()
