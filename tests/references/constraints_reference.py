"""Clusters selected by constraints: pair by pair, and over all selections of a small tree."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import fsum, inf, prod

import numpy as np
from hierarchy_reference import density, label_points

from emst.backend.records import FARTHER, Nesting, Selection


def nesting(condensed):
    """The operation, one cluster after the other."""
    begin, end, free, above = [], [], [], [0]
    for c in range(condensed.count):
        if c:
            parent = int(condensed.parent[c])
            above.append(parent)
        begin.append(free[parent] if c else 0)
        end.append(begin[c] + 2 * int(condensed.size[c]) - 1)
        free.append(begin[c] + 1)
        if c:
            free[parent] = end[c]
    rows = [above]
    while FARTHER ** len(rows) < condensed.count:
        farther = list(range(condensed.count))
        for _ in range(FARTHER):
            farther = [rows[-1][c] for c in farther]
        rows.append(farther)
    return Nesting(np.array(begin), np.array(end), np.array(rows, np.int32))


def common_clusters(nesting, clusters, others):
    """The operation, from all intervals that hold both first numbers."""
    common = []
    for ends in zip(clusters.tolist(), others.tolist()):
        first, last = sorted(nesting.begin[list(ends)])
        holding = np.flatnonzero((nesting.begin <= first) & (last < nesting.end))
        common.append(holding[np.argmin((nesting.end - nesting.begin)[holding])])
    return np.array(common, np.int32)


def select_constrained(condensed, gain, price, max_cluster_size, allow_single_cluster):
    """The operation, one cluster after the other."""
    chosen, best = {}, {}
    for c in reversed(range(condensed.count)):
        children = range(*condensed.children[c].tolist())
        below = fsum(best[x][0] for x in children), sum(best[x][1] for x in children)
        own = float(condensed.stability[c]), int(gain[c])
        allowed = condensed.size[c] <= max_cluster_size and (c > 0 or allow_single_cluster)
        if allowed and (not children or not _worth(below, price) > _worth(own, price)):
            chosen[c], best[c] = {c}, own
        else:
            chosen[c], best[c] = set().union(*(chosen[x] for x in children)), below
    return selection_of(condensed, chosen[0])


def _worth(value, price):
    stability, gain = value
    return (gain, stability) if price == inf else (stability + price * float(gain),)


def selection_of(condensed, chosen):
    """The record of a set of clusters of which none lies below another."""
    ascending, label = sorted(chosen), []
    for c, above in enumerate(condensed.parent.tolist()):
        label.append(ascending.index(c) if c in chosen else label[above] if c else -1)
    return Selection(np.array(ascending, np.int32), np.array(label, np.int32))


def pairs_of(labels, must, cannot):
    """All constraints as (point, point, whether they must be linked); labels are -1 where they are unknown."""
    known = [i for i, label in enumerate(labels) if label >= 0]
    pairs = [(a, b, labels[a] == labels[b]) for a, b in combinations(known, 2)]
    return pairs + [(a, b, True) for a, b in must] + [(a, b, False) for a, b in cannot]


def satisfied(labels, pairs):
    """How many constraints the labels of a clustering satisfy."""
    return sum((labels[a] == labels[b] and labels[a] >= 0) == linked for a, b, linked in pairs)


def gains(condensed, pairs):
    """Pairs of every cluster that must be linked, less those that cannot be. Members of the root are those that stay
    until its death."""
    members = [set() for _ in range(condensed.count)]
    late = set()
    for point, (c, height) in enumerate(zip(*(array.tolist() for array in condensed.leaving()))):
        if density(height) >= condensed.death[0]:
            late.add(point)
        while c >= 0:
            members[c].add(point)
            c = condensed.parent[c]
    members[0] = late
    return [sum(1 if linked else -1 for a, b, linked in pairs if a in own and b in own) for own in members]


def number_of_selections(condensed, allowed):
    """Length of `selections`."""
    count = {}
    for c in reversed(range(condensed.count)):
        children = range(*condensed.children[c].tolist())
        count[c] = allowed(c) + (prod(count[x] for x in children) if children or not allowed(c) else 0)
    return count[0]


def selections(condensed, allowed, c=0):
    """All sets of allowed clusters at and below c of which none lies below another, and to which no other leaf that is
    allowed could be added."""
    children = range(*condensed.children[c].tolist())
    found = [frozenset([c])] if allowed(c) else []
    if children or not found:
        found += [
            frozenset().union(*parts) for parts in product(*(selections(condensed, allowed, x) for x in children))
        ]
    return found


def best_selection(condensed, worth, allowed):
    """The selection of the greatest worth(clusters), the one of the fewest clusters if several have it."""
    return max(selections(condensed, allowed), key=lambda chosen: (worth(chosen), -len(chosen)))


def exact_sum(values):
    """A sum without rounding; infinity if a term is."""
    values = list(values)
    return inf if inf in values else sum(map(Fraction, values))


def best_labels(condensed, pairs, max_cluster_size, allow_single_cluster):
    """The selection that satisfies the most constraints, then is the most stable, counted from labels alone; and how
    many it satisfies."""

    def labels(chosen):
        return label_points(condensed, selection_of(condensed, chosen), 0.0, *condensed.leaving())[0].tolist()

    def worth(chosen):
        return satisfied(labels(chosen), pairs), exact_sum(condensed.stability[list(chosen)].tolist())

    best = best_selection(condensed, worth, lambda c: allowed_of(condensed, max_cluster_size, allow_single_cluster)[c])
    return selection_of(condensed, best), worth(best)[0]


def allowed_of(condensed, max_cluster_size, allow_single_cluster):
    """Whether each cluster may be selected."""
    return [
        size <= max_cluster_size and (c > 0 or allow_single_cluster) for c, size in enumerate(condensed.size.tolist())
    ]
