"""Rows of distances on the GPU: of a matrix, or from every point to all others. Kernels: rows.cu, brute.cu.

A point caches its nearest neighbour of another component. This neighbour is exact until the two are joined. Afterwards
the weight of their edge is a lower bound, and the point's row is searched again only if the bound does not exceed the
upper bound of the component's lightest edge. Rows are searched in the order of these bounds, in growing waves: edges
that the first waves find make many of the later searches unnecessary.
"""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Forest
from emst.cuda.distances.brute import Metric, kth_distances, nearest_outside
from emst.cuda.lightest import lightest_edges
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import ANY_POWER, CHEBYSHEV, EUCLIDEAN, MANHATTAN, POWERS, ROW_THREADS
from emst.cuda.runtime.launch import launch

FIRST_WAVE, GROWTH = 1 << 12, 4
KINDS = {
    "euclidean": EUCLIDEAN,
    "manhattan": MANHATTAN,
    "chebyshev": CHEBYSHEV,
    "powers": POWERS,
    "any power": ANY_POWER,
}
NUMBER = {4: np.int32, 8: np.int64}  # numbers that are not negative are in the order of their bits; see exact.cuh


class DistanceRows:
    """See `emst.backend.operations`.

    Attributes
    ----------
    matrix : T[n, n] or None
        The given distances; None for points.
    points : T[n, d + 1] or None
        Coordinates and the core distance; None for a matrix.
    nearest, bound, second : int32[n], T[n], T[n]
        The cached neighbour of every point, -1 if there is none; the weight of the edge to it, or a lower bound once
        both are in one component; the distance to it.
    """

    def __init__(self, data: cupy.ndarray, metric: str, p: float, alpha: float) -> None:
        self.n, self.dtype = len(data), data.dtype
        self.matrix: cupy.ndarray = None
        self.points: cupy.ndarray = None
        self.core: cupy.ndarray = None
        if metric == "precomputed":
            self.matrix = data
            self.metric = Metric(alpha=float(alpha))
            return
        self.metric = Metric(KINDS[metric], float(p), float(alpha))
        self.points = cupy.zeros((self.n, data.shape[1] + 1), self.dtype)
        self.points[:, :-1] = data

    def start(self) -> None:
        """No neighbour is cached; the bounds are the core distances."""
        self.nearest = cupy.full(self.n, -1, np.int32)
        self.bound = self.core.copy()
        self.second = cupy.full(self.n, np.inf, self.dtype)
        self.best_distance = cupy.empty(self.n, self.dtype)
        self.no_limit = cupy.full(self.n, np.finfo(self.dtype).max, self.dtype)  # infinite distances are none


def open_rows(data: cupy.ndarray, metric: str, p: float, alpha: float) -> DistanceRows:
    """See `emst.backend.operations`."""
    return DistanceRows(data, metric, p, alpha)


def row_core_distances(rows: DistanceRows, k: int) -> cupy.ndarray:
    """See `emst.backend.operations`."""
    n = rows.n
    core = rows.core = cupy.zeros(n, rows.dtype)
    if rows.matrix is not None:
        launch(
            "distances/rows",
            f"row_select<{ctype(rows.dtype)}>",
            n * ROW_THREADS,
            rows.matrix,
            n,
            k,
            core,
            block=ROW_THREADS,
        )
    else:
        if k > 1:
            kth_distances(rows.points, k - 1, core, rows.metric)
        rows.points[:, -1] = core
    rows.start()
    return core


def row_nearest(rows: DistanceRows, forest: Forest) -> None:
    """See `emst.backend.operations`; `merge` leaves `best` at infinity and the edges empty."""
    n, T, bits = rows.n, ctype(rows.dtype), NUMBER[rows.dtype.itemsize]
    labels, best, bound = forest.labels, forest.best.view(bits), rows.bound.view(bits)
    known = (labels, n, rows.nearest, rows.bound)
    launch("distances/rows", f"bounds_from_cache<{T}>", n, *known, forest.best)
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
    results = (rows.nearest, rows.bound, rows.second)
    if rows.matrix is None:
        count = cupy.full(1, len(wave), np.int32)
        nearest_outside(rows.points, forest.labels, wave, count, rows.no_limit, results, forest.best, rows.metric)
        return
    inputs = (rows.matrix, rows.n, rows.dtype.type(rows.metric.alpha), rows.core, wave, forest.labels)
    name = f"matrix_nearest<{ctype(rows.dtype)}>"
    launch("distances/rows", name, len(wave) * ROW_THREADS, *inputs, *results, forest.best, block=ROW_THREADS)


def _infinity(dtype: np.dtype) -> int:
    return int(np.array(np.inf, dtype).view(NUMBER[dtype.itemsize]))


def row_edges(rows: DistanceRows, forest: Forest) -> tuple[cupy.ndarray, cupy.ndarray]:
    """See `emst.backend.operations`."""
    slots = cupy.flatnonzero(forest.source >= 0)
    u, v, weight = forest.source[slots], forest.target[slots], forest.weight[slots]
    bits = NUMBER[rows.dtype.itemsize]
    if rows.matrix is not None:
        near = cupy.ascontiguousarray(rows.matrix[u, v])
    else:
        near = cupy.empty(len(u), rows.dtype)
        name = f"pair_distances<{ctype(rows.dtype)}, {rows.metric.kind}>"
        d = np.int32(rows.points.shape[1] - 1)
        launch("distances/rows", name, len(u), rows.points, d, rows.metric.p, u, v, len(u), near)
    near_bits = near.view(bits) & np.iinfo(bits).max  # negative zeros
    keys = cupy.stack([key.astype(np.int64) for key in (v, u, near_bits, weight.view(bits))])
    order = cupy.lexsort(keys) if len(u) else slots
    return cupy.stack([u[order], v[order]], axis=1), weight[order]
