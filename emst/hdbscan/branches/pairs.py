"""Pairs of members of a cluster that lie within a radius of each other, and their mutual reachability distances.

Under the metrics of the tree search, a k-d tree over the images finds candidates on the host, within a radius that is
a little too large. The backend then computes the lengths of the candidates as it has computed those of the spanning
tree, so that equal distances are equal numbers. Under other metrics all pairs are compared in blocks.
"""

from __future__ import annotations

import itertools
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from emst.backend import backend_of
from emst.backend.memory import BRANCHES, free_gb, needed_gb
from emst.backend.records import SearchIndex
from emst.distances.metrics import Metric
from emst.distances.pairwise import blocks
from emst.hdbscan.centers import scale_of_rows
from emst.hdbscan.model import Model
from emst.inputs.devices import to_host
from emst.inputs.scaling import scale_of
from emst.spanning import heights

Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]  # ends u < v, int64[e], and mutual reachability, T[e]
PAIR_BYTES = 128  # of a pair, from the search to the forest
ROWS = 1 << 15  # points searched at a time


class PairSearch:
    """Searches pairs of the points of a fitted model."""

    def __init__(self, fitted: Model) -> None:
        self.fitted, self.metric, self.ops = fitted, fitted.metric, fitted.ops
        self.core, self.points = to_host(fitted.core), to_host(fitted.points)

    @cached_property
    def _vanishing(self) -> float:
        """More than any length whose power underflows, and than the error of one across the side of a periodic box."""
        return float(np.abs(self.points).max()) * 2.0**-50 + 4 * self.metric.norm.blur(self.core.dtype)

    @cached_property
    def _index(self) -> SearchIndex:
        """The points in their own order: nothing is searched in it, but lengths are computed."""
        points, norm = self.fitted.searched(self.fitted.points), self.metric.norm
        order = self.ops.asarray(np.arange(len(points)), np.int32)
        scale = scale_of(self.ops.point_statistics(points), points.dtype, norm.degree)
        return self.ops.build_index(points, order, scale, norm)

    def within(self, points: np.ndarray, radius: np.ndarray) -> Pairs:
        """The pairs of some points, ascending int64[s], whose mutual reachability distance is at most the radius,
        T[s], of one of the two."""
        if self.fitted.searches:
            u, v = self._candidates(points, radius)
            distance = self._lengths(points[u], points[v])
        else:
            u, v, distance = self._compared(points, radius)
        reach = np.maximum(distance, np.maximum(self.core[points[u]], self.core[points[v]]))
        near = reach <= np.maximum(radius[u], radius[v])
        return points[u[near]], points[v[near]], reach[near]

    def _lengths(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Distances between points, divided by alpha, in the dtype and with the rounding of the spanning tree."""
        ops, fitted = self.ops, self.fitted
        if len(u) == 0:
            return np.zeros(0, fitted.core.dtype)
        powers = ops.edge_powers(self._index, *(ops.asarray(ends, np.int32) for ends in (u, v)))
        distance = ops.unscaled(self._index, powers, None)
        return to_host(heights(distance, self.metric, fitted.alpha, fitted.core.dtype, ops))

    def _candidates(self, points: np.ndarray, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All pairs within the radius, and a few that lie a little farther apart: positions in `points`."""
        images = self.points[points].astype(np.float64)
        scale = scale_of_rows(images)  # powers of distances do not overflow
        images *= scale
        tree, power = cKDTree(images, boxsize=_sides(self.metric.scaled(scale))), _power(self.metric)
        reach = self._loosened(radius, images.shape[1]) * scale
        if len(reach) and (reach == reach[0]).all():
            _require(tree.count_neighbors(tree, reach[0], p=power) // 2, len(points))
            u, v = tree.query_pairs(reach[0], p=power, output_type="ndarray").T
            return u, v
        pairs = [np.zeros((0, 2), np.int64)]
        for begin in range(0, len(points), ROWS):
            block = slice(begin, begin + ROWS)
            count = tree.query_ball_point(images[block], reach[block], p=power, return_length=True)
            _require(int(count.sum()), len(points))
            lists = tree.query_ball_point(images[block], reach[block], p=power)
            other = np.fromiter(itertools.chain.from_iterable(lists), np.int64, int(count.sum()))
            one = np.repeat(np.arange(begin, begin + len(count)), count)
            ends = np.sort(np.stack([one, other], axis=1), axis=1)
            pairs.append(ends[ends[:, 0] < ends[:, 1]])
        u, v = np.unique(np.concatenate(pairs), axis=0).T
        return u, v

    def _loosened(self, radius: np.ndarray, dimensions: int) -> np.ndarray:
        """Radii between images, larger by more than all that rounding can do to lengths."""
        epsilon = float(np.finfo(self.core.dtype).eps)
        reach = image_radius(self.metric, radius.astype(np.float64) * self.fitted.alpha)
        return reach * (1 + (2 * dimensions + 256) * epsilon) + self._vanishing

    def _compared(self, points: np.ndarray, radius: np.ndarray) -> Pairs:
        """As `_candidates`, with the distances divided by alpha, from all pairs."""
        images, pairs = self.points[points], []
        for block in blocks(np.arange(len(points)), len(points)):
            distance = self.metric.distances_between(images[block], images) / self.fitted.alpha
            near = (distance <= np.maximum(radius[block][:, None], radius)) & (np.arange(len(points)) > block[:, None])
            u, v = np.nonzero(near)
            pairs.append((block[u], v, distance[u, v].astype(self.core.dtype)))
        u, v, distance = map(np.concatenate, zip(*pairs))
        return u, v, distance


def image_radius(metric: Metric, distance: np.ndarray) -> np.ndarray:
    """Distances in the metric as distances between images: the inverse of `Metric.height`."""
    if metric.sphere is not None:
        return 2 * np.sin(np.minimum(distance / metric.sphere.radius, np.pi) / 2)
    if metric.height is None:
        return distance
    return np.sqrt(2 * distance if metric.name == "cosine" else distance)


def _power(metric: Metric) -> float:
    """p of the Minkowski distance that the norm is."""
    return np.inf if metric.norm.kind == "chebyshev" else metric.norm.degree


def _sides(metric: Metric) -> np.ndarray | None:
    """The lengths of the box as SciPy takes them, with 0 for open columns; None for an open box."""
    if metric.norm.period is None:
        return None
    return np.array([length if length < np.inf else 0.0 for length in metric.norm.period])


def _require(pairs: int, size: int) -> None:
    """Raise MemoryError if so many pairs cannot fit."""
    needed, free = pairs * PAIR_BYTES, backend_of("cpu").bytes_free()
    if free is not None and needed > free:
        raise MemoryError(
            f"the graph of a cluster of {size:,} points has about {pairs:,} edges, which need "
            f"{needed_gb(needed)} of memory; {free_gb(free)} are free; {BRANCHES}"
        )


def nearest(fitted: Model) -> np.ndarray:
    """The `min_samples` nearest points of every point of the tree, itself included: int64[m, min_samples].

    Which of equally near points are taken is not specified.
    """
    images, k = to_host(fitted.points), fitted.min_samples
    if fitted.searches:
        tree = cKDTree(images, boxsize=_sides(fitted.metric))
        return tree.query(images, np.arange(1, k + 1), p=_power(fitted.metric))[1].astype(np.int64)
    lists = [np.zeros((0, k), np.int64)]
    for block in blocks(np.arange(len(images)), len(images)):
        lists.append(np.argsort(fitted.metric.distances_between(images[block], images), axis=1, kind="stable")[:, :k])
    return np.concatenate(lists)
