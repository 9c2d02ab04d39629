"""At which training point, at which height, and in which cluster a new point (a query) joins the dendrogram.

Metrics that the tree search supports use the search of the backends. For other metrics all pairs are compared, in
blocks and on the host, with scikit-learn's distances.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Array, Condensed, Norm, SearchIndex
from emst.distances.pairwise import blocks
from emst.hdbscan.index import prepare_cores
from emst.hdbscan.model import Model
from emst.hierarchy.joining import ancestors_of, excess_of, leaving_of
from emst.hierarchy.selection import FlatClustering
from emst.inputs.devices import to_host
from emst.partitions.edges import as_bits
from emst.spanning import heights


@dataclass(frozen=True, eq=False)
class QueryEdges:
    """The edge by which each of m queries joins the training points. Arrays live on the backend."""

    neighbor: Array  # int32[m]: the nearest training point (kept row) under mutual reachability
    equal: Array  # bool[m]: whether the query equals that point
    height: Array  # T[m]: weight of the edge in the metric's units; 0 where the query equals the point

    def leaving(self, condensed: Condensed, ops: Backend) -> tuple[Array, Array]:
        """The cluster that every query leaves, int32[m], and the height at which it leaves, T[m]: see `leaving_of`."""
        cluster, height = np.empty_like(self.neighbor), np.empty_like(self.height)
        ancestors = ancestors_of(condensed)

        def work(begin: int, end: int) -> None:
            joined = condensed.leaving(self.neighbor[begin:end])
            edges = (self.equal[begin:end], self.height[begin:end])
            cluster[begin:end], height[begin:end] = leaving_of(condensed, ancestors, *joined, *edges)

        ops.for_blocks(work, len(cluster), 1)
        return cluster, height

    def scores(self, flat: FlatClustering, ops: Backend) -> Array:
        """Outlier scores of the queries, float64[m]."""
        return ops.outlier_scores(flat.condensed, *self.leaving(flat.condensed, ops))


def join_queries(fitted: Model, queries: Array) -> QueryEdges:
    """The edge from every query to its nearest training point under mutual reachability.

    Parameters
    ----------
    fitted : Model
        Fitted to features.
    queries : T[m, d] on the backend
        Finite, in the metric's image. The result for a query does not depend on the other queries.

    Returns
    -------
    QueryEdges
    """
    if not fitted.searches:
        return _join_by_all_pairs(fitted, queries)
    index, ops, norm, factor = fitted.index, fitted.ops, fitted.metric.norm, fitted.core_factor
    queries = fitted.searched(queries)
    out = QueryEdges(*(np.zeros_like(queries, dtype=t, shape=(len(queries),)) for t in (np.int32, bool, queries.dtype)))
    for chosen, excess in _by_magnitude(queries, index.scale, norm, factor, ops):
        search = index.search
        if excess:
            points, scale = fitted.searched(fitted.points), math.ldexp(index.scale, -excess)
            search = ops.build_index(points, index.order, scale, norm)
            prepare_cores(search, index.order, fitted.min_samples, factor, fitted.row_weights, ops)
        some = queries[chosen] if len(chosen) < len(queries) else queries
        _join_by_search(fitted, search, some, chosen, out)
    with np.errstate(over="ignore"):  # a distance beyond the range of its dtype becomes infinite
        height = heights(out.height, fitted.metric, fitted.alpha, fitted.core.dtype, ops)
    return dataclasses.replace(out, height=height)


def _by_magnitude(
    queries: Array, scale: float, norm: Norm, core_factor: float, ops: Backend
) -> Iterator[tuple[Array, int]]:
    """Rows of queries of the same excess (see `excess_of`), and this excess. As a rule it is 0 for all rows."""
    statistics = ops.point_statistics(queries)
    corner = np.maximum(abs(statistics.box.low), abs(statistics.box.high)).astype(queries.dtype)[None]
    if excess_of(corner, scale, norm, core_factor)[0] == 0:
        yield ops.xp.arange(len(queries)), 0
        return
    excess = excess_of(queries, scale, norm, core_factor)
    for level in np.unique(excess).tolist():
        yield np.asarray(np.flatnonzero(excess == level), like=queries), level


def _join_by_search(fitted: Model, search: SearchIndex, queries: Array, rows: Array, out: QueryEdges) -> None:
    """Search the nearest training points of queries. The results are written to these `rows` of `out`."""
    index, ops, min_samples, weights = fitted.index, fitted.ops, fitted.min_samples, fitted.row_weights
    order, near = ops.curve_places(index.cells, queries, index.scale)
    packets = ops.build_index(queries, order, search.scale, search.norm)
    if min_samples == 1:
        core, radius = None, ops.xp.full(len(queries), np.inf, search.dtype)
    elif weights is None:
        core, radius = ops.query_cores(search, packets, min_samples, near)
    else:  # a query has the weight 1
        units = ops.take(ops.asarray(weights.units), index.order)
        core, radius = ops.weighted_query_cores(search, packets, units, (min_samples - 1) * weights.per, near)
    nearest, weight, _ = ops.nearest_across(search, None, packets, None, core, radius, near)
    with np.errstate(over="ignore"):  # a distance beyond the range of its dtype becomes infinite
        height = ops.unscaled(packets, weight, order)

    def work(begin: int, end: int) -> None:
        places = rows[order[begin:end]]
        out.neighbor[places] = index.order[nearest[begin:end]]
        out.equal[places] = as_bits(weight[begin:end]) == 0
        out.height[rows[begin:end]] = height[begin:end]

    ops.for_blocks(work, len(order), 1)


def _join_by_all_pairs(fitted: Model, queries: Array) -> QueryEdges:
    """`join_queries` for any metric. Of training points that are equally near, the first row is taken."""
    points, on_host, core = to_host(fitted.points), to_host(queries), to_host(fitted.core)
    rows: dict[bytes, int] = {}
    for i, point in enumerate(points + 0.0):  # -0 becomes 0: bytes are compared
        rows.setdefault(point.tobytes(), i)
    neighbor = np.array([rows.get(query.tobytes(), -1) for query in on_host + 0.0], np.int32)
    equal, height = neighbor >= 0, np.zeros(len(on_host), core.dtype)
    for block in blocks(np.flatnonzero(~equal), len(points)):
        distance = fitted.metric.distances_between(on_host[block], points)
        weight = np.maximum(distance / fitted.alpha, core)
        if fitted.min_samples > 1:
            nth = fitted.min_samples - 2
            weight = np.maximum(weight, np.partition(distance, nth, axis=1)[:, nth : nth + 1])
        height[block] = weight.min(axis=1)
        neighbor[block] = np.where(weight == weight.min(axis=1, keepdims=True), distance, np.inf).argmin(axis=1)
    return QueryEdges(*map(fitted.ops.asarray, (neighbor, equal, height)))
