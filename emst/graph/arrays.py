"""Array code that all graph algorithms share: weights and pairs as sortable integers, runs of equal values, rows.

It uses only functions that numpy and CuPy have in common, and does no arithmetic on floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array


def ordered(weights: Array) -> Array:
    """Weights as uint64 in the same order, less than 2^32 for weights of 32 bits; -0.0 equals 0.0."""
    bits = 8 * weights.dtype.itemsize
    signed, unsigned = np.dtype(f"i{bits // 8}"), np.dtype(f"u{bits // 8}")
    top = unsigned.type(1 << (bits - 1))
    if weights.dtype.kind == "i":
        return (weights.view(unsigned) ^ top).astype(np.uint64, copy=False)
    raw = weights.view(signed)  # integers, because CuPy's kernels flush subnormal floats to zero
    raw = raw * (raw != np.iinfo(signed).min)  # the bits of -0.0
    below_zero = raw >> signed.type(bits - 1)  # all bits set if negative, else none
    return (raw.view(unsigned) ^ (below_zero.view(unsigned) | top)).astype(np.uint64, copy=False)


def pair_codes(small: Array, large: Array, n: int) -> Array:
    """Codes in the order of (smaller end, larger end): uint64, less than 2**62."""
    return small.astype(np.uint64) * np.uint64(n) + large.astype(np.uint64)


def sorted_by(codes: Array, ops: Backend) -> Array:
    """The stable order of codes, uint64[k]: int32[k], or int64[k] for 2**31 codes or more."""
    if 0 < len(codes) < 2**31:
        return ops.sort_order(codes)
    return ops.xp.argsort(codes, kind="stable")


def run_numbers(values: Array, xp: Any) -> Array:
    """For every value, the number of the run of equal values that it belongs to: int32[k]."""
    if len(values) == 0:
        return xp.empty(0, np.int32)
    begins = xp.zeros(len(values), np.bool_)
    begins[1:] = values[1:] != values[:-1]
    return xp.cumsum(begins, dtype=np.int32)


def counts_of(ids: Array, count: int, xp: Any) -> Array:
    """How often every id occurs: int32[count]. (CuPy's `bincount` may allocate `count` counters for every block.)"""
    counts = xp.zeros(count, np.int32)
    xp.add.at(counts, ids, np.int32(1))
    return counts


def rows_of(indptr: Array, m: int, xp: Any) -> Array:
    """Row of every entry, int32[m]: the number of rows after the first that begin at or before it."""
    return xp.cumsum(counts_of(indptr[1:], m + 1, xp), dtype=np.int32)[:m]


def starts(rows: Array, n: int, xp: Any) -> Array:
    """`indptr`, int64[n + 1], from ascending rows of entries."""
    return xp.searchsorted(rows, xp.arange(n + 1, dtype=np.int64).astype(np.int32)).astype(np.int64, copy=False)
