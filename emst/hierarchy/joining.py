"""Where queries join the points: the nearest of them under mutual reachability, and the cluster it is in by then.

Where the metric is Euclidean in disguise, by the search of the backends. Where it is not, all pairs are compared, in
blocks and on the host, with scikit-learn's distances.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from emst.backend import Array, Backend, Bvh, backend_of
from emst.finite import FiniteRows
from emst.frame import Frame, frame_of, highest_exponent
from emst.hierarchy.condensed import Condensed
from emst.hierarchy.flat import Flat
from emst.hierarchy.linkage import density
from emst.hierarchy.pairs import blocks, distances_between
from emst.points import to_host

if TYPE_CHECKING:
    from emst.metrics import Metric


@dataclass(eq=False)
class PredictionData:
    """What a fitted model keeps for prediction: references, no copies. An estimator has it as `_prediction_data`.

    That attribute is None (or missing) where nothing was kept. Arrays live on `device`.
    """

    points: Array  # T[n, d]: the kept rows as the tree saw them: in the metric's image, in the dtype computed in
    rows: FiniteRows | None  # which rows of the fitted X these are; None if they are all of them
    min_samples: int  # counts the point itself
    flat: Flat | None  # clusters, and labels and probabilities of the kept rows; None for fewer than two of them
    epsilon: float
    metric: Metric
    device: str  # "cpu" or "cuda"
    give: Callable[[Array], Any]  # result -> the kind of array that the model was fitted to
    core: Array | None = None  # T[n]: core distances, where the metric has no tree and all pairs are compared
    alpha: float = 1.0  # distances, not core distances, are divided by it; only where the metric has no tree

    @property
    def ops(self) -> Backend:
        """The operations that work on these arrays."""
        return backend_of(self.device)

    @cached_property
    def place(self) -> tuple[Frame, Array, Array]:
        """Frame of the points, their rows in the order of the curve, and their codes in that order."""
        survey = self.ops.survey(self.points)
        frame = frame_of(survey.low, survey.high, self.points.dtype, survey.sample)
        codes = self.ops.curve_codes(self.points, frame)
        order = self.ops.sort_order(codes)
        return frame, order, codes[order]

    @cached_property
    def bvh(self) -> Bvh:
        """The points in their own frame, kept for the next call."""
        return self.bvh_in(self.place[0])

    def bvh_in(self, frame: Frame) -> Bvh:
        """The points, scaled by a frame of the same grid, and their core distances."""
        bvh = self.ops.build_bvh(self.points, self.place[1], frame)
        if self.min_samples > 1:
            self.ops.core_distances(bvh, self.min_samples)
        return bvh

    def distances(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Distances between the rows of two arrays where the metric has no tree: float64[len(a), len(b)]."""
        return distances_between(a, b, self.metric.name, self.metric.params)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("place", "bvh")}


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


def joined(data: PredictionData, queries: Array) -> Joined:
    """The nearest kept row of every query under mutual reachability.

    Parameters
    ----------
    queries : T[m, d] on the backend
        Finite, in the metric's image. One is answered alike whatever comes with it.
    """
    if data.metric.way != "tree":
        return _joined_by_pairs(data, queries)
    frame = data.place[0]
    out = Joined(*(np.zeros_like(data.points, dtype=t, shape=len(queries)) for t in (np.int32, bool, queries.dtype)))
    for chosen, excess in _by_magnitude(queries, frame):
        if excess == 0:
            _join(data, queries[chosen], frame, data.bvh, chosen, out)
            continue
        smaller = dataclasses.replace(frame, scale=math.ldexp(frame.scale, -excess), factor=0.0)  # a grid of one cell
        _join(data, queries[chosen], smaller, data.bvh_in(smaller), chosen, out)
    return out if data.metric.height is None else dataclasses.replace(out, height=data.metric.height(out.height))


def _by_magnitude(queries: Array, frame: Frame) -> Iterator[tuple[Array, int]]:
    """Queries, and how many powers of two they are too far away for the frame: their squares would overflow. As a rule
    all of them, and 0."""
    exponent = np.frexp(abs(queries).max(axis=1).astype(np.float64))[1] + (int(np.frexp(frame.scale)[1]) - 1)
    excess = np.maximum(exponent - highest_exponent(queries.shape[1], queries.dtype), 0)
    for level in np.unique(excess).tolist():
        yield np.nonzero(excess == level)[0], level


def _join(data: PredictionData, queries: Array, frame: Frame, bvh: Bvh, rows: Array, out: Joined) -> None:
    """Search these queries in a hierarchy of the same frame, and fill their rows of `out`."""
    ops, (_, order, codes) = data.ops, data.place
    query_codes = ops.curve_codes(queries, frame)
    query_order = ops.sort_order(query_codes)
    near = np.searchsorted(codes, query_codes[query_order])
    packets = ops.build_bvh(queries, query_order, frame)
    found, weight = ops.nearest_reachable(bvh, packets, data.min_samples, near)
    sorted_rows = rows[query_order]
    out.neighbor[sorted_rows] = order[found]
    out.same[sorted_rows] = weight == 0
    with np.errstate(over="ignore"):  # a distance that its type cannot hold is infinite
        out.height[rows] = ops.unscaled(weight, query_order, frame)


def _joined_by_pairs(data: PredictionData, queries: Array) -> Joined:
    """The same for any metric. Of points that are equally near, the first row."""
    points, asked, core = to_host(data.points), to_host(queries), to_host(data.core)
    rows: dict[bytes, int] = {}
    for i, point in enumerate(points + 0.0):  # no -0
        rows.setdefault(point.tobytes(), i)
    neighbor = np.array([rows.get(query.tobytes(), -1) for query in asked + 0.0], np.int32)
    same, height = neighbor >= 0, np.zeros(len(asked), core.dtype)
    for some in blocks(np.flatnonzero(~same), len(points)):
        distance = data.distances(asked[some], points)
        weight = np.maximum(distance / data.alpha, core)
        if data.min_samples > 1:
            nth = data.min_samples - 2
            weight = np.maximum(weight, np.partition(distance, nth, axis=1)[:, nth : nth + 1])
        height[some] = weight.min(axis=1)
        neighbor[some] = np.where(weight == weight.min(axis=1, keepdims=True), distance, np.inf).argmin(axis=1)
    return Joined(*map(data.ops.asarray, (neighbor, same, height)))
