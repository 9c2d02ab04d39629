"""What is wrong with a graph, said in the caller's words: the first entry, its value, and how many there are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emst.backend import Array
from emst.devices import to_host
from emst.graph.adjacency import GraphSurvey
from emst.graph.door import Door


def check_ends(survey: GraphSurvey, door: Door) -> None:
    """Raise ValueError where `indptr` does not lead from the first entry to the last in order."""
    if survey.first_start != 0:
        raise ValueError(f"indptr must begin with 0; it begins with {survey.first_start:,}")
    if survey.last_end != door.m:
        raise ValueError(f"indptr must end with the number of entries, {door.m:,}; it ends with {survey.last_end:,}")
    if survey.descents:
        row = survey.first_descent
        begin, end = (int(door.indptr[i]) for i in (row, row + 1))  # type: ignore[index]
        raise ValueError(
            f"indptr must not descend; it does so in {_many(survey.descents, 'row', 'rows')}, first in row {row}, from "
            f"{begin:,} to {end:,}"
        )


class Faults(NamedTuple):
    """Entries that are wrong: how many there are of a kind, and where the first of them stands."""

    rows: tuple[int, int] = (0, -1)  # that are no vertices, where they are given for each entry
    columns: tuple[int, int] = (0, -1)
    nans: tuple[int, int] = (0, -1)

    @property
    def any(self) -> bool:
        """Whether there are some."""
        return any(count for count, _ in self)

    def and_later(self, others: Faults) -> Faults:
        """Together with those of entries that come later."""
        pairs = zip(self, others)
        return Faults(*((mine[0] + other[0], mine[1] if mine[0] else other[1]) for mine, other in pairs))


def faults_of(survey: GraphSurvey, first: int = 0, rows: tuple[int, int] = (0, -1)) -> Faults:
    """What a look at entries found in columns and weights; `first` is the position of the first of them."""
    return Faults(rows, (survey.outside, survey.first_outside + first), (survey.nans, survey.first_nan + first))


def rows_outside(rows: Array, n: int, first: int = 0) -> tuple[int, int]:
    """How many rows, given for each entry, are no vertices, and where the first of them stands."""
    outside = (rows < 0) | (rows >= n)
    count = int(outside.sum())
    return (count, int(outside.argmax()) + first) if count else (0, -1)


def refuse(faults: Faults, door: Door) -> None:
    """Raise ValueError for entries that are wrong: rows come before columns, and these before weights."""
    for (count, at), axis, ends in ((faults.rows, "row", door.rows), (faults.columns, "column", door.indices)):
        if count:
            raise ValueError(_outside(count, axis, int(ends[at]), door, at))  # type: ignore[index]
    count, at = faults.nans
    if count:
        raise ValueError(
            f"weights must not be NaN; {_many(count, 'entry is', 'entries are')}, first {_place(door, at)}"
        )


def asymmetric(door: Door, count: int, at: int, reverse: int) -> ValueError:
    """The error about pairs whose lightest entries in the two directions differ, first those two."""
    at, reverse = sorted((at, reverse))
    return ValueError(
        f"weights must be the same in both directions; in {_many(count, 'pair', 'pairs')} they are not, first "
        f"{_place(door, at)} weighs {_value(door, at)} and its reverse {_value(door, reverse)}. symmetric='min' takes "
        "the lighter one"
    )


def _outside(count: int, axis: str, value: int, door: Door, at: int) -> str:
    if door.flipped:
        axis = "row"
    return (
        f"indices must lie between 0 and {door.n - 1:,} in a graph of {door.n:,} vertices; "
        f"{_many(count, 'entry lies', 'entries lie')} outside, first {axis} {value:,} {_place(door, at)}"
    )


def _place(door: Door, at: int) -> str:
    row, column = _row(door, at), int(door.indices[at])
    if door.flipped:
        row, column = column, row
    where = at if door.positions is None else int(door.positions[at])
    return f"at position {where:,} (row {row}, column {column})"


def _row(door: Door, at: int) -> int:
    if door.rows is not None:
        return int(door.rows[at])
    return int(np.searchsorted(to_host(door.indptr), at, side="right")) - 1


def _value(door: Door, at: int) -> Any:
    return door.stored(at, at + 1)[0].item()


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"
