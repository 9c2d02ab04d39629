"""Statistics of the points on the GPU. Kernel: statistics.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import CROWD, Box, PointStatistics
from emst.cuda.points.corners import corners_of
from emst.cuda.points.order import Begun, at_once, begin_order
from emst.cuda.runtime.to_host import Written


def point_statistics(points: cupy.ndarray, ordered: bool = False) -> PointStatistics:
    """See `emst.backend.operations`. The box keeps the corners for `curve_order`, and the order, which the GPU begins
    with before the host knows the statistics.

    The codes of float32 points are computed in float64, where any scale gives the same."""
    n, d = points.shape
    told = Written(2 * d + 1, np.float64)
    corners = corners_of(points, told)
    told.launched()
    begins = ordered and points.dtype == np.float32 and n > CROWD and at_once(n, d)
    finish = begin_order(points, 1.0, corners) if begins else None
    *values, bad = told.arrived()
    if bad:
        rows = cupy.flatnonzero(~cupy.isfinite(points).all(axis=1))
        return PointStatistics(Box(np.zeros(d), np.zeros(d)), len(rows), int(rows[0]))
    low, high = np.array(values).reshape(2, d)
    begun = None if finish is None else Begun(points, finish)
    return PointStatistics(Box(low, high, corners, begun), 0, -1)
