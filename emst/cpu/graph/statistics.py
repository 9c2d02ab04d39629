"""Statistics of a graph in compressed sparse rows whose values are not checked yet.

Entries are processed in blocks: first their rows are written, then all statistics are computed in a loop without
branches, which the compiler vectorises. The hash of the fingerprint is the last step of SplitMix64.

References
----------
G. L. Steele Jr., D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.backend.records import GraphStatistics
from emst.cpu.graph.entries import SPARE, Entries, entries_of, key_of, row_of, write_rows
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

BLOCK = 512  # entries
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
OTHER = np.uint64(0x9E3779B97F4A7C15)  # factor of the weight in the second hash


class Partial(NamedTuple):
    """Statistics of the chunks, one row per chunk."""

    outside: np.ndarray  # int64[chunks, 2]: number of columns out of range, and the first of them if there is one
    nans: np.ndarray  # int64[chunks, 2]: the same for NaN
    sides: np.ndarray  # int64[chunks, 3]: entries above the diagonal, below it, and descents of columns
    hashes: np.ndarray  # uint64[chunks, 2]: the fingerprint


def graph_statistics(indptr, indices, weights):
    """See `emst.backend.operations`."""
    n, m = len(indptr) - 1, len(indices)
    start, end = int(indptr[0]), int(indptr[n])
    grain = grain_for(n, 1 << 16)
    wrong = np.empty((-(-n // grain), 2), np.int64)
    for_chunks(_descents, n, grain, indptr, wrong, grain)
    if wrong[:, 0].any() or (start, end) != (0, m):
        return GraphStatistics(start, end, *_total(wrong), 0, -1, 0, -1, 0, 0, True, (0, 0))
    entries = entries_of(indptr, indices, weights)
    infinity = weights.dtype.type(np.inf).view(entries.bits.dtype) if weights.dtype.kind == "f" else 2**64 - 1
    grain = grain_for(m, 1 << 14)
    fields = ((2, np.int64), (2, np.int64), (3, np.int64), (2, np.uint64))
    partial = Partial(*(np.empty((-(-m // grain), k), dtype) for k, dtype in fields))
    args = (entries, np.uint64(infinity), partial, grain)
    for_chunks(_statistics, m, grain, *args, scratch=lambda: np.empty(BLOCK + SPARE, np.int32))
    upper, lower, falls = (int(x) for x in partial.sides.sum(0))
    fingerprint = tuple(int(x) for x in partial.hashes.sum(0))
    return GraphStatistics(
        start, end, 0, -1, *_total(partial.outside), *_total(partial.nans), upper, lower, falls == 0, fingerprint
    )


def _total(partial):
    """The number over all chunks, and the first."""
    faulty = partial[partial[:, 0] > 0]
    return int(faulty[:, 0].sum()), int(faulty[0, 1]) if len(faulty) else -1


@kernel
def _descents(indptr, wrong, grain, begin, end):
    starts, stops = indptr[begin:end], indptr[begin + 1 : end + 1]
    count = 0
    for i in range(len(starts)):
        count += stops[i] < starts[i]
    first = begin
    while count and indptr[first + 1] >= indptr[first]:
        first += 1
    wrong[begin // grain, 0], wrong[begin // grain, 1] = count, first


@kernel
def _statistics(rows, entries, infinity, partial, grain, begin, end):
    """`rows` is scratch."""
    chunk = begin // grain
    outside, nans = partial.outside[chunk], partial.nans[chunk]
    sides, hashes = partial.sides[chunk], partial.hashes[chunk]
    outside[:], nans[:], sides[:], hashes[:] = 0, 0, 0, 0
    row = row_of(entries.indptr, begin)
    for p in range(begin, end, BLOCK):
        columns, bits = entries.indices[p : lesser(p + BLOCK, end)], entries.bits[p : lesser(p + BLOCK, end)]
        row = write_rows(entries.indptr, row, p, len(columns), rows)
        if entries.indptr[rows[0]] < p:
            sides[2] += columns[0] < entries.indices[p - 1]
        block = Entries(entries.indptr, columns, bits, entries.kind)
        _add_sides(rows, block, sides, hashes)
        _add_wrong(block, infinity, p, outside, nans)


@part
def _add_sides(rows, block, sides, hashes):
    columns = block.indices
    upper, lower, falls, one, other = 0, 0, 0, np.uint64(0), np.uint64(0)
    for i in range(len(columns)):
        row, column = rows[i], columns[i]
        up, down = column > row, column < row
        upper += up
        lower += down
        pair = (np.uint64(lesser(row, column)) << np.uint64(32)) | np.uint64(greater(row, column))
        ends, key = _mixed(pair), key_of(block, i)
        first, second = _mixed(ends + key), _mixed(ends ^ key * OTHER)
        plus, minus = np.uint64(0) - np.uint64(up), np.uint64(0) - np.uint64(down)  # all bits set, or none
        one += (first & plus) - (first & minus)
        other += (second & plus) - (second & minus)
    for i in range(1, len(columns)):
        falls += (columns[i] < columns[i - 1]) & (rows[i] == rows[i - 1])
    sides[0] += upper
    sides[1] += lower
    sides[2] += falls
    hashes[0] += one
    hashes[1] += other


@part
def _add_wrong(block, infinity, p, outside, nans):
    n, columns, bits = len(block.indptr) - 1, block.indices, block.bits
    strange, bad = 0, 0
    for i in range(len(columns)):
        strange += (columns[i] < 0) | (columns[i] >= n)
        bad += _is_nan(bits[i], block.kind, infinity)
    if strange and outside[0] == 0:
        i = 0
        while 0 <= columns[i] < n:
            i += 1
        outside[1] = p + i
    if bad and nans[0] == 0:
        i = 0
        while not _is_nan(bits[i], block.kind, infinity):
            i += 1
        nans[1] = p + i
    outside[0] += strange
    nans[0] += bad


@part
def _mixed(x):
    x = (x ^ (x >> np.uint64(30))) * FIRST
    x = (x ^ (x >> np.uint64(27))) * SECOND
    return x ^ (x >> np.uint64(31))


@part
def _is_nan(bits, kind, infinity):
    """Whether the bits without the sign are greater than those of infinity; for integers, never."""
    return (np.uint64(bits) & (kind[0] - np.uint64(1))) > infinity
