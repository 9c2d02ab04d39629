"""Reference for the operations that partitions need, in slow numpy. See `reference.py`."""

from __future__ import annotations

import numpy as np
from norms_reference import power_between, power_of_box

from emst.backend.partition_records import Components, JoinedComponents, ListedEdges, OpenEdges, Reaches


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


def nearest_across(index, labels, queries, query_labels, core, radius, near=None, group=None):
    """All pairs."""
    labels = labels if group is None else group[labels]
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


def bound_weights(index, forest, reach):
    """Point by point."""
    core = np.zeros_like(reach) if index.core is None else index.core
    joined = forest.source >= 0
    return np.array([np.inf if far else max(pair) for far, *pair in zip(joined, reach, core)], reach.dtype)


def least_of_others(values, places):
    """Of a list."""
    return float(min(np.delete(values, places), default=np.inf))


def take_reaches(reach, asking, radius, answers):
    """Question by question."""
    for question, place in enumerate(asking):
        found = [first[chosen == question] for chosen, first in answers]
        least = min(np.concatenate([np.empty(0, reach.dtype), *found]), default=np.inf)
        reach[place] = least if least < np.inf else max(reach[place], radius[question])


def join_distances(powers, answers):
    """Question by question."""
    rows = [
        np.sort(np.concatenate([row, *(found[chosen == question].ravel() for chosen, found in answers)]))[: len(row)]
        for question, row in enumerate(powers)
    ]
    return np.array(rows, powers.dtype).reshape(powers.shape)


def first_edges(edges, label, count, both=True):
    """All edges of every component, sorted."""
    place = np.full(count, -1, np.int32)
    order = np.lexsort((edges.v, edges.u, edges.power, edges.weight))  # stable
    for i in order[::-1]:
        ends = [label[edges.a[i]], label[edges.b[i]]] if both else [label[edges.a[i]]]
        if not both or ends[0] != ends[1]:
            place[ends] = i
    return place


def edges_across(nearest, weight, power, query_component, query_id, component, base, numbering):
    """Query by query."""
    rows = []
    for place, a, mine, *keys in zip(nearest.tolist(), query_component, query_id.tolist(), weight, power):
        here = max(place, 0)
        id = here + numbering.start + (numbering.left_out if here >= numbering.kept else 0)
        rows.append((a, a if place < 0 else component[here] + base, min(mine, id), max(mine, id), *keys))
    kinds = np.int32, np.int32, np.int64, np.int64, weight.dtype, power.dtype
    return OpenEdges.of(*(np.array(column, kind) for column, kind in zip(zip(*rows), kinds)))


def edges_at(edges, places):
    """Edge by edge."""
    rows = [edges.words[place] if place >= 0 else edges.words[0] * 0 for place in places]
    return OpenEdges(np.array(rows).reshape(-1, edges.words.shape[1]))


def number_points(labels, roots):
    """Point by point."""
    number = {root: k for k, root in enumerate(roots.tolist())}
    component = np.array([number[root] for root in labels.tolist()], np.int32)
    return component, np.array([(component == k).sum() for k in range(len(roots))], np.int64)


def take_open(index, forest, roots, component, numbering):
    """Slot by slot."""
    rows = []
    for slot in roots:
        u, v = int(forest.source[slot]), int(forest.target[slot])
        if u < 0:
            continue
        forest.source[slot] = forest.target[slot] = -1
        ids = [place + numbering.start + (numbering.left_out if place >= numbering.kept else 0) for place in (u, v)]
        power = power_between(index.scaled[u], index.scaled[v], index.norm)
        rows.append((component[u], component[v], *ids, forest.weight[slot], power))
    forest.components = roots
    kinds = np.int32, np.int32, np.int64, np.int64, forest.weight.dtype, forest.weight.dtype
    return OpenEdges.of(*(np.array([row[at] for row in rows], kind) for at, kind in enumerate(kinds)))


def number_together(edges, boxes, sizes):
    """Partition by partition."""
    base, words, labels = 0, [], []
    for of_edges, of_boxes, size in zip(edges, boxes, sizes):
        a, b, *more = of_edges.columns()
        words.append(OpenEdges.of(a + np.int32(base), b + np.int32(base), *more).words)
        labels += [box if box < 0 else box + base for box in of_boxes.tolist()]
        base += len(size)
    components = Components(np.arange(base, dtype=np.int32), base, np.concatenate(sizes), np.array(labels, np.int32))
    return OpenEdges(np.concatenate(words)), components


def rows_here(edges, numbering, rows):
    """By a table of the ids of all places."""
    start, kept, left_out = numbering
    row_of = {place + start + (left_out if place >= kept else 0): row for place, row in enumerate(rows)}
    found = [(row_of.get(u, -1), row_of.get(v, -1)) for u, v in zip(edges.u.tolist(), edges.v.tolist())]
    return np.array(found, rows.dtype).reshape(-1, 2)


def edges_from(edges, start, size, rows):
    """Edge by edge."""
    found, which, m = [], [], len(edges)
    for i, (u, *others) in enumerate(zip(*edges.columns()[2:])):
        if start <= u < start + size:
            found.append((*sorted(rows[i::m].max(axis=0)), u, *others))
            which.append(i)
    kinds = np.int32, np.int32, np.int64, np.int64, edges.dtype, edges.dtype
    columns = zip(*found) if found else [()] * 6
    return OpenEdges.of(*(np.array(column, kind) for column, kind in zip(columns, kinds))), np.array(which, np.int32)


def edge_order(edges):
    """All keys at once, stably."""
    return np.lexsort((edges.v, edges.u, edges.power, edges.weight)).astype(np.int32)


def join_partitions(members, edges, components, weight, power, bases):
    return None


def join_components(edges, components, bound):
    """Component by component. Of two that hook onto each other, the lesser one stays."""
    waits = bound < 0
    label, count, size, boxes = components.label, components.count, components.size, components.boxes
    first = first_edges(edges, label, count)
    above = np.arange(count)
    for c in np.flatnonzero(~waits):
        above[c] = label[edges.a[first[c]]] + label[edges.b[first[c]]] - c
    for c in np.flatnonzero(above[above] == np.arange(count)):
        above[c] = min(c, above[c])
    hooked = np.flatnonzero(above != np.arange(count))
    for _ in range(count):
        above = above[above]
    number = np.unique(above, return_inverse=True)[1].astype(np.int32)
    count -= len(hooked)
    sizes = np.array([size[number == c].sum() for c in range(count)])
    boxes = np.array([box if box < 0 else number[box] for box in boxes], np.int32)
    apart = number[label[edges.a]] != number[label[edges.b]]
    taken, rest = (OpenEdges(edges.words[rows]) for rows in (first[hooked], apart))
    return JoinedComponents(Components(number[label], count, sizes, boxes), number, first, taken, rest)


def component_bounds(edges, components):
    """Component by component."""
    first = first_edges(edges, components.label, components.count)
    weight, power = (np.array(column[first]) for column in (edges.weight, edges.power))
    weight[max(range(components.count), key=lambda c: (components.size[c], -c))] = -1
    return weight, power


def box_labels(index, labels, group, level, node):
    """Box by box, from the labels of its points."""
    found, labels = [], labels if group is None else group[labels]
    for at, number in zip(level, node):
        if at >= len(index.levels):
            found.append(-1)
            continue
        size = index.levels[at][1] if at >= 0 else 1
        inside = np.unique(labels[number * size : (number + 1) * size])
        found.append(inside[0] if len(inside) == 1 else -1)
    return np.array(found, np.int32)


def node_boxes(index, level, node):
    """Box by box, from its points."""
    points = index.points()
    size = index.levels[level][1] if level >= 0 else 1
    inside = [points[number * size : (number + 1) * size] for number in node.tolist()]
    corners = [(some.min(axis=0), some.max(axis=0)) for some in inside]
    return np.array(corners, points.dtype).reshape(-1, 2, points.shape[1])


def boxes_of(points, size):
    """Least and greatest corners of every ``size`` consecutive points: T[nodes, d] twice."""
    starts = range(0, len(points), size)
    return np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)


def asking_points(asking, nearest, label):
    """Point by point."""
    places, weight, power, component, group, bound, bound_power, least, rest = asking
    listed = []
    for i in range(len(weight)):
        g = group[component[i if places is None else places[i]]]
        first = (weight[i],) if power is None else (weight[i], power[i])
        most = (bound[g],) if power is None else (bound[g], bound_power[g])
        forgets = nearest[i] < 0 or label[nearest[i]] == g
        if bound[g] >= 0 and first <= most and forgets:
            listed.append(i)
    exceeds = [bound[g] >= max(limit, rest) for g, limit in zip(group, least)]
    return np.array(listed, np.int32), rest == np.inf or not any(exceeds)


def outline_reaches(index, outline, home, highest, share):
    return reaches_from(index, reaches_of_levels(index, outline, home), highest, share)


def reaches_from(index, reaches, highest, share):
    """`outline_reaches` from `reaches_of_levels`, box by box. Of a near box, the bound is -1."""
    points, norm, places = index.points(), index.norm, np.arange(index.n)
    *of_levels, of_points = reaches
    bound, radius = np.full(index.n, -1, index.dtype), np.full(index.n, np.inf, index.dtype)
    for (count, size), reach in list(zip(index.levels, of_levels))[highest::-1]:
        width = power_between(*boxes_of(points, size), norm._replace(period=None))
        for i in range(count):
            inside = slice(i * size, i * size + size)
            if bound[i * size] < 0:  # no box above it is far
                bound[inside] = reach[i] if reach[i] > width[i] else -1
                radius[inside] = width[i] * index.dtype.type(share)
    near = np.flatnonzero(bound < 0).astype(np.int32)
    rest = float(bound[bound >= 0].min(initial=np.inf))
    bound[near] = of_points[near]
    radius[np.setdiff1d(places, near)] = -1
    radius = radius if index.core is None else index.core
    asking = np.flatnonzero(bound <= radius).astype(np.int32)
    return Reaches(bound, near, rest, asking, radius[asking], points[asking])


def reaches_of_levels(index, outline, home):
    """How far the leaves of other partitions are from the boxes of every level, and from the points."""
    points, norm = index.points(), index.norm
    boxes = [boxes_of(points, size) for _, size in index.levels] + [(points, points)]
    return [reach_of_boxes(low, high, outline, home, norm) for low, high in boxes]


def reach_of_boxes(low, high, outline, home, norm):
    """All leaves."""
    return powers_of_leaves(low, high, outline, home, norm).min(axis=1, initial=np.inf).astype(low.dtype)


def powers_of_leaves(low, high, outline, home, norm):
    """Powers of the distances of all boxes to the leaves of all partitions but `home`."""
    leaves, _ = leaves_of(outline, home)
    some = np.array_split(np.arange(len(low)), len(low) // 32 + 1)  # their distances to all leaves fit in the caches
    return np.concatenate(
        [
            power_of_box(outline.low[leaves], outline.high[leaves], low[rows, None], high[rows, None], norm)
            for rows in some
        ]
    )


def list_hits(hits):
    """Partition by partition."""
    lists = [np.flatnonzero(column) for column in hits.T]
    return np.concatenate(lists).astype(np.int32), np.cumsum([0, *map(len, lists)]).tolist()


def outline_hits(points, labels, radius, outline, home, norm):
    """All leaves."""
    return hits_of(powers_of_leaves(points, points, outline, home, norm), labels, radius, outline, home)


def hits_of(powers, labels, radius, outline, home):
    """`outline_hits` from the powers of the distances to all leaves."""
    leaves, partition = leaves_of(outline, home)
    near = powers <= radius[:, None]
    if labels is not None:
        label = outline.label[leaves]
        near &= (label == -1) | (label != labels[:, None])
    return np.stack([near[:, partition == j].any(axis=1) for j in range(len(outline.start) - 1)], axis=1)


def leaves_of(outline, home):
    """The leaves of all partitions but one, and their partitions."""
    partition = np.searchsorted(outline.start, np.arange(len(outline.child)), side="right") - 1
    leaves = np.flatnonzero((outline.child < 0) & (partition != home))
    return leaves, partition[leaves]


def insert_edges(listed, places, others, numbering, seen=None):
    """All edges, sorted."""
    start, kept, left_out = numbering
    of_others = np.stack([others.u, others.v], axis=1) - start
    ends = np.where(of_others < kept, of_others, np.maximum(of_others - left_out, kept))
    u, v = np.concatenate([ends, np.sort(places, axis=1)]).T
    both = ListedEdges(
        np.concatenate([np.stack([others.a, others.b], axis=1), listed.rows]),
        np.concatenate([others.weight, listed.weight]),
        np.concatenate([others.power, listed.weight if listed.power is None else listed.power]),
    )
    return in_order(both, np.lexsort((v, u, both.power, both.weight)), listed.power is not None)  # stable


def merge_edges(first, second):
    """All edges, sorted."""
    powers = first.power is not None
    rows, weight = (np.concatenate(columns) for columns in list(zip(first, second))[:2])
    power = np.concatenate([first.power, second.power]) if powers else weight
    return in_order(ListedEdges(rows, weight, power), np.lexsort((power, weight)), powers)  # stable


def ends_of_joined(first_round, listed, places, joined, numbering, n, base):
    return None  # no round is kept


def seen_by_partition(here, ends, rows, which):
    return None


def whole_first_round(seen, of_edges):
    return None


def in_order(edges, order, powers):
    """The edges at these places, with or without powers."""
    return ListedEdges(edges.rows[order], edges.weight[order], edges.power[order] if powers else None)


def closed_groups(linkage, leaves, merges, least):
    """Vertex by vertex: the highest closed merge above each."""
    n, below = len(linkage.size) + 1, {}
    parent = {int(c): i for i, ends in enumerate(linkage.child) for c in ends}
    for i, ends in enumerate(linkage.child.tolist()):
        below[i] = set().union(*(below[c] if c >= 0 else {c + n} for c in ends))
    closed = [i < merges and linkage.size[i] < least and max(below[i]) < leaves for i in below]
    names = []
    for v in range(leaves):
        at, highest = parent[v - n], None
        while at is not None:
            highest, at = at if closed[at] else highest, parent.get(at)
        names.append((highest is None, v if highest is None else highest))
    numbers = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([numbers[name] for name in names], np.int32), np.array(closed[:merges], bool)
