"""Reference for the operations of cluster validity, in slow numpy. See `reference.py`."""

from __future__ import annotations

import numpy as np


def _between(columns):
    from reference import squared_distance

    return np.sqrt(squared_distance(columns.T[:, None], columns.T[None]))


def _reachability(columns, core):
    return np.maximum(np.maximum(_between(columns), core), core[:, None])


def core_distance_sums(columns, cluster, starts, dimension):
    """Sums taken one after the other, powers by squaring."""
    between = _between(columns)
    n = len(cluster)
    nearest, total = np.full(n, np.inf), np.zeros(n)
    for i in range(n):
        others = between[i, starts[cluster[i]] : starts[cluster[i] + 1]]
        others = others[others > 0]
        nearest[i] = others.min(initial=np.inf)
        for ratio in (nearest[i] / others).tolist():
            power, x, exponent = 1.0, ratio, dimension
            while exponent:
                power, x, exponent = power * x if exponent & 1 else power, x * x, exponent >> 1
            total[i] += power
    return nearest, total


def cluster_trees(columns, starts, core):
    weights = _reachability(columns, core)
    parent, weight = np.full(len(core), -1, np.int32), np.zeros(len(core))
    for low, high in zip(starts[:-1], starts[1:]):
        inside, outside = [low], list(range(low + 1, high))
        while outside:
            least = weights[np.ix_(outside, inside)].min(axis=1)
            new = outside.pop(int(least.argmin()))
            weight[new] = least.min()
            parent[new] = min(p for p in inside if weights[new, p] == weight[new])
            inside.append(new)
    return parent, weight


def separations(columns, cluster, starts, core):
    weights = _reachability(columns, core)
    weights[cluster[:, None] == cluster] = np.inf
    return weights.min(axis=1)
