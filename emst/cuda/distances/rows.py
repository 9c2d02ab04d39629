"""Rows of a distance matrix on the GPU. Kernels: rows.cu.

A point caches its nearest neighbour of another component. This neighbour is exact until the two are joined. Afterwards
the weight of their edge is a lower bound, and the point's row is searched again only if the bound does not exceed the
upper bound of the component's lightest edge. Rows are searched in the order of these bounds, in growing waves: edges
that the first waves find make many of the later searches unnecessary.
"""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Forest
from emst.cuda.lightest import lightest_edges
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import ROW_THREADS
from emst.cuda.runtime.launch import launch

FIRST_WAVE, GROWTH = 1 << 12, 4
NUMBER = {4: np.int32, 8: np.int64}  # numbers that are not negative are in the order of their bits; see exact.cuh


class DistanceRows:
    """See `emst.backend.operations`.

    Attributes
    ----------
    matrix : T[n, n]
        The given distances.
    alpha : T
        What distances are divided by for the weight.
    core : T[n]
        Core distances.
    nearest, bound, second : int32[n], T[n], T[n]
        The cached neighbour of every point, -1 if there is none; the weight of the edge to it, or a lower bound once
        both are in one component; the distance to it.
    """

    def __init__(self, matrix: cupy.ndarray, alpha: float) -> None:
        self.n, self.dtype, self.matrix = len(matrix), matrix.dtype, matrix
        self.alpha = matrix.dtype.type(alpha)
        self.core: cupy.ndarray = None

    def start(self) -> None:
        """No neighbour is cached; the bounds are the core distances."""
        self.nearest = cupy.full(self.n, -1, np.int32)
        self.bound = self.core.copy()
        self.second = cupy.full(self.n, np.inf, self.dtype)
        self.best_distance = cupy.empty(self.n, self.dtype)


def open_rows(matrix: cupy.ndarray, alpha: float) -> DistanceRows:
    """See `emst.backend.operations`."""
    return DistanceRows(matrix, alpha)


def row_core_distances(rows: DistanceRows, k: int) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    name, n = f"row_select<{ctype(rows.dtype)}>", rows.n
    core = rows.core = cupy.empty(n, rows.dtype)
    launch("distances/rows", name, n * ROW_THREADS, rows.matrix, n, k, core, block=ROW_THREADS)
    rows.start()
    return core


def row_nearest(rows: DistanceRows, forest: Forest) -> None:
    """See `emst.backend.operations`; `merge` leaves `best` at infinity and the edges empty."""
    n, T, bits = rows.n, ctype(rows.dtype), NUMBER[rows.dtype.itemsize]
    labels, best, bound = forest.labels, forest.best.view(bits), rows.bound.view(bits)
    of_points = (labels, n, rows.nearest, rows.bound)
    launch("distances/rows", f"bounds_from_cache<{T}>", n, *of_points, forest.best)
    outside = (rows.nearest >= 0) & (labels[rows.nearest] != labels)
    searched = cupy.flatnonzero(~outside & (bound <= best[labels]) & (bound < _infinity(rows.dtype))).astype(np.int32)
    searched = searched[cupy.argsort(bound[searched])]
    first, size = 0, FIRST_WAVE
    while first < len(searched):
        wave = searched[first : first + size]
        if first:
            wave = wave[bound[wave] <= best[labels[wave]]]
        if len(wave):
            _search(rows, forest, wave)
        first, size = first + size, size * GROWTH
    rows.best_distance.fill(np.inf)
    lightest_edges(forest, rows.nearest, rows.bound, rows.second, rows.best_distance)


def _search(rows: DistanceRows, forest: Forest, wave: cupy.ndarray) -> None:
    inputs = (rows.matrix, rows.n, rows.alpha, rows.core, wave, forest.labels)
    results = (rows.nearest, rows.bound, rows.second, forest.best)
    name = f"matrix_nearest<{ctype(rows.dtype)}>"
    launch("distances/rows", name, len(wave) * ROW_THREADS, *inputs, *results, block=ROW_THREADS)


def _infinity(dtype: np.dtype) -> int:
    return int(np.array(np.inf, dtype).view(NUMBER[dtype.itemsize]))


def row_edges(rows: DistanceRows, forest: Forest) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    slots = cupy.flatnonzero(forest.source >= 0)
    u, v, weight = forest.source[slots], forest.target[slots], forest.weight[slots]
    bits = NUMBER[rows.dtype.itemsize]
    near = cupy.ascontiguousarray(rows.matrix[u, v])
    near_bits = near.view(bits) & np.iinfo(bits).max  # negative zeros
    keys = cupy.stack([key.astype(np.int64) for key in (v, u, near_bits, weight.view(bits))])
    order = cupy.lexsort(keys) if len(u) else slots
    return cupy.stack([u[order], v[order]], axis=1), weight[order]
