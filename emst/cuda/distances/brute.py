"""Comparing all pairs of points on the GPU: rows of d coordinates and a tag, which holds the core distance.

Kernels: brute.cu.
"""

from __future__ import annotations

import cupy
import numpy as np

from emst.cuda.distances.metric import Metric
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BRUTE_QUERIES, BRUTE_SPLITS, BRUTE_TILE
from emst.cuda.runtime.launch import launch, launch_grid, multiprocessors

LIST_LENGTHS = 12, 32  # up to which one pass with a list in registers finds the k-th nearest point


def centres_of(rows: cupy.ndarray, n: int) -> cupy.ndarray:
    """Centres and Euclidean radii of tiles, T[tiles, d + 1]: if points are in curve order, far tiles are left out."""
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


def list_neighbours(
    rows: cupy.ndarray, centres: cupy.ndarray | None, metric: Metric, neighbours: cupy.ndarray, core: cupy.ndarray
) -> None:
    """Set `neighbours` int32[k, n] to the k nearest other points of every point, and `core` to the distance of the last
    but one."""
    k, n = neighbours.shape
    name, d = f"brute_lists<{ctype(rows.dtype)}, {metric.number}, {k}>", np.int32(rows.shape[1] - 1)
    launch("distances/brute", name, n, rows, centres, n, d, metric.norm, neighbours, core, block=BRUTE_QUERIES)


def kth_distances(
    rows: cupy.ndarray,
    metric: Metric,
    k: int,
    core: cupy.ndarray,
    among: tuple[cupy.ndarray, int] | None = None,
    centres: cupy.ndarray | None = None,
    radius: cupy.ndarray | None = None,
) -> None:
    """Set `core` to the distance of every point to its k-th nearest other point.

    `among` has other points, and how many of their rows count, if neighbours are not to be found among `rows`. With
    `centres` of these points, far tiles are left out; that needs Euclidean distances. `radius` is set to 0 where the
    nearest is at distance 0, else to infinity.
    """
    points, n = among or (rows, len(core))
    T, d, itself = ctype(rows.dtype), np.int32(rows.shape[1] - 1), among is None
    length = next((length for length in LIST_LENGTHS if k <= length), None)
    if length:
        name, inputs, rank = f"brute_last_of_list<{T}, {metric.number}, {length}>", [points], k
    else:
        name, inputs, rank = f"brute_kth_distances<{T}, {metric.number}>", [points, centres], k + itself
    args = (rows, len(core), *inputs, n, d, metric.norm, np.int32(rank), core, radius)
    launch("distances/brute", name, len(core), *args, block=BRUTE_QUERIES)


def nearest_outside(
    rows: cupy.ndarray,
    centres: cupy.ndarray | None,
    metric: Metric,
    labels: cupy.ndarray,
    worklist: cupy.ndarray | None,
    count: cupy.ndarray,
    results: tuple[cupy.ndarray, cupy.ndarray, cupy.ndarray | None],
    best: cupy.ndarray,
) -> None:
    """Set `results` (nearest, bound, second) to the nearest points of other components, up to the components' `best`.
    It is lowered to the weights of the edges to them.

    Of all points, or of the first `count[0]` of the worklist; `second` is None without core distances. The points are
    split over blocks so that few queries still fill the device.
    """
    n, d, T = len(labels), rows.shape[1] - 1, ctype(rows.dtype)
    busy = 4 * multiprocessors()  # blocks wanted
    queries = n if worklist is None else len(worklist)
    size = queries + busy * BRUTE_QUERIES  # neighbours by split and query, at most
    partial = (cupy.empty(size, np.int32), cupy.empty(size, rows.dtype), cupy.empty(size, rows.dtype))
    work = (worklist, count, np.int32(busy))
    mrd = np.int32(results[2] is not None)
    launch_grid(
        "distances/brute",
        f"brute_nearest<{T}, {metric.number}>",
        (-(-queries // BRUTE_QUERIES), BRUTE_SPLITS),
        (BRUTE_QUERIES,),
        (rows, centres, labels, n, np.int32(d), metric.norm, *work, mrd, best, *partial),
    )
    launch("distances/brute", f"brute_nearest_of_splits<{T}>", queries, labels, n, *work, *partial, *results, best)
