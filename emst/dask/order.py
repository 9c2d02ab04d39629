"""Edges in the total order, and least values of groups, as array code for both backends.

Numbers that are not negative compare like their bits; the GPU's float comparisons would take subnormal ones for 0.
"""

from __future__ import annotations

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array

NO_KEY = np.iinfo(np.uint64).max


def bits_of(numbers: Array) -> Array:
    """Bits of numbers that are not negative, uint64[m], in the order of the numbers."""
    if numbers.dtype == np.float32:
        return numbers.view(np.uint32).astype(np.uint64)
    return numbers.view(np.uint64)


def numbers_of(bits: Array, dtype: np.dtype) -> Array:
    """The inverse of `bits_of`."""
    return bits.astype(np.uint32).view(np.float32) if dtype == np.float32 else bits.view(np.float64)


def greater(a: Array, b: Array) -> Array:
    """The greater of numbers that are not negative, compared by their bits."""
    kind = f"i{a.dtype.itemsize}"
    return np.maximum(a.view(kind), b.view(kind)).view(a.dtype)


def lesser(a: Array, b: Array) -> Array:
    """The lesser of numbers that are not negative, compared by their bits."""
    kind = f"i{a.dtype.itemsize}"
    return np.minimum(a.view(kind), b.view(kind)).view(a.dtype)


def group_least(ops: Backend, keys: Array, groups: Array, count: int) -> Array:
    """The least key, uint64, of each of `count` groups; all ones for groups without a key."""
    least = ops.xp.full(count, NO_KEY, np.uint64)
    ops.xp.minimum.at(least, groups, keys)
    return least


def total_order(ops: Backend, weight: Array, power: Array | None, u: Array, v: Array) -> Array:
    """Places of edges in the total order by (weight, power of the distance, smaller end, larger end): int32[m]. `power`
    is None where weights are the distances."""
    order = ops.sort_order(v.astype(np.uint64))
    keys = [u.astype(np.uint64), bits_of(weight)] if power is None else [u.astype(np.uint64), bits_of(power), bits_of(weight)]
    for key in keys:
        order = order[ops.sort_order(key[order])]
    return order
