"""From compressed rows to the row of every entry, and back."""

from __future__ import annotations

import numpy as np

from emst.cpu.graph.entries import row_of
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

GRAIN = 1 << 15  # entries


def entry_rows(indptr, m):
    """See `emst.backend.operations`."""
    rows = np.empty(m, np.int32)
    for_chunks(_write_rows, m, grain_for(m, GRAIN), indptr, rows)
    return rows


@kernel
def _write_rows(indptr, rows, begin, end):
    row = row_of(indptr, begin)
    at = begin
    while at < end:
        stop = lesser(np.int64(indptr[row + 1]), end)
        for i in range(at, stop):
            rows[i] = row
        at = stop
        row += 1


def row_starts(rows, n):
    """See `emst.backend.operations`."""
    indptr = np.empty(n + 1, np.int64)
    for_chunks(_write_starts, len(rows) + 1, grain_for(len(rows), GRAIN), rows, indptr)
    return indptr


@kernel
def _write_starts(rows, indptr, begin, end):
    """The entry after the last one lies in row n, so that the rows after the last entry begin there."""
    for i in range(begin, end):
        before = rows[i - 1] if i > 0 else -1
        row = rows[i] if i < len(rows) else len(indptr) - 1
        for r in range(before + 1, row + 1):
            indptr[r] = i
