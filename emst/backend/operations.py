"""What both backends do: four small protocols, and the few operations that all stages share.

Two packages, `emst.cpu` (numba) and `emst.cuda` (CuPy), export the same bulk operations. The stages call them in order:
`euclidean.py`, `distances/` and the loop in `boruvka.py` for the spanning tree of points, `graph/` for forests of
graphs, `hierarchy/` for what follows from a spanning tree. Flat arrays, a few scalars and the records of `records.py`
cross the seam. Nodes, stacks, atomics and threads stay behind it: each backend chooses its own layout.

Conventions of every operation
    n points of dimension d in dtype T (float32 or float64). Ids are int32; -1 means none. lambda is 1 / height in
    float64, infinite at height 0.
Conventions of `PointOperations`
    Inside, the id of a point is its position on the curve. Weights are squared and scaled by ``scaling.scale`` squared
    (a power of two, so exact), until `sorted_edges` takes the one square root. Squared distances are rounded in one
    sequence: t = x[0] - y[0]; s = t * t; then for each further dimension t = x[i] - y[i]; s = s + t * t; no fused
    multiply-add.
The total order on edges
    See `records.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from emst.backend.records import (
    Adjacency,
    Array,
    Bvh,
    Condensed,
    DistanceRows,
    Forest,
    ForestEdges,
    GraphStatistics,
    Linkage,
    NeighbourCache,
    PointStatistics,
    SampledRows,
    Scaling,
    Selection,
)


class ArrayOperations(Protocol):
    """What every stage may ask of a backend."""

    name: str
    xp: Any  # numpy or cupy: stages that are array code take their functions from here

    def asarray(self, array: Array, dtype: Any = None) -> Array:
        """The array on this backend's device, C-contiguous, in `dtype` or its own; no copy if it is so already."""

    def bytes_free(self) -> int | None:
        """Memory that can still be allocated, None where this is unknown."""

    def kernels_ready(self) -> tuple[int, str]:
        """How many kernels this process has compiled or found on disk, and the folder in which they are kept."""

    def sort_order(self, codes: Array) -> Array:
        """Stable order of codes uint64[n]: int32[n]."""

    def merge(self, forest: Forest, prepare: Callable[[Forest], None] | None = None) -> int:
        """Contract the lightest edge of every component, record it in its slot, relabel, set ``forest.best`` of the
        components left to infinity, call ``prepare(forest)`` if there may be another round, and return how many are
        left. Points and graphs share it."""


class PointOperations(ArrayOperations, Protocol):
    """Points in a bounding volume hierarchy (BVH), their spanning tree, and new points. Path: ``points/``."""

    def require_memory(self, array: Array, dtype: Any, k: int, labels: bool = False) -> None:
        """Raise MemoryError with bytes needed and free if the spanning tree of this array, computed in `dtype`, cannot
        fit. With `labels` the stages after it count as well; they need less as a rule. The copy that `asarray` would
        make is counted."""

    def point_statistics(self, points: Array, sampled: SampledRows) -> PointStatistics:
        """Bounds of the points, rows that are not finite, and a sample of the rows."""

    def curve_codes(self, points: Array, scaling: Scaling) -> Array:
        """Place of every point (row order) on the Hilbert curve through the grid of ``scaling``: uint64[n]."""

    def build_bvh(self, points: Array, order: Array, scaling: Scaling) -> Bvh:
        """Linear bounding volume hierarchy over the scaled points in curve order."""

    def core_distances(self, bvh: Bvh, k: int) -> Array:
        """Squared distance of every point to its k-th nearest point, itself included: T[n]. The BVH keeps it, and the
        neighbours that were found with it: from here on weights are mutual reachability distances."""

    def join_duplicates(self, bvh: Bvh) -> Forest:
        """The forest to start from. Every run of equal points on the curve is a component: a star around its first
        point, the root, with edges of weight 0 (or of their common core distance)."""

    def cache_neighbours(self, bvh: Bvh, forest: Forest) -> NeighbourCache:
        """What each point knows of its nearest point of another component: nothing yet, or what `core_distances`
        found."""

    def label_nodes(self, bvh: Bvh, forest: Forest) -> None:
        """Give every node the label of its points, or MIXED: the search skips nodes of its own component."""

    def upper_bounds(self, bvh: Bvh, forest: Forest, cache: NeighbourCache) -> None:
        """Lower ``forest.best`` of every component to the weight of some edge that leaves it: edges to neighbours on
        the curve and to cached neighbours that are still in another component. Before, it is infinite, or what
        `cache_neighbours` knew."""

    def nearest_outgoing(self, bvh: Bvh, forest: Forest, cache: NeighbourCache) -> None:
        """Search the nearest point of another component for every point that may hold its component's lightest edge.
        Then set ``forest.best``, ``edge_u`` and ``edge_v`` to that edge, the first in the total order."""

    def sorted_edges(self, bvh: Bvh, forest: Forest, order: Array, scaling: Scaling) -> tuple[Array, Array]:
        """The forest's edges in the total order, in the caller's rows and units: int32[m, 2] with u < v, T[m]."""

    def unscaled(self, squared: Array, order: Array, scaling: Scaling) -> Array:
        """Squared scaled values in curve order -> their roots in the caller's rows and units: T[n]."""

    def nearest_reachable(self, bvh: Bvh, queries: Bvh, k: int, near: Array) -> tuple[Array, Array]:
        """Of every query, the first point by (weight, squared distance, id), int32[m], and its weight, T[m], in the
        order of the queries. The weight is the greatest of the distance, the point's core distance and the query's: to
        its (k - 1)-th nearest point. A point at distance 0 comes before all others, and its weight is 0.

        `queries` is a BVH of the queries with the same scaling. `near`, int64[m], is each query's place on the points'
        curve, where its search begins. `core_distances(bvh, k)` has been called if k > 1."""


class DistanceOperations(ArrayOperations, Protocol):
    """Distances row by row, without a hierarchy. Path: ``distances/``."""

    def open_rows(self, data: Array, metric: str, p: float, alpha: float) -> DistanceRows:
        """Rows of distances. "precomputed": `data` is an exactly symmetric matrix T[n, n], inf where there is no edge.
        Otherwise points T[n, d] and "manhattan", "chebyshev", "euclidean", "powers" (whole or half p) or "any power",
        the coordinates taken in order. For the last three, sums of p-th powers stand for distances in all operations,
        and `alpha` is a power too."""

    def row_core_distances(self, rows: DistanceRows, k: int) -> Array:
        """The k-th smallest entry of every row, the diagonal itself counted: T[n]. The rows keep it: from here on the
        weight of an edge is the greatest of the core distances of its ends and its distance divided by alpha."""

    def row_nearest(self, rows: DistanceRows, forest: Forest) -> None:
        """Set ``forest.best``, ``edge_u`` and ``edge_v`` of every component to its lightest edge of finite weight, the
        first in the total order; -1 where there is none. The rows keep what they have found for the next round."""

    def row_edges(self, rows: DistanceRows, forest: Forest) -> tuple[Array, Array]:
        """The forest's edges in the total order: int32[m, 2] with u < v, T[m]."""

    def exemplar_distances(self, points: Array, exemplars: Array, starts: Array) -> Array:
        """Squared distance of every point T[m, d] to the nearest of the exemplars of every cluster, T[m, L]: those of
        cluster l are ``exemplars[starts[l]:starts[l + 1]]``, one or more."""

    def core_distance_sums(self, columns: Array, cluster: Array, starts: Array, dimension: int) -> tuple[Array, Array]:
        """Of points ordered by clusters, as columns float64[d, n], point i in cluster[i] (int32[n]), cluster c from
        starts[c] to starts[c + 1] (int64[L + 1]): the distance r to the nearest point of the cluster that is not at
        distance 0, float64[n], infinite if there is none; and the sum of (r / distance)^dimension over all of those, in
        order."""

    def cluster_trees(self, columns: Array, starts: Array, core: Array) -> tuple[Array, Array]:
        """A minimum spanning tree of every cluster under mutual reachability, grown from its first point: parent of
        every point, int32[n], -1 for the first, and weight of the edge to it, float64[n]. Of several points that may
        be next, the first; of several parents, the first."""

    def separations(self, columns: Array, cluster: Array, starts: Array, core: Array) -> Array:
        """Least mutual reachability distance of every point to a point of another cluster: float64[n]."""


class GraphOperations(ArrayOperations, Protocol):
    """Graphs in compressed sparse rows. Path: ``graph/``."""

    def graph_statistics(self, indptr: Array, indices: Array, weights: Array) -> GraphStatistics:
        """Look at all of a graph in compressed sparse rows: `indptr` int32 or int64[n + 1], `indices` int32[m], weights
        int32, int64, float32 or float64[m]. Nothing about their values is taken for granted."""

    def graph_forest(self, graph: Adjacency) -> ForestEdges:
        """The minimum spanning forest, by Borůvka's rounds in the fastest way this device knows: the default."""

    def number_components(self, roots: Array) -> Array:
        """Components numbered from 0 in order of their first vertices, int32[n], from roots, int32[n]: the vertices of
        a component share one value, which is one of them."""

    def grow_subtrees(
        self, indptr: Array, columns: Array, keys: Array, gamma: int, ascending: bool
    ) -> tuple[Array, Array, Array]:
        """Grow subtrees of at most `gamma` vertices by Prim's rule from many vertices at once. Edges lie in compressed
        rows, int64[n + 1] and int32[m], in both directions and without loops, under keys, uint64[m], of which only
        those of an edge's two directions are equal; `ascending` says that they ascend in every row.

        Every vertex gets an owner, int32[n], the vertex that its subtree grew from; every one but that, the entry that
        joined it to the subtree, int64[n], the lightest that left the subtree then. By the vertex that it grew from,
        every subtree gets the lightest entry that leaves it, int64[n]. Where there is none, -1."""

    def lightest_of_edges(self, u: Array, v: Array, key: Array, labels: Array) -> tuple[Array, Array, Array, Array]:
        """Of edges with ends int32[k] and keys uint64[k], none of them all ones, the least key that leaves each
        component, uint64[n], all ones where there is none; and the edges that leave a component, in order and between
        components: u, v and key. `labels`, int32[n], holds the component of every end, a number less than n."""


class HierarchyOperations(ArrayOperations, Protocol):
    """From a spanning tree to clusters. Path: ``hierarchy/``."""

    def linkage(self, edges: Array, weights: Array) -> Linkage:
        """Dendrogram of the spanning tree with edges int32[n-1, 2], u < v, and weights T[n-1] ascending (the last ones
        may be infinite). Equal weights merge in the order in which they stand."""

    def condense(self, linkage: Linkage, min_cluster_size: int) -> Condensed:
        """Clusters of at least that many points (2 or more). The root is one however few points there are."""

    def simplify(self, condensed: Condensed, persistence: float) -> Condensed:
        """Undo, from the lowest up, every split one of whose clusters is followed for less than `persistence`: the
        lesser of the greatest lambdas below the two is not that far above the split's lambda. Of two leaves both go on
        in the parent; otherwise the leaf's points leave at the split and the parent goes on as the other one."""

    def select(
        self, condensed: Condensed, method: str, epsilon: float, max_cluster_size: int, allow_single_cluster: bool
    ) -> Selection:
        """Choose clusters of which none lies below another, by excess of mass ("eom") or the leaves ("leaf"). Those
        born at a height below `epsilon` are replaced by their first ancestor born above it (or, if that is the root and
        it may not be chosen, by the last one before)."""

    def label_points(
        self, condensed: Condensed, selection: Selection, epsilon: float, cluster: Array, height: Array
    ) -> tuple[Array, Array]:
        """Of points that leave `cluster`, int32[m], at `height`, T[m], `condensed.leaving()` or new ones: the label,
        int64[m], -1 for noise; and the probability, float64[m] from 0 to 1: lambda at which they leave over the
        cluster's death. If the root is chosen, its members are the points that leave no earlier than 1 / epsilon, or
        than its death if epsilon is 0."""

    def outlier_scores(self, condensed: Condensed, cluster: Array, height: Array) -> Array:
        """GLOSH of such points: 1 - lambda at which they leave / greatest lambda below their cluster, float64[m]. 0
        for points that leave at an infinite lambda, 1 for others where that is the greatest."""

    def cut(self, linkage: Linkage, height: float, min_cluster_size: int) -> Array:
        """Labels of the clusters that merges below `height` make, int64[n]: numbered in order of their first points,
        -1 for those of fewer than `min_cluster_size` points."""

    def common_ancestor_lambdas(self, condensed: Condensed, clusters: Array, others: Array) -> Array:
        """lambda of the split that parts each of the clusters int32[a] from each of the others int32[b], float64[a, b];
        NaN where one of the two lies within the other."""


class Backend(PointOperations, DistanceOperations, GraphOperations, HierarchyOperations, Protocol):
    """All that `emst.cpu` and `emst.cuda` export."""
