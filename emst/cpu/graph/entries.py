"""What kernels on a graph have in common: its entries, weights as unsigned numbers of the same order, rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.cpu.runtime.compile import part

SPARE = 8  # entries: rows are written so many at a time


class Entries(NamedTuple):
    """A graph in compressed sparse rows, as kernels see it: one kernel serves all types of one width."""

    indptr: np.ndarray  # int32 or int64[n + 1]
    indices: np.ndarray  # int32[m]
    bits: np.ndarray  # uint32 or uint64[m]: the weights'
    kind: tuple[np.uint64, np.uint64, np.uint64]  # the sign bit, what flips a negative number, what stands for -0.0


def entries_of(indptr, indices, weights):
    """The entries of a graph."""
    width = 8 * weights.itemsize
    sign, all_ones = 1 << (width - 1), (1 << width) - 1
    kind = (sign, all_ones, 0) if weights.dtype.kind == "f" else (sign, sign, sign)
    return Entries(indptr, indices, weights.view(f"u{weights.itemsize}"), tuple(np.uint64(x) for x in kind))


@part
def key_of(entries, p):
    """An unsigned integer in the order of the weights; -0.0 is 0.0."""
    kind = entries.kind
    x = np.uint64(entries.bits[p])
    x = kind[2] if x == kind[0] else x
    return x ^ (kind[1] if x >= kind[0] else kind[0])


@part
def row_of(entries, p):
    """The row that holds an entry."""
    indptr = entries.indptr
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
    """The rows of so many entries from `p` on, the first of which is in `row`; returns the last one's.

    Most rows are short, so that their lengths cannot be predicted: each is written `SPARE` times, and the next one over
    what was too much. So `rows` has that much room behind its end.
    """
    at = 0
    while True:
        stop = min(np.int64(indptr[row + 1]) - p, count)
        for i in range(SPARE):
            rows[at + i] = row
        for i in range(at + SPARE, stop):
            rows[i] = row
        at = max(at, stop)
        if at == count:
            return row
        row += 1
