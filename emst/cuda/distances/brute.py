"""Comparing all pairs of points on the GPU: rows of d coordinates and a tag, which holds the core distance.

Kernels: brute.cu; metrics: metric.cuh.
"""

from __future__ import annotations

from typing import NamedTuple

import cupy
import numpy as np

from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BRUTE_QUERIES, BRUTE_SPLITS, BRUTE_TILE, EUCLIDEAN
from emst.cuda.runtime.launch import launch, launch_grid, multiprocessors

LIST_LENGTHS = 12, 32  # up to which one pass with a list in registers finds the k-th nearest point


class Metric(NamedTuple):
    """A metric of metric.cuh, its power p, and alpha, which distances are divided by for the weight."""

    kind: int = EUCLIDEAN
    p: float = 2.0
    alpha: float = 1.0


SQUARES = Metric()


def centres_of(rows: cupy.ndarray, n: int) -> cupy.ndarray:
    """Centres of tiles and their radii, T[tiles, d + 1]: with points in curve order, far tiles are left out by them."""
    tiles = -(-n // BRUTE_TILE)
    centres = cupy.empty((tiles, rows.shape[1]), rows.dtype)
    launch(
        "distances/brute",
        f"centre_tiles<{ctype(rows.dtype)}>",
        32 * tiles,
        rows,
        n,
        np.int32(rows.shape[1] - 1),
        centres,
    )
    return centres


def list_neighbours(rows: cupy.ndarray, centres: cupy.ndarray, neighbours: cupy.ndarray, core: cupy.ndarray) -> None:
    """Set `neighbours` int32[k, n] to the k nearest other points of every point, and `core` to the distance of the last
    but one."""
    k, n = neighbours.shape
    name, d = f"brute_lists<{ctype(rows.dtype)}, {k}>", np.int32(rows.shape[1] - 1)
    launch("distances/brute", name, n, rows, centres, n, d, neighbours, core, block=BRUTE_QUERIES)


def kth_distances(
    rows: cupy.ndarray,
    k: int,
    core: cupy.ndarray,
    metric: Metric = SQUARES,
    among: tuple[cupy.ndarray, int] | None = None,
    centres: cupy.ndarray | None = None,
) -> None:
    """Set `core` to the distance of every point to its k-th nearest other point.

    `among` has other points, and how many of their rows count, if neighbours are not to be found among `rows`. With
    `centres` of these points, far tiles are left out; that needs Euclidean distances.
    """
    points, n = among or (rows, len(core))
    T, d, itself = ctype(rows.dtype), np.int32(rows.shape[1] - 1), among is None
    length = next((length for length in LIST_LENGTHS if k <= length), None)
    if length:
        name, inputs, rank = f"brute_last_of_list<{T}, {length}, {metric.kind}>", [points], k
    else:
        name, inputs, rank = f"brute_kth_distances<{T}, {metric.kind}>", [points, centres], k + itself
    args = (rows, len(core), *inputs, n, d, metric.p, np.int32(rank), core)
    launch("distances/brute", name, len(core), *args, block=BRUTE_QUERIES)


def nearest_outside(
    rows: cupy.ndarray,
    labels: cupy.ndarray,
    worklist: cupy.ndarray | None,
    count: cupy.ndarray,
    limit: cupy.ndarray,
    results: tuple[cupy.ndarray, cupy.ndarray, cupy.ndarray | None],
    best: cupy.ndarray,
    metric: Metric = SQUARES,
    centres: cupy.ndarray | None = None,
) -> None:
    """Set `results` (nearest, bound, second) to the nearest points of other components, up to the components' `limit`.

    Of all points, or of the first `count[0]` of the worklist; `second` is None without core distances. The points are
    split over blocks so that few queries still fill the device.
    """
    n, d, T = len(labels), rows.shape[1] - 1, ctype(rows.dtype)
    metric_args = (metric.p, rows.dtype.type(metric.alpha))
    busy = 4 * multiprocessors()  # blocks wanted
    queries = n if worklist is None else len(worklist)
    size = queries + busy * BRUTE_QUERIES  # neighbours by split and query, at most
    partial = (cupy.empty(size, np.int32), cupy.empty(size, rows.dtype), cupy.empty(size, rows.dtype))
    work = (worklist, count, np.int32(busy))
    mrd = np.int32(results[2] is not None)
    launch_grid(
        "distances/brute",
        f"brute_nearest<{T}, {metric.kind}>",
        (-(-queries // BRUTE_QUERIES), BRUTE_SPLITS),
        (BRUTE_QUERIES,),
        (rows, centres, labels, n, np.int32(d), *metric_args, *work, mrd, limit, *partial),
    )
    launch("distances/brute", f"brute_nearest_of_splits<{T}>", queries, labels, n, *work, *partial, *results, best)
