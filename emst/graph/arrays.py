"""Array code that several graph algorithms share, written for numpy and CuPy alike: orders, runs of equal values."""

from __future__ import annotations

from typing import Any

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array


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
