"""Spanning trees of sparse distance matrices: minimum spanning forests of graphs, under mutual reachability.

Every stored entry is a distance, also a stored zero. An absent entry is a missing distance. The diagonal is zero
whether it is stored or not. A pair that is stored in one direction counts in both; of two different values the lesser
counts. Where core distances make weights equal, the distance is the second key of the total order: the forest is then
computed on the ranks of (weight, distance).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from emst.backend.keys import ordered
from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array, Report
from emst.boruvka import bridged
from emst.graph.arrays import counts_of, sorted_by
from emst.graph.canonical import canonical
from emst.graph.input import check_graph, refuse_blocks
from emst.inputs.devices import to_host
from emst.inputs.summary import counted


class TooFewDistances(ValueError):
    """Rows of a sparse matrix of distances hold fewer than the core distances take. The message is scikit-learn's.

    Attributes
    ----------
    k : int
        How many distances a row must hold, its own zero included.
    rows : int
        How many rows hold fewer.
    first : int
        The first of them.
    """

    def __init__(self, k: int, rows: int, first: int) -> None:
        super().__init__(k, rows, first)
        self.k, self.rows, self.first = k, rows, first

    def __str__(self) -> str:
        return (
            f"There exists points with fewer than {self.k} neighbors. Ensure your distance matrix has non-zero values "
            f"for at least `min_sample`={self.k} neighbors for each points (i.e. K-nn graph), or specify a "
            "`max_distance` in `metric_params` to use when distances are missing. There are "
            f"{self.rows:,} such points, the first in row {self.first}; a point counts as "
            "its own neighbor, and stored zeros count"
        )


def sparse_tree(
    graph: Any,
    k: int,
    ops: Backend,
    *,
    alpha: float = 1.0,
    max_distance: float | None = None,
    report: Report | None = None,
) -> tuple[Array, Array, Array]:
    """Minimum spanning tree of a sparse distance matrix under mutual reachability.

    Parameters
    ----------
    graph : sparse matrix or array of shape (n, n), scipy's or cupyx's
        Infinite values are missing ones. It is not changed.
    k : int
        The core distance of a vertex is the k-th smallest distance of its matrix row, its own zero included.
    ops : Backend
        The backend that computes the forest.
    alpha : float
        Distances are divided by it, core distances are not.
    max_distance : float, optional
        A finite value in the place of infinity: the core distance of a vertex with fewer than k distances, and the
        height at which components without a connecting edge are joined. Without it, such a vertex is an error.
    report : callable, optional
        Called once, as ``report(1, components_left)``: the rounds of the forest are not reported one by one.

    Returns
    -------
    edges, weights, core
        As `emst.distances.row_by_row.dense_tree` returns them, on the backend.

    Raises
    ------
    ValueError
        A matrix in BSR format, a shape that is not square, NaN or negative values (naming the first and how many), or
        (`TooFewDistances`) a vertex with fewer than k distances.
    """
    xp, n = ops.xp, graph.shape[0]
    u, v, distance = _pairs(graph, ops)
    core = _core_distances(n, u, v, distance, k, max_distance, ops)
    bits = [_bits(values) for values in (core[u], core[v], _divided(distance, alpha, ops))]
    weight = xp.maximum(xp.maximum(*bits[:2]), bits[2]).view(distance.dtype)
    rank = distance if k == 1 else _ranks(weight, distance, ops)
    chosen = ops.graph_forest(Adjacency(ops.row_starts(u, n), v, rank, symmetric=False))
    taken = chosen.entries[_ascending(rank[chosen.entries], ops)]
    edges, weights = xp.stack([u[taken], v[taken]], axis=1), weight[taken]
    if report is not None:
        report(1, n - len(edges))
    if len(edges) < n - 1:
        height = math.inf if not max_distance else max(max_distance, float(weights[-1]) if len(weights) else 0.0)
        edges, weights = bridged(edges, weights, chosen.roots, height)
    return edges, weights, core


def _pairs(graph: Any, ops: Backend) -> tuple[Array, Array, Array]:
    """All pairs stored in either direction, u < v, ascending by (u, v), with the lesser of their finite distances."""
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(
            "The precomputed distance matrix is expected to be symmetric, however it has shape "
            f"{graph.shape}. Please verify that the distance matrix was constructed correctly."
        )
    refuse_blocks(graph, "X", "a distance")
    csr = graph.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    data = csr.data if csr.data.dtype == np.float32 else csr.data.astype(np.float64, copy=False)
    _check(csr, data)
    form = canonical(check_graph((csr.indptr, csr.indices, data), ops.name), ops, symmetric="min")
    assert form is not None  # None means that a bound on memory was too low; there is none here
    column, value = form.graph.indices, form.graph.weights
    row = ops.entry_rows(form.graph.indptr, form.graph.m)
    kept = ops.xp.flatnonzero((row < column) & (value < np.inf))
    bits = _bits(value[kept])
    return row[kept], column[kept], (bits & np.iinfo(bits.dtype).max).view(value.dtype)  # no negative zeros


def _bits(values: Array) -> Array:
    """Distances as integers of the same order: CuPy's kernels take subnormal floats for zero."""
    return values.view(f"i{values.dtype.itemsize}")


def _divided(distance: Array, alpha: float, ops: Backend) -> Array:
    if alpha == 1 or distance.dtype == np.float64:
        return distance if alpha == 1 else distance / alpha
    return ops.asarray(to_host(distance) / distance.dtype.type(alpha))  # CuPy's kernels flush subnormal floats to zero


def _check(csr: Any, data: Array) -> None:
    bits = _bits(data)
    negative = (bits < 0) & (bits != np.iinfo(bits.dtype).min)  # but no zero
    for bad, what in ((np.isnan(data), "NaN"), (negative, "negative values")):
        if bad.any():
            at = int(bad.argmax())
            row, count = int(np.searchsorted(to_host(csr.indptr), at, side="right")) - 1, int(bad.sum())
            raise ValueError(
                f"The precomputed distance matrix holds {what}: {counted(count, 'entry', 'entries')}, "
                f"first in row {row}, column {int(csr.indices[at])}"
            )


def _core_distances(
    n: int, u: Array, v: Array, distance: Array, k: int, max_distance: float | None, ops: Backend
) -> Array:
    """The k-th smallest distance of every vertex, its own zero included: T[n]."""
    xp = ops.xp
    core = xp.zeros(n, distance.dtype)
    if k == 1:
        return core
    end, both = xp.concatenate([u, v]), xp.concatenate([distance, distance])
    stored = counts_of(end, n, xp)
    enough = stored >= k - 1
    lacking = n - int(enough.sum())
    if lacking:
        if not max_distance:
            raise TooFewDistances(k, lacking, int(enough.argmin()))
        core[~enough] = max_distance
    order = _ascending(both, ops)
    ranked = both[order[sorted_by(end[order].astype(np.uint64), ops)]]
    enough = xp.flatnonzero(enough)
    core[enough] = ranked[(xp.cumsum(stored, dtype=np.int64) - stored)[enough] + (k - 2)]
    return core


def _ranks(weight: Array, distance: Array, ops: Backend) -> Array:
    """The rank of every (weight, distance) among the different pairs: int32."""
    order = _ascending(distance, ops)
    order = order[_ascending(weight[order], ops)]
    new = ops.xp.zeros(len(order), np.bool_)
    for values in (weight, distance):
        ranked = _bits(values)[order]
        new[1:] |= ranked[1:] != ranked[:-1]
    rank = ops.xp.empty(len(order), np.int32)
    rank[order] = ops.xp.cumsum(new, dtype=np.int32)
    return rank


def _ascending(values: Array, ops: Backend) -> Array:
    """The permutation that sorts numbers; equal ones keep their order."""
    return sorted_by(ordered(values), ops)
