"""What a clustering says of its clusters: how persistent they are, how well apart, and which points they stand for."""

from __future__ import annotations

import numpy as np

from emst.backend.records import Array
from emst.hierarchy.linkage import density
from emst.hierarchy.selection import FlatClustering
from emst.inputs.devices import to_host


def persistence(flat: FlatClustering) -> np.ndarray:
    """Stability of every chosen cluster, over what it would be if all its points stayed to the greatest lambda of all.

    Between 0 and 1, float64[L] on the host; 1 where that lambda is infinite or 0, as hdbscan has it. Also 1, where
    hdbscan says more, if the whole was chosen with an epsilon that leaves it fewer members than its stability counts.
    """
    stability = to_host(flat.condensed.stability[flat.selection.chosen])
    greatest = float(flat.condensed.death.max())
    if greatest == 0 or np.isinf(greatest):
        return np.ones(len(stability))
    members = np.bincount(to_host(flat.labels) + 1, minlength=len(stability) + 1)[1:]
    return np.minimum(stability / (members * greatest), 1.0)


def exemplars(flat: FlatClustering) -> list[np.ndarray]:
    """The points that stay longest in each of the leaves below a chosen cluster: int64 rows, one array a cluster."""
    condensed, selection = flat.condensed, flat.selection
    leaf, height = condensed.leaving()
    stays = (condensed.split[leaf] == -1) & (selection.label[leaf] >= 0)
    points = np.nonzero(stays & (density(height) == condensed.death[leaf]))[0]
    label, leaf = to_host(selection.label[leaf[points]]), to_host(leaf[points])
    points = to_host(points)
    order = np.lexsort((points, leaf, label))
    ends = np.searchsorted(label[order], np.arange(len(selection.chosen) + 1))
    return [points[order[begin:end]] for begin, end in zip(ends[:-1], ends[1:])]


def relative_validity(edges: Array, weights: Array, labels: Array, n: int) -> float:
    """Density-based cluster validity of a clustering seen on its spanning tree alone, between -1 and 1.

    Of every cluster: the lightest edge that leaves it for another cluster, against the heaviest edge within it; the
    mean over clusters, weighted by size, noise counting 0. What hdbscan calls by this name.

    Parameters
    ----------
    edges, weights, labels
        Of the m points of the tree.
    n : int
        Number of points, those outside the tree counted as noise.
    """
    edges, weights, labels = to_host(edges), to_host(weights).astype(np.float64), to_host(labels)
    sizes = np.bincount(labels + 1, minlength=1)[1:]
    heaviest, lightest = np.zeros(len(sizes)), np.full(len(sizes), np.inf)
    a, b = labels[edges[:, 0]], labels[edges[:, 1]]
    inside, between = (a >= 0) & (a == b), (a >= 0) & (b >= 0) & (a != b)
    np.maximum.at(heaviest, a[inside], weights[inside])
    np.minimum.at(lightest, a[between], weights[between])
    np.minimum.at(lightest, b[between], weights[between])
    lightest[np.isinf(lightest)] = 2 * _farthest(weights, (a >= 0) != (b >= 0), len(sizes))
    with np.errstate(invalid="ignore"):
        apart = (lightest - heaviest) / np.maximum(lightest, heaviest)
    apart[(lightest == 0) & (heaviest == 0)] = 0
    apart[np.isinf(lightest)] = 1
    return float((sizes * apart).sum() / n)


def _farthest(weights: np.ndarray, to_noise: np.ndarray, clusters: int) -> float:
    """What is known of the separation of a cluster that no edge connects with another one."""
    if clusters == 1 and to_noise.any():
        return float(weights[to_noise].min())
    return float(weights.max())
