"""Distances summed dimension by dimension, in the order of the coordinates; no operations are fused.

The sums are of squares or powers; roots are taken of the results only. Whole and half powers are multiplications and a
square root, which round alike on all machines; `pow` does not. Points are stored by dimension, [d][n], so that the
distances from one point to many are computed in vectors.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.compile import part

MATRIX, MANHATTAN, CHEBYSHEV, EUCLIDEAN, POWERS, ANY_POWER = range(6)
KINDS = {  # numbers of the metrics of `emst.backend.operations` in kernels
    "precomputed": MATRIX,
    "manhattan": MANHATTAN,
    "chebyshev": CHEBYSHEV,
    "euclidean": EUCLIDEAN,
    "powers": POWERS,
    "any power": ANY_POWER,
}


@part
def distances(scratch, data, kind, p, u, first, count, reach):
    """Compute `count` distances from point u, to the points from `first` on. Returns where they begin in the first of
    the scratch arrays. Distances above `reach` may be infinite instead."""
    if kind == MATRIX:
        return u * len(data) + first
    out, base, power = scratch
    if kind == ANY_POWER:
        _any_powers(out, base, data, p, u, first, count, reach)
        return 0
    for j in range(count):
        out[j] = 0
    for i in range(len(data)):
        x = data[i, u]
        column = data[i][first : first + count]
        if kind == MANHATTAN:
            for j in range(count):
                out[j] += abs(x - column[j])
        elif kind == CHEBYSHEV:
            for j in range(count):
                t = abs(x - column[j])
                out[j] = t if t > out[j] else out[j]
        elif kind == EUCLIDEAN:
            for j in range(count):
                t = x - column[j]
                out[j] += t * t
        else:
            _add_powers(out, base, power, p, x, column)
    return 0


@part
def _add_powers(out, base, power, p, x, column):
    """One dimension of a Minkowski metric."""
    for j in range(len(column)):
        base[j] = abs(x - column[j])
    for j in range(len(column)):
        power[j] = 1
    for _ in range(int(p)):
        for j in range(len(column)):
            power[j] *= base[j]
    if p != int(p):
        for j in range(len(column)):
            power[j] *= np.sqrt(base[j])
    for j in range(len(column)):
        out[j] += power[j]


@part
def _any_powers(out, greatest, data, p, u, first, count, reach):
    """Sums of powers that are slow to compute: only where the greatest power is within reach, with a margin for
    rounding."""
    limit = max(reach, np.finfo(out.dtype).tiny) ** (1 / p) * (1 + 1e-6)
    for j in range(count):
        greatest[j] = 0
    for i in range(len(data)):
        x = data[i, u]
        column = data[i][first : first + count]
        for j in range(count):
            t = abs(x - column[j])
            greatest[j] = t if t > greatest[j] else greatest[j]
    for j in range(count):
        out[j] = np.inf
        if greatest[j] <= limit:
            out[j] = 0
            for i in range(len(data)):
                out[j] += abs(data[i, u] - data[i, first + j]) ** p
