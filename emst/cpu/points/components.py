"""Components of partitions between rounds: the first edge that leaves each, and the points that ask for more.

A partition is the work of one thread, so these kernels take all of it in one chunk.
"""

from __future__ import annotations

import numpy as np

from emst.cpu.runtime.arrays import empty
from emst.cpu.runtime.compile import kernel, part
from emst.cpu.runtime.parallel import for_chunks


def first_edges(a, b, label, count, weight, power, u, v):
    """See `emst.backend.operations`."""
    place, m = np.full(count, -1, np.int32), len(weight)
    sides = (a,) if b is None else (a, b)
    keys = tuple(map(np.ascontiguousarray, (weight, power, u, v)))
    for side, end in enumerate(sides):
        other = sides[1 - side] if b is not None else end
        ends = np.ascontiguousarray(end), np.ascontiguousarray(other)
        for_chunks(_first_edges, m, max(m, 1), *ends, b is not None, label, *keys, place)
    return place


def asking_points(places, weight, power, nearest, component, group, bound, bound_power, label):
    """See `emst.backend.operations`."""
    n = len(weight)
    asking, found = empty(n, np.int32), np.zeros(1, np.int64)
    places = np.arange(n, dtype=np.int32) if places is None else np.ascontiguousarray(places)
    nearest = np.full(n, -1, np.int32) if nearest is None else np.ascontiguousarray(nearest)
    power, bound_power = (weight, bound) if power is None else (power, bound_power)
    columns = map(np.ascontiguousarray, (weight, power, nearest, component, group, bound, bound_power, label))
    for_chunks(_list_asking, n, max(n, 1), places, *columns, asking, found)
    return asking[: found[0]].copy()


@kernel
def _first_edges(ends, others, two_sides, label, weight, power, u, v, place, begin, end):
    for i in range(begin, end):
        c = np.int64(label[ends[i]])
        if two_sides and label[others[i]] == c:
            continue
        first = np.int64(place[c])
        if first < 0 or _precedes(weight, power, u, v, i, first):
            place[c] = i


@part
def _precedes(weight, power, u, v, i, other):
    """Whether edge i comes before the other one; of equal edges, the one that is listed first."""
    if weight[i] != weight[other]:
        return weight[i] < weight[other]
    if power[i] != power[other]:
        return power[i] < power[other]
    if u[i] != u[other]:
        return u[i] < u[other]
    if v[i] != v[other]:
        return v[i] < v[other]
    return i < other


@kernel
def _list_asking(
    places, weight, power, nearest, component, group, bound, bound_power, label, asking, found, begin, end
):
    count = 0
    for i in range(begin, end):
        c = np.int64(component[places[i]])
        most = bound[c]
        if most < 0 or weight[i] > most or (weight[i] == most and power[i] > bound_power[c]):
            continue
        if nearest[i] < 0 or label[nearest[i]] == group[c]:
            asking[count] = i
            count += 1
    found[0] = count
