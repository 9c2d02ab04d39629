"""Which clusters of the condensed tree lie within which, on the GPU. Kernels: nesting.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import FARTHER, Condensed, Nesting
from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.launch import launch


def nesting(condensed: Condensed) -> Nesting:
    """See `emst.backend.operations`."""
    count, rows = condensed.count, 1
    while FARTHER**rows < count:
        rows += 1
    ancestors = cupy.empty((rows + 1, count), np.int32)
    begin, spare, end = (cupy.empty(count, np.int64) for _ in range(3))
    upto = cupy.cumsum(condensed.size, dtype=np.int64)
    args = (condensed.parent, condensed.children, condensed.size, upto, ancestors[0], begin)
    launch("hierarchy/nesting", f"begin_nesting<{number_type(condensed.size.dtype)}>", count, count, *args)
    for row in range(rows):
        pointers = (ancestors[row], begin, ancestors[row + 1], spare)
        launch("hierarchy/nesting", "lengthen_nesting", count, count, *pointers)
        begin, spare = spare, begin
    name = f"end_nesting<{number_type(condensed.size.dtype)}>"
    launch("hierarchy/nesting", name, count, count, condensed.size, begin, end)
    return Nesting(begin, end, ancestors[:rows])


def common_clusters(nesting: Nesting, clusters: cupy.ndarray, others: cupy.ndarray) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    rows, count = nesting.ancestors.shape
    common = cupy.empty(len(clusters), np.int32)
    ends = (cupy.ascontiguousarray(clusters), cupy.ascontiguousarray(others))
    args = (count, nesting.begin, nesting.end, nesting.ancestors, np.int32(rows), *ends, common)
    launch("hierarchy/nesting", "common_clusters", len(clusters), len(clusters), *args)
    return common
