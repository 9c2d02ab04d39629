"""The approximation graph of each cluster: which of its members are neighbours.

Two members are neighbours if their mutual reachability distance is at most a radius, or if an edge of the spanning tree
joins them. The radius of the method "full" is the length of the cluster's longest edge in the spanning tree: the least
at which the cluster is connected. That of "core" is the core distance of either of the two: then the graph is that of
the `min_samples` nearest neighbours, with all ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emst.hdbscan.branches.members import Members
from emst.hdbscan.branches.pairs import Pairs, PairSearch
from emst.hdbscan.model import Model
from emst.inputs.devices import to_host


@dataclass(frozen=True, eq=False)
class Graphs:
    """The edges of all graphs, ordered by cluster, source and target. Arrays lie on the host."""

    source: np.ndarray  # int64[e]: points, numbered as in the spanning tree
    target: np.ndarray  # int64[e], greater than the source
    reach: np.ndarray  # float64[e]: mutual reachability distances
    cluster: np.ndarray  # int64[e]


def approximation_graphs(fitted: Model, members: Members, method: str) -> Graphs:
    """The graphs of all clusters, by the method "full" or "core"."""
    search, trees = PairSearch(fitted), _trees(fitted, members)
    parts = []
    for points, (u, v, weight) in zip(members.points, trees):
        if method == "core":
            radius = search.core[points]
        else:
            radius = np.full(len(points), weight.max(initial=-1), weight.dtype)  # -1: no edge, so no radius
        pairs = search.within(points, radius) if len(weight) else (u, v, weight)
        parts.append(_united((u, v, weight), pairs))
    none = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    source, target, reach = map(np.concatenate, zip(none, *parts))
    sizes = [len(part[0]) for part in parts]
    return Graphs(source, target, reach, np.repeat(np.arange(len(parts)), sizes))


def _trees(fitted: Model, members: Members) -> list[Pairs]:
    """The edges of the spanning tree within each cluster."""
    edges, weights = to_host(fitted.edges).astype(np.int64), to_host(fitted.weights)
    label = members.labels[edges[:, 0]]
    inside = np.flatnonzero((label >= 0) & (label == members.labels[edges[:, 1]]))
    order = inside[np.argsort(label[inside], kind="stable")]
    ends = np.searchsorted(label[order], np.arange(len(members.points) + 1))
    parts = [order[begin:end] for begin, end in zip(ends[:-1], ends[1:])]
    return [(edges[part, 0], edges[part, 1], weights[part]) for part in parts]


def _united(tree: Pairs, pairs: Pairs) -> Pairs:
    """The edges of both, each once, ordered by source and target. Those of the tree keep its weights."""
    u, v, reach = (np.concatenate(both) for both in zip(tree, pairs))
    _, first = np.unique(u << 32 | v, return_index=True)
    return u[first], v[first], reach[first]
