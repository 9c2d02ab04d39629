"""The lightest edge of every component, from the cached neighbours of its points. Kernels: lightest.cu."""

from __future__ import annotations

import cupy

from emst.backend.records import Forest
from emst.cuda.merge import scratch_of
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.constants import BLOCK, EACH
from emst.cuda.runtime.launch import launch, multiprocessors

BLOCKS_AN_SM = 8


def lightest_edges(
    forest: Forest,
    nearest: cupy.ndarray,
    bound: cupy.ndarray,
    distance: cupy.ndarray | None,
    best_distance: cupy.ndarray | None,
    worklist: cupy.ndarray | None = None,
    count: cupy.ndarray | None = None,
) -> None:
    """Set the edge of every component to its first in the total order, where ``forest.best`` is the least weight.

    `distance` is the second key and `best_distance`, T[n] and infinite, takes its minima; both None where the
    distance is the weight. Only the points in the worklist are looked at, if there is one (see lightest.cu).
    """
    n, T = len(forest.labels), ctype(bound.dtype)
    arrays = (forest.labels, n, worklist, count, nearest, bound, distance, forest.best, best_distance)
    threads = min(-(-n // EACH), multiprocessors() * BLOCKS_AN_SM * BLOCK)
    if distance is not None:
        launch("lightest", f"nearest_of_lightest<{T}>", threads, *arrays)
    launch("lightest", f"first_of_lightest<{T}>", threads, *arrays, scratch_of(forest).edge)
