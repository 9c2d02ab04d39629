"""Scaling of the points, and the grid of the Hilbert curve, from their bounding box.

Distances are kept as powers, so in float32 the square of 1e30 would overflow and that of 1e-30 underflow to 0. All
coordinates are multiplied by one power of two, which is exact. It brings the greatest coordinate as high as a sum of d
powers allows, so that the rest of the exponent range is left to small distances: in float32, distances down to 2^-123
times the greatest coordinate have a square above 0; in float64, down to 2^-1011, and distances down to 2^-62 times the
greatest coordinate have a 32nd power above 0.
"""

from __future__ import annotations

import math

import numpy as np

from emst.backend.records import MAX_CURVE_DIMENSIONS, PointStatistics, SampledRows, Scaling

SAMPLE = SampledRows(1024, 0x9E3779B9)  # steps of the golden ratio
# Outliers are at most FEW rows at each end of a sample, farther from the other rows than FAR times their extent.
FEW, FAR = 3, 32.0
SMALLEST = 2.0**-900  # least scaled extent that is divided into cells


def scaling_of(statistics: PointStatistics, dtype: np.dtype, degree: float = 2.0, core_factor: float = 1.0) -> Scaling:
    """Scaling and grid of points computed in `dtype`; the other arguments are those of `highest_exponent`."""
    low, high, d = statistics.low, statistics.high, len(statistics.low)
    greatest = float(max(np.abs(low).max(), np.abs(high).max()))
    highest = highest_exponent(d, dtype, degree, core_factor)
    exponent = min(highest - math.frexp(greatest)[1], 1000) if greatest > 0 else 0
    scale = math.ldexp(1.0, exponent)
    low, high = low * scale, high * scale
    if len(statistics.sample):
        low, high = _without_outliers(low, high, statistics.sample * scale)
    extent = float((high - low).max())
    bits = min(32, 64 // min(d, MAX_CURVE_DIMENSIONS))
    factor = math.ldexp(1.0, bits) / extent if extent > SMALLEST else 0.0
    return Scaling(low, scale, bits, factor)


def highest_exponent(d: int, dtype: np.dtype, degree: float = 2.0, core_factor: float = 1.0) -> int:
    """The greatest e such that scaled coordinates may reach 2^e: (2 * 2^e)^degree * d stays below 2^maxexp, also if it
    is multiplied by `core_factor`. At most 1000, so that multiples of the extent are numbers under any norm."""
    factor = max(0, math.ceil(math.log2(core_factor)))
    return min(math.floor((np.finfo(dtype).maxexp - 2 - math.ceil(math.log2(d)) - factor) / degree) - 1, 1000)


def _without_outliers(low: np.ndarray, high: np.ndarray, sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bounding box without a few distant points, because of which all others could fall into a single cell.

    Points outside the box belong to its outermost cells. This makes the search for them slower; results stay the same.
    """
    ranked = np.sort(sample, axis=0)
    few = min(FEW, len(sample) // 100)
    first, last = ranked[few], ranked[-1 - few]
    middle = (last - first).max()
    if middle <= SMALLEST:  # nearly all points are equal: no box is better than another
        return low, high
    return np.maximum(low, first - FAR * middle), np.minimum(high, last + FAR * middle)
