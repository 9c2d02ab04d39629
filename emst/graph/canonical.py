"""From the caller's arrays to an `Adjacency`, the canonical form of a graph; errors name the first faulty entry.

A graph is canonical if the columns of every row ascend and the lower triangle mirrors the upper one or is empty. Such a
graph is not copied. Every other graph is sorted: only its upper triangle if the lower one mirrors it; otherwise all
entries, each turned so that it lies above the diagonal, and both directions of every pair are compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array, ForestEdges
from emst.graph.arrays import sorted_by
from emst.graph.faults import Faults, asymmetric, check_ends, faults_of, refuse
from emst.graph.input import CheckedGraph, computable, narrowed
from emst.inputs.ends import outside

POLICIES = ("check", "min")
PER_SORTED = 110  # bytes per entry that is sorted: ends, codes, weights and positions, most of them twice


class Canonical(NamedTuple):
    """A graph in the form that the algorithms take, and the positions of its entries in the caller's data (None if they
    are the same)."""

    graph: Adjacency
    positions: Array | None


def canonical(graph: CheckedGraph, ops: Backend, symmetric: str = "check", may_sort: bool = True) -> Canonical | None:
    """The canonical form of a checked graph, on the backend; None if it has to be sorted and `may_sort` is false,
    because there is too little memory.

    Raises
    ------
    ValueError
        See `emst.graph_msf`.
    """
    xp = ops.xp
    indices, weights = narrowed(graph.indices, graph.n, ops), computable(graph.stored(), ops)
    if graph.indptr is not None:
        indptr = pointers(graph.indptr, ops)
    else:
        rows = narrowed(graph.rows, graph.n, ops)
        refuse(Faults(rows=outside(rows, graph.n)), graph)
        if bool((rows[1:] < rows[:-1]).any()):
            refuse(faults_of(ops.graph_statistics(one_row(graph.n, graph.m, xp), indices, weights)), graph)
            if not may_sort:
                return None
            return _sorted(graph, rows, indices, weights, False, symmetric, ops)
        indptr = ops.row_starts(rows, graph.n)
    statistics = ops.graph_statistics(indptr, indices, weights)
    check_ends(statistics, graph)
    if statistics.outside or statistics.nans:
        refuse(faults_of(statistics), graph)
    mirrored = is_mirrored(statistics.upper, statistics.lower, statistics.fingerprint)
    if mirrored and statistics.ascending:
        positions = graph.positions
        return Canonical(
            Adjacency(indptr, indices, weights, statistics.lower > 0),
            None if positions is None else ops.asarray(positions),
        )
    if not may_sort:
        return None
    return _sorted(graph, ops.entry_rows(indptr, graph.m), indices, weights, mirrored, symmetric, ops)


def is_mirrored(upper: int, lower: int, fingerprint: tuple[int, int]) -> bool:
    """Whether the triangles mirror each other, so that every row holds all edges of its vertex, or the lower one is
    empty."""
    return lower == 0 or (lower == upper and fingerprint == (0, 0))


def pointers(indptr: Array, ops: Backend) -> Array:
    """`indptr` on the backend as int32 or int64."""
    native = indptr.dtype.isnative and indptr.dtype in (np.int32, np.int64)
    return ops.asarray(indptr if native else indptr.astype(np.int64))


def one_row(n: int, m: int, xp: Any) -> Array:
    """`indptr` of a graph whose entries all lie in the last row: enough to check columns and weights."""
    indptr = xp.zeros(n + 1, np.int64)
    indptr[n:] = m
    return indptr


def _sorted(
    graph: CheckedGraph, rows: Array, columns: Array, weights: Array, mirrored: bool, symmetric: str, ops: Backend
) -> Canonical:
    """The canonical form of entries in any order and direction: the lightest entry of every pair of vertices, the first
    of equal ones. Where the triangles mirror each other, only the upper one is read."""
    pairs = ops.lightest_entries(rows, columns, weights, graph.n, mirrored)
    if symmetric == "check" and pairs.differing:
        raise asymmetric(graph, pairs.differing, pairs.ahead, pairs.behind)
    positions = pairs.entries if graph.positions is None else ops.take(ops.asarray(graph.positions), pairs.entries)
    triangle = Adjacency(ops.row_starts(pairs.small, graph.n), pairs.large, pairs.weights, False)
    return Canonical(triangle, positions.astype(np.int64, copy=False))


def by_position(chosen: ForestEdges, positions: Array, ops: Backend) -> ForestEdges:
    """The forest with its edges at these positions of the caller's data, in ascending order."""
    order = sorted_by(positions.view(np.uint64), ops)
    entries, source, target = (ops.take(array, order) for array in (positions, chosen.source, chosen.target))
    return ForestEdges(entries, source, target, chosen.roots)
