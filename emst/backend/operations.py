"""What both backends do: a small protocol for each room, and the few operations that all stages share.

Two packages, `emst.cpu` (numba) and `emst.cuda` (CuPy), export the same bulk operations. The stages call them in order:
`spanning.py`, `distances/` and the loop in `boruvka.py` for the spanning tree of points, `graph/` for forests of
graphs, `hierarchy/` for what follows from a spanning tree. The operations of `partitions/`, for points in several
places, are in `partition_operations.py`. Flat arrays, a few scalars and the records of `records.py` and
`partition_records.py` cross the border. Nodes, stacks, atomics and threads stay behind it: each backend chooses its own
layout.

Conventions of every operation
    n points of dimension d in dtype T (float32 or float64). Ids are int32; -1 means none. lambda is 1 / height in
    float64, infinite at height 0.
Conventions of `PointOperations`
    Inside, the id of a point is its position on the curve. Points are multiplied by the hierarchy's scale (a power of
    two, so exact), and weights are powers of distances, until `sorted_edges` takes the one root. Powers of distances
    are rounded in one sequence: s = |x[0] - y[0]|^p, then for each further dimension s = s + |x[i] - y[i]|^p; no fused
    multiply-add. `Norm` says which operations the power of a coordinate consists of. The same sequence gives the power
    of the distance to a box, so a box is never farther than a point in it.
The total order on edges
    See `records.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from emst.backend.partition_operations import PartitionOperations
from emst.backend.partition_records import ListedEdges
from emst.backend.records import (
    EUCLIDEAN,
    Adjacency,
    Ahead,
    Array,
    Box,
    Condensed,
    CurveCells,
    CurveOrder,
    DistanceRows,
    Forest,
    ForestEdges,
    GraphStatistics,
    LightestEntries,
    Linkage,
    NeighbourCache,
    Nesting,
    Norm,
    PointStatistics,
    Report,
    SearchIndex,
    Selection,
    Taken,
)


class ArrayOperations(Protocol):
    """Operations for every stage."""

    name: str
    xp: Any  # numpy or cupy: stages that are array code take their functions from here

    def asarray(self, array: Array, dtype: Any = None) -> Array:
        """The array on this backend's device, C-contiguous, in `dtype` or its own; no copy if it is so already."""

    def asarrays(self, *arrays: Array | None) -> list[Any]:
        """`asarray` of each, where it is not None. Small ones travel together."""

    def readable(self, array: Array) -> Array:
        """The array itself, if it is C-contiguous and this device's kernels can read it where it is; or else what
        `asarray` returns. Of another GPU, it must be complete, and live until the kernels that read it have ended."""

    def concatenated(self, parts: Sequence[Array]) -> Array:
        """Arrays that differ in their lengths only, at least one, one after the other in one array on this backend's
        device. They may lie anywhere, as for `asarray`, and each is copied once, to its place; not at all if it is the
        only one that holds something, and `asarray` would not copy it."""

    def concatenated_columns(self, columns: Sequence[Sequence[Array]]) -> list[Array]:
        """`concatenated` of the parts of each column. Small ones travel together, and the results may share memory."""

    def copied(self, array: Array) -> Array:
        """A copy of an array on this backend's device."""

    def settled(self) -> AbstractContextManager[Any]:
        """In this context, this thread only gets arrays that other threads have finished. So `asarray` and
        `concatenated` can copy them from another GPU at once, while that GPU works on something else. The
        caller keeps the arrays until it has waited for the GPU of this thread."""

    def forget_peers(self) -> None:
        """Ask the driver again which GPUs can read the memory of which others: other libraries can change it."""

    def bytes_free(self) -> int | None:
        """Bytes of memory that can still be allocated; None if this is unknown."""

    def parallelism(self) -> tuple[int, str]:
        """How many threads, or multiprocessors, kernels use, and what decides that."""

    def kernels_ready(self) -> tuple[set[str], str]:
        """The kernels that this process has compiled or found on disk, by name and types of arguments, and the folder
        in which they are kept."""

    def telling_compilation(self, tell: Callable[[bool], None]) -> AbstractContextManager[Any]:
        """Within this context, ``tell(True)`` is called when a kernel begins to be compiled, and ``tell(False)`` when
        it is ready, in the thread that compiles it. A GPU's library does not say whether it compiles a kernel or finds
        it on disk: there it is called for every kernel that this process uses for the first time."""

    def sort_order(self, codes: Array) -> Array:
        """Stable order of codes uint64[n]: int32[n]."""

    def for_blocks(self, work: Callable[[int, int], None], n: int, width: int) -> None:
        """Call ``work(begin, end)`` for ranges that together are ``range(n)``. `work` is array code: it makes arrays of
        ``end - begin`` rows with about `width` numbers each. The CPU works on several ranges at once. So `work` reads
        nothing that it writes for another range, and its results do not depend on where ranges begin."""

    def total(self, values: Array) -> float:
        """Sum of numbers T[n], added up in float64, in an order that depends only on n."""

    def take(self, array: Array, places: Array) -> Array:
        """``array[places]``: elements, of 1, 2, 4 or 8 bytes, of an array of one dimension, or rows of one of two
        dimensions, at places int32[k] or int64[k], none of them negative. Between rows there may be gaps."""

    def put(self, array: Array, places: Array, values: Array) -> None:
        """``array[places] = values``: elements, of 4 or 8 bytes, of an array of one dimension at places int32[k] or
        int64[k], which differ and are not negative. `values`, of the same dtype, may be a column of another array."""

    def merge(self, forest: Forest, prepare: Callable[[Forest], None] | None = None) -> int:
        """Contract the lightest edge of every component and return the number of components left. Points and graphs
        share this step.

        Each of these edges is recorded in its slot, all vertices are relabelled, and ``forest.best`` of the components
        left is set to infinity. If there may be another round, ``prepare(forest)`` is called then. It has to begin with
        `begin_round`: a backend may leave the relabelling to that call. The array ``forest.components`` from before the
        call keeps its values until the next call."""


class PointOperations(ArrayOperations, Protocol):
    """Points in a bounding volume hierarchy (BVH), their spanning tree, and new points. Path: ``points/``."""

    def require_memory(self, array: Array, dtype: Any, k: int, labels: bool = False) -> None:
        """Raise MemoryError, with the gigabytes needed and free, if the spanning tree of this array, computed in
        `dtype` for core distances of order `k`, cannot fit. If `asarray` would copy the array, the copy is counted.
        With `labels`, the stages from the tree to the labels must fit as well; as a rule they need less."""

    def tree_bytes(self, n: int, d: int, dtype: Any, k: int) -> int:
        """Bytes that the spanning tree of n points T[n, d] takes at its peak beside the points, for core distances of
        order `k`: a little more than measured."""

    def load_ahead(
        self,
        n: int,
        d: int,
        dtype: Any,
        norm: Norm,
        k: int,
        labels: Any = None,
        weighted: bool = False,
        partitions: bool = False,
        first_round: bool = False,
    ) -> None:
        """Begin to compile or load what the spanning tree of n points T[n, d] takes, with weights or without, as one of
        several `partitions` or alone, and their labels if `labels` is the dtype of the heights; returns at once.
        Partitions keep their `first_round` if the labels of all follow on some device. It changes no result. The CPU's
        compiler does one thing at a time, so that backend does nothing."""

    def point_statistics(self, points: Array, ordered: bool = False) -> PointStatistics:
        """Bounds of the points, and rows that are not finite. With `ordered`, `curve_order` of these points comes next,
        in their box: a backend may begin with it."""

    def curve_order(
        self,
        points: Array,
        scale: float,
        keep: bool = False,
        box: Box | None = None,
        copies: Array | None = None,
        ahead: Callable[[Array], None] | None = None,
    ) -> CurveOrder:
        """The order of finite points along a Hilbert curve; with `keep`, its cells as well.

        With `box`, which holds all points, the grid of the first cell divides the cube around that box, and the first
        cell is divided even if it holds few points. So a part of a larger set gets the order that its points have in
        the larger set.

        With `copies`, int32[n], each of them at least 1, point i counts as ``copies[i]`` points of its cell. So the
        points get the order that they have among all their copies.

        A device may call ``ahead(rows)`` before the host knows whether the rows are in order, so that the next stage
        begins; and then once more if they were not.

        A cell holds points of neighbouring places; the first cell holds all. A cell of more than `CROWD` points is
        divided, unless the widest side of the box around its points, multiplied by `scale`, is at most `LEAST_EXTENT`.

        The axes of a cell are sorted by the sides of this box, the widest first, equal ones by their numbers. The first
        m of them take part in the codes, each with b bits: the lesser of 32 and ``CURVE_BITS // m``. m is the greatest
        number up to `MOST_CURVE_AXES` such that the narrowest of the m sides is more than 1 / 2^b of the widest. Along
        each of these axes, in the order of their numbers, the coordinate of a point is
        int(min((x * scale - low) * (2^b / widest), 2^b - 1)), in float64. The code is the place of these coordinates on
        the Hilbert curve (Skilling 2004). Points are sorted by their codes, and points of equal codes by their rows.
        Each run of equal codes is a cell of the next level."""

    def curve_codes(self, points: Array, scale: float, box: Box) -> Array:
        """The code of every point, uint64[n], in the grid of a cell with the box `box`, as in `curve_order`; 0 if the
        cell cannot be divided."""

    def curve_segments(self, points: Array, scale: float, box: Box, firsts: np.ndarray, numbers: np.ndarray) -> Array:
        """The segment of every point, int32[n], by its code in the grid of a cell with the box `box` (`curve_codes`):
        ``numbers[r]`` for the last r with ``firsts[r]`` at most the code. `firsts`, uint64[r], ascends from 0 without
        equal codes; `numbers` is int32[r]. Both are on the host."""

    def curve_places(self, cells: CurveCells, queries: Array, scale: float) -> tuple[Array, Array]:
        """The order of queries T[m, d] along the curve of points that have been ordered, int32[m]; and, in this order,
        how many of the points come before each, int64[m]. Queries outside a cell count to its outermost codes. `cells`
        are those that `curve_order` kept with the same `scale`."""

    def build_index(self, points: Array, order: Array, scale: float, norm: Norm = EUCLIDEAN) -> SearchIndex:
        """Linear bounding volume hierarchy over the points in curve order, multiplied by `scale`, a power of two.
        Distances in it are powers of `norm`."""

    def build_queries(self, points: Array, norm: Norm) -> SearchIndex:
        """Points T[m, d], scaled already, as queries for searches in hierarchies with this norm. They keep their order,
        in which neighbours should lie near each other. It may have no boxes."""

    def core_distances(self, index: SearchIndex, k: int, report: Report | None = None) -> Array:
        """Power of the distance of every point to its k-th nearest point, itself included: T[n]. The BVH keeps it, and
        the neighbours that were found with it: from here on weights are mutual reachability distances.

        ``report(done, n)`` is called in this thread while points are searched, with about how many are done. A backend
        that searches all of them in one step does not call it."""

    def weighted_core_distances(
        self, index: SearchIndex, units: Array, enough: int, report: Report | None = None
    ) -> Array:
        """The same by weight: power of the least distance from every point within which the weights of the points, its
        own included, sum to at least `enough`: T[n]. The weights, `units`, int64[n], are positive, and sum to at least
        `enough` and to less than 2^52."""

    def scale_cores(self, index: SearchIndex, factor: float) -> None:
        """Multiply the core distances that the hierarchy keeps by `factor`, a number of dtype T, rounded once: weights
        are then max(factor * core, factor * core, power). It is called after `core_distances`."""

    def set_cores(self, index: SearchIndex, core: Array) -> None:
        """Replace the core distances that the hierarchy keeps by `core`, T[n], powers in curve order, none of them
        greater than before. It is called after `core_distances`."""

    def forget_neighbours(self, index: SearchIndex) -> None:
        """Free what `core_distances` has found besides core distances: only the rounds need it."""

    def join_all(self, index: SearchIndex) -> tuple[Forest, Taken] | None:
        """All rounds at once, for few points: the finished forest, and a function that returns the number of components
        after each round (`Taken`).

        ``labels``, ``source``, ``target`` and ``weight`` of the forest are set; ``best``, ``edge_u`` and ``edge_v`` are
        None. Returns None if the backend takes the rounds one by one: then `join_duplicates` and the loop in
        `boruvka.py` find the same forest."""

    def join_duplicates(
        self, index: SearchIndex, begin: Callable[[Forest], None] | None = None, first_round: bool = False
    ) -> Forest:
        """The forest to start from. Every run of equal points on the curve is a component: a star around its first
        point, the root, with edges of weight 0 (or of their common core distance). ``begin(forest)`` is called while
        the number of components is still unknown: `components` and `count` of the forest are not valid then.

        With `first_round`, the dendrogram of the points follows, and a device may keep the first round of `merge` for
        it (see `sorted_edges`). Components of several points may then wait: they hook in the second round."""

    def cache_neighbours(self, index: SearchIndex, forest: Forest) -> NeighbourCache:
        """A cache for the nearest point of another component of each point. It is empty, or it holds neighbours that
        `core_distances` has found."""

    def label_nodes(self, index: SearchIndex, labels: Array, group: Array | None = None) -> None:
        """Give every node the label of its points, or MIXED: the search skips nodes of its own component. `labels`,
        int32[n], holds the component of every point. With `group`, int32, component c is part of ``group[c]``, which is
        the label."""

    def begin_round(self, index: SearchIndex, forest: Forest, cache: NeighbourCache) -> None:
        """Begin a round. Vertices that `merge` has not relabelled are relabelled, and nodes get labels as by
        `label_nodes`. Then ``forest.best`` of every component is lowered to the weight of some edge that leaves it. The
        edges that are tried lead to neighbours on the curve and to cached neighbours that are still in another
        component. Before the call, ``forest.best`` is infinite or a bound that `cache_neighbours` has set."""

    def nearest_outgoing(self, index: SearchIndex, forest: Forest, cache: NeighbourCache) -> None:
        """Search the nearest point of another component for every point that may hold its component's lightest edge.
        Then set ``forest.best``, ``edge_u`` and ``edge_v`` to that edge, the first in the total order. The largest
        component may be left without one, since all others hook onto something; then its ``best`` is no weight."""

    def join_rest(self, index: SearchIndex, forest: Forest, cache: NeighbourCache) -> Taken | None:
        """All rounds that are left, at once, where the backend gains by that: a function that returns the number of
        components after each (`Taken`), the last of which is 1. Returns None if it goes on round by round. Before the
        call, `begin_round` has been called for this round. Labels may stay those of an earlier round."""

    def edge_powers(self, index: SearchIndex, u: Array, v: Array) -> Array:
        """Powers of the distances between the points u and v, int32[m] each: T[m]."""

    def sorted_edges(
        self,
        index: SearchIndex,
        forest: Forest,
        order: Array | None,
        powers: bool = False,
        ahead: Ahead | None = None,
    ) -> tuple[Array, Array]:
        """The forest's edges in the total order, in the caller's rows and units: int32[m, 2] with u < v, T[m]. Without
        `order`, places on the curve stand for rows. With `powers`, weights stay as they are compared: powers of scaled
        distances. Raises RuntimeError if rounds that were taken at once have made no forest. Of the forest, only
        `weight` and `first_round` may be read afterwards: the sort needs the memory of all that rounds have used.

        With `ahead`, the edges' dendrogram follows. If Borůvka's first round has been kept (`join_duplicates`), what
        `linkage` needs of it becomes `first_round` of the forest. A device may also call
        ``ahead(edges, weights, first_round)`` with the result before the host knows whether it is right, so that the
        next stage begins; and then once more if ties were not in order, or if the first round is of no use after all.
        The call may launch what stays within bounds, whatever the edges are, but must not wait."""

    def listed_edges(self, index: SearchIndex, forest: Forest, rows: Array) -> tuple[Array, ListedEdges]:
        """The edges of a partition's forest, as `sorted_edges` returns them with `powers`, for the list of all
        partitions: places of their ends on the curve, int32[m, 2], in the order of their rows; and the edges by these
        rows. ``rows[place]``, int32[n], is the caller's row of a point. The powers of distances are None if the
        hierarchy keeps no core distances."""

    def unscaled(self, index: SearchIndex, powers: Array, order: Array | None) -> Array:
        """Powers of scaled distances in curve order -> the distances in the caller's rows and units: T[n]. Without
        `order`, distance i is that of power i."""

    def query_cores(self, index: SearchIndex, queries: SearchIndex, k: int, near: Array) -> tuple[Array, Array]:
        """The core distance of every query, as if it were a point: the power of the distance to its (k - 1)-th nearest
        point, as weights take it, T[m]. And a radius for `nearest_across`, T[m]: the weight of a point that the query
        may join, or infinity; 0 if a point is at distance 0.

        `near`, int64[m], is each query's place among the points on the curve, where its search begins. k is at least 2,
        and `core_distances(index, k)` must have been called."""

    def weighted_query_cores(
        self, index: SearchIndex, queries: SearchIndex, units: Array, enough: int, near: Array
    ) -> tuple[Array, Array]:
        """The same by weight: the power of the least distance within which the weights of the points sum to at least
        `enough`, which is positive. `units` and `enough` are those of `weighted_core_distances`, which must have been
        called."""

    def weighted_nearest(
        self, index: SearchIndex, queries: SearchIndex, units: Array, enough: int, radius: Array
    ) -> tuple[Array, Array, Array]:
        """The nearest points of every query within `radius`, T[m], a power, until their weights sum to at least
        `enough`; all within it if they do not. Queries int64[c], powers of distances T[c], and weights int64[c], in any
        order. Weights at one distance may be in one entry or in several. At the greatest distance of a query they are
        complete, or suffice with those of the nearer points. `queries` is as for `nearest_distances`, `units` and
        `enough` are as for `weighted_core_distances`, but all weights together may be less than `enough`."""

    def nearest_distances(self, index: SearchIndex, queries: SearchIndex, radius: Array, count: int) -> Array:
        """Powers of the distances of every query to its `count` nearest points, T[m, count], ascending. Only points
        within `radius`, T[m], a power, count; infinity stands where there are fewer. `queries` is a BVH of the queries,
        whose rows stay in its order, with scale and norm of `index`."""

    def nearest_across(
        self,
        index: SearchIndex,
        labels: Array | None,
        queries: SearchIndex,
        query_labels: Array | None,
        core: Array | None,
        radius: Array,
        near: Array | None = None,
        group: Array | None = None,
    ) -> tuple[Array, Array, Array]:
        """The point that every query is joined to most cheaply: the first by (weight, power of the distance, id),
        int32[m], -1 where there is none of weight at most `radius`, T[m]; its weight, T[m]; and the power of its
        distance, T[m]. The last two are infinite where there is none.

        The weight is the greatest of the power of the distance and the core distances of both, where `core`, T[m],
        holds those of the queries; None if the hierarchy keeps none. Where `radius` is 0, core distances do not count:
        the first point at distance 0 is taken, and its weight is 0.

        For queries of another partition, only points of other components count: `labels`, int32[n], holds the component
        of every point, after ``label_nodes(index, labels, group)``; `query_labels`, int32[m], the label of every query.
        Both are None for new points. `near` is as for `query_cores`; None if the places of the queries are unknown."""


class DistanceOperations(ArrayOperations, Protocol):
    """Rows of distance matrices, and distances between all points. Path: ``distances/``."""

    def open_rows(self, matrix: Array, alpha: float) -> DistanceRows:
        """Rows of an exactly symmetric matrix of distances, T[n, n], with inf where there is no edge. Distances are
        divided by `alpha`."""

    def row_core_distances(self, rows: DistanceRows, k: int) -> Array:
        """The k-th smallest entry of every row, the diagonal itself counted: T[n]. The rows keep it: from here on the
        weight of an edge is the greatest of the core distances of its ends and its distance divided by alpha."""

    def row_nearest(self, rows: DistanceRows, forest: Forest) -> None:
        """Set ``forest.best``, ``edge_u`` and ``edge_v`` of every component to its lightest edge of finite weight, the
        first in the total order; the ends are -1 if there is none. `rows` caches the neighbours found for the next
        round."""

    def row_edges(self, rows: DistanceRows, forest: Forest) -> tuple[Array, Array]:
        """The forest's edges in the total order: int32[m, 2] with u < v, T[m]."""

    def exemplar_distances(self, points: Array, exemplars: Array, starts: Array) -> Array:
        """Squared distance of every point, T[m, d], to the nearest exemplar of every cluster: T[m, L]. The exemplars of
        cluster l are ``exemplars[starts[l]:starts[l + 1]]``; there is at least one."""

    def core_distance_sums(self, columns: Array, cluster: Array, starts: Array, dimension: int) -> tuple[Array, Array]:
        """What the core distances of cluster validity are computed from, for every point. Points at distance 0 are left
        out. The first array is the distance r to the nearest other point of the cluster, float64[n], infinite if there
        is none. The second is the sum of (r / distance)^dimension over the points of the cluster, in order.

        `columns` holds the coordinates, float64[d, n], of points that are sorted by cluster: point i is in
        ``cluster[i]``, int32[n], and cluster c holds the points from ``starts[c]`` up to ``starts[c + 1]``,
        int64[L + 1]."""

    def cluster_trees(self, columns: Array, starts: Array, core: Array) -> tuple[Array, Array]:
        """A minimum spanning tree of every cluster under mutual reachability, grown from the cluster's first point by
        Prim's rule: the parent of every point, int32[n], -1 for the first point; and the weight of the edge to the
        parent, float64[n]. Among ties the first point is added next, and it gets the first possible parent. `columns`
        and `starts` are those of `core_distance_sums`; `core`, float64[n], holds the core distances."""

    def separations(self, columns: Array, cluster: Array, starts: Array, core: Array) -> Array:
        """Least mutual reachability distance of every point to a point of another cluster: float64[n]. The arguments
        are those of `core_distance_sums` and `cluster_trees`."""


class GraphOperations(ArrayOperations, Protocol):
    """Graphs in compressed sparse rows. Path: ``graph/``."""

    def graph_statistics(self, indptr: Array, indices: Array, weights: Array) -> GraphStatistics:
        """Statistics of a graph in compressed sparse rows: `indptr` int32 or int64[n + 1], `indices` int32[m], weights
        int32, int64, float32 or float64[m]. The arrays may hold any values."""

    def entry_rows(self, indptr: Array, m: int) -> Array:
        """The row of every entry, int32[m]. `indptr`, int32 or int64[n + 1], ascends from 0 to m."""

    def row_starts(self, rows: Array, n: int) -> Array:
        """Where the entries of every row begin, int64[n + 1]. The rows of the entries, int32[m], ascend."""

    def lightest_entries(
        self, rows: Array, columns: Array, weights: Array, n: int, above: bool = False
    ) -> LightestEntries:
        """The lightest entries of all pairs of vertices, from `rows` and `columns`, int32[m], and weights without NaN,
        int32, int64, float32 or float64[m]. Entries on the diagonal are left out; with `above`, those below it too."""

    def graph_forest(self, graph: Adjacency) -> ForestEdges:
        """The minimum spanning forest, by this device's fastest version of Borůvka's algorithm: the default."""

    def number_components(self, roots: Array) -> Array:
        """The number of every vertex's component, int32[n]. Components are numbered from 0 in the order of their first
        vertices. `roots`, int32[n], gives one vertex of the component, the same for all vertices of the component."""

    def grow_subtrees(
        self, indptr: Array, columns: Array, keys: Array, gamma: int, ascending: bool
    ) -> tuple[Array, Array, Array]:
        """Grow subtrees of at most `gamma` vertices by Prim's rule from many vertices at once.

        The graph is in compressed sparse rows: `indptr`, int64[n + 1], `columns`, int32[m], and the keys that order the
        edges, uint64[m]. Every edge is stored in both directions, under one key; different edges have different keys.
        There are no loops. `ascending` says that keys ascend in every row.

        Returns three arrays. The owner of every vertex, int32[n]: the vertex that its subtree grew from. The entry that
        joined the vertex to its subtree, int64[n]: the lightest that left the subtree at that time; -1 for owners. The
        stopping edge of every subtree, int64[n], stored at its owner: the lightest entry that leaves the subtree; -1
        where the subtree has none, and for all other vertices."""

    def lightest_of_edges(self, u: Array, v: Array, key: Array, labels: Array) -> tuple[Array, Array, Array, Array]:
        """The least key of an edge that leaves each component, uint64[n], all ones if there is none; and the edges
        between different components, in order: u, v and key, with components as their ends.

        The edges are given by their ends `u` and `v`, int32[k], and by `key`, uint64[k], which is never all ones.
        `labels`, int32[n], holds the component of every end, a number less than n."""


class HierarchyOperations(ArrayOperations, Protocol):
    """From a spanning tree to clusters. Path: ``hierarchy/``."""

    def linkage(
        self,
        edges: Array,
        weights: Array,
        sizes: Array | None = None,
        early: bool = False,
        first_round: Any = None,
    ) -> Linkage:
        """Dendrogram of the spanning tree with edges int32[n - 1, 2], u < v, and weights T[n - 1], ascending (the last
        ones may be infinite). Edges of equal weight merge in the order of the arrays. Raises ValueError if the edges
        close a cycle.

        With `sizes`, int32 or int64[n], vertex i stands for ``sizes[i]`` points: for those of a merge, other than the
        last, in the dendrogram of the points. All sizes together are less than 2^31, or 2^52 in int64, and the sizes of
        the result have their dtype. `condense` and `cut` then need a `min_cluster_size` greater than the size of every
        vertex that stands for several points.

        With `early` and without `sizes`, the edges may not be a tree, and there is no error: before anything reads the
        result, the caller makes sure that they were one, in order (`ahead` of `sorted_edges`). Without `sizes`,
        `first_round` may be what `sorted_edges` has kept of these edges; it changes no result."""

    def condense(self, linkage: Linkage, min_cluster_size: int) -> Condensed:
        """The condensed tree: clusters of at least `min_cluster_size` points (2 or more). The root is always a cluster,
        even if it has fewer points.

        At a node (see `Condensed`) a cluster falls into parts, all at once: those that the merges of this height join.
        If two or more have at least `min_cluster_size` points, each of these is a new cluster; if one has, the cluster
        goes on there; if none has, the cluster ends. The points of smaller parts leave the cluster.

        A stability has one term for each height at which points leave: their number * (lambda - birth). Terms are added
        in ascending order of the heights, in pieces of 1,024 terms and 32 partial sums per piece."""

    def simplify(self, condensed: Condensed, persistence: float) -> Condensed:
        """Merge back splits of less than `persistence`, which is greater than 0, from the lowest split up.

        The persistence of a child: the greatest lambda at or below it, minus the lambda of the split. If two or more
        children have at least `persistence`, they stay, and the points of the others leave the parent at the split. If
        one has, and is split further, it becomes part of the parent, and the points of the others leave the parent at
        the split. Otherwise all children become part of the parent."""

    def select(
        self, condensed: Condensed, method: str, epsilon: float, max_cluster_size: int, allow_single_cluster: bool
    ) -> Selection:
        """Select clusters of which none lies below another: those of the greatest excess of mass ("eom"; none of more
        than `max_cluster_size` points), or the leaves ("leaf").

        A cluster is less stable than those selected below it if the sum of their stabilities is greater than its own.
        This sum is rounded once, so it does not depend on the order of the children. A selected cluster that is born at
        a height below `epsilon` is replaced by its first ancestor born above it. If that ancestor is the root, and
        `allow_single_cluster` is false, the child of the root on the way to it is taken instead."""

    def nesting(self, condensed: Condensed) -> Nesting:
        """The intervals of the clusters of a condensed tree: those of siblings follow one another in the order of the
        siblings, and begin after the first number of the parent. The root's begins with 0."""

    def common_clusters(self, nesting: Nesting, clusters: Array, others: Array) -> Array:
        """The smallest cluster that holds both, int32[m], of each pair of `clusters` and `others`, int32[m]."""

    def select_constrained(
        self, condensed: Condensed, gain: Array, price: float, max_cluster_size: int, allow_single_cluster: bool
    ) -> Selection:
        """Select clusters of which none lies below another, by constraints and by stability.

        `gain`, int64[K], says how many more constraints hold if the cluster is selected than if its points are noise;
        less than 0 if fewer hold. Clusters are worth the sum of their stabilities, rounded once as in `select`, plus
        `price` times the sum of their gains: the sum is rounded to float64, then the product, then what is added. A
        price of infinity compares the sums of gains, which are exact, and of equal ones the stabilities.

        A cluster may be selected if it has at most `max_cluster_size` points and is not the root, or
        `allow_single_cluster` is true. It gives way to what is selected below it if that is worth more. A leaf that may
        be selected is, or a cluster above it."""

    def label_points(
        self,
        condensed: Condensed,
        selection: Selection,
        epsilon: float,
        cluster: Array | None = None,
        height: Array | None = None,
    ) -> tuple[Array, Array]:
        """Label, int64[m], -1 for noise, and probability, float64[m] from 0 to 1, of points that leave `cluster`,
        int32[m], at `height`, T[m]; of the condensed tree's own points by default.

        The probability is the lambda at which the point leaves, divided by the death of the selected cluster, at most
        1. If the root is selected, its members are the points that leave at a height of at most epsilon; if epsilon is
        0, at a lambda of at least the root's death."""

    def outlier_scores(self, condensed: Condensed, cluster: Array, height: Array) -> Array:
        """GLOSH outlier scores, float64[m], of points as in `label_points`: 1 - lambda / greatest, where lambda is that
        at which the point leaves, and greatest is the greatest lambda at or below its cluster. Points that leave at an
        infinite lambda have score 0, and so have all if greatest is 0. If greatest is infinite, all others have score
        1."""

    def cut(self, linkage: Linkage, height: float, min_cluster_size: int) -> Array:
        """Labels of the clusters that the merges below `height` make, int64[n]. Clusters are numbered in the order of
        their first points; points of clusters of fewer than `min_cluster_size` points are noise, -1."""

    def common_ancestor_lambdas(self, condensed: Condensed, clusters: Array, others: Array) -> Array:
        """lambda of the split that separates each of `clusters`, int32[a], from each of `others`, int32[b]:
        float64[a, b]. NaN if one of the two lies within the other."""


class Backend(PointOperations, PartitionOperations, DistanceOperations, GraphOperations, HierarchyOperations, Protocol):
    """All that `emst.cpu` and `emst.cuda` export."""
