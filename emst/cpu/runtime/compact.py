"""Positions of the flags that are set, by all threads."""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for

FEW = 1 << 16  # flags among which NumPy finds those that are set before other threads have begun


def positions(flags):
    """Where the flags, bool[n], are set: int32[count], ascending."""
    n = len(flags)
    if n <= FEW:
        return np.flatnonzero(flags).astype(np.int32)
    grain = grain_for(n, FEW)
    counts = np.empty(-(-n // grain), np.int64)
    for_chunks(count_flags, n, grain, flags, counts, grain)
    stops = np.cumsum(counts)
    places = empty(stops[-1], np.int32)
    for_chunks(list_flags, n, grain, flags, stops - counts, places, grain)
    return places


@kernel
def count_flags(flags, counts, grain, begin, end):
    count = 0
    for i in range(begin, end):
        count += flags[i]
    counts[begin // grain] = count


@kernel
def list_flags(flags, starts, places, grain, begin, end):
    at = starts[begin // grain]
    for i in range(begin, end):
        if flags[i]:
            places[at] = i
            at += 1
