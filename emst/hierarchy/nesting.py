"""Which clusters of the condensed tree lie within which, as intervals of numbers, in array code for both backends.

Every cluster has an interval that lies within that of its parent, and apart from those of its siblings. A cluster of s
points takes 2s - 1 numbers. It has two children or more, and these have at most s points together, so their intervals
take at most 2s - 2 numbers: the first number of every cluster is its own. So no count of clusters is needed, and all
comes from the top down by doubling pointers: log2(depth) passes over the clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emst.backend.records import Array, Condensed


@dataclass(frozen=True, eq=False)
class Nesting:
    """The intervals of K clusters. Arrays live on the backend."""

    parent: Array  # int32[K], 0 for the root
    begin: Array  # int64[K]: the first number of every cluster, different for all of them
    end: Array  # int64[K]: the number after the last
    ancestors: list[Array]  # int32[K] each: of every cluster the one 1, 2, 4, ... levels above it, or the root

    def holds(self, cluster: Array, other: Array) -> Array:
        """For each pair of clusters, whether the first is the second or above it: bool[m] for int[m] and int[m]."""
        at = self.begin[other]
        return (self.begin[cluster] <= at) & (at < self.end[cluster])

    def common(self, cluster: Array, other: Array) -> Array:
        """The smallest cluster that holds both: int[m] for int[m] and int[m]."""
        highest = cluster  # that does not hold the other one
        for above in reversed(self.ancestors):
            further = above[highest]
            highest = np.where(self.holds(further, other), highest, further)
        return np.where(self.holds(cluster, other), cluster, self.parent[highest])

    def totals(self, cluster: Array, values: Array) -> Array:
        """Of every cluster the sum of the values of all clusters that it holds: int64[K] for int[m] and int64[m]."""
        if len(cluster) == 0:
            return np.zeros_like(self.begin)
        at = self.begin[cluster]
        order = np.argsort(at)
        sums = np.zeros_like(self.begin, shape=(len(at) + 1,))
        np.cumsum(values[order], out=sums[1:])
        at = at[order]
        return sums[np.searchsorted(at, self.end)] - sums[np.searchsorted(at, self.begin)]


def nesting_of(condensed: Condensed) -> Nesting:
    """The intervals of the clusters of a condensed tree."""
    parent, width = np.maximum(condensed.parent, 0), 2 * condensed.size.astype(np.int64) - 1
    before = np.cumsum(width) - width
    begin = 1 + before - before[condensed.children[parent, 0]]  # from the first number of the parent
    begin[0] = 0
    ancestors, above = [], parent
    while bool(above.any()):
        ancestors.append(above)
        begin, above = begin + begin[above], above[above]
    return Nesting(parent, begin, begin + width, [*ancestors, above])
