"""Scaling of the points by a power of two.

Distances are kept as powers, so in float32 the square of 1e30 would overflow and that of 1e-30 underflow to 0. All
coordinates are multiplied by one power of two, which is exact. It brings the greatest coordinate as high as a sum of d
powers allows, so that the rest of the exponent range is left to small distances: in float32, distances down to 2^-123
times the greatest coordinate have a square above 0; in float64, down to 2^-1011, and distances down to 2^-62 times the
greatest coordinate have a 32nd power above 0.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from emst.backend.records import PointStatistics


def scale_of(statistics: PointStatistics, dtype: np.dtype, degree: float = 2.0, core_factor: float = 1.0) -> float:
    """The power of two that points are multiplied by before they are computed in `dtype`. The other arguments are those
    of `highest_exponent`."""
    low, high = statistics.box.low, statistics.box.high
    greatest = max(map(abs, (*low.tolist(), *high.tolist())))
    highest = highest_exponent(len(low), dtype, degree, core_factor)
    return math.ldexp(1.0, min(highest - math.frexp(greatest)[1], 1000) if greatest > 0 else 0)


@functools.cache
def highest_exponent(d: int, dtype: np.dtype, degree: float = 2.0, core_factor: float = 1.0) -> int:
    """The greatest e such that scaled coordinates may reach 2^e: (2 * 2^e)^degree * d stays below 2^maxexp, also if it
    is multiplied by `core_factor`. At most 950, so that the extent times 2^64 cells is a number under any norm."""
    factor = max(0, math.ceil(math.log2(core_factor)))
    return min(math.floor((np.finfo(dtype).maxexp - 2 - math.ceil(math.log2(d)) - factor) / degree) - 1, 950)
