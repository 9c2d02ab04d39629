"""The spanning tree of rows with weights, and the dendrogram of all their copies.

A row of weight w counts as w points at the same place. Between them there are edges of their core distance. The tree of
all these copies consists of the edges between them and of the tree of the rows, whose core distances are by weight. So
the search sees every row once.

In the dendrogram a row is one vertex, which stands for w points. If w is at least `min_cluster_size`, the copies of it
form a cluster of their own, at the height of their core distance. A cluster needs a merge, so such a row gets a
second vertex. One of the w points moves to it, and an edge joins the two vertices at the height of the core distance.
Among the other edges it stands where the edges between the copies stand in the total order. So nodes, clusters and
their numbers are those of the copies. If several rows are at the same place, each row of weight 2 or more gets a second
vertex, because the last edge at this place decides which number the cluster gets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Linkage, PointStatistics, Report
from emst.distances.metrics import Metric
from emst.inputs.devices import to_host
from emst.inputs.points import MAX_POINTS
from emst.inputs.weights import MOST_BITS, Weights
from emst.partitions.edges import bits_of, heads_of_runs, lengths_of
from emst.spanning import Joined, heights, join, searched

ID_BITS = 32
NEVER = 1 << MOST_BITS  # a least size in units: without second vertices


class Copies(NamedTuple):
    """The edges between copies of a row, of all rows of weight 2 or more, one a row, in the total order."""

    rows: Array  # int32[s]
    before: Array  # int64[s], ascending: how many edges between different rows come before
    heights: Array  # T[s]: in the metric's units
    shared: Array  # bool[s]: whether there are other rows at the same place


class WeightedTree(NamedTuple):
    """The spanning tree of n rows with weights."""

    edges: Array  # int32[n - 1, 2], in the total order
    weights: Array  # T[n - 1], in the metric's units, ascending
    core: Array | None  # T[n]: core distances by weight; None if min_samples is 1
    copies: Copies


def weighted_tree(
    points: Array,
    statistics: PointStatistics | None,
    metric: Metric,
    k: int,
    weights: Weights,
    ops: Backend,
    report: Report | None = None,
    alpha: float = 1.0,
    cores: Report | None = None,
) -> WeightedTree:
    """The spanning tree of rows with positive weights; all arguments but `weights` are those of `metric_tree`."""
    dtype = points.dtype
    image, statistics, factor = searched(points, statistics, metric, k, ops, alpha)
    joined = join(image, statistics, k, ops, report, metric.norm, factor, cores, weights)
    index, order, core = joined.index, joined.order, joined.core
    edges, powers = ops.sorted_edges(index, joined.forest, order, powers=True)
    place, before, shared = _places_of_copies(joined, edges, powers, weights, ops)
    lengths, own_lengths = _roots(joined, powers, _own(joined, place, ops), before, ops)
    copies = Copies(order[place], before, heights(own_lengths, metric, alpha, dtype, ops), shared)
    core = None if core is None else heights(ops.unscaled(index, core, order), metric, 1.0, dtype, ops)
    return WeightedTree(edges, heights(lengths, metric, alpha, dtype, ops), core, copies)


def _places_of_copies(
    joined: Joined, edges: Array, powers: Array, weights: Weights, ops: Backend
) -> tuple[Array, Array, Array]:
    """Places on the curve of the rows of weight 2 or more, int32[s], in the total order of the edges between their
    copies; how many edges of the tree come before each of these edges, int64[s]; and whether other rows are there.

    An edge between copies has the weight (power) of their core distance, and the distance 0. So it comes before longer
    edges of the same weight. Its smaller id is the first point of the run of equal points on the curve: all in a run
    have an edge to that one (`join_duplicates`)."""
    xp, index, order = ops.xp, joined.index, joined.order
    place = xp.flatnonzero(ops.asarray(weights.units)[order] >= 2 * weights.per).astype(np.int32)
    if len(place) == 0:
        return place, xp.zeros(0, np.int64), xp.zeros(0, bool)
    place = place[ops.sort_order(bits_of(_own(joined, place, ops)))]  # runs are in the order of their first points
    own, powers = bits_of(_own(joined, place, ops)), bits_of(powers)
    before = xp.searchsorted(powers, own)
    place_of = xp.empty(len(order), np.int32)
    place_of[order] = xp.arange(len(order), dtype=np.int32)
    ends = place_of[edges]
    touching = xp.flatnonzero(bits_of(ops.edge_powers(index, *xp.ascontiguousarray(ends.T))) == 0)
    if len(touching) == 0:
        return place, before, xp.zeros(len(place), bool)
    ends, head = ends[touching], heads_of_runs(index.points(), ops)
    of_touching = xp.searchsorted(powers, powers[touching]) << ID_BITS | ends.min(axis=1)
    within = xp.searchsorted(of_touching, before << ID_BITS | head[place]) - xp.searchsorted(
        of_touching, before << ID_BITS
    )
    equal = powers[xp.minimum(before, len(powers) - 1)] == own
    shared = xp.zeros(len(order), bool)
    shared[ends] = True
    return place, before + xp.where(equal, within, 0), shared[place]


def _own(joined: Joined, place: Array, ops: Backend) -> Array:
    """Powers of the weights of the edges between copies of the points at these places, T[s]."""
    index = joined.index
    return ops.xp.zeros(len(place), index.dtype) if index.core is None else index.core[place]


def _roots(joined: Joined, powers: Array, own: Array, before: Array, ops: Backend) -> tuple[Array, Array]:
    """Lengths of both kinds of edges from their powers; together they ascend, as in `spanning_tree`."""
    if joined.index.norm.degree in (1, 2):
        return lengths_of(ops, joined.index, powers), lengths_of(ops, joined.index, own)
    both = ops.xp.empty(len(powers) + len(own), powers.dtype)
    at = _places_among(before, ops)
    of_rows = ops.xp.ones(len(both), bool)
    of_rows[at] = False
    both[of_rows], both[at] = powers, own
    lengths = to_host(lengths_of(ops, joined.index, both))
    lengths = ops.asarray(np.maximum.accumulate(lengths))  # roots of neighbouring numbers may descend by a last digit
    return lengths[of_rows], lengths[at]


def _places_among(before: Array, ops: Backend) -> Array:
    """Places of the edges between copies among all edges, int64[s]."""
    return before + ops.xp.arange(len(before), dtype=np.int64)


def no_tree(weights: Weights, core: Array, ops: Backend) -> WeightedTree:
    """The tree of a single row, or of none; its core distance is 0."""
    xp = ops.xp
    rows = np.flatnonzero(weights.units >= 2 * weights.per).astype(np.int32)
    copies = Copies(rows, *(xp.zeros(len(rows), kind) for kind in (np.int64, core.dtype, bool)))
    return WeightedTree(xp.zeros((0, 2), np.int32), core[:0], core, copies)


def linkage_of_copies(
    edges: Array, weights: Array, copies: Copies, row_weights: Weights, least: int, ops: Backend
) -> Linkage:
    """The dendrogram, for clusters of at least `least` units. Vertices after the rows are second vertices of some."""
    xp, sizes = ops.xp, ops.asarray(row_weights.units)
    n, split = len(sizes), (sizes[copies.rows] >= least) | (copies.shared & (least < NEVER))
    rows, own = copies.rows[split], copies.heights[split]
    if len(rows) == 0:
        return ops.linkage(edges, weights, sizes)
    if n + len(rows) > MAX_POINTS:
        raise ValueError(
            f"{n:,} rows, of which {len(rows):,} have second vertices because of their weights, are more than the "
            f"{MAX_POINTS:,} that are possible; raise min_cluster_size"
        )
    at = _places_among(copies.before[split], ops)
    of_rows = xp.ones(len(edges) + len(rows), bool)
    of_rows[at] = False
    all_edges, height = xp.empty((len(of_rows), 2), np.int32), xp.empty(len(of_rows), weights.dtype)
    all_edges[of_rows], height[of_rows] = edges, weights
    all_edges[at] = xp.stack([rows, xp.arange(n, n + len(rows), dtype=np.int32)], axis=1)
    height[at] = own
    sizes = xp.concatenate([sizes, xp.ones(len(rows), np.int64)])
    sizes[rows] -= 1
    return ops.linkage(all_edges, height, sizes)
