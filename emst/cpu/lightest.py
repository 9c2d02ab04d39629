"""The last step of a round: the first edge of every component in the total order, from cached nearest neighbours.

Several threads may hold candidates of one component. Each writes its candidate if that comes before the stored one. If
two write at once, one of the writes gets lost. So the pass is repeated until no thread writes: the result is the
minimum, whatever the order of the threads. Nearly always the second pass writes nothing.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.atomics import load, store
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.lanes import LANES, lowest_bit
from emst.cpu.runtime.numbers import greater, lesser
from emst.cpu.runtime.order import ends_precede
from emst.cpu.runtime.parallel import for_chunks, grain_for


def lightest_edges(forest, candidates, memory, near):
    """Set ``best``, ``edge_u`` and ``edge_v`` of every component from the candidates.

    Parameters
    ----------
    forest : Forest
        Its ``best`` are upper bounds, and no component has an edge.
    candidates : int64[ceil(n / 16)]
        One bit for each point whose cached neighbour is exact and may be the component's first edge.
    memory : named tuple
        ``labels``, ``nearest`` and ``bound`` of every point.
    near : T[n] or None
        The distance to ``nearest``, the second key; None where it is the weight.
    """
    leaves = len(candidates)
    grain = grain_for(leaves, 2048)
    improved = np.empty(-(-leaves // grain), np.bool_)
    for improve, kept in ((least_weights, forest.best), (first_edges, forest.edge_u)):
        improved[:] = True
        while improved.any():
            args = (candidates, memory, near, forest.best, kept, improved, grain)
            for_chunks(improve, leaves, grain, *args)
    args = (forest.components, memory, forest.edge_u, forest.edge_v)
    for_chunks(name_edges, forest.count, grain_for(forest.count, 1 << 14), *args)


@kernel
def least_weights(candidates, memory, near, best, kept, improved, grain, begin, end):
    improves = False  # one write: `improved` of all threads is on one cache line
    for leaf in range(begin, end):
        mask = candidates[leaf]
        while mask:
            u = leaf * LANES + lowest_bit(mask)
            mask &= mask - 1
            if memory.bound[u] < load(kept, memory.labels[u]):
                store(kept, memory.labels[u], memory.bound[u])
                improves = True
    improved[begin // grain] = improves


@kernel
def first_edges(candidates, memory, near, best, kept, improved, grain, begin, end):
    """Find the first edge among those of the least weight; `kept` is the point that holds the first one so far."""
    improves = False  # one write: `improved` of all threads is on one cache line
    for leaf in range(begin, end):
        mask = candidates[leaf]
        while mask:
            u = np.int32(leaf * LANES + lowest_bit(mask))
            mask &= mask - 1
            label = memory.labels[u]
            if memory.bound[u] != best[label]:
                continue
            x = load(kept, label)
            if x < 0 or (x != u and _before(u, x, memory, near)):
                store(kept, label, u)
                improves = True
    improved[begin // grain] = improves


@part
def _before(u, x, memory, near):
    """Whether the edge of point u comes before that of point x, of the same weight."""
    if near is not None and near[u] != near[x]:
        return near[u] < near[x]
    return ends_precede(u, memory.nearest[u], x, memory.nearest[x])


@kernel
def name_edges(components, memory, edge_u, edge_v, begin, end):
    for k in range(begin, end):
        c = components[k]
        u = edge_u[c]
        if u >= 0:
            v = memory.nearest[u]
            edge_u[c], edge_v[c] = lesser(u, v), greater(u, v)
