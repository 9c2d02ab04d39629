"""One round's question on the GPU: the lightest edge leaving each component. Kernels: search.cu."""

from __future__ import annotations

import cupy

from emst.backend.records import Forest
from emst.cuda.distances.brute import nearest_outside
from emst.cuda.lightest import lightest_edges
from emst.cuda.points.bvh import Bvh
from emst.cuda.points.cached import NeighbourCache, fill_from_lists
from emst.cuda.runtime.constants import WALK_WARPS
from emst.cuda.runtime.launch import launch

BLOCKS_AN_SM = 16
# After the first round searches look this much farther (squared) than the lightest edge their component knows: a point
# that finds nothing, or something farther, then rests for several rounds. Not when components have grown so large that
# they lie apart: a whole city is about as far from the next one as its nearest suburb.
SLACK, SLACK_MRD = 1.5, 1.2
SLACK_UP_TO = 100_000  # points a component, on average


def nearest_outgoing(bvh: Bvh, forest: Forest, cache: NeighbourCache) -> None:
    """See `emst.backend.operations`."""
    n, T, mrd = bvh.n, bvh.T, cache.second is not None
    known = (forest.labels, n, cache.nearest, cache.bound)
    everybody = cache.rounds == 0 and not mrd and forest.count == n
    worklist = None if everybody else cache.worklist
    if cache.rounds > 0:
        fill_from_lists(bvh, forest, cache)
    if worklist is not None:
        out = (cache.second, forest.best, bvh.rows, *bvh.shape, worklist, cache.count)
        cache.compaction.launch("points/search", f"list_searches<{T}>", n, *known, *out)
    search = _search_all if bvh.brute else _search_bvh
    search(bvh, forest, cache, worklist)
    cache.rounds += 1
    lightest_edges(forest, cache.nearest, cache.bound, cache.second, cache.best_distance)


def _search_bvh(bvh: Bvh, forest: Forest, cache: NeighbourCache, worklist: cupy.ndarray | None) -> None:
    name = f"nearest_outgoing<{bvh.template}, {'true' if cache.second is not None else 'false'}>"
    block = 32 * WALK_WARPS
    threads = min(bvh.n, cache.multiprocessors * BLOCKS_AN_SM * block)
    crowded = cache.rounds > 0 and bvh.n < SLACK_UP_TO * forest.count
    slack = bvh.dtype.type((SLACK if cache.second is None else SLACK_MRD) if crowded else 1)
    asked = (bvh.rows, forest.labels, bvh.hierarchy, bvh.nodes, worklist, cache.count)
    told = (cache.nearest, cache.bound, cache.second, forest.best)
    launch("points/search", name, threads, *asked, *told, slack, block=block)


def _search_all(bvh: Bvh, forest: Forest, cache: NeighbourCache, worklist: cupy.ndarray | None) -> None:
    told = (cache.nearest, cache.bound, cache.second)
    nearest_outside(bvh.rows, forest.labels, worklist, cache.count, forest.best, told, forest.best, centres=bvh.centres)
