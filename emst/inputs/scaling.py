"""Scaling of the points by a power of two.

Distances are kept squared, so in float32 the square of 1e30 would overflow and that of 1e-30 underflow to 0. All
coordinates are multiplied by one power of two, which is exact. It brings the greatest coordinate as high as a sum of d
squares allows, so that the rest of the exponent range is left to small distances: in float32, distances down to 2^-123
times the greatest coordinate have a square above 0; in float64, down to 2^-1011.
"""

from __future__ import annotations

import math

import numpy as np

from emst.backend.records import PointStatistics


def scale_of(statistics: PointStatistics, dtype: np.dtype) -> float:
    """The power of two that points are multiplied by before they are computed in `dtype`."""
    greatest = float(max(np.abs(statistics.low).max(), np.abs(statistics.high).max()))
    exponent = highest_exponent(len(statistics.low), dtype) - math.frexp(greatest)[1] if greatest > 0 else 0
    return math.ldexp(1.0, min(exponent, 1000))


def highest_exponent(d: int, dtype: np.dtype) -> int:
    """The greatest e such that scaled coordinates may reach 2^e: (2 * 2^e)^2 * d stays below 2^maxexp."""
    return (np.finfo(dtype).maxexp - 4 - math.ceil(math.log2(d))) // 2
