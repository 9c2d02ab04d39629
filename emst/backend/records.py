"""Every record that crosses the border between the stages and the two backends. Imports nothing of emst.

Arrays live on the backend that made them, unless a field says "on the host".

The total order on edges
    Edges between points are compared by (weight, power of the distance, smaller id, larger id), where the id of a point
    is its position on the Hilbert curve. Edges of graphs are compared by (weight, smaller end, larger end,
    position in the input). Every comparison that prunes is inclusive, so results do not depend on timing, the number
    of threads or the backend.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import getitem
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

CURVE_BITS = 64  # of a code
MOST_CURVE_AXES = 64  # that take part in the codes of a cell
CROWD = 16  # points that may share a cell of the curve's grid; a cell with more of them gets a grid of its own
LEAST_EXTENT = 2.0**-900  # scaled extent that a cell must exceed to be divided

NO_FOREST = (  # what `merge` raises
    "the lightest edges of the components close a cycle; this is a fault of emst, please report it with the input"
)

Array: TypeAlias = Any  # numpy.ndarray or cupy.ndarray
DistanceRows: TypeAlias = Any  # opaque: each backend has its own
NeighbourCache: TypeAlias = Any  # opaque as well
Report: TypeAlias = Callable[[int, int], None]  # called as report(round, components_left)
# A function for rounds that the device takes while the host goes on. It waits for them and returns the number of
# components after each, or raises RuntimeError if edges close a cycle. `sorted_edges` calls it at the latest.
Taken: TypeAlias = Callable[[], list[int]]
Ahead: TypeAlias = Callable[[Array, Array, Any], None]  # called as ahead(edges, weights, first_round): `sorted_edges`

# ---- points ----------------------------------------------------------------------------------------------------------


class Norm(NamedTuple):
    """How the distance of two points follows from the differences of their coordinates.

    Distances are compared as *powers*: sums over the coordinates, in their order, of the absolute difference t to the
    power `degree`. Roots are taken once, of results. Of "chebyshev" the power is the greatest difference, and the
    degree is 1.

    With "powers", t^degree is 1 * t * ... * t, from left to right, and times sqrt(t) at the end for half a degree. With
    "any power", it is 2^(degree * log2 t), by the series below; this is not exactly monotone in t, so the power of the
    distance to a box is lowered by a factor of 1 - 2^-40. Both are computed in float64.

    In a periodic box of length L, a coordinate's difference is min(t, L - t), both rounded, and all coordinates are at
    least 0 and less than L. `period` is in the units of the points that the norm is passed with: `build_index` keeps a
    norm whose period is scaled like its points.
    """

    kind: str  # "euclidean", "manhattan", "chebyshev", "powers" (degree is whole or half) or "any power"
    degree: float
    period: tuple[float, ...] | None = None  # a length for each column, infinite where the box is open

    @property
    def parts(self) -> tuple[float, float]:
        """The degree as the sum of its upper 40 bits and of the rest: the product of the former and an exponent, of 11
        bits, is exact."""
        high = float((np.array([self.degree]).view(np.int64) & np.int64(-1 << 13)).view(np.float64)[0])
        return high, self.degree - high

    def scaled(self, scale: float) -> Norm:
        """The norm of points that have been multiplied by `scale`."""
        return self if self.period is None else self._replace(period=tuple(scale * length for length in self.period))

    def lengths(self, dtype: Any) -> np.ndarray:
        """The period as kernels take it, T[d] on the host. The greatest number stands for an open column: half of it is
        more than any difference of scaled coordinates, and sums of it and infinity are no NaN."""
        return np.minimum(np.array(self.period), np.finfo(dtype).max).astype(dtype)

    def wrapped(self, apart: Array) -> Array:
        """Absolute differences of coordinates, floating[..., d] on either backend, as distances take them."""
        return apart if self.period is None else np.minimum(apart, np.asarray(self.period, like=apart) - apart)

    def blur(self, dtype: Any) -> float:
        """How far a length in `dtype` may be off besides its relative rounding, 0 without a period.

        The difference t of two coordinates is rounded before it is subtracted from a length L. So a short distance
        across the side of the box may be off by half a unit in the last place of L."""
        if self.period is None:
            return 0.0
        return 2 * float(np.finfo(dtype).eps) * sum(length for length in self.period if length < math.inf)

    def roots(self, powers: np.ndarray) -> np.ndarray:
        """Distances of powers on the host, in the dtype of the powers; infinity stays.

        The exponent 1 / degree is rounded, which counts a thousandfold for powers near 2^1000. A step of Newton's
        method leaves about one rounding.
        """
        if self.degree == 1:
            return powers
        if self.degree == 2:
            return np.sqrt(powers)
        roots = powers ** (1 / self.degree)
        regular = (powers > 0) & (powers < math.inf)
        estimate, wanted = roots[regular], powers[regular]
        roots[regular] = estimate - estimate * ((estimate**self.degree - wanted) / wanted) / self.degree
        return roots


EUCLIDEAN = Norm("euclidean", 2.0)

# Series of the power x^p = 2^(p log2 x) for degrees that are neither whole nor half. Both backends evaluate them by the
# same IEEE operations, so that they give the same bits.
LOG2_SERIES = tuple(2 / ((2 * i + 1) * math.log(2)) for i in range(13))  # log2 m = sum of these * f^(2i + 1)
EXP2_SERIES = tuple(math.log(2) ** i / math.factorial(i) for i in range(15))  # 2^r = sum of these * r^i


class Box(NamedTuple):
    """A box whose sides are parallel to the axes. Coordinates are not multiplied by the scale of a search."""

    low: np.ndarray  # float64[d] on the host: least coordinates
    high: np.ndarray  # float64[d] on the host: greatest coordinates
    corners: Array | None = None  # both as the backend keeps them for the fit, and no longer; None if it does not
    begun: Any = None  # the backend's own: the order of the points in this box, with which it has begun

    def on_host(self) -> Box:
        """The box without what a backend keeps: it can travel to other devices and processes."""
        return Box(self.low, self.high)


class PointStatistics(NamedTuple):
    """Statistics of all points. If some rows are not finite, only `bad` and `first` have a meaning."""

    box: Box  # the least that holds all points
    bad: int  # number of rows that hold a NaN or an infinity
    first: int  # the first of these, -1 if there is none


class CurveCells(NamedTuple):
    """The cells that were divided to order points along a Hilbert curve, level by level, and in curve order in a level.

    Level 0 has one cell, which holds all points. A cell of a later level is a run of more than `CROWD` equal codes
    within a cell of the level above. Of every run of equal codes one is kept, so all levels together hold at most one
    code a point and one a cell.
    """

    level: np.ndarray  # int64[levels + 1] on the host: the first cell of every level
    first: Array  # int32[cells]: place in curve order of the cell's first point
    end: Array  # int32[cells]: place after its last point
    start: Array  # int64[cells + 1]: where its codes begin
    codes: Array  # uint64: ascending in each cell
    place: Array  # int32: of the first point with this code
    grids: Any  # the backend's own: the grid that divides each cell


class SearchIndex(Protocol):
    """Points in curve order, and what the backend needs to search them. `build_index` makes it.

    Each backend has its own class, and more in it. This is what stages may read; only operations write. Where the
    backend compares all pairs, there are no boxes: `levels` is empty.
    """

    n: int
    d: int
    dtype: np.dtype  # T
    scale: float  # what the points were multiplied by
    norm: Norm
    core: Array | None  # T[n]: powers of the core distances as weights take them, once operations have set them

    @property
    def levels(self) -> list[tuple[int, int]]:
        """(number of boxes, points a box) of every level, the smallest boxes first. The last box may hold fewer."""

    def points(self, places: Array | None = None) -> Array:
        """Scaled points, T[n, d], or those at some places in curve order, int32[m], T[m, d]."""


def runs_of(codes: Array, first: Array, start: Array) -> tuple[Array, Array, Array, Array]:
    """The cells of a level as `CurveCells` keeps them: `end`, `start`, `codes` and `place`.

    They follow from the codes of all points in the cells, the place of each cell's first point, and where its codes
    begin."""
    begins = np.empty_like(codes, dtype=bool)
    begins[1:] = codes[1:] != codes[:-1]
    begins[start[:-1]] = True
    at = np.flatnonzero(begins)
    of_cell: Array = np.searchsorted(at, start)
    later: Array = np.zeros_like(at)
    later[of_cell[1:-1]] = 1
    cell = np.cumsum(later)
    place = first[cell] + (at - start[cell]).astype(np.int32)
    return first + np.diff(start).astype(np.int32), of_cell, codes[at], place


class CurveOrder(NamedTuple):
    """The order of points along a Hilbert curve that adapts to them."""

    rows: Array  # int32[n]: rows of the points in curve order
    cells: CurveCells | None  # None unless they were asked for


# ---- components and the edges that joined them ---------------------------------------------------------------------


@dataclass
class Forest:
    """The components found so far and the edges that joined them. All arrays live on the backend.

    A component is named by its root, one of its vertices. An edge lies in the slot of the component that it
    hooked onto another: every component but the last hooks once, so n slots hold all edges without a counter
    whose order could depend on timing. A vertex that never hooked has `source` -1.
    """

    labels: Array  # int32[n]: root of the component that holds the vertex
    components: Array  # int32[count]: the roots, ascending
    best: Array  # T[n], by root: least weight known to leave the component (a power, for points)
    edge_u: Array  # int32[n], by root: smaller end of the component's lightest edge, -1 where there is none
    edge_v: Array  # int32[n], by root: larger end
    source: Array  # int32[n], by slot: smaller end of a forest edge, -1 in an empty slot
    target: Array  # int32[n], by slot: larger end
    weight: Array  # T[n], by slot
    scratch: Any = None  # the backend's own buffers for merging
    first_round: Any = None  # what `linkage` can begin with: see `sorted_edges`

    @property
    def count(self) -> int:
        """Number of components."""
        return len(self.components)


# ---- graphs ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Adjacency:
    """An undirected graph of n vertices and m entries in compressed sparse rows.

    An edge is an entry whose column is greater than its row. The columns of a row never descend, so edges of equal
    weight are stored in the total order. Entries on the diagonal are ignored.

    Attributes
    ----------
    indptr : int32 or int64[n + 1]
        Where every row begins; the last element is m.
    indices : int32[m]
        Column of every entry.
    weights : int32, int64, float32 or float64[m]
        Weight of every entry; no NaN.
    symmetric : bool
        If true, the entries below the diagonal mirror those above, parallel edges included: every row holds all edges
        of its vertex. If false, there are none below the diagonal.
    """

    indptr: Array
    indices: Array
    weights: Array
    symmetric: bool

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of entries."""
        return len(self.indices)


class GraphStatistics(NamedTuple):
    """Statistics of all entries of a graph. All are numbers on the host; a "first" is -1 if there is none.

    If `descents` is not 0, `first_start` is not 0 or `last_end` is not m, the fields after `first_descent` have no
    meaning. If `outside` is not 0, the fields after `first_nan` have none.
    """

    first_start: int  # indptr[0]
    last_end: int  # indptr[n]
    descents: int  # rows that end before they begin
    first_descent: int  # the first of them
    outside: int  # entries whose column is no vertex
    first_outside: int  # position of the first of them
    nans: int  # entries whose weight is NaN
    first_nan: int
    upper: int  # entries above the diagonal
    lower: int  # entries below it
    ascending: bool  # whether no row's columns ever descend
    # 128 bits. (0, 0) if the entries above the diagonal and those below it are the same edges with the same weights;
    # otherwise (0, 0) has a chance of 2**-128. Each half is a sum of hashes of (smaller end, larger end, weight) over
    # the entries above, minus that over the entries below, modulo 2**64. Fingerprints of the parts of a graph add up to
    # the fingerprint of the graph.
    fingerprint: tuple[int, int]


class LightestEntries(NamedTuple):
    """The lightest entry of each of k pairs of vertices, the first of equal ones, in the order of (smaller end, larger
    end); and a comparison of the two directions of every pair, by their lightest entries."""

    entries: Array  # int64[k]
    small: Array  # int32[k]
    large: Array  # int32[k]
    weights: Array  # of the entries
    differing: int  # pairs whose directions differ in weight
    # Of these pairs, the one with the first of these entries: its entry above the diagonal, and below it; or -1.
    ahead: int
    behind: int


class ForestEdges(NamedTuple):
    """The k edges of a spanning forest of an `Adjacency`."""

    entries: Array  # int64[k]: positions of the edges, ascending: entries above the diagonal
    source: Array  # int32[k]: smaller ends
    target: Array  # int32[k]: larger ends
    roots: Array  # int32[n]: one vertex of the component, the same for all vertices of the component


# ---- hierarchy -------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Linkage:
    """Single linkage of n points, or of n vertices that stand for one or more points each. Arrays live on the backend
    that made them. Merge i is the i-th edge of the tree.

    A cluster is named by its number in SciPy's linkage matrix minus n: -n ... -1 are the points 0 ... n - 1, and
    i >= 0 is what merge i made. So 32 bits hold every name, points come before merges, and earlier merges before later.
    """

    child: Array  # int32[n - 1, 2]: the clusters that a merge joins, in ascending order
    size: Array  # int32 or int64[n - 1]: points of the merged cluster
    height: Array  # T[n - 1]: weight of the edge, ascending
    scratch: Any = None  # the backend's own
    total: int | None = None  # points that all vertices stand for; None if every vertex is one point

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.height) + 1

    @property
    def points(self) -> int:
        """Number of points."""
        return self.n if self.total is None else self.total


@dataclass(eq=False)
class Condensed:
    """Clusters of at least `min_cluster_size` points and when the points leave them. Arrays live on the backend.

    A *node* is all merges of one height that are connected: what they join, they join at once. It is named by its
    highest merge, which comes last. So the nodes do not depend on which of several equal spanning trees was found.

    Cluster 0 is the root. Clusters are numbered by the nodes that they split off at, from the last node to the first,
    and those of one node by the order of their own highest merges. So parents come before children, and the children of
    a cluster have consecutive numbers. Every cluster is a chain of nodes, which ends at the node where the cluster
    splits, or where its last points leave. After `simplify` a cluster may consist of several chains. All sums are taken
    in one order, so both backends give the same bits.
    """

    linkage: Linkage
    min_cluster_size: int
    parent: Array  # int32[K]: the cluster it split from, -1 for the root
    children: Array  # int32[K, 2]: the first cluster that it splits into, and the one after the last; 0, 0 for leaves
    born_at: Array  # int32[K]: the node at which it split from its parent, -1 for the root
    birth: Array  # float64[K]: lambda of that node, 0 for the root
    death: Array  # float64[K]: greatest lambda of its nodes
    size: Array  # int32 or int64[K]: points at its birth
    stability: Array  # float64[K]: sum over its points of (lambda at which the point leaves - birth); inf - inf is 0
    cluster: Array  # int32[n]: the cluster that the point leaves
    leaving_merge: Array  # int32[n]: the node at which it leaves
    of_merge: Array  # int32[n - 1]: the cluster whose chain the node is in, -1 for merges that are not in a chain
    # int32 or int64[n - 1]: points that leave the cluster at the node; not set for merges that are not in a chain
    left: Array

    @property
    def count(self) -> int:
        """Number of clusters, the root included."""
        return len(self.parent)

    def born_heights(self) -> Array:
        """Heights of the nodes at which clusters split from their parents, float64[K]. The root's is the greatest, that
        of a lone point 0."""
        height: Array = self.linkage.height
        if len(height) == 0:
            return np.zeros_like(height, dtype=np.float64, shape=(self.count,))
        return height[self.born_at].astype(np.float64)

    def leaving(self, points: Any = None, take: Callable[[Array, Array], Array] = getitem) -> tuple[Array, Array]:
        """The cluster that each of the points leaves, int32[m], and the height of that merge, T[m]. By default the
        points are all.

        A lone point never leaves the root: its height is 0. `take` reads the heights: a backend's own is for many.
        """
        height, cluster, merge = self.linkage.height, self.cluster, self.leaving_merge
        if points is not None:
            cluster, merge = cluster[points], merge[points]
        return cluster, take(height, merge) if len(height) else np.zeros_like(height, shape=(len(merge),))

    def of_first(self, points: int) -> Condensed:
        """The same tree, but of its points only the first ones."""
        return replace(self, cluster=self.cluster[:points], leaving_merge=self.leaving_merge[:points])


@dataclass(frozen=True, eq=False)
class Nesting:
    """Which of K clusters lie within which, as intervals of numbers: a cluster's lies within that of its parent, and
    apart from those of its siblings. Arrays live on the backend.

    A cluster of s points takes 2s - 1 numbers. It has two children or more, and these have at most s points together,
    so their intervals take at most 2s - 2 numbers: the first number of every cluster is its own.
    """

    begin: Array  # int64[K]: the first number of every cluster
    end: Array  # int64[K]: the number after the last
    ancestors: Array  # int32[l, K]: in row i, of every cluster the one `FARTHER`^i levels above it, or the root


FARTHER = 32  # times as far above as those of the row before


@dataclass(eq=False)
class Selection:
    """A flat clustering: which clusters of the condensed tree were chosen. Arrays live on the backend."""

    chosen: Array  # int32[L]: the clusters, ascending; label l is cluster chosen[l]
    label: Array  # int32[K]: label of the topmost chosen ancestor of every cluster, or of itself; -1 if there is none
