"""Statistics of the points: their bounds, and rows that are not finite."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Box, PointStatistics
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for, rows_that_hold


def point_statistics(points, ordered=False):
    """See `emst.backend.operations`."""
    n, d = points.shape
    grain = grain_for(n, rows_that_hold(1 << 17, d))
    parts = -(-n // grain)
    low, high = np.empty((parts, d)), np.empty((parts, d))
    bad, first = np.zeros(parts, np.int64), np.full(parts, -1)
    for_chunks(_statistics, n, grain, points, low, high, bad, first, grain)
    if parts == 1:  # few points: each call of NumPy takes as long as a pass over them
        return PointStatistics(Box(low[0], high[0]), int(bad[0]), int(first[0]))
    wrong = np.flatnonzero(bad)
    box = Box(low.min(0), high.max(0))
    return PointStatistics(box, int(bad.sum()), int(first[wrong[0]]) if len(wrong) else -1)


@kernel
def _statistics(points, low, high, bad, first, grain, begin, end):
    part = begin // grain
    d = points.shape[1]
    nothing = 0.0
    for i in range(d):
        least, greatest = np.inf, -np.inf
        for row in range(begin, end):
            x = np.float64(points[row, i])
            nothing += x - x  # a NaN if x is one, or infinite
            least, greatest = lesser(least, x), greater(greatest, x)
        low[part, i], high[part, i] = least, greatest
    if nothing == 0:
        return
    for row in range(end - 1, begin - 1, -1):
        for i in range(d):
            x = np.float64(points[row, i])
            if x - x != 0:
                bad[part] += 1
                first[part] = row
                break
