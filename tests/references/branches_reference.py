"""Branches of clusters by their definition, from all pairs of points. See `emst.hdbscan.branches`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from definition_reference import by_definition
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


@dataclass(eq=False)
class Cluster:
    """One cluster: its members, the edges of its graph, and its branches."""

    points: np.ndarray  # ascending
    edges: set  # pairs (u, v) of points, u < v
    labels: np.ndarray  # of the branches, in any order; -1 for members of no branch
    probabilities: np.ndarray
    persistence: list
    apart: bool = False  # the graph is not connected


def centre(rows, weights):
    """The weighted mean: products are rounded, their sum is exact and rounded once."""
    total = sum(map(Fraction, weights.tolist()))
    return np.array([float(sum(map(Fraction, (column * weights).tolist()))) / float(total) for column in rows.T])


def branches(labels, reach, core, tree, centrality, method, options):
    """The branches of all clusters.

    `reach` holds the mutual reachability distances of all pairs, `tree` the edges and weights of a spanning tree, and
    `options` those of `by_definition`.
    """
    found = []
    for label in range(labels.max() + 1):
        points = np.flatnonzero(labels == label)
        inside = [
            (*sorted(edge), weight) for edge, weight in zip(*map(np.ndarray.tolist, tree)) if set(edge) <= set(points)
        ]
        longest = max((weight for _, _, weight in inside), default=-1)
        pairs = {(u, v) for u in points for v in points if u < v}
        radius = {(u, v): max(core[u], core[v]) if method == "core" else longest for u, v in pairs}
        edges = {pair for pair in pairs if reach[pair] <= radius[pair]} | {(u, v) for u, v, _ in inside}
        found.append(_branches(points, edges if inside else set(), centrality[points], options))
    return found


def _branches(points, edges, centrality, options):
    place = {point: i for i, point in enumerate(points.tolist())}
    ends = np.array([(place[u], place[v]) for u, v in edges], int).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends)), ends.T), shape=(len(points),) * 2)
    parts, component = connected_components(graph, directed=False)
    if parts > 1 or len(points) < 2:
        return Cluster(points, edges, component, np.ones(len(points)), [0.0] * parts, parts > 1)
    weights = centrality[ends].max(axis=1)
    order = np.argsort(weights, kind="stable")
    tree = kruskal(ends[order], len(points))
    found = by_definition(len(points), ends[order][tree], weights[order][tree], **options)
    return Cluster(points, edges, found.labels, found.probabilities, found.persistence)


def kruskal(edges, n):
    """Which of the edges, in their order, join two components."""
    component = list(range(n))

    def root(i):
        while component[i] != i:
            i = component[i]
        return i

    chosen = []
    for i, (u, v) in enumerate(edges.tolist()):
        a, b = root(u), root(v)
        if a != b:
            component[a] = b
            chosen.append(i)
    return chosen


def combined(clusters, probabilities, sides):
    """Which clusters are divided, the part of every point, as a pair, None for noise, and its probability."""
    divided = [c.apart or len(c.persistence) > (1 if sides else 2) for c in clusters]
    part, whole = [None] * len(probabilities), probabilities.copy()
    for number, (cluster, splits) in enumerate(zip(clusters, divided)):
        for point, label, probability in zip(cluster.points.tolist(), cluster.labels.tolist(), cluster.probabilities):
            part[point] = (number, label if splits else 0)
            whole[point] = (probabilities[point] + probability) / 2 if splits else probabilities[point]
    return divided, part, whole
