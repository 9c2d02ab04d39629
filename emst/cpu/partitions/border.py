"""Lower bounds of edges to other partitions, and which components of a partition must not hook, because another
partition may hold a lighter edge.

A partition is the work of one thread, so this is array code.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.points.result import edge_powers


def bound_weights(index, reach):
    """See `emst.backend.partition_operations`."""
    return reach if index.core is None else np.maximum(reach, index.core)


def forget_bounds(forest, weight, power):
    """See `emst.backend.partition_operations`."""
    repeated = np.flatnonzero(forest.source >= 0)
    weight[repeated] = power[repeated] = np.inf


def least_of_others(values, places):
    """See `emst.backend.partition_operations`."""
    others = np.ones(len(values), np.bool_)
    others[places] = False
    return float(values.min(where=others, initial=np.inf))


def join_bounds(forest, roots, weight, power):
    """See `emst.backend.partition_operations`."""
    labels, old = forest.labels[roots], weight[roots]
    if power is not None:
        powers = power[roots]
    np.minimum.at(weight, labels, old)
    if power is not None:
        same = np.flatnonzero(old == weight[labels])
        power[forest.components] = np.inf
        np.minimum.at(power, labels[same], powers[same])


def hold_back(index, forest, weight, power):
    """See `emst.backend.partition_operations`."""
    roots = forest.components
    best, bound = forest.best[roots], weight[roots]
    none = forest.edge_u[roots] < 0
    unsure = none | (best >= bound)
    if power is not None:
        tied = np.flatnonzero((best == bound) & ~none)
        ends = (end[roots[tied]] for end in (forest.edge_u, forest.edge_v))
        unsure[tied] = edge_powers(index, *ends) >= power[roots[tied]]
    held = roots[unsure]
    if len(held) < len(roots):
        forest.edge_u[held] = forest.edge_v[held] = -1
    return len(roots) - len(held)
