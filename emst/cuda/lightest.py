"""The lightest edge of every component, from the cached neighbours of its points. Kernels: lightest.cu."""

from __future__ import annotations

import cupy

from emst.backend.records import Forest
from emst.cuda.merge import scratch_of
from emst.cuda.runtime.compile import ctype
from emst.cuda.runtime.launch import launch_over_points


def lightest_edges(
    forest: Forest,
    nearest: cupy.ndarray,
    bound: cupy.ndarray,
    distance: cupy.ndarray | None,
    best_distance: cupy.ndarray | None,
) -> None:
    """Set the edge of every component to its first in the total order, where ``forest.best`` is the least weight.

    `distance` is the second key and `best_distance`, T[n] and infinite, room for its minima; both None where the
    distance is the weight.
    """
    n, T = len(forest.labels), ctype(bound.dtype)
    known = (forest.labels, n, nearest, bound, distance, forest.best, best_distance)
    if distance is not None:
        launch_over_points("lightest", f"nearest_of_lightest<{T}>", n, *known)
    launch_over_points("lightest", f"first_of_lightest<{T}>", n, *known, scratch_of(forest).edge)
