"""Survey, curve codes and their order on the GPU. Kernels: order.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.backend import Survey
from emst.cuda.compile import ctype
from emst.cuda.launch import launch
from emst.cuda.sort import sort_pairs
from emst.frame import SAMPLE, Frame


def asarray(array: Any, dtype: Any = None) -> cupy.ndarray:
    """See `emst.backend.Backend.asarray`."""
    if isinstance(array, np.ndarray):  # what travels is what will be used
        array = np.ascontiguousarray(array, dtype)
    return cupy.ascontiguousarray(cupy.asarray(array), dtype)


def survey(points: cupy.ndarray) -> Survey:
    """See `emst.backend.Backend.survey`. Everything comes back in one copy."""
    n, d = points.shape
    sampled = min(n, SAMPLE)
    wide = points.dtype.itemsize == 8
    seen = cupy.zeros(2 * d + 1 + sampled * d, np.uint64 if wide else np.uint32)
    bad, sample = seen[2 * d :], seen[2 * d + 1 :]  # whether a value is not finite; sampled rows
    threads = max(min(n * d, 1 << 18) // d, 1) * d
    name = "survey<double, u64>" if wide else "survey<float, u32>"
    args = (points, n * d, np.int32(d), threads, seen, bad, sampled, sample)
    launch("order", name, max(threads, sampled * d), *args)
    found = seen.get()
    if found[2 * d]:
        rows = cupy.flatnonzero(~cupy.isfinite(points).all(axis=1))
        return Survey(np.zeros(d), np.zeros(d), len(rows), int(rows[0]), np.zeros((0, d)))
    rows = found[2 * d + 1 :].view(points.dtype).astype(np.float64).reshape(sampled, d)
    return Survey(_unordered(~found[:d]), _unordered(found[d : 2 * d]), 0, -1, rows)


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
