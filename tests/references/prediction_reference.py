"""Reference for the operations of prediction, in slow numpy. See `reference.py`."""

from __future__ import annotations

import numpy as np
from norms_reference import power_between

from emst.backend.records import EUCLIDEAN


def query_cores(index, queries, k, near):
    """All pairs. The radius is 0 where a point is at distance 0, else infinite; a backend may give a lesser one."""
    between = np.sort(power_between(queries.scaled[:, None], index.scaled[None], index.norm), axis=1)
    core = between[:, k - 2] * between.dtype.type(index.core_factor)
    return core, np.where(between[:, 0] == 0, 0, np.inf).astype(between.dtype)


def weighted_query_cores(index, queries, units, enough, near):
    between = power_between(queries.scaled[:, None], index.scaled[None], index.norm)
    core = least_radii(between, units, enough) * between.dtype.type(index.core_factor)
    return core, np.where(between.min(axis=1) == 0, 0, np.inf).astype(between.dtype)


def least_radii(between, units, enough):
    """Of every row of distances, the least one within which the weights sum to enough."""
    order = np.argsort(between, axis=1)
    last = (np.cumsum(units[order], axis=1) >= enough).argmax(axis=1)
    return between[np.arange(len(between)), order[np.arange(len(between)), last]]


def exemplar_distances(points, exemplars, starts):
    between = power_between(points[:, None], exemplars[None], EUCLIDEAN)
    return np.stack([between[:, a:b].min(axis=1) for a, b in zip(starts[:-1], starts[1:])], axis=1)


def common_ancestor_lambdas(condensed, clusters, others):
    def line(c):
        return [c] if condensed.parent[c] < 0 else [c, *line(condensed.parent[c])]

    parting = np.full((len(clusters), len(others)), np.nan)
    for i, a in enumerate(clusters):
        for j, b in enumerate(others):
            common = next(c for c in line(a) if c in line(b))
            if common not in (a, b):
                parting[i, j] = condensed.death[common]
    return parting
