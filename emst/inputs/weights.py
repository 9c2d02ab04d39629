"""Weights of rows: a row of weight w counts as w rows at the same place.

Weights are integers inside, numbers of *units*, so that their sums do not depend on the order of the terms. If all
weights are whole numbers the unit is 1. Otherwise it is the least power of two for which all weights together are
less than 2^52 units, and every weight is rounded to a multiple of it: to one unit at least, unless it is 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import CROWD, Array
from emst.inputs.devices import native_array, to_host
from emst.inputs.points import check_min_samples
from emst.inputs.summary import counted

MOST_BITS = 52  # of all units together: float64 holds their sums exactly
FINEST = 1000  # a unit is 2^-1000 at least


@dataclass(frozen=True, eq=False)
class Weights:
    """Checked weights of n rows, of which not all are 1. Arrays live on the backend; those of a pickle on the host."""

    units: Array  # int64[n], not negative
    bits: int  # 2^bits units are the weight 1

    def __reduce__(self) -> tuple[Any, ...]:
        return Weights, (to_host(self.units), self.bits)

    @property
    def per(self) -> int:
        """Units of the weight 1."""
        return 1 << self.bits

    @property
    def total(self) -> int:
        """Units of all rows together."""
        return int(self.units.sum())

    @property
    def whole(self) -> bool:
        """Whether all weights are whole numbers, so that there can be as many copies of the rows."""
        return self.bits == 0

    @property
    def copies(self) -> Array | None:
        """How many rows each row is among its neighbours on the curve, int32[n], as far as that matters: at most
        `CROWD` + 1. None where weights are not whole numbers: then each row is one."""
        return np.minimum(self.units, CROWD + 1).astype(np.int32) if self.whole else None

    def taken(self, rows: Array) -> Weights:
        """The weights of some of the rows."""
        return Weights(self.units[rows], self.bits)

    def real(self, units: Any) -> Any:
        """Numbers of units as weights: integers where all weights are whole numbers, otherwise float64."""
        return units if self.whole else units * 2.0**-self.bits


def check_weights(sample_weight: Any, n: int, ops: Backend, *, zeros: bool = True) -> Weights | None:
    """The weights of n rows, or None if there are none or all are 1.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), or None
        Of any library, on any device.
    n : int
        Number of rows.
    ops : Backend
        The backend that checks them, and holds them afterwards.
    zeros : bool, default True
        Whether a weight may be 0.

    Raises
    ------
    ValueError
        Another number of weights; weights that are not real numbers, are negative, infinite or NaN, are 0 everywhere
        (or, without `zeros`, anywhere), or together 2^52 or more.
    """
    if sample_weight is None:
        return None
    if np.ma.is_masked(sample_weight):
        raise ValueError("sample_weight must not be masked; set masked weights to 0, so that the rows count nothing")
    given = native_array(sample_weight)
    if not hasattr(given, "__cuda_array_interface__"):
        given = np.asarray(given)
    if given.dtype == object:
        given = _as_numbers(given)
    if given.shape != (n,):
        raise ValueError(f"sample_weight must have one weight for each of the {n} rows of X; got shape {given.shape}")
    if given.dtype.kind not in "biuf":
        raise ValueError(f"sample_weight must hold real numbers; got dtype {given.dtype}")
    weights = ops.asarray(given, np.float64)
    for bad, what in ((np.isnan(weights), "NaN"), (np.isinf(weights), "infinite"), (weights < 0, "negative")):
        if bad.any():
            first, many = int(bad.argmax()), counted(int(bad.sum()), "row")
            raise ValueError(f"sample_weight must be finite and not negative; it is {what} in {many}, first in {first}")
    if not weights.any():
        raise ValueError("sample_weight must be positive for at least one row; every weight is zero")
    if not zeros and not weights.all():
        many, first = counted(int((weights == 0).sum()), "row"), int((weights == 0).argmax())
        raise ValueError(f"sample_weight must be positive; it is 0 in {many}, first in {first}: leave those rows out")
    if bool((weights == 1).all()):
        return None
    whole = bool((weights == np.floor(weights)).all())
    if weights.sum() > 2.0**MOST_BITS or (whole and int(weights.astype(np.int64).sum()) >= 2**MOST_BITS):
        raise ValueError(f"sample_weight must sum to less than 2**{MOST_BITS}; divide all weights by one number")
    return Weights(weights.astype(np.int64), 0) if whole else _in_units(weights)


def check_weighted_samples(min_samples: Any, weights: Weights) -> int:
    """`min_samples` as an int between 1 and the sum of the weights, or ValueError."""
    check_min_samples(min_samples, max(1, weights.total >> weights.bits))
    return int(min_samples)


def require_whole_weights(weights: Weights | None, what: str) -> None:
    """Raise ValueError for what counts minimum cluster sizes, if weights are not whole numbers."""
    if weights is not None and not weights.whole:
        raise ValueError(f"{what} counts minimum cluster sizes, so sample_weight must hold whole numbers")


def _as_numbers(objects: np.ndarray) -> np.ndarray:
    """Lists that hold None or decimals, as numbers where that is possible."""
    try:
        return objects.astype(np.float64)
    except (TypeError, ValueError):
        return objects


def _in_units(weights: Array) -> Weights:
    """Weights that are not all whole numbers. How fine the units are depends on the weights, not on their order."""
    # The number of rows and the greatest weight give a first unit. The exact sum says how much finer it may be.
    bits = MOST_BITS - len(weights).bit_length() - math.frexp(float(weights.max()))[1]
    coarser = False  # whether rounding has made the sum too great
    while True:
        bits = min(max(bits, 0), FINEST)
        units = np.maximum(np.rint(weights * 2.0**bits).astype(np.int64), weights > 0)
        finer = MOST_BITS - int(units.sum()).bit_length()
        if finer == 0 or (finer > 0 and (coarser or bits == FINEST)) or (finer < 0 and bits == 0):
            return Weights(units, bits)
        coarser |= finer < 0
        bits += finer
