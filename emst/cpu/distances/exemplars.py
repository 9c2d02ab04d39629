"""Distances from points to the exemplars of clusters."""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for

BLOCK = 256  # exemplars compared with a point at a time


def exemplar_distances(points, exemplars, starts):
    """See `emst.backend.operations`."""
    nearest = np.empty((len(points), len(starts) - 1), points.dtype)
    columns = np.ascontiguousarray(exemplars.T)
    for_chunks(
        _exemplar_distances, len(points), grain_for(len(points), 16), points, columns, starts, nearest,
        scratch=lambda: empty(BLOCK, points.dtype),
    )  # fmt: skip
    return nearest


@kernel
def _exemplar_distances(squared, points, columns, starts, nearest, begin, end):
    d = len(columns)
    for p in range(begin, end):
        for c in range(len(starts) - 1):
            least = np.finfo(points.dtype).max
            for first in range(starts[c], starts[c + 1], BLOCK):
                size = min(BLOCK, starts[c + 1] - first)
                for i in range(d):
                    x, row = points[p, i], columns[i, first : first + size]
                    for e in range(size):
                        t = x - row[e]
                        squared[e] = squared[e] + t * t if i > 0 else t * t
                for e in range(size):
                    least = min(least, squared[e])
            nearest[p, c] = least
