"""Sums whose last bit does not depend on chance: of runs of terms in one order, and of children in any order."""

from __future__ import annotations

import math

import numpy as np

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import bits_of, greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

LANES = 32  # partial sums of a piece
PIECE = 1024  # terms that are summed in one go
SPARE = 44  # bits below the last one of the greatest number in `sum_of`


def sums_of_runs(terms, starts):
    """Sums of the runs ``starts[c]:starts[c + 1]``, in an order that both backends keep.

    Runs are cut into pieces of PIECE terms; the sums of a run's pieces take its place, until one is left. Lane l of
    LANES adds the terms l, l + LANES, ... of a piece to 0; then lanes l and l + 16 are added, l and l + 8, and so on.
    """
    count = len(starts) - 1
    while True:
        pieces = -((starts[:-1] - starts[1:]) // PIECE)
        ends = np.zeros(count + 1, np.int64)
        np.cumsum(pieces, out=ends[1:])
        total = int(ends[-1])
        run = np.repeat(np.arange(count, dtype=np.int32), pieces)
        sums = np.empty(total)
        for_chunks(_sum_pieces, total, grain_for(total, 256), terms, starts, run, ends, sums, scratch=_lanes)
        if total == count:
            return sums
        terms, starts = sums, ends


def _lanes():
    return empty(LANES, np.float64)


@kernel
def _sum_pieces(lanes, terms, starts, run, ends, sums, begin, end):
    for i in range(begin, end):
        c = run[i]
        first = starts[c] + (i - ends[c]) * PIECE
        sums[i] = _sum_piece(lanes, terms[first : lesser(first + PIECE, starts[c + 1])])


@part
def sum_of_run(lanes, terms, first, end, sums):
    """The sum of one run, as `sums_of_runs` finds it. `sums` is scratch of as many numbers as it has pieces, which are
    at most PIECE."""
    pieces = 0
    for at in range(first, end, PIECE):
        sums[pieces] = _sum_piece(lanes, terms[at : lesser(at + PIECE, end)])
        pieces += 1
    return sums[0] if pieces == 1 else _sum_piece(lanes, sums[:pieces])


@part
def _sum_piece(lanes, terms):
    for lane in range(LANES):
        lanes[lane] = 0.0
    whole = len(terms) // LANES * LANES
    for i in range(0, whole, LANES):
        for lane in range(LANES):
            lanes[lane] += terms[i + lane]
    for i in range(whole, len(terms)):
        lanes[i - whole] += terms[i]
    half = LANES // 2
    while half:
        for lane in range(half):
            lanes[lane] += lanes[lane + half]
        half //= 2
    return lanes[0]


@part
def sum_of(values, first, end):
    """Sum of ``values[first:end]``, which are not negative, rounded once, so their order has no effect.

    They are added as integers of 128 bits, whose unit is 2^-SPARE of the last bit of the greatest. If a
    smaller number has bits below the unit, they are dropped and its last bit is set: the sum is not taken for exact.
    """
    if end - first == 2:
        return values[first] + values[first + 1]
    most = 0.0
    for i in range(first, end):
        most = greater(most, values[i])
    if most == 0.0 or most == np.inf:
        return most
    top = _exponent(most)
    low, high = np.uint64(0), np.uint64(0)
    for i in range(first, end):
        term_low, term_high = _shifted(values[i], top)
        low += term_low
        high += term_high + np.uint64(low < term_low)
    return _rounded(low, high, top - 1075 - SPARE)


@part
def _exponent(value):
    """Exponent of the unit in the last place, plus 1075; subnormal numbers have that of the least normal ones."""
    return greater(np.int64(bits_of(value) >> np.uint64(52)), np.int64(1))


@part
def _shifted(value, top):
    """Lower and upper half of a number in units of 2^(top - 1075 - SPARE)."""
    exponent = np.int64(bits_of(value) >> np.uint64(52))
    mantissa = bits_of(value) & np.uint64((1 << 52) - 1)
    if exponent > 0:
        mantissa |= np.uint64(1 << 52)
    up = SPARE - (top - greater(exponent, np.int64(1)))
    if up > 0:
        return mantissa << np.uint64(up), mantissa >> np.uint64(64 - up)
    down = np.uint64(lesser(-up, np.int64(63)))
    kept = mantissa >> down
    return kept | np.uint64(kept << down != mantissa), np.uint64(0)


@part
def _rounded(low, high, unit):
    """(low + high * 2^64) * 2^unit, to the nearest float64, ties to even."""
    shift = 0
    while high != 0:  # the last bit says whether there were further ones
        low = low >> np.uint64(1) | low & np.uint64(1) | high << np.uint64(63)
        high >>= np.uint64(1)
        shift += 1
    return math.ldexp(np.float64(low), unit + shift)
