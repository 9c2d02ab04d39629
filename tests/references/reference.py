"""A third backend, for comparison: every operation of `emst/backend/operations.py` in slow numpy.

Names and signatures are those of the protocols, so the drivers run on this module as they run on `emst.cpu` and
`emst.cuda`, and a test can compare any single operation with the one here. Nothing here is clever: all pairs are formed
and sorted once, in the total order. `kruskal` and `prim` at the end do not work in rounds at all.

References
----------
J. Skilling, "Programming the Hilbert curve" (2004); J. B. Kruskal (1956); R. C. Prim (1957).
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass

import numpy as np
from constraints_reference import common_clusters, nesting, select_constrained  # noqa: F401, more operations
from dense_reference import (  # noqa: F401, more operations
    bytes_free,
    kernels_ready,
    load_ahead,
    open_rows,
    parallelism,
    row_core_distances,
    row_edges,
    row_nearest,
    telling_compilation,
    total,
)
from graph_reference import (  # noqa: F401, more operations
    entry_rows,
    graph_forest,
    graph_statistics,
    lightest_entries,
    number_components,
    row_starts,
)
from hierarchy_reference import (  # noqa: F401, more operations
    condense,
    cut,
    label_points,
    linkage,
    outlier_scores,
    select,
    simplify,
)
from norms_reference import power_between, rooted
from partitions_reference import (  # noqa: F401, more operations
    asking_points,
    bound_weights,
    box_labels,
    boxes_of,
    closed_groups,
    component_bounds,
    edge_order,
    edges_across,
    edges_at,
    edges_from,
    ends_of_joined,
    first_edges,
    hits_of,
    hold_back,
    insert_edges,
    join_bounds,
    join_components,
    join_distances,
    join_partitions,
    least_of_others,
    list_hits,
    merge_edges,
    nearest_across,
    nearest_distances,
    node_boxes,
    number_points,
    number_together,
    outline_hits,
    outline_reaches,
    powers_of_leaves,
    reaches_from,
    reaches_of_levels,
    rows_here,
    seen_by_partition,
    split_points,
    take_open,
    take_reaches,
    weighted_nearest,
    whole_first_round,
)
from prediction_reference import (  # noqa: F401, more operations
    common_ancestor_lambdas,
    exemplar_distances,
    least_radii,
    query_cores,
    weighted_query_cores,
)
from published_reference import grow_subtrees, lightest_of_edges  # noqa: F401, more operations
from validity_reference import cluster_trees, core_distance_sums, separations  # noqa: F401, more operations

from emst.backend.partition_records import GatheredQuestions, ListedEdges
from emst.backend.records import (
    CROWD,
    CURVE_BITS,
    EUCLIDEAN,
    LEAST_EXTENT,
    MOST_CURVE_AXES,
    Box,
    CurveCells,
    CurveOrder,
    Forest,
    Norm,
    PointStatistics,
)

name = "reference"
xp = np
MIXED = -1


@dataclass
class SearchIndex:
    """Scaled points in curve order. A node is a range of points, so boxes and labels are computed from the range."""

    scaled: np.ndarray
    labels: np.ndarray | None = None
    core: np.ndarray | None = None
    leaf_size: int = 4
    scale: float = 1.0
    norm: Norm = EUCLIDEAN
    core_factor: float = 1.0
    _pairs: tuple | None = None

    @property
    def n(self):
        return len(self.scaled)

    @property
    def dtype(self):
        return self.scaled.dtype

    @property
    def levels(self):
        """(nodes, points of a full node) from the leaves to a single root."""
        sizes = [self.leaf_size]
        while sizes[-1] < self.n:
            sizes.append(sizes[-1] * 4)
        return [(-(-self.n // size), size) for size in sizes]

    def points(self, places=None):
        return self.scaled if places is None else self.scaled[places]

    def pairs(self):
        """`pairs_in_total_order`, computed once."""
        if self._pairs is None:
            self._pairs = pairs_in_total_order(self.scaled, self.core, self.norm)
        return self._pairs


def labels_of(labels, size):
    """The label that ``size`` consecutive points share, or MIXED: int32[nodes]."""
    runs = [set(labels[s : s + size].tolist()) for s in range(0, len(labels), size)]
    return np.array([run.pop() if len(run) == 1 else MIXED for run in runs], np.int32)


def squared_distance(x, y):
    """The power of the Euclidean distance."""
    return power_between(x, y, EUCLIDEAN)


def pairs_in_total_order(points, core=None, norm=EUCLIDEAN):
    """All pairs (smaller id, larger id, weight, power of the distance), the first in the total order first."""
    u, v = np.triu_indices(len(points), 1)
    distance = power_between(points[u], points[v], norm)
    weight = distance if core is None else np.maximum(np.maximum(core[u], core[v]), distance)
    order = np.lexsort((distance, weight))  # stable, and the pairs stand in the order of u and v
    return u[order].astype(np.int32), v[order].astype(np.int32), weight[order], distance[order]


def run_heads(points):
    """First point of the run of equal adjacent points that each point lies in: int32[n]."""
    starts = np.r_[True, (points[1:] != points[:-1]).any(axis=1)]
    return np.flatnonzero(starts).astype(np.int32)[np.cumsum(starts) - 1]


# The operations, in the order of the protocols.


def asarray(array, dtype=None):
    return np.ascontiguousarray(array, dtype)


def point_statistics(points, ordered=False):
    bad = ~np.isfinite(points).all(axis=1)
    first = int(bad.argmax()) if bad.any() else -1
    box = Box(points.min(axis=0).astype(np.float64), points.max(axis=0).astype(np.float64))
    return PointStatistics(box, int(bad.sum()), first)


def curve_order(points, scale, keep=False, box=None, copies=None, ahead=None):
    """Level by level, one cell after the other."""
    rows = np.arange(len(points), dtype=np.int32)
    scaled = points.astype(np.float64) * scale
    copies = np.ones(len(points), int) if copies is None else copies
    cells, found = [(0, len(points))] if copies.sum() > (CROWD if box is None else 0) else [], []
    depth = []
    while cells:
        depth.append(len(cells))
        below = []
        for first, size in cells:
            members = rows[first : first + size]
            grid = Grid.around(scaled[members] if box is None else np.stack(box[:2]) * scale)
            box = None
            codes = grid.codes(scaled[members])
            order = np.argsort(codes, kind="stable")
            members[:], codes = members[order], codes[order]
            found.append((first, codes, grid))
            if grid.factor:
                edges = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1], True])
                runs = zip(edges[:-1].tolist(), edges[1:].tolist())
                below += [(first + a, b - a) for a, b in runs if b - a > 1 and copies[members[a:b]].sum() > CROWD]
        cells = below
    return CurveOrder(rows, _kept(depth, found) if keep else None)


def curve_codes(points, scale, box):
    grid = Grid.around(np.stack(box[:2]) * scale)
    return grid.codes(points.astype(np.float64) * scale)


def curve_segments(points, scale, box, firsts, numbers):
    codes = curve_codes(points, scale, box)
    return np.array([numbers[np.flatnonzero(firsts <= code)[-1]] for code in codes], np.int32)


def _kept(depth, found):
    runs = []
    for first, codes, _ in found:
        values, at = np.unique(codes, return_index=True)
        runs.append((values, first + at))
    return CurveCells(
        level=np.cumsum([0, *depth]),
        first=np.array([first for first, _, _ in found], np.int32),
        end=np.array([first + len(codes) for first, codes, _ in found], np.int32),
        start=np.cumsum([0, *(len(values) for values, _ in runs)]),
        codes=np.concatenate([np.empty(0, np.uint64), *(values for values, _ in runs)]),
        place=np.concatenate([np.empty(0, np.int32), *(place for _, place in runs)]).astype(np.int32),
        grids=[grid for _, _, grid in found],
    )


def curve_places(cells, queries, scale):
    scaled = queries.astype(np.float64) * scale
    codes = functools.cache(lambda cell: cells.grids[cell].codes(scaled).tolist())
    seen = [_place(cells, lambda cell, i=i: codes(cell)[i]) for i in range(len(queries))]
    rows = sorted(range(len(seen)), key=lambda i: (*seen[i], i))
    return np.array(rows, np.int32), np.array([seen[i][0] for i in rows], np.int64)


def _place(cells, code_in):
    """How many points come before a query, and its code in the last cell that it reached."""
    place = code = depth = 0
    members = range(cells.level[0], cells.level[1]) if len(cells.level) > 1 else ()
    while members:
        cell = members[0]
        codes = cells.codes[cells.start[cell] : cells.start[cell + 1]]
        code = code_in(cell)
        before = int((codes < np.uint64(code)).sum())
        place = int(cells.place[cells.start[cell] + before] if before < len(codes) else cells.end[cell])
        depth += 1
        if depth == len(cells.level) - 1 or before == len(codes) or codes[before] != code:
            break
        members = [c for c in range(cells.level[depth], cells.level[depth + 1]) if cells.first[c] == place]
    return place, code


@dataclass
class Grid:
    """The grid that divides a cell: along the chosen axes, `bits` bits each."""

    axes: list
    low: np.ndarray
    bits: int
    factor: float

    @classmethod
    def around(cls, scaled):
        low, extent = scaled.min(axis=0), scaled.max(axis=0) - scaled.min(axis=0)
        widest = np.argsort(-extent, kind="stable")[:MOST_CURVE_AXES].tolist()
        top = float(extent[widest[0]])
        while len(widest) > 1 and extent[widest[-1]] * 2.0 ** bits_for(len(widest)) <= top:
            widest.pop()
        axes = sorted(widest)
        factor = 2.0 ** bits_for(len(axes)) / top if top > LEAST_EXTENT else 0.0
        return cls(axes, low[axes], bits_for(len(axes)), factor)

    def codes(self, x):
        codes = np.zeros(len(x), np.uint64)
        if not self.factor:
            return codes
        with np.errstate(over="ignore"):  # queries far outside of the cell
            cells = np.clip((x[:, self.axes] - self.low) * self.factor, 0, 2**self.bits - 1).astype(np.uint64)
        if len(self.axes) > 1:
            cells = _hilbert_transpose(cells, self.bits)
        for bit in reversed(range(self.bits)):
            for cell in cells.T:
                codes = codes << np.uint64(1) | cell >> np.uint64(bit) & np.uint64(1)
        return codes


def bits_for(axes):
    return min(32, CURVE_BITS // axes)


def _hilbert_transpose(cells, bits):
    """Skilling's AxesToTranspose: grid coordinates -> the bits of the Hilbert index, dealt out to the dimensions."""
    x = cells.T.copy()
    for bit in reversed(range(1, bits)):
        lower = np.uint64((1 << bit) - 1)
        for i in range(len(x)):
            inverted = (x[i] >> np.uint64(bit) & np.uint64(1)).astype(bool)
            exchanged = np.where(inverted, np.uint64(0), (x[0] ^ x[i]) & lower)
            x[0] ^= np.where(inverted, lower, exchanged)
            x[i] ^= exchanged
    for i in range(1, len(x)):  # Gray code
        x[i] ^= x[i - 1]
    t = np.zeros(len(cells), np.uint64)
    for bit in reversed(range(1, bits)):
        t ^= np.where(x[-1] >> np.uint64(bit) & np.uint64(1), np.uint64((1 << bit) - 1), np.uint64(0))
    return (x ^ t).T


def asarrays(*arrays):
    """Each by itself."""
    return [None if array is None else asarray(array) for array in arrays]


def readable(array):
    return asarray(array)


def settled():
    return contextlib.nullcontext()


def forget_peers():
    pass


def copied(array):
    return np.array(array)


def concatenated(parts):
    return np.concatenate(parts)


def concatenated_columns(columns):
    return [concatenated(parts) for parts in columns]


def put(array, places, values):
    """One by one."""
    for place, value in zip(places, values):
        array[place] = value


def take(array, places):
    return array[places]


def sort_order(codes):
    return np.argsort(codes, kind="stable").astype(np.int32)


def for_blocks(work, n, width):
    for begin in range(0, n, 3):
        work(begin, min(begin + 3, n))


def build_index(points, order, scale, norm=EUCLIDEAN):
    scaled = points.astype(np.float64) * scale
    if norm.period is not None:
        norm = norm._replace(period=tuple(length * scale for length in norm.period))
    return SearchIndex(scaled.astype(points.dtype)[order], scale=scale, norm=norm)


def build_queries(points, norm):
    """A hierarchy in the order of the points."""
    return build_index(points, np.arange(len(points), dtype=np.int32), 1.0, norm)


def gathered_questions(packets, label, norm):
    """Column by column."""
    points, component, *others = (None if parts[0] is None else np.concatenate(parts) for parts in zip(*packets))
    return GatheredQuestions(build_queries(points, norm), label[component], component, *others)


def core_distances(index, k, report=None):
    x = index.scaled
    some = np.array_split(x, len(x) // 256 + 1)  # rows, so that their distances to all points fit in the caches
    powers = (power_between(rows[:, None], x, index.norm) for rows in some)
    index.core = np.concatenate([np.partition(of_rows, k - 1)[:, k - 1] for of_rows in powers])
    return index.core


def weighted_core_distances(index, units, enough, report=None):
    index.core = least_radii(power_between(index.scaled[:, None], index.scaled[None], index.norm), units, enough)
    return index.core


def scale_cores(index, factor):
    set_cores(index, index.core * index.core.dtype.type(factor))
    index.core_factor = factor


def set_cores(index, core):
    index.core, index._pairs = core, None


def forget_neighbours(index):
    """Keeps none."""


def join_all(index):
    return None


def join_rest(index, forest, cache):
    return None


def join_duplicates(index, begin=None, first_round=False):
    labels = run_heads(index.scaled)
    joined = np.flatnonzero(labels != np.arange(index.n))
    forest = empty_forest(labels, index.scaled.dtype)
    forest.source[joined] = labels[joined]
    forest.target[joined] = joined
    forest.weight[joined] = 0 if index.core is None else index.core[joined]
    if begin is not None:
        begin(forest)
    return forest


def empty_forest(labels, dtype):
    """Components as ``labels`` say, without an edge yet."""
    n = len(labels)
    best, weight = (np.full(n, np.inf, dtype) for _ in range(2))
    edge_u, edge_v, source, target = (np.full(n, -1, np.int32) for _ in range(4))
    labels = labels.astype(np.int32)
    return Forest(labels, np.unique(labels), best, edge_u, edge_v, source, target, weight)


def cache_neighbours(index, forest):
    return None  # nothing is cached: every round looks at all pairs


def label_nodes(index, labels, group=None):
    index.labels = labels.copy() if group is None else group[labels]


def begin_round(index, forest, cache):
    label_nodes(index, forest.labels)
    x, core, labels = index.scaled, index.core, forest.labels
    weight = power_between(x[1:], x[:-1], index.norm)
    if core is not None:
        weight = np.maximum(np.maximum(core[1:], core[:-1]), weight)
    leaves = labels[1:] != labels[:-1]
    forest.best[forest.components] = np.inf
    np.minimum.at(forest.best, labels[1:][leaves], weight[leaves])
    np.minimum.at(forest.best, labels[:-1][leaves], weight[leaves])


def nearest_outgoing(index, forest, cache):
    u, v, weight, _ = index.pairs()
    a, b = forest.labels[u], forest.labels[v]
    leaves = a != b
    u, v, weight, a, b = u[leaves], v[leaves], weight[leaves], a[leaves], b[leaves]
    first = np.full(len(forest.labels), len(u))  # of each root's pairs, which is the lightest
    for ends in (a, b):
        np.minimum.at(first, ends, np.arange(len(u)))
    roots = np.flatnonzero(first < len(u))
    forest.best[roots] = weight[first[roots]]
    forest.edge_u[roots] = u[first[roots]]
    forest.edge_v[roots] = v[first[roots]]


def merge(forest, prepare=None):
    parent = np.arange(len(forest.labels))
    for c in forest.components.tolist():
        u, v = int(forest.edge_u[c]), int(forest.edge_v[c])
        if u < 0:
            continue
        other = int(forest.labels[v] if forest.labels[u] == c else forest.labels[u])
        mutual = (forest.edge_u[other], forest.edge_v[other]) == (u, v)
        if mutual and c < other:
            continue  # of a mutual pair the smaller stays the root, and the edge is recorded once
        parent[c] = other
        forest.source[c], forest.target[c], forest.weight[c] = u, v, forest.best[c]
    while (parent != parent[parent]).any():
        parent = parent[parent]
    forest.labels[:] = parent[forest.labels]
    forest.components = np.unique(forest.labels).astype(np.int32)
    forest.best[forest.components] = np.inf
    if prepare is not None:
        prepare(forest)
    return forest.count


def edge_powers(index, u, v):
    return power_between(index.scaled[u], index.scaled[v], index.norm)


def sorted_edges(index, forest, order, powers=False, ahead=None):
    used = forest.source >= 0
    u, v, weight = forest.source[used], forest.target[used], forest.weight[used]
    ranked = np.lexsort((v, u, edge_powers(index, u, v), weight))
    order = np.arange(index.n) if order is None else order
    rows = np.stack([order[u[ranked]], order[v[ranked]]], axis=1)
    weights = weight[ranked] if powers else rooted(weight[ranked], index.norm, index.scale)
    return np.sort(rows, axis=1).astype(np.int32), weights


def listed_edges(index, forest, rows):
    places, weights = sorted_edges(index, forest, None, powers=True)
    of_rows = rows[places]
    places = np.where(of_rows[:, :1] < of_rows[:, 1:], places, places[:, ::-1])
    power = None if index.core is None else edge_powers(index, *places.T)
    return places, ListedEdges(np.sort(of_rows, axis=1), weights, power)


def unscaled(index, powers, order):
    roots = np.empty_like(powers)
    roots[slice(None) if order is None else order] = rooted(powers, index.norm, index.scale)
    return roots


def require_memory(array, dtype, k, labels=False):
    pass


def tree_bytes(n, d, dtype, k):
    return 0


# Whole trees, without any rounds.


def kruskal(points, core=None, norm=EUCLIDEAN):
    """The unique tree of scaled points in curve order: (u, v, power of the weight), in the total order.

    Runs of equal neighbours on the curve are joined first: each point with the first of its run.
    """
    n = len(points)
    labels = run_heads(points)
    stars = np.flatnonzero(labels != np.arange(n))
    edges = [(int(labels[i]), int(i), core[i] if core is not None else points.dtype.type(0), 0.0) for i in stars]
    parent = labels.tolist()

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    lower, higher, weights, distances = pairs_in_total_order(points, core, norm)
    for begin in range(0, len(lower), 8 * n):
        if len(edges) == n - 1:
            break
        labels, some = np.array([root(i) for i in range(n)]), slice(begin, begin + 8 * n)
        apart = begin + np.flatnonzero(labels[lower[some]] != labels[higher[some]])  # the others close a cycle
        for e, u, v in zip(apart.tolist(), lower[apart].tolist(), higher[apart].tolist()):
            a, b = root(u), root(v)
            if a != b:
                parent[max(a, b)] = min(a, b)
                edges.append((u, v, weights[e], distances[e]))
    edges.sort(key=lambda edge: (edge[2], edge[3], edge[0], edge[1]))
    u, v, weight, _ = zip(*edges) if edges else ((), (), (), ())
    return np.array(u, np.int32), np.array(v, np.int32), np.array(weight, points.dtype)


def prim(x, norm=EUCLIDEAN):
    """Weights of a minimum spanning tree in float64, ascending; no scaling, no curve, no total order."""
    x = np.asarray(x, np.float64)
    outside = np.ones(len(x), bool)
    nearest = np.full(len(x), np.inf)
    order = np.inf if norm.kind == "chebyshev" else norm.degree
    at, weights = 0, []
    for _ in range(len(x) - 1):
        outside[at] = False
        nearest = np.minimum(nearest, np.linalg.norm(x - x[at], order, axis=1))
        at = int(np.where(outside, nearest, np.inf).argmin())
        weights.append(nearest[at])
    return np.sort(weights)
