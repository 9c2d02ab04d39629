"""Weights and pairs of vertices as sortable integers.

Only functions that numpy and CuPy have in common, and no arithmetic on floats.
"""

from __future__ import annotations

import numpy as np

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


def key_above(height: float, dtype: np.dtype) -> np.uint64:
    """Numbers of this dtype are less than `height`, a float64, if their keys by `ordered` are less than this one."""
    with np.errstate(over="ignore"):
        least = np.array([height], dtype)
    if float(least[0]) < height:
        least = np.nextafter(least, dtype.type(np.inf))
    return np.uint64(ordered(least)[0])


def pair_codes(small: Array, large: Array, n: int) -> Array:
    """Codes in the order of (smaller end, larger end): uint64, less than 2**62."""
    return small.astype(np.uint64) * np.uint64(n) + large.astype(np.uint64)
