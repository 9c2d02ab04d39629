"""lambda, the density at a height of the dendrogram."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Array


def density(height: Array) -> Array:
    """lambda = 1 / height, float64; infinite where the quotient exceeds the range of float64."""
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / height.astype(np.float64)
