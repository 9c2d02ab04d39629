"""Where queries join the points: the nearest of them under mutual reachability, and the cluster it is in by then.

Where the metric is Euclidean in disguise, by the search of the backends. Where it is not, all pairs are compared, in
blocks and on the host, with scikit-learn's distances.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Condensed, Scaling
from emst.distances.pairwise import blocks, distances_between
from emst.hdbscan.index import PointIndex, boxes
from emst.hdbscan.model import Model
from emst.hierarchy.linkage import density
from emst.inputs.devices import to_host
from emst.inputs.scaling import highest_exponent


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
    index, ops, height = fitted.index, fitted.ops, fitted.metric.height
    out = Joined(*(np.zeros_like(queries, dtype=t, shape=len(queries)) for t in (np.int32, bool, queries.dtype)))
    for chosen, excess in _by_magnitude(queries, index.scaling):
        there = index
        if excess:
            scale = math.ldexp(index.scaling.scale, -excess)
            scaling = dataclasses.replace(index.scaling, scale=scale, factor=0.0)  # a grid of one cell
            bvh = boxes(fitted.points, index.order, scaling, fitted.min_samples, ops)
            there = dataclasses.replace(index, scaling=scaling, bvh=bvh)
        _join(there, queries[chosen], fitted.min_samples, ops, chosen, out)
    return out if height is None else dataclasses.replace(out, height=height(out.height))


def _by_magnitude(queries: Array, scaling: Scaling) -> Iterator[tuple[Array, int]]:
    """Rows of queries, and by how many powers of two they are too large for the scaling: their squares would overflow.
    As a rule all rows, and 0.

    Magnitudes are compared as integers: a GPU may take subnormal floats for 0. A query of zeros has no exponent.
    """
    integers = np.dtype(f"i{queries.dtype.itemsize}")
    magnitude = (queries.view(integers) & np.iinfo(integers).max).max(axis=1)
    greatest = to_host(magnitude).view(queries.dtype).astype(np.float64)
    exponent = np.frexp(greatest)[1] + (int(np.frexp(scaling.scale)[1]) - 1)
    excess = np.maximum(exponent - highest_exponent(queries.shape[1], queries.dtype), 0)
    excess[greatest == 0] = 0
    for level in np.unique(excess).tolist():
        yield np.asarray(np.flatnonzero(excess == level), like=queries), level


def _join(index: PointIndex, queries: Array, min_samples: int, ops: Backend, rows: Array, out: Joined) -> None:
    """Search these queries, and fill their rows of `out`."""
    codes = ops.curve_codes(queries, index.scaling)
    order = ops.sort_order(codes)
    near = np.searchsorted(index.codes, codes[order])
    packets = ops.build_bvh(queries, order, index.scaling)
    found, weight = ops.nearest_reachable(index.bvh, packets, min_samples, near)
    sorted_rows = rows[order]
    out.neighbor[sorted_rows] = index.order[found]
    out.same[sorted_rows] = weight == 0
    with np.errstate(over="ignore"):  # a distance that its type cannot hold is infinite
        out.height[rows] = ops.unscaled(weight, order, index.scaling)


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
