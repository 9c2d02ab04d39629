"""The order of the points: along a Hilbert curve through the grid of their frame.

Neighbours on the curve are neighbours in space, without the jumps of the Morton order. The transform is Skilling's,
done on 64 points at a time so that its loop over bits runs in vectors, whatever the dimension.

References
----------
J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004).
"""

from __future__ import annotations

import numpy as np

from emst.backend import Survey
from emst.cpu.kernels import kernel, part
from emst.cpu.parallel import for_chunks, grain_for, thread_count
from emst.cpu.runtime.numbers import greater, lesser
from emst.frame import sample_rows

BLOCK = 64  # points transformed together
DIGIT = 11  # bits sorted in one pass: 2048 counters stay in the first level cache


def asarray(array, dtype=None):
    """See `emst.backend.Backend.asarray`."""
    return np.ascontiguousarray(array if isinstance(array, np.ndarray) else array.get(), dtype)


def survey(points):
    """See `emst.backend.Backend.survey`."""
    n, d = points.shape
    grain = grain_for(n, 1 << 15)
    parts = -(-n // grain)
    low, high = np.empty((parts, d)), np.empty((parts, d))
    bad, first = np.zeros(parts, np.int64), np.full(parts, -1)
    for_chunks(_survey, n, grain, points, low, high, bad, first, grain)
    wrong = np.flatnonzero(bad)
    sample = points[sample_rows(n)].astype(np.float64)
    return Survey(low.min(0), high.max(0), int(bad.sum()), int(first[wrong[0]]) if len(wrong) else -1, sample)


@kernel
def _survey(points, low, high, bad, first, grain, begin, end):
    chunk = begin // grain
    d = points.shape[1]
    nothing = 0.0
    for i in range(d):
        least, greatest = np.inf, -np.inf
        for row in range(begin, end):
            x = np.float64(points[row, i])
            nothing += x - x  # a NaN if x is one, or infinite
            least, greatest = lesser(least, x), greater(greatest, x)
        low[chunk, i], high[chunk, i] = least, greatest
    if nothing == 0:
        return
    for row in range(end - 1, begin - 1, -1):
        for i in range(d):
            x = np.float64(points[row, i])
            if x - x != 0:
                bad[chunk] += 1
                first[chunk] = row
                break


def curve_codes(points, frame):
    """Place of every point on the curve: uint64[n]."""
    n = len(points)
    codes = np.empty(n, np.uint64)
    dims = frame.dimensions
    for_chunks(
        _curve_codes, n, grain_for(n, 4096), points, frame.low[:dims], frame.scale, frame.bits, frame.factor, codes,
        scratch=lambda: np.zeros((dims, BLOCK), np.uint32),
    )  # fmt: skip
    return codes


@kernel
def _curve_codes(cells, points, low, scale, bits, factor, codes, begin, end):
    dims = len(low)
    last = np.float64((np.int64(1) << bits) - 1)
    for start in range(begin, end, BLOCK):
        count = lesser(BLOCK, end - start)
        for j in range(count):
            for i in range(dims):
                cell = (np.float64(points[start + j, i]) * scale - low[i]) * factor
                cells[i, j] = np.int64(lesser(greater(cell, 0.0), last))
        if dims > 1:
            _hilbert_transpose(cells, dims, bits)
        _interleave(cells, dims, bits, codes[start : start + count])


@part
def _hilbert_transpose(cells, dims, bits):
    """Grid cells to the transposed Hilbert index, in place, as in the paper but without branches."""
    one, zero = np.uint32(1), np.uint32(0)
    head = cells[0]
    for bit in range(bits - 1, 0, -1):
        below = (one << np.uint32(bit)) - one
        for i in range(dims):
            row = cells[i]
            for j in range(BLOCK):
                inside = zero - ((row[j] >> np.uint32(bit)) & one)  # all ones where the bit is set
                swap = (head[j] ^ row[j]) & below & ~inside
                head[j] ^= (below & inside) | swap
                row[j] ^= swap
    for i in range(1, dims):
        for j in range(BLOCK):
            cells[i, j] ^= cells[i - 1, j]
    tail = cells[dims - 1]
    for j in range(BLOCK):
        flip = tail[j]  # every bit set flips all below it: the parity of the bits above
        for shift in (16, 8, 4, 2, 1):
            flip ^= flip >> np.uint32(shift)
        flip >>= one
        for i in range(dims):
            cells[i, j] ^= flip


@part
def _interleave(cells, dims, bits, codes):
    """Bits from the highest down, dimension 0 first."""
    for j in range(len(codes)):
        codes[j] = 0
    for bit in range(bits - 1, -1, -1):
        for i in range(dims):
            for j in range(len(codes)):
                codes[j] = (codes[j] << np.uint64(1)) | np.uint64((cells[i, j] >> np.uint32(bit)) & np.uint32(1))


def sort_order(codes):
    """Rows by code, equal codes in row order: int32[n]."""
    return radix_order(codes)[1]


def radix_order(keys):
    """Sorted copy of uint64 keys, and the stable permutation that sorts them (least digit first)."""
    n = len(keys)
    order = np.arange(n, dtype=np.int32)
    if n < 2:
        return keys, order
    parts = thread_count() if n > 1 << 16 else 1
    grain = -(-n // parts)
    parts = -(-n // grain)
    differing = int(np.bitwise_or.reduce(keys) ^ np.bitwise_and.reduce(keys))
    counts = np.empty((parts, 1 << DIGIT), np.int64)
    other = None
    for shift in range(0, 64, DIGIT):
        if (differing >> shift) & ((1 << DIGIT) - 1) == 0:
            continue  # all keys agree here
        for_chunks(_count_digits, n, grain, keys, shift, counts, grain)
        totals = counts.sum(0)
        starts = (np.cumsum(totals) - totals) + (np.cumsum(counts, 0) - counts)
        new_keys, new_order = other or (np.empty_like(keys), np.empty_like(order))
        for_chunks(_scatter_digits, n, grain, keys, order, shift, starts, new_keys, new_order, grain)
        other = (keys, order) if other else (np.empty_like(keys), order)  # the caller's keys are not ours to write
        keys, order = new_keys, new_order
    return keys, order


@kernel
def _count_digits(keys, shift, counts, grain, begin, end):
    mine = counts[begin // grain]
    mine[:] = 0
    for i in range(begin, end):
        mine[(keys[i] >> np.uint64(shift)) & np.uint64((1 << DIGIT) - 1)] += 1


@kernel
def _scatter_digits(keys, order, shift, starts, new_keys, new_order, grain, begin, end):
    place = starts[begin // grain]
    for i in range(begin, end):
        digit = (keys[i] >> np.uint64(shift)) & np.uint64((1 << DIGIT) - 1)
        at = place[digit]
        place[digit] = at + 1
        new_keys[at] = keys[i]
        new_order[at] = order[i]
