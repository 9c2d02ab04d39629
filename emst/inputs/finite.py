"""Rows with NaN or infinite values: clusterings leave them out, and give them labels of their own. Rows of weight 0 are
left out as well.

The labels are those of scikit-learn, which takes the sum of each row: -2 if the sum is infinite, -3 if it is NaN, which
is also the sum of infinities of both signs. A sum of finite values can overflow to infinity; such a row is clustered
here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from emst.backend.records import Array


@dataclass(frozen=True, eq=False)
class FiniteRows:
    """Which of n rows are kept, and why the others are not. Arrays live where the points do."""

    n: int
    kept: Array  # int64[m], ascending: rows whose values are all finite
    infinite: Array  # int64: rows with infinite values of one sign, and no NaN
    missing: Array  # int64: rows with NaN, or with infinite values of both signs
    weightless: Array | None = None  # int64: other rows, whose weight is 0; None if there are none

    def spread(self, values: Array, infinite: float, missing: float) -> Array:
        """The values of the kept rows, T[m], at their places among all rows, T[n]; the other rows get `infinite` or
        `missing`."""
        if len(self.kept) == self.n:
            return values
        full = np.full_like(values, infinite, shape=(self.n,))
        full[self.kept] = values
        full[self.missing] = missing
        return full

    def mapped(self, move: Callable[[Array], Array]) -> FiniteRows:
        """The same with every array replaced by ``move(array)``."""
        weightless = None if self.weightless is None else move(self.weightless)
        return FiniteRows(self.n, move(self.kept), move(self.infinite), move(self.missing), weightless)

    def without(self, weightless: Array) -> FiniteRows:
        """These rows without those kept rows for which `weightless`, bool[m], is true."""
        return replace(self, kept=self.kept[~weightless], weightless=self.kept[weightless])


def all_rows(points: Array) -> FiniteRows:
    """Of points that are all finite."""
    kept = np.arange(len(points), like=points)
    return FiniteRows(len(points), kept, kept[:0], kept[:0])


def finite_rows(points: Any) -> FiniteRows:
    """Find the rows of an array of shape (n, d), or of a CSR matrix, that are not finite."""
    nan, above, below = (_rows_with(points, test) for test in (np.isnan, np.isposinf, np.isneginf))
    missing = nan | (above & below)
    infinite = (above | below) & ~missing
    return FiniteRows(points.shape[0], *(np.nonzero(rows)[0] for rows in (~(missing | infinite), infinite, missing)))


def _rows_with(points: Any, test: Any) -> Array:
    if not issparse(points):
        return test(points).any(axis=1)
    counts = np.concatenate([[0], np.cumsum(test(points.data))])
    return counts[points.indptr[1:]] > counts[points.indptr[:-1]]
