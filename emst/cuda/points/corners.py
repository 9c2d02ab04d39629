"""Bounds of points as ordered integers, on the GPU. Kernel: statistics.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Box
from emst.cuda.runtime.arguments import Address
from emst.cuda.runtime.copies import asarray
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import cleared
from emst.cuda.runtime.to_host import Written

# A thread takes so many values, since all threads that begin at the same moment wait for the same few words.
VALUES, ALL_AT_ONCE, MOST_THREADS = 16, 4096, 1 << 18


def corners_of(points: cupy.ndarray, told: Written | None = None) -> Address:
    """Bounds of the points as ordered integers, unsigned[2 d + 1]: complements of the least coordinates, the greatest
    ones, and whether a value is not finite. `told`, float64[2 d + 1], gets the least and the greatest coordinates, and
    whether a value is not finite."""
    n, d = points.shape
    wide = points.dtype.itemsize == 8
    seen, ended = cleared((2 * d + 1, np.uint64 if wide else np.uint32), (1, np.uint32))
    threads = max(min(max(n * d // VALUES, ALL_AT_ONCE), n * d, MOST_THREADS) // d, 1) * d
    name = "point_statistics<double, u64>" if wide else "point_statistics<float, u32>"
    to = None if told is None else told.address
    launch("points/statistics", name, threads, points, n * d, np.int32(d), threads, seen, ended, to)
    return seen


def corners_of_box(box: Box) -> cupy.ndarray | Address:
    """The corners of a box: those that it keeps, or else as `corners_of` gives them for points in float64, without the
    last word."""
    if box.corners is not None:
        return box.corners
    corners = _ordered(np.stack([box.low, box.high]))
    corners[0] = ~corners[0]
    return asarray(corners.reshape(-1))


def _ordered(values: np.ndarray) -> np.ndarray:
    """As `ordered` of exact.cuh."""
    u, top = np.ascontiguousarray(values, np.float64).view(np.uint64), np.uint64(1 << 63)
    return np.where(u & top, ~u, u | top)
