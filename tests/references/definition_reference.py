"""HDBSCAN* by its definition, from any minimum spanning tree under mutual reachability to the scores of every point.

All edges of equal weight are removed at once. So there is no order among equal heights, and no dendrogram: a cluster is
a set of points, and one step replaces it by the parts that the lighter edges still connect. Equal minimum spanning
trees give equal results. It takes O(n^2) time.

Lambda is 1 / height in float64, and heights are weights of edges. Every number has the bits that the backends give.

References
----------
R. Campello, D. Moulavi, J. Sander, "Density-based clustering based on hierarchical density estimates" (2013),
Algorithm 1; R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering,
visualization, and outlier detection", TKDD 2015; L. McInnes, J. Healy, "Accelerated hierarchical density based
clustering" (2017), for leaves of the condensed tree; C. Malzer, M. Baum, "A hybrid approach to hierarchical
density-based cluster selection" (2020), for epsilon.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from hierarchy_reference import sum_in_lanes

INF = math.inf


@dataclass(eq=False)
class Cluster:
    """A cluster of the condensed tree. It ends where it splits into its children, or where its last points leave."""

    points: frozenset  # at its birth
    birth: float  # lambda
    born: float  # height; the root counts as born at the greatest one
    parent: Cluster | None = None  # None for the root
    children: list[Cluster] = field(default_factory=list)
    split: float | None = None  # height at which it splits into its children
    left: dict[int, float] = field(default_factory=dict)  # points that are in none of the children -> height they leave
    death: float = INF  # the greatest lambda at which points leave it
    stability: float = 0.0

    def lambdas(self):
        """Points that leave this cluster for none of its children -> lambda."""
        return {point: reciprocal(height) for point, height in self.left.items()}

    def ancestors(self):
        """From the parent up to the root."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent


@dataclass(eq=False)
class Clustering:
    """The condensed tree, the selected clusters, and what every point is to them."""

    clusters: list[Cluster]  # parents before their children
    selected: list[Cluster]
    members: list[frozenset]  # of each selected cluster
    noise: frozenset
    probabilities: np.ndarray  # float64[n], 0 for noise
    outlier_scores: np.ndarray  # float64[n]
    persistence: list[float]  # of each selected cluster
    exemplars: list[frozenset]  # of each selected cluster

    @property
    def labels(self):
        """int64[n]; label l is ``selected[l]``, and the order of the selected clusters means nothing."""
        labels = np.full(len(self.probabilities), -1, np.int64)
        for label, points in enumerate(self.members):
            labels[list(points)] = label
        return labels


def by_definition(
    n,
    edges,
    weights,
    min_cluster_size,
    method="eom",
    epsilon=0.0,
    persistence=0.0,
    max_cluster_size=None,
    allow_single_cluster=False,
    epsilon_max=INF,
    condensed=None,
):
    """The clustering of n points with this minimum spanning tree; options as in `emst.hierarchy.selection.Options`.

    `condensed` is what `condense` finds, if it is known; with a persistence, it is changed.
    """
    clusters = condense(n, edges, weights, min_cluster_size) if condensed is None else condensed
    if persistence > 0:
        clusters = simplify(clusters, persistence)
    root = clusters[0]
    if method == "leaf":
        selected = [c for c in clusters if not c.children and (c is not root or allow_single_cluster)]
    else:
        largest = n if max_cluster_size is None else max_cluster_size
        barred = {c for c in clusters if len(c.points) > largest or c.born > epsilon_max}
        if not allow_single_cluster:
            barred.add(root)
        selected = excess_of_mass(clusters, barred)
    if epsilon != 0 and selected != [root]:
        selected = born_above(clusters, selected, epsilon, allow_single_cluster)
    return describe(clusters, selected, epsilon)


def reciprocal(value):
    """1 / value in float64, infinite at 0: lambda of a height, and height of a lambda."""
    return 1.0 / float(value) if value > 0 else INF


def lifetime(birth, death):
    """From one lambda to another; no time passes from infinity to infinity."""
    return 0.0 if death == birth else death - birth


# The condensed tree.


def condense(n, edges, weights, min_cluster_size):
    """Remove the heaviest edges of every cluster, all those of equal weight at once, until none is left."""
    neighbours = [[] for _ in range(n)]
    for (u, v), weight in zip(np.asarray(edges).tolist(), np.asarray(weights, np.float64).tolist()):
        neighbours[u].append((v, weight))
        neighbours[v].append((u, weight))
    root = Cluster(frozenset(range(n)), birth=0.0, born=float(max(weights, default=0)))
    clusters = [root]
    waiting = [(root, root.points, float(max(weights)))] if n > 1 else []
    while waiting:
        cluster, points, height = waiting.pop()
        parts = parts_below(height, points, neighbours)
        large = [(part, heaviest) for part, heaviest in parts if len(part) >= min_cluster_size]
        for part, _ in parts:
            if len(part) < min_cluster_size:
                cluster.left.update(dict.fromkeys(part, height))
        if len(large) == 1:
            waiting.append((cluster, *large[0]))
        elif large:
            cluster.split = height
            cluster.children = [Cluster(part, reciprocal(height), height, cluster) for part, _ in large]
            clusters += cluster.children
            waiting += [(child, *part) for child, part in zip(cluster.children, large)]
    return [measured(cluster) for cluster in clusters]


def parts_below(height, points, neighbours):
    """The parts of a cluster that edges lighter than `height` connect, each with the weight of its heaviest edge."""
    parts, rest = [], set(points)
    while rest:
        part, heaviest = [rest.pop()], -INF
        for u in part:  # it grows meanwhile
            for v, weight in neighbours[u]:
                if weight < height and v in rest:
                    rest.remove(v)
                    part.append(v)
                    heaviest = max(heaviest, weight)
        parts.append((frozenset(part), heaviest))
    return parts


def measured(cluster):
    """The cluster, with its death and stability: each height at which points leave it is one term, the lowest first."""
    leaving = Counter(cluster.left.values())
    if cluster.children:
        leaving[cluster.split] += sum(len(child.points) for child in cluster.children)
    cluster.death = max(map(reciprocal, leaving), default=INF)  # a lone point never leaves
    terms = [count * lifetime(cluster.birth, reciprocal(height)) for height, count in sorted(leaving.items())]
    cluster.stability = sum_in_lanes(terms)
    return cluster


def simplify(clusters, persistence):
    """Undo splits, from the lowest up, until at least two children of each last for `persistence`.

    A child lasts until the greatest lambda at or below it in the tree as it was. A child that has a split left below it
    lasts for `persistence`: so where no child does, and where only one does, none of the others has a split left.
    """
    greatest = greatest_below(clusters)
    for cluster in reversed(clusters):
        lasting = [c for c in cluster.children if lifetime(cluster.children[0].birth, greatest[c]) >= persistence]
        if not cluster.children:
            continue
        kept, height = max(cluster.children, key=greatest.get), cluster.split
        if len(lasting) >= 2:
            leave_at(height, cluster, [c for c in cluster.children if c not in lasting])
            cluster.children = lasting
        elif kept.children:
            leave_at(height, cluster, [c for c in cluster.children if c is not kept])
            cluster.left.update(kept.left)
            cluster.split, cluster.children = kept.split, kept.children
        else:
            for child in cluster.children:
                assert not child.children
                cluster.left.update(child.left)
            cluster.split, cluster.children = None, []
    left = clusters[:1]
    for cluster in left:  # it grows meanwhile
        left += cluster.children
        for child in cluster.children:
            child.parent = cluster
    return [measured(cluster) for cluster in left]


def leave_at(height, parent, dropped):
    """All points of the dropped children leave the parent at the split."""
    for child in dropped:
        parent.left.update(dict.fromkeys(child.points, height))


def greatest_below(clusters):
    """The greatest lambda at or below every cluster."""
    greatest = {}
    for cluster in reversed(clusters):
        greatest[cluster] = max([cluster.death, *(greatest[child] for child in cluster.children)])
    return greatest


# The selected clusters.


def excess_of_mass(clusters, barred):
    """A cluster is selected unless it is barred or those selected below it are more stable; the topmost ones count."""
    value, selected = {}, set()
    for cluster in reversed(clusters):
        below = total([value[child] for child in cluster.children])
        if cluster in barred or below > cluster.stability:
            value[cluster] = below
        else:
            value[cluster] = cluster.stability
            selected.add(cluster)
    return topmost(clusters, selected)


def total(values):
    """The sum, rounded once: it does not depend on the order."""
    try:
        return math.fsum(values)
    except OverflowError:
        return INF


def topmost(clusters, selected):
    """Of these clusters those that lie below no other one."""
    return [c for c in clusters if c in selected and selected.isdisjoint(c.ancestors())]


def born_above(clusters, selected, epsilon, allow_single_cluster):
    """Each selected cluster that is born below epsilon gives way to its first ancestor born above epsilon."""
    replaced = set()
    for cluster in selected:
        if cluster.born < epsilon:
            path = [c for c in cluster.ancestors() if c.parent or allow_single_cluster]
            cluster = next((c for c in path if c.born > epsilon), path[-1] if path else cluster)
        replaced.add(cluster)
    return topmost(clusters, replaced)


# The points.


def describe(clusters, selected, epsilon):
    """The clustering: what every point is to the selected clusters."""
    n, root = len(clusters[0].points), clusters[0]
    left = {point: (c, at) for c in clusters for point, at in c.lambdas().items()} or {0: (root, INF)}
    chosen = {c: next((x for x in [c, *c.ancestors()] if x in selected), None) for c in clusters}
    least, farthest = 0.0, INF  # lambda and height at which a member leaves
    if selected == [root]:
        least, farthest = (0.0, epsilon) if epsilon != 0 else (root.death, INF)
    late = {p: c for p, (c, at) in left.items() if at >= least and c.left.get(p, 0.0) <= farthest}
    home = {point: chosen[c] for point, c in late.items() if chosen[c]}
    if not home:
        selected = []  # epsilon has selected the root, but no point leaves it late enough
    members = [frozenset(point for point, c in home.items() if c is one) for one in selected]
    probabilities, scores, greatest = np.zeros(n), np.empty(n), greatest_below(clusters)
    for point, (cluster, at) in left.items():
        if point in home:
            death = home[point].death
            probabilities[point] = 1.0 if at == INF or death == 0 else min(at, death) / death
        most = greatest[cluster]
        scores[point] = 0.0 if at == INF or most == 0 else 1.0 - at / most
    last = {c: {point for point, at in c.lambdas().items() if at == c.death} for c in clusters if not c.children}
    return Clustering(
        clusters=clusters,
        selected=selected,
        members=members,
        noise=clusters[0].points - home.keys(),
        probabilities=probabilities,
        outlier_scores=scores,
        persistence=[share(c, greatest[root]) for c in selected],
        exemplars=[frozenset().union(*(last[c] for c in last if chosen[c] is one)) for one in selected],
    )


def share(cluster, greatest):
    """Persistence of a selected cluster, from 0 to 1."""
    return 1.0 if greatest in (0, INF) else min(cluster.stability / (len(cluster.points) * greatest), 1.0)
