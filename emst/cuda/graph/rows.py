"""From compressed rows to the row of every entry, and back, on the GPU."""

from __future__ import annotations

import cupy
import numpy as np


def entry_rows(indptr: cupy.ndarray, m: int) -> cupy.ndarray:
    """See `emst.backend.operations`. An entry's row is the number of rows after the first that begin at or before it.

    (CuPy's `bincount` may allocate all counters for every block.)"""
    begins = cupy.zeros(m + 1, np.int32)
    cupy.add.at(begins, indptr[1:], np.int32(1))
    return cupy.cumsum(begins, dtype=np.int32)[:m]


def row_starts(rows: cupy.ndarray, n: int) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    return cupy.searchsorted(rows, cupy.arange(n + 1, dtype=np.int64).astype(np.int32)).astype(np.int64, copy=False)
