"""Where queries join the points: the nearest of them under mutual reachability, and the cluster it is in by then.

Where the metric is Euclidean in disguise, by the search of the backends. Where it is not, all pairs are compared, in
blocks and on the host, with scikit-learn's distances.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from emst.backend import Array, Backend, Bvh
from emst.devices import to_host
from emst.frame import Frame, frame_of, highest_exponent
from emst.hierarchy.condensed import Condensed
from emst.hierarchy.linkage import density
from emst.pairwise import blocks, distances_between

if TYPE_CHECKING:
    from emst.hdbscan.model import Model


@dataclass(frozen=True, eq=False)
class Place:
    """Points along their curve, where queries look for the nearest."""

    frame: Frame
    order: Array  # int32[n]: rows in the order of the curve
    codes: Array  # uint64[n]: their codes in that order
    bvh: Bvh  # in that frame, with core distances


def place_of(points: Array, min_samples: int, ops: Backend) -> Place:
    """The place of points, for any number of queries."""
    survey = ops.survey(points)
    frame = frame_of(survey.low, survey.high, points.dtype, survey.sample)
    codes = ops.curve_codes(points, frame)
    order = ops.sort_order(codes)
    return Place(frame, order, codes[order], _boxes(points, order, frame, min_samples, ops))


def _boxes(points: Array, order: Array, frame: Frame, min_samples: int, ops: Backend) -> Bvh:
    """The hierarchy of the points, scaled by the frame, with their core distances."""
    bvh = ops.build_bvh(points, order, frame)
    if min_samples > 1:
        ops.core_distances(bvh, min_samples)
    return bvh


@dataclass(frozen=True, eq=False)
class Joined:
    """How m queries join the points. Arrays live on the backend."""

    neighbor: Array  # int32[m]: the nearest kept row under mutual reachability
    same: Array  # bool[m]: whether the query is that point
    height: Array  # T[m]: weight of the edge to it, in the metric's units; 0 where the query is the point

    def leaving(self, condensed: Condensed) -> tuple[Array, Array]:
        """As `Condensed.leaving` of points: the cluster that every query leaves, int32[m], and at which height, T[m].

        A query that is a point leaves where that does. Where a query joins at no greater a density than its
        neighbour's cluster was born at, the cluster is the first ancestor born earlier.
        """
        cluster, own = condensed.leaving(self.neighbor)
        height = np.where(self.same, own, self.height)
        joins = density(height)
        late = joins < density(own)
        return _first_born_before(condensed, cluster, np.where(late, joins, np.nan)), height


def _first_born_before(condensed: Condensed, cluster: Array, joins: Array) -> Array:
    """The first of the cluster and its ancestors that is born at less than lambda `joins`, or the root; NaN stays.

    By doubling: births only grow downwards, so long steps up are taken while they do not reach such a cluster.
    """
    up = np.maximum(condensed.parent, 0)
    steps = [up]
    while bool(up.any()):
        up = up[up]
        steps.append(up)
    for up in reversed(steps):
        above = up[cluster]
        cluster = np.where((condensed.birth[above] >= joins) & (above > 0), above, cluster)
    return np.where(condensed.birth[cluster] >= joins, steps[0][cluster], cluster)


def joined(fitted: Model, queries: Array) -> Joined:
    """The nearest kept row of every query under mutual reachability.

    Parameters
    ----------
    queries : T[m, d] on the backend
        Finite, in the metric's image. One is answered alike whatever comes with it.
    """
    if fitted.metric.way != "tree":
        return _joined_by_pairs(fitted, queries)
    place, ops, height = fitted.place, fitted.ops, fitted.metric.height
    out = Joined(*(np.zeros_like(queries, dtype=t, shape=len(queries)) for t in (np.int32, bool, queries.dtype)))
    for chosen, excess in _by_magnitude(queries, place.frame):
        there = place
        if excess:
            scale = math.ldexp(place.frame.scale, -excess)
            frame = dataclasses.replace(place.frame, scale=scale, factor=0.0)  # a grid of one cell
            bvh = _boxes(fitted.points, place.order, frame, fitted.min_samples, ops)
            there = dataclasses.replace(place, frame=frame, bvh=bvh)
        _join(there, queries[chosen], fitted.min_samples, ops, chosen, out)
    return out if height is None else dataclasses.replace(out, height=height(out.height))


def _by_magnitude(queries: Array, frame: Frame) -> Iterator[tuple[Array, int]]:
    """Queries, and how many powers of two they are too far away for the frame: their squares would overflow. As a rule
    all of them, and 0."""
    exponent = np.frexp(abs(queries).max(axis=1).astype(np.float64))[1] + (int(np.frexp(frame.scale)[1]) - 1)
    excess = np.maximum(exponent - highest_exponent(queries.shape[1], queries.dtype), 0)
    for level in np.unique(excess).tolist():
        yield np.nonzero(excess == level)[0], level


def _join(place: Place, queries: Array, min_samples: int, ops: Backend, rows: Array, out: Joined) -> None:
    """Search these queries, and fill their rows of `out`."""
    codes = ops.curve_codes(queries, place.frame)
    order = ops.sort_order(codes)
    near = np.searchsorted(place.codes, codes[order])
    packets = ops.build_bvh(queries, order, place.frame)
    found, weight = ops.nearest_reachable(place.bvh, packets, min_samples, near)
    sorted_rows = rows[order]
    out.neighbor[sorted_rows] = place.order[found]
    out.same[sorted_rows] = weight == 0
    with np.errstate(over="ignore"):  # a distance that its type cannot hold is infinite
        out.height[rows] = ops.unscaled(weight, order, place.frame)


def _joined_by_pairs(fitted: Model, queries: Array) -> Joined:
    """The same for any metric. Of points that are equally near, the first row."""
    points, asked, core = to_host(fitted.points), to_host(queries), to_host(fitted.core)
    rows: dict[bytes, int] = {}
    for i, point in enumerate(points + 0.0):  # no -0
        rows.setdefault(point.tobytes(), i)
    neighbor = np.array([rows.get(query.tobytes(), -1) for query in asked + 0.0], np.int32)
    same, height = neighbor >= 0, np.zeros(len(asked), core.dtype)
    for some in blocks(np.flatnonzero(~same), len(points)):
        distance = distances_between(asked[some], points, fitted.metric.name, fitted.metric.params)
        weight = np.maximum(distance / fitted.alpha, core)
        if fitted.min_samples > 1:
            nth = fitted.min_samples - 2
            weight = np.maximum(weight, np.partition(distance, nth, axis=1)[:, nth : nth + 1])
        height[some] = weight.min(axis=1)
        neighbor[some] = np.where(weight == weight.min(axis=1, keepdims=True), distance, np.inf).argmin(axis=1)
    return Joined(*map(fitted.ops.asarray, (neighbor, same, height)))
