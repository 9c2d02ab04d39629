"""Equal points, joined before the first search."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Forest
from emst.cpu.points.places import first_at_least
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compact import positions
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.lanes import LANES
from emst.cpu.runtime.numbers import greater
from emst.cpu.runtime.parallel import for_chunks, grain_for, rows_that_hold


def join_duplicates(index, begin=None, first_round=False):
    """See `emst.backend.operations`. No round is kept."""
    n = index.n
    start = np.ones(n, np.bool_)
    grain = grain_for(n, rows_that_hold(1 << 17, index.d))
    for_chunks(differ_from_last, n, grain, index.nodes.blocks, index.d, start)
    heads = positions(start)
    forest = Forest(
        labels=empty(n, np.int32),
        components=heads,
        best=empty(n, index.dtype),
        **{name: empty(n, np.int32) for name in ("edge_u", "edge_v", "source", "target")},
        weight=empty(n, index.dtype),
    )
    ends = (forest.edge_u, forest.edge_v, forest.source, forest.target)
    for_chunks(join_runs, n, grain, heads, index.core, forest.labels, forest.best, *ends, forest.weight)
    if begin is not None:
        begin(forest)
    return forest


@kernel
def differ_from_last(blocks, d, start, begin, end):
    """Which points differ from the one before them."""
    for i in range(greater(begin, 1), end):
        a, b = (i - 1) // LANES * d * LANES + (i - 1) % LANES, i // LANES * d * LANES + i % LANES
        same = True
        for k in range(d):
            same &= blocks[a + k * LANES] == blocks[b + k * LANES]
        start[i] = not same


@kernel
def join_runs(heads, core, labels, best, edge_u, edge_v, source, target, weight, begin, end):
    """Every point is labelled by the head of its run, and all but the head have an edge to it."""
    run = first_at_least(heads, begin + 1, 0, len(heads)) - 1
    for i in range(begin, end):
        if run + 1 < len(heads) and heads[run + 1] == i:
            run += 1
        head = heads[run]
        labels[i] = head
        best[i] = np.inf
        edge_u[i] = edge_v[i] = source[i] = target[i] = -1
        weight[i] = 0
        if head != i:
            source[i], target[i] = head, i
            if core is not None:
                weight[i] = core[i]
