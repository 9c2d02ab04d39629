"""The places of new points in the order of others, on the GPU. Kernel: places.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import MOST_CURVE_AXES, CurveCells
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.sort import sort_pairs


def curve_places(cells: CurveCells, queries: cupy.ndarray, scale: float) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    m, d = queries.shape
    place, code = cupy.empty(m, np.uint64), cupy.empty(m, np.uint64)
    levels = len(cells.level) - 1
    runs = (cells.first, cells.end, cells.start, cells.codes, cells.place)
    order = (cupy.asarray(cells.level), np.int32(levels), *runs, *cells.grids)
    name = f"descend<{ctype(queries.dtype)}, {min(d, MOST_CURVE_AXES)}>"
    launch("points/places", name, m, queries, m, np.int32(d), scale, *order, place, code)
    by_code = sort_pairs(code)[1]
    places, rows = sort_pairs(place[by_code], by_code)
    return rows, places.view(np.int64)
