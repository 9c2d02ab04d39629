"""Density-based cluster validity (DBCV): how sparse clusters are inside, against how far apart they lie.

Within a cluster every point has a core distance that all others of the cluster share in, and a spanning tree under
mutual reachability by these shows the sparsest place: its heaviest edge between inner nodes. The separation of two
clusters is the least mutual reachability between inner nodes of theirs.

All pairs of points are compared, in O(n^2 d) time and O(n) memory; nothing of size n x n is kept.

References
----------
D. Moulavi, P. A. Jaskowiak, R. J. G. B. Campello, A. Zimek, J. Sander, "Density-based clustering validation", SDM 2014;
`hdbscan.validity.validity_index`, whose choices among tied edges and for small clusters these are.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from emst.backend import backend_of
from emst.distances.metrics import ALIASES
from emst.hierarchy.pairs import Pairs
from emst.inputs.devices import to_host
from emst.inputs.points import check_points
from emst.inputs.scaling import SAMPLE, scaling_of


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
    """Density-based cluster validity of a clustering, from -1 to 1, the greater the better.

    Parameters
    ----------
    X : array-like of shape (n, n_features), or (n, n) for ``metric="precomputed"``
    labels : array-like of shape (n,)
        Negative for noise, which scores 0: the index is the mean over all points of the scores of their clusters.
    metric : str or callable, default "euclidean"
        What `sklearn.metrics.pairwise_distances` takes. All but the Euclidean one are slower, and run on the CPU.
    d : int, optional
        Dimension of the space, for the core distances: the number of features, unless it is given. "precomputed" needs
        it.
    per_cluster_scores : bool, default False
        Return the scores of the clusters too.
    mst_raw_dist : bool, default False
        Leave core distances out: compare bare distances.
    device : {"auto", "cpu", "cuda"}, default "auto"
    **metric_params
        Parameters of the metric.

    Returns
    -------
    index : float
    scores : float64 array of shape (number of clusters,)
        Of labels 0, 1, ... Only if asked for.

    Raises
    ------
    ValueError
        `labels` are not one integer a row; NaN or infinite values in a row of a cluster; "precomputed" without `d`.

    Notes
    -----
    All pairs of points in clusters are compared: O(n^2 d) time and O(n) memory for n points in d dimensions, on any
    device. `HDBSCANGPU.relative_validity_` estimates the index from the spanning tree alone, in O(n) time.

    Where the definition leaves a score open it is 0: of the only cluster, which nothing is to be told apart from; of a
    single point, which has no inside; of a label without points; where neither sparseness nor separation is above 0.
    Points of a cluster at distance 0 do not count for each other's core distances; it is 0 where all are.

    Mutual reachabilities tie: many pairs share the core distance of one point. Which points are inner nodes of the tree
    then depends on the order of the rows; the choice is hdbscan's.
    """
    metric = ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    points, labels, dimension = _opened(X, labels, metric, metric_params, d, device)
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


def _opened(
    X: Any, labels: Any, metric: Any, params: dict[str, Any], d: int | None, device: str
) -> tuple[Any, np.ndarray, int]:
    """The data as it came through the given, the labels on the host, and the dimension."""
    given = check_points(X, device=device if metric == "euclidean" else "cpu", dtype=np.float64)
    n, features = given.array.shape
    labels = to_host(labels)
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        raise ValueError(
            f"labels must hold one integer for each of the {n} rows of X; got {labels.dtype} {labels.shape}"
        )
    if d is None and metric == "precomputed":
        raise ValueError("metric='precomputed' needs d, the dimension of the space")
    if metric in ("euclidean", "precomputed") and params:
        raise ValueError(f"metric={metric!r} takes no metric_params; got {', '.join(map(repr, params))}")
    d = features if d is None else d
    if not isinstance(d, numbers.Integral) or d < 1:
        raise ValueError(f"d must be a positive integer; got {d!r}")
    if metric == "precomputed" and n != features:
        raise ValueError(f"metric='precomputed' needs a square matrix; got shape {given.array.shape}")
    return given, labels, int(d)


def _pairs(given: Any, rows: np.ndarray, sizes: np.ndarray, metric: Any, params: dict[str, Any]) -> Any:
    """What answers for the pairs of the rows, which come by clusters."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    ops = backend_of(given.device)
    if metric != "euclidean":
        return Pairs(to_host(given.array), rows, starts, metric, params)
    with given.scope():
        points = ops.asarray(given.array, np.float64)[ops.asarray(rows)]
        statistics = ops.point_statistics(points, SAMPLE)
        if statistics.bad:
            raise ValueError(f"X contains NaN or infinity in rows of clusters, first in row {rows[statistics.first]}")
        return OnDevice(given, ops, points * scaling_of(statistics, np.dtype(np.float64)).scale, starts)


class OnDevice:
    """Euclidean distances, scaled by a power of two: validity is a matter of ratios."""

    def __init__(self, given: Any, ops: Any, points: Any, starts: np.ndarray) -> None:
        self.given, self.ops, self.starts = given, ops, starts
        self.columns = ops.asarray(points.T)

    def core_distance_sums(self, dimension: int) -> tuple[np.ndarray, np.ndarray]:
        """See `emst.backend.operations`; on the host."""
        return self._ask(self.ops.core_distance_sums, self.columns, self._cluster(self.starts), self.starts, dimension)

    def trees(self, core: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `emst.backend.operations`; on the host."""
        return self._ask(self.ops.cluster_trees, self.columns, self.starts, core)

    def separations(self, chosen: np.ndarray, starts: np.ndarray, core: np.ndarray) -> np.ndarray:
        """See `emst.backend.operations`, of some of the points; on the host."""
        with self.given.scope():
            columns = self.ops.asarray(self.columns[:, self.ops.asarray(chosen)])
        return self._ask(self.ops.separations, columns, self._cluster(starts), starts, core)

    def _cluster(self, starts: np.ndarray) -> np.ndarray:
        return np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))

    def _ask(self, operation: Any, *args: Any) -> Any:
        with self.given.scope():
            moved = (self.ops.asarray(a) if isinstance(a, np.ndarray) else a for a in args)
            result = operation(*moved)
            return tuple(map(to_host, result)) if isinstance(result, tuple) else to_host(result)


def _scores(pairs: Any, dimension: int, mst_raw_dist: bool) -> np.ndarray:
    """Score of every cluster: (separation - sparseness) over the greater of the two."""
    starts = pairs.starts
    core = np.zeros(starts[-1]) if mst_raw_dist else _core_distances(pairs, dimension)
    parent, weight = pairs.trees(core)
    sparseness, inner = _inside(starts, parent, weight)
    chosen = np.flatnonzero(inner)
    inner_starts = np.concatenate([[0], np.cumsum(np.add.reduceat(inner, starts[:-1]))])
    separation = np.minimum.reduceat(pairs.separations(chosen, inner_starts, core[chosen]), inner_starts[:-1])
    greater = np.maximum(separation, sparseness)
    scores = np.where(greater > 0, (separation - sparseness) / np.where(greater > 0, greater, 1), 0)
    scores[np.diff(starts) == 1] = 0
    return scores


def _core_distances(pairs: Any, dimension: int) -> np.ndarray:
    """(mean over the others of the cluster of (1 / distance)^dimension)^(-1 / dimension): float64[n].

    The powers are of the nearest distance over the others, so none overflows; the nearest is multiplied at the end.
    """
    nearest, total = pairs.core_distance_sums(dimension)
    sizes = np.diff(pairs.starts)
    others = np.repeat(np.maximum(sizes - 1, 1), sizes)
    some = np.isfinite(nearest)
    core = np.zeros(len(nearest))
    core[some] = nearest[some] * (total[some] / others[some]) ** (-1 / dimension)
    return core


def _inside(starts: np.ndarray, parent: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weight of every cluster's heaviest edge between inner nodes, float64[L]; and which points are inner, int[n].

    Inner nodes have more than one edge; where there are none, the first point stands for them. Where no two of them
    share an edge, all edges of the cluster count.
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
