"""Cached nearest neighbours of another component, on the GPU. Kernels: cached.cu."""

from __future__ import annotations

import cupy
import numpy as np

from emst.backend.records import Forest
from emst.cuda.points.bvh import Bvh
from emst.cuda.runtime.constants import BITS_TILE
from emst.cuda.runtime.launch import Compaction, launch, launch_over_points


class NeighbourCache:
    """The cached nearest point of another component of each point. search.cu explains how it is used.

    Attributes
    ----------
    nearest : int32[n]
        The neighbour found by the last search, -1 if there is none.
    bound : T[n]
        Weight of the edge to it. Once both are in one component, a lower bound of all edges that leave the component.
    second : T[n] or None
        Distance to it, under mutual reachability.
    rest, marked, known : T[words], uint32[words], uint32[words]
        Of 32 points each, a lower bound, which of them need a search, and which do not: see search.cu.
    """

    def __init__(self, bvh: Bvh) -> None:
        n, words, mrd = bvh.n, -(-bvh.n // 32), bvh.core is not None
        self.rounds, self.alone = 0, False  # rounds searched; whether all points were components of the first one
        self.nearest = cupy.empty(n, np.int32)
        self.bound = cupy.empty(n, bvh.dtype)
        self.second = cupy.empty(n, bvh.dtype) if mrd else None
        self.best_distance = cupy.full(n, np.inf, bvh.dtype) if mrd else None
        self.worklist = cupy.empty(n, np.int32)
        self.lists: cupy.ndarray | None = None  # neighbours to look at before searching, int32[k, n]
        self.listed: cupy.ndarray | None = None  # powers of the distances to them, T[k, n], if they are known
        self.step = cupy.empty(n, bvh.dtype)
        self.count = cupy.empty(3, np.int32)  # of the worklist, see search.cu
        self.rest = cupy.zeros(words, bvh.dtype)
        self.marked, self.known = cupy.empty(words, np.uint32), cupy.empty(words, np.uint32)
        self.compaction = Compaction(words, BITS_TILE)


def cache_neighbours(bvh: Bvh, forest: Forest) -> NeighbourCache:
    """See `emst.backend.operations`."""
    cache, lists, n = NeighbourCache(bvh), bvh.neighbours, bvh.n
    started = (forest.labels, cache.nearest, cache.bound, cache.step, cache.count)
    name = f"start_cache<{bvh.T}, {bvh.metric.number}>"
    launch("points/cached", name, n, bvh.rows, n, *bvh.shape, bvh.metric.norm, bvh.core, *started)
    if lists is None:
        return cache
    cache.lists, bvh.neighbours = lists, None
    cache.listed, bvh.listed = bvh.listed, None
    fill_from_lists(bvh, forest, cache)
    if bvh.walks:
        cache.lists = None  # searching costs less than looking again
    return cache


def fill_from_lists(bvh: Bvh, forest: Forest, cache: NeighbourCache) -> None:
    """Take neighbours from the lists where there are any, so that fewer points need a search."""
    n, lists, again = bvh.n, cache.lists, np.bool_(cache.rounds > 0)
    if lists is None:
        return
    name = f"cache_from_lists<{bvh.T}, {bvh.d if bvh.walks else 0}, {bvh.metric.number}>"
    results = (forest.labels, cache.nearest, cache.bound, cache.second, forest.best)
    points = (bvh.rows, n, *bvh.shape, bvh.metric.norm)
    launch("points/cached", name, n, again, *points, len(lists), lists, cache.listed, *results)


def upper_bounds(bvh: Bvh, forest: Forest, cache: NeighbourCache) -> None:
    """See `emst.backend.operations`; `merge` and `join_duplicates` leave `best` at infinity."""
    if cache.rounds == 1 and cache.alone and not bvh.walks:  # the nearest neighbour of each point has joined it
        cache.nearest.data.memset_async(0xFF, cache.nearest.nbytes)
    known = (forest.labels, bvh.n, bvh.rows, *bvh.shape, cache.step)
    results = (cache.second, cache.nearest, cache.bound, forest.best, cache.count)
    launch_over_points("points/cached", f"upper_bounds<{bvh.T}>", bvh.n, *known, *results)
