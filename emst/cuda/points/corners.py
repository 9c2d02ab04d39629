"""Bounds of points as ordered integers, on the GPU. Kernel: statistics.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Box
from emst.cuda.runtime.copies import asarray
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import zeros

# A thread takes so many values, since all threads that begin at the same moment wait for the same few words.
VALUES, ALL_AT_ONCE, MOST_THREADS = 16, 4096, 1 << 18


def corners_of(points: cupy.ndarray) -> cupy.ndarray:
    """Bounds of the points as ordered integers, unsigned[2 d + 1]: complements of the least coordinates, the greatest
    ones, and whether a value is not finite."""
    n, d = points.shape
    wide = points.dtype.itemsize == 8
    (seen,) = zeros((2 * d + 1, np.uint64 if wide else np.uint32))
    threads = max(min(max(n * d // VALUES, ALL_AT_ONCE), n * d, MOST_THREADS) // d, 1) * d
    name = "point_statistics<double, u64>" if wide else "point_statistics<float, u32>"
    infinite = seen.data.ptr + 2 * d * seen.itemsize
    launch("points/statistics", name, threads, points, n * d, np.int32(d), threads, seen, infinite)
    return seen


def corners_of_box(box: Box) -> cupy.ndarray:
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


def unordered(u: np.ndarray) -> np.ndarray:
    """Undo `ordered` of exact.cuh."""
    bits = 8 * u.dtype.itemsize - 1
    top = u.dtype.type(1 << bits)
    changed = (u >> u.dtype.type(bits)) - u.dtype.type(1) | top  # only the top bit where it is set, otherwise all
    return (u ^ changed).view(np.float64 if bits == 63 else np.float32).astype(np.float64)
