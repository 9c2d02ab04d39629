"""Equal points, joined before the first search, on the GPU. Kernels: duplicates.cu."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from emst.backend.records import Forest
from emst.cuda.merge import MergeScratch, halves
from emst.cuda.points.bvh import SearchIndex, padded
from emst.cuda.points.engine import Engine
from emst.cuda.points.rounds import at_once
from emst.cuda.runtime.launch import launch
from emst.cuda.runtime.memory import empties
from emst.cuda.runtime.to_host import Written

# A round is kept if there are at least so many runs and single points for each point that repeats the one before it.
# Runs wait: with many of them, a round might leave nearly all components.
FEW_RUNS = 8


def join_duplicates(
    index: SearchIndex, begin: Callable[[Forest], None] | None = None, first_round: bool = False
) -> Forest:
    """See `emst.backend.operations`."""
    n, T = index.n, index.T
    # Products leave the largest component without an edge, which in the first round is a point as a rule.
    keeps = first_round and index.core is not None and index.engine is not Engine.PRODUCTS and not at_once(n)
    scratch = MergeScratch(n, keeps)
    whole, heads, weight, best = empties((padded(n), np.int32), (n, np.int32), (n, index.dtype), (n, index.dtype))
    labels = whole[:n]  # whole leaves are read at once
    count = Written(1)
    listing = (index.rows, n, *index.shape, heads, labels, count.address)
    scratch.compaction.launch("points/duplicates", f"list_heads<{T}>", n, *listing)
    count.launched()
    kept = scratch.hooks, None if scratch.hooks is None else scratch.parent
    args = (heads, n, index.core, labels, scratch.edge, scratch.ends, weight, best, *kept)
    launch("points/duplicates", f"join_to_heads<{T}>", padded(n), *args)
    edge, ends = halves(scratch.edge), halves(scratch.ends)
    forest = Forest(labels, heads, best, *edge, *ends, weight, scratch)
    if begin is not None:
        begin(forest)
    (left,) = count.arrived()
    forest.components = heads[:left]
    if (n - left) * FEW_RUNS > left:
        scratch.hooks = None
    else:
        scratch.runs, scratch.points = left < n, (index.rows, *index.shape)
    return forest
