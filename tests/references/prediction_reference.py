"""Reference for the operations of prediction, in slow numpy. See `reference.py`."""

from __future__ import annotations

import numpy as np
from norms_reference import power_between

from emst.backend.records import EUCLIDEAN


def nearest_reachable(bvh, queries, k, near):
    """All pairs; see `emst.backend.operations`."""
    between = power_between(queries.scaled[:, None], bvh.scaled[None], bvh.norm)
    weight = between.copy()
    if k > 1:
        own = np.sort(between, axis=1)[:, k - 2] * between.dtype.type(bvh.core_factor)
        weight = np.maximum(np.maximum(between, own[:, None]), bvh.core)
        weight[between == 0] = 0
    first = [np.lexsort((between[i], weight[i]))[0] for i in range(len(weight))]
    return np.array(first, np.int32), weight[np.arange(len(first)), first]


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
