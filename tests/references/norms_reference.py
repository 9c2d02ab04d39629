"""Reference for the powers of distances that the norms define, in numpy. See `reference.py`.

Every operation is one IEEE operation of numpy, so the backends must give the same bits.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from emst.backend.records import EUCLIDEAN, EXP2_SERIES, LOG2_SERIES, Norm

BITS_OF_SQRT_HALF = np.float64(math.sqrt(0.5)).view(np.int64)
ROUNDER = 1.5 * 2.0**52  # (x + ROUNDER) - ROUNDER is x rounded to an integer
BY_NAME = {
    "euclidean": EUCLIDEAN,
    "manhattan": Norm("manhattan", 1.0),
    "chebyshev": Norm("chebyshev", 1.0),
    "powers 1.5": Norm("powers", 1.5),
    "powers 3": Norm("powers", 3.0),
    "powers 32": Norm("powers", 32.0),
    "any power 2.7": Norm("any power", 2.7),
}
NAMES_AND_DTYPES = [(name, np.float64) for name in BY_NAME]  # powers are computed in float64 only
NAMES_AND_DTYPES += [(name, np.float32) for name in BY_NAME if "power" not in name]


def in_box(norm, x):
    """The norm in a periodic box as large as the points x; the last of three columns or more is open."""
    extent = [float(high - low) or 1.0 for low, high in zip(x.min(axis=0), x.max(axis=0))]
    return norm._replace(period=tuple(extent[:-1] + [math.inf] if len(extent) > 2 else extent))


def wrapped(t, norm, i):
    """The absolute difference of coordinate i, in the box if there is one."""
    return t if norm.period is None else np.minimum(t, t.dtype.type(norm.period[i]) - t)


def wrapped_points(x, period):
    """The points in the box, by rational arithmetic that is rounded once; 0 stands for an open column."""
    columns = []
    for column, length in zip(x.T, period):
        length = x.dtype.type(length)
        inside = [float(Fraction(float(value)) % Fraction(float(length))) if length else value for value in column]
        inside = np.array(inside).astype(x.dtype)
        columns.append(np.where(inside == length, 0, inside) if length else inside)
    return np.stack(columns, axis=1).astype(x.dtype)


def power(x, p):
    """x^p for float64 x >= 0 by two series, as `emst.backend.records` describes."""
    bits = np.ascontiguousarray(x, np.float64).view(np.int64)
    e = (bits - BITS_OF_SQRT_HALF) >> 52
    m = (bits - (e << 52)).view(np.float64)
    f = (m - 1) / (m + 1)
    log2 = _series(LOG2_SERIES, f * f) * f
    high = (np.float64(p).view(np.int64) & ~np.int64(2**13 - 1)).view(np.float64)
    low = np.float64(p) - high
    y = high * e
    whole = (y + ROUNDER) - ROUNDER
    r = ((y - whole) + low * e) + p * log2
    more = (r + ROUNDER) - ROUNDER
    r = r - more
    n = (whole + more).astype(np.int64)
    result = _series(EXP2_SERIES, r) * ((np.clip(n, -1000, 1023) + 1023) << 52).view(np.float64)
    return np.where((np.asarray(x) < 2.0**-1000) | (n < -1000), 0.0, result)


def _series(coefficients, x):
    total = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * x + coefficient
    return total


def coordinate_power(t, norm):
    """Absolute differences to the degree of the norm."""
    if norm.degree == 1:
        return t
    if norm.kind == "euclidean":
        return t * t
    if norm.kind == "any power":
        return power(t, norm.degree)
    result = np.ones_like(t)
    for _ in range(int(norm.degree)):
        result = result * t
    return result if norm.degree == int(norm.degree) else result * np.sqrt(t)


def power_between(x, y, norm):
    """The rounding that all backends share: subtract, raise and add, dimension by dimension, each rounded to T."""
    return _power([wrapped(abs(x[..., i] - y[..., i]), norm, i) for i in range(x.shape[-1])], norm)


def _power(differences, norm):
    """Of the absolute differences of all coordinates."""
    total = coordinate_power(differences[0], norm)
    for t in differences[1:]:
        total = np.maximum(total, t) if norm.kind == "chebyshev" else total + coordinate_power(t, norm)
    return total


def power_of_box(low, high, a, b, norm):
    """Between the boxes [low, high] and [a, b]; lowered where rounding is not monotone, unless both are points."""
    gaps = []
    for i in range(low.shape[-1]):
        gap = np.maximum(np.maximum(low[..., i] - b[..., i], a[..., i] - high[..., i]), 0)
        if norm.period is not None:  # the farthest two points may be nearest around the box
            farthest = np.maximum(b[..., i] - low[..., i], high[..., i] - a[..., i])
            gap = np.minimum(gap, low.dtype.type(norm.period[i]) - farthest)
        gaps.append(gap)
    power = _power(gaps, norm)
    if norm.kind != "any power":
        return power
    points = ((low == high) & (a == b)).all(axis=-1)
    return np.where(points, power, power * (1 - 2.0**-40))


def rooted(powers, norm, scale):
    """Distances of powers of scaled distances. Undoing the scaling by a power of two is exact."""
    roots = np.sqrt(powers) if norm.degree == 2 else powers if norm.degree == 1 else _general_roots(powers, norm.degree)
    return (roots.astype(np.float64) / scale).astype(powers.dtype)


def _general_roots(powers, degree):
    """One step of Newton's method from the root that numpy takes."""
    roots = powers ** (1 / degree)
    return roots - roots * ((roots**degree - powers) / np.where(powers > 0, powers, 1)) / degree


def distances_in(x, norm):
    """All distances of points in the norm, from unscaled powers: T[n, n]."""
    return rooted(power_between(x[:, None], x[None], norm), norm, 1.0)
