"""The sum of numbers. Kernel: total.cu. CuPy's own sum takes seconds to compile."""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BLOCK
from emst.cuda.runtime.launch import launch

MOST = 1024  # blocks
OF_THREAD = 8  # numbers at least, unless there are fewer than a block's


def total(values: cupy.ndarray) -> float:
    """See `emst.backend.operations`."""
    values = cupy.ascontiguousarray(values)
    sums = cupy.empty(min(-(-len(values) // (BLOCK * OF_THREAD)), MOST), np.float64)
    launch("runtime/total", f"sum_parts<{ctype(values.dtype)}>", BLOCK * len(sums), values, len(values), sums)
    return float(sums.get().sum())
