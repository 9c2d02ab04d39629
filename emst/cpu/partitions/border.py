"""Lower bounds of edges to other partitions, and which components of a partition must not hook, because another
partition may hold a lighter edge."""

from __future__ import annotations

import numpy as np

from emst.cpu.points.result import edge_powers
from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel
from emst.cpu.runtime.parallel import for_chunks, grain_for


def bound_weights(index, forest, reach):
    """See `emst.backend.partition_operations`."""
    joined = forest.count < index.n
    if index.core is None and not joined:
        return reach
    weight = reach.copy() if index.core is None else np.maximum(reach, index.core)
    if joined:
        weight[np.flatnonzero(forest.source >= 0)] = np.inf
    return weight


def least_of_others(values, places):
    """See `emst.backend.partition_operations`."""
    others = np.ones(len(values), np.bool_)
    others[places] = False
    return float(values.min(where=others, initial=np.inf))


def join_bounds(forest, roots, weight, power):
    """See `emst.backend.partition_operations`."""
    _join_bounds(roots, forest.labels, weight, weight if power is None else power)


@kernel
def _join_bounds(roots, labels, weight, power):
    """Several roots may have joined one component: this is the work of one thread."""
    for root in roots:
        component = labels[root]
        if weight[root] > weight[component]:
            continue
        if weight[root] < weight[component] or power[root] < power[component]:
            weight[component] = weight[root]
            power[component] = power[root]


SURE, UNSURE, TIED = 0, 1, 2


def hold_back(index, forest, weight, power):
    """See `emst.backend.partition_operations`."""
    roots, count = forest.components, forest.count
    found, grain = empty(count, np.int8), grain_for(count, 1 << 15)
    for_chunks(_compare, count, grain, roots, forest.edge_u, forest.best, weight, found)
    if power is not None:  # else what ties is not sure
        tied = np.flatnonzero(found == TIED)
        ends = (end[roots[tied]] for end in (forest.edge_u, forest.edge_v))
        found[tied] = edge_powers(index, *ends) >= power[roots[tied]]
    held = np.count_nonzero(found)
    if held < count:
        for_chunks(_take_edges, count, grain, roots, found, forest.edge_u, forest.edge_v)
    return count - held


@kernel
def _compare(roots, edge_u, best, weight, found, begin, end):
    for k in range(begin, end):
        root = roots[k]
        tied, lighter = best[root] == weight[root], best[root] < weight[root]
        found[k] = UNSURE if edge_u[root] < 0 else TIED if tied else SURE if lighter else UNSURE


@kernel
def _take_edges(roots, found, edge_u, edge_v, begin, end):
    for k in range(begin, end):
        if found[k] != SURE:
            edge_u[roots[k]] = edge_v[roots[k]] = -1
