"""Constraints on pairs of points: which of them the clusters of the condensed tree satisfy.

Two points that must be linked are to be in one cluster; two that cannot be linked are not to be in one cluster, so the
constraint holds where one is noise. Points of equal label must be linked, points of different labels cannot be linked.

The gain of a cluster is the number of its pairs that must be linked, minus the number of those that cannot be linked. A
clustering satisfies all constraints that hold if all points are noise, plus the gains of its clusters. So the sum of
the gains is what the selection maximises: the clusters below a split decide independently of one another. The paper
counts the same with virtual nodes, whose objects are noise.

Labels are not written out as pairs. Points of one label are sorted by their clusters; two neighbours have a smallest
cluster that holds both. The pairs whose smallest common cluster is C are those that single linkage joins at C along
this path, smaller clusters first. So the numbers of all pairs come from one dendrogram of the labelled points.

References
----------
R. Campello, D. Moulavi, A. Zimek, J. Sander, "A framework for semi-supervised and unsupervised optimal extraction of
clusters from hierarchies", Data Mining and Knowledge Discovery 27, 2013 (FOSC).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Condensed, Nesting, Selection
from emst.hierarchy.density import density
from emst.inputs.devices import to_host

NO_SHARE = (
    "constraint_weight={:g} has the effect of 1, constraints first: the stability of the clusters is infinite, as that "
    "of min_cluster_size equal points is, so a constraint has no price in stability"
)


@dataclass(frozen=True, eq=False)
class Constraints:
    """What is known of some of the points of a tree. Arrays live on the backend."""

    points: Array  # int64[l]: the labelled points, each once
    kinds: Array  # int64[l]: their labels, as numbers from 0 up and less than l
    must: Array  # int64[p, 2]: pairs of points that must be linked
    cannot: Array  # int64[q, 2]: pairs that cannot be linked

    @property
    def total(self) -> int:
        """Number of constraints: all pairs of labelled points, and the pairs that are given."""
        count = len(self.points)
        return count * (count - 1) // 2 + len(self.must) + len(self.cannot)

    def mapped(self, move: Callable[[Array], Array]) -> Constraints:
        """The same with every array replaced by ``move(array)``."""
        return Constraints(move(self.points), move(self.kinds), move(self.must), move(self.cannot))

    def satisfied(self, labels: Array) -> int:
        """Number of constraints that a clustering satisfies, from the label of every point, int64[n], -1 for noise."""
        ends = labels[np.concatenate([self.must, self.cannot])]
        holds = (ends[:, 0] == ends[:, 1]) & (ends[:, 0] >= 0)
        holds[len(self.must) :] ^= True
        return int(holds.sum()) + (self._labels_satisfied(labels) if len(self.points) else 0)

    def _labels_satisfied(self, labels: Array) -> int:
        """Number of pairs of labelled points that are in one cluster, or are not, as their labels say."""
        known = labels[self.points]
        kept = known >= 0
        alike, count = _pairs(self.kinds), len(known)
        linked, rightly = _pairs(known[kept]), _pairs((known * count + self.kinds)[kept])
        return rightly + _halved(count) - alike - (linked - rightly)


def select_by_constraints(
    condensed: Condensed,
    constraints: Constraints,
    weight: float,
    max_cluster_size: int,
    allow_single_cluster: bool,
    ops: Backend,
) -> Selection:
    """Select the clusters that satisfy the most constraints, or for which a mixture with stability is the greatest.

    Parameters
    ----------
    condensed : Condensed
        The condensed tree.
    constraints : Constraints
        What is known of its points.
    weight : float
        From 0 to 1: of the share of satisfied constraints, against the share of the greatest total stability. 1 takes
        the greatest number of satisfied constraints, and of equal ones the greatest stability.
    max_cluster_size : int
        Most points of a selected cluster.
    allow_single_cluster : bool
        Whether the root may be selected.
    ops : Backend
        The backend that holds the arrays.

    Returns
    -------
    Selection
        The optimum over all sets of clusters of which none lies below another, and in which every leaf that may be
        selected lies, or a cluster above it.
    """
    rules = (max_cluster_size, allow_single_cluster)
    gain = gains(condensed, constraints, allow_single_cluster, ops)
    price = math.inf if weight == 1 else _price(condensed, constraints.total, weight, *rules, ops)
    return ops.select_constrained(condensed, gain, price, *rules)


def gains(condensed: Condensed, constraints: Constraints, root_too: bool, ops: Backend) -> Array:
    """The gain of every cluster, int64[K]. That of the root is only correct with `root_too`.

    A point is in a selected cluster if it leaves that cluster or one below it. The root's members are fewer: see
    `HierarchyOperations.label_points`.
    """
    nesting, of = ops.nesting(condensed), condensed.cluster
    ends = of[np.concatenate([constraints.must, constraints.cannot])]
    at, terms = ops.common_clusters(nesting, ends[:, 0], ends[:, 1]), ops.xp.ones(len(ends), np.int64)
    terms[len(constraints.must) :] = -1
    known = of[constraints.points]
    if len(known) > 1:
        shared, pairs = _pairs_by_cluster(nesting, known, constraints.kinds, ops)
        at, terms = np.concatenate([at, shared]), np.concatenate([terms, 2 * pairs])
    gain = _totals(nesting, at, terms, ops)
    if len(known) > 1:
        gain -= _halved(_totals(nesting, known, ops.xp.ones(len(known), np.int64), ops))
    if root_too:
        gain[0] = _gain_of_root(condensed, constraints, ops)
    return gain


def _totals(nesting: Nesting, clusters: Array, values: Array, ops: Backend) -> Array:
    """Of every cluster the sum of the values of all clusters that it holds: int64[K] for int[m] and int64[m]."""
    at = nesting.begin[clusters]
    order = np.argsort(at)
    sums = ops.xp.zeros(len(at) + 1, np.int64)
    np.cumsum(values[order], out=sums[1:])
    at = at[order]
    return sums[np.searchsorted(at, nesting.end)] - sums[np.searchsorted(at, nesting.begin)]


def _pairs_by_cluster(nesting: Nesting, clusters: Array, kinds: Array, ops: Backend) -> tuple[Array, Array]:
    """Clusters, and how many pairs of equal kind have each as the smallest that holds both; a cluster may come often.

    `clusters` and `kinds`, both of length l, are those of the labelled points.
    """
    order = np.argsort(kinds << 32 | nesting.begin[clusters])  # less than 2^32: see `Nesting`
    clusters, kinds = clusters[order], kinds[order]
    common = ops.common_clusters(nesting, clusters[:-1], clusters[1:]).astype(np.int64)
    # Small clusters have great numbers, so they are joined first. Points of different kinds are joined after them all.
    height = np.where(kinds[:-1] == kinds[1:], len(nesting.begin) - common, len(nesting.begin) + 1).astype(np.float64)
    order = np.argsort(height)
    height = height[order]
    path = ops.linkage(ops.xp.stack([order, order + 1], axis=1).astype(np.int32), height)
    sides = np.where(path.child < 0, 1, path.size[np.maximum(path.child, 0)]).astype(np.int64)
    alike = height <= len(nesting.begin)
    return common[order][alike], (sides[:, 0] * sides[:, 1])[alike]


def _gain_of_root(condensed: Condensed, constraints: Constraints, ops: Backend) -> int:
    """The gain of the root as the only cluster, whose members stay until its death."""

    def stays(points: Array) -> Array:
        return density(condensed.leaving(points.ravel(), ops.take)[1]).reshape(points.shape) >= condensed.death[0]

    known = stays(constraints.points)
    gain = 2 * _pairs(constraints.kinds[known]) - _halved(int(known.sum()))
    return gain + int(stays(constraints.must).all(axis=1).sum()) - int(stays(constraints.cannot).all(axis=1).sum())


def _price(
    condensed: Condensed, total: int, weight: float, max_cluster_size: int, allow_single_cluster: bool, ops: Backend
) -> float:
    """What a constraint is worth in stability: (weight * stability) / ((1 - weight) * total), rounded in that order.

    `stability` is the greatest one of a clustering without constraints, rounded once. So the sum of stability and price
    * gain orders clusterings as weight * (satisfied / total) + (1 - weight) * (their stability / `stability`) does.
    """
    if total == 0:
        return math.inf
    chosen = ops.select(condensed, "eom", 0.0, max_cluster_size, allow_single_cluster).chosen
    try:
        stability = math.fsum(to_host(condensed.stability[chosen]).tolist())
    except OverflowError:  # the sum is beyond the range of float64
        stability = math.inf
    price = weight * stability / ((1 - weight) * total)
    if math.isfinite(price * total):
        return price
    if weight > 0:
        warnings.warn(NO_SHARE.format(weight), UserWarning, stacklevel=2)
        return math.inf
    return 0.0


def _halved(count: Array) -> Array:
    """Number of pairs of so many points."""
    return count * (count - 1) // 2


def _pairs(values: Array) -> int:
    """Number of pairs of equal values."""
    return int(_halved(np.unique(values, return_counts=True)[1].astype(np.int64)).sum()) if len(values) else 0
