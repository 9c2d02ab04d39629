"""The order in which Kruskal's algorithm takes edges: by weight, and among equal weights as the graph has them.

Weights are whatever Python can compare: integers of any size, fractions, decimals, or several kinds together. None is
rounded to be compared.
"""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np


def as_array(weights: list[Any]) -> np.ndarray:
    """Weights as an array that has exactly their values; of Python's objects if no numbers of 64 bits have them."""
    kinds = set(map(type, weights))
    if kinds <= {float}:
        return np.array(weights, np.float64)
    if kinds <= {int, bool}:
        try:
            return np.array(weights, np.int64)
        except OverflowError:
            return np.fromiter(weights, object, len(weights))
    if len(kinds) == 1 and issubclass(kinds.pop(), np.generic):
        values = np.array(weights)
        if values.dtype.kind in "biuf":
            return values
    return np.fromiter(weights, object, len(weights))


def which_are_nan(values: np.ndarray) -> np.ndarray:
    """Whether each weight is NaN, bool[m].

    Raises
    ------
    TypeError
        A weight that is not a real number.
    OverflowError
        An integer beyond the range of floats, as in NetworkX.
    """
    if values.dtype.kind == "O":
        return np.fromiter(map(isnan, values), bool, len(values))
    return np.isnan(values)


def order_of(values: np.ndarray, ascending: bool) -> np.ndarray:
    """Positions of weights in their order, int64; equal weights keep theirs, whether they ascend or descend."""
    if values.dtype.kind == "O":
        stored = values.tolist()
        return np.array(sorted(range(len(stored)), key=stored.__getitem__, reverse=not ascending), np.int64)
    if not ascending:  # neither overflows; an ascending order that is read backwards would reverse ties as well
        values = -values if values.dtype.kind == "f" else ~values
    return values.argsort(kind="stable")
