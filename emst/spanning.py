"""All stages from finite points to their spanning tree, by Borůvka's loop (`boruvka.py`).

`metric_tree` maps the points to the metric's image, and `spanning_tree` lists the stages: scale the points, order them
along a Hilbert curve, build a bounding volume hierarchy over that order, find core distances (for mutual reachability),
join duplicates, contract the lightest edge leaving each component until one component is left, sort the edges and
return them in the caller's rows and units. `EMST` and `HDBSCANGPU` both begin here.

References
----------
A. Prokopenko, P. Sao, D. Lebrun-Grandié, "A single-tree algorithm to compute the Euclidean minimum spanning tree on
GPUs", ICPP'22. R. Campello, D. Moulavi, A. Zimek, J. Sander, "Hierarchical density estimates for data clustering,
visualization, and outlier detection", TKDD 2015 (mutual reachability).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import (
    CROWD,
    EUCLIDEAN,
    Ahead,
    Array,
    Forest,
    NeighbourCache,
    Norm,
    PointStatistics,
    Report,
    SearchIndex,
    Taken,
)
from emst.boruvka import spanning_forest
from emst.distances.metrics import Metric
from emst.inputs.devices import to_host
from emst.inputs.scaling import scale_of
from emst.inputs.weights import Weights


class TreeOfPoints(NamedTuple):
    """The spanning tree of n points."""

    edges: Array  # int32[n - 1, 2]: rows of the two ends of each edge, the smaller first, in the total order on edges
    weights: Array  # T[n - 1], ascending
    core: Array | None  # T[n]: core distances; None if they are all 0
    first_round: Any = None  # what `linkage` can begin with: see `sorted_edges`


def metric_tree(
    points: Array,
    statistics: PointStatistics | None,
    metric: Metric,
    k: int,
    ops: Backend,
    report: Report | None = None,
    alpha: float = 1.0,
    cores: Report | None = None,
    ahead: Ahead | None = None,
) -> TreeOfPoints:
    """The spanning tree of finite points under a metric of the way "tree", in the metric's units.

    Parameters
    ----------
    points : T[n, d]
        On the backend, in the dtype of the results.
    statistics : PointStatistics or None
        Of these points, if they are known.
    metric : Metric
    alpha : float
        Distances are divided by it, core distances are not: weights are max(alpha * core, alpha * core, distance) /
        alpha, compared and rounded in that order, and as powers up to the division.
    k, ops, report, cores, ahead
        As for `spanning_tree`.

    Returns
    -------
    TreeOfPoints
    """
    dtype = points.dtype
    image, statistics, factor = searched(points, statistics, metric, k, ops, alpha)
    found = spanning_tree(image, statistics, k, ops, report, metric.norm, factor, cores, ahead)
    weights = heights(found.weights, metric, alpha, dtype, ops)
    core = None if found.core is None else heights(found.core, metric, 1.0, dtype, ops)
    return found._replace(weights=weights, core=core)


def searched(
    points: Array, statistics: PointStatistics | None, metric: Metric, k: int, ops: Backend, alpha: float
) -> tuple[Array, PointStatistics, float]:
    """What `spanning_tree` searches for `metric_tree`: the images of the points, their statistics and the factor of
    core distances."""
    factor = metric.core_factor(alpha, k, points.dtype)
    image = points if metric.image is None else ops.asarray(metric.image(points), points.dtype)
    if statistics is None or metric.image is not None:
        statistics = ops.point_statistics(image)
    return ops.asarray(image, metric.searched_in(points.dtype)), statistics, factor


def heights(distances: Array, metric: Metric, alpha: float, dtype: np.dtype, ops: Backend) -> Array:
    """Distances between the metric's images as distances in the metric, divided by `alpha`, in `dtype`.

    They are computed in float64 and rounded once: a GPU may take subnormal results in float32 for 0. They may be
    infinite, such as the square of a distance."""
    if metric.height is not None:
        with np.errstate(over="ignore"):
            distances = metric.height(ops.asarray(distances, np.float64))
    if alpha != 1:
        with np.errstate(over="ignore"):
            distances = ops.asarray(distances, np.float64) / alpha
    return ops.asarray(distances, dtype)


def spanning_tree(
    points: Array,
    statistics: PointStatistics,
    k: int,
    ops: Backend,
    report: Report | None = None,
    norm: Norm = EUCLIDEAN,
    core_factor: float = 1.0,
    cores: Report | None = None,
    ahead: Ahead | None = None,
) -> TreeOfPoints:
    """All stages, from finite points on the backend to the sorted edges of their spanning tree.

    Parameters
    ----------
    points : T[n, d]
        On the backend; all values are finite.
    statistics : PointStatistics
        Of these points.
    k : int
        The core distance is the distance to the k-th nearest point, itself included; 1 for the tree of the distances.
    ops : Backend
        The operations of the backend that holds the points.
    report : callable, optional
        Called as ``report(round, components_left)`` after every round.
    norm : Norm
        What distances are. "powers" and "any power" need float64.
    core_factor : float
        In the weights, powers of core distances are multiplied by it, a number of dtype T.
    cores : callable, optional
        Called as ``cores(done, n)`` while core distances are searched, and as ``cores(n, n)`` when all are found.
    ahead : callable, optional
        What to call for the dendrogram, which may begin before the tree is complete: see `sorted_edges` of the
        operations.

    Returns
    -------
    TreeOfPoints
        Weights and core distances are in the units of the points. Core distances are without the factor, and None for
        ``k == 1``.
    """
    joined = join(points, statistics, k, ops, report, norm, core_factor, cores, first_round=ahead is not None)
    index, order = joined.index, joined.order
    core = None if joined.core is None else ops.unscaled(index, joined.core, order)  # a device does not wait for edges
    edges, weights = ops.sorted_edges(index, joined.forest, order, ahead=ahead)
    if norm.degree not in (1, 2):  # other roots of neighbouring numbers may descend by a last digit
        weights = ops.asarray(np.maximum.accumulate(to_host(weights)))
    return TreeOfPoints(edges, weights, core, joined.forest.first_round)


@dataclass(frozen=True, eq=False)
class Joined:
    """All that the stages before the last one have found."""

    index: SearchIndex
    order: Array  # int32[n]: rows of the points in curve order
    core: Array | None  # T[n]: powers of the core distances in curve order, without the factor
    forest: Forest


def join(
    points: Array,
    statistics: PointStatistics,
    k: int,
    ops: Backend,
    report: Report | None,
    norm: Norm,
    core_factor: float,
    cores: Report | None,
    weights: Weights | None = None,
    first_round: bool = False,
) -> Joined:
    """The stages of `spanning_tree`, as far as the forest of all edges. With `weights`, core distances are by weight,
    and the points have the order that they have among their copies. `first_round` is that of `join_duplicates`."""
    scale = scale_of(statistics, points.dtype, norm.degree, core_factor)
    copies = None if weights is None or weights.copies is None else ops.asarray(weights.copies)
    crowded = len(points) > CROWD if copies is None else int(copies.sum(dtype=np.int64)) > CROWD
    index: SearchIndex | None = None

    def build(rows: Array) -> None:
        nonlocal index
        index = None  # one that was built too early is freed
        index = ops.build_index(points, rows, scale, norm)

    box = statistics.box if crowded else None
    order = ops.curve_order(points, scale, box=box, copies=copies, ahead=build).rows
    if index is None:
        build(order)
    assert index is not None
    core = find_cores(index, order, k, weights, ops, cores)
    if core is not None and cores is not None:
        cores(len(core), len(core))
    if core is not None and core_factor != 1:
        ops.scale_cores(index, core_factor)
    forest = _joined_at_once(index, ops, report) or _joined_in_rounds(index, ops, report, first_round)
    return Joined(index, order, core, forest)


def find_cores(
    index: SearchIndex, order: Array, k: int, weights: Weights | None, ops: Backend, report: Report | None = None
) -> Array | None:
    """Core distances as `core_distances` finds them, or by weight; None for ``k == 1``."""
    if k == 1:
        return None
    if weights is None:
        return ops.core_distances(index, k, report)
    units = ops.take(ops.asarray(weights.units), order)
    return ops.weighted_core_distances(index, units, k * weights.per, report)


def _joined_at_once(index: SearchIndex, ops: Backend, report: Report | None) -> Forest | None:
    """The forest of few points; None if the backend wants to go round by round."""
    found = ops.join_all(index)
    if found is None:
        return None
    forest, taken = found
    if report is not None:
        for number, components in enumerate(taken(), 1):
            report(number, components)
    return forest


def _joined_in_rounds(index: SearchIndex, ops: Backend, report: Report | None, first_round: bool) -> Forest:
    """Borůvka's loop over points. The neighbour cache is freed at its end: sorting the edges needs the memory."""
    searches = Searches(index, ops)
    forest = ops.join_duplicates(index, searches.begin, first_round)
    spanning_forest(forest, searches.lightest, ops, report, searches.prepare, rest=searches.rest)
    return forest


class Searches:
    """What `join_duplicates` and `spanning_forest` call for points. The rounds share a cache of neighbours."""

    def __init__(self, index: SearchIndex, ops: Backend) -> None:
        self.index, self.ops = index, ops
        self.cache: NeighbourCache = None

    def begin(self, forest: Forest) -> None:
        """Before the first round."""
        self.cache = self.ops.cache_neighbours(self.index, forest)
        self.prepare(forest)

    def prepare(self, forest: Forest) -> None:
        self.ops.begin_round(self.index, forest, self.cache)

    def lightest(self, forest: Forest) -> None:
        self.ops.nearest_outgoing(self.index, forest, self.cache)

    def rest(self, forest: Forest) -> Taken | None:
        return self.ops.join_rest(self.index, forest, self.cache)
