"""From the arrays of a caller to an `Adjacency`: what is wrong is named, what is in order is taken as it is.

Rows that ascend, with a lower triangle that mirrors the upper one or is empty, are an `Adjacency` already. Otherwise
the edges are sorted by their ends, above the diagonal only: the upper triangle alone where the lower one mirrors it,
and all entries otherwise, in which case both directions of a pair are compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emst.backend import Array, Backend
from emst.devices import to_host
from emst.graph.adjacency import Adjacency, GraphSurvey
from emst.graph.door import Door, computable, narrowed

POLICIES = ("check", "min")


class Canonical(NamedTuple):
    """A graph as the algorithms take it, and where its entries stand among the caller's (None: in the same places)."""

    graph: Adjacency
    positions: Array | None


def canonical(door: Door, ops: Backend, symmetric: str = "check") -> Canonical:
    """The graph behind a door on the backend. Raises ValueError for what `emst.graph_msf` says."""
    xp = ops.xp
    indices, weights = narrowed(door.indices, door.n, ops), computable(_stored(door), ops)
    if door.indptr is not None:
        indptr = ops.asarray(_pointers(door.indptr))
    else:
        rows = _checked_rows(door, ops)
        if len(rows) > 1 and bool((rows[1:] < rows[:-1]).any()):
            indptr = xp.zeros(door.n + 1, np.int64)
            indptr[-1] = door.m  # one row will do for a look at columns and weights
            check_survey(ops.survey_graph(indptr, indices, weights), door)
            return _paired(door, rows, indices, weights, symmetric, ops)
        indptr = _starts(rows, door.n, xp)
    survey = ops.survey_graph(indptr, indices, weights)
    _check_ends(survey, door.m)
    check_survey(survey, door)
    mirrored = survey.lower == 0 or survey.fingerprint == (0, 0)
    if mirrored and survey.ascending:
        positions = door.positions
        return Canonical(
            Adjacency(indptr, indices, weights, survey.lower > 0), None if positions is None else ops.asarray(positions)
        )
    rows = rows_of(indptr, door.m, xp)
    if not mirrored:
        return _paired(door, rows, indices, weights, symmetric, ops)
    upper = xp.flatnonzero(indices > rows)
    order = upper[_order(_codes(rows[upper], indices[upper], door.n), ops)]
    return _triangle(door, rows[order], indices[order], weights[order], order, ops)


def check_survey(survey: GraphSurvey, door: Door, first: int = 0) -> None:
    """Raise ValueError for what a look at a graph found; `first` is the position of the first entry looked at."""
    if survey.descents:
        row = survey.first_descent
        begin, end = (int(door.indptr[i]) for i in (row, row + 1))  # type: ignore[index]
        raise ValueError(
            f"indptr must not descend; it does so in {_many(survey.descents, 'row')}, first in row {row}, from "
            f"{begin:,} to {end:,}"
        )
    if survey.outside:
        at = survey.first_outside + first
        raise ValueError(_outside(survey.outside, "column", int(door.indices[at]), door, at))
    if survey.nans:
        at = survey.first_nan + first
        raise ValueError(f"weights must not be NaN; {_many(survey.nans, 'entry')} are, first {place(door, at)}")


def _check_ends(survey: GraphSurvey, m: int) -> None:
    if survey.first_start != 0:
        raise ValueError(f"indptr must begin with 0; it begins with {survey.first_start:,}")
    if survey.last_end != m:
        raise ValueError(f"indptr must end with the number of entries, {m:,}; it ends with {survey.last_end:,}")


def place(door: Door, at: int) -> str:
    """Where an entry stands, in the caller's words."""
    row, column = _row(door, at), int(door.indices[at])
    if door.flipped:
        row, column = column, row
    where = at if door.positions is None else int(door.positions[at])
    return f"at position {where:,} (row {row}, column {column})"


def _outside(count: int, axis: str, value: int, door: Door, at: int) -> str:
    return (
        f"indices must lie between 0 and {door.n - 1:,} in a graph of {door.n:,} vertices; {_many(count, 'entry')} "
        f"lie outside, first {axis} {value:,} {place(door, at)}"
    )


def rows_of(indptr: Array, m: int, xp: Any) -> Array:
    """Row of every entry, int32[m]."""
    return (xp.searchsorted(indptr, xp.arange(m, dtype=indptr.dtype), side="right") - 1).astype(np.int32)


def ordered(weights: Array) -> Array:
    """Weights as uint64 of the same order, -0.0 as 0.0."""
    bits = 8 * weights.dtype.itemsize
    unsigned = np.dtype(f"u{bits // 8}").type
    top = unsigned(1 << (bits - 1))
    if weights.dtype.kind == "i":
        return (weights.view(unsigned) ^ top).astype(np.uint64)
    raw = (weights + weights.dtype.type(0)).view(unsigned)
    negative = (raw >> unsigned(bits - 1)) * unsigned(2**bits - 1)  # all ones below zero
    return (raw ^ (negative | top)).astype(np.uint64)


def _paired(door: Door, rows: Array, columns: Array, weights: Array, symmetric: str, ops: Backend) -> Canonical:
    """Entries in any order and direction: one for every pair of vertices, the lightest, and of equal ones the first."""
    xp = ops.xp
    kept = xp.flatnonzero(rows != columns)
    rows, columns, weights = rows[kept], columns[kept], weights[kept]
    small, large = xp.minimum(rows, columns), xp.maximum(rows, columns)
    codes = (_codes(small, large, door.n) << np.uint64(1)) + (rows > columns)
    order = _order(codes, ops)
    pairs = codes[order] >> np.uint64(1)
    if bool((pairs[1:] == pairs[:-1]).any()):
        order = _lightest_of_pairs(door, kept, codes, weights, symmetric, ops)
    return _triangle(door, small[order], large[order], weights[order], kept[order], ops)


def _lightest_of_pairs(door: Door, kept: Array, codes: Array, weights: Array, symmetric: str, ops: Backend) -> Array:
    """Which entries to take, one for each pair, by pair; `codes` are pairs and, in the last bit, directions."""
    xp = ops.xp
    order = _order(ordered(weights), ops)
    order = order[_order(codes[order], ops)]
    ranked = codes[order]
    first = xp.ones(len(ranked), np.bool_)
    first[1:] = ranked[1:] != ranked[:-1]
    heads = order[first]  # the lightest of each direction
    pairs = codes[heads] >> np.uint64(1)
    forth = xp.flatnonzero(pairs[1:] == pairs[:-1])  # among the heads; its reverse comes next
    ahead, behind = heads[forth], heads[forth + 1]
    if symmetric == "check":
        _check_directions(door, kept[ahead], kept[behind], weights[ahead] != weights[behind], ops.xp)
    reverse = (weights[behind] < weights[ahead]) | ((weights[behind] == weights[ahead]) & (behind < ahead))
    taken = xp.ones(len(heads), np.bool_)
    taken[xp.where(reverse, forth, forth + 1)] = False
    return heads[taken]


def _check_directions(door: Door, ahead: Array, behind: Array, differ: Array, xp: Any) -> None:
    """Raise ValueError where the lightest entries of a pair's two directions differ."""
    count = int(differ.sum())
    if count:
        ahead, behind = ahead[differ], behind[differ]
        pair = int(xp.minimum(ahead, behind).argmin())
        at, reverse = sorted((int(ahead[pair]), int(behind[pair])))
        raise ValueError(
            f"weights must be the same in both directions; those of {_many(count, 'pair')} differ, first "
            f"{place(door, at)} weighs {_value(door, at)} and its reverse {_value(door, reverse)}. symmetric='min' "
            "takes the lighter one"
        )


def _checked_rows(door: Door, ops: Backend) -> Array:
    rows = narrowed(door.rows, door.n, ops)
    outside = (rows < 0) | (rows >= door.n)
    count = int(outside.sum())
    if count:
        at = int(outside.argmax())
        raise ValueError(_outside(count, "row", int(door.rows[at]), door, at))  # type: ignore[index]
    return rows


def _triangle(door: Door, small: Array, large: Array, weights: Array, entries: Array, ops: Backend) -> Canonical:
    """Edges by their ends, which stand at `entries` of what came through the door."""
    entries = entries.astype(np.int64, copy=False)
    positions = entries if door.positions is None else ops.asarray(door.positions)[entries]
    return Canonical(Adjacency(_starts(small, door.n, ops.xp), large, weights, False), positions)


def _starts(rows: Array, n: int, xp: Any) -> Array:
    """Where each row begins among ascending rows: int64[n + 1]."""
    return xp.searchsorted(rows, xp.arange(n + 1, dtype=np.int64).astype(np.int32)).astype(np.int64, copy=False)


def _codes(small: Array, large: Array, n: int) -> Array:
    return small.astype(np.uint64) * np.uint64(n) + large.astype(np.uint64)


def _order(codes: Array, ops: Backend) -> Array:
    if 0 < len(codes) < 2**31:
        return ops.sort_order(codes)
    return ops.xp.argsort(codes, kind="stable")


def _pointers(indptr: Array) -> Array:
    native = indptr.dtype.isnative and indptr.dtype in (np.int32, np.int64)
    return indptr if native else indptr.astype(np.int64)


def _stored(door: Door) -> Array:
    return door.data if door.positions is None else door.data[door.positions]


def _value(door: Door, at: int) -> Any:
    return _stored(door)[at].item()


def _row(door: Door, at: int) -> int:
    if door.rows is not None:
        return int(door.rows[at])
    return int(np.searchsorted(to_host(door.indptr), at, side="right")) - 1


def _many(count: int, one: str) -> str:
    more = one[:-1] + "ies" if one.endswith("y") else one + "s"
    return f"{count:,} {one if count == 1 else more}"
