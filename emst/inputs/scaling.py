"""The box around the points: the power of two they are scaled by, and the grid that the curve is drawn on.

Distances are kept squared, so a float32 extent of 1e30 would overflow and one of 1e-30 vanish. All coordinates are
multiplied by one power of two, which is exact, so that the greatest magnitude lands as high as a sum of d squares
allows: that leaves the whole rest of the exponent range to small distances. In float32 distances down to 2^-123
times the greatest magnitude keep a nonzero square, in float64 down to 2^-1011.
"""

from __future__ import annotations

import math

import numpy as np

from emst.backend.records import MAX_CURVE_DIMENSIONS, PointStatistics, SampledRows, Scaling

SAMPLE = SampledRows(1024, 0x9E3779B9)  # steps of the golden ratio
FEW, FAR = 3, 32.0  # outliers: so few rows of a sample, and this many times the extent of the others away from them
SMALLEST = 2.0**-900  # extent (scaled) that a grid can still be drawn on


def scaling_of(statistics: PointStatistics, dtype: np.dtype) -> Scaling:
    """Scaling and grid of points computed in `dtype`."""
    low, high, d = statistics.low, statistics.high, len(statistics.low)
    greatest = float(max(np.abs(low).max(), np.abs(high).max()))
    exponent = min(highest_exponent(d, dtype) - math.frexp(greatest)[1], 1000) if greatest > 0 else 0
    scale = math.ldexp(1.0, exponent)
    low, high = low * scale, high * scale
    if len(statistics.sample):
        low, high = _without_outliers(low, high, statistics.sample * scale)
    extent = float((high - low).max())
    bits = min(32, 64 // min(d, MAX_CURVE_DIMENSIONS))
    factor = math.ldexp(1.0, bits) / extent if extent > SMALLEST else 0.0
    return Scaling(low, scale, bits, factor)


def highest_exponent(d: int, dtype: np.dtype) -> int:
    """The e of the greatest 2^e that scaled coordinates may reach: (2 * 2^e)^2 * d stays below 2^maxexp."""
    return (np.finfo(dtype).maxexp - 4 - math.ceil(math.log2(d))) // 2


def _without_outliers(low: np.ndarray, high: np.ndarray, sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The box, cut where it is far from all but a few points: one of them could leave all others in a single cell.

    What lies outside belongs to the outermost cells. That makes a search for it slower, and no result wrong.
    """
    ranked = np.sort(sample, axis=0)
    few = min(FEW, len(sample) // 100)
    first, last = ranked[few], ranked[-1 - few]
    middle = (last - first).max()
    if middle <= SMALLEST:  # nearly all points are one: any box will do
        return low, high
    return np.maximum(low, first - FAR * middle), np.minimum(high, last + FAR * middle)
