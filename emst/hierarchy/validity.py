"""Density-based cluster validity (DBCV): the sparseness of clusters compared with their separation.

The core distance of a point is a mean over all other points of its cluster. Every cluster has a minimum spanning tree
under mutual reachability with these core distances. The sparseness of the cluster is the heaviest edge between inner
nodes of its tree; the separation of two clusters is the least mutual reachability distance between their inner nodes.

All pairs of points are compared, in O(n^2 d) time and O(n) memory: no n x n matrix is stored.

References
----------
D. Moulavi, P. A. Jaskowiak, R. J. G. B. Campello, A. Zimek, J. Sander, "Density-based clustering validation", SDM 2014;
`hdbscan.validity.validity_index`, with which the choices among tied edges and for small clusters agree.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from emst.backend import backend_of
from emst.distances.metrics import ALIASES
from emst.hierarchy.pairs import Pairs
from emst.inputs.devices import to_host
from emst.inputs.masks import check_unmasked
from emst.inputs.places import check_names
from emst.inputs.points import check_points
from emst.inputs.scaling import scale_of


def validity_index(
    X: Any,
    labels: Any,
    metric: Any = "euclidean",
    d: int | None = None,
    per_cluster_scores: bool = False,
    mst_raw_dist: bool = False,
    *,
    device: str = "auto",
    **metric_params: Any,
) -> Any:
    """Density-based cluster validity (DBCV) of a clustering, from -1 to 1; greater is better.

    Parameters
    ----------
    X : array-like of shape (n, n_features), or (n, n) for ``metric="precomputed"``
        The points, or the distances between them.
    labels : int array-like of shape (n,)
        Cluster of each row. Negative labels are noise, which scores 0.
    metric : str or callable, default "euclidean"
        Any metric of `sklearn.metrics.pairwise_distances`, under all names that `HDBSCANGPU` takes. Metrics other than
        the Euclidean one are slower and run on the CPU.
    d : int, optional
        Dimension of the space, used in the core distances; the number of features by default. "precomputed" needs it.
    per_cluster_scores : bool, default False
        Return `scores` as well.
    mst_raw_dist : bool, default False
        Use distances instead of mutual reachability distances.
    device : {"auto", "cpu", "cuda"}, default "auto"
        "auto" takes the GPU if the data is there or a usable one is present, else the CPU.
    **metric_params
        Parameters of the metric, such as ``p=3``, or ``degrees=True`` for "haversine". Those that "seuclidean" and
        "mahalanobis" take from the data come from all finite rows, noise included, as in a fit.

    Returns
    -------
    index : float
        Mean over all points of the scores of their clusters.
    scores : float64 array of shape (greatest label + 1,)
        Score of each label 0, 1, ... Only if ``per_cluster_scores=True``.

    Raises
    ------
    ValueError
        `labels` does not hold one integer for each row; a row of a cluster has NaN or infinite values; "precomputed"
        without `d`; a distance is NaN or negative.

    Notes
    -----
    All pairs of points in clusters are compared: O(n^2 d) time and O(n) memory for n points in d dimensions, on any
    device. `HDBSCANGPU.relative_validity_` estimates the index from the spanning tree alone, in O(n) time.

    The score is 0 in the cases that the definition leaves open: there is only one cluster; the cluster is a single
    point; the label has no points; sparseness and separation are both 0, or both infinite. Where the separation alone
    is infinite, the score is 1; where the sparseness is, -1. Points at distance 0 do not count in each other's core
    distances; the core distance is 0 if all points of the cluster are equal.

    Mutual reachability distances tie, because many pairs have the core distance of one point as their weight. Then the
    order of the rows decides which points are inner nodes of the tree, as in hdbscan.

    Examples
    --------
    >>> import numpy as np
    >>> from emst import validity_index
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, size=(100, 2)) for c in (0, 20, 40)])
    >>> labels = np.repeat([0, 1, 2], 100)
    >>> round(validity_index(X, labels), 3)
    0.953
    >>> index, scores = validity_index(X, labels, per_cluster_scores=True)
    >>> scores.shape
    (3,)
    """
    metric = ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    check_names(getattr(X, "columns", ()), on_sphere=metric == "haversine", euclidean=metric == "euclidean")
    points, labels, dimension = _checked(X, labels, metric, metric_params, d, device)
    present, cluster = np.unique(labels[labels >= 0], return_inverse=True)
    scores = np.zeros(len(present))
    sizes = np.bincount(cluster, minlength=len(present))
    if len(present) > 1:
        rows = np.flatnonzero(labels >= 0)[np.argsort(cluster, kind="stable")]
        pairs = _pairs(points, rows, sizes, metric, metric_params)
        scores = _scores(pairs, dimension, mst_raw_dist)
    index = float((scores * sizes).sum() / len(labels))
    if not per_cluster_scores:
        return index
    table = np.zeros(int(present[-1]) + 1 if len(present) else 0)
    table[present] = scores
    return index, table


def _checked(
    X: Any, labels: Any, metric: Any, params: dict[str, Any], d: int | None, device: str
) -> tuple[Any, np.ndarray, int]:
    """The checked data, the labels on the host, and the dimension."""
    data = check_points(X, device=device if metric == "euclidean" else "cpu", dtype=np.float64)
    n, features = data.array.shape
    check_unmasked("labels", labels)
    labels = to_host(labels)
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        raise ValueError(
            f"labels must hold one integer for each of the {n} rows of X; got {labels.dtype} {labels.shape}"
        )
    if d is None and metric == "precomputed":
        raise ValueError("metric='precomputed' needs d, the dimension of the space")
    if metric in ("euclidean", "precomputed") and params:
        raise ValueError(f"metric={metric!r} takes no parameters; got {', '.join(map(repr, params))}")
    d = features if d is None else d
    if not isinstance(d, numbers.Integral) or d < 1:
        raise ValueError(f"d must be a positive integer; got {d!r}")
    if metric == "precomputed" and n != features:
        raise ValueError(f"metric='precomputed' needs a square matrix; got shape {data.array.shape}")
    return data, labels, int(d)


def _pairs(data: Any, rows: np.ndarray, sizes: np.ndarray, metric: Any, params: dict[str, Any]) -> Any:
    """An object that computes on all pairs of the data rows, which are grouped by clusters."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    ops = backend_of(data.device)
    if metric != "euclidean":
        return Pairs(to_host(data.array), rows, starts, metric, params)
    with data.scope():
        points = ops.asarray(data.array, np.float64)[ops.asarray(rows)]
        statistics = ops.point_statistics(points)
        if statistics.bad:
            raise ValueError(f"X contains NaN or infinity in rows of clusters, first in row {rows[statistics.first]}")
        return OnDevice(data, ops, points * scale_of(statistics, np.dtype(np.float64)), starts)


class OnDevice:
    """Euclidean distances on the backend, scaled by a power of two: validity depends on ratios of distances only."""

    def __init__(self, data: Any, ops: Any, points: Any, starts: np.ndarray) -> None:
        self.data, self.ops, self.starts = data, ops, starts
        self.columns = ops.asarray(points.T)

    def core_distance_sums(self, dimension: int) -> tuple[np.ndarray, np.ndarray]:
        """See `emst.backend.operations`; on the host."""
        return self._call(self.ops.core_distance_sums, self.columns, self._cluster(self.starts), self.starts, dimension)

    def trees(self, core: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `emst.backend.operations`; on the host."""
        return self._call(self.ops.cluster_trees, self.columns, self.starts, core)

    def separations(self, chosen: np.ndarray, starts: np.ndarray, core: np.ndarray) -> np.ndarray:
        """See `emst.backend.operations`, of finite of the points; on the host."""
        with self.data.scope():
            columns = self.ops.asarray(self.columns[:, self.ops.asarray(chosen)])
        return self._call(self.ops.separations, columns, self._cluster(starts), starts, core)

    def _cluster(self, starts: np.ndarray) -> np.ndarray:
        return np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))

    def _call(self, operation: Any, *args: Any) -> Any:
        with self.data.scope():
            moved = (self.ops.asarray(a) if isinstance(a, np.ndarray) else a for a in args)
            result = operation(*moved)
            return tuple(map(to_host, result)) if isinstance(result, tuple) else to_host(result)


def _scores(pairs: Any, dimension: int, mst_raw_dist: bool) -> np.ndarray:
    """Score of every cluster: (separation - sparseness) divided by the greater of the two."""
    starts = pairs.starts
    core = np.zeros(starts[-1]) if mst_raw_dist else _core_distances(pairs, dimension)
    parent, weight = pairs.trees(core)
    sparseness, inner = _inside(starts, parent, weight)
    chosen = np.flatnonzero(inner)
    inner_starts = np.concatenate([[0], np.cumsum(np.add.reduceat(inner, starts[:-1]))])
    separation = np.minimum.reduceat(pairs.separations(chosen, inner_starts, core[chosen]), inner_starts[:-1])
    greater = np.maximum(separation, sparseness)
    with np.errstate(invalid="ignore"):  # 0 / 0 and infinity / infinity
        scores = np.where(greater > 0, (separation - sparseness) / greater, 0)
    signs = np.isinf(separation).astype(float) - np.isinf(sparseness)
    scores = np.where(np.isinf(greater), signs, scores)
    scores[np.diff(starts) == 1] = 0
    return scores


def _core_distances(pairs: Any, dimension: int) -> np.ndarray:
    """(mean over the others of the cluster of (1 / distance)^dimension)^(-1 / dimension): float64[n].

    To avoid overflow, the powers are those of (nearest distance / distance); the result is multiplied by the nearest
    distance.
    """
    nearest, total = pairs.core_distance_sums(dimension)
    sizes = np.diff(pairs.starts)
    others = np.repeat(np.maximum(sizes - 1, 1), sizes)
    finite = np.isfinite(nearest)
    core = np.zeros(len(nearest))
    core[finite] = nearest[finite] * (total[finite] / others[finite]) ** (-1 / dimension)
    return core


def _inside(starts: np.ndarray, parent: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weight of every cluster's heaviest edge between inner nodes, float64[L]; and whether points are inner, int[n].

    Inner nodes have more than one edge. A cluster without inner nodes takes its first point as one. If no edge of the
    cluster connects two inner nodes, all its edges count.
    """
    n = len(parent)
    edge = parent >= 0
    degree = np.bincount(parent[edge], minlength=n) + edge
    inner = (degree > 1).astype(np.int64)
    none = np.add.reduceat(inner, starts[:-1]) == 0
    between = edge & (inner > 0) & (inner[parent] > 0)
    counts = np.add.reduceat(between.astype(np.int64), starts[:-1])
    all_count = np.repeat(counts == 0, np.diff(starts))
    sparseness = np.maximum.reduceat(np.where(between | (all_count & edge), weight, 0), starts[:-1])
    inner[starts[:-1][none]] = 1
    return sparseness, inner
