"""What kernels on a graph have in common: weights as unsigned numbers of the same order, and the row of an entry."""

from __future__ import annotations

import numpy as np

from emst.cpu.kernels import part

BLOCK = 512  # entries looked at together


def as_bits(weights):
    """The weights' bits, and what `ordered` has to know of their type: one kernel serves two types of one width.

    That is: the sign bit, what flips the bits of a negative number, and what stands for -0.0.
    """
    width = 8 * weights.itemsize
    sign, all_ones = 1 << (width - 1), (1 << width) - 1
    kind = (sign, all_ones, 0) if weights.dtype.kind == "f" else (sign, sign, sign)
    return weights.view(f"u{weights.itemsize}"), tuple(np.uint64(x) for x in kind)


@part
def ordered(bits, kind):
    """Unsigned integers in the order of the weights; -0.0 is 0.0."""
    x = np.uint64(bits)
    x = kind[2] if x == kind[0] else x
    return x ^ (kind[1] if x >= kind[0] else kind[0])


@part
def row_of(indptr, position):
    """The row that holds the entry."""
    low, high = 0, len(indptr) - 2
    while low < high:
        middle = (low + high) >> 1
        if indptr[middle + 1] <= position:
            low = middle + 1
        else:
            high = middle
    return low


@part
def write_rows(indptr, row, position, count, rows):
    """The rows of so many entries from `position` on, the first of which is in `row`; returns the last one's."""
    at = 0
    while True:
        stop = min(np.int64(indptr[row + 1]) - position, count)
        for i in range(at, stop):
            rows[i] = row
        at = max(at, stop)
        if at == count:
            return row
        row += 1
