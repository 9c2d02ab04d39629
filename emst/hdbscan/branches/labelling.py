"""Labels and probabilities of clusters and branches together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emst.hdbscan.branches.hierarchy import Branches
from emst.hdbscan.branches.members import Members


@dataclass(frozen=True, eq=False)
class Labelling:
    """The results for the m points of the spanning tree. Arrays lie on the host."""

    labels: np.ndarray  # int64[m]: of clusters and branches; -1 for noise
    probabilities: np.ndarray  # float64[m]: 0 for noise
    branch_labels: np.ndarray  # int64[m]: within the cluster; 0 without branches, -1 for its points of no branch
    branch_probabilities: np.ndarray  # float64[m]: 1 without branches


def is_divided(branches: Branches, sides: bool) -> bool:
    """Whether the branches of a cluster are labelled: if there are three, or two where `sides` are branches.

    Two branches are the two sides of any elongated cluster. The components of a graph that is not connected are always
    labelled.
    """
    return branches.apart or len(branches.persistence) > (1 if sides else 2)


def labelling(members: Members, of_clusters: list[Branches], sides: bool) -> Labelling:
    """Number the clusters without branches and the branches of the others, in the order of the clusters.

    In a cluster with branches, the points of no branch get a label of their own, before its branches. The probability
    of a point there is the mean of those of cluster and branch.
    """
    m = len(members.labels)
    labels, branch_labels = np.full(m, -1), np.zeros(m, np.int64)
    probabilities, branch_probabilities = members.probabilities.copy(), np.ones(m)
    first = 0
    for points, branches in zip(members.points, of_clusters):
        if not is_divided(branches, sides):
            labels[points] = first
            first += 1
            continue
        rest = int((branches.labels < 0).any())
        labels[points] = branches.labels + (first + rest)
        branch_labels[points], branch_probabilities[points] = branches.labels, branches.probabilities
        probabilities[points] = (probabilities[points] + branches.probabilities) / 2
        first += len(branches.persistence) + rest
    return Labelling(labels, probabilities, branch_labels, branch_probabilities)
