"""From the arrays of a caller to an `Adjacency`: what is wrong is named, what is in order is taken as it is.

Rows that ascend, with a lower triangle that mirrors the upper one or is empty, are an `Adjacency` already. Otherwise
the edges are sorted by their ends, above the diagonal only: the upper triangle alone where the lower one mirrors it,
and all entries otherwise, in which case both directions of a pair are compared.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from emst.backend.operations import Backend
from emst.backend.records import Adjacency, Array
from emst.graph.arrays import ordered, pair_codes, rows_of, sorted_by, starts
from emst.graph.faults import Faults, asymmetric, check_ends, faults_of, refuse, rows_outside
from emst.graph.input import CheckedGraph, computable, narrowed

POLICIES = ("check", "min")
PER_SORTED = 110  # bytes that an entry takes while it is put in order: ends, codes, weights, positions, twice as a rule


class Canonical(NamedTuple):
    """A graph as the algorithms take it, and where its entries stand in the caller's data (None: as here)."""

    graph: Adjacency
    positions: Array | None


def canonical(given: CheckedGraph, ops: Backend, symmetric: str = "check", room: int = sys.maxsize) -> Canonical | None:
    """The graph behind a door on the backend; None if there are not enough bytes of `room` to put it in order.

    Raises
    ------
    ValueError
        See `emst.graph_msf`.
    """
    xp = ops.xp
    tight = given.m * PER_SORTED > room
    indices, weights = narrowed(given.indices, given.n, ops), computable(given.stored(), ops)
    if given.indptr is not None:
        indptr = pointers(given.indptr, ops)
    else:
        rows = narrowed(given.rows, given.n, ops)
        refuse(Faults(rows=rows_outside(rows, given.n)), given)
        if bool((rows[1:] < rows[:-1]).any()):
            refuse(faults_of(ops.graph_statistics(one_row(given.n, given.m, xp), indices, weights)), given)
            if tight:
                return None
            return _paired(given, rows, indices, weights, symmetric, ops)
        indptr = starts(rows, given.n, xp)
    statistics = ops.graph_statistics(indptr, indices, weights)
    check_ends(statistics, given)
    if statistics.outside or statistics.nans:
        refuse(faults_of(statistics), given)
    mirrored = is_mirrored(statistics.upper, statistics.lower, statistics.fingerprint)
    if mirrored and statistics.ascending:
        positions = given.positions
        return Canonical(
            Adjacency(indptr, indices, weights, statistics.lower > 0),
            None if positions is None else ops.asarray(positions),
        )
    if tight:
        return None
    rows = rows_of(indptr, given.m, xp)
    if not mirrored:
        return _paired(given, rows, indices, weights, symmetric, ops)
    upper = xp.flatnonzero(indices > rows)
    order = upper[sorted_by(pair_codes(rows[upper], indices[upper], given.n), ops)]
    return _triangle(given, rows[order], indices[order], weights[order], order, ops)


def is_mirrored(upper: int, lower: int, fingerprint: tuple[int, int]) -> bool:
    """Whether every row is known to hold all edges of its vertex, or each edge is stored once, above the diagonal."""
    return lower == 0 or (lower == upper and fingerprint == (0, 0))


def pointers(indptr: Array, ops: Backend) -> Array:
    """`indptr` on the backend as int32 or int64."""
    native = indptr.dtype.isnative and indptr.dtype in (np.int32, np.int64)
    return ops.asarray(indptr if native else indptr.astype(np.int64))


def one_row(n: int, m: int, xp: Any) -> Array:
    """`indptr` of a graph all of whose entries are in the last row: enough for a look at columns and weights."""
    indptr = xp.zeros(n + 1, np.int64)
    indptr[n:] = m
    return indptr


def directed_codes(rows: Array, columns: Array, n: int, xp: Any) -> Array:
    """Codes of pairs and, in the last bit, whether an entry lies below the diagonal."""
    pairs = pair_codes(xp.minimum(rows, columns), xp.maximum(rows, columns), n)
    return (pairs << np.uint64(1)) + (rows > columns)


def lightest(codes: Array, weights: Array, ops: Backend) -> tuple[Array, Array]:
    """From directed codes: the lightest entry of every pair in each direction, of equal ones the first, by code; and
    the places among these of pairs that have both directions (the second comes next)."""
    order = sorted_by(codes, ops)
    ranked = codes[order]
    first = ops.xp.ones(len(ranked), np.bool_)
    first[1:] = ranked[1:] != ranked[:-1]
    if not bool(first.all()):  # parallel edges, as a rule few: these are sorted by weight, too
        alike = ~first
        alike[:-1] |= ~first[1:]
        some = order[alike]
        some = some[sorted_by(ordered(weights[some]), ops)]
        order[alike] = some[sorted_by(codes[some], ops)]
    heads = order[first]
    pairs = ranked[first] >> np.uint64(1)
    return heads, ops.xp.flatnonzero(pairs[1:] == pairs[:-1])


def differing(heads: Array, both: Array, weights: Array, positions: Array, xp: Any) -> tuple[int, int, int] | None:
    """Of pairs whose lightest entries in the two directions differ: how many, and where those of the first stand."""
    ahead, behind = heads[both], heads[both + 1]
    differ = xp.flatnonzero(ordered(weights[ahead]) != ordered(weights[behind]))
    if len(differ) == 0:
        return None
    ahead, behind = positions[ahead[differ]], positions[behind[differ]]
    pair = int(xp.minimum(ahead, behind).argmin())
    return len(differ), int(ahead[pair]), int(behind[pair])


def _paired(
    given: CheckedGraph, rows: Array, columns: Array, weights: Array, symmetric: str, ops: Backend
) -> Canonical:
    """Entries in any order and direction: one for every pair of vertices, the lightest, and of equal ones the first."""
    xp = ops.xp
    kept = xp.flatnonzero(rows != columns)
    if len(kept) < len(rows):
        rows, columns, weights = rows[kept], columns[kept], weights[kept]
    heads, both = lightest(directed_codes(rows, columns, given.n, xp), weights, ops)
    if symmetric == "check" and (wrong := differing(heads, both, weights, kept, xp)):
        raise asymmetric(given, *wrong)
    ahead, behind = heads[both], heads[both + 1]
    forward, backward = ordered(weights[ahead]), ordered(weights[behind])
    reverse = (backward < forward) | ((backward == forward) & (behind < ahead))
    taken = xp.ones(len(heads), np.bool_)
    taken[xp.where(reverse, both, both + 1)] = False
    order = heads[taken]
    rows, columns = rows[order], columns[order]
    small, large = xp.minimum(rows, columns), xp.maximum(rows, columns)
    return _triangle(given, small, large, weights[order], kept[order], ops)


def _triangle(
    given: CheckedGraph, small: Array, large: Array, weights: Array, entries: Array, ops: Backend
) -> Canonical:
    """Edges by their ends, which stand at `entries` of what came through the given."""
    positions = entries if given.positions is None else ops.asarray(given.positions)[entries]
    graph = Adjacency(starts(small, given.n, ops.xp), large, weights, False)
    return Canonical(graph, positions.astype(np.int64, copy=False))
