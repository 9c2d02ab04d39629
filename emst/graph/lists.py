"""Python lists as arrays that hold every value as it is given.

`numpy.asarray` makes text of numbers beside text, rows of tuples, and float64 of integers beside floats or of more than
63 bits. Two names would become one, and a weight another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from numbers import Integral, Number, Real
from typing import Any

import numpy as np

EXACT = 2**53  # below it every integer is a float64


def names_or_numbers(values: Sequence[Any]) -> np.ndarray:
    """Ends of edges: numbers as an array of numbers, names as objects, which stay what they are."""
    kinds = set(map(type, values))
    if all(issubclass(kind, (Number, np.bool_)) for kind in kinds):
        return numbers(values)[0]
    if all(kind.__hash__ is None or _is_array(kind) for kind in kinds):  # the list is no column, but has rows
        return np.asarray(values)
    return np.fromiter(values, object, len(values))


def numbers(values: Sequence[Any]) -> tuple[np.ndarray, int | None]:
    """The values as an array, and the position of the first value that the array cannot hold exactly. The position is
    None if the array holds all values exactly."""
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        wrong = (i for i, value in enumerate(values) if np.asarray(value).dtype.kind not in "biuf")
        return array, next(wrong, 0)
    kinds = set(map(type, values)) if array.dtype == np.float64 else set()
    if not any(issubclass(kind, Integral) for kind in kinds):
        return array, None
    if all(issubclass(kind, Integral) for kind in kinds) and min(values) >= 0:
        return np.array(values, np.uint64), None  # greater ones are objects
    large = np.flatnonzero(abs(array) >= EXACT).tolist()
    rounded = (i for i in large if isinstance(values[i], Integral) and array[i].item() != int(values[i]))
    return array, next(rounded, None)


def weights_of(values: Sequence[Any], where: Callable[[int], str]) -> np.ndarray:
    """Weights as an array that holds each exactly, or ValueError; `where` says in words where a position is."""
    array, wrong = numbers(values)
    if wrong is None or array.ndim != 1:
        return array
    raise no_weight(where(wrong), values[wrong])


def no_weight(where: str, value: Any) -> ValueError:
    """The error for a weight that no array of weights holds together with the others."""
    sentence = f"weights must be real numbers of at most 64 bits; {where} has {value!r}"
    if isinstance(value, (Real, Decimal)):
        sentence += (
            ", and no such type holds all weights exactly: pass float(w) for each weight w if rounding does no harm"
        )
    return ValueError(sentence)


def _is_array(kind: type) -> bool:
    return hasattr(kind, "__array__") and not issubclass(kind, np.generic)
