"""Survey, curve codes and their order on the GPU. Kernels: order.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.cuda.compile import ctype
from emst.cuda.launch import launch
from emst.cuda.sort import sort_pairs
from emst.frame import Frame


def asarray(array: Any, dtype: Any = None) -> cupy.ndarray:
    """See `emst.backend.Backend.asarray`."""
    if isinstance(array, np.ndarray):  # what travels is what will be used
        array = np.ascontiguousarray(array, dtype)
    return cupy.ascontiguousarray(cupy.asarray(array), dtype)


def to_host(array: cupy.ndarray) -> np.ndarray:
    """See `emst.backend.Backend.to_host`."""
    return array.get()


def survey(points: cupy.ndarray) -> tuple[np.ndarray, np.ndarray, int, int]:
    """See `emst.backend.Backend.survey`."""
    n, d = points.shape
    wide = points.dtype.itemsize == 8
    corners = cupy.zeros(2 * d + 1, np.uint64 if wide else np.uint32)  # the last one: whether a value is not finite
    threads = max(min(n * d, 1 << 18) // d, 1) * d
    name = "survey<double, u64>" if wide else "survey<float, u32>"
    launch("order", name, threads, points, n * d, np.int32(d), threads, corners, corners[2 * d :])
    found = corners.get()
    if found[-1]:
        rows = cupy.flatnonzero(~cupy.isfinite(points).all(axis=1))
        return np.zeros(d), np.zeros(d), len(rows), int(rows[0])
    return _unordered(~found[:d]), _unordered(found[d:-1]), 0, -1


def _unordered(u: np.ndarray) -> np.ndarray:
    """Undo `ordered` of exact.cuh."""
    top = u.dtype.type(1 << (8 * u.dtype.itemsize - 1))
    values = np.where(u & top, u ^ top, ~u).view(np.float64 if u.dtype.itemsize == 8 else np.float32)
    return values.astype(np.float64)


def curve_codes(points: cupy.ndarray, frame: Frame) -> cupy.ndarray:
    """See `emst.backend.Backend.curve_codes`."""
    n, d = points.shape
    used = frame.dimensions
    layout = np.dtype([("low", np.float64, used), ("scale", "f8"), ("factor", "f8"), ("bits", "i4"), ("_", "i4")])
    packed = np.zeros(1, layout)
    packed["low"], packed["scale"], packed["factor"], packed["bits"] = (
        frame.low[:used], frame.scale, frame.factor, frame.bits,
    )  # fmt: skip
    codes = cupy.empty(n, np.uint64)
    launch("order", f"curve_codes<{ctype(points.dtype)}, {used}>", n, points, n, np.int32(d), packed, codes)
    return codes


def sort_order(codes: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.Backend.sort_order`."""
    return sort_pairs(codes)[1]
