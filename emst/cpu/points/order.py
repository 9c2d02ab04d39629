"""The order of the points: along a Hilbert curve through the grid of their scaling.

Neighbours on the curve are neighbours in space, without the jumps of the Morton order. The transform is Skilling's,
done on 64 points at a time so that its loop over bits runs in vectors, whatever the dimension.

References
----------
J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004).
"""

from __future__ import annotations

import functools

import numpy as np

from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

BLOCK = 64  # points transformed together


def curve_codes(points, scaling):
    """See `emst.backend.operations`."""
    n = len(points)
    codes = np.empty(n, np.uint64)
    dims = scaling.dimensions
    grid = (scaling.low[:dims], scaling.scale, scaling.bits, scaling.factor)
    room = functools.partial(np.zeros, (dims, BLOCK), np.uint32)
    for_chunks(_curve_codes, n, grain_for(n, 4096), points, *grid, codes, scratch=room)
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
