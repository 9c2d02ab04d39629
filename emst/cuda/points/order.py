"""Places of the points on the Hilbert curve, on the GPU. Kernel: order.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Scaling
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.launch import launch


def curve_codes(points: cupy.ndarray, scaling: Scaling) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    n, d = points.shape
    used = scaling.dimensions
    layout = np.dtype([("low", np.float64, used), ("scale", "f8"), ("factor", "f8"), ("bits", "i4"), ("_", "i4")])
    packed = np.zeros(1, layout)
    packed["low"], packed["scale"], packed["factor"], packed["bits"] = (
        scaling.low[:used], scaling.scale, scaling.factor, scaling.bits,
    )  # fmt: skip
    codes = cupy.empty(n, np.uint64)
    launch("points/order", f"curve_codes<{ctype(points.dtype)}, {used}>", n, points, n, np.int32(d), packed, codes)
    return codes
