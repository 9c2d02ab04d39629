"""The rounds that are left, at once, where points or components are few, on the GPU. Kernel: rounds.cu."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Forest
from emst.cuda.merge import scratch_of
from emst.cuda.points.bvh import SearchIndex
from emst.cuda.points.cached import NeighbourCache
from emst.cuda.points.search import SLACK_UP_TO, slack_of
from emst.cuda.points.taken import TakenRounds
from emst.cuda.runtime.constants import ROUNDS_BLOCKS, ROUNDS_WORDS, WALK_WARPS
from emst.cuda.runtime.launch import launch_resident, multiprocessors
from emst.cuda.runtime.memory import cleared
from emst.cuda.runtime.to_host import Written

ALL_UP_TO = 1 << 19  # points, of which all rounds are taken at once. Of more points, up to
MOST_POINTS = 1 << 22  # those rounds are that begin with
SHARE = 1 << 8  # so many points a component, or more: in the others, passes over lists take less time


def join_rest(index: SearchIndex, forest: Forest, cache: NeighbourCache) -> TakenRounds | None:
    """See `emst.backend.operations`."""
    n, mrd = index.n, cache.second is not None
    few = at_once(n) or (n <= MOST_POINTS and forest.count * SHARE <= n)
    if not (index.walks and few):
        return None
    (state,), told, scratch = cleared((ROUNDS_WORDS, np.int32)), Written(ROUNDS_WORDS - 1), scratch_of(forest)
    launch_resident(
        "points/rounds",
        f"join_rest<{index.template}, {'true' if mrd else 'false'}>",
        min(multiprocessors() * ROUNDS_BLOCKS, -(-n // WALK_WARPS)),
        *(index.rows, n, index.hierarchy, index.nodes, index.arrived, index.metric.norm),
        *(forest.components, scratch.spare, forest.count),
        *(np.bool_(cache.rounds > 0), index.dtype.type(slack_of(index, mrd)), SLACK_UP_TO),
        *(forest.labels, cache.nearest, scratch.parent, cache.bound, cache.second, cache.step),
        *(forest.best, cache.best_distance, scratch.edge, scratch.ends, forest.weight, state, told.address),
        block=32 * WALK_WARPS,
    )
    scratch.taken = TakenRounds(told, counts_before=False)
    forest.components = forest.components[:1]
    return scratch.taken


def at_once(n: int) -> bool:
    """Whether all rounds of so many points are taken at once."""
    return n <= ALL_UP_TO
