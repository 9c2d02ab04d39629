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
from emst.graph.arrays import ordered, pair_codes, rows_of, sorted_by, starts
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
            return _paired(graph, rows, indices, weights, symmetric, ops)
        indptr = starts(rows, graph.n, xp)
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
    rows = rows_of(indptr, graph.m, xp)
    if not mirrored:
        return _paired(graph, rows, indices, weights, symmetric, ops)
    upper = xp.flatnonzero(indices > rows)
    order = upper[sorted_by(pair_codes(rows[upper], indices[upper], graph.n), ops)]
    return _triangle(graph, rows[order], indices[order], weights[order], order, ops)


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


def directed_codes(rows: Array, columns: Array, n: int, xp: Any) -> Array:
    """Codes of unordered pairs; the last bit tells whether the entry lies below the diagonal."""
    pairs = pair_codes(xp.minimum(rows, columns), xp.maximum(rows, columns), n)
    return (pairs << np.uint64(1)) + (rows > columns)


def lightest(codes: Array, weights: Array, ops: Backend) -> tuple[Array, Array]:
    """The lightest entries of all pairs, from directed codes.

    Returns the position of the lightest entry for every directed code, the first of equal ones, in the order of the
    codes; and where in that list a pair with both directions begins (its second direction comes next).
    """
    order = sorted_by(codes, ops)
    ranked = codes[order]
    first = ops.xp.ones(len(ranked), np.bool_)
    first[1:] = ranked[1:] != ranked[:-1]
    if not bool(first.all()):  # parallel edges, usually few, are sorted by weight as well
        alike = ~first
        alike[:-1] |= ~first[1:]
        tied = order[alike]
        tied = tied[sorted_by(ordered(weights[tied]), ops)]
        order[alike] = tied[sorted_by(codes[tied], ops)]
    heads = order[first]
    pairs = ranked[first] >> np.uint64(1)
    return heads, ops.xp.flatnonzero(pairs[1:] == pairs[:-1])


def differing(heads: Array, both: Array, weights: Array, positions: Array, xp: Any) -> tuple[int, int, int] | None:
    """How many pairs differ in the lightest weights of their two directions, and the positions of both entries of the
    first such pair; None if there is no such pair."""
    ahead, behind = heads[both], heads[both + 1]
    differ = xp.flatnonzero(ordered(weights[ahead]) != ordered(weights[behind]))
    if len(differ) == 0:
        return None
    ahead, behind = positions[ahead[differ]], positions[behind[differ]]
    pair = int(xp.minimum(ahead, behind).argmin())
    return len(differ), int(ahead[pair]), int(behind[pair])


def _paired(
    graph: CheckedGraph, rows: Array, columns: Array, weights: Array, symmetric: str, ops: Backend
) -> Canonical:
    """The canonical form of entries in any order and direction: the lightest entry of every pair of vertices, the first
    of equal ones."""
    xp = ops.xp
    kept = xp.flatnonzero(rows != columns)
    if len(kept) < len(rows):
        rows, columns, weights = rows[kept], columns[kept], weights[kept]
    heads, both = lightest(directed_codes(rows, columns, graph.n, xp), weights, ops)
    if symmetric == "check" and (wrong := differing(heads, both, weights, kept, xp)):
        raise asymmetric(graph, *wrong)
    ahead, behind = heads[both], heads[both + 1]
    forward, backward = ordered(weights[ahead]), ordered(weights[behind])
    reverse = (backward < forward) | ((backward == forward) & (behind < ahead))
    taken = xp.ones(len(heads), np.bool_)
    taken[xp.where(reverse, both, both + 1)] = False
    order = heads[taken]
    rows, columns = rows[order], columns[order]
    small, large = xp.minimum(rows, columns), xp.maximum(rows, columns)
    return _triangle(graph, small, large, weights[order], kept[order], ops)


def _triangle(
    graph: CheckedGraph, small: Array, large: Array, weights: Array, entries: Array, ops: Backend
) -> Canonical:
    """The canonical form of sorted edges; `entries` are their numbers among the entries of the checked graph."""
    positions = entries if graph.positions is None else ops.asarray(graph.positions)[entries]
    triangle = Adjacency(starts(small, graph.n, ops.xp), large, weights, False)
    return Canonical(triangle, positions.astype(np.int64, copy=False))


def by_position(chosen: ForestEdges, positions: Array, ops: Backend) -> ForestEdges:
    """The forest with its edges at these positions of the caller's data, in ascending order."""
    order = ops.xp.argsort(positions)
    return ForestEdges(positions[order], chosen.source[order], chosen.target[order], chosen.roots)
