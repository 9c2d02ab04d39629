"""A look at a graph in compressed sparse rows whose values nobody has checked.

Entries are taken in blocks: their rows are written down first, then everything is asked of them in a loop without
branches, which runs in vectors. The fingerprint's hash is the last step of SplitMix64.

References
----------
G. L. Steele Jr., D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.adjacency import BLOCK, as_bits, ordered, row_of, write_rows
from emst.cpu.kernels import kernel, part
from emst.cpu.parallel import for_chunks, grain_for
from emst.graph.adjacency import GraphSurvey

FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
OTHER = np.uint64(0x9E3779B97F4A7C15)  # makes a second hash of the first


def survey_graph(indptr, indices, weights):
    """See `emst.backend.Backend.survey_graph`."""
    n, m = len(indptr) - 1, len(indices)
    start, end = int(indptr[0]), int(indptr[n])
    grain = grain_for(n, 1 << 16)
    wrong = np.empty((-(-n // grain), 2), np.int64)
    for_chunks(_descents, n, grain, indptr, wrong, grain)
    if wrong[:, 0].any() or (start, end) != (0, m):
        return GraphSurvey(start, end, *_total(wrong), 0, -1, 0, -1, 0, 0, True, (0, 0))
    bits, kind = as_bits(weights)
    infinity = np.array(np.inf, weights.dtype).view(bits.dtype) if weights.dtype.kind == "f" else 2**64 - 1
    grain = grain_for(m, 1 << 14)
    parts = -(-m // grain)
    outside, nans = np.empty((parts, 2), np.int64), np.empty((parts, 2), np.int64)
    sides, hashes = np.empty((parts, 3), np.int64), np.empty((parts, 2), np.uint64)
    for_chunks(
        _survey, m, grain, indptr, indices, bits, kind, np.uint64(infinity), outside, nans, sides, hashes, grain,
        scratch=lambda: np.empty(BLOCK, np.int32),
    )  # fmt: skip
    upper, lower, falls = (int(x) for x in sides.sum(0))
    fingerprint = tuple(int(x) for x in hashes.sum(0))
    return GraphSurvey(start, end, 0, -1, *_total(outside), *_total(nans), upper, lower, falls == 0, fingerprint)


def _total(found):
    """How many of all chunks, and the first."""
    some = found[found[:, 0] > 0]
    return int(some[:, 0].sum()), int(some[0, 1]) if len(some) else -1


@kernel
def _descents(indptr, wrong, grain, begin, end):
    count = 0
    for row in range(begin, end):
        count += indptr[row + 1] < indptr[row]
    first = begin
    while count and indptr[first + 1] >= indptr[first]:
        first += 1
    wrong[begin // grain, 0], wrong[begin // grain, 1] = count, first


@kernel
def _survey(rows, indptr, indices, bits, kind, infinity, outside, nans, sides, hashes, grain, begin, end):
    """`rows` is scratch."""
    n = len(indptr) - 1
    chunk = begin // grain
    outside[chunk], nans[chunk], sides[chunk], hashes[chunk] = 0, 0, 0, 0
    row = row_of(indptr, begin)
    for p in range(begin, end, BLOCK):
        count = min(BLOCK, end - p)
        row = write_rows(indptr, row, p, count, rows)
        if indptr[rows[0]] < p:
            sides[chunk, 2] += indices[p] < indices[p - 1]
        columns, weights = indices[p : p + count], bits[p : p + count]
        _ask(
            rows[:count],
            columns,
            weights,
            kind,
            n,
            infinity,
            outside[chunk],
            nans[chunk],
            sides[chunk],
            hashes[chunk],
            p,
        )


@part
def _ask(rows, columns, weights, kind, n, infinity, outside, nans, sides, hashes, p):
    """Add what a block of entries tells, the first of which stands at `p`."""
    strange, bad, upper, lower, falls = 0, 0, 0, 0, 0
    one, other = np.uint64(0), np.uint64(0)
    for i in range(len(rows)):
        row, column = rows[i], columns[i]
        strange += (column < 0) | (column >= n)
        bad += _is_nan(weights[i], kind, infinity)
        up, down = column > row, column < row
        upper += up
        lower += down
        pair = (np.uint64(min(row, column)) << np.uint64(32)) | np.uint64(max(row, column))
        x = _mixed(pair) + ordered(weights[i], kind)
        plus, minus = np.uint64(0) - np.uint64(up), np.uint64(0) - np.uint64(down)
        first, second = _mixed(x), _mixed(x ^ OTHER)
        one += (first & plus) - (first & minus)
        other += (second & plus) - (second & minus)
    for i in range(1, len(rows)):
        falls += (columns[i] < columns[i - 1]) & (rows[i] == rows[i - 1])
    sides[0] += upper
    sides[1] += lower
    sides[2] += falls
    hashes[0] += one
    hashes[1] += other
    i = 0
    while strange and outside[0] == 0 and 0 <= columns[i] < n:
        i += 1
    outside[1] = p + i if outside[0] == 0 else outside[1]
    outside[0] += strange
    i = 0
    while bad and nans[0] == 0 and not _is_nan(weights[i], kind, infinity):
        i += 1
    nans[1] = p + i if nans[0] == 0 else nans[1]
    nans[0] += bad


@part
def _mixed(x):
    x = (x ^ (x >> np.uint64(30))) * FIRST
    x = (x ^ (x >> np.uint64(27))) * SECOND
    return x ^ (x >> np.uint64(31))


@part
def _is_nan(bits, kind, infinity):
    """Whether all but the sign is beyond infinity: of an integer, never."""
    return (np.uint64(bits) & (kind[0] - np.uint64(1))) > infinity
