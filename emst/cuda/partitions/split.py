"""Points in the order of their segments, on the GPU. Kernels: split.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.compile import number_type
from emst.cuda.runtime.constants import BLOCK, MOST_SPLITS, SCAN_TILE, SPLIT_TILE
from emst.cuda.runtime.gather import WORDS
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import empties
from emst.cuda.runtime.sort import sort_pairs
from emst.cuda.runtime.to_host import OnItsWay


def split_points(
    points: cupy.ndarray, units: Any, first_row: int, dtype: Any, segments: cupy.ndarray, count: int
) -> tuple[cupy.ndarray, cupy.ndarray, Any, list[int]]:
    """See `emst.backend.partition_operations`. Many segments are sorted."""
    if count > MOST_SPLITS:
        return _sorted(points, units, first_row, dtype, segments, count)
    n, d = points.shape
    tiles, number = max(1, -(-n // SPLIT_TILE)), np.int32(count)
    before, begins = empties((count * tiles, np.int32), (count + 1, np.int32))
    launch("partitions/split", "count_segments", tiles * BLOCK, segments, n, number, before)
    scan = Compaction(len(before), SCAN_TILE)
    scan.launch("partitions/split", "add_counts", len(before), before, len(before), tiles, begins)
    starts = OnItsWay(begins)
    moved, rows = cupy.empty((n, d), points.dtype), cupy.empty(n, dtype)
    weights = None if units is None else cupy.empty(n, np.int64)
    name = f"split_points<{WORDS[points.itemsize]}, {number_type(rows.dtype)}>"
    args = (points, np.int32(d), units, first_row, segments, n, number, before, moved, rows, weights)
    launch("partitions/split", name, tiles * BLOCK, *args)
    return moved, rows, weights, starts.arrived()


def _sorted(
    points: cupy.ndarray, units: Any, first_row: int, dtype: Any, segments: cupy.ndarray, count: int
) -> tuple[cupy.ndarray, cupy.ndarray, Any, list[int]]:
    segments, order = sort_pairs(segments.view(np.uint32), bits=(count - 1).bit_length())
    starts = cupy.searchsorted(segments, cupy.arange(count + 1, dtype=np.uint32)).tolist()
    rows = order.astype(dtype)
    rows += first_row
    return points[order], rows, None if units is None else units[order], starts
