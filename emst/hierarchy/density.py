"""lambda, the density at a height of the dendrogram."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Array


def density(height: Array) -> Array:
    """lambda = 1 / height, float64; infinite where the quotient exceeds the range of float64."""
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        return 1 / _widened(height)


def _widened(height: Array) -> Array:
    """float64. CuPy takes subnormal float32 numbers for 0: those are computed from their bits."""
    if height.dtype == np.float64:
        return height
    bits = height.view(np.int32)
    return np.where(bits < 1 << 23, bits * 2.0**-149, height.astype(np.float64))
