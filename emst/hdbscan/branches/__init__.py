"""Branches inside clusters: FLASC, a step after HDBSCAN*.

In a cluster of the shape of a Y no part is denser than the others, so HDBSCAN* finds one cluster. Branches are the
parts that stay connected when the points near the centre of the cluster are removed. So distances to the centre take
the place of densities, and the rest is single linkage again: a forest, a dendrogram, a condensed tree and a selection.

detector.py      `BranchDetector`: its parameters, and `fit` as a list of stages
members.py       which points belong to which cluster, and with which weight
centrality.py    how near the points are to the centre of their cluster
graph.py         the approximation graph of each cluster: which of its points are neighbours
pairs.py         pairs of points within a radius, and their distances
hierarchy.py     the forest of the graphs, and the branches of each cluster
labelling.py     labels and probabilities of clusters and branches together
prediction.py    `approximate_predict_branch`: branches of new points
table.py         `ApproximationGraph`: the graphs as an object

References
----------
D. M. Bot, J. Peeters, J. Liesenborgs, J. Aerts, "FLASC: a flare-sensitive clustering algorithm", PeerJ Computer Science
11:e2792 (2025).
"""

from emst.hdbscan.branches.detector import BranchDetector
from emst.hdbscan.branches.prediction import approximate_predict_branch
from emst.hdbscan.branches.table import ApproximationGraph

__all__ = ["ApproximationGraph", "BranchDetector", "approximate_predict_branch"]
