"""Reference for the operations of the hierarchy, in plain Python: every function follows the definition.

Clusters are sets of merges, walked with an explicit queue; the backends work differently.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from emst.backend.records import Condensed, Linkage, Selection

INF = float("inf")


def linkage(edges, weights, sizes=None):
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

    def large(cluster):
        return cluster >= 0 and size_of(linkage, cluster) >= min_cluster_size

    pairs = linkage.child.tolist()
    splits = [e for e in reversed(range(n - 1)) if large(pairs[e][0]) and large(pairs[e][1])]
    number = {e: s for s, e in enumerate(splits)}
    of_merge = np.full(n - 1, -1, np.int32)
    queue = deque([(n - 2, 0)])
    while queue:
        e, c = queue.popleft()
        of_merge[e] = c
        s = number.get(e)
        for i, below in enumerate(pairs[e]):
            if large(below):
                queue.append((below, c if s is None else 2 * s + 1 + i))
    return _measured(linkage, min_cluster_size, splits, of_merge)


def _lone_point(linkage, min_cluster_size):
    ids, none = np.zeros(1, np.int32), np.full(1, -1, np.int32)
    return Condensed(
        linkage, min_cluster_size, none, none, np.zeros(1), np.array([INF]), ids + 1, np.zeros(1), ids, none, none[:0]
    )


def _measured(linkage, min_cluster_size, splits, of_merge):
    """The other arrays of the condensed tree, from the merges that split (root first) and every merge's cluster."""
    n, count = linkage.n, 2 * len(splits) + 1
    heights, owners, pairs = linkage.height.tolist(), of_merge.tolist(), linkage.child.tolist()
    parent, split, birth = [-1] * count, [-1] * count, [0.0] * count
    for s, e in enumerate(splits):
        split[owners[e]] = s
        parent[2 * s + 1] = parent[2 * s + 2] = owners[e]
        birth[2 * s + 1] = birth[2 * s + 2] = density(heights[e])
    death, size, terms = [0.0] * count, [0] * count, [[] for _ in range(count)]
    for e in reversed(range(n - 1)):
        c = owners[e]
        if c < 0:
            continue
        death[c] = density(heights[e])
        size[c] = max(size[c], size_of(linkage, e))
        staying = sum(size_of(linkage, x) for x in pairs[e] if x >= 0 and owners[x] == c)
        left = size_of(linkage, e) - staying
        nothing = left == 0 or death[c] == birth[c]
        terms[c].append(0.0 if nothing else float(left) * (death[c] - birth[c]))
    cluster, leaves = np.empty(n, np.int32), np.empty(n, np.int32)
    queue = deque([(n - 2, n - 2)])
    while queue:
        x, e = queue.popleft()
        if x < 0:
            leaves[x + n], cluster[x + n] = e, owners[e]
        else:
            queue.extend((below, x if owners[x] >= 0 else e) for below in pairs[x])
    return Condensed(
        linkage=linkage,
        min_cluster_size=min_cluster_size,
        parent=np.array(parent, np.int32),
        split=np.array(split, np.int32),
        birth=np.array(birth),
        death=np.array(death),
        size=np.array(size, np.int32),
        stability=np.array([sum_in_lanes(ascending[::-1]) for ascending in terms]),
        cluster=cluster,
        leaving_merge=leaves,
        of_merge=of_merge,
    )


def sum_in_lanes(terms):
    """The order of summation: pieces of 1024 in 32 lanes, lanes by halves; then the sums of pieces in the same way."""
    if len(terms) > 1024:
        return sum_in_lanes([sum_in_lanes(terms[i : i + 1024]) for i in range(0, len(terms), 1024)])
    lanes = [0.0] * 32
    for i, term in enumerate(terms):
        lanes[i % 32] += term
    for step in (16, 8, 4, 2, 1):
        lanes = [lanes[i] + lanes[i ^ step] for i in range(32)]
    return lanes[0]


def simplify(condensed, persistence):
    tree, count = condensed.linkage, condensed.count
    if count == 1:
        return condensed
    owners = condensed.of_merge.tolist()
    merges = [set() for _ in range(count)]
    for e, c in enumerate(owners):
        if c >= 0:
            merges[c].add(e)
    split = condensed.split.tolist()
    at = [0] * (count // 2)  # the merge of every split
    for e, pair in enumerate(tree.child.tolist()):
        below = {owners[x] for x in pair if x >= 0} - {-1, owners[e]}
        if owners[e] >= 0 and below:
            at[(min(below) - 1) // 2] = e

    def greatest(c):
        found, queue = 0.0, [c]
        while queue:
            c = queue.pop()
            found = max(found, density(tree.height[min(merges[c])]))
            if split[c] >= 0:
                queue += [2 * split[c] + 1, 2 * split[c] + 2]
        return found

    for s in reversed(range(count // 2)):
        p = split.index(s)
        a, b = 2 * s + 1, 2 * s + 2
        least, birth = min(greatest(a), greatest(b)), density(tree.height[at[s]])
        if (0.0 if least == birth else least - birth) >= persistence:
            continue
        sibling = a if greatest(a) > greatest(b) else b
        split[p] = split[sibling]
        merges[p] |= merges[a] | merges[b] if split[sibling] < 0 else merges[sibling]
        merges[a] = merges[b] = set()
        split[a] = split[b] = -1
    kept = sorted(s for s in split if s >= 0)
    name = {0: 0}
    for new, s in enumerate(kept):
        name[2 * s + 1], name[2 * s + 2] = 2 * new + 1, 2 * new + 2
    of_merge = np.full(len(owners), -1, np.int32)
    for c, new in name.items():
        of_merge[sorted(merges[c])] = new
    return _measured(tree, condensed.min_cluster_size, [at[s] for s in kept], of_merge)


def select(condensed, method, epsilon, max_cluster_size, allow_single_cluster):
    parent, split = condensed.parent.tolist(), condensed.split.tolist()
    count = len(parent)

    def above(c):
        path = []
        while parent[c] >= 0:
            c = parent[c]
            path.append(c)
        return path

    def topmost(clusters):
        return {c for c in clusters if not clusters.intersection(above(c))}

    if method == "leaf":
        chosen = {c for c in range(count) if split[c] < 0 and (c > 0 or allow_single_cluster)}
    else:
        value, chosen = condensed.stability.tolist(), set()
        for c in reversed(range(0 if allow_single_cluster else 1, count)):
            below = value[2 * split[c] + 1] + value[2 * split[c] + 2] if split[c] >= 0 else 0.0
            if below > value[c] or condensed.size[c] > max_cluster_size:
                value[c] = below
            else:
                chosen.add(c)
        chosen = topmost(chosen)

    def born(c):
        return 1.0 / condensed.birth[c] if condensed.birth[c] > 0 else INF

    if epsilon != 0 and chosen != {0}:
        for c in [c for c in chosen if born(c) < epsilon]:
            path = [x for x in above(c) if x > 0 or allow_single_cluster]
            chosen.discard(c)
            chosen.add(next((x for x in path if born(x) > epsilon), ([c] + path)[-1]))
        chosen = topmost(chosen)
    ascending = sorted(chosen)
    label = [next((ascending.index(x) for x in [c, *above(c)] if x in chosen), -1) for c in range(count)]
    return Selection(np.array(ascending, np.int32), np.array(label, np.int32))


def label_points(condensed, selection, epsilon, cluster, height):
    chosen = selection.chosen.tolist()
    least = 0.0
    if chosen == [0]:
        least = 1.0 / epsilon if epsilon != 0 else condensed.death[0]
    labels, probabilities = [], []
    for c, own in zip(cluster.tolist(), map(density, height)):
        label = int(selection.label[c]) if own >= least else -1
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
