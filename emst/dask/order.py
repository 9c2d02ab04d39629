"""Edges in the total order, as array code for both backends.

Numbers that are not negative compare like their bits; the GPU's float comparisons would take subnormal ones for 0.
"""

from __future__ import annotations

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array


def bits_of(numbers: Array) -> Array:
    """Bits of numbers that are not negative, uint64[m], in the order of the numbers."""
    if numbers.dtype == np.float32:
        return numbers.view(np.uint32).astype(np.uint64)
    return numbers.view(np.uint64)


def as_bits(numbers: Array) -> Array:
    """Numbers that are not negative as unsigned integers of the same size and order, in the same memory."""
    return numbers.view(f"u{numbers.dtype.itemsize}")


def greater(a: Array, b: Array) -> Array:
    """The greater of numbers that are not negative, compared by their bits."""
    return np.maximum(as_bits(a), as_bits(b)).view(a.dtype)


def lesser(a: Array, b: Array) -> Array:
    """The lesser of numbers that are not negative, compared by their bits."""
    return np.minimum(as_bits(a), as_bits(b)).view(a.dtype)


def least_of(known: Array, found: Array) -> Array:
    """The least numbers of both in every row, T[m, count], ascending; `known` is T[m, count]. None is negative."""
    return np.sort(as_bits(np.concatenate([known, found], axis=1)), axis=1).view(known.dtype)[:, : known.shape[1]]


def total_order(ops: Backend, weight: Array, power: Array, u: Array, v: Array) -> Array:
    """Places of edges in the total order by (weight, power of the distance, smaller end, larger end): int32[m]."""
    order = ops.sort_order(v.astype(np.uint64))
    for key in (u.astype(np.uint64), bits_of(power), bits_of(weight)):
        order = order[ops.sort_order(key[order])]
    return order
