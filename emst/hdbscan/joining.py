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
from emst.backend.records import Array, Bvh, Condensed, Norm
from emst.distances.pairwise import blocks
from emst.hdbscan.index import PointIndex, find_cores
from emst.hdbscan.model import Model
from emst.hierarchy.density import density
from emst.inputs.devices import to_host
from emst.inputs.scaling import highest_exponent
from emst.spanning import heights


@dataclass(frozen=True, eq=False)
class QueryEdges:
    """The edge by which each of m queries joins the training points. Arrays live on the backend."""

    neighbor: Array  # int32[m]: the nearest training point (kept row) under mutual reachability
    equal: Array  # bool[m]: whether the query equals that point
    height: Array  # T[m]: weight of the edge in the metric's units; 0 where the query equals the point

    def leaving(self, condensed: Condensed) -> tuple[Array, Array]:
        """The cluster that every query leaves, int32[m], and the height at which it leaves, T[m]: see `leaving_of`."""
        return leaving_of(condensed, *condensed.leaving(self.neighbor), self.equal, self.height)


def leaving_of(condensed: Condensed, cluster: Array, own: Array, equal: Array, height: Array) -> tuple[Array, Array]:
    """The cluster that every query leaves, int32[m], and the height at which it leaves, T[m].

    A query that equals a training point leaves where that point does. Another query joins at its own lambda; if its
    neighbour's cluster is born later than that, the query belongs to the first ancestor that is born earlier.

    Parameters
    ----------
    condensed : Condensed
        Only its clusters are read, not its points.
    cluster, own : int32[m], T[m]
        The cluster that the neighbour of every query leaves, and the height at which it leaves.
    equal : bool[m]
        Whether the query equals its neighbour.
    height : T[m]
        At which the query joins its neighbour.
    """
    height = np.where(equal, own, height)
    joins = density(height)
    late = joins < density(own)
    return _first_born_before(condensed, cluster, np.where(late, joins, np.nan)), height


def _first_born_before(condensed: Condensed, cluster: Array, joins: Array) -> Array:
    """Of each cluster and its ancestors, the first that is born below lambda `joins`, or the root.

    Where `joins` is NaN, it is the cluster itself.

    Children are born later than their parents. So ancestors 2^i levels up are tried, from the greatest i down, and a
    step is taken as long as the ancestor is still born too late.
    """
    parent = np.maximum(condensed.parent, 0)
    levels = [parent]  # levels[i][c] is the ancestor of c that lies 2^i levels up, or the root
    while bool(levels[-1].any()):
        levels.append(levels[-1][levels[-1]])
    for ancestor in reversed(levels):
        above = ancestor[cluster]
        cluster = np.where((condensed.birth[above] >= joins) & (above > 0), above, cluster)
    return np.where(condensed.birth[cluster] >= joins, parent[cluster], cluster)


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
    for chosen, excess in _by_magnitude(queries, index.scale, norm, factor):
        bvh = index.bvh
        if excess:
            points, scale = fitted.searched(fitted.points), math.ldexp(index.scale, -excess)
            bvh = ops.build_bvh(points, index.order, scale, norm)
            find_cores(bvh, fitted.min_samples, factor, ops)
        _join_by_search(index, bvh, queries[chosen], fitted.min_samples, ops, chosen, out)
    with np.errstate(over="ignore"):  # a distance beyond the range of its dtype becomes infinite
        height = heights(out.height, fitted.metric, fitted.alpha, fitted.core.dtype, ops)
    return dataclasses.replace(out, height=height)


def _by_magnitude(queries: Array, scale: float, norm: Norm, core_factor: float) -> Iterator[tuple[Array, int]]:
    """Rows of queries of the same excess (see `excess_of`), and this excess. As a rule all rows, and 0."""
    excess = excess_of(queries, scale, norm, core_factor)
    for level in np.unique(excess).tolist():
        yield np.asarray(np.flatnonzero(excess == level), like=queries), level


def excess_of(queries: Array, scale: float, norm: Norm, core_factor: float) -> np.ndarray:
    """By how many powers of two every query is too large for the scale, int[m] on the host: its powers would overflow.

    Magnitudes are compared as integers: a GPU may take subnormal floats for 0. A query of zeros has no exponent.
    """
    integers = np.dtype(f"i{queries.dtype.itemsize}")
    magnitude = (queries.view(integers) & np.iinfo(integers).max).max(axis=1)
    greatest = to_host(magnitude).view(queries.dtype).astype(np.float64)
    highest = highest_exponent(queries.shape[1], queries.dtype, norm.degree, core_factor)
    exponent = np.frexp(greatest)[1] + (int(np.frexp(scale)[1]) - 1)
    excess = np.maximum(exponent - highest, 0)
    excess[greatest == 0] = 0
    return excess


def _join_by_search(
    index: PointIndex, bvh: Bvh, queries: Array, min_samples: int, ops: Backend, rows: Array, out: QueryEdges
) -> None:
    """Search the nearest training points of some queries. The results are written to the given rows of `out`."""
    order, near = ops.curve_places(index.cells, queries, index.scale)
    packets = ops.build_bvh(queries, order, bvh.scale, bvh.norm)
    found, weight = ops.nearest_reachable(bvh, packets, min_samples, near)
    sorted_rows = rows[order]
    out.neighbor[sorted_rows] = index.order[found]
    out.equal[sorted_rows] = weight == 0
    with np.errstate(over="ignore"):  # a distance beyond the range of its dtype becomes infinite
        out.height[rows] = ops.unscaled(packets, weight, order)


def _join_by_all_pairs(fitted: Model, queries: Array) -> QueryEdges:
    """`join_queries` for any metric. Of training points that are equally near, the first row is taken."""
    points, on_host, core = to_host(fitted.points), to_host(queries), to_host(fitted.core)
    rows: dict[bytes, int] = {}
    for i, point in enumerate(points + 0.0):  # -0 becomes 0: bytes are compared
        rows.setdefault(point.tobytes(), i)
    neighbor = np.array([rows.get(query.tobytes(), -1) for query in on_host + 0.0], np.int32)
    equal, height = neighbor >= 0, np.zeros(len(on_host), core.dtype)
    for some in blocks(np.flatnonzero(~equal), len(points)):
        distance = fitted.metric.distances_between(on_host[some], points)
        weight = np.maximum(distance / fitted.alpha, core)
        if fitted.min_samples > 1:
            nth = fitted.min_samples - 2
            weight = np.maximum(weight, np.partition(distance, nth, axis=1)[:, nth : nth + 1])
        height[some] = weight.min(axis=1)
        neighbor[some] = np.where(weight == weight.min(axis=1, keepdims=True), distance, np.inf).argmin(axis=1)
    return QueryEdges(*map(fitted.ops.asarray, (neighbor, equal, height)))
