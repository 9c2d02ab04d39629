"""Distances of points and boxes to the outlines of other partitions, on the GPU. Kernels: outline.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Norm, Outline
from emst.cuda.distances.metric import metric_of
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.launch import launch


def outline_reach(low: cupy.ndarray, high: cupy.ndarray, outline: Outline, home: int, norm: Norm) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    (m, d), metric = low.shape, metric_of(norm, low.dtype)
    reach = cupy.empty(m, low.dtype)
    nodes = _in_rows(outline.low, outline.high, outline.child, outline.children)
    args = (*_in_rows(low, high), m, np.int32(d), metric.norm, *nodes, *_partitions(outline, home), reach)
    launch("points/outline", f"outline_reach<{ctype(low.dtype)}, {metric.number}>", m, *args)
    return reach


def outline_hits(
    points: cupy.ndarray, labels: cupy.ndarray, radius: cupy.ndarray, outline: Outline, home: int, norm: Norm
) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    (m, d), metric = points.shape, metric_of(norm, points.dtype)
    hits = cupy.empty((m, len(outline.start) - 1), np.bool_)
    queries = (*_in_rows(points, labels, radius), m, np.int32(d), metric.norm)
    args = (*queries, *_in_rows(*outline[:5]), *_partitions(outline, home), hits)
    launch("points/outline", f"outline_hits<{ctype(points.dtype)}, {metric.number}>", m, *args)
    return hits


def _in_rows(*arrays: cupy.ndarray) -> list[cupy.ndarray]:
    """Arrays as kernels read them: points may be columns of a hierarchy's rows."""
    return [cupy.ascontiguousarray(array) for array in arrays]


def _partitions(outline: Outline, home: int) -> tuple[cupy.ndarray, np.int32, np.int32]:
    """Where each partition begins, how many there are, and the partition of the queries."""
    return cupy.ascontiguousarray(outline.start), np.int32(len(outline.start) - 1), np.int32(home)
