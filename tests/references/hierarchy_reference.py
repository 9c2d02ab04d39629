"""Reference for the operations of the hierarchy, in plain Python: every function follows the definition.

Clusters are sets of merges, walked with an explicit queue; the backends work differently.
"""

from __future__ import annotations

import functools
from collections import deque
from heapq import heappop, heappush
from math import fsum

import numpy as np

from emst.backend.records import Condensed, Linkage, Selection

INF = float("inf")


def linkage(edges, weights, sizes=None, early=False, first_round=None):
    m = len(weights)
    n = m + 1
    component = list(range(n))  # a forest over the points
    name = {i: i - n for i in range(n)}  # of a component's root
    size = [1] * n if sizes is None else sizes.tolist()
    total = None if sizes is None else sum(size)

    def root(i):
        while component[i] != i:
            component[i] = component[component[i]]
            i = component[i]
        return i

    child, points = np.empty((m, 2), np.int32), np.empty(m, np.int32)
    for i, (u, v) in enumerate(np.asarray(edges).tolist()):
        a, b = root(u), root(v)
        child[i] = sorted((name[a], name[b]))
        component[b] = a
        size[a] += size[b]
        name[a], points[i] = i, size[a]
    return Linkage(child, points, weights, total=total)


def density(height):
    return 1.0 / float(height) if height > 0 else INF


def size_of(linkage, cluster):
    return int(linkage.size[cluster]) if cluster >= 0 else 1


def condense(linkage, min_cluster_size):
    n = linkage.n
    if n == 1:
        return _lone_point(linkage, min_cluster_size)
    below, size = nodes_below(linkage), linkage.size.tolist()

    def large(cluster):
        return cluster >= 0 and size[cluster] >= min_cluster_size

    of_merge, left = np.full(n - 1, -1, np.int32), np.array(linkage.size)
    born_at = [-1]
    queue = [(2 - n, 0)]  # nodes, negative, and the clusters they are in: the last node comes first
    while queue:
        e, c = heappop(queue)
        e = -e
        of_merge[e] = c
        parts = sorted([x for x in below[e] if large(x)])
        if len(parts) == 1:
            heappush(queue, (-parts[0], c))
            left[e] -= size[parts[0]]
        elif parts:
            for x in parts:
                heappush(queue, (-x, len(born_at)))
                born_at.append(e)
    return _measured(linkage, below, min_cluster_size, born_at, of_merge, left)


@functools.lru_cache(maxsize=1)  # for all condensed trees of one linkage; they only read it
def nodes_below(linkage):
    """Of the highest merge of every node: what the merges of this node join, which are points and other nodes."""
    heights, below = linkage.height.tolist(), {}
    for e, pair in enumerate(linkage.child.tolist()):
        fewer, more = [below.pop(x) if x >= 0 and heights[x] == heights[e] else [x] for x in pair]
        if len(fewer) > len(more):
            fewer, more = more, fewer
        below[e] = more
        more += fewer
    return below


def _lone_point(linkage, min_cluster_size):
    ids, none = np.zeros(1, np.int32), np.full(1, -1, np.int32)
    lambdas = {"birth": np.zeros(1), "death": np.array([INF]), "stability": np.zeros(1)}
    points = {"cluster": ids, "leaving_merge": none, "of_merge": none[:0], "left": none[:0]}
    children = np.zeros((1, 2), np.int32)
    return Condensed(linkage, min_cluster_size, none, children, none, size=ids + 1, **lambdas, **points)


def _measured(linkage, below, min_cluster_size, born_at, of_merge, left):
    """The other arrays of the condensed tree, from the nodes at which clusters are born, every node's cluster, and how
    many points leave there."""
    n, count = linkage.n, len(born_at)
    heights, owners = linkage.height.tolist(), of_merge.tolist()
    parent = [-1] + [owners[e] for e in born_at[1:]]
    birth = [0.0] + [density(heights[e]) for e in born_at[1:]]
    children = np.zeros((count, 2), np.int32)
    for c in reversed(range(1, count)):
        children[parent[c]] = c, max(c + 1, children[parent[c], 1])
    death, size, leavers = [0.0] * count, [0] * count, [{} for _ in range(count)]
    sizes, leaving = linkage.size.tolist(), left.tolist()
    for e in reversed(range(n - 1)):
        c = owners[e]
        if c >= 0:
            death[c] = density(heights[e])
            size[c] = max(size[c], sizes[e])
            leavers[c][heights[e]] = leavers[c].get(heights[e], 0) + leaving[e]
    terms = [[] for _ in range(count)]  # one for each height at which points leave
    for c in range(count):
        for height in sorted(leavers[c]):
            points, lambda_ = leavers[c][height], density(height)
            if points:
                terms[c].append(0.0 if lambda_ == birth[c] else float(points) * (lambda_ - birth[c]))
    leaves = np.empty(n, np.int32)  # the lowest node above every point that is in a cluster
    queue = deque([(n - 2, n - 2)])
    while queue:
        x, e = queue.popleft()
        if owners[x] >= 0:
            e = x
        for y in below[x]:
            if y < 0:
                leaves[y + n] = e
            else:
                queue.append((y, e))
    return Condensed(
        linkage=linkage,
        min_cluster_size=min_cluster_size,
        parent=np.array(parent, np.int32),
        children=children,
        born_at=np.array(born_at, np.int32),
        birth=np.array(birth),
        death=np.array(death),
        size=np.array(size, np.int32),
        stability=np.array([sum_in_lanes(ascending) for ascending in terms]),
        cluster=of_merge[leaves],
        leaving_merge=leaves,
        of_merge=of_merge,
        left=left,
    )


def sum_in_lanes(terms):
    """The order of summation: pieces of 1024 in 32 lanes, lanes by halves; then the sums of pieces in the same way."""
    if len(terms) > 1024:
        return sum_in_lanes([sum_in_lanes(terms[i : i + 1024]) for i in range(0, len(terms), 1024)])
    lanes = [0.0] * 32
    for i, term in enumerate(terms):
        lanes[i % 32] += term
    for step in (16, 8, 4, 2, 1):
        lanes = [lanes[i] + lanes[i + step] for i in range(step)]
    return lanes[0]


def simplify(condensed, persistence):
    tree, count, owners = condensed.linkage, condensed.count, condensed.of_merge.tolist()
    nodes = [set() for _ in range(count)]
    for e, c in enumerate(owners):
        if c >= 0:
            nodes[c].add(e)
    if count == 1:
        return condensed
    children = [list(range(*pair)) for pair in condensed.children.tolist()]
    born_at, left = condensed.born_at.tolist(), condensed.left.copy()

    greatest = condensed.death.astype(float).tolist()  # lambda at or below each cluster; parents come before children
    for c in reversed(range(count)):
        greatest[c] = max([greatest[c], *(greatest[child] for child in children[c])])

    def lasts(c):
        return (0.0 if greatest[c] == condensed.birth[c] else greatest[c] - condensed.birth[c]) >= persistence

    for p in reversed(range(count)):
        staying = [c for c in children[p] if lasts(c)]
        if len(staying) > 1:
            children[p] = staying
        elif children[p]:
            goes_on = [c for c in staying if children[c]]
            for c in goes_on or children[p]:
                nodes[p] |= nodes[c]
                left[born_at[c]] -= condensed.size[c]
            children[p] = children[goes_on[0]] if goes_on else []
    kept = sorted([0, *(c for family in _reached(children) for c in family)])
    of_merge = np.full(len(owners), -1, np.int32)
    for new, c in enumerate(kept):
        of_merge[sorted(nodes[c])] = new
    kept_births = [born_at[c] for c in kept]
    return _measured(tree, nodes_below(tree), condensed.min_cluster_size, kept_births, of_merge, left)


def _reached(children):
    """The children of the root, and those of all clusters below it."""
    queue = [0]
    while queue:
        family = children[queue.pop()]
        yield family
        queue += family


def select(condensed, method, epsilon, max_cluster_size, allow_single_cluster):
    parent = condensed.parent.tolist()
    children = [list(range(*pair)) for pair in condensed.children.tolist()]
    count = len(parent)

    def above(c):
        path = []
        while parent[c] >= 0:
            c = parent[c]
            path.append(c)
        return path

    def topmost(clusters):
        below = [False] * count  # one of the clusters; parents come before children
        for c in range(1, count):
            below[c] = below[parent[c]] or parent[c] in clusters
        return {c for c in clusters if not below[c]}

    if method == "leaf":
        chosen = {c for c in range(count) if not children[c] and (c > 0 or allow_single_cluster)}
    else:
        value, chosen = condensed.stability.tolist(), set()
        for c in reversed(range(0 if allow_single_cluster else 1, count)):
            below = fsum(value[x] for x in children[c])
            if below > value[c] or condensed.size[c] > max_cluster_size:
                value[c] = below
            else:
                chosen.add(c)
        chosen = topmost(chosen)

    def born(c):
        return float(condensed.linkage.height[condensed.born_at[c]])

    if epsilon != 0 and chosen != {0}:
        for c in [c for c in chosen if born(c) < epsilon]:
            path = [x for x in above(c) if x > 0 or allow_single_cluster]
            chosen.discard(c)
            chosen.add(next((x for x in path if born(x) > epsilon), ([c] + path)[-1]))
        chosen = topmost(chosen)
    ascending, label = sorted(chosen), []
    number = {c: i for i, c in enumerate(ascending)}
    for c in range(count):
        label.append(number.get(c, label[parent[c]] if c else -1))
    return Selection(np.array(ascending, np.int32), np.array(label, np.int32))


def label_points(condensed, selection, epsilon, cluster=None, height=None):
    if cluster is None:
        cluster, height = condensed.leaving()
    chosen = selection.chosen.tolist()
    least, farthest = 0.0, INF
    if chosen == [0]:
        least, farthest = (0.0, epsilon) if epsilon != 0 else (condensed.death[0], INF)
    labels, probabilities = [], []
    for c, at, own in zip(cluster.tolist(), height.tolist(), map(density, height)):
        label = int(selection.label[c]) if own >= least and at <= farthest else -1
        death = float(condensed.death[chosen[label]]) if label >= 0 else INF
        labels.append(label)
        if label < 0:
            probabilities.append(0.0)
        else:
            probabilities.append(1.0 if own == INF or death == 0 else min(own, death) / death)
    return np.array(labels, np.int64), np.array(probabilities)


def outlier_scores(condensed, cluster, height):
    greatest = condensed.death.tolist()
    for c in reversed(range(1, condensed.count)):
        p = int(condensed.parent[c])
        greatest[p] = max(greatest[p], greatest[c])
    scores = []
    for c, own in zip(cluster.tolist(), map(density, height)):
        scores.append(0.0 if own == INF or greatest[c] == 0 else 1.0 - own / greatest[c])
    return np.array(scores)


def cut(linkage, height, min_cluster_size):
    n = linkage.n
    members = {i - n: [i] for i in range(n)}  # by the cluster's name
    for e, (a, b) in enumerate(linkage.child.tolist()):
        if float(linkage.height[e]) < height:
            members[e] = members.pop(a) + members.pop(b)
    labels = np.full(n, -1, np.int64)
    large = [vertices for c, vertices in members.items() if size_of(linkage, c) >= min_cluster_size]
    for label, vertices in enumerate(sorted(large, key=min)):
        labels[vertices] = label
    return labels
