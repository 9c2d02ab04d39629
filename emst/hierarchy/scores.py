"""Scores of a flat clustering: persistence, exemplars and relative validity of its clusters."""

from __future__ import annotations

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array
from emst.hierarchy.density import density
from emst.hierarchy.selection import FlatClustering
from emst.inputs.devices import to_host


def persistence(flat: FlatClustering) -> np.ndarray:
    """Persistence of every selected cluster: float64[L] on the host, from 0 to 1.

    It is the stability of the cluster, divided by the stability that it would have if all its points stayed until the
    greatest lambda of the tree. As in hdbscan, it is 1 if that lambda is infinite or 0. A selected root has points that
    are no members; hdbscan divides by the members, so it can exceed 1 there.
    """
    condensed, chosen = flat.condensed, flat.selection.chosen
    stability, size = to_host(condensed.stability[chosen]), to_host(condensed.size[chosen])
    greatest = float(condensed.death.max())
    if greatest == 0 or np.isinf(greatest):
        return np.ones(len(stability))
    return np.minimum(stability / (size * greatest), 1.0)  # sums are rounded


def exemplars(flat: FlatClustering) -> list[np.ndarray]:
    """The points that stay longest in each leaf below a selected cluster: one int64 array for each cluster."""
    condensed, selection = flat.condensed, flat.selection
    leaf, height = condensed.leaving()
    stays = (condensed.children[leaf, 1] == 0) & (selection.label[leaf] >= 0)
    points = np.nonzero(stays & (density(height) == condensed.death[leaf]))[0]
    label, leaf = to_host(selection.label[leaf[points]]), to_host(leaf[points])
    points = to_host(points)
    order = np.lexsort((points, leaf, label))
    ends = np.searchsorted(label[order], np.arange(len(selection.chosen) + 1))
    return [points[order[begin:end]] for begin, end in zip(ends[:-1], ends[1:])]


def relative_validity(
    edges: Array, weights: Array, labels: Array, n: float, ops: Backend, sizes: np.ndarray | None = None
) -> float:
    """Density-based cluster validity, estimated from the spanning tree alone in O(n) time: from -1 to 1.

    The separation of a cluster is its lightest edge to another cluster, its sparseness the heaviest edge within it. The
    score of a cluster is (separation - sparseness) over the greater of the two. The result is the mean of the scores,
    weighted by the sizes of the clusters; noise counts 0. It is hdbscan's `relative_validity_`.

    Parameters
    ----------
    edges : int array of shape (m - 1, 2)
        Edges of the minimum spanning tree of m points.
    weights : array of shape (m - 1,)
        Mutual reachability distances of the edges.
    labels : int array of shape (m,)
        Cluster of each of the m points, -1 for noise.
    n : number
        Of all points; those outside the tree count as noise.
    ops : Backend
        Whose threads go through the edges, on the host.
    sizes : array of shape (m,), optional
        How many points each of the m points counts as, for 1 by default. Then an edge from a point to itself stands for
        those between its copies.

    Returns
    -------
    float
    """
    edges, weights, labels = to_host(edges), to_host(weights).astype(np.float64), to_host(labels)
    sizes = np.bincount(labels + 1, sizes, minlength=1)[1:]
    parts: list[tuple[np.ndarray, np.ndarray, float]] = []

    def work(begin: int, end: int) -> None:
        parts.append(_extremes(edges[begin:end], weights[begin:end], labels, len(sizes)))

    ops.for_blocks(work, len(weights), 4)
    heaviest, lightest = np.max([part[0] for part in parts], axis=0), np.min([part[1] for part in parts], axis=0)
    to_noise = min(part[2] for part in parts)
    alone = to_noise if len(sizes) == 1 and to_noise < np.inf else float(weights.max())
    lightest[np.isinf(lightest)] = 2 * alone  # no edge connects the cluster with another one
    with np.errstate(invalid="ignore"):
        apart = (lightest - heaviest) / np.maximum(lightest, heaviest)
    apart[(lightest == 0) & (heaviest == 0)] = 0
    apart[np.isinf(lightest)] = 1
    return float((sizes * apart).sum() / n)


def _extremes(
    edges: np.ndarray, weights: np.ndarray, labels: np.ndarray, clusters: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Of some edges, the heaviest within every cluster, 0 if there is none; the lightest to another cluster; and the
    lightest between a cluster and noise; infinite if there is none."""
    heaviest, lightest = np.zeros(clusters), np.full(clusters, np.inf)
    a, b = labels[edges[:, 0]], labels[edges[:, 1]]
    inside, between = (a >= 0) & (a == b), (a >= 0) & (b >= 0) & (a != b)
    np.maximum.at(heaviest, a[inside], weights[inside])
    np.minimum.at(lightest, a[between], weights[between])
    np.minimum.at(lightest, b[between], weights[between])
    return heaviest, lightest, float(weights[(a >= 0) != (b >= 0)].min(initial=np.inf))
