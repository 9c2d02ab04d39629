"""Reference for the operations that partitions need, in slow numpy. See `reference.py`."""

from __future__ import annotations

import numpy as np
from norms_reference import power_between, power_of_box


def split_points(points, units, first_row, dtype, segments, count):
    """Segment by segment."""
    members = [np.flatnonzero(segments == segment) for segment in range(count)]
    order = np.concatenate(members)
    weights = None if units is None else units[order]
    return points[order], (first_row + order).astype(dtype), weights, np.cumsum([0, *map(len, members)]).tolist()


def nearest_distances(index, queries, radius, count):
    """All pairs."""
    between = power_between(queries.scaled[:, None], index.scaled[None], index.norm)
    between[between > radius[:, None]] = np.inf
    found = np.full((queries.n, count), np.inf, index.scaled.dtype)
    found[:, : index.n] = np.sort(between, axis=1)[:, :count]
    return found


def weighted_nearest(index, queries, units, enough, radius):
    """All pairs: each query with all points that are no farther than the one at which the weights suffice."""
    between = power_between(queries.scaled[:, None], index.scaled[None], index.norm)
    lists = [(np.empty(0, np.int64), between[0, :0], units[:0])]
    for i, powers in enumerate(between):
        order = np.argsort(powers, kind="stable")
        order = order[powers[order] <= radius[i]]
        upto = np.searchsorted(np.cumsum(units[order]), enough)
        order = order[powers[order] <= powers[order[upto]]] if upto < len(order) else order
        lists.append((np.full(len(order), i), powers[order], units[order]))
    return tuple(map(np.concatenate, zip(*lists)))


def nearest_across(index, labels, queries, query_labels, core, radius, near=None):
    """All pairs."""
    between = power_between(queries.scaled[:, None], index.scaled[None], index.norm)
    weight = between
    if core is not None:
        reachable = np.maximum(np.maximum(between, core[:, None]), index.core)
        weight = np.where(radius[:, None] == 0, between, reachable)
    excluded = weight > radius[:, None]
    if labels is not None:
        excluded |= labels == query_labels[:, None]
    weight, between = (np.where(excluded, np.inf, values) for values in (weight, between))
    first = np.array([np.lexsort((between[i], weight[i], excluded[i]))[0] for i in range(queries.n)], int)
    rows = np.arange(queries.n)
    found = np.where(excluded[rows, first], -1, first).astype(np.int32)
    return found, weight[rows, first].astype(index.scaled.dtype), between[rows, first].astype(index.scaled.dtype)


def join_bounds(forest, roots, weight, power):
    """Component by component."""
    found = {}
    for root in roots:
        bound = (weight[root],) if power is None else (weight[root], power[root])
        found[forest.labels[root]] = min(found.get(forest.labels[root], bound), bound)
    for root, bound in found.items():
        weight[root] = bound[0]
        if power is not None:
            power[root] = bound[1]


def hold_back(index, forest, weight, power):
    """Component by component."""
    sure = []
    for root in forest.components:
        u, v, best = forest.edge_u[root], forest.edge_v[root], forest.best[root]
        first = u >= 0 and best < weight[root]
        if power is not None and u >= 0 and best == weight[root]:
            first = power_between(index.scaled[u], index.scaled[v], index.norm) < power[root]
        sure.append(first)
    if any(sure):
        held = forest.components[~np.array(sure)]
        forest.edge_u[held] = forest.edge_v[held] = -1
    return sum(sure)


def first_edges(a, b, label, count, weight, power, u, v):
    """All edges of every component, sorted."""
    place = np.full(count, -1, np.int32)
    order = np.lexsort((v, u, power, weight))  # stable
    for i in order[::-1]:
        ends = [label[a[i]]] if b is None else [label[a[i]], label[b[i]]]
        if b is None or ends[0] != ends[1]:
            place[ends] = i
    return place


def asking_points(places, weight, power, nearest, component, group, bound, bound_power, label):
    """Point by point."""
    asking = []
    for i in range(len(weight)):
        c = component[i if places is None else places[i]]
        first = (weight[i],) if power is None else (weight[i], power[i])
        most = (bound[c],) if power is None else (bound[c], bound_power[c])
        forgets = nearest is None or nearest[i] < 0 or label[nearest[i]] == group[c]
        if bound[c] >= 0 and first <= most and forgets:
            asking.append(i)
    return np.array(asking, np.int32)


def outline_reach(low, high, outline, home, norm):
    """All leaves."""
    leaves, _ = leaves_of(outline, home)
    between = power_of_box(outline.low[leaves], outline.high[leaves], low[:, None], high[:, None], norm)
    return between.min(axis=1, initial=np.inf).astype(low.dtype)


def outline_hits(points, labels, radius, outline, home, norm):
    """All leaves."""
    leaves, partition = leaves_of(outline, home)
    x = points[:, None]
    near = power_of_box(outline.low[leaves], outline.high[leaves], x, x, norm) <= radius[:, None]
    label = outline.label[leaves]
    near &= (label == -1) | (label != labels[:, None])
    return np.stack([near[:, partition == j].any(axis=1) for j in range(len(outline.start) - 1)], axis=1)


def leaves_of(outline, home):
    """The leaves of all partitions but one, and their partitions."""
    partition = np.searchsorted(outline.start, np.arange(len(outline.child)), side="right") - 1
    leaves = np.flatnonzero((outline.child < 0) & (partition != home))
    return leaves, partition[leaves]
