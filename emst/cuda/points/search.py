"""The lightest edge out of each component, on the GPU. Kernels: search.cu."""

from __future__ import annotations

import cupy

from emst.backend.records import Forest
from emst.cuda.distances.brute import nearest_outside
from emst.cuda.lightest import lightest_edges
from emst.cuda.merge import scratch_of
from emst.cuda.points.bvh import SearchIndex, in_whole_leaves
from emst.cuda.points.cached import NeighbourCache, fill_from_lists
from emst.cuda.points.engine import Engine
from emst.cuda.points.products import search_by_products
from emst.cuda.runtime.constants import LISTED_UP_TO, WALK_WARPS
from emst.cuda.runtime.launch import launch, multiprocessors

BLOCKS_AN_SM = 12  # as many as it holds at once, at most (search.cuh)
# After the first round, searches look farther than the upper bound of their component, by this factor of squares. A
# point that finds nothing, or something farther, then needs no search for several rounds. Large components that lie
# apart have many points about equally far from the next component: for them, looking farther only costs time.
SLACK, SLACK_MRD = 1.5, 1.2
SLACK_UP_TO = 100_000  # points a component, on average


def nearest_outgoing(index: SearchIndex, forest: Forest, cache: NeighbourCache) -> None:
    """See `emst.backend.operations`."""
    n = index.n
    if cache.rounds == 0:
        cache.alone = cache.second is None and forest.count == n
    worklist = None if cache.rounds == 0 and cache.alone else cache.worklist
    if cache.rounds > 0:
        fill_from_lists(index, forest, cache)
    if cache.best_distance is not None:
        args = (forest.components, forest.count, cache.best_distance)
        launch("points/cached", f"forget_distances<{index.T}>", forest.count, *args)
    if worklist is not None:
        _list_searches(index, forest, cache)
    SEARCHES[index.engine](index, forest, cache, worklist)
    _ = cache.spans  # the next round needs them: they are made while the GPU searches
    cache.rounds += 1
    if worklist is not None or not index.walks:
        of_points = (cache.nearest, cache.bound, cache.second, cache.best_distance)
        lightest_edges(forest, *of_points, worklist, cache.count)


def _list_searches(index: SearchIndex, forest: Forest, cache: NeighbourCache) -> None:
    n, spans, words = index.n, cache.spans, len(cache.spans.marked)
    words_of_points = (spans.rest, spans.marked, spans.known)
    args = (forest.labels, n, cache.nearest, cache.bound, forest.best, *words_of_points)
    launch("points/search", f"mark_searches<{index.T}>", words, *args)
    lists = (spans.marked, spans.known, n, cache.worklist, cache.count)
    spans.compaction.launch("points/search", "list_marked", words, *lists)


def _search_bvh(index: SearchIndex, forest: Forest, cache: NeighbourCache, worklist: cupy.ndarray | None) -> None:
    template, block = f"{index.template}, {'true' if cache.second is not None else 'false'}", 32 * WALK_WARPS
    threads = min(index.n, multiprocessors() * BLOCKS_AN_SM * block)
    crowded = cache.rounds > 0 and index.n < SLACK_UP_TO * forest.count
    slack = index.dtype.type(slack_of(index, cache.second is not None) if crowded else 1)
    points = (index.rows, in_whole_leaves(forest.labels), index.hierarchy, index.nodes, index.metric.norm)
    edge = scratch_of(forest).edge if worklist is None else None
    results = (cache.nearest, cache.bound, cache.second, forest.best, edge)
    args = (*points, worklist, cache.count, cache.unlisted, *results, slack)
    if index.d <= LISTED_UP_TO:
        launch("points/search", f"nearest_outgoing<{template}>", threads, *args, block=block)
    launch("points/search", f"walk_packets<{template}>", threads, *args, block=block)


def slack_of(index: SearchIndex, mrd: bool) -> float:
    """The same factor of distances for powers of the norm, 2 at most, so that the greatest power times it is finite."""
    return min((SLACK_MRD if mrd else SLACK) ** (index.norm.degree / 2), 2.0)


def _search_all(index: SearchIndex, forest: Forest, cache: NeighbourCache, worklist: cupy.ndarray | None) -> None:
    results = (cache.nearest, cache.bound, cache.second)
    work = (forest.labels, worklist, cache.count)
    nearest_outside(index.rows, index.centres, index.metric, *work, results, forest.best)


SEARCHES = {Engine.WALKS: _search_bvh, Engine.PRODUCTS: search_by_products, Engine.PAIRS: _search_all}
