"""Cached nearest neighbours of another component, on the GPU. Kernels: cached.cu."""

from __future__ import annotations

import functools

import cupy
import numpy as np

from emst.backend.records import Forest
from emst.cuda.merge import labels_behind
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.points.labels import label_upper
from emst.cuda.runtime.compaction import Compaction
from emst.cuda.runtime.constants import BITS_TILE
from emst.cuda.runtime.launch import launch, launch_over_points
from emst.cuda.runtime.memory import empties, scratch, zeros


class NeighbourCache:
    """The cached nearest point of another component of each point. search.cu explains how it is used. All but `nearest`
    and `count` are for kernels alone.

    Attributes
    ----------
    nearest : int32[n]
        The neighbour found by the last search, -1 if there is none.
    bound : T[n]
        Weight of the edge to it. Once both are in one component, a lower bound of all edges that leave the component.
    second : T[n] or None
        Distance to it, under mutual reachability.
    worklist, count : int32[n], int32[5]
        Points that need a search, and how many: see search.cu.
    unlisted : int32[ceil(n / 32)]
        Packets with too many leaves nearby for a list: see search.cu.
    step : T[n]
        Weight of the edge to the next point on the curve.
    spans : Spans
        Made when they are first read.
    """

    def __init__(self, index: SearchIndex) -> None:
        ids, weights = (index.n, np.int32), (index.n, index.dtype)
        self.n, self.dtype = index.n, index.dtype
        self.rounds, self.alone = 0, False  # rounds searched; whether all points were components of the first one
        self.second = self.best_distance = None
        if index.core is not None:
            self.second, self.best_distance = scratch(weights, weights)
        self.nearest, self.count = empties(ids, (5, np.int32))
        of_packets = (-(-index.n // 32), np.int32)
        self.bound, self.worklist, self.step, self.unlisted = scratch(weights, ids, weights, of_packets)
        self.lists: cupy.ndarray | None = None  # neighbours to look at before searching, int32[k, n]
        self.listed: cupy.ndarray | None = None  # powers of the distances to them, T[k, n], if they are known

    @functools.cached_property
    def spans(self) -> Spans:
        return Spans(self.n, self.dtype)


class Spans:
    """What is known of 32 points each: see search.cu.

    Attributes
    ----------
    rest, marked, known : T[words], uint32[words], uint32[words]
        A lower bound, which points need a search, and which do not.
    """

    def __init__(self, n: int, dtype: np.dtype) -> None:
        words = -(-n // 32)
        (self.rest,) = zeros((words, dtype))
        self.marked, self.known = empties((words, np.uint32), (words, np.uint32))
        self.compaction = Compaction(words, BITS_TILE)


def cache_neighbours(index: SearchIndex, forest: Forest) -> NeighbourCache:
    """See `emst.backend.operations`."""
    cache, lists, n = NeighbourCache(index), index.neighbours, index.n
    if lists is None:
        started = (forest.labels, cache.nearest, cache.bound, cache.step, cache.count)
        name = f"start_cache<{index.T}, {index.metric.number}>"
        launch("points/cached", name, n, index.rows, n, *index.shape, index.metric.norm, index.core, *started)
        return cache
    cache.lists, index.neighbours = lists, None
    cache.listed, index.listed = index.listed, None
    fill_from_lists(index, forest, cache)
    if index.walks:
        cache.lists = None  # searching costs less than looking again
    return cache


def fill_from_lists(index: SearchIndex, forest: Forest, cache: NeighbourCache) -> None:
    """Take neighbours from the lists where there are any, so that fewer points need a search. The first call starts
    the cache."""
    n, lists, again = index.n, cache.lists, np.bool_(cache.rounds > 0)
    if lists is None:
        return
    name = f"cache_from_lists<{index.T}, {index.d if index.walks else 0}, {index.metric.number}>"
    results = (forest.labels, cache.nearest, cache.bound, cache.second, forest.best)
    start = (index.core, cache.step, cache.count)
    points = (index.rows, n, *index.shape, index.metric.norm)
    launch("points/cached", name, n, again, *points, len(lists), lists, cache.listed, *results, *start)


def begin_round(index: SearchIndex, forest: Forest, cache: NeighbourCache) -> None:
    """See `emst.backend.operations`; `merge` and `join_duplicates` leave `best` at infinity."""
    if cache.rounds == 1 and cache.alone and not index.walks:  # the nearest neighbour of each point has joined it
        cache.nearest.data.memset_async(0xFF, cache.nearest.nbytes)
    name, nodes = f"begin_round<{index.T}, {index.d if index.walks else 0}>", index.nodes if index.walks else None
    points = (forest.labels, index.n, index.hierarchy, nodes, index.rows, *index.shape, cache.step)
    results = (cache.second, cache.nearest, cache.bound, forest.best, cache.count)
    launch_over_points("points/cached", name, index.n, *labels_behind(forest), *points, *results)
    label_upper(index)
