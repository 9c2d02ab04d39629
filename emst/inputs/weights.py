"""Weights of rows: a row of weight w counts as w rows at the same place.

Weights are integers inside, numbers of *units*, so that their sums do not depend on the order of the terms. If all
weights are whole numbers the unit is 1. Otherwise it is the least power of two for which all weights together are
less than 2^52 units, and every weight is rounded to a multiple of it: to one unit at least, unless it is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import CROWD, Array
from emst.inputs.devices import gpu_of, native_array, to_host
from emst.inputs.points import check_min_samples
from emst.inputs.summary import counted

MOST_BITS = 52  # of all units together: float64 holds their sums exactly
FINEST = 1000  # a unit is 2^-1000 at least
FEW = 1000  # weights that say whether it is worth while to look whether all are 1


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
    given = given_weights(sample_weight)
    check_shape(given.shape, n)
    if gpu_of(given) is None and bool((given[:FEW] == 1).all()) and bool((given == 1).all()):
        return None  # without a copy to the backend
    weights = ops.asarray(given, np.float64)
    facts = facts_of(weights)
    check_facts(facts, zeros)
    if facts.ones == n:
        return None
    last: dict[int, Array] = {}

    def total_of(bits: int) -> int:
        last.clear()
        last[bits] = units_of(weights, bits)
        return int(last[bits].sum())

    bits = bits_of_units(facts, total_of)
    return Weights(last[bits] if bits in last else units_of(weights, bits), bits)


def given_weights(sample_weight: Any) -> Array:
    """Weights of any library as an array of real numbers, on the device where they are, or ValueError."""
    if np.ma.is_masked(sample_weight):
        raise ValueError("sample_weight must not be masked; set masked weights to 0, so that the rows count nothing")
    given = native_array(sample_weight)
    if not hasattr(given, "__cuda_array_interface__"):
        given = np.asarray(given)
    if given.dtype == object:
        given = _as_numbers(given)
    if given.dtype.kind not in "biuf":
        raise ValueError(f"sample_weight must hold real numbers; got dtype {given.dtype}")
    return given


def check_shape(shape: tuple[Any, ...], n: int) -> None:
    """Raise ValueError unless there is one weight for each of n rows."""
    if shape != (n,):
        raise ValueError(f"sample_weight must have one weight for each of the {n} rows of X; got shape {shape}")


class Facts(NamedTuple):
    """What decides whether weights are allowed, and in which units they are counted. Facts of pieces make those of the
    whole: see `joined_facts`."""

    rows: int
    bad: tuple[Rows, ...]  # NaN, infinite, negative
    zeros: Rows
    ones: int  # rows of weight 1
    whole: bool  # whether all are whole numbers
    greatest: float
    total: float  # rounded: only whether it is far too great depends on it


class Rows(NamedTuple):
    """Some rows of a piece."""

    many: int
    first: int  # 0 if there are none


def facts_of(weights: Array) -> Facts:
    """The facts of weights float64[m]; m may be 0."""
    none = Rows(0, 0)
    if len(weights) == 0:
        return Facts(0, (none, none, none), none, 0, True, 0.0, 0.0)
    whole = weights == np.floor(weights)
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = (weights.min(), weights.max(), weights.sum(), (weights == 1).sum(), whole.all())
        least, greatest, total, ones, all_whole = to_host(
            np.stack([one.astype(np.float64) for one in numbers])
        ).tolist()
    bad: tuple[Rows, ...] = (none, none, none)
    zeros = none
    if not (least > 0 and greatest < math.inf):
        bad = tuple(_rows(wrong) for wrong in (np.isnan(weights), np.isinf(weights), weights < 0))
        zeros = _rows(weights == 0)
    return Facts(len(weights), bad, zeros, int(ones), bool(all_whole), greatest, total)


def joined_facts(facts: Sequence[Facts]) -> Facts:
    """The facts of all weights, from those of pieces of them that follow one another."""
    begins = np.cumsum([0, *(one.rows for one in facts)]).tolist()

    def together(pieces: Iterable[Rows]) -> Rows:
        some = [(begin, rows) for begin, rows in zip(begins, pieces) if rows.many]
        return Rows(sum(rows.many for _, rows in some), some[0][0] + some[0][1].first if some else 0)

    return Facts(
        begins[-1],
        tuple(map(together, zip(*(one.bad for one in facts)))),
        together(one.zeros for one in facts),
        sum(one.ones for one in facts),
        all(one.whole for one in facts),
        max(one.greatest for one in facts),
        sum(one.total for one in facts),
    )


def check_facts(facts: Facts, zeros: bool) -> None:
    """Raise ValueError for weights that are not allowed, as `check_weights` says, but for their sum."""
    for bad, what in zip(facts.bad, ("NaN", "infinite", "negative")):
        if bad.many:
            many = counted(bad.many, "row")
            raise ValueError(
                f"sample_weight must be finite and not negative; it is {what} in {many}, first in {bad.first}"
            )
    if facts.zeros.many == facts.rows:
        raise ValueError("sample_weight must be positive for at least one row; every weight is zero")
    if not zeros and facts.zeros.many:
        many, first = counted(facts.zeros.many, "row"), facts.zeros.first
        raise ValueError(f"sample_weight must be positive; it is 0 in {many}, first in {first}: leave those rows out")


def units_of(weights: Array, bits: int) -> Array:
    """Numbers of units, int64[m], if 2^bits units are the weight 1."""
    return np.maximum(np.rint(weights * 2.0**bits).astype(np.int64), weights > 0)


def bits_of_units(facts: Facts, total_of: Callable[[int], int]) -> int:
    """How fine the units of weights are: 2^bits are the weight 1. ``total_of(bits)`` returns how many units they are.

    It depends on the weights, not on their order. Raises ValueError for weights that sum to 2^52 or more."""
    most = 2**MOST_BITS
    if facts.greatest >= most or facts.total > 2 * most or (facts.total > most / 2 and total_of(0) >= most):
        raise ValueError(f"sample_weight must sum to less than 2**{MOST_BITS}; divide all weights by one number")
    if facts.whole:
        return 0
    # The number of rows and the greatest weight give a first unit. The exact sum says how much finer it may be.
    bits = MOST_BITS - facts.rows.bit_length() - math.frexp(facts.greatest)[1]
    coarser = False  # whether rounding has made the sum too great
    while True:
        bits = min(max(bits, 0), FINEST)
        finer = MOST_BITS - total_of(bits).bit_length()
        if finer == 0 or (finer > 0 and (coarser or bits == FINEST)):
            return bits
        coarser |= finer < 0
        bits += finer


def check_weighted_samples(min_samples: Any, total: int, bits: int) -> int:
    """`min_samples` as an int between 1 and the sum of the weights, or ValueError. They sum to `total` units, and
    2^bits units are the weight 1."""
    most = f"the sum of sample_weight ({total * 2.0**-bits:g})"
    return check_min_samples(min_samples, max(1, total >> bits), most)


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


def _rows(chosen: Array) -> Rows:
    """The rows for which `chosen`, bool[m], is true."""
    many = int(chosen.sum())
    return Rows(many, int(chosen.argmax()) if many else 0)
