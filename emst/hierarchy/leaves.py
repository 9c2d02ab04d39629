"""The leaves of the condensed tree at every minimum cluster size at once, and how persistent they are together.

A leaf of the condensed tree of one size is a leaf for a range of sizes: from the size at which nothing below it splits
any more, to the size at which it is too small, or its parent does not split. All ranges follow from the condensed tree
of the least size: clusters of greater sizes are among its clusters, because a node that splits at a size splits at
every smaller size, too. So this stage takes time in the number of clusters, not of points.

References
----------
D. Bot, L. McInnes, J. Aerts, "Persistent multiscale density-based clustering" (PLSCAN), arXiv 2512.16558 (2025).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from emst.backend.operations import HierarchyOperations
from emst.backend.records import Condensed, Linkage
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.selection import Options
from emst.inputs.devices import to_host


class Trace(NamedTuple):
    """The persistence of all leaves together, over the minimum cluster size: a step function.

    Attributes
    ----------
    sizes : int64 array of shape (s,)
        The minimum cluster sizes at which other clusters are leaves than at the size before, ascending. The first is
        the least size that was looked at.
    persistences : int64 array of shape (s,)
        The sum of the persistences of the leaves at this size and at all sizes before the next one.
    """

    sizes: np.ndarray
    persistences: np.ndarray


@dataclass(frozen=True, eq=False)
class Leaves:
    """For which minimum cluster sizes every cluster of a condensed tree is a leaf. Arrays live on the host."""

    least: int  # the minimum size of the condensed tree
    parent: np.ndarray  # int64[K], 0 for the root
    first: np.ndarray  # int64[K]: the least size for which the cluster is a leaf
    last: np.ndarray  # int64[K]: the greatest one; less than `first` for a cluster that is never a leaf

    def labels(self, size: int) -> np.ndarray:
        """Label of the leaf of this size that every cluster lies in, int64[K]; -1 if it lies in none."""
        leaf = (self.first <= size) & (size <= self.last)
        label = np.where(leaf, np.cumsum(leaf) - 1, -1)
        above = np.where(leaf, np.arange(len(leaf)), self.parent)
        while (further := above[above]).tobytes() != above.tobytes():
            above = further
        return label[above]

    def trace(self) -> Trace:
        """The total persistence of the leaves at every size. The persistence of a leaf is the number of its sizes."""
        lives = self.first <= self.last
        first, end = self.first[lives], self.last[lives] + 1
        sizes = np.unique(np.concatenate([[self.least], first, end]))
        change = np.zeros(len(sizes), np.int64)
        np.add.at(change, np.searchsorted(sizes, first), end - first)
        np.subtract.at(change, np.searchsorted(sizes, end), end - first)
        return Trace(sizes, np.cumsum(change))


def leaves_of(condensed: Condensed) -> Leaves:
    """The ranges of minimum sizes for which the clusters are leaves, from the size of the condensed tree up.

    The root is never a leaf here: at sizes for which nothing splits, there is no cluster.
    """
    parent = np.maximum(to_host(condensed.parent).astype(np.int64), 0)
    size, least = to_host(condensed.size).astype(np.int64), condensed.min_cluster_size
    splits_up_to = _second_children(parent, size)
    last = np.minimum(size, splits_up_to[parent])
    last[0] = 0
    return Leaves(least, parent, np.maximum(_greatest_below(parent, splits_up_to) + 1, least), last)


def peaks(persistences: np.ndarray) -> np.ndarray:
    """Where a step function that is 0 on both sides has its local maxima; of equal steps the first."""
    runs = np.flatnonzero(np.append(True, persistences[1:] != persistences[:-1]))
    height = np.concatenate([[0], persistences[runs], [0]])
    return runs[(height[1:-1] > height[:-2]) & (height[1:-1] > height[2:])]


def settled(options: Options, linkage: Linkage, ops: HierarchyOperations) -> Options:
    """The options with the minimum size of greatest total persistence, if it is to be chosen from the data."""
    if not options.auto:
        return options
    trace = leaves_of(condensed_tree(linkage, options.min_cluster_size, 0.0, ops)).trace()
    best = int(trace.sizes[np.argmax(trace.persistences)])
    return replace(options, min_cluster_size=best, auto=False)


def _second_children(parent: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Size of the second largest child of every cluster, up to which the cluster splits; 0 for clusters without."""
    second = np.zeros(len(parent), np.int64)
    order = 1 + np.lexsort((-size[1:], parent[1:]))
    of = parent[order]
    largest = np.flatnonzero(np.append(True, of[1:] != of[:-1])) if len(of) else order
    second[of[largest]] = size[order[largest + 1]]
    return second


def _greatest_below(parent: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The greatest of the values of every cluster and all clusters below it; parents come before children."""
    above, greatest = parent.tolist(), values.tolist()
    for cluster in range(len(above) - 1, 0, -1):
        if greatest[cluster] > greatest[above[cluster]]:
            greatest[above[cluster]] = greatest[cluster]
    return np.array(greatest, np.int64)
