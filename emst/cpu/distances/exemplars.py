"""Distances from points to the exemplars of clusters."""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.numbers import lesser
from emst.cpu.runtime.parallel import for_chunks, grain_for

BLOCK = 256  # exemplars compared with a point at a time
LANES = 16


def exemplar_distances(points, exemplars, starts):
    """See `emst.backend.operations`."""
    nearest = np.empty((len(points), len(starts) - 1), points.dtype)
    columns = np.ascontiguousarray(exemplars.T)
    for_chunks(
        _exemplar_distances, len(points), grain_for(len(points), 16), points, columns, starts, nearest,
        scratch=lambda: (empty(BLOCK, points.dtype), empty(LANES, points.dtype)),
    )  # fmt: skip
    return nearest


@kernel
def _exemplar_distances(scratch, points, columns, starts, nearest, begin, end):
    squared, lanes = scratch
    d = len(columns)
    for p in range(begin, end):
        for c in range(len(starts) - 1):
            for lane in range(LANES):
                lanes[lane] = np.finfo(points.dtype).max
            for first in range(starts[c], starts[c + 1], BLOCK):
                size = min(BLOCK, starts[c + 1] - first)
                for i in range(d):
                    x, row = points[p, i], columns[i, first : first + size]
                    for e in range(size):
                        t = x - row[e]
                        squared[e] = squared[e] + t * t if i > 0 else t * t
                _lower(lanes, squared, size)
            least = lanes[0]
            for lane in range(1, LANES):
                least = lesser(least, lanes[lane])
            nearest[p, c] = least


@part
def _lower(lanes, numbers, size):
    """Lower each lane to the least of every LANES-th number: one minimum alone would wait for the one before."""
    whole = size // LANES * LANES
    for e in range(0, whole, LANES):
        for lane in range(LANES):
            lanes[lane] = lesser(lanes[lane], numbers[e + lane])
    for e in range(whole, size):
        lanes[0] = lesser(lanes[0], numbers[e])
