"""Points in the order of their segments."""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.compile import compiled


def split_points(points, units, first_row, dtype, segments, count):
    """See `emst.backend.partition_operations`."""
    starts = np.zeros(count + 1, np.int64)
    moved, rows = np.empty_like(points), np.empty(len(points), dtype)
    weights = None if units is None else np.empty_like(units)
    _split(points, units, first_row, segments, starts, np.empty(count, np.int64), moved, rows, weights)
    return moved, rows, weights, starts.tolist()


@compiled
def _split(points, units, first_row, segments, starts, next_place, moved, rows, weights):
    for s in segments:
        starts[s + 1] += 1
    for s in range(len(next_place)):
        starts[s + 1] += starts[s]
        next_place[s] = starts[s]
    for i in range(len(points)):
        to = next_place[segments[i]]
        next_place[segments[i]] += 1
        for axis in range(points.shape[1]):
            moved[to, axis] = points[i, axis]
        rows[to] = first_row + i
        if units is not None:
            weights[to] = units[i]
