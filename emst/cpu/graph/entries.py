"""What kernels on graphs share: entries, weights as unsigned integers in the same order, and the rows of entries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.runtime.compile import part
from emst.cpu.runtime.numbers import greater, lesser

SPARE = 8  # rows are written for this many entries at a time


class Entries(NamedTuple):
    """A graph in compressed sparse rows as kernels see it: one kernel serves all weights of the same width."""

    indptr: np.ndarray  # int32 or int64[n + 1]
    indices: np.ndarray  # int32[m]
    bits: np.ndarray  # uint32 or uint64[m]: the bits of the weights
    kind: tuple[np.uint64, np.uint64, np.uint64]  # sign bit, bits to flip in negative weights, -0.0


def entries_of(indptr, indices, weights):
    """The entries of a graph, for kernels."""
    width = 8 * weights.itemsize
    sign, all_ones = 1 << (width - 1), (1 << width) - 1
    kind = (sign, all_ones, 0) if weights.dtype.kind == "f" else (sign, sign, sign)
    return Entries(indptr, indices, weights.view(f"u{weights.itemsize}"), tuple(np.uint64(x) for x in kind))


@part
def key_of(entries, p):
    """The weight of entry `p` as an unsigned integer in the order of the weights; -0.0 equals 0.0."""
    kind = entries.kind
    x = np.uint64(entries.bits[p])
    x = kind[2] if x == kind[0] else x
    return x ^ (kind[1] if x >= kind[0] else kind[0])


@part
def row_of(indptr, p):
    """The row that holds entry `p`."""
    low, high = 0, len(indptr) - 2
    while low < high:
        middle = (low + high) >> 1
        if indptr[middle + 1] <= p:
            low = middle + 1
        else:
            high = middle
    return low


@part
def write_rows(indptr, row, p, count, rows):
    """Write the rows of `count` entries from `p` on, the first of which lies in `row`; returns the row of the last one.

    Most rows are short, and the branch predictor cannot guess their lengths. So every row is written `SPARE` times, and
    the next row overwrites the excess: `rows` must hold `count + SPARE` elements.
    """
    at = 0
    while True:
        stop = lesser(np.int64(indptr[row + 1]) - p, count)
        for i in range(SPARE):
            rows[at + i] = row
        for i in range(at + SPARE, stop):
            rows[i] = row
        at = greater(at, stop)
        if at == count:
            return row
        row += 1
