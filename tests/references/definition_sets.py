"""Small sets of points with many equal distances, options to cluster them with, and the comparison with the definition.

The chain from points to a minimum spanning tree is in plain numpy, without the package. Distances are rounded as the
package rounds them, so weights have the same bits; which of several equal trees is found differs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from definition_reference import by_definition

from emst import HDBSCANGPU
from emst.hierarchy import scores
from emst.hierarchy.condensed import condensed_tree
from emst.hierarchy.density import density
from emst.hierarchy.selection import Options, flat_clustering
from emst.inputs.devices import to_host

KINDS = ("uniform", "uneven", "rounded", "coarse", "repeated", "integers", "lattice", "zeros and ones", "even gaps")
PARAMETERS = {
    "min_cluster_size": "min_cluster_size",
    "method": "cluster_selection_method",
    "epsilon": "cluster_selection_epsilon",
    "persistence": "cluster_selection_persistence",
    "max_cluster_size": "max_cluster_size",
    "allow_single_cluster": "allow_single_cluster",
    "epsilon_max": "cluster_selection_epsilon_max",
}


@dataclass(frozen=True)
class Case:
    """Points and options; distances are counted with the point itself, from 1."""

    kind: str
    points: np.ndarray  # T[n, d]
    min_samples: int
    options: dict  # of `by_definition`

    def model(self, device):
        """The package's clustering."""
        parameters = {PARAMETERS[name]: value for name, value in self.options.items()}
        return HDBSCANGPU(min_samples=self.min_samples, device=device, **parameters).fit(self.points)


def random_case(seed, greatest=150, kind=None, dtype=None):
    """A set of 2 to `greatest` points in 1 to 10 dimensions, with options. Half of the kinds have many ties."""
    g = np.random.default_rng(seed)
    n = int(g.integers(2, greatest + 1)) if g.random() < 0.8 else int(g.integers(2, min(30, greatest + 1)))
    d, kind = int(g.choice([1, 2, 3, 4, 7, 10])), kind or str(g.choice(KINDS))
    points = points_of(kind, n, d, g).astype(dtype or g.choice([np.float32, np.float64]))
    k = min(int(g.integers(1, 21)) if g.random() < 0.7 else int(g.integers(1, 4)), len(points))
    return Case(kind, points, k, random_options(points, g))


def points_of(kind, n, d, g):
    """About n points, float64[n, d]."""
    blobs = g.normal(size=(n, d)) + 4 * g.integers(0, 3, (n, 1)) * (g.random(d) < 0.7)
    if kind == "uniform":
        return g.random((n, d))
    if kind == "uneven":
        return g.normal(size=(n, d)) * np.exp(3 * g.normal(size=(n, 1)))
    if kind in ("rounded", "coarse"):
        return np.round(blobs, 2 if kind == "rounded" else 1)
    if kind == "repeated":
        return blobs[g.integers(0, max(1, n // 4), n)]
    if kind == "integers":
        return g.integers(0, max(2, round(2 * n ** (1 / d))), (n, d)).astype(float)
    if kind == "zeros and ones":
        return g.integers(0, 2, (n, d)).astype(float)
    side = max(2, round(n ** (1 / min(d, 3))))
    places = np.stack(np.unravel_index(np.arange(min(n, side ** min(d, 3))), (side,) * min(d, 3)), axis=1)
    if kind == "lattice":
        return places * 0.1
    return places + 3.0 * (places // g.integers(2, 6))  # groups of equal lattices at equal distances


def random_options(points, g):
    """Options of every kind; distances and densities are of the size of those that occur, or equal to one."""
    u, v = points[g.integers(0, len(points), (2, 8))].astype(np.float64)
    between = np.quantile(np.linalg.norm(u - v, axis=1), 0.3, method="lower")
    distance = float(between * g.choice([0.25, 0.5, 1.0]))
    distance = distance if 1e-300 < distance < 1e300 else 1.0  # its reciprocal is a number, too
    rare = g.random(5)
    options = {"min_cluster_size": int(g.integers(2, 26)) if g.random() < 0.6 else int(g.integers(2, 6))}
    options["method"] = "leaf" if g.random() < 0.3 else "eom"
    options["allow_single_cluster"] = bool(g.random() < 0.3)
    if rare[0] < 0.25:
        options["epsilon"] = distance
    if rare[1] < 0.25:
        options["persistence"] = float(g.choice([0.02, 0.1, 0.3, 1.0])) / distance
    if rare[2] < 0.2:
        options["max_cluster_size"] = int(g.integers(1, len(points) + 1))
    if rare[3] < 0.2:
        options["epsilon_max"] = distance * float(g.choice([1.0, 1.5, 2.0]))
    return options


# Minimum spanning trees in plain numpy.


def reachability(points, k):
    """Mutual reachability distances, T[n, n]: squares are added dimension by dimension, each sum rounded."""
    powers = np.zeros((len(points), len(points)), points.dtype)
    for column in points.T:
        powers = powers + (column[:, None] - column) ** 2
    core = np.sort(powers, axis=1)[:, k - 1]
    return np.sqrt(np.maximum(np.maximum(core[:, None], core), powers))


def prim(matrix, start=0):
    """Edges int[n - 1, 2] and weights T[n - 1] of a minimum spanning tree, grown from the point `start`."""
    n = len(matrix)
    outside = np.ones(n, bool)
    least, joins = np.full(n, np.inf, matrix.dtype), np.full(n, start)
    edges, weights, new = [], [], start
    for _ in range(n - 1):
        outside[new] = False
        closer = outside & (matrix[new] < least)
        least[closer], joins[closer] = matrix[new, closer], new
        new = int(np.where(outside, least, np.inf).argmin()) if least[outside].min() < np.inf else int(outside.argmax())
        edges.append((joins[new], new))
        weights.append(least[new])
    return np.array(edges, int).reshape(-1, 2), np.array(weights, matrix.dtype)


def another_tree(matrix, g):
    """A minimum spanning tree by Kruskal's algorithm: edges are taken by weight, and equal ones in random order."""
    u, v = np.triu_indices(len(matrix), 1)
    order = np.lexsort((g.random(len(u)), matrix[u, v]))
    component, kept = np.arange(len(matrix)), []
    for e in order.tolist():
        a, b = component[u[e]], component[v[e]]
        if a != b:
            component[component == b] = a
            kept.append(e)
    return np.stack([u[kept], v[kept]], axis=1).astype(np.int32), matrix[u[kept], v[kept]]


# The comparison.


def expected(case, edges, weights):
    """What the definition gives, in the form of `found`."""
    result = by_definition(len(case.points), edges, weights, **case.options)
    left = {point: (c, at) for c in result.clusters for point, at in c.lambdas().items()}
    leaving = [left[point] for point in range(len(case.points))]
    return {
        "condensed tree": sorted((c.birth, c.death, len(c.points), c.stability) for c in result.clusters),
        "lambdas": np.array([at for _, at in leaving]),
        "births": np.array([c.birth for c, _ in leaving]),
        "deaths": np.array([c.death for c, _ in leaving]),
        "labels": set(result.members),
        "probabilities": result.probabilities,
        "outlier scores": result.outlier_scores,
        "persistence": dict(zip(result.members, result.persistence)),
        "exemplars": dict(zip(result.members, result.exemplars)),
    }


def found(flat, ops):
    """What a backend gives (a `FlatClustering`), in a form without numbers of clusters."""
    condensed, labels = flat.condensed, to_host(flat.labels)
    cluster, height = condensed.leaving()
    tree = [to_host(array) for array in (condensed.birth, condensed.death, condensed.size, condensed.stability)]
    home, members = to_host(cluster), [frozenset(np.flatnonzero(labels == i).tolist()) for i in range(labels.max() + 1)]
    return {
        "condensed tree": sorted(zip(*(array.tolist() for array in tree))),
        "lambdas": to_host(density(height)),
        "births": tree[0][home],
        "deaths": tree[1][home],
        "labels": set(members),
        "probabilities": to_host(flat.probabilities),
        "outlier scores": to_host(ops.outlier_scores(condensed, cluster, height)),
        "persistence": dict(zip(members, scores.persistence(flat).tolist())),
        "exemplars": dict(zip(members, (frozenset(points.tolist()) for points in scores.exemplars(flat)))),
    }


def clustered(case, device):
    """What `HDBSCANGPU` gives: its results in the form of `found`, and its edges and weights on the host."""
    model = case.model(device)._model
    with model.scope():
        return found(model.flat, model.ops), to_host(model.edges), to_host(model.weights)


def from_tree(ops, edges, weights, options):
    """What a backend gives for any spanning tree, in the form of `found`."""
    linkage = ops.linkage(ops.asarray(edges), ops.asarray(weights))
    options = Options(**options)
    condensed = condensed_tree(linkage, options.min_cluster_size, options.persistence, ops)
    return found(flat_clustering(condensed, options, ops), ops)


def differences(ours, theirs):
    """Names of the results that differ in any bit."""
    return [name for name in ours if not same(ours[name], theirs[name])]


def same(a, b):
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b


def lifeless(result):
    """How many clusters other than the root die at the lambda at which they are born."""
    return sum(birth == death for birth, death, _, _ in result["condensed tree"][1:])
