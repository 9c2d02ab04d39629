"""Rows that cannot be clustered: those with NaN or infinite values stand aside and come back with labels of their own.

The labels are scikit-learn's, which adds a row up: -2 if that gives an infinity, -3 if it gives NaN, as it does for
infinities of both signs. Its sums can overflow where all values are finite; such a row is clustered here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from emst.backend.records import Array


@dataclass(frozen=True, eq=False)
class FiniteRows:
    """Which of n rows were kept, and which were not and why. Arrays live where the points do."""

    n: int
    kept: Array  # int64[m], ascending
    infinite: Array  # int64
    missing: Array  # int64

    def spread(self, values: Array, infinite: float, missing: float) -> Array:
        """Values of the kept rows in their places among all rows."""
        full = np.full_like(values, infinite, shape=self.n)
        full[self.kept] = values
        full[self.missing] = missing
        return full

    def mapped(self, move: Callable[[Array], Array]) -> FiniteRows:
        """The same with its arrays elsewhere."""
        return FiniteRows(self.n, move(self.kept), move(self.infinite), move(self.missing))


def finite_rows(points: Any) -> FiniteRows:
    """Sort the rows of an array (n, d), or of a CSR matrix, by what they hold."""
    nan, above, below = (_rows_with(points, test) for test in (np.isnan, np.isposinf, np.isneginf))
    missing = nan | (above & below)
    infinite = (above | below) & ~missing
    return FiniteRows(points.shape[0], *(np.nonzero(rows)[0] for rows in (~(missing | infinite), infinite, missing)))


def _rows_with(points: Any, test: Any) -> Array:
    if not issparse(points):
        return test(points).any(axis=1)
    counts = np.concatenate([[0], np.cumsum(test(points.data))])
    return counts[points.indptr[1:]] > counts[points.indptr[:-1]]
