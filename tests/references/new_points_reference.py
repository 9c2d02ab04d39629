"""How hdbscan and `emst` place new points in a clustering: both rules, one point at a time, on a condensed tree."""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist


class Rule(NamedTuple):
    """Which neighbours are taken, where the nearest training point of a query is its first neighbour."""

    training: int  # core distance of a training point: to which of the other points
    new: int  # core distance of a new point: to which training point
    candidates: int | None  # how many of the nearest training points may be joined; None for all
    together: bool = True  # whether a new point leaves with the training point that it joins, at the latest


def hdbscans_rule(k):
    return Rule(k - 1, k + 1, 2 * k, False)


def our_rule(k):
    """A training point and a new one have the core distance that the tree was built with: k points besides itself."""
    return Rule(k, k, None)


class Tree:
    """A condensed tree of n points with its selected clusters, from hdbscan's table."""

    def __init__(self, rows, chosen):
        self.root = int(rows["parent"].min())
        self.above = {int(row["child"]): (int(row["parent"]), float(row["lambda_val"])) for row in rows}
        self.clusters = [self.root, *(int(row["child"]) for row in rows if row["child_size"] > 1)]  # parents first
        self.death = dict.fromkeys(self.clusters, 0.0)
        for row in rows:
            self.death[int(row["parent"])] = max(self.death[int(row["parent"])], float(row["lambda_val"]))
        label = {int(cluster): i for i, cluster in enumerate(chosen)}
        self.label, self.chosen = {self.root: label.get(self.root, -1)}, {}
        for cluster in self.clusters[1:]:
            self.label[cluster] = label.get(cluster, self.label[self.above[cluster][0]])
        self.chosen = {i: cluster for cluster, i in label.items()}

    def greatest_below(self):
        """The greatest lambda of every cluster and all clusters below it."""
        greatest = dict(self.death)
        for cluster in reversed(self.clusters[1:]):
            parent = self.above[cluster][0]
            greatest[parent] = max(greatest[parent], greatest[cluster])
        return greatest

    def cluster_at(self, row, joins):
        """The cluster that holds a training point at a lambda at which a new point joins it."""
        cluster, leaves = self.above[row]
        if leaves > joins:
            while cluster != self.root and self.above[cluster][1] >= joins:
                cluster = self.above[cluster][0]
        return cluster

    def leaves(self, rule, row, joins):
        """The lambda at which a new point leaves its cluster."""
        return min(joins, self.above[row][1]) if rule.together else joins


def joined(rule, x, queries):
    """The training point that each query joins, and the lambda at which it does."""
    core = np.sort(cdist(x, x), axis=1)[:, rule.training]
    found = []
    for distance in cdist(queries, x):
        order = np.argsort(distance, kind="stable")
        near = order[: rule.candidates]
        reach = np.maximum(np.maximum(core[near], distance[order[rule.new - 1]]), distance[near])
        found.append((int(near[reach.argmin()]), 1 / reach.min()))
    return found


def predicted(tree, rule, x, queries):
    """Labels and probabilities of queries that equal no training point."""
    labels, probabilities = [], []
    for row, joins in joined(rule, x, queries):
        label = tree.label[tree.cluster_at(row, joins)]
        whole = tree.death[tree.chosen[label]] if label >= 0 else np.inf
        labels.append(label)
        probabilities.append(min(tree.leaves(rule, row, joins), whole) / whole)
    return np.array(labels), np.array(probabilities)


def glosh(tree, rule, x, queries):
    """Outlier scores of queries, by the definition for training points: 1 - lambda / the greatest at or below the
    cluster that is left."""
    greatest = tree.greatest_below()
    joins = joined(rule, x, queries)
    return np.array([1 - tree.leaves(rule, row, at) / greatest[tree.cluster_at(row, at)] for row, at in joins])


def hdbscans_scores(tree, rule, x, queries):
    """The same with the cluster that the neighbour leaves, at whatever lambda the query joins: it can be negative."""
    greatest = tree.greatest_below()
    return np.array([1 - at / greatest[tree.above[row][0]] for row, at in joined(rule, x, queries)])


def mixture(seed):
    """Six clouds with noise, 1,000 points, and 800 new points of wider clouds in the same places."""
    g = np.random.default_rng(seed)
    centres = g.uniform(-10, 10, (6, 2))
    x = [g.normal(centre, g.uniform(0.3, 1.5), (150, 2)) for centre in centres]
    x = np.concatenate([*x, g.uniform(-12, 12, (100, 2))])
    new = [g.normal(centre, g.uniform(0.5, 2), (120, 2)) for centre in centres]
    return x, np.concatenate([*new, g.uniform(-12, 12, (80, 2))])
