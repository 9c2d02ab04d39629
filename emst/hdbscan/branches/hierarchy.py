"""From the graphs to the branches of each cluster.

An edge weighs as much as the greater centrality of its ends. So in the dendrogram of the graph's minimum spanning
forest, the points within a height are connected without the points that are nearer to the centre: branches grow from
their tips inwards, and merge where they meet. Lambda, 1 / height, is an eccentricity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emst.backend.operations import Backend
from emst.graph.msf import graph_msf
from emst.hdbscan.branches.graph import Graphs
from emst.hdbscan.branches.members import Members
from emst.hierarchy import scores
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.selection import FlatClustering, Options, flat_clustering
from emst.inputs.devices import to_host


@dataclass(frozen=True, eq=False)
class Branches:
    """The branches of one cluster of s points. Arrays lie on the host, but for those of `flat`."""

    labels: np.ndarray  # int64[s]: -1 for points of no branch
    probabilities: np.ndarray  # float64[s]
    persistence: np.ndarray  # float64[number of branches]
    flat: FlatClustering | None  # None if the graph is not connected: then its components are the branches

    @property
    def apart(self) -> bool:
        """Whether the graph is not connected."""
        return self.flat is None and len(self.persistence) > 1


def branches_of_clusters(
    graphs: Graphs, members: Members, centrality: np.ndarray, options: Options, ops: Backend
) -> list[Branches]:
    """The branches of every cluster.

    Parameters
    ----------
    graphs : Graphs
    members : Members
    centrality : float64[m]
        Of every point of the spanning tree.
    options : Options
        How branches are selected.
    ops : Backend
        Where to compute.
    """
    forest = _forest(graphs, centrality, ops)
    cluster = members.labels[forest.edges[:, 0]]
    order = np.argsort(cluster, kind="stable")
    starts = np.searchsorted(cluster[order], np.arange(len(members.points) + 1))
    position = np.zeros(len(centrality), np.int32)
    branches = []
    for points, begin, end in zip(members.points, starts[:-1], starts[1:]):
        position[points] = np.arange(len(points))
        within = order[begin:end]
        if len(points) < 2 or len(within) < len(points) - 1:
            branches.append(_components(forest.component[points]))
        else:
            branches.append(_branches(position[forest.edges[within]], forest.weight[within], options, ops))
    return branches


@dataclass(frozen=True, eq=False)
class _Forest:
    """The minimum spanning forest of all graphs. Arrays lie on the host."""

    edges: np.ndarray  # int32[e, 2]: points, the lesser first; by weight
    weight: np.ndarray  # float64[e]
    component: np.ndarray  # int32[m]: component of every point, numbered in the order of their first points


def _forest(graphs: Graphs, centrality: np.ndarray, ops: Backend) -> _Forest:
    """The forest by `graph_msf`. Its edges of equal weight merge at once: their order is of no effect."""
    weight = np.maximum(centrality[graphs.source], centrality[graphs.target])
    ends = graphs.source.astype(np.int32), graphs.target.astype(np.int32)
    forest = graph_msf(*ends, weight, n_vertices=len(centrality), device=ops.name, return_labels=True)
    order = np.lexsort((forest.target, forest.source, forest.weight))
    return _Forest(forest.edges[order], forest.weight[order], forest.component_labels)


def _components(component: np.ndarray) -> Branches:
    """The components of a graph that is not connected, in the order of their first points, as its branches."""
    numbers, labels = np.unique(component, return_inverse=True)
    return Branches(labels, np.ones(len(labels)), np.zeros(len(numbers)), None)


def _branches(edges: np.ndarray, weights: np.ndarray, options: Options, ops: Backend) -> Branches:
    """The branches of a connected graph, from the edges of its spanning tree, in their order."""
    linkage = ops.linkage(ops.asarray(edges), ops.asarray(weights))
    condensed = condensed_tree(linkage, options.min_cluster_size, options.persistence, ops)
    flat = flat_clustering(condensed, options, ops)
    return Branches(to_host(flat.labels), to_host(flat.probabilities), scores.persistence(flat), flat)
